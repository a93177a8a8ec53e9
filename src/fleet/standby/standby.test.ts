import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { account, addressOf, clock, plainSetup, startFleet, until } from '../fleet.fixture.ts'
import type { TestFleet } from '../fleet.fixture.ts'
import { isPostgresThere } from '../postgres.fixture.ts'
import { openSession } from '../storeSession.ts'
import { systemTimers } from '../../system/systemTimers.ts'
import { Standby } from './standby.ts'

describe.skipIf(!isPostgresThere)('a standby, by a real server', () => {
  let fleet: TestFleet
  const open: Standby[] = []
  beforeAll(async () => {
    fleet = await startFleet()
  })
  afterAll(() => fleet.stop())
  beforeEach(async () => {
    await fleet.server.psql(
      'delete from guard.writers; delete from guard.handovers; delete from guard.standbys',
    )
  })
  afterEach(async () => {
    for (const each of open.splice(0)) await each.stop()
  })
  const asMember = (statement: string): Promise<string> =>
    fleet.server.psqlAs(fleet.memberUrl, statement)
  const hold = (instance: string, run: string, epoch: number, word = '{"latch":null}') =>
    asMember(
      `select outcome, epoch from guard.tell_writer('${instance}', '${run}', ${epoch}, '${word}')`,
    )
  const leave = (setup: object): Promise<string> =>
    asMember(
      `select guard.hand_over('run-1', 1, '${JSON.stringify({ seq: 1, state: {}, setup })}')`,
    )
  const skip = (by: string): Promise<string> =>
    fleet.server.psql(
      `alter table guard.writers disable trigger note_contact; update guard.writers set until = until - interval '${by}'; alter table guard.writers enable trigger note_contact`,
    )
  /** The last: how many seconds it waits beyond the end of the lease, whatever the time is now. */
  const told =
    'is_own, is_current, handover, round(wait_ms / 1000.0 - coalesce((select extract(epoch from until - clock_timestamp()) from guard.writers), 0))'
  const follow = (instance = 'two'): Promise<string> =>
    asMember(
      `select ${told} from guard.follow('testnet', '${account}', '${instance}', 'there', '1', null)`,
    )
  function standby(): Standby {
    const made = new Standby({
      address: addressOf(fleet.memberUrl),
      identity: {
        ...{ network: 'testnet', account, version: '1', host: 'there', configHash: 'c' },
        ...{ instance: 'two', setup: { ...plainSetup, wallet: '0xbb' } },
      },
      ...{ open: openSession, timers: systemTimers, log: { log: () => undefined } },
    })
    open.push(made)
    made.attach({ clock })
    return made
  }
  const isUp = (one: Standby): Promise<void> => until(() => one.status().store === 'up')
  const ended = (one: Standby): Promise<unknown> =>
    Promise.race([one.end, new Promise((resolve) => setTimeout(resolve, 50, 'waits'))])

  test('it waits for the rest of the lease and seven seconds more; the home itself for the lease alone', async () => {
    expect(await follow()).toBe('|f||0')
    await hold('one', 'run-1', 0)
    expect(await follow()).toBe('f|t||7')
    expect(await follow('one')).toBe('t|t||0')
    // Given back in order: the seven seconds alone.
    await asMember(`select guard.leave_writer('run-1', 1, '{}')`)
    expect(await follow()).toBe('f|t||7')
  })

  test('whoever renews without a word is seen: the last word is older than the last contact', async () => {
    await hold('one', 'run-1', 0)
    expect(await follow()).toMatch(/^f\|t/)
    await asMember("select guard.hold_writer('one', 'run-1', 1)")
    expect(await follow()).toMatch(/^f\|f/)
    await hold('one', 'run-1', 1)
    expect(await follow()).toMatch(/^f\|t/)
    // Nor does one that is no longer the holder leave anything.
    await asMember("select guard.hand_over('run-0', 1, '{}')")
    expect(await fleet.server.psql('select count(*) from guard.handovers')).toBe('0')
  })

  test('it says who acts, and is due once that has ended and not before', async () => {
    await hold('one', 'run-1', 0)
    await leave({ ...plainSetup, wallet: '0xaa' })
    const one = standby()
    await isUp(one)
    expect(one.status()).toMatchObject({ name: 'desk-1', writer: { state: 'standby', epoch: 1 } })
    expect([one.problem, one.fork, one.lease().parts]).toEqual([null, null, []])
    await skip('15 seconds')
    expect(await ended(one)).toBe('waits')
    await skip('3 seconds')
    expect(await one.end).toEqual({ kind: 'due' })
    const known = 'select host, note is null from guard.standbys'
    expect(await fleet.server.psql(known)).toBe('there|t')
  })

  test('with the wallet of the first, or looser rules, it is none', async () => {
    await hold('one', 'run-1', 0)
    await leave({ ...plainSetup, wallet: '0xbb' })
    const why = expect.stringContaining('a standby has one of its own') as string
    expect(await standby().end).toEqual({ kind: 'unlike', why })
  })

  test('where the first left nothing it says that it would start latched', async () => {
    await hold('one', 'run-1', 0)
    const one = standby()
    await until(() => one.problem !== null)
    expect(one.problem).toContain('would start latched: the first left nothing')
    await until(async () =>
      (await fleet.server.psql('select note from guard.standbys')).includes('nothing'),
    )
  })

  test('while the store is down nobody takes over', async () => {
    await hold('one', 'run-1', 0)
    const one = standby()
    await isUp(one)
    await skip('16 seconds')
    await fleet.server.kill()
    await until(() => one.status().store === 'down')
    await until(() => one.problem !== null)
    expect(one.problem).toContain('takes over from nobody until it can')
    expect(await ended(one)).toBe('waits')
    await fleet.server.start()
    // It was started anew: nobody takes over before what it may have lost has ended.
    expect(await follow()).toMatch(/^f\|t/)
    const counted = 'select since = pg_postmaster_start_time() from guard.leasing'
    expect(await fleet.server.psql(counted)).toBe('t')
    await fleet.server.psql("update guard.leasing set since = since - interval '1 minute'")
    expect(await one.end).toEqual({ kind: 'due' })
  })

  test('operators and monitors see standbys, and tell or take nothing', async () => {
    await fleet.server.psql("create role m login password 'pw'; grant guard_monitor to m")
    await follow()
    const url = fleet.server.urlOf('m', 'pw')
    expect(await fleet.server.psqlAs(url, 'select host from guard.standbys')).toBe('there')
    for (const call of ["tell_writer('a', 'b', 0, '{}')", "hand_over('a', 1, '{}')"]) {
      const said = await fleet.server.psqlAs(url, `select guard.${call}`)
      expect(said).toContain('permission denied')
    }
    expect(await asMember('delete from guard.standbys')).toContain('permission denied')
  })
})
