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
  /**
   * When the venue last told them by itself, whether they had changed or not, or they were last seen
   * before the oracle moved; null: never. What a read answers shows no life.
   */
  readonly at: Millis | null
  /** When they were last seen, alive or not. */
  readonly seenAt: Millis
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

type Told = { readonly context: AssetContext } & Pick<BuilderMarketView, 'at' | 'seenAt'>

/** The perps of builder dexes as the venue tells of them. */
export class BuilderMarkets {
  readonly #told = new Map<Coin, Told>()
  readonly #capped = new Map<string, ReadonlySet<Coin>>()
  readonly #halted = new Set<Coin>()
  readonly #books = new Map<Coin, Book>()

  applyContexts(contexts: ReadonlyMap<Coin, AssetContext>, at: Millis, areLastMade: boolean): void {
    for (const [coin, context] of contexts) {
      const alive = areLastMade ? lastAlive(this.#told.get(coin), context) : at
      this.#told.set(coin, { context, at: alive, seenAt: at })
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
      ...{ mark, oracle, hasMid: mid !== null, at: told.at, seenAt: told.seenAt },
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
    for (const [coin, { context, at, seenAt }] of this.#told) {
      const alive = at === null ? null : shifted(at, ms)
      this.#told.set(coin, { context, at: alive, seenAt: shifted(seenAt, ms) })
    }
  }
}

/** An oracle that has moved was alive since it was last seen. */
function lastAlive(before: Told | undefined, { oracle }: AssetContext): Millis | null {
  if (before === undefined) return null
  return before.context.oracle.eq(oracle) ? before.at : before.seenAt
}

function sizeOf(levels: readonly BookLevel[]): Decimal {
  return levels.reduce((sum, { size }) => sum.plus(size), Decimal.zero)
}
