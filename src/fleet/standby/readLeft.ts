import type { JournalRecord } from '../../engine/ports.ts'
import { limits } from '../../core/values/limits.ts'
import { readRecord } from '../../journal/record.ts'
import { objectIn } from '../objectIn.ts'
import type { StoreSession } from '../storeSession.ts'
import type { Left } from './inherit.ts'

/**
 * What the store has of the Guard that acted before: its word, its memory, its records since then. Null
 * where another one acts by now.
 */
export async function readLeft(
  session: StoreSession,
  epoch: number,
  unknown: string | null,
): Promise<Left | null> {
  const [row] = await session.query(lastWords, [epoch])
  if (row === undefined) return null
  const body = objectIn(row['body'])
  const { seq, state } = body ?? {}
  const word = objectIn(row['word'])
  if (typeof seq !== 'number' || state === undefined) {
    const why = unknown ?? 'what the first left cannot be read'
    return { epoch, word, whole: null, records: [], unknown: why }
  }
  const stream = String(row['stream'])
  const { records, why } = await readRecords(session, stream, seq)
  return { epoch, word, whole: { seq, state }, records, unknown: unknown ?? why }
}

async function readRecords(
  session: StoreSession,
  stream: string,
  after: number,
): Promise<{ readonly records: readonly JournalRecord[]; readonly why: string | null }> {
  const records: JournalRecord[] = []
  let last = after
  while (records.length <= limits.fleetInheritedRecordsMax) {
    const rows = await session.query(recordsAfter, [stream, last])
    for (const row of rows) {
      const record = readRecord(Buffer.from(String(row['line'])))
      if (record === null) return { records, why: `record ${last + 1} of the first is damaged` }
      records.push(record)
      last = record.seq
    }
    if (rows.length < limits.fleetInheritedPageMax) return { records, why: null }
  }
  return { records, why: 'the first has left too many records to read' }
}

const lastWords = `
select w.word::text as word, h.body::text as body, g.writer_epoch::text as stream
  from guard.guards g
  join guard.writers w on w.guard_id = g.id
  left join guard.handovers h on h.guard_id = g.id and h.epoch = w.epoch
  where g.id = guard.own_id() and w.epoch = $1::bigint`
const recordsAfter = `
select body::text as line from guard.events
  where guard_id = guard.own_id() and writer_epoch = $1::bigint and seq > $2::bigint
  order by seq limit ${String(limits.fleetInheritedPageMax)}`
