import type { Json } from '../../../../src/core/protocol/action.ts'
import type { VenueReads } from '../../engine/venueReads.ts'
import type { AddressBudget } from '../addressBudget.ts'
import { accountInfo } from './accountInfo.ts'
import type { Told } from './ask.ts'
import { marketInfo } from './marketInfo.ts'

/** Answers one `/info` question; what is no question of the venue's is `unfit`. */
export function answerInfo(venue: VenueReads, budget: AddressBudget, request: Json): Told {
  if (request === null || typeof request !== 'object' || Array.isArray(request)) return 'unfit'
  const fields = request as { readonly [key: string]: Json }
  const type = fields['type']
  if (typeof type !== 'string') return 'unfit'
  const answer = Object.hasOwn(marketInfo, type)
    ? marketInfo[type]
    : Object.hasOwn(accountInfo, type)
      ? accountInfo[type]
      : undefined
  return answer === undefined ? 'unfit' : answer({ request: fields, venue, budget })
}
