import type { Json } from '../core/protocol/action.ts'
import type { Clock, EventReader, Journal, Log, Timers } from '../engine/ports.ts'
import type { ChainKey } from './chainKey.ts'
import type { EventIndex } from './eventIndex.ts'
import type { JournalError } from './journalError.ts'
import type { JournalIo } from './journalIo.ts'
import type { Standing } from './tailProof.ts'
import type { Identity } from './identity.ts'
import type { StoredRecord } from './record.ts'
import type { SealedLine } from './recordStore.ts'

/** What a journal is opened with; every bound has a default in `journalDefaults`. */
export interface JournalOptions {
  readonly directory: string
  /** A second place for emergency records, best on another disk; null or missing: none. */
  readonly emergencyDirectory?: string | null
  /** Whole segments of records older than so many days are removed; null or missing: none. */
  readonly keepDays?: number | null
  readonly identity: Identity
  /** Proves each record; null or missing where there is no API wallet key, as in paper mode. */
  readonly key?: ChainKey | null
  /** A person has said that the API wallet was changed: another key than before is taken. */
  readonly isRekeying?: boolean
  readonly clock: Clock
  readonly timers: Timers
  readonly io: JournalIo
  readonly log: Log
  /** Opens the index beside the journal; a memory index serves where no file should be made. */
  readonly openIndex: (directory: string) => EventIndex | Promise<EventIndex>
  readonly bounds?: Partial<JournalBounds>
  /** Told once when the lock was taken away: nothing is written any more, and Guard has to stop. */
  readonly onLockLost?: (error: JournalError) => void
  /** Told how long each write and sync took, and how many records it held. */
  readonly onSynced?: (ms: number, records: number) => void
}

export interface JournalBounds {
  /** A segment that has reached this size is followed by a new one. */
  readonly segmentBytes: number
  /** Records waiting for the disk; what rides after the fact may go a tenth beyond. */
  readonly queueRecords: number
  /** Bytes waiting for the disk, with the same tenth. */
  readonly queueBytes: number
  /** One write and sync takes at most this much. */
  readonly batchBytes: number
  /** Disk space the emergency file holds from the start. */
  readonly reserveBytes: number
  /** A sync longer than this is a failed one. */
  readonly syncMs: number
  /** After this a record that lowers risk goes to the emergency files as well. */
  readonly lateMs: number
  /** How long such a record waits for an emergency file. */
  readonly emergencyMs: number
  /** Of the emergency records that wait memory holds at most so many bytes. */
  readonly emergencyBytes: number
  /** How long a riding record may wait for company. */
  readonly rideMs: number
  /** How often a broken journal tries the disk again. */
  readonly retryMs: number
  /** How often the room on its disk is looked at. */
  readonly spaceMs: number
  /** How often the lock is looked at while nothing is written. */
  readonly lockMs: number
}

/** A snapshot that agrees with the journal. */
export interface Snapshot {
  readonly seq: number
  readonly state: Json
}

/** What was found after the last whole record when the journal was opened. */
export interface TornTail {
  readonly afterSeq: number
  readonly bytes: number
  /** The file the bytes were moved to, beside the segments. */
  readonly file: string
}

export interface OpenedJournal {
  readonly journal: Journal
  readonly reader: EventReader
  /** Stored records after `since`, oldest first, each verified as it is read. */
  replay(since?: number): AsyncIterable<StoredRecord>
  /** The same as they are on disk, in groups, without those that wait in the emergency files. */
  lines(since: number): AsyncIterable<readonly SealedLine[]>
  /** Whose key the records were proven by when it was opened. */
  readonly standing: Standing
  /** The torn tail this opening moved aside and recorded as an `error` event, or null. */
  readonly tornTail: TornTail | null
  /** Keeps what was derived from the records up to `seq`, which must be on disk. */
  saveSnapshot(name: string, seq: number, state: Json): Promise<void>
  /** The latest snapshot of that name; null where none was ever kept, `unreadable` where one is of no use. */
  loadSnapshot(name: string): Promise<Snapshot | 'unreadable' | null>
  /** Resolves once the index has caught up with what is on disk now. */
  indexed(): Promise<void>
}
