import { Account } from '../../src/core/account/account.ts'
import type { Decision, JudgeInput } from '../../src/core/judge/decision.ts'
import type { Action } from '../../src/core/protocol/action.ts'
import { guardCloidTailBytes, makeGuardCloid } from '../../src/core/protocol/guardCloid.ts'
import type { CloidMint } from '../../src/core/protocol/guardCloid.ts'
import type { Market } from '../../src/core/protocol/market.ts'
import type { OpenOrder, VenuePosition } from '../../src/core/protocol/venueState.ts'
import { defaultRules } from '../../src/core/rules/rules.ts'
import { address } from '../../src/core/values/address.ts'
import { coin } from '../../src/core/values/coin.ts'
import { Decimal } from '../../src/core/values/decimal.ts'
import { millis } from '../../src/core/values/millis.ts'

/** The builder dex of `accountOnDex`, and the id of its one market. */
const dexName = 'xyz'
export const dexAsset = 110_000

/** The moment at which everything known of these accounts is fresh. */
const judgedAt = millis(1_800_000_000_000)

const rules = { ...defaultRules, maxOpenOrders: 10_000, markets: ['*', `${dexName}:*`] }
const client = address(`0x${'c1'.repeat(20)}`)
const tail = new Uint8Array(guardCloidTailBytes)

/** Another id each time, as Guard makes them: counts up in the first four bytes. */
const mint: CloidMint = (kind) => {
  let at = 0
  for (; at < 3 && tail[at] === 255; at += 1) tail[at] = 0
  tail[at] = (tail[at] ?? 0) + 1
  return makeGuardCloid(kind, tail)
}

/** A client's action as the judge gets it, with an account that nobody else changes. */
export function inputOf(account: Account, action: Action): JudgeInput {
  return {
    account,
    rulesFor: () => rules,
    risk: { state: 'active', holding: false, lastEquity: null },
    latched: false,
    builders: new Set(),
    now: judgedAt,
    client,
    action,
    mint,
    entriesLastMinute: 0,
  }
}

/** Leaves the account as it was, but with its sums forgotten, as they are between two orders. */
export function forgetSums(account: Account, decision: Decision): void {
  account.reserve('bench', decision.reservations[0] ?? [], judgedAt)
  account.settle('bench', { outcome: 'refused' }, judgedAt)
}

/** An account with resting entries on BTC, each with its stop, and covered positions elsewhere. */
export function accountWith(orders: number, positions: number): Account {
  const account = new Account()
  const held = Array.from({ length: positions }, (_, index) => market(index + 1, `P${index}`))
  const markets = [market(0, 'BTC'), ...held]
  const byAsset = new Map(markets.map((each) => [each.asset, each]))
  const byCoin = new Map(markets.map((each) => [each.coin, each]))
  const price = Decimal.of('100')
  const mids = new Map(markets.map((each) => [each.coin, each.asset === 0 ? btcPrice : price]))
  account.apply({ kind: 'markets', markets: { byAsset, byCoin }, at: judgedAt })
  account.apply({ kind: 'mode', mode: 'disabled', at: judgedAt })
  account.apply({ kind: 'mids', mids, at: judgedAt })
  const accountValue = Decimal.of('10000000')
  const state = {
    ...{ accountValue, withdrawable: accountValue, time: judgedAt },
    positions: held.map(({ coin: name }) => position(name)),
  }
  account.apply({ kind: 'state', state, source: 'read', at: judgedAt })
  const resting = Array.from({ length: orders / 2 }, (_, index) => bracket(index)).flat()
  const stops = held.map((each, index) => stopOf(each, 500_000 + index))
  account.apply({ kind: 'orders', orders: [...resting, ...stops], source: 'read', at: judgedAt })
  account.apply({ kind: 'leverage', coin: coin('BTC'), leverage, at: judgedAt })
  account.apply({ kind: 'stream', state: 'live', at: judgedAt })
  return account
}

/** An account without orders and positions, of a venue with BTC on its main dex and on a builder dex. */
export function accountOnDex(): Account {
  const account = accountWith(0, 0)
  const terms = { dex: dexName, isPaidInUsdc: true, feeScale: Decimal.one, isGrowth: false }
  const listed = { ...market(dexAsset, `${dexName}:BTC`), builder: terms }
  const markets = [market(0, 'BTC'), listed]
  const byAsset = new Map(markets.map((each) => [each.asset, each]))
  const byCoin = new Map(markets.map((each) => [each.coin, each]))
  const context = { mark: btcPrice, oracle: Decimal.of('100010'), mid: btcPrice }
  const contexts = new Map([[listed.coin, context]])
  account.apply({ kind: 'markets', markets: { byAsset, byCoin }, at: judgedAt })
  account.apply({ kind: 'contexts', contexts, at: judgedAt })
  account.apply({ kind: 'mids', mids: new Map([[listed.coin, btcPrice]]), at: judgedAt })
  account.apply({ kind: 'leverage', coin: listed.coin, leverage, at: judgedAt })
  const part = Decimal.of('5000000')
  const state = {
    ...{ accountValue: Decimal.of('10000000'), withdrawable: part, time: judgedAt, positions: [] },
    dexValues: new Map([[dexName, { accountValue: part, crossValue: part }]]),
  }
  account.apply({ kind: 'state', state, source: 'read', at: judgedAt })
  return account
}

const btcPrice = Decimal.of('100000')
/** What Guard sets with the first entry on a market, so that no judged order has to change it. */
const leverage = { type: 'isolated', value: 5 } as const

function market(asset: number, name: string): Market {
  const tiers = [{ lowerBound: Decimal.zero, maxLeverage: 40 }]
  return {
    ...{ asset, coin: coin(name), sizeDecimals: 5, maxLeverage: 40, tiers },
    ...{ isDelisted: false, onlyIsolated: false },
  }
}

function position(name: Market['coin']): VenuePosition {
  return {
    coin: name,
    size: Decimal.one,
    entryPrice: Decimal.of('100'),
    positionValue: Decimal.of('100'),
    unrealisedPnl: Decimal.zero,
    leverage: { type: 'isolated', value: 5 },
    liquidationPrice: Decimal.of('80'),
    marginUsed: Decimal.of('20'),
    maxLeverage: 40,
  }
}

const usual = {
  ...{ size: Decimal.of('0.001'), originalSize: Decimal.of('0.001'), cloid: null, at: judgedAt },
  ...{ isPositionTpsl: false, children: [] },
}

/** An entry and the stop that waits for it; every one at a price of its own. */
function bracket(index: number): readonly OpenOrder[] {
  const oid = 1_000 + index * 2
  const price = new Decimal(BigInt(990_000 - index * 7), 1)
  const trigger = price.times(Decimal.of('0.985'))
  const btc = coin('BTC')
  return [
    {
      ...usual,
      ...{ coin: btc, isBuy: true, price, oid, isReduceOnly: false, trigger: null },
      children: [oid + 1],
    },
    {
      ...usual,
      ...{ coin: btc, isBuy: false, oid: oid + 1, isReduceOnly: true },
      price: trigger.times(Decimal.of('0.9')),
      trigger: { price: trigger, isMarket: true, tpsl: 'sl' },
    },
  ]
}

function stopOf({ coin: name }: Market, oid: number): OpenOrder {
  const price = Decimal.of('98')
  return {
    ...usual,
    ...{ coin: name, isBuy: false, price: Decimal.of('88.2'), oid, isReduceOnly: true },
    ...{ size: Decimal.one, originalSize: Decimal.one },
    trigger: { price, isMarket: true, tpsl: 'sl' },
  }
}
