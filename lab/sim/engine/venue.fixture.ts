import { address } from '../../../src/core/values/address.ts'
import type { Address } from '../../../src/core/values/address.ts'
import { cloid } from '../../../src/core/values/cloid.ts'
import { coin } from '../../../src/core/values/coin.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import type { Grouping, Json, Order } from '../../../src/core/protocol/action.ts'
import { defaultMarkets } from '../defaultMarkets.ts'
import { defaultOptions } from './options.ts'
import type { VenueOptions } from './options.ts'
import { Venue } from './venue.ts'
import type { AccountSpec, VenueConfig } from './venueConfig.ts'

export const alice = address(`0x${'a1'.repeat(20)}`)
export const bob = address(`0x${'b0'.repeat(20)}`)
export const carol = address(`0x${'ca'.repeat(20)}`)
export const eth = coin('ETH')
export const btc = coin('BTC')
export const ethAsset = 1
export const startMs = Date.UTC(2026, 8, 7, 12, 30)
export const d = Decimal.of

export function testCloid(n: number) {
  return cloid(`0x${n.toString(16).padStart(32, '0')}`)
}

/** BTC, and ETH at a mid of 2000 exactly: hand-worked numbers are about ETH. */
export const testMarkets = defaultMarkets
  .slice(0, 2)
  .map((market) => (market.coin === eth ? { ...market, mid: d('2000') } : market))

export function testConfig(parts: Partial<VenueConfig> = {}): VenueConfig {
  return {
    seed: 7,
    startMs,
    frozen: true,
    scenario: 'calm',
    markets: testMarkets,
    accounts: [account(alice, '10000'), account(bob, '10000')],
    options: defaultOptions,
    ...parts,
  }
}

export function account(
  who: Address,
  equity: string,
  parts: Partial<AccountSpec> = {},
): AccountSpec {
  return { address: who, equity: d(equity), ...parts }
}

export function testVenue(
  accounts: readonly AccountSpec[] = [account(alice, '10000'), account(bob, '10000')],
  options: Partial<VenueOptions> = {},
): Venue {
  return new Venue(testConfig({ accounts, options: { ...defaultOptions, ...options } }))
}

type Text = string

/** A limit order on ETH. */
export function limit(
  side: 'buy' | 'sell',
  size: Text,
  price: Text,
  parts: Partial<Order> & { readonly tif?: 'Gtc' | 'Ioc' | 'Alo' | 'FrontendMarket' } = {},
): Order {
  const { tif = 'Gtc', ...rest } = parts
  return {
    asset: ethAsset,
    isBuy: side === 'buy',
    price: d(price),
    size: d(size),
    isReduceOnly: false,
    type: { kind: 'limit', tif },
    cloid: null,
    ...rest,
  }
}

/** A reduce-only trigger on ETH. */
export function trigger(
  side: 'buy' | 'sell',
  size: Text,
  triggerPrice: Text,
  price: Text,
  tpsl: 'tp' | 'sl',
  parts: Partial<Order> & { readonly isMarket?: boolean } = {},
): Order {
  const { isMarket = true, ...rest } = parts
  return {
    asset: ethAsset,
    isBuy: side === 'buy',
    price: d(price),
    size: d(size),
    isReduceOnly: true,
    type: { kind: 'trigger', isMarket, triggerPrice: d(triggerPrice), tpsl },
    cloid: null,
    ...rest,
  }
}

export function send(
  venue: Venue,
  who: Address,
  orders: readonly Order[],
  grouping: Grouping = 'na',
): Json {
  return venue.apply(who, { type: 'order', orders, grouping, builder: null })
}

/** The statuses of an order or cancel reply; the text of a refusal of the whole action. */
export function statuses(reply: Json): Json {
  const body = reply as { status: string; response: { data: { statuses: Json } } }
  return body.status === 'ok' ? body.response.data.statuses : (body.response as unknown as Json)
}

/** The oid in the status at this place. */
export function oidOf(reply: Json, index = 0): number {
  const all = statuses(reply) as readonly Record<string, { readonly oid: number }>[]
  const status = all[index] ?? {}
  const oid = (status['resting'] ?? status['filled'])?.oid
  if (oid === undefined) throw new Error(`no oid in ${JSON.stringify(status)}`)
  return oid
}

export function sizeOf(venue: Venue, who: Address, market = eth): string {
  const found = venue.perpState(who).positions.find((position) => position.coin === market)
  return found?.size.toString() ?? '0'
}

/** The statuses an order went through, oldest first. */
export function story(venue: Venue, who: Address, oid: number): string[] {
  return venue
    .historicalOrders(who)
    .filter(({ order }) => order.oid === oid)
    .map(({ status }) => status)
    .reverse()
}

export function price(venue: Venue, mid: Text, market = eth): void {
  const done = venue.setPrice(market, { mid: d(mid) })
  if (!done.ok) throw new Error(done.error)
}
