import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { account, startFleet } from '../fleet.fixture.ts'
import type { TestFleet } from '../fleet.fixture.ts'
import { isPostgresThere } from '../postgres.fixture.ts'

describe.skipIf(!isPostgresThere)('who may act for an account, by a real server', () => {
  let fleet: TestFleet
  beforeAll(async () => {
    fleet = await startFleet()
    for (const role of ['operator', 'monitor']) {
      await fleet.server.psql(
        `create role ${role} login password 'pw'; grant guard_${role} to ${role}`,
      )
    }
    await asMember(`select * from guard.join_fleet('testnet', '${account}', '1', 'here', 'c', 0)`)
  })
  afterAll(() => fleet.stop())
  beforeEach(async () => {
    await fleet.server.psql('delete from guard.writers; update guard.guards set writer_epoch = 0')
    await fleet.server.psql("update guard.leasing set since = '-infinity'")
  })
  const asMember = (statement: string): Promise<string> =>
    fleet.server.psqlAs(fleet.memberUrl, statement)
  const ask = (instance: string, run: string, epoch: number): Promise<string> =>
    asMember(
      `select outcome, epoch, is_own from guard.hold_writer('${instance}', '${run}', ${epoch})`,
    )
  const ended = (how = '0 seconds'): Promise<string> =>
    fleet.server.psql(`update guard.writers set until = clock_timestamp() - interval '${how}'`)
  const stream = (): Promise<string> => fleet.server.psql('select writer_epoch from guard.guards')

  test('only the member itself asks for it; others see who has it', async () => {
    for (const role of ['operator', 'monitor']) {
      const url = fleet.server.urlOf(role, 'pw')
      const asked = await fleet.server.psqlAs(url, "select guard.hold_writer('a', 'b', 0)")
      expect(asked).toContain('permission denied')
      const freed = await fleet.server.psqlAs(url, "select guard.release_writer('b', 1)")
      expect(freed).toContain('permission denied')
    }
    await ask('home', 'run-1', 0)
    const monitor = fleet.server.urlOf('monitor', 'pw')
    const seen = 'select epoch, host, until > now() from guard.writers'
    expect(await fleet.server.psqlAs(monitor, seen)).toBe('1|here|t')
    expect(await asMember(seen)).toBe('1|here|t')
    expect(await asMember('delete from guard.writers')).toContain('permission denied')
  })

  test('one run has it, renews it for ten seconds each, and nobody else gets it meanwhile', async () => {
    expect(await ask('home', 'run-1', 0)).toBe('held|1|t')
    expect(await ask('home', 'run-1', 1)).toBe('held|1|t')
    const left =
      'select extract(epoch from until - clock_timestamp()) between 8 and 10 from guard.writers'
    expect(await fleet.server.psql(left)).toBe('t')
    expect(await ask('elsewhere', 'run-2', 0)).toBe('waits|1|f')
    // Its own home, started anew, waits too: the run before may not have ended.
    expect(await ask('home', 'run-3', 0)).toBe('waits|1|t')
    expect(await ask('home', 'run-1', 1)).toBe('held|1|t')
  })

  test('the account of a member that was retired is free once its Guard cannot act any more', async () => {
    const insert = (at: string) =>
      fleet.server.psql(
        `insert into guard.guards (network, account, name, role, retired_at) values ('testnet', '${account}', 'gone', 'retired_x', clock_timestamp() - interval '${at}')`,
      )
    await insert('5 seconds')
    expect(await ask('home', 'run-1', 0)).toBe('waits|0|t')
    await fleet.server.psql("delete from guard.guards where name = 'gone'")
    await insert('16 seconds')
    expect(await ask('home', 'run-1', 0)).toBe('held|1|t')
    await fleet.server.psql("delete from guard.guards where name = 'gone'")
  })

  test('a kill beyond the bound, raised after a false word, is acknowledged like any other', async () => {
    await asMember('select guard.acknowledge(4000000000000000, 1, 1)')
    const epoch = await fleet.kill()
    expect(epoch).toBe(4_000_000_000_000_001)
    expect(await asMember(`select guard.acknowledge(${epoch}, 1, 1)`)).toBe('')
    expect(await asMember(`select guard.acknowledge(${epoch + 1}, 1, 1)`)).toContain('an epoch is')
    await fleet.server.psql('delete from guard.control; delete from guard.acks')
    await fleet.server.psql('update guard.guards set obeyed_epoch = 0')
  })

  test('ended and not taken, it goes on under its own epoch', async () => {
    await ask('home', 'run-1', 0)
    await ended('1 hour')
    expect(await ask('home', 'run-1', 1)).toBe('held|1|t')
  })

  test('the next run of a home takes it once it has ended; another home five seconds later', async () => {
    await ask('home', 'run-1', 0)
    await ended('4 seconds')
    expect(await ask('elsewhere', 'run-2', 0)).toBe('waits|1|f')
    expect(await ask('home', 'run-3', 0)).toBe('held|2|t')
    // The same journal: what is kept of it goes on.
    expect(await stream()).toBe('0')
    await ended('5 seconds')
    expect(await ask('elsewhere', 'run-2', 0)).toBe('held|3|t')
    expect(await stream()).toBe('3')
    // Who comes back learns it, and does not get it back.
    expect(await ask('home', 'run-3', 2)).toBe('lost|3|f')
    await ended('1 hour')
    expect(await ask('home', 'run-3', 2)).toBe('lost|3|f')
  })

  test('given back, it is free at once for the same home', async () => {
    await ask('home', 'run-1', 0)
    await asMember("select guard.release_writer('run-1', 7)")
    expect(await ask('home', 'run-2', 0)).toBe('waits|1|t')
    await asMember("select guard.release_writer('run-1', 1)")
    expect(await ask('home', 'run-2', 0)).toBe('held|2|t')
  })

  test('after a failover nobody has it for a lease time; then epochs go on above all that were', async () => {
    await ask('home', 'run-1', 0)
    await fleet.server.psql('update guard.leasing set timeline = 0')
    expect(await ask('home', 'run-1', 1)).toBe('waits|1|t')
    await fleet.server.psql("update guard.leasing set since = now() - interval '16 seconds'")
    // This server has lost that it was given anew since.
    expect(await ask('home', 'run-1', 5)).toBe('held|5|t')
    await ended('1 hour')
    expect(await ask('elsewhere', 'run-2', 0)).toBe('held|6|t')
  })

  test('of two at once one gets it', async () => {
    const outcomes = await Promise.all(['a', 'b', 'c'].map((each) => ask(each, each, 0)))
    expect(outcomes.map((each) => each.split('|')[0]).sort()).toEqual(['held', 'waits', 'waits'])
  })

  test('no member can use up the epochs', async () => {
    expect(await ask('a', 'b', -1)).toContain('an epoch is from 0')
    expect(await asMember("select guard.hold_writer('a', 'b', 9000000000000000)")).toContain(
      'an epoch is from 0',
    )
  })
})
