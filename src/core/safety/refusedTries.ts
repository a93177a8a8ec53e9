import type { Coin } from '../values/coin.ts'
import type { Decimal } from '../values/decimal.ts'
import { limits } from '../values/limits.ts'
import { refusalKind } from '../venueLimits/refusal.ts'
import { mannerOnceTaken, nextManner, plainManner } from './manner.ts'
import type { Manner } from './manner.ts'

interface Tried {
  readonly manner: Manner
  /** The id that the last refused order had; null where none was. */
  readonly asset: number | null
  /** Its orders go in an action of their own: a batch with them in it was refused whole, or not answered. */
  readonly isAlone: boolean
  /** The venue's words since it last took an order, oldest first. */
  readonly texts: readonly string[]
  /** The position's size for which nothing is left to try, and the words that said so. */
  readonly givenUp: { readonly size: Decimal; readonly text: string } | null
}

const untried: Tried = {
  ...{ manner: plainManner, asset: null, isAlone: false },
  ...{ texts: [], givenUp: null },
}

/**
 * What the venue refused of the orders of each coin, in its words, and how each is asked for next.
 * One of these is kept for closes and one for stops.
 */
export class RefusedTries {
  readonly #byCoin = new Map<Coin, Tried>()

  mannerOf(coin: Coin): Manner {
    return this.#of(coin).manner
  }

  /** Refused for its price with these words, it is asked for at the band's edge next. */
  isAtEdge(coin: Coin, text: string): boolean {
    return refusalKind(text) === 'outside_band' && this.mannerOf(coin).bandStep !== 0
  }

  isAlone(coin: Coin): boolean {
    return this.#of(coin).isAlone
  }

  /** The last words, where everything was tried for a position of this size; null otherwise. */
  givenUp(coin: Coin, size: Decimal): string | null {
    const { givenUp } = this.#of(coin)
    return givenUp?.size.eq(size) === true ? givenUp.text : null
  }

  /** The coins of which the venue refused something since it last took an order. */
  refusedCoins(): ReadonlySet<Coin> {
    const coins = new Set<Coin>()
    for (const [coin, { texts }] of this.#byCoin) if (texts.length > 0) coins.add(coin)
    return coins
  }

  /** What was refused before on these coins, each with its coin, for an event. */
  textsOf(coins: Iterable<Coin>): readonly string[] {
    return [...new Set(coins)].flatMap((coin) =>
      this.#of(coin).texts.map((text) => `${coin}: ${text}`),
    )
  }

  /** An order of this coin, with this id, was refused for itself; `size` is the position's, signed or not. */
  refused(coin: Coin, text: string, size: Decimal, asset: number | null): void {
    const tried = this.#of(coin)
    const isHopeless = refusalKind(text) === 'below_minimum' && tried.manner.isEnlarged
    this.#byCoin.set(coin, {
      ...tried,
      ...{ manner: nextManner(tried.manner, text), asset },
      texts: withText(tried.texts, text),
      givenUp: isHopeless ? { size, text: cut(text) } : null,
    })
  }

  /** A batch was refused whole for one of its orders: each coin goes by itself next. */
  refusedTogether(coins: Iterable<Coin>, text: string): void {
    for (const coin of coins) {
      const tried = this.#of(coin)
      this.#byCoin.set(coin, { ...tried, isAlone: true, texts: withText(tried.texts, text) })
    }
  }

  /** A batch had no answer that can be read, and each coin of it may be why: each goes by itself next. */
  unansweredTogether(coins: Iterable<Coin>): void {
    for (const coin of coins) this.#byCoin.set(coin, { ...this.#of(coin), isAlone: true })
  }

  /** The venue took every order of the coin: how it was asked for stays, a far reach and the words do not. */
  taken(coin: Coin): void {
    const tried = this.#byCoin.get(coin)
    if (tried !== undefined) {
      const manner = mannerOnceTaken(tried.manner)
      this.#byCoin.set(coin, { ...tried, manner, isAlone: false, texts: [], givenUp: null })
    }
  }

  /**
   * Forgets every coin that is not among these, and how one is asked for whose id is another one by now:
   * what was refused was an order for another perp. `assetOf`: the id of a coin, null where it has none.
   */
  keepOnly(has: (coin: Coin) => boolean, assetOf: (coin: Coin) => number | null): void {
    for (const [coin, tried] of this.#byCoin) {
      if (!has(coin)) this.#byCoin.delete(coin)
      else if (tried.asset !== null && tried.asset !== assetOf(coin)) {
        const { isAlone, texts } = tried
        this.#byCoin.set(coin, { ...untried, isAlone, texts })
      }
    }
  }

  #of(coin: Coin): Tried {
    return this.#byCoin.get(coin) ?? untried
  }
}

function withText(texts: readonly string[], text: string): readonly string[] {
  const short = cut(text)
  return texts.at(-1) === short ? texts : [...texts, short].slice(-limits.refusedTextsMax)
}

const cut = (text: string): string => text.slice(0, limits.refusedTextCharsMax)
