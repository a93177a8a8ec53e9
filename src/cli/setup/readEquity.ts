import { decodeSpotState, decodeUserAbstraction } from '../../core/protocol/decodeInfoAccount.ts'
import type { Address } from '../../core/values/address.ts'
import { Decimal } from '../../core/values/decimal.ts'
import { err, ok } from '../../core/values/result.ts'
import type { Result } from '../../core/values/result.ts'
import type { AskVenue } from './agentCheck.ts'
import { statesOfEveryDex } from './everyDex.ts'

/** The account's equity by its mode, read once over HTTP. */
export async function readEquity(ask: AskVenue, user: Address): Promise<Result<Decimal>> {
  const modeAnswer = await ask({ type: 'userAbstraction', user })
  if (!modeAnswer.ok) return modeAnswer
  const mode = decodeUserAbstraction(modeAnswer.value)
  if (!mode.ok) return mode
  switch (mode.value) {
    case 'default':
    case 'disabled': {
      // Each dex has a balance of its own.
      const states = await statesOfEveryDex(ask, user)
      if (!states.ok) return states
      const values = states.value.map(({ accountValue }) => accountValue)
      return ok(values.reduce((sum, value) => sum.plus(value), Decimal.zero))
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
