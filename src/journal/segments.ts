import { limits } from '../core/values/limits.ts'
import { join } from 'node:path'
import { ioCode } from './journalIo.ts'
import type { IoFile, JournalIo } from './journalIo.ts'
import { segmentNames } from './layout.ts'
import type { SegmentName } from './layout.ts'

/** One line of a segment, without its newline. */
export interface SegmentLine {
  readonly segment: SegmentName
  readonly offset: number
  readonly bytes: Buffer
  /** False for what stands after the last newline. */
  readonly ended: boolean
}

export async function listSegments(
  io: JournalIo,
  directory: string,
): Promise<readonly SegmentName[]> {
  return segmentNames(await io.list(directory))
}

/** The lines of a segment from a byte on, in groups as they come from the disk, up to `end`. */
export async function* linesForward(
  io: JournalIo,
  directory: string,
  segment: SegmentName,
  from = 0,
  end = Infinity,
): AsyncGenerator<readonly SegmentLine[]> {
  const file = await io.open(join(directory, segment.name), 'read')
  try {
    let kept: Buffer<ArrayBufferLike> = Buffer.alloc(0)
    let position = from
    while (position < end) {
      const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, end - position))
      const count = await file.read(chunk, position)
      position += count
      const offset = position - count - kept.length
      const read = chunk.subarray(0, count)
      const { lines, rest } = splitLines(
        segment,
        kept.length === 0 ? read : Buffer.concat([kept, read]),
        offset,
      )
      kept = rest
      if (lines.length > 0) yield lines
      if (count < chunk.length) break
    }
    if (kept.length > 0) {
      yield [{ segment, offset: position - kept.length, bytes: kept, ended: false }]
    }
  } finally {
    await file.close()
  }
}

/** The lines of a segment from its end to its beginning, in groups, each group in that order. */
export async function* linesBackward(
  io: JournalIo,
  directory: string,
  segment: SegmentName,
): AsyncGenerator<readonly SegmentLine[]> {
  const file = await io.open(join(directory, segment.name), 'read')
  try {
    let start = await file.size()
    let kept: Buffer<ArrayBufferLike> = Buffer.alloc(0)
    let wanted: number = backwardBytesMin
    while (start > 0) {
      const chunk = Buffer.allocUnsafe(Math.min(wanted, start))
      wanted = Math.min(wanted * 2, backwardBytesMax)
      await file.read(chunk, start - chunk.length)
      start -= chunk.length
      const read = Buffer.concat([chunk, kept])
      // What stands before the first newline may continue the chunk before it.
      const first = start === 0 ? 0 : read.indexOf(newline) + 1
      if (start > 0 && first === 0) {
        kept = read
        continue
      }
      kept = read.subarray(0, first)
      const { lines, rest } = splitLines(segment, read.subarray(first), start + first)
      const offset = start + read.length - rest.length
      const tail = rest.length === 0 ? [] : [{ segment, offset, bytes: rest, ended: false }]
      yield [...lines, ...tail].reverse()
    }
  } finally {
    await file.close()
  }
}

/** Reads one line at a known place; null when the file ends before it. */
export async function readAt(
  io: JournalIo,
  directory: string,
  segment: SegmentName,
  offset: number,
  length: number,
): Promise<Buffer | null> {
  const file = await io.open(join(directory, segment.name), 'read')
  try {
    const bytes = Buffer.allocUnsafe(length)
    return (await file.read(bytes, offset)) === length ? bytes : null
  } finally {
    await file.close()
  }
}

/** The whole of a small file, or null when there is none. */
export async function readSmallFile(io: JournalIo, path: string): Promise<Buffer | null> {
  const file = await openToRead(io, path)
  if (file === null) return null
  try {
    const bytes = Buffer.allocUnsafe(await file.size())
    return bytes.subarray(0, await file.read(bytes, 0))
  } finally {
    await file.close()
  }
}

/** Writes all of some bytes; a disk that takes nothing more is an error. */
export async function writeFully(
  file: { write(bytes: Uint8Array, position: number): Promise<number> },
  bytes: Uint8Array,
  position: number,
): Promise<void> {
  let done = 0
  while (done < bytes.length) {
    const count = await file.write(bytes.subarray(done), position + done)
    if (count <= 0) throw new Error(`the disk took ${done} of ${bytes.length} bytes`)
    done += count
  }
}

/** Puts a file there whole: under another name first, synced, then renamed over. */
export async function replaceFile(
  io: JournalIo,
  directory: string,
  name: string,
  bytes: Uint8Array,
): Promise<void> {
  const temporary = join(directory, `${name}.new`)
  await io.remove(temporary)
  const file = await io.open(temporary, 'create')
  try {
    await writeFully(file, bytes, 0)
    await file.sync()
  } finally {
    await file.close()
  }
  await io.rename(temporary, join(directory, name))
  await io.syncDirectory(directory)
}

async function openToRead(io: JournalIo, path: string): Promise<IoFile | null> {
  try {
    return await io.open(path, 'read')
  } catch (error) {
    if (ioCode(error) === 'ENOENT') return null
    throw error
  }
}

function splitLines(
  segment: SegmentName,
  bytes: Buffer,
  offset: number,
): { readonly lines: SegmentLine[]; readonly rest: Buffer } {
  const lines: SegmentLine[] = []
  let start = 0
  for (;;) {
    const end = bytes.indexOf(newline, start)
    if (end < 0) break
    lines.push({
      segment,
      offset: offset + start,
      bytes: bytes.subarray(start, end),
      ended: true,
    })
    start = end + 1
  }
  return { lines, rest: bytes.subarray(start) }
}

const newline = 0x0a
const chunkBytes = limits.segmentReadBytes
/** Often only the last lines are wanted, so reading backward begins small. */
const backwardBytesMin = limits.tailReadBytesMin
const backwardBytesMax = limits.tailReadBytesMax
