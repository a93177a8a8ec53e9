import { afterEach, expect, test } from 'vitest'
import { becomes, cloid, group, ordersOn, settled, stopLoss } from './oneLife.fixture.ts'
import { order, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

const openRisk = (): string => String(world.guard.status().risk.open_risk)

/** From now on orders are told, and neither fills nor positions. */
async function hideFills(): Promise<void> {
  for (const type of ['userFills', 'clearinghouseState', 'webData2', 'webData3']) {
    await world.venue.fault({ where: 'ws', kind: 'silence', match: { type }, count: 0 })
  }
  await world.venue.fault({
    ...{ where: 'info', kind: 'http_500', count: 0 },
    match: { type: 'clearinghouseState' },
  })
}

const cancelOf = (oid: number) => ({ type: 'cancel', cancels: [{ a: 1, o: oid }] })

test('an entry’s stop that is told before its fill covers nothing of what was held before', async () => {
  world = await World.start({ timeoutMs: 60_000 })
  // At 4000: half a coin with its stop at 3650, and half a coin with its stop at 3950.
  await world.ask(group(order(1, true, '4010', '0.5'), stopLoss(1, false, '3650', '3300', '0.5')))
  await settled(world)
  const before = Number(openRisk())
  expect(before).toBeGreaterThan(170)
  await hideFills()
  const more = group(
    order(1, true, '4010', '0.5'),
    stopLoss(1, false, '3950', '3500', '0.5', { c: cloid(0x51) }),
  )
  await world.ask(more)
  const known = (): number => world.guard.status().open_orders
  await becomes(world, known, 2)
  expect(world.guard.status().positions).toMatchObject([{ coin: 'ETH', size: '0.5' }])
  // The entry is counted as it was judged, at its limit of 4010: 60 a coin.
  expect(Number(openRisk())).toBeGreaterThanOrEqual(before + 30)
  const open = await ordersOn(world, 'ETH')
  expect(open).toHaveLength(2)
  for (const { oid } of open) {
    const reply = await world.ask(cancelOf(oid))
    expect(JSON.stringify(reply)).toContain('Guard veto [stop_removed]: 0.5 of the ETH position')
  }
})
