import type { Coin } from '../../src/core/values/coin.ts'
import { Decimal } from '../../src/core/values/decimal.ts'

interface Look {
  readonly at: number
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
    this.#looks.push({ at, mids, equity })
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
