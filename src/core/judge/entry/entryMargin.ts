import type { Market } from '../../protocol/market.ts'
import type { Rules } from '../../rules/rules.ts'
import { limits } from '../../values/limits.ts'
import { ok } from '../../values/result.ts'
import type { Result } from '../../values/result.ts'
import type { JudgeInput } from '../decision.ts'
import { refuse } from '../refusal.ts'
import type { Refusal } from '../refusal.ts'
import { seconds } from '../text.ts'

/** Whether a perp may be on cross margin at all: nothing on a builder dex may. */
export function admitsCross({ onlyIsolated, builder }: Market): boolean {
  return !onlyIsolated && builder === undefined
}

/**
 * The leverage at which an entry goes on cross margin; null where it is isolated, because the rules or
 * the market admit nothing else, or because that is what the coin is set to. A coin that nobody has
 * touched is on cross margin at the venue's default, so what is set must be known.
 */
export function crossLeverage(
  input: JudgeInput,
  market: Market,
  rules: Rules,
): Result<number | null, Refusal> {
  if (rules.margin !== 'cross' || !admitsCross(market)) return ok(null)
  const { coin } = market
  const position = input.account.positions.get(coin)
  if (position !== undefined) return ok(ifCross(position.leverage))
  const known = input.account.leverage(coin)
  if (known === null || input.now - known.at > limits.accountAgeMsMax) {
    return refuse(
      'account_stale',
      `what margin ${coin} is set to at the venue was not seen within the last ${seconds(limits.accountAgeMsMax)}; send it again`,
    )
  }
  return ok(ifCross(known.leverage))
}

function ifCross(leverage: { readonly type: string; readonly value: number }): number | null {
  return leverage.type === 'cross' ? leverage.value : null
}
