import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { order, orders, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

const entry = orders(order(2, true, '201', '1'))
const flat = async (): Promise<boolean> => Object.keys(await world.positions()).length === 0

/** What a person's command writes while Guard is stopped. */
async function reviewed(what: 'kill' | 'stopped', equity: string | null): Promise<void> {
  await world.reopen(async ({ journal }) => {
    const body = { kind: 'reviewed', what, reason: 'looked into it', equity } as const
    await journal.append(body, 'now').durable
  })
}

test('a drawdown stops trading until a review, over any restart', async () => {
  const leverage = { type: 'isolated', value: 5 }
  world = await World.start({
    account: { positions: [{ coin: 'ETH', szi: '5', leverage }] },
  })
  await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
  await world.venue.control('price', { coin: 'ETH', mid: '3400' })
  const risk = await world.event('risk', (each) => each.state === 'stopped')
  expect(risk.detail).toEqual({ equity: expect.any(String), peak: '10000', limit: '0.25' })
  const flatten = await world.event('flatten')
  expect(flatten.reason).toContain('drawdown halt')
  await world.until(flat, 'flat')
  expect(await world.ask(entry)).toMatchObject({ verdict: 'veto', code: 'drawdown_halt' })

  await world.stopGuard()
  await world.startGuard()
  expect(world.guard.status().risk).toMatchObject({ state: 'stopped', detail: risk.detail })
  expect(await world.ask(entry)).toMatchObject({ code: 'drawdown_halt' })

  await world.stopGuard()
  const { risk: before } = world.guard.status()
  await reviewed('stopped', before.equity)
  await world.startGuard()
  expect(world.guard.status().risk).toMatchObject({
    state: 'active',
    detail: null,
    peak_equity: before.equity,
    day_start_equity: before.equity,
  })
  expect(await world.ask(entry)).toMatchObject({ status: 'ok' })
})

test('a memory of peaks and halts that cannot be read stops trading until a review', async () => {
  world = await World.start()
  await world.ask(entry)
  await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
  const last = await world.event('risk')
  await world.stopGuard()
  // A halt whose end is not the end of its day was written by a clock that stepped.
  const broken = { version: 1, state: 'halted_for_day', detail: { until_ms: 5 } }
  await world.reopen(async ({ journal }) => {
    const { seq: _seq, at_ms: _at, ...body } = last
    await journal.append({ ...body, _: { risk: broken } }, 'now').durable
  })
  await world.startGuard()
  expect(world.guard.status().risk).toMatchObject({ state: 'stopped', detail: null })
  expect(world.guard.status().alerts.map(({ code }) => code)).toContain('risk_memory')
  expect((await world.event('error')).text).toContain('cannot be read')
  expect((await world.event('risk', (each) => each.state === 'stopped')).detail).toBe(null)
  expect(await world.ask(entry)).toMatchObject({ verdict: 'veto', code: 'drawdown_halt' })
  await world.until(flat, 'flat')
  const flatten = world.events('flatten').at(-1)
  expect(flatten.reason).toContain('cannot be read')

  await world.stopGuard()
  await world.startGuard()
  expect(world.guard.status().risk).toMatchObject({ state: 'stopped', detail: null })

  await world.stopGuard()
  await reviewed('stopped', '10000')
  await world.startGuard()
  expect(world.guard.status().risk).toMatchObject({ state: 'active', peak_equity: '10000' })
  expect(await world.ask(entry)).toMatchObject({ status: 'ok' })
})

test('a snapshot that is damaged stops Guard too: a peak that only it knew is not forgotten', async () => {
  world = await World.start()
  await world.stopGuard()
  const path = join(world.home, 'journal', 'snapshot-engine.json')
  writeFileSync(path, readFileSync(path, 'utf8').replace('"peak"', '"pEak"'))
  await world.startGuard()
  expect(world.guard.status().risk).toMatchObject({ state: 'stopped', detail: null })
  expect(world.guard.status().alerts.map(({ code }) => code)).toContain('risk_memory')
  expect(await world.ask(entry)).toMatchObject({ verdict: 'veto', code: 'drawdown_halt' })
  await world.stopGuard()
  await reviewed('stopped', '10000')
  await world.startGuard()
  expect(world.guard.status().risk).toMatchObject({ state: 'active', peak_equity: '10000' })
})

test('a latch is released by a person alone: the record and the file, with Guard stopped', async () => {
  world = await World.start()
  await world.kill('enough')
  await world.event('flatten')
  await world.stopGuard()
  await reviewed('kill', null)
  // The file still says so: that is enough to be latched.
  await world.startGuard()
  expect(world.guard.status().kill.latched).toBe(true)
  await world.stopGuard()
  await reviewed('kill', null)
  rmSync(join(world.home, 'kill'))
  await world.startGuard()
  expect(world.guard.status().kill).toEqual({
    latched: false,
    reason: null,
    at_ms: null,
    durable: false,
  })
  expect(await world.ask(entry)).toMatchObject({ status: 'ok' })
})
