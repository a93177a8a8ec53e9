import { afterEach, describe, expect, test } from 'vitest'
import type { FleetView } from '../../src/engine/fleetView.ts'
import type { Lease } from '../../src/core/judge/lease.ts'
import { Decimal } from '../../src/core/values/decimal.ts'
import type { Signer } from '../../src/engine/ports.ts'
import { replayDecision } from '../../src/engine/view/replayDecision.ts'
import { gtc, order, orders, reduceOnly, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

/** A fleet that says what a test sets; nothing is behind it. */
class SaidFleet implements FleetView {
  said: Lease = { ended: null, parts: [] }
  notWriter: string | null = null
  readonly problem = null
  readonly fork = null
  readonly lease = (): Lease => this.said
  status(): ReturnType<FleetView['status']> {
    const { ended } = this.said
    const lease = { spare_until_ms: null, ended, parts: [] }
    const held = this.notWriter === null
    const state = held ? 'held' : 'waits'
    const writer = { state, at_host: null, held, epoch: 1, until_ms: null } as const
    return { name: 'x', group: null, store: 'up', lease, writer, epoch: null, outbox_lag: 0 }
  }
  holds(kind: string, held: string): void {
    const part = { scope: 'fleet', kind, held: Decimal.of(held), budget: Decimal.of('5000') }
    this.said = { ended: null, parts: [part] }
  }
}

const entry = orders(order(1, true, '4010', '0.1'))

describe('a Guard of a fleet', () => {
  test('opens within what is leased, cuts what is larger, and closes whatever is leased', async () => {
    const fleet = new SaidFleet()
    world = await World.start({ fleet: () => fleet })
    fleet.holds('gross_value', '600')
    expect(await world.ask(entry)).toMatchObject({ status: 'ok' })
    await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
    expect(world.guard.exposure()?.used('gross_value').toString()).toBe('400')
    // 0.1 x 4000 are open: 200 are left.
    expect(await world.ask(entry)).toMatchObject({ verdict: 'resize', size: '0.0498' })
    fleet.holds('gross_value', '300')
    const refused = await world.ask(entry)
    expect(refused).toMatchObject({ verdict: 'veto', code: 'fleet_limit' })
    expect(await world.positions()).toEqual({ ETH: '0.1498' })
    await world.ask(orders(order(1, false, '3900', '0.1498', reduceOnly)))
    expect(await world.positions()).toEqual({})
  })

  test('what rests and what is on its way counts as used', async () => {
    const fleet = new SaidFleet()
    world = await World.start({ fleet: () => fleet })
    fleet.holds('gross_value', '600')
    const resting = orders(order(1, true, '3900', '0.1', gtc))
    const both = await Promise.all([world.ask(resting), world.ask(resting)])
    const [first, second] = both.map((each) => each.verdict)
    expect([first, second]).toEqual(['resize', 'resize'])
    await world.until(() => world.guard.status().in_flight === 0, 'all answered')
    // Of two at once the second found what the first had left.
    const used = world.guard.exposure()?.used('coin_value:ETH') ?? Decimal.zero
    expect(used.lte(Decimal.of('600'))).toBe(true)
    expect(used.gt(Decimal.of('590'))).toBe(true)
  })

  test('once its lease has ended nothing opens, and everything gets out', async () => {
    const fleet = new SaidFleet()
    world = await World.start({ fleet: () => fleet })
    await world.ask(entry)
    await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
    fleet.said = { ended: 'the store was last heard 301 s ago', parts: [] }
    expect(await world.ask(entry)).toMatchObject({ verdict: 'veto', code: 'fleet_unreachable' })
    expect(world.guard.status().entries).toEqual({
      ...{ pass: false, reason: 'the store was last heard 301 s ago' },
    })
    expect(
      world.guard.preview(new TextEncoder().encode(JSON.stringify({ action: entry }))),
    ).toMatchObject({ body: { verdict: 'veto', code: 'fleet_unreachable' } })
    const closed = await world.ask(orders(order(1, false, '3900', '0.1', reduceOnly)))
    expect(closed).toMatchObject({ status: 'ok' })
    expect(await world.positions()).toEqual({})
  })

  test('every decision can be judged again from its record', async () => {
    const fleet = new SaidFleet()
    world = await World.start({ fleet: () => fleet })
    fleet.holds('open_risk', '2')
    await world.ask(entry)
    fleet.holds('coin_value:ETH', '1')
    await world.ask(entry)
    fleet.said = { ended: 'not heard', parts: [] }
    await world.ask(entry)
    await world.stopGuard()
    const codes: string[] = []
    await world.reopen(async (opened) => {
      for await (const { body } of opened.replay(0)) {
        if (body.kind !== 'decision') continue
        const { code, text, verdict, changes } = body
        expect(replayDecision(body)).toMatchObject({ code, text, verdict, changes })
        codes.push(code)
      }
    })
    expect(codes).toEqual(['resized', 'fleet_limit', 'fleet_unreachable'])
  })

  test('in paper mode nothing is leased and nothing is bound by it', async () => {
    const fleet = new SaidFleet()
    fleet.said = { ended: 'not heard', parts: [] }
    world = await World.start({ mode: 'paper', fleet: () => fleet })
    expect(world.guard.exposure()).toBe(null)
    expect(await world.ask(entry)).toMatchObject({ verdict: 'resize' })
    expect(world.guard.status()).toMatchObject({ entries: { pass: true }, fleet: { lease: null } })
  })
})

describe('the right to act for the account', () => {
  const gone = 'the right to act was last given 10 s ago'

  test('is looked at when an entry leaves: lost since it was judged, it stays here', async () => {
    const fleet = new SaidFleet()
    world = await World.start({ fleet: () => fleet })
    const letGo = world.disk.hold()
    const asked = world.ask(entry)
    await world.until(() => world.guard.status().in_flight > 0, 'the entry to be judged')
    fleet.notWriter = gone
    letGo()
    expect(JSON.stringify(await asked)).toContain(gone)
    expect(await world.positions()).toEqual({})
    await world.until(() => world.guard.status().in_flight === 0, 'it to be let go of')
    expect(world.guard.exposure()?.used('gross_value').isZero()).toBe(true)
    expect(world.guard.status().entries).toEqual({ pass: false, reason: gone })
    // Held again, entries leave again.
    fleet.notWriter = null
    expect(await world.ask(entry)).toMatchObject({ status: 'ok' })
  })

  test('without it bots’ exits, stops for what has none, and closes after a kill go on', async () => {
    const fleet = new SaidFleet()
    world = await World.start({ fleet: () => fleet })
    await world.ask(entry)
    await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
    fleet.notWriter = gone
    const half = await world.ask(orders(order(1, false, '3900', '0.05', reduceOnly)))
    expect(half).toMatchObject({ status: 'ok' })
    // Opened by hand, without a stop: it gets one.
    await world.outside(orders(order(2, true, '201', '2')))
    const isCovered = (coin: string): boolean =>
      world.guard.status().positions.some((each) => each.coin === coin && each.covered)
    await world.until(() => isCovered('SOL'), 'a stop for what was opened by hand')
    await world.kill('enough')
    await world.until(async () => Object.keys(await world.positions()).length === 0, 'flat')
  })

  test('what a member of a fleet signs can happen for five seconds, and no longer', async () => {
    const lives: number[] = []
    const signer = (real: Signer): Signer => ({
      ...real,
      sign: (action, nonce, expiresAfter) => {
        lives.push(expiresAfter - world.machine.now())
        return real.sign(action, nonce, expiresAfter)
      },
    })
    world = await World.start({ fleet: () => new SaidFleet(), signer })
    await world.ask(entry, { expiresAfter: Date.now() + 60_000 })
    await world.kill('enough')
    await world.until(async () => Object.keys(await world.positions()).length === 0, 'flat')
    expect(lives.length).toBeGreaterThan(2)
    for (const life of lives) expect(life).toBeLessThanOrEqual(5_100)
  })
})
