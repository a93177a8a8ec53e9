import { afterEach, describe, expect, test } from 'vitest'
import { dayMs } from '../../src/core/values/millis.ts'
import { signed } from '../../lab/sim/simulator.fixture.ts'
import { gtc, order, orders, reduceOnly, World } from './world.fixture.ts'

/**
 * The machine's clock is wrong; the venue's and, where nothing else is said, the bots' are right. Nothing
 * may come of it but an alert. What Guard does every so often is done at once by `fire`, so that nobody waits for it.
 */

let world: World
afterEach(async () => {
  await world.close()
})

const hourMs = 3_600_000
const isolated = { type: 'isolated', value: 5 }
const holding = { positions: [{ coin: 'SOL', szi: '10', leverage: isolated }] }
const entry = orders(order(1, true, '4010', '0.1'))
const exit = orders(order(2, false, '190', '1', reduceOnly))
const flat = async (): Promise<boolean> => Object.keys(await world.positions()).length === 0
const covered = (): boolean =>
  world.guard.status().positions.every((each) => each.covered) &&
  world.guard.status().positions.length > 0
const clockAlert = (): string | undefined =>
  world.guard.status().alerts.find(({ code }) => code === 'clock')?.text

/** What the venue refused for the time, in its words. */
async function refusedForTime(): Promise<readonly string[]> {
  const log = await world.venue.log()
  return log
    .map(({ reply }) => String(reply?.response ?? ''))
    .filter((text) => /nonce|expired/.test(text))
}

async function stoppedWorld(aheadMs: number): Promise<void> {
  world = await World.stopped({ account: holding })
  world.machine.aheadMs = aheadMs
}

const wrongs = [
  [-3 * dayMs, /3 days behind the venue/],
  [-hourMs, /1 hour behind the venue/],
  // An answer of the venue is as old as a busy machine lets it become.
  [-11_000, /(9|1[0-3]) seconds behind the venue/],
  [11_000, /(9|1[0-3]) seconds ahead of the venue/],
  [hourMs, /1 hour ahead of the venue/],
  [3 * dayMs, /3 days ahead of the venue/],
] as const

describe('a machine that is wrong from the start', () => {
  test.each(wrongs)('by %d ms: %s', async (aheadMs, words) => {
    await stoppedWorld(aheadMs)
    await world.startGuard()
    await world.until(covered, 'the stop of what was open')
    expect(await world.ask(entry)).toMatchObject({ status: 'ok' })
    expect(await world.ask(exit)).toMatchObject({ status: 'ok' })
    const { now_ms: now, risk } = world.guard.status()
    expect(Math.abs(now - Date.now())).toBeLessThan(4_000)
    expect(risk.day).toBe(new Date(now).toISOString().slice(0, 10))
    world.fire(500)
    expect(clockAlert()).toMatch(words)
    await world.event('error', ({ text }) => words.test(text))
    expect(await world.kill('enough')).toMatchObject({ status: 'ok' })
    await world.until(flat, 'flat')
    // What had to leave before the venue had said anything was learned from, and left again.
    expect((await refusedForTime()).length).toBeLessThanOrEqual(1)
  })
})

test('a machine that is right raises nothing', async () => {
  world = await World.start({ account: holding })
  world.fire(500)
  expect(clockAlert()).toBeUndefined()
  expect(world.events('error')).toEqual([])
})

describe('a machine whose clock is set while Guard runs', () => {
  test.each(wrongs)('by %d ms, and back, and over restarts: %s', async (aheadMs, words) => {
    world = await World.start({ account: holding })
    await world.until(covered, 'covered')
    world.machine.aheadMs = aheadMs
    world.fire(500)
    expect(clockAlert()).toMatch(words)
    expect(await world.ask(exit)).toMatchObject({ status: 'ok' })
    expect(await world.ask(entry)).toMatchObject({ status: 'ok' })
    world.machine.aheadMs = 0
    world.fire(500)
    expect(clockAlert()).toBeUndefined()
    expect(await world.ask(exit)).toMatchObject({ status: 'ok' })
    // Stopped while it is wrong, started when it is right, and the other way round.
    world.machine.aheadMs = aheadMs
    await world.stopGuard()
    world.machine.aheadMs = 0
    await world.startGuard()
    const nonce = world.nonce()
    expect(await world.ask(exit, { nonce })).toMatchObject({ status: 'ok' })
    expect(await world.ask(exit, { nonce })).toMatchObject({ code: 'auth_replay' })
    await world.stopGuard()
    world.machine.aheadMs = aheadMs
    await world.startGuard()
    expect(await world.ask(exit, { nonce })).toMatchObject({
      code: expect.stringMatching(/^auth_(replay|nonce_too_old)$/),
    })
    expect(await world.ask(exit)).toMatchObject({ status: 'ok' })
    expect(await world.kill('enough')).toMatchObject({ status: 'ok' })
    await world.until(flat, 'flat')
    expect(await refusedForTime()).toEqual([])
  })
})

describe('a bot that signs by this machine’s clock', () => {
  const far = wrongs.filter(([aheadMs]) => aheadMs < -30_000 || aheadMs > 5_000)
  test.each(far)(
    'gets out and can kill when that is wrong by %d ms, and opens nothing',
    async (aheadMs) => {
      await stoppedWorld(aheadMs)
      await world.startGuard()
      await world.until(covered, 'the stop of what was open')
      const signed = (): { nonce: number; expiresAfter: number } => {
        const nonce = world.nonce() + aheadMs
        return { nonce, expiresAfter: nonce + 60_000 }
      }
      const first = signed()
      expect(await world.ask(exit, first)).toMatchObject({ status: 'ok' })
      expect(await world.ask(exit, first)).toMatchObject({ code: 'auth_replay' })
      const refused = await world.ask(entry, signed())
      expect(refused).toMatchObject({ code: 'auth_nonce_too_old', verdict: 'veto' })
      expect(refused.response).toMatch(/fits the clock of Guard's machine but not the venue's time/)
      await world.stopGuard()
      await world.startGuard()
      expect(await world.ask(exit, signed())).toMatchObject({ status: 'ok' })
      // What has expired by the bot's own clock is not sent; one that hardly ever does is.
      const { nonce } = signed()
      const expired = { nonce, expiresAfter: nonce - 20_000 }
      expect(await world.ask(exit, expired)).toMatchObject({ code: 'auth_expired' })
      const endless = { ...signed(), expiresAfter: Number.MAX_SAFE_INTEGER }
      expect(await world.ask(exit, endless)).toMatchObject({ status: 'ok' })
      expect(await world.kill('enough', signed())).toMatchObject({ status: 'ok' })
      await world.until(flat, 'flat')
    },
  )

  test('is told when its nonce fits neither clock', async () => {
    await stoppedWorld(-hourMs)
    await world.startGuard()
    const nonce = world.nonce() - 2 * hourMs
    const { code, response } = await world.ask(exit, { nonce })
    expect(code).toBe('auth_nonce_too_old')
    expect(response).toMatch(
      /old by the venue's time \(this machine's clock is \d+ ms behind it, and the nonce fits neither\)/,
    )
  })
})

test.each([25_000, hourMs, dayMs])(
  'a start %d ms ahead after a crash doubts nothing that is signed from then on',
  async (aheadMs) => {
    world = await World.start({ account: holding })
    await world.until(covered, 'covered')
    expect(await world.ask(exit)).toMatchObject({ status: 'ok' })
    await world.crash()
    world.machine.aheadMs = aheadMs
    await world.startGuard()
    await world.until(covered, 'covered')
    expect(await world.ask(entry)).toMatchObject({ status: 'ok' })
  },
)

describe('halts', () => {
  const lose = async (mid = '110'): Promise<void> => {
    await world.venue.control('price', { coin: 'SOL', mid })
    await world.until(() => world.guard.status().risk.state === 'halted_for_day', 'the halt')
  }
  const big = { positions: [{ coin: 'SOL', szi: '8', leverage: isolated }] }
  const endOfDay = (): number => (Math.floor(Date.now() / dayMs) + 1) * dayMs

  test('a day ahead for a second ends no halt, and what is halted meanwhile is known after a restart', async () => {
    world = await World.start({ account: big, rules: {} })
    await lose()
    world.machine.aheadMs = dayMs
    world.fire(500)
    expect(world.guard.status().risk.state).toBe('halted_for_day')
    expect(await world.ask(entry)).toMatchObject({ code: 'daily_loss_stop' })
    world.machine.aheadMs = 0
    world.fire(500)
    expect(world.guard.status().risk.state).toBe('halted_for_day')
    const { peak_equity: peak } = world.guard.status().risk
    for (const aheadMs of [2 * dayMs, -2 * dayMs, 0]) {
      await world.stopGuard()
      world.machine.aheadMs = aheadMs
      await world.startGuard()
      expect(world.guard.status().risk).toMatchObject({
        state: 'halted_for_day',
        peak_equity: peak,
        detail: { until_ms: endOfDay() },
      })
      expect(await world.ask(entry)).toMatchObject({ code: 'daily_loss_stop' })
    }
  })

  test('a halt that is taken while the machine is a day ahead is of the day it is', async () => {
    world = await World.start({ account: big })
    const { peak_equity: peak } = world.guard.status().risk
    world.machine.aheadMs = dayMs
    world.fire(500)
    await lose()
    expect(world.guard.status().risk.detail).toMatchObject({ until_ms: endOfDay() })
    world.machine.aheadMs = 0
    world.fire(500)
    await world.crash()
    await world.startGuard()
    expect(world.guard.status().risk).toMatchObject({
      ...{ state: 'halted_for_day', peak_equity: peak },
    })
  })

  test.each([false, true])(
    'a halt whose closes are refused lasts beyond midnight, until all is closed (crash: %s)',
    async (isCut) => {
      const leverage = { ...isolated, value: 2 }
      const account = { positions: [{ coin: 'SOL', szi: '20', leverage }] }
      world = await World.stopped({ account })
      // Its stop is refused as well: it would have closed the position.
      const match = { type: 'order' }
      const text = 'Trading is halted'
      await world.venue.fault({ where: 'exchange', kind: 'refuse', match, count: 0, text })
      await world.startGuard()
      await lose('165')
      if (isCut) await world.crash()
      const untilMidnightMs = endOfDay() - Date.now() + 1_000
      await world.venue.control('clock', { advance_ms: untilMidnightMs })
      world.machine.passedMs += untilMidnightMs
      if (isCut) await world.startGuard()
      world.fire(500)
      expect(world.guard.status().risk.state).toBe('halted_for_day')
      expect(await world.positions()).toEqual({ SOL: '20.0' })
      await world.venue.send('DELETE', '/sim/fault')
      await world.until(() => world.guard.status().risk.state === 'active', 'the halt to end')
      expect(await world.positions()).toEqual({})
    },
  )
})

describe('what the venue refuses by its clock is learned from, once', () => {
  const reply = (text: string, count = 1) =>
    world.venue.fault({
      ...{ where: 'exchange', kind: 'reply', count },
      text: JSON.stringify({ status: 'err', response: text }),
    })
  const nonces = async (): Promise<readonly number[]> =>
    (await world.venue.log()).map(({ nonce }) => nonce as number)

  test('expired: the venue is asked for its time, and the action leaves once more', async () => {
    world = await World.start({ account: holding })
    await world.until(covered, 'covered')
    await reply('Action already expired')
    expect(await world.ask(exit)).toMatchObject({ status: 'ok' })
    expect(await world.positions()).toEqual({ SOL: '9.0' })
    expect((await world.event('error')).text).toContain('Action already expired')
    await world.event('sent', ({ nonce, ok }) => ok && nonce > 0)
    expect(world.events('sent').filter(({ ok }) => !ok)).toEqual([])
  })

  test('refused twice, it is refused', async () => {
    world = await World.start({ account: holding })
    await world.until(covered, 'covered')
    await reply('Action already expired', 2)
    const before = (await nonces()).length
    expect(await world.ask(exit)).toMatchObject({ status: 'err' })
    expect((await nonces()).length - before).toBe(2)
    await world.event('sent', ({ ok }) => !ok)
    expect(await world.ask(exit)).toMatchObject({ status: 'ok' })
  })

  test('too high: words about a nonce that was not sent move no clock', async () => {
    world = await World.start({ account: holding })
    await world.until(covered, 'covered')
    const far = Date.now() + hourMs
    await reply(`Invalid nonce: nonce too high ${far + 9 * dayMs} > ${far + dayMs}`)
    expect(await world.ask(exit)).toMatchObject({ status: 'err' })
    expect(await world.ask(exit)).toMatchObject({ status: 'ok' })
    expect(Math.abs(((await nonces()).at(-1) ?? 0) - Date.now())).toBeLessThan(60_000)
  })

  test('too low: the next one follows the bound, which another program with the key has set', async () => {
    world = await World.start({ account: holding })
    await world.until(covered, 'covered')
    const ahead = Date.now() + 12 * hourMs
    const key = `0x${'11'.repeat(32)}`
    for (let at = 0; at < 100; at += 1) {
      await world.venue.send(
        'POST',
        '/exchange',
        signed({ type: 'noop' }, { key, nonce: ahead + at }),
      )
    }
    expect(await world.ask(exit)).toMatchObject({ status: 'ok' })
    expect(await world.positions()).toEqual({ SOL: '9.0' })
    expect(await world.ask(exit)).toMatchObject({ status: 'ok' })
    const told = (await refusedForTime()).filter((text) => text.includes('too low'))
    expect(told).toHaveLength(1)
    // The next run goes on above it, and asks nobody.
    await world.stopGuard()
    await world.startGuard()
    expect(await world.ask(exit)).toMatchObject({ status: 'ok' })
    expect((await refusedForTime()).length).toBe(1)
  })
})

test.each([13 * 60_000, -13 * 60_000])(
  'what was spent at the venue before a restart counts on, with a clock that was set by %d ms since',
  async (aheadMs) => {
    world = await World.start({ account: holding, weightLimit: 100_000 })
    world.budget.tryTake('safety', 50_000)
    await world.stopGuard()
    world.machine.aheadMs = aheadMs
    await world.startGuard()
    expect(world.budget.used()).toBeGreaterThan(50_000)
    expect(world.budget.used()).toBeLessThan(60_000)
  },
)

test('one answer that lies by a day moves nothing', async () => {
  world = await World.start({ account: holding })
  await world.until(covered, 'covered')
  const state = await world.venue.info({
    type: 'clearinghouseState',
    user: '0x00000000000000000000000000000000000000aa',
  })
  const text = JSON.stringify({ ...state, time: state.time + dayMs })
  await world.venue.fault({
    ...{ where: 'info', kind: 'reply', match: { type: 'clearinghouseState' }, text },
  })
  await world.venue.fault({ where: 'ws', kind: 'disconnect' })
  await world.venue.fault({ where: 'ws', kind: 'silence', ms: 300 })
  world.fire(500)
  expect(Math.abs(world.guard.status().now_ms - Date.now())).toBeLessThan(4_000)
  expect(await world.ask(exit)).toMatchObject({ status: 'ok' })
  expect(Math.abs(world.guard.status().now_ms - Date.now())).toBeLessThan(4_000)
})

test('a machine that slept follows the venue: its resting orders live on', async () => {
  world = await World.start({ account: holding })
  await world.until(covered, 'covered')
  expect(await world.ask(orders(order(1, true, '3900', '0.1', gtc)))).toMatchObject({
    status: 'ok',
  })
  await world.venue.control('clock', { advance_ms: 2 * hourMs })
  await world.until(
    () => Math.abs(world.guard.status().now_ms - Date.now() - 2 * hourMs) < 4_000,
    'the venue’s time',
  )
  const nonce = Date.now() + 2 * hourMs
  expect(await world.ask(exit, { nonce })).toMatchObject({ status: 'ok' })
  world.fire(500)
  expect(clockAlert()).toContain('2 hours behind')
})
