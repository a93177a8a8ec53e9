import { afterAll, beforeAll, expect, test } from 'vitest'
import { demoUser, marketBuy, order, stopChild, TestVenue } from '../simulator.fixture.ts'
import { everyQuestion, everyStream } from './everyQuestion.fixture.ts'
import { TypeJudge } from './typeJudge.fixture.ts'

let venue: TestVenue
beforeAll(async () => {
  venue = await TestVenue.start()
})
afterAll(() => venue.close())

const user = demoUser
const twap = { a: 1, b: true, s: '1', r: false, m: 5, t: false }
const cloid = '0x1234567890abcdef1234567890abcdef'

/** What a bot and its owner do in a day, one of each. */
const actions: readonly any[] = [
  { type: 'updateLeverage', asset: 1, isCross: false, leverage: 3 },
  marketBuy,
  { type: 'updateIsolatedMargin', asset: 1, isBuy: true, ntli: 1_000_000 },
  order({ p: '2400', c: cloid }, stopChild),
  order({ p: '2600', tif: 'Alo' }),
  { type: 'order', orders: [stopChild], grouping: 'positionTpsl' },
  { type: 'batchModify', modifies: [{ oid: cloid, order: order({ p: '2401' }).orders[0] }] },
  { type: 'cancelByCloid', cancels: [{ asset: 1, cloid }] },
  { type: 'cancel', cancels: [{ a: 1, o: 5 }] },
  { type: 'twapOrder', twap },
  { type: 'twapCancel', a: 1, t: 5 },
  { type: 'scheduleCancel' },
  { type: 'noop' },
  { type: 'setReferrer', code: 'CODE' },
  { type: 'reserveRequestWeight', weight: 1 },
  { type: 'createSubAccount', name: 'grid' },
  { type: 'spotUser', toggleSpotDusting: { optOut: true } },
  { type: 'agentSetAbstraction', abstraction: 'p' },
]

test('every answer and frame fits the types of the most complete client', async () => {
  await venue.freeze({ spot: [{ coin: 'HYPE', total: '10' }] })
  const judge = new TypeJudge()
  const socket = await venue.open()
  for (const stream of everyStream(user)) socket.subscribe(stream)
  for (const action of actions) {
    const { json } = await venue.exchange(action)
    judge.exchange(action.type, json)
  }
  for (const action of [
    { type: 'cDeposit', wei: 100_000_000 },
    { type: 'usdClassTransfer', amount: '100', toPerp: false },
    { type: 'borrowLend', operation: 'supply', token: 0, amount: '30' },
  ]) {
    await venue.control('act', { user, action })
  }
  await venue.control('flow', { user, amount: '25' })
  await venue.control('price', { coin: 'ETH', mid: '2490.05' })
  await venue.control('clock', { advance_ms: 3_600_000 })
  for (const question of everyQuestion(user)) {
    judge.info(question['type'], await venue.info(question))
  }
  for (const { order: each } of await venue.info({ type: 'historicalOrders', user })) {
    judge.info('orderStatus', await venue.info({ type: 'orderStatus', user, oid: each.oid }))
  }
  await socket.settled()
  for (const frame of socket.frames) judge.frame(frame)
  expect(judge.methods.length).toBeGreaterThan(100)
  expect(judge.violations()).toEqual([])
}, 60_000)

test('an answer with a field too many, too few or of another form is found', () => {
  const judge = new TypeJudge()
  const fill = { user, fills: [], isSnapshot: true }
  judge.frame({ channel: 'userFills', data: fill })
  judge.frame({ channel: 'userFills', data: { ...fill, extra: 1 } })
  judge.frame({ channel: 'userFills', data: { user } })
  judge.info('exchangeStatus', { time: '1', specialStatuses: null })
  expect(judge.violations().map((each) => each.split(':')[0])).toEqual([
    'subscription userFills',
    'subscription userFills',
    'info exchangeStatus',
  ])
}, 60_000)
