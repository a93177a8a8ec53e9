import type { Coin } from '../../src/core/values/coin.ts'
import { Decimal } from '../../src/core/values/decimal.ts'

/** Looks that saw the same, one after the other; `at` is when the last of them was. */
interface Look {
  at: number
  readonly mids: ReadonlyMap<Coin, Decimal>
  readonly equity: Decimal
}

/** What the world looked like lately: Guard cannot have gone by anything that is older. */
export class PriceWindow {
  readonly #forMs: number
  #looks: Look[] = []

  constructor(forMs: number) {
    this.#forMs = forMs
  }

  add(at: number, mids: ReadonlyMap<Coin, Decimal>, equity: Decimal): void {
    const since = at - this.#forMs
    const first = this.#looks.findIndex((look) => look.at >= since)
    if (first > 0) this.#looks.splice(0, first)
    const last = this.#looks.at(-1)
    if (last !== undefined && last.equity.eq(equity) && areSame(last.mids, mids)) last.at = at
    else this.#looks.push({ at, mids, equity })
  }

  /** The most the account was worth. */
  get equity(): Decimal {
    return this.#looks.reduce((most, look) => Decimal.max(most, look.equity), Decimal.zero)
  }

  lowest(coin: Coin): Decimal {
    const [first = Decimal.zero, ...others] = this.prices(coin)
    return others.reduce((least, each) => Decimal.min(least, each), first)
  }

  /** Every price it had. */
  prices(coin: Coin): readonly Decimal[] {
    return this.#looks.flatMap(({ mids }) => mids.get(coin) ?? [])
  }
}

function areSame(one: ReadonlyMap<Coin, Decimal>, other: ReadonlyMap<Coin, Decimal>): boolean {
  if (one.size !== other.size) return false
  for (const [coin, mid] of other) if (one.get(coin)?.eq(mid) !== true) return false
  return true
}
