import {
  decodeClearinghouseState,
  decodeSpotState,
  decodeUserAbstraction,
} from '../../core/protocol/decodeInfoAccount.ts'
import type { Address } from '../../core/values/address.ts'
import type { Decimal } from '../../core/values/decimal.ts'
import { err, ok } from '../../core/values/result.ts'
import type { Result } from '../../core/values/result.ts'
import type { AskVenue } from './agentCheck.ts'

/** The account's equity by its mode, read once over HTTP. */
export async function readEquity(ask: AskVenue, user: Address): Promise<Result<Decimal>> {
  const modeAnswer = await ask({ type: 'userAbstraction', user })
  if (!modeAnswer.ok) return modeAnswer
  const mode = decodeUserAbstraction(modeAnswer.value)
  if (!mode.ok) return mode
  switch (mode.value) {
    case 'default':
    case 'disabled': {
      const answer = await ask({ type: 'clearinghouseState', user })
      const state = answer.ok ? decodeClearinghouseState(answer.value) : answer
      return state.ok ? ok(state.value.accountValue) : state
    }
    case 'unifiedAccount': {
      const answer = await ask({ type: 'spotClearinghouseState', user })
      const spot = answer.ok ? decodeSpotState(answer.value) : answer
      return spot.ok ? ok(spot.value.usdcTotal) : spot
    }
    case 'portfolioMargin':
    case 'dexAbstraction':
    case 'unknown':
      return err(`the account is in ${mode.value} mode, which Guard cannot size for`)
  }
}
