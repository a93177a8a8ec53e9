import { beforeEach, describe, expect, test } from 'vitest'
import type { Gateway } from '../../src/gateway/gatewayOptions.ts'
import type { SlidingWeightBudget } from '../../src/venue/weightBudget.ts'
import { accountAddress, gtc, order, orders, reduceOnly } from '../engine/world.fixture.ts'
import type { World } from '../engine/world.fixture.ts'
import { serve } from './served.fixture.ts'
import type { Served } from './served.fixture.ts'

let world: World
let gateway: Gateway
let budget: SlidingWeightBudget
let post: Served['post']

beforeEach(async () => {
  // So little that a test can use it up.
  const served = await serve(1_000)
  world = served.world
  gateway = served.gateway
  budget = served.budget
  post = served.post
  return served.close
})

/** The same read through Guard and from the venue itself, without the moments they were told at. */
async function bothWays(request: object): Promise<[unknown, unknown]> {
  const through = await (await post('/info', request)).json()
  const direct = await world.venue.info(request, { 'X-Sim-Observer': '1' })
  return [withoutTime(through), withoutTime(direct)]
}

const withoutTime = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, each) => (key === 'time' ? null : each)))

const user = accountAddress
const reads = [
  { type: 'clearinghouseState', user },
  { type: 'clearinghouseState', user, dex: '' },
  { type: 'spotClearinghouseState', user },
  { type: 'openOrders', user },
  { type: 'frontendOpenOrders', user },
  { type: 'userFills', user },
  { type: 'activeAssetData', user, coin: 'ETH' },
  { type: 'userAbstraction', user },
]

describe('a read of the account', () => {
  test('right after every trade is what the venue says, whoever answers it', async () => {
    // With ids of the bot's own: the ones that Guard gives are not shown (givenIds.test.ts).
    const named = (n: number): { c: string } => ({ c: `0x${String(n).padStart(32, '0')}` })
    const trades = [
      orders(order(1, true, '4010', '0.2', named(1))),
      orders(order(1, true, '3990', '0.1', { ...gtc, ...named(2) })),
      orders(order(1, false, '3900', '0.1', { ...reduceOnly, ...named(3) })),
      { type: 'updateLeverage', asset: 0, isCross: false, leverage: 2 },
    ]
    for (const trade of trades) {
      expect(await (await post('/exchange', world.sign(trade))).json()).toMatchObject({
        status: 'ok',
      })
      for (const request of reads) {
        const [through, direct] = await bothWays(request)
        expect([request, through]).toEqual([request, direct])
      }
    }
  })

  test('costs no request weight while the live model has it', async () => {
    await post('/exchange', world.sign(orders(order(1, true, '4010', '0.2'))))
    const own = { type: 'clearinghouseState', user }
    await world.until(async () => {
      const before = budget.used()
      await post('/info', own)
      return budget.used() === before
    }, 'an answer from the live model')
    const [through, direct] = await bothWays(own)
    expect(through).toEqual(direct)
  })

  test('of somebody else is never answered from it, and every one is asked for', async () => {
    const other = { type: 'clearinghouseState', user: '0x00000000000000000000000000000000000000cc' }
    for (let asked = 1; asked <= 3; asked += 1) {
      const [through, direct] = await bothWays(other)
      expect(through).toEqual(direct)
      expect(budget.used()).toBe(2 * asked)
    }
  })
})

test('reads beyond their share of the weight are 429, and come again; orders still go', async () => {
  const request = { type: 'userFees', user }
  const answers: Response[] = []
  while (answers.at(-1)?.status !== 429 && answers.length < 100) {
    answers.push(await post('/info', request))
  }
  const refused = answers.at(-1)
  expect(answers).toHaveLength(Math.floor(700 / 20) + 1)
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await refused?.json()).toMatchObject({ error: { code: 'rate_limited' } })
  const reply = await post('/exchange', world.sign(orders(order(1, true, '4010', '0.1'))))
  expect(await reply.json()).toMatchObject({ status: 'ok' })
})

test('what is refused without a client is limited, and each that is not shed has one event', async () => {
  const answers = await Promise.all(
    Array.from({ length: 400 }, (_, at) => post('/exchange', at % 2 === 0 ? '{' : 'not json')),
  )
  const shed = answers.filter(({ status }) => status === 429)
  const refused = answers.filter(({ status }) => status === 200)
  expect(refused.length).toBeGreaterThanOrEqual(200)
  expect(shed.length).toBeGreaterThan(0)
  expect(shed.length + refused.length).toBe(400)
  for (const each of shed) expect(each.headers.get('retry-after')).toBe('1')
  expect(await refused[0]?.json()).toMatchObject({ status: 'err', code: 'malformed' })
  await world.until(() => world.events('decision').length === refused.length, 'one event each')
  const signed = await post('/exchange', world.sign(orders(order(1, true, '4010', '0.1'))))
  expect(await signed.json()).toMatchObject({ status: 'ok' })
  // Once a minute what was shed is counted, in one event.
  for (let minute = 0; minute < 2; minute += 1) world.fire(60_000)
  const told = `${shed.length} requests without a client were shed in the last minute (HTTP 429)`
  await world.event('error', ({ text }) => text === told)
  expect(world.events('error')).toHaveLength(1)
})

test('doubled slashes are one', async () => {
  const body = JSON.stringify(world.sign(orders(order(1, true, '4010', '0.1'))))
  expect(await (await post('//exchange', body)).json()).toMatchObject({ status: 'ok' })
  expect((await post('//info', { type: 'allMids' })).status).toBe(200)
  expect((await fetch(`${gateway.url}//guard//status`)).status).toBe(200)
})

test('a risk event follows the start, once, when the account has first been seen', async () => {
  expect(await world.event('risk')).toMatchObject({
    seq: 2,
    state: 'active',
    detail: null,
    equity: '10000',
    open_positions: 0,
    discrepancies: [],
    journal_error: null,
  })
  expect(world.events().map(({ kind }) => kind)).toEqual(['started', 'risk'])
})
