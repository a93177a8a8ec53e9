import { StoreError } from '../storeSession.ts'
import type { StoreSession } from '../storeSession.ts'
import { acting } from './acting.ts'
import { endings } from './endings.ts'
import { functions } from './functions.ts'
import { homes } from './homes.ts'
import { leases } from './leases.ts'
import { mends } from './mends.ts'
import { reports } from './reports.ts'
import { restores } from './restores.ts'
import { rights, roles } from './rights.ts'
import { tables } from './tables.ts'
import { standbys } from './standbys.ts'
import { writers } from './writers.ts'

/** Forward only: a step that has been released is never changed, a change is a further step. */
export const steps: readonly string[] = [
  [tables, functions, rights].join('\n'),
  leases,
  writers,
  reports,
  standbys,
  mends,
  endings,
  [restores, acting].join('\n'),
  homes,
]

/** The version that this program's functions are asked by. */
const schemaVersion = steps.length

/** The oldest server whose behaviour the schema counts on. */
const leastServer = 150_000

/** What became of the schema: which version it had, and has now. */
export interface Migrated {
  readonly from: number
  readonly to: number
  /** What a person should see to, in sentences. */
  readonly advice: readonly string[]
}

/**
 * Makes the schema, or brings it up to date; done twice, or by two at once, it does no harm. `upTo` makes the
 * schema of an earlier version, from which a test then goes on.
 */
export async function migrate(session: StoreSession, upTo = schemaVersion): Promise<Migrated> {
  const [server] = await session.query(
    "select current_setting('server_version_num')::int as version, current_setting('server_version') as text, current_setting('synchronous_standby_names') as standbys, current_setting('fsync') as fsync, current_setting('full_page_writes') as pages",
  )
  if (Number(server?.['version']) < leastServer) {
    const text = `PostgreSQL 15 or later is needed; this is ${String(server?.['text'])}`
    throw new StoreError('refused', text)
  }
  await session.query(`BEGIN; ${prepare}`)
  try {
    const [found] = await session.query(
      'select coalesce(max(version), 0)::int as version from guard.migrations',
    )
    const from = Number(found?.['version'])
    for (const [index, step] of steps.entries()) {
      if (index < from || index >= upTo) continue
      await session.query(`${step}\nINSERT INTO guard.migrations (version) VALUES (${index + 1});`)
    }
    await session.query('COMMIT')
    return { from, to: Math.max(from, upTo), advice: adviceOn(server ?? {}, from) }
  } catch (error) {
    if (session.isOpen) await session.query('ROLLBACK')
    throw error
  }
}

/** Roles belong to the whole server: those of another fleet on it are the same ones. */
const prepare = `
SELECT pg_advisory_xact_lock(hashtext('guard.migrate'));
${roles
  .map(
    (role) =>
      `DO $$ BEGIN IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = '${role}') THEN CREATE ROLE ${role} NOLOGIN; END IF; END $$;`,
  )
  .join('\n')}
CREATE SCHEMA IF NOT EXISTS guard;
CREATE TABLE IF NOT EXISTS guard.migrations (version int PRIMARY KEY, at timestamptz NOT NULL DEFAULT now());
`

function adviceOn(server: Readonly<Record<string, unknown>>, from: number): readonly string[] {
  const isOff = (name: string): boolean => server[name] !== 'on'
  return [
    ...(isOff('fsync') || isOff('pages')
      ? ['fsync or full_page_writes is off: a crash of the server may lose a kill that was raised']
      : []),
    ...(server['standbys'] === ''
      ? [
          'no synchronous_standby_names: what is raised is on this server’s disk alone, and a failover to a replica may lose the last of it',
        ]
      : []),
    ...(from > schemaVersion
      ? [`the schema is version ${from}, made by a later Guard; this one knows ${schemaVersion}`]
      : []),
  ]
}
