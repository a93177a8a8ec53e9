import type { CrossPool, PoolRow, RestingEntry, WatchedEntry } from '../account/accountView.ts'
import { leansOn } from '../account/poolOf.ts'
import { entryLossAt } from '../account/worstLoss.ts'
import type { Leverage } from '../protocol/venueState.ts'
import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'

type Entry = Pick<RestingEntry, 'coin' | 'isBuy' | 'price' | 'size' | 'stop'> & {
  readonly watched?: Pick<WatchedEntry, 'worth'> | null
}

/** What an entry changes of its coin's part in the collateral. */
interface Change {
  readonly value: Decimal
  readonly loss: Decimal
  readonly shortLoss: Decimal
  /** The margin it fills with; null: the entry is removed. */
  readonly margin: Leverage | null
}

interface Moved {
  readonly entry: Entry
  readonly mid: Decimal
  readonly margin: Leverage | null
}

/** What this request's own entries add to what coins ask of the collateral, and take from it. */
export class RequestPool {
  readonly #entries: Moved[] = []

  /** An entry comes, filled with this margin, or goes where that is null. */
  change(entry: Entry, mid: Decimal, margin: Leverage | null): void {
    this.#entries.push({ entry, mid, margin })
  }

  /** What every coin of a pool asks for with this request on top. */
  rows(pool: CrossPool): readonly PoolRow[] {
    const entries = this.#entries.filter(({ entry }) => leansOn(pool, entry.coin))
    if (entries.length === 0) return pool.rows
    const rows = new Map(pool.rows.map((row) => [row.coin, row]))
    for (const moved of entries) {
      const { coin } = moved.entry
      rows.set(coin, changed(rows.get(coin) ?? emptyRow(coin), changeOf(moved)))
    }
    return [...rows.values()]
  }
}

function changeOf({ entry, mid, margin }: Moved): Change {
  const { isBuy, price, size, watched } = entry
  const signed = (amount: Decimal): Decimal => (margin === null ? amount.negated() : amount)
  const loss = signed(entryLossAt(entry, mid))
  const worth = Decimal.max(watched?.worth ?? price, mid)
  const shortLoss = isBuy ? Decimal.zero : loss
  return { value: signed(size.times(worth)), loss, shortLoss, margin }
}

/** A coin that nothing is held of and no entry rests on. */
export function emptyRow(coin: Coin): PoolRow {
  const { zero } = Decimal
  return {
    ...{ coin, isCross: false, crossLeverage: 1, isolatedLeverage: null },
    ...{ value: zero, entryValue: zero, inFlightValue: zero, loss: zero, shortLoss: zero },
  }
}

/** The row once its coin has this margin: entries that rest on it are then filled with it too. */
export function withMargin(row: PoolRow, margin: Leverage): PoolRow {
  if (margin.type === 'cross') return { ...row, isCross: true, crossLeverage: margin.value }
  return { ...row, isolatedLeverage: lowest(row.isolatedLeverage, margin.value) }
}

function changed(before: PoolRow, { value, loss, shortLoss, margin }: Change): PoolRow {
  const row = margin === null ? before : withMargin(before, margin)
  return {
    ...row,
    value: row.value.plus(value),
    entryValue: row.entryValue.plus(value),
    inFlightValue: row.inFlightValue.plus(value),
    loss: row.loss.plus(loss),
    shortLoss: row.shortLoss.plus(shortLoss),
  }
}

function lowest(one: number | null, other: number): number {
  return one === null ? other : Math.min(one, other)
}
