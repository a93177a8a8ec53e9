import { limits } from '../core/values/limits.ts'
import type { Base } from './base.ts'
import type { ChainKey } from './chainKey.ts'
import { JournalError } from './journalError.ts'
import type { RecordPlace } from './journalError.ts'
import type { JournalIo } from './journalIo.ts'
import type { Mark, SegmentName } from './layout.ts'
import type { StoredRecord } from './record.ts'
import type { Position } from './eventIndex.ts'
import type { ChainedLine } from './proofWalk.ts'
import { openRecord, readSeal } from './record.ts'
import type { Seal } from './record.ts'
import { linesBackward, listSegments } from './segments.ts'
import type { SegmentLine } from './segments.ts'
import { standingOf } from './tailProof.ts'
import type { Found } from './tailProof.ts'

/** A stored record and where it lies. */
interface PlacedRecord {
  readonly record: StoredRecord
  readonly position: Position
}

/** The end of a journal, verified. */
export interface Tail {
  readonly segments: readonly SegmentName[]
  /** The last records, oldest first, at most as many as were asked for. */
  readonly records: readonly PlacedRecord[]
  /** The base for an empty journal. */
  readonly last: { readonly seq: number; readonly hash: string }
  /** The segment that holds the last record, and the byte after its line. */
  readonly segment: SegmentName | null
  readonly end: number
  /** Whose key its records are proven by. */
  readonly found: Found
  readonly torn: { readonly segment: SegmentName; readonly offset: number } | null
}

interface ReadLine extends SegmentLine {
  readonly seal: Seal | null
}

/**
 * Reads the last `count` records from the end, or as many as begin within the last
 * `limits.eventsInMemoryBytes`, and verifies them. What no sync had covered may be
 * torn; damage to anything before that refuses, with the place.
 */
export async function readTail(
  io: JournalIo,
  directory: string,
  base: Base,
  mark: Mark | null,
  count: number,
  key: ChainKey | null = null,
  isRekeying = false,
): Promise<Tail> {
  const segments = await listSegments(io, directory)
  const first = segments[0]
  if (first !== undefined && first.first !== base.seq + 1) {
    const place = { segment: first.name, line: 1, byte: 0 }
    const text = `the segment that holds record ${base.seq + 1} is missing`
    throw new JournalError('damaged', text, place)
  }
  const lines = await lastLines(io, directory, segments, count)
  const bad = firstUnchained(lines, segments, base)
  const good = lines.slice(0, bad?.index ?? lines.length)
  const lastLine = good.at(-1)
  const last =
    lastLine?.seal === null || lastLine === undefined
      ? base
      : { seq: lastLine.seal.seq, hash: lastLine.seal.hash }
  if (bad !== null) refuseIfDurable(bad, lines, segments, last.seq + 1, mark)
  const tail: Tail = {
    segments,
    records: good.flatMap(placed),
    last,
    segment: lastLine?.segment ?? null,
    end: lastLine === undefined ? 0 : lastLine.offset + lastLine.bytes.length + 1,
    found: standingOf(good.flatMap(chainedLine), mark, key, isRekeying),
    torn: bad === null ? null : { segment: bad.line.segment, offset: bad.line.offset },
  }
  refuseIfShort(tail, mark)
  return tail
}

/** The line that holds a record, from its number: each record is one line. */
export function placeOf(segment: SegmentName, seq: number, byte: number): RecordPlace {
  return { segment: segment.name, line: seq - segment.first + 1, byte }
}

/** Lines from the end back until `count` of them verify, oldest first. */
async function lastLines(
  io: JournalIo,
  directory: string,
  segments: readonly SegmentName[],
  count: number,
): Promise<readonly ReadLine[]> {
  const found: ReadLine[] = []
  let verified = 0
  let bytes = 0
  for (const segment of [...segments].reverse()) {
    for await (const lines of linesBackward(io, directory, segment)) {
      for (const line of lines) {
        const sealed = line.ended ? readSeal(line.bytes) : null
        found.push({ ...line, seal: sealed })
        if (sealed !== null) verified += 1
        bytes += line.bytes.length
        if (verified >= count || (verified > 0 && bytes >= limits.eventsInMemoryBytes)) {
          return found.reverse()
        }
      }
    }
  }
  return found.reverse()
}

interface Unchained {
  readonly index: number
  readonly line: ReadLine
  /** A line that verifies by itself and still does not belong here was not torn. */
  readonly text: string | null
}

function firstUnchained(
  lines: readonly ReadLine[],
  segments: readonly SegmentName[],
  base: Base,
): Unchained | null {
  let before: Seal | null = null
  for (const [index, line] of lines.entries()) {
    const { seal, segment, offset } = line
    if (seal === null) return { index, line, text: null }
    const isFirst = segment === segments[0] && offset === 0
    const expected = isFirst ? base : before
    const text = unchainedText(seal, expected, isFirst, offset === 0 ? segment.first : null)
    if (text !== null) return { index, line, text }
    before = seal
  }
  return null
}

function unchainedText(
  seal: Seal,
  before: { readonly seq: number; readonly hash: string } | null,
  isFirst: boolean,
  named: number | null,
): string | null {
  if (named !== null && seal.seq !== named) {
    return `the segment is named after record ${named} and begins with ${seal.seq}`
  }
  if (before === null) return null
  if (seal.seq !== before.seq + 1) {
    return `record ${before.seq + 1} was expected and ${seal.seq} found`
  }
  if (seal.prev === before.hash) return null
  return isFirst
    ? 'the first record belongs to a journal of another account or network'
    : `record ${seal.seq} does not follow the record before it`
}

function refuseIfDurable(
  bad: Unchained,
  lines: readonly ReadLine[],
  segments: readonly SegmentName[],
  expected: number,
  mark: Mark | null,
): void {
  const { line, text, index } = bad
  const place = placeOf(line.segment, expected, line.offset)
  if (text !== null) throw new JournalError('damaged', text, place)
  const later = lines.slice(index + 1).some(({ seal }) => seal !== null && seal.synced >= expected)
  const covered = mark !== null && mark.seq >= expected
  if (later || covered || line.segment !== segments.at(-1)) {
    const why = `record ${expected} was on disk and does not verify any more`
    throw new JournalError('damaged', why, place)
  }
}

/** The journal must reach as far as it is known to have been on disk. */
function refuseIfShort(tail: Tail, mark: Mark | null): void {
  const { last, segment, end, segments, records } = tail
  const newest = segments.at(-1)
  if (newest !== undefined && newest !== segment && newest.first !== last.seq + 1) {
    const text = `record ${last.seq + 1} is missing before a segment that begins with ${newest.first}`
    throw new JournalError('damaged', text, { segment: newest.name, line: 1, byte: 0 })
  }
  if (mark === null) return
  const place = segment === null ? null : placeOf(segment, last.seq + 1, end)
  if (last.seq < mark.seq) {
    const text = `records up to ${mark.seq} were on disk and the journal ends with ${last.seq}`
    throw new JournalError('damaged', text, place)
  }
  const marked = records.find(({ record }) => record.seq === mark.seq)
  if (marked !== undefined && marked.record.hash !== mark.hash) {
    const text = `record ${mark.seq} is not the one that was on disk`
    throw new JournalError('damaged', text, place)
  }
}

function chainedLine({ bytes, seal, segment, offset }: ReadLine): readonly ChainedLine[] {
  return seal === null ? [] : [{ bytes, seal, place: placeOf(segment, seal.seq, offset) }]
}

function placed(line: ReadLine): readonly PlacedRecord[] {
  const { seal, segment, offset, bytes } = line
  if (seal === null) return []
  const position = { seq: seal.seq, segment: segment.first, offset, length: bytes.length }
  return [{ record: openRecord(bytes, seal), position }]
}
