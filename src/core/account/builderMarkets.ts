import type { BookLevel } from '../protocol/decodeBook.ts'
import type { AssetContext } from '../protocol/decodeMeta.ts'
import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { shifted } from '../values/millis.ts'
import type { Millis } from '../values/millis.ts'
import type { AccountEvent } from './accountEvent.ts'

/** What was last told of a perp of a builder dex: entries there depend on it. */
export interface BuilderMarketView {
  readonly mark: Decimal
  readonly oracle: Decimal
  /** Its book has a price on both sides. */
  readonly hasMid: boolean
  /** When mark and oracle were last told, whether they had changed or not. */
  readonly at: Millis
  /** Its open interest is at the venue's cap. */
  readonly isAtCap: boolean
  /** The venue has refused an order because it is halted, and has shown no trading there since. */
  readonly isHalted: boolean
}

/** What a book shows between two prices, in units of the coin. */
export interface BookDepth {
  readonly bids: Decimal
  readonly asks: Decimal
  /** When it was read. */
  readonly at: Millis
}

type Book = Extract<AccountEvent, { kind: 'book' }>

/** The perps of builder dexes as the venue tells of them. */
export class BuilderMarkets {
  readonly #told = new Map<Coin, { readonly context: AssetContext; readonly at: Millis }>()
  readonly #capped = new Map<string, ReadonlySet<Coin>>()
  readonly #halted = new Set<Coin>()
  readonly #books = new Map<Coin, Book>()

  applyContexts(contexts: ReadonlyMap<Coin, AssetContext>, at: Millis): void {
    for (const [coin, context] of contexts) {
      this.#told.set(coin, { context, at })
      if (context.mid !== null) this.#halted.delete(coin)
    }
  }

  applyOther(event: Extract<AccountEvent, { kind: 'capped' | 'halted' | 'book' }>): void {
    if (event.kind === 'halted') this.#halted.add(event.coin)
    else if (event.kind === 'book') this.#books.set(event.coin, event)
    else this.#capped.set(event.dex, new Set(event.coins))
  }

  view(coin: Coin): BuilderMarketView | null {
    const told = this.#told.get(coin)
    if (told === undefined) return null
    const { mark, oracle, mid } = told.context
    const capped = [...this.#capped.values()]
    return {
      ...{ mark, oracle, hasMid: mid !== null, at: told.at },
      isAtCap: capped.some((coins) => coins.has(coin)),
      isHalted: this.#halted.has(coin),
    }
  }

  /** What the book that was read last shows from a bid to an ask; null where none was read. */
  bookWithin(coin: Coin, lowest: Decimal, highest: Decimal): BookDepth | null {
    const book = this.#books.get(coin)
    if (book === undefined) return null
    const { bids, asks, at } = book
    return {
      bids: sizeOf(bids.filter(({ price }) => price.gte(lowest))),
      asks: sizeOf(asks.filter(({ price }) => price.lte(highest))),
      at,
    }
  }

  /** The clock was set by so much. */
  shift(ms: number): void {
    for (const [coin, book] of this.#books)
      this.#books.set(coin, { ...book, at: shifted(book.at, ms) })
    for (const [coin, { context, at }] of this.#told)
      this.#told.set(coin, { context, at: shifted(at, ms) })
  }
}

function sizeOf(levels: readonly BookLevel[]): Decimal {
  return levels.reduce((sum, { size }) => sum.plus(size), Decimal.zero)
}
