import { join } from 'node:path'
import { readBase } from './base.ts'
import type { ChainKey } from './chainKey.ts'
import { wholeLines } from './emergencyPlace.ts'
import { JournalError } from './journalError.ts'
import type { RecordPlace } from './journalError.ts'
import type { JournalIo } from './journalIo.ts'
import { emergencyFolder, fileNames, parseObject } from './layout.ts'
import type { Mark } from './layout.ts'
import { readMark } from './markFile.ts'
import { nodeIo } from './nodeIo.ts'
import type { Identity } from './identity.ts'
import { ProofWalk } from './proofWalk.ts'
import type { Proofs } from './proofWalk.ts'
import { genesis, publicText } from './record.ts'
import { chained } from './recordStore.ts'
import type { SealedLine } from './recordStore.ts'
import { linesForward, listSegments, readSmallFile } from './segments.ts'
import { placeOf } from './tail.ts'

/** Reading a journal from outside, also while Guard writes it: nothing here takes the lock. */

export interface VerifyReport {
  /** How many are there, and were checked. */
  readonly records: number
  readonly removed: Removed | null
  readonly segments: number
  readonly bytes: number
  readonly lastHash: string
  /** Bytes behind the last whole record: a write under way, or a torn tail. */
  readonly unfinishedBytes: number
  /** What of it is proven to be written with a key; null where nothing is. */
  readonly proofs: Proofs | null
  /** Null when the whole chain verifies. */
  readonly problem: { readonly text: string; readonly place: RecordPlace | null } | null
}

/** The numbers of the records that were removed after `keep_days`. */
export interface Removed {
  readonly from: number
  readonly to: number
}

export interface VerifyProgress {
  readonly records: number
  readonly segment: string
  readonly segmentsDone: number
  readonly segments: number
}

/** Checks every record of the chain, from the first; with a key also that it wrote them. */
export async function verifyJournal(
  directory: string,
  onProgress: (progress: VerifyProgress) => void = () => undefined,
  io: JournalIo = nodeIo,
  key: ChainKey | null = null,
): Promise<VerifyReport> {
  const mark = await readMark(io, directory)
  const walk = await beginWalk(directory, io, mark)
  const proofWalk = new ProofWalk(key)
  let problem: VerifyReport['problem'] = null
  try {
    for await (const { lines, segment, index } of walk.groups()) {
      walk.count(lines)
      for (const { seal, bytes, seq, offset } of lines) {
        const place = placeOf(
          walk.segments[index] ?? { first: seq, name: segment, day: '' },
          seq,
          offset,
        )
        proofWalk.take({ seal, bytes, place })
      }
      const { length } = walk.segments
      onProgress({
        records: walk.seq - walk.base.seq,
        segment,
        segmentsDone: index,
        segments: length,
      })
    }
    if (mark !== null && walk.seq < mark.seq) {
      const text = `records up to ${mark.seq} were on disk and the journal ends with ${walk.seq}`
      problem = { text: `journal: ${text}`, place: null }
    }
  } catch (error) {
    if (!(error instanceof JournalError)) throw error
    problem = { text: error.message, place: error.place }
  }
  return {
    records: walk.seq - walk.base.seq,
    removed: removedBefore(walk.base.seq),
    segments: walk.segments.length,
    bytes: walk.bytes,
    lastHash: walk.hash,
    unfinishedBytes: walk.unfinishedBytes,
    proofs: proofWalk.proofs,
    problem,
  }
}

export interface StoredStats {
  readonly identity: Identity
  /** How many are there. */
  readonly events: number
  readonly removed: Removed | null
  readonly bytes: number
  readonly segments: readonly string[]
  readonly firstAtMs: number | null
  readonly lastAtMs: number | null
  readonly kinds: { readonly [kind: string]: number }
  readonly bytesPerEvent: number | null
  /** Records in the emergency files that have not joined the journal, each counted once. */
  readonly emergency: number
}

/** Figures of a journal; reads all of it. */
export async function journalStats(
  directory: string,
  io: JournalIo = nodeIo,
  emergencyDirectory: string | null = null,
): Promise<StoredStats> {
  const walk = await beginWalk(directory, io, await readMark(io, directory))
  const kinds: Record<string, number> = {}
  let firstAtMs: number | null = null
  let lastAtMs: number | null = null
  for await (const { lines } of walk.groups()) {
    walk.count(lines)
    for (const { seal } of lines) {
      kinds[seal.kind] = (kinds[seal.kind] ?? 0) + 1
      firstAtMs ??= seal.atMs
      lastAtMs = seal.atMs
    }
  }
  const kept = walk.seq - walk.base.seq
  return {
    identity: walk.identity,
    events: kept,
    removed: removedBefore(walk.base.seq),
    bytes: walk.bytes,
    segments: walk.segments.map(({ name }) => name),
    firstAtMs,
    lastAtMs,
    kinds,
    bytesPerEvent: kept === 0 ? null : Math.round(walk.bytes / kept),
    emergency: await countEmergency(placesOf(directory, walk.identity, emergencyDirectory), io),
  }
}

function removedBefore(seq: number): Removed | null {
  return seq === 0 ? null : { from: 1, to: seq }
}

/**
 * Events from `since` to `until`, both included, as lines without newline. `stored` gives the lines
 * as they are on disk, with what is internal and the chain.
 */
export async function* exportJournal(
  directory: string,
  since = 1,
  until = Infinity,
  form: 'published' | 'stored' = 'published',
  io: JournalIo = nodeIo,
): AsyncGenerator<string> {
  const walk = await beginWalk(directory, io, await readMark(io, directory), since)
  for await (const { lines } of walk.groups()) {
    for (const { seq, bytes } of lines) {
      if (seq > until) return
      if (seq >= since) yield form === 'stored' ? bytes.toString('utf8') : publicText(bytes)
    }
  }
}

async function beginWalk(directory: string, io: JournalIo, mark: Mark | null, since = 1) {
  const identity = await readIdentity(directory, io)
  const base = await readBase(io, directory, genesis(identity))
  const listed = await listSegments(io, directory)
  const all = listed.filter(({ first }) => first > base.seq)
  const start = Math.max(
    0,
    all.findLastIndex(({ first }) => first <= since),
  )
  const segments = all.slice(start)
  const walk = {
    identity,
    segments,
    ...base,
    base,
    bytes: 0,
    unfinishedBytes: 0,
    count(lines: readonly SealedLine[]): void {
      for (const { length } of lines) walk.bytes += length + 1
    },
    /** Groups of verified lines; stops where only what was never synced remains. */
    async *groups() {
      let isKnown = start === 0
      for (const [index, segment] of segments.entries()) {
        for await (const group of linesForward(io, directory, segment)) {
          const lines: SealedLine[] = []
          for (const line of group) {
            const before = isKnown ? { seq: walk.seq, hash: walk.hash } : null
            const isLast = index === segments.length - 1
            if (isLast && !line.ended && walk.seq >= (mark?.seq ?? 0)) {
              walk.unfinishedBytes = line.bytes.length
              break
            }
            const sealed = chained(line, before)
            isKnown = true
            walk.seq = sealed.seq
            walk.hash = sealed.seal.hash
            lines.push(sealed)
          }
          yield { lines, segment: segment.name, index }
        }
      }
    },
  }
  return walk
}

export async function readIdentity(directory: string, io: JournalIo): Promise<Identity> {
  const bytes = await readSmallFile(io, join(directory, fileNames.identity))
  const read = bytes === null ? null : parseObject(bytes.toString('utf8'))
  const { account, network } = read ?? {}
  if (typeof account !== 'string' || typeof network !== 'string') {
    throw new JournalError('invalid', `${directory} holds no journal`)
  }
  return { account, network }
}

/** Where emergency records are kept: beside the journal, and on the second disk if there is one. */
function placesOf(directory: string, identity: Identity, second: string | null): readonly string[] {
  return second === null ? [directory] : [directory, join(second, emergencyFolder(identity))]
}

/** Each place may have its own copy of a record. */
async function countEmergency(places: readonly string[], io: JournalIo): Promise<number> {
  const hashes = new Set<string>()
  for (const place of places) {
    const bytes = await readSmallFile(io, join(place, fileNames.emergency))
    for (const { hash } of wholeLines(bytes ?? Buffer.alloc(0))) hashes.add(hash)
  }
  return hashes.size
}
