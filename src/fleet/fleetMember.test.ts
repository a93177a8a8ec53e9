import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { millis } from '../core/values/millis.ts'
import { systemTimers } from '../system/systemTimers.ts'
import { Cutting } from './cutting.fixture.ts'
import {
  account,
  clock,
  emptyJournal,
  LatchedGuard,
  memberOf,
  startFleet,
  until,
} from './fleet.fixture.ts'
import type { TestFleet } from './fleet.fixture.ts'
import type { FleetMember } from './fleetMember.ts'
import { isPostgresThere } from './postgres.fixture.ts'

const members: FleetMember[] = []
afterEach(async () => {
  for (const member of members.splice(0)) await member.stop()
})

/** A Guard that has joined, or tries to. */
function joined(
  url: string,
  guard = new LatchedGuard(),
  whose = account,
): [LatchedGuard, FleetMember] {
  const member = memberOf(url, whose)
  members.push(member)
  member.attach({ guard, clock, journal: emptyJournal })
  return [guard, member]
}

test('a store that is away is told after a while, and changes nothing else', async () => {
  const [guard, member] = joined('postgresql://me:hush@127.0.0.1:1/x')
  expect(member.problem).toBe(null)
  expect(member.status()).toEqual({
    lease: { spare_until_ms: null, ended: expect.stringContaining('has not told'), parts: [] },
    writer: { state: 'waits', at_host: null, held: false, epoch: null, until_ms: null },
    name: null,
    group: null,
    store: 'down',
    epoch: null,
    outbox_lag: null,
  })
  await until(() => member.problem !== null)
  expect(member.problem).toContain('x at 127.0.0.1:1')
  expect(member.problem).toContain('exits and cancels pass')
  expect(member.problem).not.toContain('hush')
  expect(guard.heard).toEqual([])
})

test('one that hangs holds up neither the start nor the stop', async () => {
  const sockets: Socket[] = []
  const listener = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1')
  await new Promise((resolve) => listener.once('listening', resolve))
  const { port } = listener.address() as AddressInfo
  const [, member] = joined(`postgresql://me@127.0.0.1:${port}/x`)
  await until(() => sockets.length > 0)
  const ended = Promise.all(sockets.map((each) => new Promise((done) => each.once('close', done))))
  for (const socket of sockets) socket.on('error', () => undefined).resume()
  await member.stop()
  // Its connection is gone with it: nothing keeps the process from ending.
  await ended
  await new Promise((resolve) => listener.close(resolve))
})

describe.skipIf(!isPostgresThere)('with a real store', () => {
  let fleet: TestFleet
  beforeAll(async () => {
    fleet = await startFleet()
  })
  afterAll(() => fleet.stop())

  const acks = (epoch: number): Promise<string> =>
    fleet.server.psql(
      `select flat_at is not null, round(extract(epoch from latched_at) * 1000) from guard.acks where epoch = ${epoch}`,
    )

  test('it says how it is, and where its journal ends', async () => {
    joined(fleet.memberUrl)
    const told =
      "select r.body ->> 'equity', r.body ->> 'positions', g.head_seq, left(g.head_hash, 2) from guard.reports r join guard.guards g on g.id = r.guard_id"
    await until(async () => (await fleet.server.psql(told)) === '10000.5|1|0|00')
  })

  test('it joins, latches when killed, and acknowledges both moments', async () => {
    const [guard, member] = joined(fleet.memberUrl)
    await until(() => member.status().store === 'up')
    expect(member.status()).toMatchObject({ name: 'desk-1', group: 'desk', epoch: null })
    expect(member.problem).toBe(null)
    expect(
      await fleet.server.psql(
        'select version, host, config_hash, last_seen is null from guard.guards',
      ),
    ).toBe('1.0|here|c|f')
    let isOnDisk: () => void = () => undefined
    guard.kept = new Promise((resolve) => (isOnDisk = resolve))
    const epoch = await fleet.kill()
    await until(() => guard.heard.length > 0)
    expect(guard.heard).toEqual([`the feed is wrong (fleet epoch ${epoch})`])
    // Until the latch is on its disk the fleet is not told that it is.
    await fleet.askedTwice()
    expect(await acks(epoch)).toBe('')
    isOnDisk()
    await until(async () => (await acks(epoch)).startsWith('f|'))
    guard.isFlat = true
    await until(async () => (await acks(epoch)).startsWith('t|'))
    const [, latchedMs] = (await acks(epoch)).split('|')
    expect(Math.abs(Number(latchedMs) - (guard.obeyed?.at ?? 0))).toBeLessThan(1_000)
    expect(member.status().epoch).toBe(epoch)
  })

  test('the same epoch latches once, a newer one again', async () => {
    const guard = new LatchedGuard()
    const first = await fleet.kill('group:desk', 'one')
    const [, member] = joined(fleet.memberUrl, guard)
    await until(() => guard.heard.length === 1)
    expect(guard.heard[0]).toContain(`(fleet epoch ${first})`)
    await member.stop()
    guard.release()
    // The next run: what its journal says was obeyed is not obeyed again, though it is still raised.
    const [, again] = joined(fleet.memberUrl, guard)
    await until(() => again.status().store === 'up')
    await fleet.askedTwice()
    expect(guard.heard).toHaveLength(1)
    const second = await fleet.kill(`account:testnet:${account}`, 'two')
    await until(() => guard.heard.length === 2)
    expect(guard.heard[1]).toBe(`two (fleet epoch ${second})`)
  })

  test('of several the newest is obeyed, and a reason cannot steer a terminal', async () => {
    await fleet.kill('fleet', 'older')
    await fleet.server.psql("select guard.raise_kill('group:desk', E'red \\x1b[31m alert', 'r')")
    const [guard] = joined(fleet.memberUrl)
    await until(() => guard.heard.length > 0)
    expect(guard.heard[0]).toMatch(/^red [^\u001b]+ alert \(fleet epoch \d+\)$/)
  })

  test('a latch of an earlier run whose acknowledgement was lost is acknowledged by the next', async () => {
    const epoch = await fleet.kill()
    const guard = new LatchedGuard()
    await guard.latch.obey('x', epoch)
    guard.isFlat = true
    joined(fleet.memberUrl, guard)
    await until(async () => (await acks(epoch)).startsWith('t|'))
    expect(guard.heard).toEqual(['x'])
  })

  test('a kill is heard at the next second where no notification comes', async () => {
    const [guard, member] = joined(fleet.memberUrl)
    await until(() => member.status().store === 'up')
    // Written past the function: nobody is notified.
    const raised = await fleet.server.psql(
      "update guard.control set epoch = epoch + 10000, state = 'killed' where scope = 'fleet' returning epoch",
    )
    const epoch = Number(raised)
    await until(() => guard.obeyed?.epoch === epoch)
  })

  test('cleared, it latches nobody who joins later', async () => {
    await fleet.server.psql('select guard.clear_kill(scope) from guard.control')
    const [guard, member] = joined(fleet.memberUrl)
    await until(() => member.status().store === 'up')
    await fleet.askedTwice()
    expect(guard.heard).toEqual([])
  })

  test('the server is killed and comes back: it is down, then up, and hears again', async () => {
    const [guard, member] = joined(fleet.memberUrl)
    await until(() => member.status().store === 'up')
    await fleet.server.kill()
    await until(() => member.status().store === 'down')
    await until(() => member.problem !== null)
    await fleet.server.start()
    const epoch = await fleet.kill()
    await until(() => guard.obeyed?.epoch === epoch)
    expect(member.problem).toBe(null)
  })

  test('a server that hangs in the middle is given up, and found again', async () => {
    const [guard, member] = joined(fleet.memberUrl)
    await until(() => member.status().store === 'up')
    const pids = await fleet.server.psql(
      "select pid from pg_stat_activity where usename like 'guard_testnet%'",
    )
    for (const pid of pids.split('\n')) process.kill(Number(pid), 'SIGSTOP')
    await until(() => member.status().store === 'down')
    const epoch = await fleet.kill()
    await until(() => guard.obeyed?.epoch === epoch)
    for (const pid of pids.split('\n')) process.kill(Number(pid), 'SIGCONT')
  })

  test('a store that takes nothing, as with a full disk, is told, and found again', async () => {
    await fleet.server.psql('alter database postgres set default_transaction_read_only = on')
    const [guard, member] = joined(fleet.memberUrl)
    await until(() => member.problem?.includes('read-only') === true)
    expect(guard.heard).toEqual([])
    await fleet.server.psql(
      'begin read write; alter database postgres reset default_transaction_read_only; commit',
    )
    await until(() => member.status().store === 'up')
    expect(member.problem).toBe(null)
  })

  test('the URL of another account is no member, and says so', async () => {
    const other = `0x${'b2'.repeat(20)}`
    const [guard, member] = joined(fleet.memberUrl, new LatchedGuard(), other)
    await until(() => member.problem?.includes('the role of another account') === true)
    expect(guard.heard).toEqual([])
  })

  test('fifty kills are each heard by notification alone', async () => {
    const guard = new LatchedGuard()
    let ms = 1_000_000
    // As a person raises them: more than some in a second would count as a flood.
    const slow = { now: () => millis(ms), monotonicMs: () => ms }
    // No clock ever makes it ask.
    const timers = { ...systemTimers, every: () => () => undefined }
    const member = memberOf(fleet.memberUrl, account, timers)
    members.push(member)
    member.attach({ guard, clock: slow, journal: emptyJournal })
    await until(() => member.status().store === 'up')
    for (let tries = 0; tries < 50; tries += 1) {
      const epoch = await fleet.kill()
      await until(() => guard.obeyed?.epoch === epoch)
      ms += 2_000
    }
    expect(guard.heard.length).toBeGreaterThanOrEqual(50)
  })

  test('in paper mode it neither leases nor has the right to act, and hears kills', async () => {
    const guard = new LatchedGuard()
    guard.mode = 'paper'
    await fleet.server.psql('delete from guard.writers')
    const [, member] = joined(fleet.memberUrl, guard)
    await until(() => member.status().store === 'up')
    const epoch = await fleet.kill()
    await until(() => guard.obeyed?.epoch === epoch)
    expect(member.status()).toMatchObject({ lease: null, writer: null })
    expect(await fleet.server.psql('select count(*) from guard.writers')).toBe('0')
    await fleet.server.psql('select guard.clear_kill(scope) from guard.control')
  })

  test('cut off, it opens nothing once another may; that one takes over, and it learns so', async () => {
    const proxy = await Cutting.before(fleet.server.port)
    let ms = 1_000_000
    const own = { now: () => millis(ms), monotonicMs: () => ms }
    const lost: string[] = []
    const attached = (url: string, instance: string): FleetMember => {
      const member = memberOf(url, account, systemTimers, instance)
      members.push(member)
      const onLost = (reason: string): void => void lost.push(reason)
      member.attach({ guard: new LatchedGuard(), clock: own, journal: emptyJournal, onLost })
      return member
    }
    const far = attached(fleet.memberUrl.replace(/:\d+\//, `:${proxy.port}/`), 'far')
    await until(() => far.notWriter === null)
    const near = attached(fleet.memberUrl, 'near')
    await until(() => near.notWriter?.includes('has the right to act') === true)
    proxy.cut()
    await until(() => far.status().store === 'down')
    // Ten seconds by its own clock, the store's goes on by itself: neither has it.
    ms += 10_000
    expect(far.notWriter).toContain('exits and cancels pass')
    await fleet.server.psql("update guard.writers set until = until - interval '15 seconds'")
    const looks = setInterval(() => (ms += 100), 20)
    await until(() => near.notWriter === null)
    expect(far.notWriter).not.toBe(null)
    proxy.mend()
    await until(() => lost.length > 0)
    clearInterval(looks)
    expect(lost).toEqual([expect.stringContaining('another Guard acts for this account (at here')])
    expect(far.notWriter).toBe(lost[0])
    // Its records would be another chain: it copies none.
    expect(await fleet.server.psql('select writer_epoch > 0 from guard.guards')).toBe('t')
    await proxy.close()
  })

  test('a flood of notifications keeps no kill from being heard', async () => {
    const [guard, member] = joined(fleet.memberUrl)
    await until(() => member.status().store === 'up')
    const flood = fleet.server.psql(
      `do $$ begin for i in 1..40 loop for j in 1..500 loop perform pg_notify('guard_control', i || ' ' || j || repeat('x', 4000)); end loop; commit; end loop; end $$`,
    )
    const epoch = await fleet.kill()
    await until(() => guard.obeyed?.epoch === epoch)
    await flood
    await until(() => member.status().store === 'up')
  })
})
