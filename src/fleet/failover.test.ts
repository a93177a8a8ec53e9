import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clock, emptyJournal, LatchedGuard, memberOf, startFleet, until } from './fleet.fixture.ts'
import type { TestFleet } from './fleet.fixture.ts'
import { isPostgresThere } from './postgres.fixture.ts'
import type { TestServer } from './postgres.fixture.ts'

describe.skipIf(!isPostgresThere)('a failover to a streaming replica', () => {
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

  test('loses no epoch to a second use: what comes after is above all that was obeyed', async () => {
    const guard = new LatchedGuard()
    const before = memberOf(fleet.memberUrl)
    before.attach({ guard, clock, journal: emptyJournal })
    const first = await fleet.kill()
    await until(() => guard.obeyed?.epoch === first)
    await until(
      async () => (await replica.psql('select max(epoch) from guard.control')) === String(first),
    )
    // What is raised from here on never reaches the replica, and the Guard obeys it.
    await replica.kill()
    await replica.start('primary_conninfo=host=127.0.0.1 port=1')
    const lost = await fleet.kill()
    await until(() => guard.obeyed?.epoch === lost)
    before.stop()
    await fleet.server.kill()
    expect(await replica.psql('select pg_promote()')).toBe('t')
    expect(await replica.psql('select max(epoch) from guard.control')).toBe(String(first))

    const url = fleet.memberUrl.replace(`:${fleet.server.port}/`, `:${replica.port}/`)
    const after = memberOf(url)
    after.attach({ guard, clock, journal: emptyJournal })
    await until(() => after.status().store === 'up')
    expect(guard.heard).toHaveLength(2)
    const raise = "select guard.raise_kill('fleet', 'after the failover', 'r')"
    const next = Number(await replica.psql(raise))
    expect(next).toBeGreaterThan(2_000_000)
    expect(next).toBeGreaterThan(lost)
    await until(() => guard.obeyed?.epoch === next)
    after.stop()
  })
})
