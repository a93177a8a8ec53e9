import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { shifted } from '../values/millis.ts'
import type { Millis } from '../values/millis.ts'
import { KeptNames } from './keptNames.ts'
import type { OrderLife } from './orderLife.ts'
import { RecentMap } from './recentMap.ts'

/** What is remembered of an order that is not followed (any more). */
interface Past {
  cloid: string | null
  /** By Guard's clock, when its end was told; null when it was not. */
  endedAt: Millis | null
  /** How much of it was filled by fills that were told, in units of its coin. */
  played: Decimal
  /** What of it was filled, also where its end or a state told so and its fills have not come. */
  filled: Decimal
}

/** What a message tells of an order, by which it may be one that Guard has sent. */
export interface Described {
  readonly oid: number
  readonly cloid: string | null
  readonly coin: Coin
  readonly isBuy: boolean
  /** Its whole size, as it was asked for. */
  readonly size: Decimal
  readonly price: Decimal
}

const pastMax = 4096

/**
 * Finds the order that a message speaks of. The venue's number decides; an order that has none yet
 * is known by its client order id only if market, side, size and limit are its own, if no other
 * order that has the id could be meant too, and only while no number was told for it: an id that a
 * bot uses again names another order then. A fill tells neither size nor limit of its order: it is
 * kept under its number until that is known to be an order's.
 */
export class OrderIndex {
  readonly #byOid = new Map<number, OrderLife>()
  /** Orders on their way or open, by client order id; more than one where a bot uses an id again. */
  readonly #live = new Map<string, readonly OrderLife[]>()
  readonly #past = new RecentMap<number, Past>(pastMax)
  /** What bots' ids name where their order stands under one of Guard's. */
  readonly names = new KeptNames((id) => this.#live.has(id))

  get(oid: number): OrderLife | null {
    return this.#byOid.get(oid) ?? null
  }

  /** The order that is open under a client order id. */
  openBy(cloid: string): OrderLife | null {
    return this.#live.get(cloid)?.findLast(({ isOpen }) => isOpen) ?? null
  }

  /** The order that has a client order id now, on its way or open; the last that was given it. */
  holderOf(cloid: string): OrderLife | null {
    return this.#live.get(cloid)?.at(-1) ?? null
  }

  /** The client order id of an order, also after its end. */
  cloidOf(oid: number): string | null {
    return this.#byOid.get(oid)?.cloid ?? this.#past.get(oid)?.cloid ?? null
  }

  endedAt(oid: number): Millis | null {
    return this.#past.get(oid)?.endedAt ?? null
  }

  /** What the fills of an order have shown, also before and after it is followed. */
  playedOf(oid: number): Decimal {
    return this.#byOid.get(oid)?.played ?? this.#past.get(oid)?.played ?? Decimal.zero
  }

  /** How much of an order was filled, by its fills or, once it is over, by what was told of its end. */
  filledOf(oid: number): Decimal {
    return Decimal.max(this.playedOf(oid), this.#past.get(oid)?.filled ?? Decimal.zero)
  }

  /** Guard is about to send it. */
  expect(life: OrderLife): void {
    if (life.cloid !== null) this.names.release(life.cloid)
    this.#lives(life)
  }

  #lives(life: OrderLife): void {
    const { cloid } = life
    if (cloid === null) return
    const others = this.#live.get(cloid) ?? []
    if (!others.includes(life)) this.#live.set(cloid, [...others, life])
  }

  /** The order that is described; null when Guard follows none that it could be. */
  find(described: Described): OrderLife | null {
    const { oid, cloid } = described
    const known = this.#byOid.get(oid)
    if (known !== undefined) return known
    if (cloid === null || this.endedAt(oid) !== null) return null
    const sent = (this.#live.get(cloid) ?? []).filter((life) => isLike(life, described))
    const [only] = sent
    if (only === undefined || sent.length > 1) return null
    this.number(only, oid)
    return only
  }

  /** The open trigger order that this one may be, fired and renumbered by the venue; null for none or several. */
  triggerLike(described: Described): OrderLife | null {
    const { oid, cloid } = described
    if (cloid === null || this.endedAt(oid) !== null) return null
    const [only, second] = (this.#live.get(cloid) ?? []).filter((life) => wasLike(life, described))
    return second === undefined ? (only ?? null) : null
  }

  /** The venue gave the order this number. */
  number(life: OrderLife, oid: number): void {
    if (life.oid !== null) this.#byOid.delete(life.oid)
    life.oid = oid
    if (life.cloid !== null) this.names.taken(life.cloid)
    life.played = this.playedOf(oid)
    this.#byOid.set(oid, life)
  }

  /** The number that was taken for an order's is another's: it has none, as before. */
  unnumber(life: OrderLife): void {
    if (life.oid !== null) this.#byOid.delete(life.oid)
    life.oid = null
  }

  /** The venue shows it open. */
  opened(life: OrderLife): void {
    this.#lives(life)
  }

  /** A fill of an order that Guard does not follow. */
  playPast(oid: number, size: Decimal, cloid: string | null): void {
    const past = this.#remember(oid, cloid)
    past.played = past.played.plus(size)
  }

  noteCloid(oid: number, cloid: string): void {
    if (!this.#byOid.has(oid)) this.#remember(oid, cloid)
  }

  /** Its end was told. */
  ended(oid: number, cloid: string | null, at: Millis): void {
    this.#remember(oid, cloid).endedAt = at
  }

  /** Takes an order that is no longer open out of the index by client order id. */
  closed(life: OrderLife): void {
    const { cloid } = life
    if (cloid === null) return
    const others = (this.#live.get(cloid) ?? []).filter((each) => each !== life)
    if (others.length > 0) this.#live.set(cloid, others)
    else this.#live.delete(cloid)
  }

  /** Nothing more is to come of it. */
  forget(life: OrderLife): void {
    const { cloid, oid, played, toldFilled } = life
    this.closed(life)
    if (oid === null && cloid !== null) this.names.forget(cloid)
    if (oid === null || this.#byOid.get(oid) !== life) return
    this.#byOid.delete(oid)
    const past = this.#remember(oid, cloid)
    past.played = played
    past.filled = toldFilled
  }

  /** The clock was set by so much. */
  shift(ms: number): void {
    for (const past of this.#past.values()) {
      if (past.endedAt !== null) past.endedAt = shifted(past.endedAt, ms)
    }
  }

  #remember(oid: number, cloid: string | null): Past {
    const { zero } = Decimal
    const known = this.#past.get(oid) ?? { cloid: null, endedAt: null, played: zero, filled: zero }
    if (cloid !== null) known.cloid = cloid
    this.#past.set(oid, known)
    return known
  }
}

/** Whether an order whose number is not known could be the one that is described. */
function isLike({ plan, oid }: OrderLife, described: Described): boolean {
  const { coin, isBuy, size, price } = described
  if (oid !== null || plan === null || plan.coin !== coin || plan.isBuy !== isBuy) return false
  // The venue may cut an order that only reduces to the position that is left.
  return plan.price.eq(price) && (plan.kind !== 'entry' || plan.size.eq(size))
}

/** Whether an open order that waits for a trigger has the market, side, price and size described. */
function wasLike({ isOpen, shown }: OrderLife, { coin, isBuy, size, price }: Described): boolean {
  if (!isOpen || shown?.trigger == null || shown.coin !== coin || shown.isBuy !== isBuy)
    return false
  // The venue may cut an order that only reduces to the position that is left.
  return shown.price.eq(price) && (shown.isReduceOnly || shown.originalSize.eq(size))
}
