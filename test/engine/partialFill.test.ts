import { afterEach, describe, expect, test } from 'vitest'
import { gtc, order, orders, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

const stranger = '0x00000000000000000000000000000000000000bb'

/** An entry of 0.1 that is alone at its price, with the child of its group not active yet. */
async function restingEntry(isBuy: boolean): Promise<void> {
  world = await World.start({ others: [{ address: stranger, equity: '100000' }] })
  const reply = await world.ask(orders(order(1, isBuy, '4000', '0.1', gtc)))
  expect(reply.response.data.statuses).toEqual([{ resting: { oid: expect.any(Number) } }])
}

/** Somebody takes this much of it. */
async function fill(isBuy: boolean, size: string): Promise<void> {
  const done = await world.outside(orders(order(1, !isBuy, '4000', size)), stranger)
  expect(JSON.stringify(done)).toContain(`"totalSz":"${size}"`)
}

interface Stop {
  readonly sz: string
  readonly triggerPx: string
  readonly side: string
}

/** The stops that work now: not the child that waits for its parent, which is listed under it. */
async function stops(): Promise<Stop[]> {
  const openOrders = await ethOrders()
  const waiting = new Set(
    openOrders.flatMap((each: any) => (each.children ?? []).map((child: any) => child.oid)),
  )
  return openOrders
    .filter((each: any) => each.isTrigger && each.reduceOnly && !waiting.has(each.oid))
    .map(({ sz, triggerPx, side }: any) => ({ sz, triggerPx, side }))
}

const sum = (list: readonly Stop[]): string =>
  String(Math.round(list.reduce((total, { sz }) => total + Number(sz), 0) * 1e4) / 1e4)

describe.each([
  [true, '3920', 'A'],
  [false, '4080', 'B'],
] as const)('a resting entry (buy: %s) that fills in parts', (isBuy, trigger, side) => {
  const settled = async (size: string): Promise<void> => {
    const isCovered = (): boolean =>
      world.guard.status().positions.some(({ coin, covered }) => coin === 'ETH' && covered)
    await world.until(
      async () =>
        sum(await stops()) === size && world.guard.status().in_flight === 0 && isCovered(),
      `stops over ${size}`,
    )
    for (const stop of await stops()) {
      expect(stop.side).toBe(side)
      // Never looser than the stop the entry went out with.
      const gap = Number(stop.triggerPx) - Number(trigger)
      expect(isBuy ? gap : -gap).toBeGreaterThanOrEqual(0)
    }
  }

  test('has what is filled covered while the cancel of its modify is without an answer', async () => {
    await restingEntry(isBuy)
    const { oid } = (await ethOrders()).find((each: any) => !each.isTrigger)
    const match = { type: 'cancel' }
    await world.venue.fault({ where: 'exchange', kind: 'delay', match, count: 1, ms: 60_000 })
    let isAnswered = false
    const done = (): void => {
      isAnswered = true
    }
    const changed = order(1, isBuy, isBuy ? '3999' : '4001', '0.1', gtc)
    world.ask({ type: 'modify', oid, order: changed }).then(done, done)
    await world.until(() => world.guard.status().in_flight > 0, 'the modify to be on its way')
    await fill(isBuy, '0.04')
    await world.until(async () => sum(await stops()) === '0.04', 'a stop over what is filled')
    expect(isAnswered).toBe(false)
  })

  test('has what is filled covered at every moment, and one stop at the end', async () => {
    await restingEntry(isBuy)
    expect(await stops()).toEqual([])
    await fill(isBuy, '0.04')
    await settled('0.04')
    const [first] = world.events('protect')
    expect(first).toMatchObject({ coins: ['ETH'], sent: true, problems: [] })
    expect(first.actions[0].orders[0]).toMatchObject({ a: 1, b: !isBuy, r: true, s: '0.04' })

    // Meanwhile everything counts as protected: another entry passes.
    expect(await world.ask(orders(order(2, true, '201', '1')))).toMatchObject({ status: 'ok' })

    await fill(isBuy, '0.03')
    await settled('0.07')
    await fill(isBuy, '0.03')
    // The entry's own child works now; what Guard added in between goes again.
    await settled('0.1')
    await world.until(async () => (await ethOrders()).length === 1, 'one order on ETH')
    expect(await stops()).toContainEqual(
      expect.objectContaining({ sz: '0.1', triggerPx: `${trigger}.0` }),
    )
    expect(world.guard.status().alerts).toEqual([])
  })

  test('keeps its cover when the bot cancels the rest of it', async () => {
    await restingEntry(isBuy)
    await fill(isBuy, '0.04')
    await settled('0.04')
    const { openOrders } = await world.venueState()
    const { oid } = openOrders.find((each: any) => !each.isTrigger)
    const reply = await world.ask({ type: 'cancel', cancels: [{ a: 1, o: oid }] })
    expect(reply.response.data.statuses).toEqual(['success'])
    await world.until(async () => (await ethOrders()).length === 1, 'the child to go')
    await settled('0.04')
    expect(await world.positions()).toEqual({ ETH: isBuy ? '0.04' : '-0.04' })
  })
})

test('the stop of a part that is filled while Guard is away is placed when it starts', async () => {
  await restingEntry(true)
  await world.crash()
  await fill(true, '0.04')
  await world.startGuard()
  await world.until(async () => sum(await stops()) === '0.04', 'a stop over what is filled')
  await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
  expect(await stops()).toEqual([{ sz: '0.04', triggerPx: '3920.0', side: 'A' }])
})

async function ethOrders(): Promise<any[]> {
  const { openOrders } = await world.venueState()
  return openOrders.filter((each: any) => each.coin === 'ETH')
}
