import { expect, test } from 'vitest'
import { coin } from '../../src/core/values/coin.ts'
import { Decimal } from '../../src/core/values/decimal.ts'
import { loadCrypto } from '../../src/crypto/loadCrypto.ts'
import { createSimulator } from './createSimulator.ts'
import type { DexSpec } from './engine/venueConfig.ts'
import { demoUser, order, signed, stopChild } from './simulator.fixture.ts'

const startMs = 1_800_000_000_000
const crypto = await loadCrypto()

/** Two minutes of a moving venue with a trader on it: everything that left it, in order. */
function run(seed: number, dexes: readonly DexSpec[] = []): string[] {
  let now = startMs
  const told: string[] = []
  const simulator = createSimulator({ seed, weightLimit: null, dexes }, crypto, () => now)
  const connection = simulator.connect({
    ip: '10.0.0.1',
    isObserver: false,
    send: (text) => told.push(text),
    drop: () => told.push('dropped'),
  })
  for (const subscription of [
    { type: 'allMids' },
    { type: 'bbo', coin: 'ETH' },
    { type: 'trades', coin: 'ETH' },
    { type: 'userFills', user: demoUser },
    { type: 'clearinghouseState', user: demoUser },
    { type: 'allDexsAssetCtxs' },
  ]) {
    connection.receive(JSON.stringify({ method: 'subscribe', subscription }))
  }
  for (let step = 0; step < 480; step++) {
    now += 250
    simulator.advance()
    if (step % 60 !== 0) continue
    const action = order({ p: step % 120 === 0 ? '2700' : '2300', tif: 'Gtc' }, stopChild)
    simulator.http(
      {
        ...{ method: 'POST', url: '/exchange', contentType: 'application/json' },
        ...{ isObserver: false, ip: '10.0.0.1' },
        body: JSON.stringify(signed(action, { nonce: now })),
      },
      (reply) => told.push(reply?.body ?? 'no answer'),
    )
  }
  return told
}

test('the same seed and the same requests give the same answers and frames', () => {
  const first = run(5)
  expect(first.filter((text) => text.includes('"filled"')).length).toBeGreaterThan(0)
  expect(run(5)).toEqual(first)
  expect(run(6)).not.toEqual(first)
})

test('the same with builder dexes, which change nothing on the main one', () => {
  const market = { sizeDecimals: 3, maxLeverage: 20, mid: Decimal.of('400') }
  const dexes = [{ name: 'xyz', markets: [{ ...market, coin: coin('xyz:TSLA') }] }]
  const first = run(5, dexes)
  expect(run(5, dexes)).toEqual(first)
  expect(run(6, dexes)).not.toEqual(first)
  const trades = (told: readonly string[]): string[] =>
    told.filter((text) => text.includes('"trades"')).map((text) => text.replace(ids, ''))
  expect(trades(first)).toEqual(trades(run(5)))
})
/** Numbers and hashes of trades come from one source for all dexes. */
const ids = /"(hash|tid)":("[^"]*"|\d+)/g
