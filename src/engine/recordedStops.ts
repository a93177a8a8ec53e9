import type { AccountView } from '../core/account/accountView.ts'
import { Recent } from '../core/account/recent.ts'
import type { Json } from '../core/protocol/action.ts'
import { isObject } from '../core/protocol/fields.ts'
import type { Fill } from '../core/protocol/venueState.ts'
import type { Coin } from '../core/values/coin.ts'
import { Decimal } from '../core/values/decimal.ts'

/** An entry that was let through, and the stop it was judged with. */
export interface EntryStop {
  readonly cloid: string
  readonly coin: Coin
  readonly isBuy: boolean
  readonly stop: Decimal
}

interface PositionStop {
  readonly isLong: boolean
  readonly stop: Decimal
}

/** Entries whose fill may still come; beyond it the oldest are forgotten. */
const entriesMax = 4_096

/**
 * The stop that belongs to each position: the one its entry was let through with, once that entry
 * has filled, or a tighter one that has covered it since.
 */
export class RecordedStops {
  private readonly entries = new Recent<string, EntryStop>(entriesMax)
  private readonly positions = new Map<Coin, PositionStop>()
  /** The stops that the entries of a position were judged with: the tightest of them. */
  private readonly judged = new Map<Coin, PositionStop>()

  private readonly atUntil = new Set<string>()
  private until = -1

  /** An entry goes out with this stop. */
  noteEntry(entry: EntryStop): void {
    this.entries.set(entry.cloid, entry)
  }

  /**
   * A fill of an entry makes its stop the position's. The stream tells recent fills again whenever
   * it opens: each counts once, and one that opens a position begins its record anew.
   */
  noteFill(fill: Fill, account: AccountView): void {
    if (!this.isNew(fill)) return
    if (fill.startPosition.isZero()) this.forget(fill.coin)
    const cloid = fill.cloid ?? account.order({ oid: fill.oid })?.cloid ?? null
    const entry = cloid === null ? undefined : this.entries.get(cloid)
    if (entry === undefined) return
    tighten(this.positions, entry.coin, entry.isBuy, entry.stop)
    tighten(this.judged, entry.coin, entry.isBuy, entry.stop)
  }

  /** Takes up what covers now, and forgets the positions that are gone. */
  follow(account: AccountView): void {
    for (const [coin, { size }] of account.positions) {
      const cover = account.cover(coin)
      if (cover?.isFull === true && cover.loosest !== null) {
        tighten(this.positions, coin, size.isPositive(), cover.loosest)
      }
    }
  }

  /** The positions that a state snapshot no longer shows have no stop any more. */
  forgetFlat(account: AccountView): void {
    for (const coin of this.positions.keys()) {
      if (!account.positions.has(coin)) this.forget(coin)
    }
  }

  /** For the positions held now. */
  current(account: AccountView): ReadonlyMap<Coin, Decimal> {
    return held(this.positions, account)
  }

  /** Those that the entries of the positions held now were judged with. */
  judgedWith(account: AccountView): ReadonlyMap<Coin, Decimal> {
    return held(this.judged, account)
  }

  private forget(coin: Coin): void {
    this.positions.delete(coin)
    this.judged.delete(coin)
  }

  private isNew({ at, oid, tid }: Fill): boolean {
    const key = `${tid}:${oid}`
    if (at < this.until || (at === this.until && this.atUntil.has(key))) return false
    if (at > this.until) this.atUntil.clear()
    this.until = at
    this.atUntil.add(key)
    return true
  }

  toJson(): Json {
    const positions = stopsJson(this.positions)
    const judged = stopsJson(this.judged)
    const entries = [...this.entries.values()].map(entryJson)
    return { positions, judged, entries, until: this.until, fills: [...this.atUntil] }
  }

  restore(json: Json): void {
    if (!isObject(json)) return
    restoreStops(this.positions, json['positions'])
    restoreStops(this.judged, json['judged'])
    for (const each of listOf(json['entries'])) this.restoreEntry(each)
    const { until } = json
    if (typeof until === 'number') this.until = Math.max(this.until, until)
    for (const key of listOf(json['fills'])) if (typeof key === 'string') this.atUntil.add(key)
  }

  /** One entry as `entryJson` wrote it. */
  restoreEntry(json: Json): void {
    const [cloid, coin, isBuy, text] = listOf(json)
    const stop = Decimal.parse(text)
    if (typeof cloid !== 'string' || typeof coin !== 'string' || !stop.ok) return
    this.noteEntry({ cloid, coin: coin as Coin, isBuy: isBuy === true, stop: stop.value })
  }
}

function tighten(stops: Map<Coin, PositionStop>, coin: Coin, isLong: boolean, stop: Decimal): void {
  const before = stops.get(coin)
  const isTighter =
    before?.isLong !== isLong || (isLong ? stop.gt(before.stop) : stop.lt(before.stop))
  if (isTighter) stops.set(coin, { isLong, stop })
}

function held(
  stops: ReadonlyMap<Coin, PositionStop>,
  account: AccountView,
): ReadonlyMap<Coin, Decimal> {
  const found = new Map<Coin, Decimal>()
  for (const [coin, { size }] of account.positions) {
    const known = stops.get(coin)
    if (known?.isLong === size.isPositive()) found.set(coin, known.stop)
  }
  return found
}

function stopsJson(stops: ReadonlyMap<Coin, PositionStop>): Json {
  return [...stops].map(([coin, { isLong, stop }]) => [coin, isLong, stop.toString()])
}

function restoreStops(stops: Map<Coin, PositionStop>, json: Json | undefined): void {
  for (const each of listOf(json)) {
    const [coin, isLong, text] = listOf(each)
    const stop = Decimal.parse(text)
    if (stop.ok) tighten(stops, coin as Coin, isLong === true, stop.value)
  }
}

export function entryJson({ cloid, coin, isBuy, stop }: EntryStop): Json {
  return [cloid, coin, isBuy, stop.toString()]
}

function listOf(json: Json | undefined): readonly Json[] {
  return Array.isArray(json) ? (json as readonly Json[]) : []
}
