import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { account, clock, emptyJournal, LatchedGuard } from './fleet.fixture.ts'
import { memberOf, startFleet, until } from './fleet.fixture.ts'
import type { TestFleet } from './fleet.fixture.ts'
import type { FleetMember } from './fleetMember.ts'
import { isPostgresThere } from './postgres.fixture.ts'

/** A Guard in another home than the one that acted before, and not as its standby. */
describe.skipIf(!isPostgresThere)(
  'an account is taken over by a plain Guard, in a real store',
  () => {
    let fleet: TestFleet
    const members: FleetMember[] = []
    beforeAll(async () => {
      fleet = await startFleet()
    })
    afterAll(() => fleet.stop())
    beforeEach(async () => {
      await fleet.server.psql('delete from guard.writers')
    })
    afterEach(async () => {
      for (const member of members.splice(0)) await member.stop()
    })
    const as = (statement: string): Promise<string> =>
      fleet.server.psqlAs(fleet.memberUrl, statement)
    const told = (word: object, call = 'tell_writer'): Promise<string> =>
      as(`select outcome from guard.${call}('home-a', 'run-a', 0, '${JSON.stringify(word)}')`)
    /** The other one is gone, and its right has ended. */
    const gone = (): Promise<string> =>
      fleet.server.psql(
        "alter table guard.writers disable trigger note_contact; update guard.writers set host = 'there', until = until - interval '1 minute'; alter table guard.writers enable trigger note_contact",
      )
    async function started(instance = 'home-b'): Promise<LatchedGuard> {
      const guard = new LatchedGuard()
      const member = memberOf(fleet.memberUrl, account, undefined, instance)
      members.push(member)
      member.attach({ guard, clock, journal: emptyJournal })
      await until(() => member.notWriter === null)
      return guard
    }
    const left = 'select left_known is null and left_word is null from guard.writers'

    test('that was latched: the new one is latched, says why, and is told so once', async () => {
      await told({ latch: { reason: 'the feed is wrong', at: 1 } })
      await gone()
      const guard = await started()
      expect(guard.heard).toEqual([
        'the Guard that acted before, at there, was latched: the feed is wrong',
      ])
      await until(async () => (await fleet.server.psql(left)) === 't')
      // Released at its own machine and started anew it trades.
      for (const member of members.splice(0)) await member.stop()
      expect((await started()).heard).toEqual([])
    })

    test('whose answer is lost is told again, also to the next home', async () => {
      await told({ latch: { reason: 'enough', at: 1 } })
      await gone()
      const lost =
        "select outcome from guard.keep_writer('home-x', 'run-x', 0, false, false, '{}', 0)"
      expect(await as(lost)).toBe('held')
      await gone()
      expect((await started()).heard).toEqual([
        'the Guard that acted before, at there, was latched: enough',
      ])
    })

    test.each([
      ['stopped', 'had stopped for its drawdown'],
      ['halted_for_day', 'had stopped for its loss of the day'],
    ])('that had halted (%s): the new one is latched', async (state, why) => {
      await told({ latch: null, risk: { risk: { state } } })
      await gone()
      expect((await started()).heard).toEqual([`the Guard that acted before, at there, ${why}`])
    })

    test('that was neither, or of which nothing is known: the new one trades', async () => {
      await told({ latch: null, risk: { risk: { state: 'active' } } })
      await gone()
      expect((await started()).heard).toEqual([])
      await fleet.server.psql('delete from guard.writers')
      await as("select guard.hold_writer('home-a', 'run-a', 0)")
      await gone()
      expect((await started()).heard).toEqual([])
    })

    test('of its own home it is told nothing: its disk knows', async () => {
      await told({ latch: { reason: 'enough', at: 1 } })
      await gone()
      expect((await started('home-a')).heard).toEqual([])
    })
  },
)
