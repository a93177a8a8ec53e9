import { expect, test } from 'vitest'
import { benchSimulator, benchText } from '../bench.ts'
import { account, alice, d, eth, limit, oidOf, send, testVenue } from './venue.fixture.ts'

test('an account keeps its last 2000 order rows and 2000 fills', () => {
  const venue = testVenue([account(alice, '100000000')])
  const oids: number[] = []
  for (let n = 0; n < 2100; n++) {
    const side = n % 2 === 0 ? 'buy' : 'sell'
    const px = side === 'buy' ? '2100' : '1900'
    oids.push(oidOf(send(venue, alice, [limit(side, '0.01', px, { tif: 'Ioc' })])))
  }
  expect(venue.historicalOrders(alice)).toHaveLength(2000)
  expect(venue.fills(alice)).toHaveLength(2000)
  expect(venue.orderStatus(alice, oids[0] ?? 0)).toBeNull()
  expect(venue.orderStatus(alice, oids.at(-1) ?? 0)?.status).toBe('filled')
  expect(venue.recentTrades(eth).length).toBeLessThanOrEqual(100)
  expect(venue.cumulativeVolume(alice).gt(d('40000'))).toBe(true)
})

test('an open order is known however old it is', () => {
  const venue = testVenue([account(alice, '100000000')])
  const old = oidOf(send(venue, alice, [limit('buy', '0.01', '1900')]))
  for (let n = 0; n < 2100; n++) {
    send(venue, alice, [limit(n % 2 === 0 ? 'buy' : 'sell', '0.01', '2000', { tif: 'Alo' })])
    const [newest] = venue.openOrders(alice)
    const cancels = [{ asset: 1, oid: newest?.oid ?? 0 }]
    venue.apply(alice, { type: 'cancel', cancels })
  }
  expect(venue.orderStatus(alice, old)?.status).toBe('open')
})

test('the benchmark trades', () => {
  const result = benchSimulator(300)
  expect(result.accepted).toBe(300)
  expect(result.ordersPerSecond).toBeGreaterThan(0)
  expect(benchText(result).split('\n')).toHaveLength(2)
})
