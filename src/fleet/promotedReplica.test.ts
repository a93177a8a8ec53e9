import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { account, addOther, clock, emptyJournal, other, startFleet } from './fleet.fixture.ts'
import { LatchedGuard, memberOf, until } from './fleet.fixture.ts'
import type { TestFleet } from './fleet.fixture.ts'
import { leaseTimes, writerTimes } from './leaseTimes.ts'
import { isPostgresThere } from './postgres.fixture.ts'
import type { TestServer } from './postgres.fixture.ts'

const { heldMs, signedMs } = writerTimes

/** The same URL at another server. */
const at = (server: TestServer, url: string): string =>
  url.replace(/:\d+\/postgres$/, `:${server.port}/postgres`)

describe.skipIf(!isPostgresThere)('a replica that had not heard everything is promoted', () => {
  let fleet: TestFleet
  let replica: TestServer
  /** Who answers now: the primary, then the replica. */
  let store: TestServer
  const urls: Record<string, string> = {}
  beforeAll(async () => {
    fleet = await startFleet()
    store = fleet.server
    urls['one'] = fleet.memberUrl
    urls['two'] = await addOther(fleet)
    for (const kind of ['open_risk', 'gross_value']) {
      await store.psql(`select guard.set_limit('fleet', '${kind}', 100)`)
    }
    replica = await fleet.server.replica()
  })
  afterAll(async () => {
    await replica.stop()
    await fleet.stop()
  })
  const as = (who: string, statement: string): Promise<string> =>
    store.psqlAs(at(store, urls[who] ?? ''), statement)
  /** What the member holds then of a budget. */
  async function lease(who: string, kind: string, asked: object): Promise<number> {
    const turn = await as(who, 'select guard.begin_leases()')
    const asks = JSON.stringify([{ scope: 'fleet', kind, ...asked }])
    const held = `select trim_scale(held) from guard.renew_leases(${turn}, '${asks}') where was_asked`
    return Number(await as(who, held))
  }
  const hold = (who: string, home: string, run: string, epoch: number): Promise<string> =>
    as(who, `select outcome, epoch from guard.tell_writer('${home}', '${run}', ${epoch}, '{}')`)
  const sum = (kind: string): Promise<string> =>
    store.psql(
      `select trim_scale(leased), (select trim_scale(sum(held_usd)) from guard.leases l where l.kind = b.kind) from guard.budgets b where kind = '${kind}'`,
    )
  /** So much time passes at the store. */
  const pass = (ms: number): Promise<string> =>
    store.psql(
      `update guard.leasing set since = since - interval '${ms} milliseconds'; update guard.writers set until = until - interval '${ms} milliseconds'`,
    )

  test('on the primary, heard by the replica and then not', async () => {
    for (const kind of ['open_risk', 'gross_value']) {
      expect(await lease('one', kind, { used: 10, want: 40, keep: 0 })).toBe(40)
    }
    expect(await hold('one', 'home-a', 'run-a', 0)).toBe('held|1')
    const heard = "select count(*) from guard.leases l, guard.writers w where run = 'run-a'"
    await until(async () => (await replica.psql(heard)) === '2')
    await replica.kill()
    await replica.start('primary_conninfo=host=127.0.0.1 port=1')
    // From here on the replica hears nothing: who held much gives it back, and another gets it.
    for (const kind of ['open_risk', 'gross_value']) {
      expect(await lease('one', kind, { used: 10, want: 10, keep: 10 })).toBe(10)
      expect(await lease('two', kind, { used: 20, want: 90, keep: 20 })).toBe(90)
    }
    await pass(heldMs + signedMs)
    expect(await hold('one', 'home-b', 'run-b', 0)).toBe('held|2')
    await fleet.server.kill()
    store = replica
    expect(await replica.psql('select pg_promote()')).toBe('t')
    // What the replica remembers is what was so before.
    expect(await sum('open_risk')).toBe('40|40')
    expect(await as('one', 'select run, epoch from guard.writers')).toBe('run-a|1')
  })

  test('nothing is granted twice: each has what it relies on, as far as there is room', async () => {
    // Whoever is remembered with more than it relies on comes first, and has no more than that.
    expect(await lease('one', 'open_risk', { used: 10, want: 40, keep: 10 })).toBe(10)
    expect(await lease('two', 'open_risk', { used: 20, want: 90, keep: 90 })).toBe(90)
    expect(await sum('open_risk')).toBe('100|100')
    // The other way round: what is remembered of the first is not given to the second meanwhile.
    expect(await lease('two', 'gross_value', { used: 20, want: 90, keep: 90 })).toBe(60)
    expect(await lease('one', 'gross_value', { used: 10, want: 40, keep: 10 })).toBe(10)
    expect(await sum('gross_value')).toBe('70|70')
    // Room that is left is leased to nobody before the time of a lease is over.
    await pass(leaseTimes.spareMs - 60_000)
    expect(await lease('one', 'gross_value', { used: 10, want: 40, keep: 10 })).toBe(10)
    await pass(60_000)
    expect(await lease('one', 'gross_value', { used: 10, want: 40, keep: 10 })).toBe(40)
    expect(await sum('gross_value')).toBe('100|100')
  })

  test('nobody acts twice: both homes wait, and one of them has the right then', async () => {
    // Back to the moment after the promotion, in which both believe something.
    await store.psql('update guard.leasing set since = clock_timestamp()')
    expect(await hold('one', 'home-b', 'run-b', 2)).toBe('waits|1')
    expect(await hold('one', 'home-a', 'run-a', 1)).toBe('waits|1')
    await pass(heldMs + signedMs - 2_000)
    expect(await hold('one', 'home-a', 'run-a', 1)).toBe('waits|1')
    await pass(2_000)
    // Its epoch is above the one that this server had lost, and the other one learns of it.
    expect(await hold('one', 'home-b', 'run-b', 2)).toBe('held|3')
    expect(await hold('one', 'home-a', 'run-a', 1)).toBe('lost|3')
    expect(await hold('one', 'home-b', 'run-b', 3)).toBe('held|3')
  })
})

describe.skipIf(!isPostgresThere)('a kill that a promoted replica had not heard', () => {
  let fleet: TestFleet
  let replica: TestServer
  beforeAll(async () => {
    fleet = await startFleet()
    replica = await fleet.server.replica()
  })
  afterAll(async () => {
    await replica.stop()
    await fleet.stop()
  })

  test('is told to it by who obeyed it, stays obeyed, and the next one reaches all', async () => {
    const urlOfTwo = await addOther(fleet)
    const added = 'select count(*) from guard.guards'
    await until(async () => (await replica.psql(added)) === '2')
    await replica.kill()
    await replica.start('primary_conninfo=host=127.0.0.1 port=1')
    const [heard, deaf] = [new LatchedGuard(), new LatchedGuard()]
    const before = memberOf(fleet.memberUrl)
    before.attach({ guard: heard, clock, journal: emptyJournal })
    const lost = await fleet.kill()
    await until(() => heard.obeyed?.epoch === lost)
    await before.stop()
    await fleet.server.kill()
    expect(await replica.psql('select pg_promote()')).toBe('t')
    expect(await replica.psql('select count(*) from guard.control')).toBe('0')

    const one = memberOf(at(replica, fleet.memberUrl))
    one.attach({ guard: heard, clock, journal: emptyJournal })
    const two = memberOf(at(replica, urlOfTwo), other)
    two.attach({ guard: deaf, clock, journal: emptyJournal })
    const told = `select obeyed_epoch, a.epoch from guard.guards g join guard.acks a on a.guard_id = g.id where account = '${account}'`
    await until(async () => (await replica.psql(told)) === `${lost}|${lost}`)
    await until(() => two.status().store === 'up')
    // The latch is on the disk of who obeyed; the store alone cannot tell the other one.
    expect([heard.obeyed?.epoch, deaf.obeyed]).toEqual([lost, null])
    const raise = "select guard.raise_kill('fleet', 'once more', 'r')"
    const next = Number(await replica.psql(raise))
    expect(next).toBeGreaterThan(Math.max(lost, 2_000_000))
    await until(() => heard.obeyed?.epoch === next && deaf.obeyed?.epoch === next)
    await Promise.all([one.stop(), two.stop()])
  })
})

describe.skipIf(!isPostgresThere)('with a synchronous replica', () => {
  let fleet: TestFleet
  let replica: TestServer
  beforeAll(async () => {
    fleet = await startFleet()
    replica = await fleet.server.replica()
    await fleet.server.psql("alter system set synchronous_standby_names = '*'")
    await fleet.server.psql('select pg_reload_conf()')
    const isSync = "select count(*) from pg_stat_replication where sync_state = 'sync'"
    await until(async () => (await fleet.server.psql(isSync)) === '1')
  })
  afterAll(async () => {
    await replica.stop()
    await fleet.stop()
  })

  test('a kill is answered once the replica shows it, so that no failover loses it', async () => {
    const highest = "select coalesce(max(epoch), 0) from guard.control where state = 'killed'"
    await replica.psql('select pg_wal_replay_pause()')
    let answered: number | null = null
    const asking = fleet.kill().then((epoch) => (answered = epoch))
    const waiting = "select count(*) from pg_stat_activity where wait_event = 'SyncRep'"
    await until(async () => (await fleet.server.psql(waiting)) === '1')
    expect([answered, await replica.psql(highest)]).toEqual([null, '0'])
    await replica.psql('select pg_wal_replay_resume()')
    const epoch = await asking
    // Not a moment later: by the time of the answer it is there.
    expect(await replica.psql(highest)).toBe(String(epoch))
    await fleet.server.kill()
    expect(await replica.psql('select pg_promote()')).toBe('t')
    const guard = new LatchedGuard()
    const member = memberOf(at(replica, fleet.memberUrl))
    member.attach({ guard, clock, journal: emptyJournal })
    await until(() => guard.obeyed?.epoch === epoch)
    await member.stop()
  })
})
