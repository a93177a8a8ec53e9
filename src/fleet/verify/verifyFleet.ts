import { limits } from '../../core/values/limits.ts'
import type { Timers } from '../../engine/ports.ts'
import type { StoreRow, StoreSession } from '../storeSession.ts'
import { ChainWalk } from './verifyChain.ts'
import type { ChainFault, ChainReport, ChainWords, KeptRow } from './verifyChain.ts'

/** One chain of a member and what was found. */
export interface VerifiedChain extends ChainReport {
  readonly name: string
  readonly network: string
  readonly account: string
  /** Null where the store has no record of this home. */
  readonly writerEpoch: number | null
  readonly isRetired: boolean
  /** Whether it is the journal of the home that acts for the account, or was the last to. */
  readonly isActing: boolean
  /** Where the home is; null where it has not said so. */
  readonly host: string | null
  /** Where the Guard says that its journal ends, and when it said so; null: it never has. */
  readonly head: { readonly seq: number; readonly atMs: number } | null
  /** Records that the Guard has said are on its disk, and that the store has never had; no fault. */
  readonly behind: number
  /** Whether those are on their way: its home acts, and is heard. */
  readonly isComing: boolean
  /** Records beyond the last head that the Guard has told: it has not confirmed them, and is silent. */
  readonly unconfirmed: number
  /** Contradicting records that were offered and refused. */
  readonly forks: number
}

export interface VerifyOptions {
  /** Only this member; null: all. */
  readonly name: string | null
  readonly keptFrom: string | null
  readonly timers: Pick<Timers, 'after'>
  readonly onProgress: (name: string, records: number) => void
}

/** Beyond two reports a Guard that lives would have told its head. */
const headWaitMs = 12_000
const lookEveryMs = 500

/** Every chain in the store, one after the other; in memory there is one batch of rows at most. */
export async function* verifyFleet(
  session: StoreSession,
  options: VerifyOptions,
): AsyncGenerator<VerifiedChain> {
  const [known] = await session.query("select to_regclass('guard.heads')::text as name")
  const areHomesKnown = known?.['name'] != null
  for (const row of await session.query(allChains(areHomesKnown), [options.name])) {
    yield await verifyOne(session, row, options)
  }
}

async function verifyOne(
  session: StoreSession,
  row: StoreRow,
  options: VerifyOptions,
): Promise<VerifiedChain> {
  const guardId = Number(row['guard_id'])
  const writerEpoch = row['writer_epoch'] == null ? null : Number(row['writer_epoch'])
  const name = String(row['name'])
  const words = await wordsOn(session, row, options.keptFrom)
  const walk = new ChainWalk(words)
  let last = { seq: 0, month: '0001-01-01' }
  for (;;) {
    const rows = await session.query(someRows, [guardId, writerEpoch, last.seq, last.month])
    for (const each of rows) walk.take((last = keptRow(each)))
    if (rows.length === 0 || walk.fault !== null) break
    options.onProgress(name, walk.records)
  }
  // What was copied meanwhile was taken together with this row.
  const [now] = await session.query(streamOf, [guardId, writerEpoch])
  const report = walk.end(ended(now?.['last_seq'], now?.['last_hash']))
  // What the store has had and has no more is gone, and not on its way.
  const taken = Math.max(report.last ?? 0, Number(now?.['last_seq'] ?? 0), words.copied ?? 0)
  const isNewest = row['is_newest'] === true
  const told = isSpeaking(row)
    ? await confirmedHead(session, guardId, report.last ?? 0, options)
    : homeHead(row)
  return {
    ...report,
    ...{ name, network: String(row['network']), account: String(row['account']), writerEpoch },
    ...{ isRetired: row['is_retired'] === true, isActing: isNewest },
    host: textIn(row['host']),
    isComing: isNewest && (!isSpeaking(row) || told?.isHeard === true),
    fault: report.fault ?? beyondHead(report, told),
    head: told?.head ?? null,
    behind: Math.max((told?.head?.seq ?? 0) - taken, 0),
    unconfirmed: told?.head == null ? 0 : Math.max((report.last ?? 0) - told.head.seq, 0),
    forks: Number(row['forks']),
  }
}

interface ToldHead {
  readonly head: { readonly seq: number; readonly atMs: number } | null
  /** The member told its head after the store's rows were read: the rows may lack what is newer. */
  readonly isFresh: boolean
  readonly isHeard: boolean
}

/** Whether what the account's Guard has said is of this home: after a takeover it may be of the one before. */
function isSpeaking(row: StoreRow): boolean {
  return row['is_newest'] === true && row['is_of_another'] !== true
}

/** What a home that does not act said last: nothing more is copied of it meanwhile. */
function homeHead(row: StoreRow): ToldHead | null {
  if (typeof row['home_seq'] !== 'string') return null
  const head = { seq: Number(row['home_seq']), atMs: Number(row['home_at']) }
  return { head, isFresh: false, isHeard: false }
}

/** A Guard that lives and has never written what the store has: somebody else did. */
function beyondHead({ last }: ChainReport, told: ToldHead | null): ChainFault | null {
  const seq = last ?? 0
  if (told?.head == null || !told.isFresh || seq <= told.head.seq) return null
  const text = `the Guard’s own journal ends with ${told.head.seq}`
  return { what: 'added', seq: told.head.seq + 1, text }
}

/**
 * Where the Guard says that its journal ends; where the store has more, its next word is awaited, as
 * records are copied between two of them.
 */
async function confirmedHead(
  session: StoreSession,
  guardId: number,
  last: number,
  { timers }: VerifyOptions,
): Promise<ToldHead> {
  let firstMs: number | null = null
  for (let waitedMs = 0; ; waitedMs += lookEveryMs) {
    const [row] = await session.query(headOf, [guardId])
    const head =
      typeof row?.['seq'] === 'string' ? { seq: Number(row['seq']), atMs: Number(row['at']) } : null
    firstMs ??= head?.atMs ?? 0
    const isFresh = head !== null && head.atMs > firstMs
    const isSilent = row?.['is_silent'] !== false
    const isHeard = !isSilent
    if (head === null || head.seq >= last || isFresh) return { head, isFresh, isHeard }
    if (isSilent || waitedMs >= headWaitMs) return { head, isFresh: false, isHeard }
    await new Promise<void>((resolve) => timers.after(lookEveryMs, resolve))
  }
}

async function wordsOn(
  session: StoreSession,
  row: StoreRow,
  keptFrom: string | null,
): Promise<ChainWords> {
  const gaps = await session.query(gapsOf, [String(row['guard_id']), textIn(row['writer_epoch'])])
  const isNewest = isSpeaking(row)
  return {
    identity: { network: String(row['network']), account: String(row['account']) },
    last: ended(row['last_seq'], row['last_hash']),
    head: isNewest
      ? ended(row['head_seq'], row['head_hash'])
      : ended(row['home_seq'], row['home_hash']),
    copied: isNewest && typeof row['copied_seq'] === 'string' ? Number(row['copied_seq']) : null,
    gaps: gaps.map((gap) => ({ after: Number(gap['after_seq']), next: Number(gap['next_seq']) })),
    keptFrom,
  }
}

function textIn(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function ended(seq: unknown, hash: unknown): { seq: number; hash: string } | null {
  return typeof seq === 'string' && typeof hash === 'string' ? { seq: Number(seq), hash } : null
}

function keptRow(row: StoreRow): KeptRow {
  return {
    ...{ seq: Number(row['seq']), atMs: Number(row['at_ms']), month: String(row['month']) },
    ...{ kind: String(row['kind']), hash: String(row['hash']), line: String(row['line']) },
  }
}

/** What each home said of its own journal; a store of an earlier version knows nothing of that. */
const heads = '(select guard_id, instance, host, seq, hash, at from guard.heads)'
const noHeads =
  "(select 0::bigint as guard_id, '' as instance, '' as host, 0::bigint as seq, '' as hash, now() as at where false)"

/**
 * Also where the row that says how far a copy goes is gone, and records or a Guard's word are there; and
 * homes of which the store has nothing.
 */
const allChains = (areHomesKnown: boolean): string => `
with homes as ${areHomesKnown ? heads : noHeads}, chains as (
  select guard_id, writer_epoch, instance from guard.streams
  union select g.id, coalesce(e.writer_epoch, 0), null from guard.guards g
    left join lateral (select writer_epoch from guard.events where guard_id = g.id order by writer_epoch limit 1) e on true
    where (g.copied_seq > 0 or e.writer_epoch is not null) and not exists (select 1 from guard.streams s where s.guard_id = g.id)
  union select h.guard_id, null, h.instance from homes h join guard.guards g on g.id = h.guard_id
    left join guard.writers w on w.guard_id = h.guard_id
    where h.seq > 0 and not exists (select 1 from guard.streams s where s.guard_id = h.guard_id and s.instance = h.instance)
      -- A chain that an earlier version began without a name is the acting home's own.
      and not (h.instance is not distinct from w.instance and (g.copied_seq > 0 or exists
        (select 1 from guard.streams s where s.guard_id = h.guard_id and s.writer_epoch = g.writer_epoch and s.instance is null)))
)
select c.guard_id::text, c.writer_epoch::text, g.name, g.network, g.account, g.retired_at is not null as is_retired,
    s.last_seq::text, s.last_hash, g.head_seq::text, g.head_hash, g.copied_seq::text,
    h.host, h.seq::text as home_seq, h.hash as home_hash, (extract(epoch from h.at) * 1000)::bigint::text as home_at,
    coalesce(c.writer_epoch = coalesce((select own.writer_epoch from guard.streams own where own.guard_id = g.id and own.writer_epoch = g.writer_epoch),
      max(c.writer_epoch) over (partition by c.guard_id)) and coalesce(c.instance = w.instance, true), false) as is_newest,
    coalesce(g.head_at < w.taken_at, false) as is_of_another,
    (select count(*) from guard.forks f where f.guard_id = c.guard_id and f.writer_epoch = c.writer_epoch)::text as forks
  from chains c join guard.guards g on g.id = c.guard_id
  left join guard.streams s on s.guard_id = c.guard_id and s.writer_epoch = c.writer_epoch
  left join homes h on h.guard_id = c.guard_id and h.instance = c.instance
  left join guard.writers w on w.guard_id = c.guard_id
  where $1::text is null or g.name = $1
  order by g.name, g.id, c.writer_epoch nulls last`

/** So many as are within the bounds together, and one at least. */
const someRows = `
select seq::text, (extract(epoch from at) * 1000)::bigint::text as at_ms, month::text, kind, hash, line
  from (
    select *, sum(octet_length(line)) over (order by seq, month) - octet_length(line) as before
      from (
        select seq, at, month, kind, hash, body::text as line from guard.events
          where guard_id = $1 and writer_epoch = $2 and (seq, month) > ($3, $4::date) order by seq, month limit ${String(limits.fleetVerifyRowsMax)}
      ) as most
  ) as counted
  where before < ${String(limits.fleetVerifyBytesMax)} order by counted.seq, counted.month`

const gapsOf =
  'select after_seq::text, next_seq::text from guard.gaps where guard_id = $1 and writer_epoch = $2'

const streamOf =
  'select last_seq::text, last_hash from guard.streams where guard_id = $1 and writer_epoch = $2'

const headOf = `
select head_seq::text as seq, (extract(epoch from head_at) * 1000)::bigint::text as at,
    coalesce(last_seen < clock_timestamp() - interval '30 seconds', true) or retired_at is not null as is_silent
  from guard.guards where id = $1`
