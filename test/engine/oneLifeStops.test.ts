import { afterEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/protocol/action.ts'
import { becomes, cloid, gated, group, settled, stopLoss, workingStops } from './oneLife.fixture.ts'
import type { Gate } from './oneLife.fixture.ts'
import { gtc, order, orders } from './world.fixture.ts'
import type { World } from './world.fixture.ts'

let world: World
let gate: Gate
afterEach(async () => {
  gate.open()
  await world.close()
})

const tight = cloid(0x51)

/** A position of 0.5 ETH from an entry that was judged with the bot's own stop, 2% away. */
async function promised(isLong: boolean): Promise<void> {
  ;({ world, gate } = await gated())
  const entry = order(1, isLong, isLong ? '4010' : '3990', '0.5')
  const reply = await world.ask(group(entry, stop(isLong, 80, '0.5', { c: tight })))
  expect(reply).toMatchObject({ status: 'ok' })
  await settled(world)
}

/** A stop so many USD away from the mid of 4000, with room to fill. */
function stop(isLong: boolean, away: number, size: string, more: JsonObject = {}): JsonObject {
  const trigger = isLong ? 4000 - away : 4000 + away
  return stopLoss(1, !isLong, String(trigger), isLong ? '2500' : '7000', size, more)
}

async function place(...list: readonly JsonObject[]): Promise<number[]> {
  const reply = await world.ask(orders(...list))
  await settled(world)
  return reply.response.data.statuses.map((each: any) => each.resting.oid)
}

async function oidOf(id: string): Promise<number> {
  const found = (await workingStops(world, 'ETH')).find((each) => each.cloid === id)
  if (found === undefined) throw new Error(`no stop ${id} works`)
  return found.oid
}

const cancel = (...oids: readonly number[]): JsonObject => ({
  type: 'cancel',
  cancels: oids.map((o) => ({ a: 1, o })),
})

/** How far away the stops are at which the position is out whole; null while a part has none. */
async function coveredAt(): Promise<number | null> {
  const size = Math.abs(Number((await world.positions())['ETH']))
  const away = (await workingStops(world, 'ETH'))
    .map(({ triggerPx, sz }) => ({ away: Math.abs(4000 - Number(triggerPx)), sz: Number(sz) }))
    .sort((left, right) => left.away - right.away)
  let left = size
  for (const each of away) {
    left -= each.sz
    if (left < 1e-9) return each.away
  }
  return null
}

/** A refused step leaves everything as it was. */
async function expectKept(reply: any): Promise<void> {
  await settled(world)
  expect(await coveredAt()).toBeLessThanOrEqual(80)
  expect(reply).toMatchObject({ verdict: 'veto', code: 'stop_removed' })
}

describe.each([
  ['long', true],
  ['short', false],
])('the stop that a %s position was promised does not go for a looser one', (_, isLong) => {
  test('by its number', async () => {
    await promised(isLong)
    await place(stop(isLong, 200, '0.5'))
    await expectKept(await world.ask(cancel(await oidOf(tight))))
  })

  test('by its client order id', async () => {
    await promised(isLong)
    await place(stop(isLong, 200, '0.5'))
    const cancels = [{ asset: 1, cloid: tight }]
    await expectKept(await world.ask({ type: 'cancelByCloid', cancels }))
  })

  test('in a batch with others, which stay as well', async () => {
    await promised(isLong)
    const [, spare] = await place(stop(isLong, 200, '0.5'), stop(isLong, 300, '0.5'))
    const rest = order(2, true, '190', '1', gtc)
    const [resting] = await place(rest)
    const reply = await world.ask({
      type: 'cancel',
      cancels: [
        { a: 2, o: resting ?? 0 },
        { a: 1, o: spare ?? 0 },
        { a: 1, o: await oidOf(tight) },
      ],
    })
    await expectKept(reply)
    expect((await workingStops(world, 'ETH')).map(({ oid }) => oid)).toContain(spare)
  })

  test('for parts of which some are looser', async () => {
    await promised(isLong)
    await place(stop(isLong, 80, '0.3'), stop(isLong, 200, '0.2'))
    await expectKept(await world.ask(cancel(await oidOf(tight))))
  })

  test('for parts that are all looser', async () => {
    await promised(isLong)
    await place(stop(isLong, 81, '0.25'), stop(isLong, 200, '0.25'))
    await expectKept(await world.ask(cancel(await oidOf(tight))))
  })

  test('for one beyond the liquidation price', async () => {
    await promised(isLong)
    const [position] = world.guard.status().positions
    const away = Math.ceil(Math.abs(4000 - Number(position?.liquidation_price)) + 10)
    await place(stop(isLong, away, '0.5'))
    await expectKept(await world.ask(cancel(await oidOf(tight))))
  })

  test("nor does one that Guard's own gave way to", async () => {
    ;({ world, gate } = await gated())
    await world.ask(orders(order(1, isLong, isLong ? '4010' : '3990', '0.5')))
    await settled(world)
    const [tighter] = await place(stop(isLong, 50, '0.5'))
    await becomes(world, () => coveredAt(), 50)
    await becomes(world, async () => (await workingStops(world, 'ETH')).length, 1)
    await place(stop(isLong, 200, '0.5'))
    await expectKept(await world.ask(cancel(tighter ?? 0)))
  })

  test('by steps: a tighter one hides it, it is moved away, and the tighter one goes', async () => {
    await promised(isLong)
    const [hiding] = await place(stop(isLong, 50, '0.5'))
    const oid = await oidOf(tight)
    const moved = await world.ask({ type: 'modify', oid, order: stop(isLong, 300, '0.5') })
    await settled(world)
    const gone = await world.ask(cancel(hiding ?? 0))
    await settled(world)
    expect(await coveredAt()).toBeLessThanOrEqual(80)
    expect([moved.code, gone.code]).toContain(
      moved.verdict === 'veto' ? 'stop_loosened' : 'stop_removed',
    )
  })

  test('and for one that is as tight it does', async () => {
    await promised(isLong)
    await place(stop(isLong, 200, '0.5'))
    const refused = await world.ask(cancel(await oidOf(tight)))
    expect(refused).toMatchObject({ verdict: 'veto', code: 'stop_removed' })
    await place(stop(isLong, 80, '0.5'))
    const reply = await world.ask(cancel(await oidOf(tight)))
    expect(reply.response.data.statuses).toEqual(['success'])
    await settled(world)
    expect(await coveredAt()).toBe(80)
  })
})

describe.each([
  ['a long', true],
  ['a short', false],
])("a bot's own stop of %s position, moved again and again under its id", (_, isLong) => {
  test.each(['modify', 'batchModify'])('by %s', async (type) => {
    await promised(isLong)
    let oid = await oidOf(tight)
    for (const away of [60, 50, 40]) {
      const to = stop(isLong, away, '0.5', { c: tight })
      const action =
        type === 'modify' ? { type, oid, order: to } : { type, modifies: [{ oid, order: to }] }
      const reply = await world.ask(action)
      expect(reply).toMatchObject({ status: 'ok', verdict: 'resize' })
      expect(JSON.stringify(reply)).not.toContain('error')
      await settled(world)
      const working = await workingStops(world, 'ETH')
      expect(working.map(({ triggerPx }) => Math.abs(4000 - Number(triggerPx)))).toEqual([away])
      oid = working[0]?.oid ?? 0
    }
  })
})
