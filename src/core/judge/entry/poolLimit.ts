import type { PoolRow } from '../../account/accountView.ts'
import { entryLossAt } from '../../account/worstLoss.ts'
import { dexOf } from '../../protocol/coinKind.ts'
import { partsOfUsd, partsOver } from '../../protocol/maintenance.ts'
import type { Market } from '../../protocol/market.ts'
import type { Leverage } from '../../protocol/venueState.ts'
import type { Rules } from '../../rules/rules.ts'
import { Decimal } from '../../values/decimal.ts'
import { limits } from '../../values/limits.ts'
import { err, ok } from '../../values/result.ts'
import type { Result } from '../../values/result.ts'
import type { AccountWithRequest } from '../accountWithRequest.ts'
import { sharesCollateral } from '../context.ts'
import type { JudgeInput } from '../decision.ts'
import { poolDistance } from '../poolDistance.ts'
import { backingOf, poolSums } from '../poolSums.ts'
import type { Refusal } from '../refusal.ts'
import { emptyRow, withMargin } from '../requestPool.ts'
import { percent, usd } from '../text.ts'
import { checkMinimum } from './checkMinimum.ts'
import type { EntrySize } from './entrySize.ts'
import type { SizeBound } from './sizeLimit.ts'
import { largestWithin, poolBounds } from './poolBounds.ts'
import type { Leaning, PooledEntry } from './poolBounds.ts'

interface PoolEntry {
  readonly isBuy: boolean
  readonly worst: Decimal
  readonly stop: Decimal
  readonly mid: Decimal
  /** USD that a unit of it counts as. */
  readonly worth: Decimal
  /** The limit of its stop. */
  readonly stopLimit: Decimal
  readonly margin: Leverage
}

/**
 * Cuts an entry to what the collateral that all positions share can bear, and to what of it is free.
 * Where the rules keep every coin on isolated margin nothing is shared, and only what is free on a dex
 * bounds it that has a balance of its own.
 */
export function fitPool(
  input: JudgeInput,
  draft: AccountWithRequest,
  market: Market,
  rules: Rules,
  sized: EntrySize,
  entry: PoolEntry,
): Result<EntrySize, Refusal> {
  const { account } = input
  const isShared = sharesCollateral(input, market)
  const pool = isShared ? account.crossPool() : account.dexPool(dexOf(market.coin))
  if (pool === null) return ok(sized)
  const { margin, worth } = entry
  const rows = draft
    .poolRows(pool)
    .map((row) => (row.coin === market.coin ? withMargin(row, margin) : row))
  const all = poolSums(rows, account)
  const leaning = { backing: backingOf(pool, all), all, market }
  const borne = isShared ? cutToShared(input, rules, rows, sized, leaning, entry) : ok(sized)
  if (!borne.ok) return borne
  const free = freeOf(input, market, leaning, pool.unheld, entry.isBuy)
  const needed = worth.times(partsOver(margin.value))
  return cut(market, borne.value, entry, {
    size: free.over(needed, market.sizeDecimals, 'floor'),
    rule: 'margin',
    code: 'margin',
    text: () =>
      `the ${usd(Decimal.max(inUsd(free), Decimal.zero))} of free collateral${pool.dex ? ` on ${pool.dex}` : ''} at leverage ${margin.value}`,
  })
}

type Backed = Pick<Leaning, 'backing' | 'all' | 'market'>

/** Cuts an entry to what cross positions bear together. */
function cutToShared(
  input: JudgeInput,
  rules: Rules,
  rows: readonly PoolRow[],
  sized: EntrySize,
  backed: Backed,
  entry: PoolEntry,
): Result<EntrySize, Refusal> {
  const { market, backing } = backed
  const { isBuy, margin, worst: price, stop, mid, worth } = entry
  const own = rows.find(({ coin }) => coin === market.coin) ?? emptyRow(market.coin)
  const others = poolSums(
    rows.filter((row) => row !== own),
    input.account,
  )
  const distance = Decimal.max(rules.minLiquidationDistance, poolDistance(input, rows))
  const leaning: Leaning = { ...backed, others, own, distance }
  const one = { isBuy, price, size: Decimal.one, stop, watched: { worth } }
  const pooled: PooledEntry = { isBuy, margin, worth, loss: entryLossAt(one, mid) }
  return cut(market, sized, entry, {
    size: largestWithin(poolBounds(leaning, pooled), market.sizeDecimals),
    rule: 'min_liquidation_distance',
    code: 'liquidation_too_close',
    text: () =>
      `what the ${usd(inUsd(backing))} behind all cross positions bear: every stop hit at once with 10% slippage and 5% to spare, and ${percent(distance)} against all of them (min_liquidation_distance)`,
  })
}

/**
 * What is free for an entry, in parts: the least of Guard's own figure, what the venue says, and on a
 * unified account what nothing holds of its balance (`unheld`, in USD; null elsewhere).
 */
function freeOf(
  { account, now }: JudgeInput,
  { coin }: Market,
  { backing, all }: Backed,
  unheld: Decimal | null,
  isBuy: boolean,
): Decimal {
  const figures = [backing.minus(all.initial)]
  const left = account.available(coin)
  if (left !== null && now - left.at <= limits.accountAgeMsMax) {
    figures.push((isBuy ? left.buy : left.sell).times(partsOfUsd).minus(all.inFlight))
  }
  if (unheld !== null) figures.push(unheld.times(partsOfUsd).minus(all.inFlight))
  return figures.reduce((least, each) => Decimal.min(least, each))
}

interface Cut extends SizeBound {
  /** Null where nothing bounds it. */
  readonly size: Decimal | null
  readonly code: Refusal['code']
}

/** The size cut to a bound; refused with the bound's own code where less than the venue takes is left. */
function cut(
  market: Market,
  sized: EntrySize,
  { worst, stopLimit }: PoolEntry,
  { size, rule, code, text }: Cut,
): Result<EntrySize, Refusal> {
  if (size === null || size.gte(sized.size)) return ok(sized)
  const smaller = { ...sized, size: Decimal.max(size, Decimal.zero), bound: { rule, text } }
  const short = checkMinimum(market, smaller, worst, stopLimit)
  return short === null ? ok(smaller) : err({ code, text: short.text })
}

function inUsd(parts: Decimal): Decimal {
  return parts.over(partsOfUsd, 6, 'floor')
}
