import { join } from 'node:path'
import { limits } from '../core/values/limits.ts'
import { Anchors } from './anchors.ts'
import type { Base } from './base.ts'
import { DiskSpace } from './diskSpace.ts'
import { Emergency } from './emergency.ts'
import { EmergencyPlace } from './emergencyPlace.ts'
import { EventRing } from './eventRing.ts'
import { GroupCommit } from './groupCommit.ts'
import type { Committed } from './groupCommit.ts'
import type { Holding } from './holding.ts'
import { Indexer } from './indexer.ts'
import { indexRow } from './indexRow.ts'
import { journalDefaults } from './journalDefaults.ts'
import { JournalReader } from './journalReader.ts'
import { MarkFile } from './markFile.ts'
import { emergencyFolder } from './layout.ts'
import type { JournalBounds, JournalOptions } from './opened.ts'
import { genesis } from './record.ts'
import { RecordStore } from './recordStore.ts'
import { References } from './references.ts'
import { Repair } from './repair.ts'
import { SegmentFile } from './segmentFile.ts'
import { Snapshots } from './snapshots.ts'
import type { Tail } from './tail.ts'

/** Everything an open journal is made of. */
export interface JournalParts {
  readonly commit: GroupCommit
  readonly repair: Repair
  readonly emergency: Emergency
  readonly references: References
  readonly indexer: Indexer
  readonly store: RecordStore
  readonly snapshots: Snapshots
  readonly reader: JournalReader
  readonly mark: MarkFile
  readonly anchors: Anchors
  readonly file: SegmentFile
  /** What the first kept record follows. */
  readonly base: { current: Base }
  readonly space: DiskSpace
  /** Bytes written since the journal was opened. */
  readonly written: { bytes: number }
}

/**
 * Puts the parts together behind a verified end; writes nothing but what it cuts off. `mendEnd` is
 * what the disk did not take of mending that end: then all of it is left as it is until it does.
 */
export async function makeParts(
  options: JournalOptions,
  tail: Tail,
  opened: Base,
  holding: Holding,
  mendEnd: (() => Promise<unknown>) | null,
): Promise<JournalParts> {
  const { io, directory, identity, clock, timers, log, key = null } = options
  const { standing } = tail.found
  const needsProof = standing === 'proven' || standing === 'unmarked'
  const bounds = { ...journalDefaults, ...options.bounds }
  const genesisHash = genesis(identity)
  const start = { ...tail.last, segment: tail.segment, end: tail.end }
  const file = new SegmentFile(io, directory, bounds.segmentBytes)
  if (mendEnd === null) {
    // An empty segment is a rotation that ended before its first record; it is begun again.
    await file.cutBack(start)
    await file.resume(start)
  }
  const mark = await MarkFile.open(options)
  const base = { current: opened }
  const store = new RecordStore(
    io,
    directory,
    () => base.current,
    () => commit.point,
  )
  const index = await options.openIndex(directory)
  const durableSeq = (): number => commit.point.seq
  const indexer = new Indexer({ index, store, timers, log, durableSeq })
  const ring = new EventRing(limits.eventsInMemory, limits.eventsInMemoryBytes, tail.last.seq, log)
  const anchors = new Anchors(limits.eventsInMemory)
  const written = { bytes: 0 }
  ring.add(tail.records.map(({ record, position }) => ({ ...record, bytes: position.length })))
  for (const { record, position } of tail.records) anchors.add({ ...position, hash: record.hash })
  const commit: GroupCommit = new GroupCommit({
    ...{ file, start, clock, timers, bounds, key },
    refusal: () => holding.check(),
    onCommitted: (batch) => {
      mark.move(commit.point)
      for (const { position, hash } of batch) {
        anchors.add({ ...position, hash })
        written.bytes += position.length + 1
      }
      indexer.add(batch.map(toRow))
      ring.add(batch.map(({ event, position }) => ({ event, bytes: position.length })))
    },
    onSynced: options.onSynced ?? (() => undefined),
    onBroken: (error) => {
      repair.begin(error)
    },
  })
  const emergency = emergencyOf(options, bounds, { genesisHash, needsProof, holding })
  const references = new References()
  const repair: Repair = new Repair({
    ...{ io, directory, clock, timers, log, bounds, file, emergency, references, store, holding },
    mendEnd,
    commit: () => commit,
  })
  const snapshots = new Snapshots(io, directory, store, log, { key, isNeeded: needsProof })
  const reader = new JournalReader(ring, store, indexer)
  const space = new DiskSpace({ io, directory, timers, log, everyMs: bounds.spaceMs })
  return {
    ...{ commit, repair, emergency, references, indexer, store, snapshots, reader, mark },
    ...{ anchors, file, written, base, space },
  }
}

function emergencyOf(
  { io, directory, emergencyDirectory, identity, clock, timers, log, key = null }: JournalOptions,
  bounds: JournalBounds,
  { holding, ...proof }: { genesisHash: string; needsProof: boolean; holding: Holding },
): Emergency {
  const {
    reserveBytes,
    emergencyMs: waitMs,
    syncMs: openMs,
    emergencyBytes: bytesMax,
    retryMs,
  } = bounds
  const mayWrite = (): boolean => holding.check() === null
  const placeIn = (path: string): EmergencyPlace =>
    new EmergencyPlace({ io, directory: path, log, timers, reserveBytes, retryMs, mayWrite })
  const second = emergencyDirectory ?? null
  const others = second === null ? [] : [placeIn(join(second, emergencyFolder(identity)))]
  return new Emergency({
    ...{ clock, timers, log, waitMs, openMs, bytesMax, key, ...proof },
    mayWrite,
    places: [placeIn(directory), ...others],
  })
}

function toRow({ event, body, position, hash }: Committed) {
  return { row: indexRow(event.at_ms, body, position), hash }
}
