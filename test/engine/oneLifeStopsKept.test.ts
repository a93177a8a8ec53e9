import { afterEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/protocol/action.ts'
import { guardCloidKind } from '../../src/core/protocol/guardCloid.ts'
import {
  becomes,
  cloid,
  gated,
  group,
  nudge,
  settled,
  shown,
  stopLoss,
  workingStops,
} from './oneLife.fixture.ts'
import type { Gate } from './oneLife.fixture.ts'
import { order, orders } from './world.fixture.ts'
import type { World } from './world.fixture.ts'

let world: World
let gate: Gate
afterEach(async () => {
  gate.open()
  await world.close()
})

const tight = cloid(0x51)
const loose = cloid(0x52)

/** Each working stop of a coin: its trigger, its size and whose it is, the tightest first. */
async function stopsOn(coin: string): Promise<string[]> {
  const found = [...(await workingStops(world, coin))].sort(
    (left, right) => Number(right.triggerPx) - Number(left.triggerPx),
  )
  return found.map(
    ({ triggerPx, sz, cloid: id }) =>
      `${triggerPx} ${sz} ${guardCloidKind(id) === 'stop' ? 'guard' : 'bot'}`,
  )
}

async function isOpen(oid: number | undefined): Promise<boolean> {
  return (await workingStops(world, 'SOL')).some((each) => each.oid === oid)
}

async function ask(action: JsonObject): Promise<any> {
  const reply = await world.ask(action)
  await settled(world)
  return reply
}

/** 0.5 ETH with the bot's stop at 3920 that its entry was judged with, and a looser one at 3800. */
async function promisedAndLoose(): Promise<void> {
  ;({ world, gate } = await gated())
  const own = stopLoss(1, false, '3920', '3500', '0.5', { c: tight })
  await ask(group(order(1, true, '4010', '0.5'), own))
  await ask(orders(stopLoss(1, false, '3800', '3400', '0.5', { c: loose })))
  expect(await stopsOn('ETH')).toEqual(['3920.0 0.5 bot', '3800.0 0.5 bot'])
}

describe('a looser stop is placed, and Guard starts anew', () => {
  test.each([
    ['after a stop', () => world.stopGuard()],
    ['after a crash', () => world.crash()],
  ])('%s: the tight one still does not go', async (_, leave) => {
    await promisedAndLoose()
    await leave()
    await world.startGuard(gate.around)
    await settled(world)
    const reply = await ask({ type: 'cancelByCloid', cancels: [{ asset: 1, cloid: tight }] })
    expect(await stopsOn('ETH')).toContain('3920.0 0.5 bot')
    expect(reply).toMatchObject({ verdict: 'veto', code: 'stop_removed' })
  })
})

describe('a person takes the promised stop away at the venue while a looser one rests', () => {
  const cancel = { type: 'cancelByCloid', cancels: [{ asset: 1, cloid: tight }] }
  const put = ['3920.0 0.5 guard', '3800.0 0.5 bot']

  test('Guard puts it back', async () => {
    await promisedAndLoose()
    await world.outside(cancel)
    await becomes(world, () => stopsOn('ETH'), put)
  })

  test.each([
    ['was stopped', () => world.stopGuard()],
    ['was dead', () => world.crash()],
  ])('while Guard %s: it puts it back when it starts', async (_, leave) => {
    await promisedAndLoose()
    await leave()
    await world.outside(cancel)
    await world.startGuard(gate.around)
    await becomes(world, () => stopsOn('ETH'), put)
  })

  test("Guard's own for a position opened by hand comes back as well", async () => {
    await byHand()
    await ask(orders(stopLoss(2, false, '174.5', '150', '5')))
    const both = ['196.0 5.0 guard', '174.5 5.0 bot']
    expect(await stopsOn('SOL')).toEqual(both)
    const own = (await workingStops(world, 'SOL')).filter(({ triggerPx }) => triggerPx === '196.0')
    await world.outside({ type: 'cancel', cancels: own.map(({ oid }) => ({ a: 2, o: oid })) })
    await world.until(async () => !(await isOpen(own[0]?.oid)), 'it to be gone')
    await becomes(world, () => stopsOn('SOL'), both)
  })
})

/** 5 SOL bought at the venue, which Guard has covered at 2% from the mid of 200. */
async function byHand(): Promise<void> {
  ;({ world, gate } = await gated())
  await world.outside(orders(order(2, true, '201', '5')))
  await becomes(world, () => stopsOn('SOL'), ['196.0 5.0 guard'])
  await settled(world)
}

describe("Guard's own stop of a position that was opened by hand", () => {
  /** Everything that Guard would do about the stops it sees has been decided. */
  async function decided(): Promise<void> {
    await shown(world)
    await nudge(world, 'SOL', '200.1')
    await settled(world)
  }

  test('stays when the bot places one that is looser', async () => {
    await byHand()
    // 12.75% away.
    await ask(orders(stopLoss(2, false, '174.5', '150', '5')))
    await decided()
    expect(await stopsOn('SOL')).toEqual(['196.0 5.0 guard', '174.5 5.0 bot'])
  })

  test('stays when the looser one is of the whole position at trigger time', async () => {
    await byHand()
    const whole = { ...orders(stopLoss(2, false, '174.5', '150', '0')), grouping: 'positionTpsl' }
    await ask(whole)
    await decided()
    expect(await stopsOn('SOL')).toEqual(['196.0 5.0 guard', '174.5 0.0 bot'])
  })

  test('goes for one that is tighter, which then does not go for a looser one', async () => {
    await byHand()
    const tighter = await ask(orders(stopLoss(2, false, '198', '170', '5')))
    await becomes(world, () => stopsOn('SOL'), ['198.0 5.0 bot'])
    await ask(orders(stopLoss(2, false, '174.5', '150', '5')))
    const { oid } = tighter.response.data.statuses[0].resting
    const reply = await ask({ type: 'cancel', cancels: [{ a: 2, o: oid }] })
    expect(await stopsOn('SOL')).toEqual(['198.0 5.0 bot', '174.5 5.0 bot'])
    expect(reply).toMatchObject({ verdict: 'veto', code: 'stop_removed' })
  })
})
