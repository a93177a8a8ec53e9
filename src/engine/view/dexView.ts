import type { Account } from '../../core/account/account.ts'
import type { EntryDecision } from '../../core/judge/decision.ts'
import type { JsonObject } from '../../core/protocol/action.ts'
import type { Coin } from '../../core/values/coin.ts'
import { Decimal } from '../../core/values/decimal.ts'
import type { Millis } from '../../core/values/millis.ts'
import { documentedSession } from './documentedSession.ts'

/**
 * What is known of the builder dex's perp of an entry; nothing for a perp of the main dex. Whether its
 * oracle follows outside prices or the dex's own cannot be read from the venue.
 */
export function dexView(account: Account, entry: EntryDecision, now: Millis): JsonObject {
  const coin = entry.coin as Coin
  const builder = account.market(coin)?.builder
  if (builder === undefined) return {}
  const gap = account.stopGap(coin) ?? Decimal.zero
  const told = account.builderMarket(coin)
  const counted = entry.worstPrice?.times(entry.size).times(gap).rounded(2, 'half-even') ?? null
  return {
    dex: {
      name: builder.dex,
      stop_gap: gap.toString(),
      stop_gap_usd: counted === null ? null : counted.toString(),
      mark: told === null ? null : told.mark.toString(),
      oracle: told === null ? null : told.oracle.toString(),
      mark_from_oracle: told === null ? null : distance(told.mark, told.oracle),
      told_age_ms: told?.at == null ? null : Math.max(0, now - told.at),
      at_cap: told?.isAtCap ?? null,
      halted: told === null ? null : told.isHalted || !told.hasMid,
      documented_session: documentedSession(builder.dex, now),
    },
  }
}

/** How far the mark is from the oracle price, as a share of that. */
function distance(mark: Decimal, oracle: Decimal): string | null {
  return oracle.isPositive() ? mark.minus(oracle).abs().over(oracle, 6, 'ceil').toString() : null
}
