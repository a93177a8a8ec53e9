import { createHash, createHmac, pbkdf2Sync, randomBytes, randomUUID } from 'node:crypto'
import { migrate } from './schema/migrate.ts'
import type { Migrated } from './schema/migrate.ts'
import { StoreError } from './storeSession.ts'
import type { StoreSession } from './storeSession.ts'
import { writeStoreUrl } from './storeUrl.ts'
import type { StoreAddress } from './storeUrl.ts'

/** What a person does to a fleet. Rejects with a `StoreError` where the store does not answer or refuses. */

export interface NewMember {
  readonly name: string
  readonly network: 'mainnet' | 'testnet'
  readonly account: string
  readonly group: string | null
}

/** A kill that was raised, and how far each member in its scope has come. */
export interface MemberState {
  readonly name: string
  readonly network: string
  readonly account: string
  /** `silent`: it has not said that it latched. `unseen`: it has never joined, so that it can hold nothing. */
  readonly state: 'flat' | 'latched' | 'silent' | 'unseen'
  readonly last_seen_ms: number | null
  /** Since it was last heard of at all, by the store's clock. */
  readonly unheard_ms: number | null
  /** From the moment the epoch was raised, by the store's clock, until the store had heard it. */
  readonly latched_ms: number | null
}

export function initFleet(session: StoreSession): Promise<Migrated> {
  return migrate(session)
}

/**
 * A role for one account, and its URL handed to `keep` before it counts: where that fails, nothing
 * was made. Returns the role's name.
 */
export async function addMember(
  session: StoreSession,
  address: StoreAddress,
  member: NewMember,
  keep: (url: string) => void,
): Promise<string> {
  const { network, account, name, group } = member
  const role = `guard_${network}_${account}`
  const password = randomBytes(32).toString('base64url')
  return await inTransaction(session, async () => {
    await session.query('select guard.add_member($1, $2, $3, $4, $5::name)', [
      ...[network, account, name, group, role],
    ])
    // The name holds letters, digits and _ alone; of the password only a proof is told.
    await session.query(
      `CREATE ROLE "${role}" LOGIN CONNECTION LIMIT 8 PASSWORD '${scramProof(password)}' IN ROLE guard_member`,
    )
    // A Guard needs none of it for longer; whoever else has its URL can hold up others only so long.
    for (const setting of [
      `statement_timeout = '15s'`,
      `idle_in_transaction_session_timeout = '5s'`,
    ]) {
      await session.query(`ALTER ROLE "${role}" SET ${setting}`)
    }
    keep(writeStoreUrl(address, role, password))
    return role
  })
}

/** Ends a member: its role is gone, its used budget written off. Null where nobody has that name. */
export async function retireMember(
  session: StoreSession,
  name: string,
): Promise<{ readonly role: string; readonly writtenOff: string } | null> {
  await lockOut(session, name)
  return await inTransaction(session, async () => {
    const [row] = await session.query(
      'select role::text, written_off::text as off from guard.retire_member($1)',
      [name],
    )
    if (row === undefined) return null
    const role = String(row['role'])
    await session.query(`DROP ROLE IF EXISTS ${quoted(role)}`)
    return { role, writtenOff: String(row['off']) }
  })
}

/**
 * Whoever has the URL of this member may hold locks or own things, and so keep its role from being
 * dropped: it is let in no more, its connections end, and what it has made goes. Where the owner may
 * not do one of these, the rest is done.
 */
async function lockOut(session: StoreSession, name: string): Promise<void> {
  const [row] = await session.query(
    'select role::text from guard.guards g where name = $1 and retired_at is null and exists (select 1 from pg_roles where rolname = g.role)',
    [name],
  )
  if (row === undefined) return
  const role = String(row['role'])
  for (const [statement, values] of [
    [`ALTER ROLE ${quoted(role)} NOLOGIN`, []],
    [`GRANT ${quoted(role)} TO CURRENT_USER`, []],
    ['select pg_terminate_backend(pid, 1000) from pg_stat_activity where usename = $1', [role]],
    [`DROP OWNED BY ${quoted(role)}`, []],
  ] as const) {
    await session.query(statement, values).catch((error: unknown) => {
      if (!(error instanceof StoreError) || error.kind !== 'refused') throw error
    })
  }
}

function quoted(role: string): string {
  return `"${role.replaceAll('"', '""')}"`
}

const killTries = 3
/** What the server says to a commit that notifies while its queue of notifications is full. */
const queueFull = '54000'

export interface RaisedKill {
  readonly epoch: number
  /** Whether Guards were told at once; else they hear it when they next ask, within a second. */
  readonly notified: boolean
}

/**
 * Raises the epoch of a scope. An answer that is lost is asked for again, by the same request: it is
 * raised once. Where nobody can be notified it is raised all the same. Rejects with `unreachable` or `refused` where it certainly was not.
 */
export async function raiseKill(
  open: () => Promise<StoreSession>,
  scope: string,
  reason: string,
): Promise<RaisedKill> {
  const request = randomUUID()
  let lost: unknown = null
  for (let tries = 0; tries < killTries; tries += 1) {
    let session: StoreSession | null = null
    try {
      session = await open()
      return await raiseOver(session, [scope, reason, request])
    } catch (error) {
      const isLost = error instanceof StoreError && error.kind === 'unknown'
      if (!isLost && lost === null) throw error
      // Once an answer was lost, only one to the same request can tell what became of it.
      lost = isLost ? error : lost
    } finally {
      session?.close()
    }
  }
  throw lost
}

async function raiseOver(session: StoreSession, values: readonly string[]): Promise<RaisedKill> {
  const raise = async (name: string): Promise<number> => {
    const [row] = await session.query(`select guard.${name}($1, $2, $3)::text as epoch`, values)
    return Number(row?.['epoch'])
  }
  try {
    return { epoch: await raise('raise_kill'), notified: true }
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== queueFull) throw error
    return { epoch: await raise('raise_kill_silently'), notified: false }
  }
}

/** The epoch that was cleared; null where nothing was killed in that scope. */
export async function clearKill(session: StoreSession, scope: string): Promise<number | null> {
  const [row] = await session.query('select guard.clear_kill($1)::text as epoch', [scope])
  const epoch = row?.['epoch']
  return typeof epoch === 'string' ? Number(epoch) : null
}

/** Every member that an epoch is meant for. */
export async function membersUnder(
  session: StoreSession,
  scope: string,
  epoch: number,
): Promise<readonly MemberState[]> {
  const rows = await session.query(
    `select g.name, g.network, g.account, g.last_seen is null as unseen,
        (extract(epoch from g.last_seen) * 1000)::bigint::text as seen,
        greatest((extract(epoch from clock_timestamp() - g.last_seen) * 1000)::bigint, 0)::text as unheard,
        a.epoch is not null as latched, a.flat_at is not null as flat,
        case when a.heard_at is not null then greatest((extract(epoch from a.heard_at - c.at) * 1000)::bigint, 0)::text end as latched_ms
      from guard.guards g
      left join lateral (select * from guard.acks a where a.guard_id = g.id and a.epoch >= $2 order by a.epoch limit 1) a on true
      left join guard.control c on c.scope = $1
      where g.retired_at is null
        and ($1 = 'fleet' or $1 = 'group:' || g.group_name or $1 = 'account:' || g.network || ':' || g.account)
      order by g.name`,
    [scope, epoch],
  )
  return rows.map((row) => ({
    name: String(row['name']),
    network: String(row['network']),
    account: String(row['account']),
    state: stateOf(row),
    last_seen_ms: numberIn(row['seen']),
    unheard_ms: numberIn(row['unheard']),
    latched_ms: numberIn(row['latched_ms']),
  }))
}

function stateOf(row: Readonly<Record<string, unknown>>): MemberState['state'] {
  if (row['flat'] === true) return 'flat'
  if (row['latched'] === true) return 'latched'
  return row['unseen'] === true ? 'unseen' : 'silent'
}

function numberIn(value: unknown): number | null {
  return typeof value === 'string' ? Number(value) : null
}

async function inTransaction<T>(session: StoreSession, task: () => Promise<T>): Promise<T> {
  await session.query('BEGIN')
  try {
    const done = await task()
    await session.query('COMMIT')
    return done
  } catch (error) {
    if (session.isOpen) await session.query('ROLLBACK').catch(() => undefined)
    throw error
  }
}

/** What the server keeps of a password (RFC 5803): it can check it, and never has it in a log. */
function scramProof(password: string): string {
  const salt = randomBytes(16)
  const rounds = 4_096
  const salted = pbkdf2Sync(password, salt, rounds, 32, 'sha256')
  const keyOf = (name: string): Buffer => createHmac('sha256', salted).update(name).digest()
  const stored = createHash('sha256').update(keyOf('Client Key')).digest('base64')
  const server = keyOf('Server Key').toString('base64')
  return `SCRAM-SHA-256$${rounds}:${salt.toString('base64')}$${stored}:${server}`
}
