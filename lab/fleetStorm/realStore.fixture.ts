import { initFleet } from '../../src/fleet/fleetAdmin.ts'
import { addressOf } from '../../src/fleet/fleet.fixture.ts'
import { startPostgres } from '../../src/fleet/postgres.fixture.ts'
import type { TestServer } from '../../src/fleet/postgres.fixture.ts'
import { openSession, StoreError } from '../../src/fleet/storeSession.ts'
import type { StoreRow, StoreSession } from '../../src/fleet/storeSession.ts'
import { systemTimers } from '../../src/system/systemTimers.ts'

type Values = readonly (string | number | boolean | null)[]

/** Whatever a store is asked, it answers with rows or with the code of its refusal. */
export type Answer = readonly StoreRow[] | { readonly refused: string | null }

/** Every table of the schema that something is remembered in. */
const tables = [
  ...['guards', 'events', 'streams', 'forks', 'gaps', 'budgets', 'leases', 'control', 'acks'],
  ...['leasing', 'writers', 'reports', 'handovers', 'standbys', 'heads', 'coins'],
] as const

/** How the schema's functions ask for the time and for the server's timeline, and what is put there. */
const seams = [
  [/\b(?:clock_timestamp|now)\(\)/g, 'guard.test_now()'],
  [
    "('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint",
    'guard.test_timeline()',
  ],
  ['pg_postmaster_start_time()', 'guard.test_started()'],
  // Emptied, a table is another one, and a world begins with emptied ones.
  ["pg_relation_filenode('guard.leasing')", '0'],
] as const

/**
 * The real schema on a real server, whose functions read the time and the timeline from a table: so a test
 * says what time it is, to the millisecond, and when another server has taken over. Nothing else of them
 * is changed.
 */
export class RealStore {
  readonly #server: TestServer
  readonly #owner: StoreSession
  readonly #sessions = new Map<string, StoreSession>()

  private constructor(server: TestServer, owner: StoreSession) {
    this.#server = server
    this.#owner = owner
  }

  static async start(): Promise<RealStore> {
    const server = await startPostgres()
    const owner = await openSession(addressOf(server.url()), { timers: systemTimers })
    await initFleet(owner)
    const store = new RealStore(server, owner)
    await store.#putSeams()
    return store
  }

  async stop(): Promise<void> {
    for (const session of [this.#owner, ...this.#sessions.values()]) session.close()
    await this.#server.stop()
  }

  /** Empties the store and begins a new fleet in it, before any failover. */
  async begin(nowMs: number): Promise<void> {
    for (const session of this.#sessions.values()) session.close()
    this.#sessions.clear()
    const all = tables.map((each) => `guard.${each}`).join(', ')
    await this.#owner.query(`truncate ${all}`)
    await this.#owner.query(
      'update guard.test_world set now_ms = $1, timeline = 1, started_ms = 0',
      [nowMs],
    )
    await this.#owner.query(
      "insert into guard.leasing (timeline, since, started, made) values (1, '-infinity', guard.test_started(), guard.made())",
    )
  }

  async setTime(nowMs: number): Promise<void> {
    await this.#owner.query('update guard.test_world set now_ms = $1', [nowMs])
  }

  /** Asks with the rights of the store's owner. */
  asOwner(text: string, values: Values = []): Promise<Answer> {
    return answered(this.#owner, text, values)
  }

  /** As the member of that role; the first time it is made. */
  async asRole(role: string, text: string, values: Values): Promise<Answer> {
    return await answered(await this.#sessionOf(role), text, values)
  }

  async addMember(name: string, account: string, group: string): Promise<Answer> {
    const role = `role_${name}`
    await this.#sessionOf(role)
    const values = ['testnet', account, name, group, role]
    return await this.asOwner('select guard.add_member($1, $2, $3, $4, $5::name)', values)
  }

  /** Copies all tables, as a replica that has heard everything so far; a failover goes back to this copy. */
  async copyToReplica(): Promise<void> {
    const copies = tables.map(
      (each) =>
        `drop table if exists heard.${each}; create table heard.${each} as table guard.${each};`,
    )
    await this.#owner.query(`create schema if not exists heard; ${copies.join(' ')}`)
  }

  /** That replica takes over: what it had not heard is gone, and the timeline is a new one. */
  async failOver(): Promise<void> {
    await this.#goBack()
    await this.#owner.query(
      'update guard.test_world set timeline = timeline + 1, started_ms = now_ms',
    )
  }

  /** The server is started again, as it was, or with what it had at that copy. */
  async restart(isPutBack: boolean): Promise<void> {
    if (isPutBack) await this.#goBack()
    await this.#owner.query('update guard.test_world set started_ms = now_ms')
  }

  async #goBack(): Promise<void> {
    const all = tables.map((each) => `guard.${each}`).join(', ')
    const back = tables.map(
      (each) => `insert into guard.${each} overriding system value select * from heard.${each};`,
    )
    // What is put back is as it was: no trigger takes it for news.
    const quiet = 'set local session_replication_role = replica;'
    await this.#owner.query(`begin; ${quiet} truncate ${all}; ${back.join(' ')} commit;`)
  }

  /** Everything that decides a later answer. */
  async state(): Promise<unknown> {
    const [row] = await this.#owner.query(allState)
    return JSON.parse(String(row?.['state']))
  }

  async #sessionOf(role: string): Promise<StoreSession> {
    const known = this.#sessions.get(role)
    if (known !== undefined) return known
    await this.#owner.query(`create role ${role} login password 'pw' in role guard_member`)
    const address = addressOf(this.#server.urlOf(role, 'pw'))
    const session = await openSession(address, { timers: systemTimers })
    this.#sessions.set(role, session)
    return session
  }

  async #putSeams(): Promise<void> {
    await this.#owner.query(`
      create table guard.test_world (now_ms bigint not null, timeline bigint not null, started_ms bigint not null);
      insert into guard.test_world values (0, 1, 0);
      create function guard.test_now() returns timestamptz language sql volatile as
        'select to_timestamp(now_ms / 1000.0) from guard.test_world';
      create function guard.test_started() returns timestamptz language sql volatile as
        'select to_timestamp(started_ms / 1000.0) from guard.test_world';
      create function guard.test_timeline() returns bigint language sql volatile as
        'select timeline from guard.test_world';`)
    const found = await this.#owner.query(
      "select pg_get_functiondef(oid) as text from pg_proc where pronamespace = 'guard'::regnamespace and proname not like 'test_%'",
    )
    for (const { text } of found) {
      let changed = String(text)
      for (const [from, to] of seams) changed = changed.replaceAll(from, to)
      if (changed !== text) await this.#owner.query(changed)
    }
  }
}

async function answered(session: StoreSession, text: string, values: Values): Promise<Answer> {
  try {
    return await session.query(text, values)
  } catch (error) {
    if (error instanceof StoreError && error.kind === 'refused') return { refused: error.code }
    throw error
  }
}

const ms = (column: string): string => `(extract(epoch from ${column}) * 1000)::bigint`
const cents = (column: string): string => `(${column} * 100)::float8`
const list = (row: string, from: string): string =>
  `(select coalesce(json_agg(json_build_array(${row}) order by json_build_array(${row})::text), '[]') from ${from})`
const living = 'join guard.guards g on g.id = guard_id and g.retired_at is null'

const allState = `select json_build_object(
  'members', ${list(`name, account, group_name, ${ms('retired_at')}, obeyed_epoch, writer_epoch, lease_turn`, 'guard.guards')},
  'budgets', ${list(`scope, kind, ${cents('set_usd')}, ${cents('leased')}`, 'guard.budgets')},
  'leases', ${list(`g.name, scope, kind, ${cents('held_usd')}, ${cents('used_usd')}, ${cents('reported_usd')}, ${cents('want_usd')}, ${ms('renewed_at')}`, `guard.leases ${living}`)},
  'control', ${list("scope, epoch, state = 'killed', reason", 'guard.control')},
  'acks', ${list('g.name, a.epoch, flat_at is not null', `guard.acks a ${living}`)},
  'writers', ${list(`g.name, w.epoch, w.instance, w.run, ${ms('w.until')}, w.word::text, w.told_at >= w.contact_at, w.left_word::text, w.left_known, w.answers`, `guard.writers w ${living}`)},
  'leasing', (select json_build_array(timeline, case when isfinite(since) then ${ms('since')} end, ${ms('started')}, is_restart, is_put_back, begun) from guard.leasing),
  'streams', ${list('g.name, s.writer_epoch, s.instance, s.last_seq', 'guard.streams s join guard.guards g on g.id = guard_id')}
)::text as state`
