import { afterEach, expect, test } from 'vitest'
import { Decimal } from '../../src/core/values/decimal.ts'
import { order, orders, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

/** A unified account with a position whose profit then moves. */
async function moved(unified_total: 'equity' | 'cash'): Promise<void> {
  const simulator = { options: { unified_total, accountMs: 100 } }
  world = await World.start({ account: { mode: 'unifiedAccount' }, simulator })
  await world.ask(orders(order(1, true, '4010', '0.8')))
  await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
  await told(3)
  await world.venue.control('price', { coin: 'ETH', mid: '4200' })
  await world.until(
    () => Number(world.guard.status().positions[0]?.unrealised_pnl) > 100,
    'the profit',
  )
  await told(3)
}

/** Waits for this many balances to come on the stream. */
async function told(count: number): Promise<void> {
  for (let seen = 0; seen < count; seen += 1) {
    const before = world.spotAt()
    await world.until(() => world.spotAt() > before, 'a balance on the stream')
  }
}

const discrepancies = () => world.guard.status().alerts.filter(({ code }) => code === 'discrepancy')

test('a balance that does not move with the profit is a discrepancy of the account', async () => {
  await moved('cash')
  await world.until(() => discrepancies().length > 0, 'the alert')
  const [alert] = discrepancies()
  expect(alert?.text).toMatch(/^the account's USDC balance moved by 0 while its positions' profit/)
  expect(alert).not.toHaveProperty('coin')
  // It ends when there is no profit any more that the equity could be without.
  await world.ask(orders(order(1, false, '4190', '0.8', { r: true })))
  await world.until(() => discrepancies().length === 0, 'the alert to end')
})

test('a balance that moves with the profit is none', async () => {
  await moved('equity')
  expect(world.discrepancies()).toEqual([])
})

test('a wrong balance from both sources that is right again closes nothing', async () => {
  const simulator = { options: { accountMs: 100 } }
  world = await World.start({ account: { mode: 'unifiedAccount' }, simulator })
  await world.ask(orders(order(1, true, '4010', '0.8')))
  await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
  const lie = { kind: 'lie', count: 0, patch: { balances: [] } }
  await world.venue.fault({ where: 'ws', match: { type: 'spotState' }, ...lie, patch: empty })
  await world.venue.fault({ where: 'info', match: { type: 'spotClearinghouseState' }, ...lie })
  await world.until(() => world.guard.status().risk.equity === '0', 'the wrong equity')
  await world.venue.send('DELETE', '/sim/fault')
  await world.until(() => Number(world.guard.status().risk.equity) > 9_000, 'the right one')
  await told(2)
  expect(world.guard.status().risk.state).toBe('active')
  expect(world.events('flatten')).toEqual([])
})

const empty = { spotState: { balances: [] } }

test('what is lent to others and taken back is a withdrawal and a deposit', async () => {
  const simulator = { options: { accountMs: 100 } }
  world = await World.start({ account: { mode: 'unifiedAccount' }, simulator })
  await world.ask(orders(order(1, true, '4010', '0.8')))
  await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
  const rows = [
    ['supply', 8_500],
    ['withdraw', 10_000],
  ] as const
  for (const [operation, left] of rows) {
    await world.outside({ type: 'borrowLend', operation, token: 0, amount: '1500' })
    const { risk } = world.guard.status()
    const near = (figure: string | null) => Math.abs(Number(figure) - left) < 20
    await world.until(() => near(world.guard.status().risk.day_start_equity), `${operation} told`)
    expect(risk.state).toBe('active')
  }
  await told(2)
  const { risk } = world.guard.status()
  expect([risk.state, near0(risk.daily_loss), near0(risk.drawdown)]).toEqual(['active', true, true])
  expect(world.events('flatten')).toEqual([])
})

const near0 = (share: string | null) => Math.abs(Number(share)) < 0.002

test('a loss that the balance does not show while it stands still ends entries, and halts the day', async () => {
  const simulator = { options: { accountMs: 100 } }
  const rules = { dailyLossStop: Decimal.of('0.01') }
  world = await World.start({ account: { mode: 'unifiedAccount' }, simulator, rules })
  await told(1)
  await world.venue.fault({ where: 'ws', kind: 'stale', count: 0, match: { type: 'spotState' } })
  const match = { type: 'spotClearinghouseState' }
  await world.venue.fault({ where: 'info', kind: 'http_500', count: 0, match })
  // 0.8 bought at 4000 and sold at 3800: 160 of 10,000 USD, and 1% ends the day.
  await world.ask(orders(order(1, true, '4010', '0.8')))
  await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
  await world.venue.control('price', { coin: 'ETH', mid: '3800' })
  await world.until(() => world.guard.status().positions.length === 0, 'the stop to fill')
  await world.until(() => world.guard.status().risk.equity === null, 'no equity to tell')
  expect((await world.ask(orders(order(1, true, '3810', '0.1')))).response).toMatch(
    /\[account_unknown\]: .* its balance is still without 16\d\.\d+ USD that fills have lost/,
  )
  await world.until(() => world.guard.status().risk.state === 'halted_for_day', 'halt')
  await world.venue.send('DELETE', '/sim/fault')
  await world.until(() => Number(world.guard.status().risk.equity) < 9_845, 'the balance')
  await told(2)
  expect(Number(world.guard.status().risk.equity)).toBeLessThan(9_845)
}, 60_000)
