import { address } from '../../../src/core/values/address.ts'
import type { Address } from '../../../src/core/values/address.ts'
import { coin } from '../../../src/core/values/coin.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import type { VenueOptions } from '../engine/options.ts'
import type { DexSpec, VenueConfig } from '../engine/venueConfig.ts'
import type { ModelAccountSpec, ModelMarketSpec } from './modelVenue.ts'

/** The markets and accounts that engine and model begin with. */

export const startMs = Date.UTC(2026, 8, 7, 12, 5)
export const users = ['a1', 'b0', 'ca', 'd4'].map((byte) => address(`0x${byte.repeat(20)}`))
export const builder = address(`0x${'bb'.repeat(20)}`)
const equities = ['20000', '5000', '1500', '4000']
/** The address of the vault; its leader is the first of `users`. */
export const vaultUser = address(`0x${'e5'.repeat(20)}`)
const equityOf = (user: Address): string => equities[users.indexOf(user)] ?? '3000'
const [, freshUser, , unifiedUser] = users

/** Bounds low enough to be met, one market that is isolated only and one that is halted. */
export const markets: readonly ModelMarketSpec[] = [
  {
    coin: 'ETH',
    sizeDecimals: 4,
    maxLeverage: 25,
    mid: '2000',
    tiers: [
      ['0', 25],
      ['9000', 3],
    ],
  },
  { coin: 'HYPE', sizeDecimals: 2, maxLeverage: 10, mid: '41.873', tiers: [['0', 10]] },
  {
    coin: 'CANTO',
    sizeDecimals: 0,
    maxLeverage: 3,
    mid: '0.01934',
    tiers: [['0', 3]],
    onlyIsolated: true,
  },
  {
    coin: 'OLD',
    sizeDecimals: 1,
    maxLeverage: 5,
    mid: '0.37621',
    tiers: [['0', 5]],
    isDelisted: true,
  },
]

export const tsla: ModelMarketSpec = {
  ...{ asset: 110_000, coin: 'xyz:TSLA', dex: 'xyz', sizeDecimals: 3, maxLeverage: 20, mid: '400' },
  tiers: [['0', 20]],
  // Half as much again for the builder, and a tenth of it all while the market is young.
  ...{ feeFactor: '0.15', volumeFactor: '0.1', cap: '200000000' },
}
const onDex = { dex: 'xyz', amount: '3000' }

interface StartLeverage {
  readonly coin: string
  readonly type: 'cross' | 'isolated'
  readonly value: number
}

/** One account has never set anything; the others begin where calm prices liquidate nobody. */
function startLeverage(user: string): StartLeverage[] {
  if (user === freshUser) return []
  return markets.map(({ coin: name, onlyIsolated, maxLeverage }) => ({
    coin: name,
    type: onlyIsolated === true ? 'isolated' : 'cross',
    value: Math.min(5, maxLeverage),
  }))
}

/** The accounts as the model takes them, with what each begins with. */
export function accountsOf(among: readonly Address[], hasDex: boolean): ModelAccountSpec[] {
  return among.map((user) => ({
    address: user,
    equity: equityOf(user),
    onDex: { ...onDex, amount: hasMoneyOnDex(user, hasDex) ? onDex.amount : '0' },
    isUnified: user === freshUser ? null : user === unifiedUser,
    builders: new Map(user === vaultUser ? [] : [[builder, 10]]),
    leverage: new Map(
      startLeverage(user).map(({ coin: name, type, value }) => {
        return [name, { isCross: type === 'cross', value }]
      }),
    ),
  }))
}

const hasMoneyOnDex = (user: Address, hasDex: boolean): boolean =>
  hasDex && user !== unifiedUser && user !== vaultUser

/** The same accounts and markets as the settings of the engine, so that both begin alike. */
export function configOf(
  seed: number,
  options: VenueOptions,
  among: readonly Address[],
  hasDex: boolean,
): VenueConfig {
  return {
    seed,
    startMs,
    frozen: true,
    scenario: 'calm',
    markets: markets.map((market) => ({
      ...market,
      coin: coin(market.coin),
      mid: Decimal.of(market.mid),
      tiers: market.tiers.map(([from, maxLeverage]) => ({
        lowerBound: Decimal.of(from),
        maxLeverage,
      })),
    })),
    accounts: among.map((user) => ({
      address: user,
      equity: Decimal.of(equityOf(user)),
      ...(user === freshUser ? {} : { mode: user === unifiedUser ? 'unifiedAccount' : 'disabled' }),
      leverage: new Map(startLeverage(user).map((each) => [coin(each.coin), each])),
      ...(user === vaultUser ? { vaultOf: users[0] as Address } : {}),
      ...(hasMoneyOnDex(user, hasDex)
        ? { dexEquity: new Map([[onDex.dex, Decimal.of(onDex.amount)]]) }
        : {}),
    })),
    dexes: hasDex ? [dexOf(tsla)] : [],
    options,
  }
}

function dexOf(market: ModelMarketSpec): DexSpec {
  const { coin: name, sizeDecimals, maxLeverage, mid, cap = '' } = market
  return {
    name: onDex.dex,
    markets: [
      {
        ...{ coin: coin(name), sizeDecimals, maxLeverage, mid: Decimal.of(mid) },
        ...{ hasGrowthMode: true, feeScale: Decimal.of('0.5'), cap: Decimal.of(cap) },
      },
    ],
  }
}
