import type { AccountEvent } from '../../../core/account/accountEvent.ts'
import { builderAssetOf, builderDexAsset } from '../../../core/protocol/assetId.ts'
import type { BuilderDex } from '../../../core/protocol/decodeDexes.ts'
import { contextsOf } from '../../../core/protocol/decodeMeta.ts'
import { noMarkets } from '../../../core/protocol/market.ts'
import type { Market, Markets } from '../../../core/protocol/market.ts'
import type { Coin } from '../../../core/values/coin.ts'
import type { VenueNews } from '../../ports.ts'

type Prices = Extract<VenueNews, { kind: 'dex_prices' }>
type Fills = Extract<VenueNews, { kind: 'fills' }>

/** The perps of the main dex and those of the builder dexes, which are told apart and known as one list. */
export class DexMarkets {
  #main: Markets = noMarkets
  /** Those of builder dexes, in the order of their ids. */
  #builder: readonly Market[] = []
  #coins: ReadonlySet<Coin> = new Set()

  get isMainKnown(): boolean {
    return this.#main.byAsset.size > 0
  }

  get main(): Markets {
    return this.#main
  }

  setMain(markets: Markets): void {
    this.#main = mainOf(markets)
  }

  setBuilder(markets: readonly Market[]): void {
    this.#builder = markets.toSorted((left, right) => left.asset - right.asset)
    this.#coins = new Set(markets.map(({ coin }) => coin))
  }

  /**
   * Those that are known of these dexes, with the ids that their places give them. A dex that was removed
   * and added again since is another one: its perps may stand in another order, and are not known.
   */
  movedTo(dexes: readonly BuilderDex[]): readonly Market[] {
    const indexes = this.#sameAmong(dexes)
    return this.#builder.flatMap((market) => {
      const index = indexes.get(market.builder?.dex ?? '')
      const place = builderDexAsset(market.asset)?.index
      if (index === undefined || place === undefined) return []
      return { ...market, asset: builderAssetOf(index, place) }
    })
  }

  /**
   * The places of those dexes, in the order of their places, that have been there ever since: a dex that goes
   * lets others move up, a new one comes after all others, and nothing else gives one another place.
   */
  #sameAmong(dexes: readonly BuilderDex[]): ReadonlyMap<string, number> {
    const before = new Map(this.#dexesIn().map(({ name, index }) => [name, index]))
    const same = new Map<string, number>()
    let last = 0
    for (const { name, index } of dexes) {
      const was = before.get(name) ?? 0
      if (was < index || was <= last) continue
      last = was
      same.set(name, index)
    }
    return same
  }

  /** Whether perps of these dexes that are known are missing in `told`, or have other ids or lots there. */
  areAltered(dexes: readonly BuilderDex[], told: readonly Market[]): boolean {
    const byCoin = new Map(told.map((market) => [market.coin, market]))
    return this.movedTo(dexes).some(({ coin, asset, sizeDecimals }) => {
      const now = byCoin.get(coin)
      return now?.asset !== asset || now.sizeDecimals !== sizeDecimals
    })
  }

  /** Takes one list of all, and tells which builder dexes it has. */
  take(markets: Markets): readonly BuilderDex[] {
    this.setMain(markets)
    this.setBuilder([...markets.byAsset.values()].filter(({ builder }) => builder !== undefined))
    return this.#dexesIn()
  }

  /** The builder dexes of which perps are known, each with its place in the venue's list. */
  #dexesIn(): readonly BuilderDex[] {
    const dexes = new Map<string, number>()
    for (const { asset, builder } of this.#builder) {
      const place = builderDexAsset(asset)
      if (builder !== undefined && place !== null) dexes.set(builder.dex, place.dex)
    }
    return [...dexes].map(([name, index]) => ({ name, index }))
  }

  /** Whether it is a perp of a builder dex. */
  hasBuilder(coin: Coin): boolean {
    return this.#coins.has(coin)
  }

  /** Whether its collateral is another token than USDC; false where no perp of it is known. */
  isInToken(dex: string): boolean {
    return this.#builder.some(({ builder }) => builder?.dex === dex && !builder.isPaidInUsdc)
  }

  /** The builder dexes on which a perp trades. */
  trading(): ReadonlySet<string> {
    const dexes = this.#builder.flatMap(({ isDelisted, builder }) =>
      isDelisted || builder === undefined ? [] : [builder.dex],
    )
    return new Set(dexes)
  }

  all(): Markets {
    if (this.#builder.length === 0) return this.#main
    const all = [...this.#main.byAsset.values(), ...this.#builder]
    return {
      byAsset: new Map(all.map((market) => [market.asset, market])),
      byCoin: new Map(all.map((market) => [market.coin, market])),
    }
  }

  /** What the prices of a dex tell; `isNews` where they are of other perps than are known. */
  prices({ dex, contexts, toldAlone, at }: Prices): {
    readonly isNews: boolean
    readonly events: readonly AccountEvent[]
  } {
    const coins = this.#builder.flatMap(({ coin, builder }) => (builder?.dex === dex ? coin : []))
    const told = contextsOf(coins, contexts)
    // A market that was listed as gone and has a price again was halted, and is open again.
    const isOpenAgain = this.#builder.some(
      (each) => each.isDelisted && (told.get(each.coin)?.mid ?? null) !== null,
    )
    // A dex is told of whole, also where nobody makes prices for one of its perps any more.
    const isAlone = (coin: Coin): boolean => toldAlone?.has(coin) === true
    const alone = new Map([...told].filter(([coin]) => isAlone(coin)))
    const others = new Map([...told].filter(([coin]) => !isAlone(coin)))
    return {
      isNews: contexts.length > coins.length || isOpenAgain,
      events: [
        { kind: 'contexts', contexts: others, at },
        { kind: 'contexts', contexts: alone, areLastMade: true, at },
      ],
    }
  }

  /** For telling whether anything is another thing than before. */
  written(): string {
    return JSON.stringify(this.#builder)
  }
}

/** The perps of the main dex alone. */
function mainOf(markets: Markets): Markets {
  const main = [...markets.byAsset.values()].filter(({ builder }) => builder === undefined)
  if (main.length === markets.byAsset.size) return markets
  return {
    byAsset: new Map(main.map((market) => [market.asset, market])),
    byCoin: new Map(main.map((market) => [market.coin, market])),
  }
}

/** Whether dexes that are known have other places in `told`. */
export function areMoved(known: readonly BuilderDex[], told: readonly BuilderDex[]): boolean {
  const indexes = new Map(told.map(({ name, index }) => [name, index]))
  return known.some(({ name, index }) => (indexes.get(name) ?? index) !== index)
}

/** The coins whose positions these fills settle, once each: nothing is traded there until a price is made again. */
export function haltsOf({ fills, at }: Fills): readonly AccountEvent[] {
  const coins = new Set(fills.filter(({ isSettlement }) => isSettlement).map(({ coin }) => coin))
  return [...coins].map((coin) => ({ kind: 'halted', coin, at }))
}
