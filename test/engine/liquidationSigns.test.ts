import { afterEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/protocol/action.ts'
import { Decimal } from '../../src/core/values/decimal.ts'
import { order, orders, reduceOnly, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

const quick = { options: { accountMs: 200 } }
const status = () => world.guard.status()
const alerts = (code: string) => status().alerts.filter((alert) => alert.code === code)
const entry = () => world.ask(orders(order(2, true, '201', '1')))
const leverage = (isCross: boolean, value: number, asset = 1) => ({
  ...{ type: 'updateLeverage', asset, isCross, leverage: value },
})
/** Reads of the account are not answered, so that nothing can agree. */
const unread = { where: 'info', kind: 'http_500', match: { type: 'frontendOpenOrders' }, count: 0 }
const faulty = async (...faults: readonly JsonObject[]) => {
  for (const fault of faults) await world.venue.fault(fault)
}
const mended = async () => {
  await world.venue.send('DELETE', '/sim/fault')
}

/** A position made by hand with little margin, which Guard cannot cover. */
async function exposed(isCross: boolean, size: string): Promise<void> {
  // No loss halts: what is left of the account goes on trading.
  const loose = { dailyLossStop: Decimal.one, drawdownHalt: Decimal.one }
  world = await World.start({ rules: { margin: 'cross', ...loose }, simulator: quick })
  await entry()
  await world.until(() => status().positions[0]?.covered === true, 'covered')
  await faulty({ where: 'exchange', kind: 'http_500', match: { type: 'order' }, count: 0 })
  await world.outside(leverage(isCross, 25))
  await world.outside(orders(order(1, true, '4010', size)))
  await world.until(() => status().positions.some(({ coin }) => coin === 'ETH'), 'the position')
}

async function expectNothingOpens(): Promise<void> {
  await world.until(() => !status().entries.pass, 'entries to stop')
  expect(status().entries.reason).toMatch(/the whole account is being read anew$/)
  expect(await entry()).toMatchObject({ code: 'account_unknown' })
}

async function expectStopped(): Promise<void> {
  await expectNothingOpens()
  // What reduces risk passes meanwhile.
  const exit = await world.ask(orders(order(2, false, '199', '0.1', reduceOnly)))
  expect(exit.status).toBe('ok')
}

async function expectGoingOn(): Promise<void> {
  await world.until(() => status().entries.pass, 'entries to pass again')
  await world.until(() => status().positions.every(({ covered }) => covered), 'all covered')
}

describe.each([
  ['an isolated position', false, '1', '3800'],
  ['the cross positions', true, '24', '3650'],
] as const)('a liquidation of %s', (_, isCross, size, price) => {
  test('stops entries until a full read agrees, and is told', async () => {
    await exposed(isCross, size)
    await faulty(unread)
    await world.venue.control('price', { coin: 'ETH', mid: price })
    await world.until(() => alerts('liquidated').length > 0, 'the alert')
    await expectNothingOpens()
    await mended()
    expect(alerts('liquidated')).toContainEqual(
      expect.objectContaining({ coin: 'ETH', text: expect.stringMatching(/^ETH: the venue liq/) }),
    )
    await world.event('error', ({ text }) => /^ETH: the venue liquidated/.test(text))
    // The liquidator takes the isolated one over; what the book takes has no row in the ledger.
    if (!isCross) await world.event('error', ({ text }) => /ledger tells of a liquid/.test(text))
    await expectGoingOn()
    // The alert stays for an hour after the last sign.
    expect(alerts('liquidated').length).toBeGreaterThan(0)
    world.machine.passedMs += 3_600_000
    await world.until(() => alerts('liquidated').length === 0, 'the alert to end')
  })
})

test('a position that grows without a fill is read anew, and told when no fill comes', async () => {
  world = await World.start({ simulator: quick })
  await entry()
  await world.until(() => status().positions[0]?.covered === true, 'covered')
  const lie = { kind: 'lie', count: 0 }
  const state = (await world.venueState()).clearinghouseState
  const [held] = state.assetPositions
  const grown = [{ ...held, position: { ...held.position, szi: '3.0' } }]
  await faulty(
    {
      where: 'info',
      match: { type: 'clearinghouseState' },
      ...lie,
      patch: { assetPositions: grown },
    },
    {
      ...{ where: 'ws', match: { type: 'clearinghouseState' }, ...lie },
      patch: { clearinghouseState: { assetPositions: grown } },
    },
    unread,
  )
  await world.until(() => status().positions[0]?.size === '3', 'the larger position')
  expect(status().entries.pass).toBe(true)
  world.machine.passedMs += 2_000
  await expectStopped()
  expect(alerts('liquidated')).toEqual([])
  world.machine.passedMs += 8_000
  await world.until(() => alerts('liquidated').length === 1, 'the alert')
  expect(alerts('liquidated')[0]).toMatchObject({ coin: 'SOL' })
})
