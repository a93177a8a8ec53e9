import { afterEach, describe, expect, test } from 'vitest'
import { accountAddress, gtc, order, orders, World } from './world.fixture.ts'

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

async function holding(): Promise<void> {
  world = await World.start({ simulator: quick })
  await world.ask(orders(order(1, true, '4010', '0.5')))
  await world.until(() => status().positions[0]?.covered === true, 'covered')
}

describe("settings that somebody changes at the venue's page", () => {
  test('a leverage above max_leverage is told, and over when it is set back', async () => {
    await holding()
    expect(alerts('margin')).toEqual([])
    await world.outside(leverage(false, 20))
    await world.until(() => alerts('margin').length === 1, 'the alert')
    expect(alerts('margin')[0]).toMatchObject({ coin: 'ETH', text: expect.stringMatching(/ 20,/) })
    const told = await world.event('error', ({ text }) => text.includes('max_leverage'))
    expect(told.text).toMatch(/^ETH: the position of [\d.]+ has leverage 20, set at the venue/)
    // The venue lowers a leverage only where the position has the margin for it.
    await world.outside({
      type: 'updateIsolatedMargin',
      asset: 1,
      isBuy: true,
      ntli: 1_000_000_000,
    })
    await world.outside(leverage(false, 2))
    await world.until(() => alerts('margin').length === 0, 'the alert to end')
  })

  test('cross margin under a resting entry, or of a position that is found', async () => {
    world = await World.start({ simulator: quick })
    await world.ask(orders(order(1, true, '3900', '0.1', gtc)))
    await world.until(() => status().open_orders > 0, 'the entry')
    await world.outside(leverage(true, 20))
    await world.until(() => alerts('margin').some(({ coin }) => coin === 'ETH'), 'the alert')
    await world.outside(leverage(true, 20, 2))
    await world.outside(orders(order(2, true, '201', '10')))
    await world.until(() => alerts('margin').some(({ coin }) => coin === 'SOL'), 'the alert')
  })

  test('margin that is taken away until liquidation comes before the stop', async () => {
    world = await World.start({ simulator: quick, account: { equity: '100000' } })
    await world.outside(leverage(false, 2))
    await world.outside(orders(order(1, true, '4010', '1')))
    await world.until(() => status().positions[0]?.covered === true, 'covered')
    expect(alerts('liquidation')).toEqual([])
    await world.outside(leverage(false, 25))
    await world.venue.control('act', {
      user: accountAddress,
      action: { type: 'updateIsolatedMargin', asset: 1, isBuy: true, ntli: -1_590_000_000 },
    })
    await world.until(() => alerts('liquidation').length === 1, 'the alert')
    expect(alerts('liquidation')[0]?.text).toMatch(/^ETH: the position would be liquidated at 3/)
  })
})
