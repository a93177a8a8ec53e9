import { coinKind } from '../protocol/coinKind.ts'
import type { Market } from '../protocol/market.ts'
import type { OpenOrder } from '../protocol/venueState.ts'
import { ownStopGap } from '../rules/stopGap.ts'
import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import type { AccountEvent } from './accountEvent.ts'
import { BuilderMarkets } from './builderMarkets.ts'
import type { BookDepth, BuilderMarketView } from './builderMarkets.ts'

/** How far beyond its stop a trade on a builder dex may end, by the rules; a share of the price. */
type GapOf = (coin: Coin, maxLeverage: number) => Decimal

type Contexts = Extract<AccountEvent, { kind: 'contexts' }>

/** What is asked of the perps of builder dexes. */
export abstract class BuilderQuestions {
  protected readonly builders = new BuilderMarkets()
  #gapOf: GapOf = (_, maxLeverage) => ownStopGap(maxLeverage)

  /** From now on risk there is counted by these gaps. */
  countGaps(gapOf: GapOf): void {
    this.#gapOf = gapOf
    this.sumAnew()
  }

  abstract market(coin: Coin): Market | null
  abstract sumAnew(): void
  abstract ordersOf(coin: Coin): readonly OpenOrder[]

  protected applyContexts({ contexts, areLastMade, at }: Contexts): void {
    const capOf = (coin: Coin): Decimal | null =>
      this.market(coin)?.builder?.openInterestCap ?? null
    this.builders.applyContexts(contexts, at, areLastMade === true, capOf)
  }

  builderMarket(coin: Coin): BuilderMarketView | null {
    return this.builders.view(coin)
  }
  bookWithin(coin: Coin, lowest: Decimal, highest: Decimal): BookDepth | null {
    return this.builders.bookWithin(coin, lowest, highest, this.ordersOf(coin))
  }
  stopGap(coin: Coin): Decimal | null {
    if (coinKind(coin) !== 'builder_dex') return null
    const market = this.market(coin)
    // What nobody knows of may lose all that it is worth.
    return market === null ? Decimal.one : this.#gapOf(coin, market.maxLeverage)
  }
}
