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
  readonly writerEpoch: number
  readonly isRetired: boolean
  /** Where the Guard says that its journal ends, and when it said so; null: it never has. */
  readonly head: { readonly seq: number; readonly atMs: number } | null
  /** Records that the Guard has and the store has never had, so that they are on their way; no fault. */
  readonly behind: number
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
  for (const row of await session.query(allChains, [options.name])) {
    yield await verifyOne(session, row, options)
  }
}

async function verifyOne(
  session: StoreSession,
  row: StoreRow,
  options: VerifyOptions,
): Promise<VerifiedChain> {
  const guardId = Number(row['guard_id'])
  const writerEpoch = Number(row['writer_epoch'])
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
  const told = isNewest ? await confirmedHead(session, guardId, report.last ?? 0, options) : null
  return {
    ...report,
    ...{ name, network: String(row['network']), account: String(row['account']), writerEpoch },
    isRetired: row['is_retired'] === true,
    fault: report.fault ?? beyondHead(report, told),
    head: told?.head ?? null,
    behind: Math.max((told?.head?.seq ?? 0) - taken, 0),
    unconfirmed: told?.head == null ? 0 : Math.max((report.last ?? 0) - told.head.seq, 0),
    forks: Number(row['forks']),
  }
}

interface ToldHead {
  readonly head: { readonly seq: number; readonly atMs: number } | null
  /** It was told after the rows were read. */
  readonly isFresh: boolean
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
    if (head === null || head.seq >= last || isFresh) return { head, isFresh }
    if (isSilent || waitedMs >= headWaitMs) return { head, isFresh: false }
    await new Promise<void>((resolve) => timers.after(lookEveryMs, resolve))
  }
}

async function wordsOn(
  session: StoreSession,
  row: StoreRow,
  keptFrom: string | null,
): Promise<ChainWords> {
  const gaps = await session.query(gapsOf, [Number(row['guard_id']), Number(row['writer_epoch'])])
  const isNewest = row['is_newest'] === true
  return {
    identity: { network: String(row['network']), account: String(row['account']) },
    last: ended(row['last_seq'], row['last_hash']),
    head: isNewest ? ended(row['head_seq'], row['head_hash']) : null,
    copied: isNewest && typeof row['copied_seq'] === 'string' ? Number(row['copied_seq']) : null,
    gaps: gaps.map((gap) => ({ after: Number(gap['after_seq']), next: Number(gap['next_seq']) })),
    keptFrom,
  }
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

/** Also where the row that says how far a copy goes is gone, and records or a Guard's word are there. */
const allChains = `
with chains as (
  select guard_id, writer_epoch from guard.streams
  union select g.id, coalesce(e.writer_epoch, 0) from guard.guards g
    left join lateral (select writer_epoch from guard.events where guard_id = g.id order by writer_epoch limit 1) e on true
    where (g.copied_seq > 0 or e.writer_epoch is not null) and not exists (select 1 from guard.streams s where s.guard_id = g.id)
)
select c.guard_id::text, c.writer_epoch::text, g.name, g.network, g.account, g.retired_at is not null as is_retired,
    s.last_seq::text, s.last_hash, g.head_seq::text, g.head_hash, g.copied_seq::text,
    c.writer_epoch = coalesce((select own.writer_epoch from guard.streams own where own.guard_id = g.id and own.writer_epoch = g.writer_epoch),
      max(c.writer_epoch) over (partition by c.guard_id)) as is_newest,
    (select count(*) from guard.forks f where f.guard_id = c.guard_id and f.writer_epoch = c.writer_epoch)::text as forks
  from chains c join guard.guards g on g.id = c.guard_id
  left join guard.streams s on s.guard_id = c.guard_id and s.writer_epoch = c.writer_epoch
  where $1::text is null or g.name = $1
  order by g.name, g.id, c.writer_epoch`

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
