import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemTimers } from '../../system/systemTimers.ts'
import { addressOf } from '../fleet.fixture.ts'
import { isPostgresThere, startPostgres } from '../postgres.fixture.ts'
import type { TestServer } from '../postgres.fixture.ts'
import { openSession } from '../storeSession.ts'
import { migrate, steps } from './migrate.ts'

/** Of every step that has been released. A store that has done it never does it again. */
const released = [
  '5695b7d7ed0f5519',
  '3fbf0af30243b049',
  '8d96eb61fbbbd483',
  'b68c64e8cd1c56b1',
  'c3a8fe5aec39e884',
  '365d042dd6268e22',
  'd89b56a049598e06',
  'ad13a8b3155756b4',
  '72bb14be3bbc6d20',
]

test('a step that has been released is what it was; a change is a further step', () => {
  const now = steps.map((step) => createHash('sha256').update(step).digest('hex').slice(0, 16))
  expect(now).toEqual(released)
})

/** All that is in the schema, and who may do what with it. */
const everything = [
  `select 'function', p.oid::regprocedure::text, md5(p.prosrc), p.prosecdef::text, p.proacl::text, p.proconfig::text
   from pg_proc p where p.pronamespace = 'guard'::regnamespace`,
  `select 'column', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull::text, c.relacl::text
   from pg_attribute a join pg_class c on c.oid = a.attrelid
   where c.relnamespace = 'guard'::regnamespace and a.attnum > 0`,
  `select 'constraint', r.conname, pg_get_constraintdef(r.oid), '', '', ''
   from pg_constraint r where r.connamespace = 'guard'::regnamespace`,
  `select 'policy', tablename, policyname, roles::text, cmd, qual from pg_policies where schemaname = 'guard'`,
  `select 'trigger', g.tgrelid::regclass::text, g.tgname, pg_get_triggerdef(g.oid), '', ''
   from pg_trigger g join pg_class c on c.oid = g.tgrelid
   where c.relnamespace = 'guard'::regnamespace and not g.tgisinternal`,
].join(' union all ')

describe.skipIf(!isPostgresThere)('the schema of an earlier version, on a real server', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.stop())

  /** The schema of a new database that was made by Guards of these versions, one after the other. */
  async function madeBy(name: string, versions: readonly number[], last = ''): Promise<string[]> {
    await server.psql(`create database ${name}`)
    const session = await openSession(addressOf(server.url(name)), { timers: systemTimers })
    for (const version of versions) await migrate(session, version)
    if (last !== '') await session.query(last)
    session.close()
    const rows = await server.psql(everything, name)
    return rows.split('\n').sort()
  }

  test('brought up to date, it is what a new one is', async () => {
    const fresh = await madeBy('fresh', [steps.length])
    expect(fresh.length).toBeGreaterThan(100)
    for (let version = 1; version < steps.length; version += 1) {
      expect(await madeBy(`from_${version}`, [version, steps.length])).toEqual(fresh)
    }
  })

  test('the step of the mends can be done twice', async () => {
    const once = await madeBy('once', [6])
    expect(await madeBy('twice', [6], steps[5])).toEqual(once)
  })
})
