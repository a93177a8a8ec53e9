import * as hl from '@nktkas/hyperliquid'
import { beforeEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { accountAddress as user, order, orders } from '../engine/world.fixture.ts'
import { serve } from './served.fixture.ts'
import type { Served } from './served.fixture.ts'

let served: Served
beforeEach(async () => {
  served = await serve(1_000_000)
  return served.close
})

/** Each subscription that the package has and the simulator tells something on. */
const ways: readonly [string, object?][] = [
  ['allMids'],
  ['allMids', { dex: '' }],
  ['assetCtxs'],
  ['l2Book', { coin: 'ETH' }],
  ['l2Book', { coin: 'ETH', nSigFigs: 5 }],
  ['bbo', { coin: 'ETH' }],
  ['candle', { coin: 'ETH', interval: '1m' }],
  ['trades', { coin: 'ETH' }],
  ['activeAssetCtx', { coin: 'ETH' }],
  ['activeAssetData', { coin: 'ETH', user }],
  ['clearinghouseState', { user }],
  ['clearinghouseState', { user, dex: '' }],
  ['openOrders', { user }],
  ['twapStates', { user }],
  ['spotState', { user }],
  ['webData2', { user }],
  ['webData3', { user }],
  ['orderUpdates', { user }],
  ['userEvents', { user }],
  ['userFills', { user }],
  ['userFills', { user, aggregateByTime: true }],
  ['userFundings', { user }],
  ['userNonFundingLedgerUpdates', { user }],
  ['userHistoricalOrders', { user }],
  ['userTwapHistory', { user }],
  ['userTwapSliceFills', { user }],
]
const nameOf = ([type, fields]: readonly [string, object?]): string =>
  `${type} ${JSON.stringify(fields ?? {})}`

/** What the package gave its bot for each subscription, one socket for each. */
class Follower {
  readonly got = new Map<string, number>()
  readonly #transports: hl.WebSocketTransport[] = []

  async follow(url: string): Promise<void> {
    for (const way of ways) {
      const transport = new hl.WebSocketTransport({
        url,
        reconnect: { WebSocket: WebSocket as any },
      } as any)
      this.#transports.push(transport)
      const client: any = new hl.SubscriptionClient({ transport })
      const [type, fields] = way
      const listener = (): void => {
        this.got.set(nameOf(way), (this.got.get(nameOf(way)) ?? 0) + 1)
      }
      await (fields === undefined ? client[type](listener) : client[type](fields, listener))
    }
  }

  async close(): Promise<void> {
    for (const transport of this.#transports) await transport.close()
  }
}

test('a client hears through Guard whatever it hears from the venue, on every subscription', async () => {
  const { world, gateway } = served
  const [direct, through] = [new Follower(), new Follower()]
  await direct.follow(world.venue.simulator.wsUrl)
  await through.follow(`${gateway.url.replace('http', 'ws')}/ws`)
  await world.ask(orders(order(1, true, '4010', '0.1')))
  await world.venue.control('price', { coin: 'ETH', mid: '4001' })
  const names = ways.map(nameOf)
  await world.until(() => names.every((name) => direct.got.has(name)), 'the venue to tell')
  await world.until(() => names.every((name) => through.got.has(name)), 'Guard to tell')
  expect([...through.got.keys()].sort()).toEqual([...direct.got.keys()].sort())
  await Promise.all([direct.close(), through.close()])
})
