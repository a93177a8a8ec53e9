import type { Json } from '../../../../src/core/protocol/action.ts'
import { accountInfo } from './accountInfo.ts'
import type { Ask, InfoAnswer, Told } from './ask.ts'
import { chainInfo } from './chainInfo.ts'
import { lendingInfo } from './lendingInfo.ts'
import { marketInfo } from './marketInfo.ts'

const answers: { readonly [type: string]: InfoAnswer } = {
  ...marketInfo,
  ...accountInfo,
  ...chainInfo,
  ...lendingInfo,
}

/** Answers one `/info` question; what is no question of the venue's is `unfit`. */
export function answerInfo(context: Omit<Ask, 'request'>, request: Json): Told {
  if (request === null || typeof request !== 'object' || Array.isArray(request)) return 'unfit'
  const fields = request as { readonly [key: string]: Json }
  const type = fields['type']
  if (typeof type !== 'string') return 'unfit'
  const answer = Object.hasOwn(answers, type) ? answers[type] : undefined
  return answer === undefined ? 'unfit' : answer({ request: fields, ...context })
}
