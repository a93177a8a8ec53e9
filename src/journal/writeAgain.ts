import { limits } from '../core/values/limits.ts'
import { join } from 'node:path'
import type { JournalIo } from './journalIo.ts'
import type { Mark } from './layout.ts'
import { writeFully } from './segments.ts'
import type { Tail } from './tail.ts'

/**
 * What stands behind the mark may be in the kernel's memory only: after a failed sync it can be
 * read, and no later sync will write it. Writing the same bytes again puts them on disk, before a
 * record is added behind them that would leave a hole where they are lost.
 */
export async function writeAgain(
  io: JournalIo,
  directory: string,
  tail: Tail,
  mark: Mark | null,
): Promise<void> {
  const { segment, end } = tail
  if (segment === null) return
  const isMarked = mark !== null && mark.segment === segment.name && mark.end <= end
  let from = isMarked ? mark.end : 0
  if (from === end) return
  const file = await io.open(join(directory, segment.name), 'write')
  try {
    while (from < end) {
      const bytes = Buffer.allocUnsafe(Math.min(chunkBytes, end - from))
      const count = await file.read(bytes, from)
      if (count <= 0) break
      await writeFully(file, bytes.subarray(0, count), from)
      from += count
    }
    await file.sync()
  } finally {
    await file.close()
  }
}

const chunkBytes = limits.rewriteBytes
