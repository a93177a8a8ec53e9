import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemTimers } from '../system/systemTimers.ts'
import { raiseKill } from './fleetAdmin.ts'
import {
  addressOf,
  clock,
  emptyJournal,
  LatchedGuard,
  memberOf,
  startFleet,
  until,
} from './fleet.fixture.ts'
import type { TestFleet } from './fleet.fixture.ts'
import { isPostgresThere } from './postgres.fixture.ts'
import { openSession } from './storeSession.ts'

/**
 * The server's own queue holds 8 GB, which takes minutes to fill. Here every notification is a row whose
 * deferred trigger refuses the commit, with the code and the words of a server whose queue is full.
 */
const fullQueue = `
  ALTER FUNCTION pg_catalog.pg_notify(text, text) RENAME TO notify_before;
  CREATE TABLE public.pending (channel text);
  CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION 'too many notifications in the NOTIFY queue' USING ERRCODE = 'program_limit_exceeded';
  END $$;
  CREATE CONSTRAINT TRIGGER refused_at_commit AFTER INSERT ON public.pending
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.refuse();
  CREATE FUNCTION pg_catalog.pg_notify(text, text) RETURNS void LANGUAGE sql AS
    'INSERT INTO public.pending VALUES ($1)';`

describe.skipIf(!isPostgresThere)('a server whose queue of notifications is full', () => {
  let fleet: TestFleet
  beforeAll(async () => {
    fleet = await startFleet()
    expect(await fleet.server.psql(fullQueue)).toBe('')
  })
  afterAll(() => fleet.stop())

  const open = () => openSession(addressOf(fleet.server.url()), { timers: systemTimers })

  test('commits nothing that notifies', async () => {
    const raise = "select guard.raise_kill('fleet', 'x', 'r')"
    expect(await fleet.server.psql(raise)).toContain('too many notifications')
    expect(await fleet.server.psql('select count(*) from guard.control')).toBe('0')
  })

  test('has a kill raised all the same, once, and a Guard that asks obeys it', async () => {
    const guard = new LatchedGuard()
    const member = memberOf(fleet.memberUrl)
    member.attach({ guard, clock, journal: emptyJournal })
    await fleet.askedTwice()
    const raised = await raiseKill(open, 'fleet', 'the feed is wrong')
    expect(raised).toEqual({ epoch: 1_000_001, notified: false })
    expect(await fleet.server.psqlAs(fleet.memberUrl, 'select * from guard.beat()')).toBe(
      'fleet|1000001|the feed is wrong',
    )
    await until(() => guard.obeyed?.epoch === raised.epoch)
    await member.stop()
    expect(await raiseKill(open, 'fleet', 'once more')).toMatchObject({ epoch: 1_000_002 })
  })

  test('what else is wrong is refused as before', async () => {
    const raised = raiseKill(open, 'group:none', 'x')
    await expect(raised).rejects.toMatchObject({ kind: 'refused', code: 'GF002' })
  })
})
