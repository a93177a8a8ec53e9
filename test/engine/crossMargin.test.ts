import { afterEach, describe, expect, test } from 'vitest'
import { Decimal } from '../../src/core/values/decimal.ts'
import { gtc, order, orders, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

const rules = { margin: 'cross' } as const
const quick = { options: { accountMs: 200 } }
const status = () => world.guard.status()
const leverage = (isCross: boolean, value: number, asset = 1) => ({
  ...{ type: 'updateLeverage', asset, isCross, leverage: value },
})
const decisions = async () => await world.event('decision')

describe.each(['default', 'unifiedAccount'] as const)('cross margin on a %s account', (mode) => {
  test('the first entry on a coin that nobody has touched goes as the coin is set', async () => {
    world = await World.start({ rules, simulator: quick, account: { mode } })
    const reply = await world.ask(orders(order(1, true, '4010', '0.2')))
    expect(reply.status).toBe('ok')
    expect((await decisions()).pre).toEqual([])
    await world.until(() => status().positions[0]?.covered === true, 'covered')
    expect(status().positions[0]).toMatchObject({ coin: 'ETH', margin: 'cross', leverage: 20 })
    await world.until(() => status().alerts.length === 0, 'no alert')
    // 0.2 ETH of 10,000 USD: less than zero is left of its price when that is used up.
    expect(status()).toMatchObject({ account_mode: mode, cross: { value: '800' } })
    expect(Number(status().cross?.distance)).toBeGreaterThan(12)
  })

  test('a bot sets cross margin and trades on it; the mode of a position stays', async () => {
    world = await World.start({ rules, simulator: quick, account: { mode } })
    expect((await world.ask(leverage(true, 10))).status).toBe('ok')
    expect((await world.ask(leverage(true, 1000))).code).toBe('leverage')
    expect((await world.ask(orders(order(1, true, '3990', '0.2', gtc)))).status).toBe('ok')
    expect((await world.ask(orders(order(1, true, '4010', '0.2')))).status).toBe('ok')
    await world.until(() => status().positions[0]?.covered === true, 'covered')
    expect(status().positions[0]).toMatchObject({ margin: 'cross', leverage: 10 })
    // Guard lets a lower leverage through; the venue switches no mode under a position.
    expect((await world.ask(leverage(false, 2))).status).toBe('err')
    expect(status().positions[0]).toMatchObject({ margin: 'cross', leverage: 10 })
  })

  test("a liquidation price that is not Guard's own stops entries until they agree", async () => {
    world = await World.start({ rules, simulator: quick, account: { mode } })
    await world.outside(leverage(true, 25))
    await world.outside(orders(order(1, true, '4010', '8')))
    await world.until(() => status().positions[0]?.covered === true, 'covered')
    await world.venue.control('price', { coin: 'ETH', mid: '4080' })
    await world.until(() => status().positions[0]?.mark_price === '4080', 'the mark')
    await world.until(() => status().entries.pass, 'entries to pass')
    const alerts = () => status().alerts.filter(({ code }) => code === 'liquidation_price')
    expect(alerts()).toEqual([])
    const [held] = (await world.venueState()).clearinghouseState.assetPositions
    const position = { ...held.position, liquidationPx: String(held.position.liquidationPx - 9) }
    const patch = { assetPositions: [{ ...held, position }] }
    const lie = { kind: 'lie', match: { type: 'clearinghouseState' }, count: 0 }
    await world.venue.fault({ where: 'info', ...lie, patch })
    await world.venue.fault({ where: 'ws', ...lie, patch: { clearinghouseState: patch } })
    const isTold = () => status().positions[0]?.liquidation_price === position.liquidationPx
    await world.until(isTold, 'the wrong price')
    // A balance may lag behind the positions for a while.
    expect(status().entries.pass).toBe(mode === 'unifiedAccount')
    if (mode === 'unifiedAccount') world.machine.passedMs += 10_000
    await world.until(() => alerts().length === 1, 'the alert')
    expect(status().entries).toMatchObject({ pass: false, reason: alerts()[0]?.text })
    expect(await world.ask(orders(order(2, true, '201', '1')))).toMatchObject({
      code: 'account_unknown',
    })
    await world.venue.send('DELETE', '/sim/fault')
    await world.until(() => alerts().length === 0, 'the alert to end')
    await world.until(() => status().entries.pass, 'entries to pass again')
  })
})

test('what the collateral does not bear is cut', async () => {
  const wide = { riskPerTrade: '1', openRisk: '1', maxLeverage: '10', maxPosition: '10' }
  const loose = Object.fromEntries(
    Object.entries(wide).map(([key, value]) => [key, Decimal.of(value)]),
  )
  world = await World.start({ rules: { ...rules, ...loose }, simulator: quick })
  await world.ask(orders(order(1, true, '4010', '20')))
  const { verdict, change_records: records } = await decisions()
  expect(verdict).toBe('resize')
  expect(records.map((each: { rule: string }) => each.rule)).toContain('min_liquidation_distance')
})
