import { afterAll, beforeAll, expect, test } from 'vitest'
import { demoUser, ethAsset, order, stopChild, TestVenue } from './simulator.fixture.ts'

/** Every limit of the venue, on a simulator as it is by default, in the venue's own words. */
interface Limit {
  readonly what: string
  readonly account?: { readonly [key: string]: unknown }
  readonly before?: () => Promise<unknown>
  readonly action: any
  readonly signing?: () => object
  readonly said: string | RegExp
}

const eth = (szi: string) => ({
  positions: [{ coin: 'ETH', szi, leverage: { type: 'cross', value: 20 } }],
})
const rich = { equity: '1000000000' }
const resting = (count: number) =>
  Array.from({ length: count }, () => ({
    ...{ a: ethAsset, b: true, p: '2000', s: '0.01', r: false, t: { limit: { tif: 'Gtc' } } },
  }))
const stop = { type: 'order', orders: [stopChild], grouping: 'na' }
const tooMany = /^Too many cumulative requests sent \(10002 > 10000\) for cumulative volume traded/
const largest = 'Order value exceeds the maximum for this asset. asset=1'

const limits: readonly Limit[] = [
  {
    what: '1,000 open orders refuse a stop',
    account: { equity: '1000000', ...eth('1'), orders: resting(1_000) },
    action: stop,
    said: 'Too many open orders asset=1',
  },
  {
    what: '1,000 open orders refuse a reduce-only close',
    account: { equity: '1000000', ...eth('1'), orders: resting(1_000) },
    action: order({ b: false, p: '2400', tif: 'Ioc', s: '1', r: true }),
    said: 'Too many open orders asset=1',
  },
  {
    what: 'the largest market order of a coin with 25 times leverage',
    account: rich,
    action: order({ p: '2500', tif: 'Ioc', s: '12001' }),
    said: largest,
  },
  {
    what: 'a limit order of more than ten times that',
    account: rich,
    action: order({ p: '2400', s: '125001' }),
    said: largest,
  },
  {
    what: 'the band around the reference price refuses the whole action',
    action: { ...order({}), orders: [...order({}).orders, ...order({ p: '400' }).orders] },
    said: 'Order price cannot be more than 80% away from the reference price',
  },
  {
    what: 'the minimum value',
    action: order({ p: '2400', s: '0.004' }),
    said: 'Order must have minimum value of $10. asset=1',
  },
  {
    what: 'the grid',
    action: order({ p: '2400.55' }),
    said: 'Price must be divisible by tick size. asset=1',
  },
  {
    what: 'the lot',
    action: order({ s: '0.12345' }),
    said: 'Order has invalid size. asset=1',
  },
  {
    what: 'a reduce-only order that would not reduce',
    action: order({ b: false, p: '2400', r: true }),
    said: 'Reduce only order would increase position. asset=1',
  },
  {
    what: '200 entries in an action',
    action: { type: 'order', orders: resting(201), grouping: 'na' },
    said: 'Signed action over weight limit of 200.',
  },
  {
    what: 'the actions of a lifetime',
    account: { allowance: { cap: 10_000, used: 10_000 } },
    // One request still passes every ten seconds.
    before: () => venue.exchange(order({})),
    action: order({}),
    said: tooMany,
  },
  {
    what: 'the actions of a day of a unified account',
    account: { mode: 'unifiedAccount', daily_actions: 50_000 },
    action: order({}),
    said: 'Too many user actions',
  },
  {
    what: 'an action that has expired',
    action: order({}),
    signing: () => ({ expiresAfter: Date.now() - 1_000 }),
    said: 'Action already expired',
  },
  {
    what: 'a nonce that is too low',
    action: order({}),
    signing: () => ({ nonce: Date.now() - 3 * 86_400_000 }),
    said: /^Invalid nonce: /,
  },
  {
    what: 'a nonce that is too high',
    action: order({}),
    signing: () => ({ nonce: Date.now() + 2 * 86_400_000 }),
    said: /^Invalid nonce: /,
  },
]

let venue: TestVenue
beforeAll(async () => {
  venue = await TestVenue.start({ weightLimit: 1_200 })
})
afterAll(() => venue.close())

function wordsOf(json: any): string {
  if (json.status === 'err') return json.response
  const [first] = json.response.data.statuses.filter(({ error }: any) => error !== undefined)
  return first?.error ?? JSON.stringify(json)
}

test.each(limits)('$what', async ({ account, before, action, signing, said }) => {
  await venue.freeze(account)
  await before?.()
  const { json } = await venue.exchange(action, signing?.())
  if (typeof said === 'string') expect(wordsOf(json)).toBe(said)
  else expect(wordsOf(json)).toMatch(said)
})

test('newer reduce-only orders end older ones where they exceed the position together', async () => {
  await venue.freeze(eth('1'))
  for (const p of ['2600', '2601']) await venue.exchange(order({ b: false, p, s: '1', r: true }))
  const { openOrders } = await venue.state()
  expect(openOrders.map(({ limitPx }: any) => limitPx)).toEqual(['2601.0'])
})

test('1,200 request weight a minute', async () => {
  await venue.freeze()
  const statuses: number[] = []
  for (let at = 0; at < 61; at++) {
    const { status } = await venue.send('POST', '/info', {
      type: 'frontendOpenOrders',
      user: demoUser,
    })
    statuses.push(status)
  }
  expect(statuses.lastIndexOf(200)).toBe(59)
  expect(statuses[60]).toBe(429)
})
