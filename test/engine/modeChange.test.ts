import { afterEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/protocol/action.ts'
import { Decimal } from '../../src/core/values/decimal.ts'
import { ok } from '../../src/core/values/result.ts'
import { accountAddress, order, orders, reduceOnly, World } from './world.fixture.ts'
import { accountInside } from './insideGuard.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

const quick = { options: { accountMs: 200 } }
const status = () => world.guard.status()
const alerts = (code: string) => status().alerts.filter((alert) => alert.code === code)
const leverage = (isCross: boolean, value: number, asset = 1) => ({
  ...{ type: 'updateLeverage', asset, isCross, leverage: value },
})
const entry = (size = '1') => world.ask(orders(order(2, true, '201', size)))
/** A read that the whole of the account needs fails, so that nothing can agree. */
const unread = { where: 'info', kind: 'http_500', match: { type: 'frontendOpenOrders' }, count: 0 }
const mode = (abstraction: string): JsonObject => ({
  ...{ type: 'userSetAbstraction', user: accountAddress, abstraction },
})

async function expectFrozen(why: RegExp): Promise<void> {
  await world.until(() => !status().entries.pass, 'entries to stop')
  await world.event('error', ({ text }) => why.test(text))
  expect(await entry()).toMatchObject({ code: 'account_unknown' })
  expect(status().entries.pass).toBe(false)
}

async function expectGoingOn(): Promise<void> {
  await world.venue.send('DELETE', '/sim/fault')
  await world.until(() => status().entries.pass, 'entries to pass again')
  expect((await entry()).status).toBe('ok')
}

describe('a change of the account at the venue freezes entries until all of it was read', () => {
  test('its mode, told by the form of its balance before any read of the mode', async () => {
    world = await World.start({ simulator: quick })
    await world.venue.fault(unread)
    const reply = await world.outside(mode('unifiedAccount'))
    expect(reply).toMatchObject({ status: 'ok' })
    await expectFrozen(/^the account's balance is told in the form of another mode: standard, now/)
    await expectGoingOn()
    expect(accountInside(world.guard).mode).toBe('unifiedAccount')
  })

  test("a coin's margin, and not what a bot sets through Guard", async () => {
    world = await World.start({ rules: { margin: 'cross' }, simulator: quick })
    expect((await entry()).status).toBe('ok')
    expect((await world.ask(leverage(false, 2))).status).toBe('ok')
    await world.ask(orders(order(1, true, '3900', '0.1', { t: { limit: { tif: 'Gtc' } } })))
    await world.until(() => status().open_orders > 0, 'the entry')
    expect(status().entries).toEqual({ pass: true, reason: null })
    world.machine.passedMs += 3_001
    await world.until(() => status().entries.pass, 'a fresh account')
    await world.venue.fault(unread)
    await world.outside(leverage(true, 10))
    await expectFrozen(/^ETH was set from isolated to cross margin at the venue/)
    await expectGoingOn()
  })
})

test('portfolio margin: the mode is named, exits pass, and half of it used is an alert', async () => {
  const account = { equity: '4000', mode: 'portfolioMargin' }
  world = await World.start({ simulator: quick, account })
  await world.outside(leverage(true, 25))
  await world.outside(orders(order(1, true, '4010', '20')))
  await world.until(() => status().positions[0]?.covered === true, 'covered')
  const refused = await entry()
  expect(refused).toMatchObject({ code: 'account_unknown' })
  expect(JSON.stringify(refused)).toMatch(/mode portfolioMargin/)
  expect(alerts('portfolio_margin')).toEqual([])
  await world.venue.control('price', { coin: 'ETH', mid: '3950' })
  await world.until(() => alerts('portfolio_margin').length === 1, 'the alert')
  expect(alerts('portfolio_margin')[0]?.text).toMatch(/mode portfolioMargin, and \d\d\.\d% /)
  const exit = await world.ask(orders(order(1, false, '3930', '15', reduceOnly)))
  expect(exit.status).toBe('ok')
  await world.until(() => alerts('portfolio_margin').length === 0, 'the alert to end')
})

describe('a change of the mode is no loss', () => {
  const pooled = { ...unread, match: { type: 'userAbstraction' } }
  const all = { where: 'info', kind: 'http_500', count: 0 }
  test.each([
    ['portfolioMargin', null],
    ['unifiedAccount', null],
    ['unifiedAccount', all],
    ['unifiedAccount', pooled],
  ])('to %s, with reads failing as in %j', async (to, fault) => {
    const account = { equity: '20000' }
    world = await World.start({ rules: { margin: 'cross' }, simulator: quick, account })
    expect((await entry()).status).toBe('ok')
    await world.until(() => status().positions[0]?.covered === true, 'covered')
    if (fault !== null) await world.venue.fault(fault)
    await world.outside(mode(to))
    await world.event('error', ({ text }) => /another mode|mode was changed/.test(text))
    await pass(12_000)
    expect(status().risk.state).toBe('active')
    expect(status().positions).toHaveLength(1)
    const isKnown = to === 'unifiedAccount' && fault === null
    expect(await entry()).toMatchObject({ status: isKnown ? 'ok' : 'err' })
    if (to === 'portfolioMargin') {
      await world.until(() => /mode portfolioMargin/.test(status().entries.reason ?? ''), 'named')
    }
  })
})

describe('an account whose mode the venue does not name, since it was never set', () => {
  const quickly = { options: { accountMs: 200, neverSetMode: 'null' } } as const
  const account = { equity: '20000', mode: 'default' }

  test('serves exits, opens nothing, and is one like any other once its mode is set', async () => {
    world = await World.start({ simulator: quickly, account })
    expect(await entry()).toMatchObject({ code: 'account_unknown' })
    await world.outside(orders(order(1, true, '4010', '0.1')))
    await world.until(() => status().positions[0]?.covered === true, 'covered')
    const exit = await world.ask(orders(order(1, false, '3930', '0.1', reduceOnly)))
    expect(exit.status).toBe('ok')
    await world.outside(mode('unifiedAccount'))
    await world.until(() => status().account_mode === 'unifiedAccount', 'the mode')
    await expectGoingOn()
  })

  test('is read as unified where its balance has that form', async () => {
    world = await World.stopped({ account: { ...account, mode: 'unifiedAccount' } })
    await world.startGuard((venue) => ({
      exchange: venue.exchange,
      info: async (request, lane) => {
        const { type } = request as { readonly type: string }
        const isMode = type === 'userAbstraction'
        return isMode ? ok({ status: 200, body: null }) : await venue.info(request, lane)
      },
    }))
    expect((await entry()).status).toBe('ok')
    expect(status().account_mode).toBe('unifiedAccount')
  })
})

/** As much time passes, and the venue tells the account anew. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 3_000) {
    const { last_message_ms: before } = status().venue
    await world.until(() => status().venue.last_message_ms !== before, 'another look')
    world.machine.passedMs += 3_000
    const guard = world.guard as unknown as { tick(): void }
    guard.tick()
  }
}

describe('an equity that nobody can tell', () => {
  test('is no figure, and is told; what positions lose meanwhile halts all the same', async () => {
    const rules = { margin: 'cross', dailyLossStop: Decimal.of('0.005') } as const
    world = await World.start({ rules, simulator: quick, account: { equity: '20000' } })
    expect((await entry('30')).status).toBe('ok')
    await world.until(() => status().positions[0]?.covered === true, 'covered')
    await world.outside(mode('portfolioMargin'))
    await world.until(() => alerts('equity_unknown').length === 1, 'the alert')
    expect(alerts('equity_unknown')[0]?.text).toMatch(/cannot be known: .* mode portfolioMargin/)
    expect(status().risk).toMatchObject({ equity: null, daily_loss: null, drawdown: null })
    expect(await entry()).toMatchObject({ code: 'account_unknown' })
    await pass(30_000)
    expect(status().risk.state).toBe('active')
    await world.venue.control('price', { coin: 'SOL', mid: '196.4' })
    await pass(15_000)
    await world.until(() => status().risk.state === 'halted_for_day', 'the halt')
    await world.event('flatten')
    await world.until(() => status().positions.length === 0, 'flat')
  })

  test('from the first look on is told as well, and nothing is known that could halt', async () => {
    const account = { equity: '20000', mode: 'portfolioMargin' }
    world = await World.start({ simulator: quick, account })
    await world.until(() => alerts('equity_unknown').length === 1, 'the alert')
    expect(status().risk).toMatchObject({ day_start_equity: null, daily_loss: null })
    await world.outside(mode('unifiedAccount'))
    await world.until(() => status().risk.daily_loss === '0', 'the equity')
    await world.until(() => alerts('equity_unknown').length === 0, 'the alert to end')
    expect(status().risk).toMatchObject({ day_start_equity: '20000', equity: '20000' })
  })
})

describe('what a change of the mode moves is neither profit nor loss', () => {
  const usdc = { spot: [{ coin: 'USDC', total: '5000' }] }
  test.each<[string, JsonObject, string, string]>([
    ['standard to unified', { mode: 'disabled', ...usdc }, 'unifiedAccount', '15000'],
    ['unified to standard', { mode: 'unifiedAccount' }, 'disabled', '10000'],
    ['over a mode without an equity', { mode: 'disabled', ...usdc }, 'portfolioMargin', '15000'],
  ])('%s', async (_, account, to, equity) => {
    world = await World.start({ simulator: quick, account })
    expect((await entry()).status).toBe('ok')
    await world.until(() => status().positions[0]?.covered === true, 'covered')
    await world.outside(mode(to))
    await world.event('error', ({ text }) => /mode was changed/.test(text))
    if (to === 'portfolioMargin') await world.outside(mode('unifiedAccount'))
    await world.until(() => status().risk.equity !== null && status().entries.pass, 'the equity')
    const { risk } = status()
    expect(Number(risk.equity)).toBeCloseTo(Number(equity), -1)
    expect(Math.abs(Number(risk.day_start_equity) - Number(equity))).toBeLessThan(5)
    expect(Math.abs(Number(risk.daily_loss))).toBeLessThan(0.001)
  })
})
