import { join } from 'node:path'
import type { Json } from '../core/protocol/action.ts'
import { sumOf } from './emergency.ts'
import type { CopyOf, EmergencyRecord } from './emergency.ts'
import { wholeLines } from './emergencyPlace.ts'
import type { JournalIo } from './journalIo.ts'
import { archivePattern } from './layout.ts'
import type { StoredRecord } from './record.ts'
import type { RecordStore } from './recordStore.ts'
import { readSmallFile } from './segments.ts'

/** An emergency record that the journal has, and under which number; null where only that is known. */
interface Taken {
  readonly number: number
  readonly seq: number | null
}

interface FindTakenOptions {
  readonly io: JournalIo
  readonly directory: string
  readonly store: RecordStore
}

/**
 * Which emergency records are in the journal already: taken in by a run that ended before it could
 * say so in the files, or copies of records that the journal took by itself after all.
 */
export async function findTaken(
  options: FindTakenOptions,
  tail: readonly StoredRecord[],
  records: Iterable<EmergencyRecord>,
): Promise<readonly Taken[]> {
  const seqs = new Map(tail.map((record) => [takenHash(record), record.seq]))
  const bySeq = new Map(tail.map((record) => [record.seq, record]))
  const taken: Taken[] = []
  let archived: ReadonlySet<string> | null = null
  for (const { number, hash, copyOf } of records) {
    const seq = seqs.get(hash) ?? null
    if (seq !== null) taken.push({ number, seq })
    else if (copyOf !== null && (await isThere(options.store, bySeq, copyOf))) {
      taken.push({ number, seq: copyOf.seq })
    } else {
      archived ??= await archivedHashes(options)
      if (archived.has(hash)) taken.push({ number, seq: null })
    }
  }
  return taken
}

async function isThere(
  store: RecordStore,
  tail: ReadonlyMap<number, StoredRecord>,
  { seq, sum }: CopyOf,
): Promise<boolean> {
  // What is not kept any more was there.
  if (seq <= store.removedUpTo) return true
  const record = tail.get(seq) ?? (await storedAt(store, seq))
  return record !== null && sumOf(record.event, record.body._) === sum
}

async function storedAt(store: RecordStore, seq: number): Promise<StoredRecord | null> {
  for await (const record of store.records(seq - 1)) return record.seq === seq ? record : null
  return null
}

/** The emergency records that were put aside beside the journal, all of which are in it. */
async function archivedHashes({ io, directory }: FindTakenOptions): Promise<ReadonlySet<string>> {
  const hashes = new Set<string>()
  for (const name of await io.list(directory)) {
    if (!archivePattern.test(name)) continue
    const bytes = (await readSmallFile(io, join(directory, name))) ?? Buffer.alloc(0)
    for (const { hash } of wholeLines(bytes)) hashes.add(hash)
  }
  return hashes
}

/** The hash of the emergency record that this record was, or an empty text. */
function takenHash(record: StoredRecord): string {
  const taken = record.body._?.['emergency']
  if (typeof taken !== 'object' || taken === null || Array.isArray(taken)) return ''
  const hash = (taken as { readonly [key: string]: Json })['hash']
  return typeof hash === 'string' ? hash : ''
}
