import type { BookLevel } from '../protocol/decodeBook.ts'
import { dexOf } from '../protocol/coinKind.ts'
import type { AssetContext } from '../protocol/decodeMeta.ts'
import type { OpenOrder } from '../protocol/venueState.ts'
import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { shifted } from '../values/millis.ts'
import type { Millis } from '../values/millis.ts'
import type { AccountEvent } from './accountEvent.ts'
import { OracleHabits } from './oracleHabits.ts'

/** What was last told of a perp of a builder dex: entries there depend on it. */
export interface BuilderMarketView {
  readonly mark: Decimal
  readonly oracle: Decimal
  /** Its book has a price on both sides. */
  readonly hasMid: boolean
  /**
   * When the venue last told them by itself, whether they had changed or not, or they were last seen
   * before the oracle moved; null: never. What a read answers shows no life.
   */
  readonly at: Millis | null
  /** When they were last seen, alive or not. */
  readonly seenAt: Millis
  /** When an oracle price of its dex last moved; left out where they do not move all the time. */
  readonly stillSince?: Millis
  /** Its open interest is at the venue's cap. */
  readonly isAtCap: boolean
  /** The venue has refused an order because it is halted, and has shown no trading there since. */
  readonly isHalted: boolean
  /** Its id may have become another perp's; left out: no. */
  readonly isIdDoubted?: true
}

/** What a book shows between two prices, in units of the coin. */
export interface BookDepth {
  readonly bids: Decimal
  readonly asks: Decimal
  /** When it was read. */
  readonly at: Millis
}

type Book = Extract<AccountEvent, { kind: 'book' }>

interface Told extends Pick<BuilderMarketView, 'at' | 'seenAt'> {
  readonly context: AssetContext
  /** Since when its open interest was worth the cap that is known; null: it is less, or nobody knows. */
  readonly fullSince: Millis | null
}

interface CapList {
  readonly coins: ReadonlySet<Coin>
  readonly at: Millis
}

/** The perps of builder dexes as the venue tells of them. */
export class BuilderMarkets {
  readonly #told = new Map<Coin, Told>()
  /** By dex, as the venue last listed them. */
  readonly #capped = new Map<string, CapList>()
  /** When an order was last refused because of the cap. */
  readonly #refusedAt = new Map<Coin, Millis>()
  readonly #halted = new Set<Coin>()
  readonly #books = new Map<Coin, Book>()
  readonly #habits = new OracleHabits()
  #arePlacesDoubted = false

  applyContexts(
    contexts: ReadonlyMap<Coin, AssetContext>,
    at: Millis,
    areLastMade: boolean,
    capOf: (coin: Coin) => Decimal | null,
  ): void {
    for (const [coin, context] of contexts) {
      const before = this.#told.get(coin)
      const alive = areLastMade ? lastAlive(before, context) : at
      const fullSince = isFull(context, capOf(coin)) ? (before?.fullSince ?? at) : null
      this.#told.set(coin, { context, at: alive, seenAt: at, fullSince })
      if (context.mid !== null) this.#halted.delete(coin)
      const hasMoved = before !== undefined && !before.context.oracle.eq(context.oracle)
      if (hasMoved) this.#habits.moved(dexOf(coin), at)
    }
  }

  applyOther(
    event: Extract<AccountEvent, { kind: 'capped' | 'halted' | 'at_cap' | 'book' | 'dex_places' }>,
  ): void {
    if (event.kind === 'dex_places') this.#arePlacesDoubted = event.areDoubted
    else if (event.kind === 'halted') this.#halted.add(event.coin)
    else if (event.kind === 'book') this.#books.set(event.coin, event)
    else if (event.kind === 'at_cap') this.#refusedAt.set(event.coin, event.at)
    else this.#capped.set(event.dex, { coins: new Set(event.coins), at: event.at })
  }

  view(coin: Coin): BuilderMarketView | null {
    const told = this.#told.get(coin)
    if (told === undefined) return null
    const { context, at, seenAt, fullSince } = told
    const { mark, oracle, mid } = context
    const isAtCap = this.#isAtCap(coin, fullSince)
    const isHalted = this.#halted.has(coin)
    const doubt = this.#arePlacesDoubted ? { isIdDoubted: true as const } : {}
    const view = { mark, oracle, hasMid: mid !== null, at, seenAt, isAtCap, isHalted, ...doubt }
    const stillSince = this.#habits.stillSince(dexOf(coin))
    return stillSince === null ? view : { ...view, stillSince }
  }

  /**
   * At once where it is seen from what all hold, or from a refusal. The venue's own list has the last
   * word: a cap that is known from before may have been changed.
   */
  #isAtCap(coin: Coin, fullSince: Millis | null): boolean {
    const list = this.#capped.get(dexOf(coin))
    if (list?.coins.has(coin) === true) return true
    const signAt = Math.max(fullSince ?? -Infinity, this.#refusedAt.get(coin) ?? -Infinity)
    return signAt > -Infinity && (list === undefined || list.at <= signAt)
  }

  /**
   * What the book that was read last shows from a bid to an ask, beside the account's own orders; null
   * where none was read.
   */
  bookWithin(
    coin: Coin,
    lowest: Decimal,
    highest: Decimal,
    own: readonly OpenOrder[],
  ): BookDepth | null {
    const book = this.#books.get(coin)
    if (book === undefined) return null
    const { at } = book
    const resting = own.filter(({ trigger }) => trigger === null)
    const isIn = ({ price }: BookLevel): boolean => price.gte(lowest) && price.lte(highest)
    const shown = (isBuy: boolean): Decimal => {
      const levels = isBuy ? book.bids : book.asks
      const mine = resting.filter((order) => order.isBuy === isBuy && isIn(order))
      const others = sizeOf(levels.filter(isIn)).minus(sizeOf(mine))
      return Decimal.max(others, Decimal.zero)
    }
    return { bids: shown(true), asks: shown(false), at }
  }

  /** The clock was set by so much. */
  shift(ms: number): void {
    this.#habits.shift(ms)
    const moved = (at: Millis | null): Millis | null => (at === null ? null : shifted(at, ms))
    for (const [coin, book] of this.#books)
      this.#books.set(coin, { ...book, at: shifted(book.at, ms) })
    for (const [coin, { context, at, seenAt, fullSince }] of this.#told) {
      this.#told.set(coin, {
        ...{ context, at: moved(at), seenAt: shifted(seenAt, ms), fullSince: moved(fullSince) },
      })
    }
    for (const [coin, at] of this.#refusedAt) this.#refusedAt.set(coin, shifted(at, ms))
    for (const [dex, { coins, at }] of this.#capped)
      this.#capped.set(dex, { coins, at: shifted(at, ms) })
  }
}

/** What all hold is worth the cap. */
function isFull({ openInterest, mark }: AssetContext, cap: Decimal | null): boolean {
  return cap !== null && openInterest !== undefined && openInterest.times(mark).gte(cap)
}

/** An oracle that has moved was alive since it was last seen. */
function lastAlive(before: Told | undefined, { oracle }: AssetContext): Millis | null {
  if (before === undefined) return null
  return before.context.oracle.eq(oracle) ? before.at : before.seenAt
}

function sizeOf(levels: readonly BookLevel[]): Decimal {
  return levels.reduce((sum, { size }) => sum.plus(size), Decimal.zero)
}
