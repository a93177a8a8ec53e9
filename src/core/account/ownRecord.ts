import { dexOf } from '../protocol/coinKind.ts'
import { guardCloidKind } from '../protocol/guardCloid.ts'
import type { Fill, OpenOrder } from '../protocol/venueState.ts'
import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import type { PositionView } from './accountView.ts'
import { signedSize } from './fillChain.ts'
import { HeldSince } from './heldSince.ts'
import type { NameRow } from './keptNames.ts'
import type { OrderRecords } from './orderRecords.ts'
import type { PromiseRecord } from './promises.ts'
import { RecentMap } from './recentMap.ts'
import { isOrder } from './reservation.ts'
import type { PerpReservation } from './reservation.ts'
import type { TwapRecord } from './twapRecord.ts'

const cloidsRemembered = 16_384
const namedMax = 20

/** What of the account Guard sent itself: for the next start, as plain JSON. */
export interface AccountRecord {
  readonly sizes: { readonly [coin: string]: string }
  /** Every position as it was last known, whoever opened it. */
  readonly held?: { readonly [coin: string]: string }
  readonly cloids: readonly string[]
  /** What bots' ids name where their order stands under one of Guard's. */
  readonly names?: readonly NameRow[]
  /** The time of the last fill that was counted, and the fills of that very moment. */
  readonly until?: number
  readonly fills?: readonly string[]
  readonly promises?: PromiseRecord
  /** Its TWAPs that may still run. */
  readonly twaps?: readonly TwapRecord[]
}

/** Guard's own record of what went through it, to name what did not. */
export class OwnRecord {
  readonly #orders: OrderRecords
  readonly #cloids = new RecentMap<string, true>(cloidsRemembered)
  readonly #sizes = new Map<Coin, Decimal>()
  /** Since when positions on builder dexes are known: what is settled unseen there is nobody's any more. */
  readonly held = new HeldSince()
  /**
   * What the run before had held on the main dex, until a fill that it did not count tells of the coin:
   * what the first sight of this run is compared with.
   */
  readonly heldBefore = new Map<Coin, Decimal>()
  /** The time of the last fill that the run before had counted. */
  heldUntil = 0
  #areFillsListed = false
  /** TWAPs of an earlier run may have filled since, and only the list of slices has that. */
  #areSlicesAwaited = false

  constructor(orders: OrderRecords) {
    this.#orders = orders
  }

  /**
   * Whether the venue has listed the recent fills in this run, with the slices of TWAPs that an earlier
   * one left running. Until then an own fill may be missing that nobody has counted, so that no position
   * is called another's.
   */
  get areFillsTold(): boolean {
    return this.#areFillsListed && !this.#areSlicesAwaited
  }

  /** The recent fills were listed, or those of TWAPs. */
  listed(areSlices: boolean): void {
    if (areSlices) this.#areSlicesAwaited = false
    else this.#areFillsListed = true
  }

  remember(items: readonly PerpReservation[]): void {
    for (const item of items) if (isOrder(item)) this.#cloids.set(item.cloid, true)
  }

  /**
   * A fill that no earlier run has counted. Where it opens a position `anew` or has `closed` one, what
   * was there before is nobody's any more.
   */
  applyFill(
    fill: Fill,
    cloid: string | null,
    isOwnTwap = false,
    part: 'anew' | 'closed' | 'on' = 'on',
  ): void {
    this.heldBefore.delete(fill.coin)
    if (part !== 'on') this.#sizes.delete(fill.coin)
    if (part === 'closed' || (!isOwnTwap && !this.#isOwn(cloid))) return
    const size = (this.#sizes.get(fill.coin) ?? Decimal.zero).plus(signedSize(fill))
    if (size.isZero()) this.#sizes.delete(fill.coin)
    else this.#sizes.set(fill.coin, size)
  }

  /** A coin that is flat on the venue is nobody's: its record starts over. */
  settle(positions: ReadonlyMap<Coin, PositionView>): void {
    for (const coin of [...this.#sizes.keys()]) if (!positions.has(coin)) this.#sizes.delete(coin)
  }

  record(positions: ReadonlyMap<Coin, PositionView>): AccountRecord {
    const sizes = textsOf(this.#sizes)
    const held = textsOf([...positions].map(([coin, { size }]) => [coin, size]))
    const names = this.#orders.index.names.rows()
    return { sizes, held, cloids: [...this.#cloids.keys()], ...(names.length > 0 && { names }) }
  }

  restore(record: AccountRecord): void {
    for (const [coin, size] of Object.entries(record.sizes)) {
      this.#sizes.set(coin as Coin, Decimal.of(size))
    }
    this.heldUntil = Math.max(this.heldUntil, record.until ?? 0)
    for (const [coin, size] of Object.entries(record.held ?? {})) {
      const held = [coin as Coin, Decimal.of(size)] as const
      if (dexOf(held[0]) === '') this.heldBefore.set(...held)
      else this.held.restore(...held, this.heldUntil)
    }
    for (const cloid of record.cloids) this.#cloids.set(cloid, true)
    this.#orders.index.names.restore(record.names ?? [])
    if ((record.twaps ?? []).length > 0) this.#areSlicesAwaited = true
  }

  discrepancies(positions: ReadonlyMap<Coin, PositionView>): readonly string[] {
    const found: string[] = []
    for (const coin of this.areFillsTold ? [...positions.keys()].sort() : []) {
      const shown = positions.get(coin)?.size ?? Decimal.zero
      const own = this.#sizes.get(coin) ?? Decimal.zero
      if (!shown.eq(own)) {
        found.push(
          `${coin}: the venue shows a position of ${sizeInWords(shown)}, Guard's record ${sizeInWords(own)}`,
        )
      }
    }
    const foreign = this.#orders.openOids().filter((oid) => !this.#explains(oid))
    for (const oid of foreign.sort((left, right) => left - right).slice(0, namedMax)) {
      const order = this.#orders.open(oid)
      if (order !== null) found.push(describe(order))
    }
    if (foreign.length > namedMax) {
      found.push(`and ${foreign.length - namedMax} more orders that did not go through Guard`)
    }
    return found
  }

  #explains(oid: number): boolean {
    if (this.#isOwn(this.#orders.cloidOf(oid))) return true
    const parent = this.#orders.lastParentOf(oid)
    return parent !== null && this.#isOwn(this.#orders.cloidOf(parent))
  }

  #isOwn(cloid: string | null): boolean {
    return cloid !== null && (guardCloidKind(cloid) !== null || this.#cloids.has(cloid))
  }
}

type Held = readonly [Coin, Decimal]

function textsOf(sizes: Iterable<Held>): { readonly [coin: string]: string } {
  const sorted = [...sizes].sort(([first], [second]) => (first < second ? -1 : 1))
  return Object.fromEntries(sorted.map(([coin, size]) => [coin, size.toString()]))
}

/** A signed size for people: `0.5 long`, `2 short`, `none`. */
export function sizeInWords(size: Decimal): string {
  if (size.isZero()) return 'none'
  return `${size.abs().toString()} ${size.isPositive() ? 'long' : 'short'}`
}

function describe(order: OpenOrder): string {
  const what = order.trigger === null ? 'order' : order.trigger.tpsl === 'sl' ? 'stop' : 'trigger'
  const price = order.trigger?.price ?? order.price
  const way = order.isBuy ? 'buy' : 'sell'
  const size = order.size.toString()
  return `${order.coin}: ${what} ${order.oid} (${way} ${size} at ${price.toString()}) did not go through Guard`
}
