import { join } from 'node:path'
import type { JournalIo } from './journalIo.ts'
import type { TornTail } from './opened.ts'
import { replaceFile } from './segments.ts'
import type { Tail } from './tail.ts'

/** A torn tail that was moved aside and is not recorded in the journal yet. */
export interface UnrecordedTear extends TornTail {
  /** Gives the file its final name; to be called once the journal says what happened. */
  settle(): Promise<void>
}

/**
 * Copies what stands behind the last whole record into a file of its own, synced, and only then
 * cuts it off. Until the journal records it the file's name ends so: an opening that ended
 * before that finds it again.
 */
export async function moveTorn(
  io: JournalIo,
  directory: string,
  tail: Tail,
): Promise<UnrecordedTear | null> {
  const { torn, last } = tail
  if (torn !== null) {
    const path = join(directory, torn.segment.name)
    const file = await io.open(path, 'write')
    try {
      const size = await file.size()
      // A disk may have taken the copy and the cut, and refused what came then.
      if (size > torn.offset) {
        const bytes = Buffer.allocUnsafe(size - torn.offset)
        await file.read(bytes, torn.offset)
        await replaceFile(io, directory, tornName(last.seq), bytes)
        await file.truncate(torn.offset)
      }
      await file.sync()
    } finally {
      await file.close()
    }
  }
  return findTear(io, directory)
}

async function findTear(io: JournalIo, directory: string): Promise<UnrecordedTear | null> {
  for (const name of await io.list(directory)) {
    const match = unrecorded.exec(name)
    if (match === null) continue
    const file = `${match[1] ?? ''}.bin`
    const handle = await io.open(join(directory, name), 'read')
    const bytes = await handle.size()
    await handle.close()
    return {
      afterSeq: Number(match[2]),
      bytes,
      file,
      async settle() {
        await io.rename(join(directory, name), join(directory, file))
        await io.syncDirectory(directory)
      },
    }
  }
  return null
}

function tornName(afterSeq: number): string {
  return `torn-${String(afterSeq).padStart(16, '0')}.unrecorded`
}

const unrecorded = /^(torn-(\d{16}))\.unrecorded$/
