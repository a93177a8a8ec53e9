import type { Millis } from '../core/values/millis.ts'
import { millis, utcDay } from '../core/values/millis.ts'
import { removeBelow, writeBase } from './base.ts'
import type { Base } from './base.ts'
import type { JournalIo } from './journalIo.ts'
import type { SegmentName } from './layout.ts'
import { readSeal } from './record.ts'
import { linesForward, listSegments } from './segments.ts'

interface PruneOptions {
  readonly io: JournalIo
  readonly directory: string
  readonly genesisHash: string
  readonly keepDays: number
  readonly now: Millis
  /** A start reads the records from this one on: it stays, with all that follow. */
  readonly neededFrom: number
  /** Told what the first kept record will follow before anything is removed. */
  readonly onBase: (base: Base) => void
}

/**
 * Removes whole segments of which every record is older than so many days. What the first kept
 * record follows is on disk before anything goes, so that numbers and chain can still be checked.
 */
export async function prune(options: PruneOptions): Promise<void> {
  const { io, directory, genesisHash } = options
  const first = firstKept(await listSegments(io, directory), options)
  if (first === null) return
  const hash = await hashBefore(io, directory, first)
  if (hash === null) return
  const base = { seq: first.first - 1, hash }
  await writeBase(io, directory, genesisHash, base)
  options.onBase(base)
  await removeBelow(io, directory, base)
}

/** The segment that becomes the first; null when nothing is old enough. */
function firstKept(
  segments: readonly SegmentName[],
  { keepDays, now, neededFrom }: PruneOptions,
): SegmentName | null {
  const oldest = utcDay(millis(now - keepDays * dayMs))
  // What stands before a segment was written before the day that it was begun on had ended.
  const isFree = ({ day, first }: SegmentName): boolean => day < oldest && first <= neededFrom
  return segments.slice(1).findLast(isFree) ?? null
}

async function hashBefore(
  io: JournalIo,
  directory: string,
  segment: SegmentName,
): Promise<string | null> {
  for await (const [line] of linesForward(io, directory, segment)) {
    const seal = line?.ended === true ? readSeal(line.bytes) : null
    return seal?.seq === segment.first ? seal.prev : null
  }
  return null
}

const dayMs = 86_400_000
