import type { Market, Markets } from '../protocol/market.ts'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { millis } from '../values/millis.ts'
import {
  accountWith,
  fixtureNow,
  market,
  markets,
  vectorMids,
  venueState,
} from './account.fixture.ts'
import type { AccountSpec } from './account.fixture.ts'
import type { Account } from './account.ts'

type BuilderTerms = NonNullable<Market['builder']>

/** A perp of a builder dex: 10x unless told otherwise, with the usual fees of a builder. */
export function dexMarket(
  name: string,
  asset: number,
  spec: Partial<Omit<Market, 'builder'>> & { readonly builder?: Partial<BuilderTerms> } = {},
): Market {
  const { builder, ...given } = spec
  const { maxLeverage = 10 } = given
  const dex = name.slice(0, name.indexOf(':'))
  const usual = { dex, isPaidInUsdc: true, feeScale: Decimal.one, isGrowth: false }
  const listed = market({ coin: name, asset, sizeDecimals: 3, maxLeverage })
  return { ...listed, ...given, builder: { ...usual, ...builder } }
}

/** Two dexes beside the main one: `xyz` in USDC, `usdh` in another token. */
export const dexMarkets: readonly Market[] = [
  dexMarket('xyz:TSLA', 110_001),
  dexMarket('xyz:NVDA', 110_002, { maxLeverage: 20, onlyIsolated: true }),
  dexMarket('xyz:GONE', 110_003, { isDelisted: true }),
  dexMarket('usdh:TSLA', 120_000, { builder: { isPaidInUsdc: false } }),
]

const dexMids: { readonly [coin: string]: string } = {
  'xyz:TSLA': '400',
  'xyz:NVDA': '180',
}

export function allMarkets(others: readonly Market[]): Markets {
  const main = markets()
  const byCoin = new Map([...main.byCoin, ...others.map((each) => [each.coin, each] as const)])
  const byAsset = new Map([...main.byAsset, ...others.map((each) => [each.asset, each] as const)])
  return { byCoin, byAsset }
}

export interface DexSpec extends Omit<AccountSpec, 'markets'> {
  readonly dexMarkets?: readonly Market[]
  /** What a plain account has on builder dexes, of its equity; half of that is on xyz where left out. */
  readonly dexEquity?: { readonly [dex: string]: string }
  /** The oracle prices; the mids where none is given. */
  readonly oracles?: { readonly [coin: string]: string }
  readonly marks?: { readonly [coin: string]: string }
  /** Coins whose book has no price on one side. */
  readonly oneSided?: readonly string[]
  readonly capped?: readonly string[]
  readonly halted?: readonly string[]
  /** A dex is gone, and the ids of others may have moved. */
  readonly arePlacesDoubted?: boolean
  /** Left out: nothing was told of the builders' perps. */
  readonly isUntold?: boolean
  /** What was told is what a read answered. */
  readonly isRead?: boolean
  /** When an oracle price of the dex last moved, after it had done so all the time. */
  readonly movedAt?: number
  readonly toldAt?: number
  /** Bids and asks, each as price and size. */
  readonly book?: {
    readonly bids: readonly (readonly [string, string])[]
    readonly asks: readonly (readonly [string, string])[]
    readonly at?: number
  }
}

/**
 * An account on a venue with builder dexes, live and confirmed, with everything told of their perps: half
 * of its money is on xyz, unless told otherwise.
 */
export function dexAccount(spec: DexSpec = {}): Account {
  const all = spec.dexMarkets ?? dexMarkets
  const mids = { ...vectorMids, ...dexMids, ...spec.mids }
  const account = accountWith({ ...spec, mids, markets: allMarkets(all) })
  if (spec.mode !== 'unifiedAccount') putOnDexes(account, { ...spec, mids })
  const at = millis(spec.toldAt ?? spec.at ?? fixtureNow)
  const told = all.filter(({ coin: name }) => mids[name] !== undefined)
  const contexts = told.map(({ coin: name }) => {
    const mid = mids[name] as string
    const context = {
      mark: Decimal.of(spec.marks?.[name] ?? mid),
      oracle: Decimal.of(spec.oracles?.[name] ?? mid),
      mid: spec.oneSided?.includes(name) === true ? null : Decimal.of(mid),
    }
    return [name, context] as const
  })
  if (spec.movedAt !== undefined) moveNvidia(account, spec.movedAt)
  if (spec.isUntold !== true) {
    const areLastMade = spec.isRead === true
    account.apply({ kind: 'contexts', contexts: new Map(contexts), areLastMade, at })
  }
  for (const name of spec.halted ?? []) account.apply({ kind: 'halted', coin: coin(name), at })
  account.apply({ kind: 'dex_places', areDoubted: spec.arePlacesDoubted === true, at })
  account.apply({ kind: 'capped', dex: 'xyz', coins: (spec.capped ?? []).map(coin), at })
  if (spec.book !== undefined) {
    const levels = (each: readonly (readonly [string, string])[]) =>
      each.map(([price, size]) => ({ price: Decimal.of(price), size: Decimal.of(size) }))
    const [bids, asks] = [levels(spec.book.bids), levels(spec.book.asks)]
    const bookAt = millis(spec.book.at ?? fixtureNow)
    account.apply({ kind: 'book', coin: coin('xyz:TSLA'), bids, asks, at: bookAt })
  }
  return account
}

/** A state that tells what of the account's money is on which dex. */
function putOnDexes(account: Account, spec: DexSpec): void {
  const at = millis(spec.at ?? fixtureNow)
  const state = venueState(spec, at)
  const half = state.accountValue.times(Decimal.of('0.5')).toString()
  const told = Object.entries(spec.dexEquity ?? { xyz: half })
  const dexValues = new Map(
    told.map(([dex, value]) => [dex, { accountValue: Decimal.of(value) }] as const),
  )
  account.apply({ kind: 'state', state: { ...state, dexValues }, source: 'read', askedAt: at, at })
}

/** The oracle price of NVDA moves with every post of its builder, and for the last time at `until`. */
function moveNvidia(account: Account, until: number): void {
  for (let post = 20; post >= 0; post -= 1) {
    const [mark, at] = [Decimal.of('180'), millis(until - post * 3_000)]
    const context = { mark, oracle: Decimal.whole(180 + (post % 2)), mid: mark }
    account.apply({ kind: 'contexts', contexts: new Map([[coin('xyz:NVDA'), context]]), at })
  }
}
