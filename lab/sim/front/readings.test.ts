import { afterEach, describe, expect, test } from 'vitest'
import { demoUser, order, TestVenue } from '../simulator.fixture.ts'

let venue: TestVenue
afterEach(() => venue.close())

const abstraction = (user: string): Promise<unknown> =>
  venue.info({ type: 'userAbstraction', user })

describe('an account that has never set its mode', () => {
  test.each([
    ['default', 'default'],
    ['null', null],
  ] as const)('%s', async (neverSetMode, told) => {
    venue = await TestVenue.start({ options: { neverSetMode } })
    await venue.freeze({ mode: 'default' })
    expect(await abstraction(demoUser)).toBe(told)
    const socket = await venue.open()
    socket.subscribe({ type: 'webData3', user: demoUser })
    const { data } = await socket.onChannel('webData3')
    expect(data.userState).not.toHaveProperty('abstraction')
    const unified = { type: 'agentSetAbstraction', abstraction: 'u' }
    await venue.exchange(unified)
    expect(await abstraction(demoUser)).toBe('unifiedAccount')
  })

  test('one that set it to standard is disabled', async () => {
    venue = await TestVenue.start()
    await venue.freeze({ mode: 'disabled' })
    expect(await abstraction(demoUser)).toBe('disabled')
  })
})

describe('an action that is answered with 429', () => {
  test.each([
    ['false', [0, 0]],
    ['random', [1, 1]],
  ] as const)('%s', async (http429_executes, counts) => {
    venue = await TestVenue.start({ options: { http429_executes }, weightLimit: 1 })
    await venue.freeze()
    const open = async (): Promise<number> => (await venue.state()).openOrders.length
    await venue.fault({ where: 'exchange', kind: 'http_429' })
    const seen: number[] = []
    // The first meets the fault and takes the minute's weight, the second has none left.
    for (const p of ['2400', '2401']) {
      expect((await venue.exchange(order({ p }))).status).toBe(429)
      seen.push(await open())
    }
    expect(seen).toEqual(counts)
  })
})

test.each([
  ['refuse', 'err'],
  ['ignore', 'ok'],
] as const)('vaultAddress on an action without a place for it: %s', async (reading, status) => {
  venue = await TestVenue.start({ options: { vaultOnOtherActions: reading } })
  await venue.freeze()
  const vaultAddress = `0x${'77'.repeat(20)}`
  expect((await venue.exchange({ type: 'noop' }, { vaultAddress })).json.status).toBe(status)
  expect((await venue.exchange(order({}), { vaultAddress })).json).toEqual({
    status: 'err',
    response: `Vault not registered: ${vaultAddress}`,
  })
})

test.each([10, 15])('an IP may follow %i accounts', async (most) => {
  venue = await TestVenue.start({ options: { ws_max_users: most }, weightLimit: 1_000_000 })
  const socket = await venue.open()
  for (let at = 0; at <= most; at++) {
    const user = `0x${at.toString(16).padStart(40, '0')}`
    socket.subscribe({ type: 'orderUpdates', user })
  }
  const refused = await socket.onChannel('error')
  expect(refused.data).toBe(`Cannot track more than ${String(most)} total users.`)
  expect(socket.frames.filter(({ channel }) => channel === 'subscriptionResponse')).toHaveLength(
    most,
  )
})

test.each([
  ['allow', 'ok'],
  ['refuse', 'err'],
] as const)('requests that an agent buys: %s', async (agentBuysRequests, status) => {
  venue = await TestVenue.start({ options: { agentBuysRequests } })
  await venue.control('reset', {
    frozen: true,
    accounts: [{ address: `0x${'0a'.repeat(20)}`, equity: '10', agents: [demoUser] }],
  })
  const bought = await venue.exchange({ type: 'reserveRequestWeight', weight: 10 })
  expect(bought.json.status).toBe(status)
})

test.each([
  ['none', 3],
  [2, 2],
] as const)('at most %s rows of frontendOpenOrders', async (frontendRowsMax, count) => {
  venue = await TestVenue.start()
  await venue.freeze()
  await venue.control('options', { frontendRowsMax })
  for (const p of ['2400', '2401', '2402']) await venue.exchange(order({ p }))
  expect(await venue.info({ type: 'frontendOpenOrders', user: demoUser })).toHaveLength(count)
  expect(await venue.info({ type: 'openOrders', user: demoUser })).toHaveLength(3)
})
