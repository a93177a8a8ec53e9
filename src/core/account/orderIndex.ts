import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { shifted } from '../values/millis.ts'
import type { Millis } from '../values/millis.ts'
import type { OrderLife } from './orderLife.ts'
import { Recent } from './recent.ts'

/** What is remembered of an order that is not followed (any more). */
interface Past {
  cloid: string | null
  /** By Guard's clock, when its end was told; null when it was not. */
  endedAt: Millis | null
  /** What its fills have shown. */
  played: Decimal
}

/** What a message tells of an order, by which it may be one that Guard has sent. */
export interface Described {
  readonly oid: number
  readonly cloid: string | null
  readonly coin: Coin
  readonly isBuy: boolean
  /** The order's whole size, or a part of it that was filled. */
  readonly size: Decimal
  readonly isWhole: boolean
}

const pastMax = 4096

/**
 * Finds the order that a message speaks of. The venue's number decides; an order that has none yet
 * is known by its client order id only if market, side and size are its own, and only while no
 * number was told for it: an id that a bot uses again names another order then.
 */
export class OrderIndex {
  readonly #byOid = new Map<number, OrderLife>()
  /** Orders that Guard has sent and whose number is not known, by client order id. */
  readonly #unnumbered = new Map<string, OrderLife>()
  /** Orders that the venue shows open, by client order id. */
  readonly #open = new Map<string, OrderLife>()
  readonly #past = new Recent<number, Past>(pastMax)

  get(oid: number): OrderLife | null {
    return this.#byOid.get(oid) ?? null
  }

  /** The order that is open under a client order id. */
  openBy(cloid: string): OrderLife | null {
    return this.#open.get(cloid) ?? null
  }

  /** The order that has a client order id now: on its way first, then open. */
  holderOf(cloid: string): OrderLife | null {
    return this.#unnumbered.get(cloid) ?? this.#open.get(cloid) ?? null
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

  /** Guard is about to send it. */
  expect(life: OrderLife): void {
    if (life.cloid !== null) this.#unnumbered.set(life.cloid, life)
  }

  /** The order that is described; null when Guard follows none that it could be. */
  find(described: Described): OrderLife | null {
    const { oid, cloid } = described
    const known = this.#byOid.get(oid)
    if (known !== undefined) return known
    if (cloid === null || this.endedAt(oid) !== null) return null
    const sent = this.#unnumbered.get(cloid)
    if (sent === undefined || !isLike(sent, described)) return null
    this.number(sent, oid)
    return sent
  }

  /** The venue gave the order this number. */
  number(life: OrderLife, oid: number): void {
    if (life.oid !== null) this.#byOid.delete(life.oid)
    life.oid = oid
    life.played = this.playedOf(oid)
    this.#byOid.set(oid, life)
    if (life.cloid !== null && this.#unnumbered.get(life.cloid) === life) {
      this.#unnumbered.delete(life.cloid)
    }
  }

  /** The venue shows it open. */
  opened(life: OrderLife): void {
    if (life.cloid !== null) this.#open.set(life.cloid, life)
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

  /** It is no longer open. */
  closed(life: OrderLife): void {
    const { cloid } = life
    if (cloid !== null && this.#open.get(cloid) === life) this.#open.delete(cloid)
  }

  /** Nothing more is to come of it. */
  forget(life: OrderLife): void {
    const { cloid, oid, played } = life
    this.closed(life)
    if (cloid !== null && this.#unnumbered.get(cloid) === life) this.#unnumbered.delete(cloid)
    if (oid === null || this.#byOid.get(oid) !== life) return
    this.#byOid.delete(oid)
    this.#remember(oid, cloid).played = played
  }

  /** The clock was set by so much. */
  shift(ms: number): void {
    for (const past of this.#past.values()) {
      if (past.endedAt !== null) past.endedAt = shifted(past.endedAt, ms)
    }
  }

  #remember(oid: number, cloid: string | null): Past {
    const known = this.#past.get(oid) ?? { cloid: null, endedAt: null, played: Decimal.zero }
    if (cloid !== null) known.cloid = cloid
    this.#past.set(oid, known)
    return known
  }
}

function isLike(life: OrderLife, { coin, isBuy, size, isWhole }: Described): boolean {
  const { plan } = life
  if (plan === null || plan.coin !== coin || plan.isBuy !== isBuy) return false
  // The venue may cut an order that only reduces to the position that is left.
  if (plan.kind !== 'entry') return true
  return isWhole ? plan.size.eq(size) : plan.size.gte(size)
}
