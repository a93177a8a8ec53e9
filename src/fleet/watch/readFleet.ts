import { limits } from '../../core/values/limits.ts'
import type {
  FleetBudget,
  FleetDecision,
  FleetKill,
  FleetMemberView,
  FleetStandby,
} from '../../monitor/fleetState.ts'
import { membersUnder } from '../fleetAdmin.ts'
import { StoreError } from '../storeSession.ts'
import type { StoreRow, StoreSession } from '../storeSession.ts'
import { readSummary } from './readSummary.ts'

/** The whole fleet at one moment, as the store has it. */
export interface Picture {
  readonly atMs: number
  readonly members: readonly FleetMemberView[]
  readonly membersMore: number
  readonly kills: readonly FleetKill[]
  readonly budgets: readonly FleetBudget[]
  /** How much of the server's queue of notifications is taken, 0 to 1; null where it is not told. */
  readonly queueUsed: number | null
}

/** How far the decisions of each Guard were read, by its number and epoch in the store. */
export type DecisionCursors = Map<string, number>

/** Guards say that they live every five seconds; one that has missed five of them is silent. */
const silentMs = 30_000

/** A few questions, each bounded; a monitor's rights suffice. */
export async function readPicture(session: StoreSession): Promise<Picture> {
  const [now] = await session.query(storeNow)
  const rows = await session.query(allMembers)
  const kills: FleetKill[] = []
  for (const row of await session.query(allKills)) kills.push(await killOf(session, row))
  const budgets = await session.query(allBudgets)
  const standbys = await standbysIn(session, now?.['has_standbys'] === true)
  return {
    atMs: Number(now?.['at']),
    members: rows
      .slice(0, limits.fleetWatchMembersMax)
      .map((row) => memberOf(row, standbys.get(String(row['id'])) ?? null)),
    membersMore: Math.max(Number(now?.['members']) - limits.fleetWatchMembersMax, 0),
    kills,
    queueUsed: await queueUsedIn(session),
    budgets: budgets.map((row) => ({
      ...{ scope: String(row['scope']), kind: String(row['kind']) },
      ...{ limit_usd: String(row['limit_usd']), leased_usd: String(row['leased']) },
      used_usd: String(row['used']),
    })),
  }
}

/**
 * The decisions since the last look, newest first; at the first look the last few. Of a Guard that
 * decides more than that between two looks the older ones are left out.
 */
export async function readDecisions(
  session: StoreSession,
  cursors: DecisionCursors,
): Promise<readonly FleetDecision[]> {
  const wanted: { id: string; epoch: string; after: number }[] = []
  const seen: DecisionCursors = new Map()
  for (const row of await session.query(allStreams)) {
    const [id, epoch] = [String(row['guard_id']), String(row['writer_epoch'])]
    const last = Number(row['last_seq'])
    const key = `${id}:${epoch}`
    const known = cursors.get(key) ?? 0
    if (last > known) wanted.push({ id, epoch, after: Math.max(known, last - newest) })
    seen.set(key, last)
  }
  cursors.clear()
  for (const [key, last] of seen) cursors.set(key, last)
  if (wanted.length === 0) return []
  const rows = await session.query(newDecisions, [JSON.stringify(wanted)])
  return rows.map(decisionOf)
}

const newest = limits.fleetWatchNewMax

async function killOf(session: StoreSession, row: StoreRow): Promise<FleetKill> {
  const scope = String(row['scope'])
  const epoch = Number(row['epoch'])
  const state = row['state'] === 'killed' ? 'killed' : 'clear'
  const members = state === 'killed' ? await membersUnder(session, scope, epoch) : []
  return {
    ...{ scope, epoch, state, by: String(row['by']), reason: String(row['reason']) },
    at_ms: Number(row['at']),
    members: members
      .slice(0, limits.fleetWatchMembersMax)
      .map(({ name, state: how, latched_ms }) => ({ name, state: how, latched_ms })),
  }
}

/** Everybody may ask for it, unless a server's owner has taken that away. */
async function queueUsedIn(session: StoreSession): Promise<number | null> {
  try {
    const [row] = await session.query('select pg_notification_queue_usage()::text as used')
    return Number(row?.['used'])
  } catch (error) {
    if (error instanceof StoreError && error.kind === 'refused') return null
    throw error
  }
}

/** By a member's number; none in a store of an earlier version. */
async function standbysIn(
  session: StoreSession,
  isKnown: boolean,
): Promise<ReadonlyMap<string, FleetStandby>> {
  const rows = isKnown ? await session.query(allStandbys) : []
  return new Map(
    rows.map((row) => [
      String(row['guard_id']),
      {
        ...{ heard: Number(row['heard']), host: textOf(row['host']) ?? '' },
        note: textOf(row['note']),
        unheard_ms: Math.max(Number(row['unheard']), 0),
      },
    ]),
  )
}

function memberOf(row: StoreRow, standby: FleetStandby | null): FleetMemberView {
  const unheardMs = row['unheard'] === null ? null : Math.max(Number(row['unheard']), 0)
  const summary = readSummary(row['body'])
  const head = row['head_seq'] === null ? null : Number(row['head_seq'])
  return {
    ...{ name: String(row['name']), network: String(row['network']) },
    ...{ account: String(row['account']), group: textOf(row['group_name']) },
    state: stateOf(unheardMs, summary),
    unheard_ms: unheardMs,
    ...{ version: textOf(row['version']), host: textOf(row['host']) },
    obeyed_epoch: Number(row['obeyed_epoch']),
    copy_lag: head === null ? null : Math.max(head - Number(row['last_seq'] ?? 0), 0),
    forks: Number(row['forks']),
    ...{ summary, standby },
  }
}

function stateOf(
  unheardMs: number | null,
  summary: FleetMemberView['summary'],
): FleetMemberView['state'] {
  if (unheardMs === null) return 'unseen'
  if (unheardMs >= silentMs) return 'silent'
  if (summary === null) return 'untold'
  return summary.latched ? 'latched' : summary.state
}

function decisionOf(row: StoreRow): FleetDecision {
  return {
    ...{ name: String(row['name']), seq: Number(row['seq']), at_ms: Number(row['at']) },
    ...{ verdict: textOf(row['verdict']) ?? '', code: textOf(row['code']) ?? '' },
    ...{ action: textOf(row['action']), text: textOf(row['text']) ?? '' },
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value.slice(0, limits.fleetWatchTextCharsMax) : null
}

const storeNow =
  "select (extract(epoch from clock_timestamp()) * 1000)::bigint::text as at, (select count(*) from guard.guards where retired_at is null)::text as members, to_regclass('guard.standbys') is not null as has_standbys"

const allMembers = `
select g.id::text, g.name, g.network, g.account, g.group_name, g.version, g.host, g.obeyed_epoch::text, g.head_seq::text,
    (extract(epoch from clock_timestamp() - g.last_seen) * 1000)::bigint::text as unheard,
    r.body, s.last_seq::text, (select count(*) from guard.forks f where f.guard_id = g.id)::text as forks
  from guard.guards g
  left join guard.reports r on r.guard_id = g.id
  left join guard.streams s on s.guard_id = g.id and s.writer_epoch = g.writer_epoch
  where g.retired_at is null order by g.name limit ${String(limits.fleetWatchMembersMax)}`

const allStandbys = `
select distinct on (s.guard_id) s.guard_id::text, s.host, s.note,
    (count(*) filter (where s.seen_at > clock_timestamp() - interval '${String(silentMs)} milliseconds') over (partition by s.guard_id))::text as heard,
    (extract(epoch from clock_timestamp() - s.seen_at) * 1000)::bigint::text as unheard
  from guard.standbys s left join guard.writers w on w.guard_id = s.guard_id
  where s.instance is distinct from w.instance order by s.guard_id, s.seen_at desc limit ${String(limits.fleetWatchMembersMax)}`

const allKills = `
select scope, epoch::text, state, by::text, reason, (extract(epoch from at) * 1000)::bigint::text as at
  from guard.control order by state desc, control.epoch desc limit ${String(limits.fleetWatchKillsMax)}`

const allBudgets = `
select b.scope, b.kind, trim_scale(b.set_usd)::text as limit_usd, b.leased::text,
    coalesce((select sum(reported_usd) from guard.leases l where l.scope = b.scope and l.kind = b.kind), 0)::text as used
  from guard.budgets b order by b.scope, b.kind limit ${String(limits.fleetWatchBudgetsMax)}`

const allStreams = `
select s.guard_id::text, s.writer_epoch::text, s.last_seq::text
  from guard.streams s join guard.guards g on g.id = s.guard_id and g.writer_epoch = s.writer_epoch
  where g.retired_at is null order by g.name limit ${String(limits.fleetWatchMembersMax)}`

const chars = String(limits.fleetWatchTextCharsMax)
const newDecisions = `
select g.name, e.seq::text, (extract(epoch from e.at) * 1000)::bigint::text as at, left(e.body ->> 'verdict', 16) as verdict,
    left(e.body ->> 'code', 64) as code, left(e.body ->> 'action', 64) as action, left(e.body ->> 'text', ${chars}) as text
  from json_to_recordset($1::text::json) as w(id bigint, epoch bigint, after bigint)
  join guard.guards g on g.id = w.id
  cross join lateral (
    select seq, at, body from guard.events
      where guard_id = w.id and writer_epoch = w.epoch and seq > w.after and kind = 'decision'
      order by seq desc limit ${String(newest)}
  ) as e
  order by e.at desc, g.name limit ${String(limits.fleetWatchDecisionsMax)}`
