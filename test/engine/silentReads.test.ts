import { afterEach, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/core/protocol/action.ts'
import { limits } from '../../src/core/values/limits.ts'
import { gtc, order, orders, reduceOnly, World } from './world.fixture.ts'
import { accountInside } from './insideGuard.fixture.ts'

/** The stream says nothing, reads hang, and orders work: getting out waits for neither. */

let world: World
afterEach(async () => {
  await world.close()
})

const longMs = 600_000

/** Longer than any test: who waits for a read does not come back. */
async function blind(): Promise<void> {
  await world.venue.fault({ where: 'ws', kind: 'silence', count: 0 })
  await world.venue.fault({ where: 'info', kind: 'delay', ms: longMs, count: 0 })
  const account = accountInside(world.guard)
  const isOld = (): boolean =>
    world.guard.status().now_ms - (account.confirmedAt ?? 0) > limits.accountAgeMsMax
  await world.until(isOld, 'the account to be too old for an entry')
}

const trigger = (price: string): Json => ({
  trigger: { isMarket: true, triggerPx: price, tpsl: 'sl' },
})

test('exits, closes, cancels, tighter stops and the kill switch do not wait for a read', async () => {
  world = await World.start({ timeoutMs: longMs })
  const sell = (price: string): JsonObject =>
    order(1, false, '3500', '0.4', { ...reduceOnly, t: trigger(price) })
  const entry = orders(order(1, true, '4010', '0.4'), sell('3920'))
  await world.ask({ ...entry, grouping: 'normalTpsl' })
  const resting = await world.ask(orders(order(2, true, '190', '1', gtc)))
  const { oid } = resting.response.data.statuses[0].resting
  await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
  const stop = (await world.venueState()).openOrders.find(
    (each: any) => each.coin === 'ETH' && each.isTrigger,
  )
  await blind()

  let isEntryAnswered = false
  void world.ask(orders(order(0, true, '100200', '0.001'))).then(() => {
    isEntryAnswered = true
  })
  const replies = {
    modify: await world.ask({ type: 'modify', oid: stop.oid, order: sell('3950') }),
    exit: await world.ask(orders(order(1, false, '3900', '0.1', reduceOnly))),
    closing: await world.ask(orders(order(1, false, '3900', '0.1'))),
    cancel: await world.ask({ type: 'cancel', cancels: [{ a: 2, o: oid }] }),
  }
  const ok = { status: 'ok' }
  expect(replies).toMatchObject({ exit: ok, closing: ok, cancel: ok, modify: ok })
  expect(await world.positions()).toEqual({ ETH: '0.2' })
  const kill = await world.kill('enough')
  expect(kill).toMatchObject({ status: 'ok' })
  await world.until(async () => Object.keys(await world.positions()).length === 0, 'flat')
  // What opens is the only thing that waits.
  expect(isEntryAnswered).toBe(false)
})
