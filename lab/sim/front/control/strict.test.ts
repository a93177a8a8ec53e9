import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { demoUser, stranger, TestVenue } from '../../simulator.fixture.ts'

let venue: TestVenue
beforeAll(async () => {
  venue = await TestVenue.start()
})
beforeEach(() => venue.freeze())
afterAll(() => venue.close())

const refusal = async (path: string, body: unknown): Promise<unknown> => {
  const { status, json } = await venue.send('POST', `/sim/${path}`, body)
  expect(status).toBe(400)
  return json.error
}

test('of an allowance only what is given changes', async () => {
  const limit = () => venue.info({ type: 'userRateLimit', user: demoUser })
  expect(await venue.control('allowance', { user: demoUser, cap: 5 })).toEqual({
    ...{ user: demoUser, cap: 5, used: 0, daily_actions: 0 },
  })
  await venue.control('allowance', { user: demoUser, used: 7 })
  expect(await limit()).toMatchObject({ nRequestsUsed: 7, nRequestsCap: 5 })
  expect(await refusal('allowance', { user: stranger, cap: 5 })).toBe(
    `user: there is no account ${stranger}`,
  )
})

test('an account does not begin with a debt', async () => {
  const accounts = [{ address: demoUser, equity: '-5' }]
  expect(await refusal('reset', { accounts })).toBe(
    'accounts[0].equity must not be negative, got -5',
  )
})

test('a mode that was never set', async () => {
  const mode = () => venue.info({ type: 'userAbstraction', user: demoUser })
  expect(await mode()).toBe('disabled')
  await venue.control('mode', { user: demoUser, mode: 'unifiedAccount' })
  expect((await venue.control('mode', { user: demoUser, mode: 'default' })).mode).toBe('default')
  expect(await mode()).toBe('default')
})

test.each([
  [[5], 'patch[0] must be an object'],
  [
    [
      { op: 'replace', path: '/a', value: 1 },
      { op: 'set', path: '/a' },
    ],
    'patch[1].op must be one',
  ],
  [[{ op: 'remove', path: 'a' }], 'patch[0].path must be empty or begin with a slash'],
  [[{ op: 'move', path: '/a' }], 'patch[0].from must be'],
  [[{ op: 'add', path: '/a' }], 'patch[0].value must be given'],
])('a lie that is no patch is refused: %j', async (patch, error) => {
  const fault = { where: 'info', kind: 'lie', match: { type: 'allMids' }, patch }
  expect(await refusal('fault', fault)).toContain(error)
})

test("the price of a builder dex's market is answered with its mid", async () => {
  const market = { name: 'TSLA', szDecimals: 3, maxLeverage: 20, mid: '400' }
  await venue.control('reset', { frozen: true, dexes: [{ name: 'xyz', markets: [market] }] })
  expect(await venue.control('price', { coin: 'xyz:TSLA', mid: '410' })).toMatchObject({
    ...{ coin: 'xyz:TSLA', mid: '410' },
  })
})

test('an action of no known type is told those there are', async () => {
  const error = await refusal('act', { user: demoUser, action: { type: 'ordr' } })
  expect(error).toContain('action.type must be one of order,')
})
