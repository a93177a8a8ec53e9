import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Lease } from '../core/judge/lease.ts'
import { coin } from '../core/values/coin.ts'
import { Decimal } from '../core/values/decimal.ts'
import { millis } from '../core/values/millis.ts'
import type { AccountExposure } from '../engine/fleetView.ts'
import type { Clock } from '../engine/ports.ts'
import { Cutting } from './cutting.fixture.ts'
import {
  account,
  addOther,
  emptyJournal,
  LatchedGuard,
  memberOf,
  other,
  startFleet,
  until,
} from './fleet.fixture.ts'
import type { TestFleet } from './fleet.fixture.ts'
import type { FleetMember } from './fleetMember.ts'
import { LeaseKeeper } from './leaseKeeper.ts'
import { isPostgresThere } from './postgres.fixture.ts'
import { StoreError } from './storeSession.ts'
import type { StoreRow, StoreSession } from './storeSession.ts'

const eth = coin('ETH')

/** A clock that a test sets: time goes on only where it says so. */
class SetClock implements Clock {
  ms = 1_000_000
  /** How far the venue's time is ahead of the machine's. */
  aheadMs = 0
  now(): ReturnType<Clock['now']> {
    return millis(this.ms + this.aheadMs)
  }
  monotonicMs(): number {
    return this.ms
  }
}

/** An account that uses what a test says, and would hold `most` of everything. */
class Counts implements AccountExposure {
  readonly uses: Record<string, string> = {}
  wants = '1000'
  used(kind: string): Decimal {
    return Decimal.of(this.uses[kind] ?? '0')
  }
  most(): Decimal {
    return Decimal.of(this.wants)
  }
}

const heldIn = ({ parts }: Lease, kind = 'open_risk'): string | null =>
  parts
    .find((part) => part.kind === kind)
    ?.held.normalised()
    .toString() ?? null

describe('a keeper', () => {
  type Answer = readonly StoreRow[] | Error
  /** A session that answers what a test says, and remembers what it was asked. */
  function sessionOf(...answers: Answer[]): StoreSession & { readonly asked: string[] } {
    const asked: string[] = []
    return {
      asked,
      isOpen: true,
      close: () => undefined,
      query: async (text, values = []) => {
        if (text.includes('begin_leases')) return [{ turn: '7' }]
        asked.push(String(values[1]))
        const answer = answers.shift() ?? new Error('nobody answers')
        if (answer instanceof Error) throw answer
        return await Promise.resolve(answer)
      },
    }
  }
  const row = (held: string, target = held, more: StoreRow = {}): StoreRow => ({
    ...{ scope: 'fleet', kind: 'open_risk', held, target, budget: '100', was_asked: true },
    ...more,
  })
  const unasked = row('0', '0', { was_asked: false, target: null })

  const clock = new SetClock()
  const counts = new Counts()
  const keeper = (exposure: () => AccountExposure | null = () => counts): LeaseKeeper =>
    new LeaseKeeper({ clock, exposure })
  beforeEach(() => {
    clock.ms = 1_000_000
    clock.aheadMs = 0
    counts.uses['open_risk'] = '10'
    counts.wants = '80'
  })

  test('lets nothing open before the store has told of everything', async () => {
    const leases = keeper()
    expect(leases.lease(eth).ended).toContain('has not told since the start')
    expect(leases.status()).toMatchObject({ spare_until_ms: null, parts: [] })
    // It hears of a budget that it has not asked about, and asks in the same go.
    const session = sessionOf([unasked], [row('60')])
    await leases.attend(session)
    expect(leases.lease(eth).ended).toBe(null)
    expect(heldIn(leases.lease(eth))).toBe('60')
    expect(session.asked).toEqual([
      '[]',
      '[{"scope":"fleet","kind":"open_risk","used":"10","want":"80","keep":"0"}]',
    ])
    expect(leases.status()).toEqual({
      spare_until_ms: 1_300_000,
      ended: null,
      parts: [{ scope: 'fleet', kind: 'open_risk', held: '60', used: '10', budget: '100' }],
    })
  })

  test('stops counting a budget that was removed at its next renewal', async () => {
    const leases = keeper()
    const session = sessionOf([unasked], [row('60')], [])
    await leases.attend(session)
    expect(leases.lease(eth).parts).toHaveLength(1)
    clock.ms += 5_000
    await leases.attend(session)
    expect(leases.lease(eth)).toEqual({ ended: null, parts: [] })
  })

  test('says nothing while the account is not seen', async () => {
    const session = sessionOf()
    await keeper(() => null).attend(session)
    expect(session.asked).toEqual([])
  })

  test('renews every five seconds, and no sooner', async () => {
    const leases = keeper()
    const session = sessionOf([], [], [])
    await leases.attend(session)
    clock.ms += 4_999
    await leases.attend(session)
    expect(session.asked).toHaveLength(1)
    clock.ms += 1
    await leases.attend(session)
    expect(session.asked).toHaveLength(2)
    // Where no budget is, nothing bounds.
    expect(leases.lease(eth)).toEqual({ ended: null, parts: [] })
  })

  test('gives back before it says so, and keeps to that though the answer is lost', async () => {
    const leases = keeper()
    await leases.attend(sessionOf([unasked], [row('80')]))
    clock.ms += 5_000
    // It should hold 30: told so, it asks at once for no more.
    const session = sessionOf([row('80', '30')], new Error('the line broke'))
    await expect(leases.attend(session)).rejects.toThrow('the line broke')
    expect(session.asked.map((each) => JSON.parse(each)[0].keep)).toEqual(['80', '30'])
    expect(heldIn(leases.lease(eth))).toBe('30')
  })

  test('keeps what is used, whatever it should hold, and gives back what it wants no more', async () => {
    const leases = keeper()
    await leases.attend(sessionOf([unasked], [row('80')]))
    counts.uses['open_risk'] = '50'
    counts.wants = '20'
    clock.ms += 5_000
    const session = sessionOf([row('50', '10')], [row('50', '50')])
    await leases.attend(session)
    expect(session.asked.map((each) => JSON.parse(each)[0].keep)).toEqual(['50', '50'])
  })

  test('ends after five minutes by the monotonic clock, from before it asked', async () => {
    const leases = keeper()
    const { query, ...quick } = sessionOf([])
    const slowly: StoreSession['query'] = async (...asked) => {
      clock.ms += 1_000
      return await query(...asked)
    }
    await leases.attend({ ...quick, query: slowly })
    clock.ms += 298_999
    expect(leases.lease(eth).ended).toBe(null)
    clock.ms += 1
    expect(leases.lease(eth).ended).toContain('was last heard 300 s ago')
    expect(leases.status().ended).toContain('was last heard 300 s ago')
  })

  test('and by the venue’s time where that went on further, as over a suspended machine', async () => {
    const leases = keeper()
    await leases.attend(sessionOf([]))
    clock.aheadMs = 300_000
    expect(leases.lease(eth).ended).toContain('was last heard 300 s ago')
    // A clock that was set back is no reason to go on for longer.
    clock.aheadMs = -10_000
    clock.ms += 300_000
    expect(leases.lease(eth).ended).toContain('was last heard 300 s ago')
  })

  test('goes on by what it was told where the store refuses, and says why', async () => {
    const leases = keeper()
    await leases.attend(sessionOf([unasked], [row('60')]))
    clock.ms += 5_000
    await leases.attend(sessionOf(new StoreError('refused', 'a deadlock', '40P01')))
    expect(leases.problem).toBe('a deadlock')
    expect(heldIn(leases.lease(eth))).toBe('60')
    clock.ms += 5_000
    await leases.attend(sessionOf([row('60')]))
    expect(leases.problem).toBe(null)
    const old = keeper()
    await old.attend(sessionOf(new StoreError('refused', 'no such function', '42883')))
    expect(old.lease(eth).ended).toContain('guard fleet init')
  })

  test('more budgets than it can keep to are none at all', async () => {
    const rows = Array.from({ length: 101 }, (_, at) => row('1', '1', { scope: `group:${at}` }))
    const leases = keeper()
    await leases.attend(sessionOf(rows))
    expect(leases.lease(eth).ended).toContain('101 budgets')
  })

  test('of a coin only what is about it counts', async () => {
    const leases = keeper()
    const kinds = ['coin_value:ETH', 'coin_value:BTC', 'gross_value']
    const rows = kinds.map((kind) => row('5', '5', { kind }))
    await leases.attend(sessionOf(rows))
    expect(leases.lease(eth).parts.map(({ kind }) => kind)).toEqual([
      'coin_value:ETH',
      'gross_value',
    ])
  })

  test('of a Guard that is latched leaves what is spare to the others, and keeps what it uses', async () => {
    let isLatched = false
    const leases = new LeaseKeeper({ clock, exposure: () => counts, isLatched: () => isLatched })
    const session = sessionOf([unasked], [row('60')], [row('10')], [row('70')])
    await leases.attend(session)
    for (const [isSo, want, keep] of [
      [true, '10', '10'],
      [false, '80', '10'],
    ] as const) {
      isLatched = isSo
      clock.ms += 5_000
      await leases.attend(session)
      expect(JSON.parse(session.asked.at(-1) ?? '')).toMatchObject([{ used: '10', want, keep }])
    }
  })

  test('that lets go opens nothing more, and gives back what is spare', async () => {
    const leases = keeper()
    await leases.attend(sessionOf([unasked], [row('60')]))
    const session = sessionOf([row('10')])
    await leases.letGo(session)
    expect(JSON.parse(session.asked[0] ?? '')).toMatchObject([
      { used: '10', want: '10', keep: '10' },
    ])
    expect(leases.lease(eth).ended).toContain('is leaving')
  })
})

describe.skipIf(!isPostgresThere)('two Guards and one budget, with a real store', () => {
  let fleet: TestFleet
  let second: string
  const members: FleetMember[] = []
  const proxies: Cutting[] = []
  beforeEach(async () => {
    fleet = await startFleet()
    second = await addOther(fleet)
  })
  afterEach(async () => {
    for (const member of members.splice(0)) await member.stop()
    for (const proxy of proxies.splice(0)) await proxy.close()
    await fleet.stop()
  })

  interface Desk {
    readonly member: FleetMember
    readonly counts: Counts
    readonly clock: SetClock
    readonly guard: LatchedGuard
  }
  /** A Guard whose pulse the test gives, and whose clock it sets. */
  function desk(url: string, whose: string, port?: number): Desk {
    const guard = new LatchedGuard()
    const [counts, clock] = [new Counts(), new SetClock()]
    guard.counts = counts
    const through = port === undefined ? url : url.replace(/:\d+\//, `:${port}/`)
    const member = memberOf(through, whose)
    members.push(member)
    member.attach({ guard, clock, journal: emptyJournal })
    return { member, counts, clock, guard }
  }
  const heldBy = ({ member }: Desk): string | null => heldIn(member.lease(eth))
  /** Lets five seconds pass until it holds what is expected. */
  const holds = async (each: readonly Desk[], expected: readonly string[]): Promise<void> => {
    await until(() => {
      for (const { clock } of each) clock.ms += 20
      return each.every((one, at) => heldBy(one) === expected[at])
    })
  }
  const limit = (usd: number, kind = 'open_risk'): Promise<string> =>
    fleet.server.psql(`select guard.set_limit('fleet', '${kind}', ${usd})`)
  const isWhole = async (): Promise<boolean> =>
    (await fleet.server.psql(
      'select bool_and(leased <= limit_usd and leased = (select coalesce(sum(held_usd), 0) from guard.leases l where l.scope = b.scope and l.kind = b.kind)) from guard.budgets b',
    )) === 't'

  test('share it evenly, and what one uses the other cannot', async () => {
    await limit(100)
    const first = desk(fleet.memberUrl, account)
    await until(() => heldBy(first) === '100')
    const later = desk(second, other)
    await holds([first, later], ['50', '50'])
    // The first uses all that it has, and the rest is divided anew.
    first.counts.uses['open_risk'] = '50'
    await holds([first, later], ['75', '25'])
    later.counts.uses['open_risk'] = '25'
    first.counts.uses['open_risk'] = '75'
    await holds([first, later], ['75', '25'])
    expect(await isWhole()).toBe(true)
    // A limit that is raised is there within a renewal.
    await limit(200)
    await holds([first, later], ['125', '75'])
  })

  test('one that is latched leaves all that it does not use to the other', async () => {
    await limit(100)
    const [first, later] = [desk(fleet.memberUrl, account), desk(second, other)]
    await holds([first, later], ['50', '50'])
    first.counts.uses['open_risk'] = '30'
    await first.guard.kill('enough')
    await holds([first, later], ['30', '70'])
    expect(await isWhole()).toBe(true)
  })

  test('one that ends in order gives back what is spare, and what it uses stays', async () => {
    await limit(100)
    const first = desk(fleet.memberUrl, account)
    await until(() => heldBy(first) === '100')
    first.counts.uses['open_risk'] = '40'
    await first.member.stop()
    const later = desk(second, other)
    await holds([later], ['60'])
    // It comes back, and reports what its account has now.
    const again = desk(fleet.memberUrl, account)
    again.counts.uses['open_risk'] = '40'
    await holds([again], ['40'])
    expect(await isWhole()).toBe(true)
  })

  test('cut off, it goes on by what it holds, until the spare part ends; mended, it goes on', async () => {
    await limit(100)
    const proxy = await Cutting.before(fleet.server.port)
    proxies.push(proxy)
    const far = desk(fleet.memberUrl, account, proxy.port)
    await until(() => heldBy(far) === '100')
    proxy.cut()
    await until(() => far.member.status().store === 'down')
    const near = desk(second, other)
    await holds([near], ['0'])
    expect(heldBy(far)).toBe('100')
    // The right to act for the account ends first.
    far.clock.ms += 200_000
    expect(far.member.lease(eth).ended).toContain('the right to act for this account')
    expect(far.member.status()).toMatchObject({
      ...{ lease: { ended: null, parts: [{ held: '100' }] }, writer: { held: false } },
    })
    // What it uses meanwhile nobody else may have, however long it is away.
    far.counts.uses['open_risk'] = '100'
    far.clock.ms += 100_000
    expect(far.member.lease(eth).ended).toContain('exits and cancels pass')
    expect(far.member.status().lease?.ended).toContain('counts for 300 s')
    await fleet.server.psql("update guard.leases set spare_until = now() - interval '1 day'")
    near.clock.ms += 400_000
    await holds([near], ['0'])
    proxy.mend()
    await holds([far], ['100'])
    far.counts.uses['open_risk'] = '0'
    await holds([far, near], ['50', '50'])
    expect(await isWhole()).toBe(true)
  })

  test('an answer that is lost leaves it with no more than the store counts', async () => {
    await limit(100)
    const proxy = await Cutting.before(fleet.server.port)
    proxies.push(proxy)
    const far = desk(fleet.memberUrl, account, proxy.port)
    await until(() => heldBy(far) === '100')
    far.counts.wants = '30'
    proxy.isDeaf = true
    far.clock.ms += 5_000
    await until(() => proxy.swallowed > 0 && far.member.status().store === 'down')
    const relied = far.member.status().lease?.parts[0]?.held
    expect(['30', '100']).toContain(relied)
    const counted = Number(await fleet.server.psql('select held_usd from guard.leases'))
    expect(Number(relied)).toBeLessThanOrEqual(counted)
    proxy.mend()
    proxy.cut()
    proxy.mend()
    await holds([far], ['30'])
    expect(await isWhole()).toBe(true)
  })

  test('the server is killed under load, and comes back: never more than there is', async () => {
    await limit(100)
    const both = [desk(fleet.memberUrl, account), desk(second, other)]
    for (let round = 0; round < 4; round += 1) {
      for (let step = 0; step < 20; step += 1) {
        for (const [at, { counts, clock, member }] of both.entries()) {
          clock.ms += 1_000
          const held = Number(member.status().lease?.parts[0]?.held ?? '0')
          // Entries take what is held, exits give it back.
          const used = Math.floor((held * ((step * 7 + at * 3 + round) % 11)) / 11)
          counts.uses['open_risk'] = String(used)
        }
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      await fleet.server.kill()
      await until(() => both.every(({ member }) => member.status().store === 'down'))
      await fleet.server.start()
      expect(await isWhole()).toBe(true)
      const relied = both.map(({ member }) => Number(member.status().lease?.parts[0]?.held ?? '0'))
      const counted = await fleet.server.psql(
        "select l.held_usd from guard.leases l join guard.guards g on g.id = l.guard_id order by g.name = 'desk-2'",
      )
      counted.split('\n').forEach((one, at) => {
        expect(relied[at] ?? 0).toBeLessThanOrEqual(Number(one))
      })
    }
    for (const { counts } of both) counts.uses['open_risk'] = '0'
    await holds(both, ['50', '50'])
  }, 60_000)
})
