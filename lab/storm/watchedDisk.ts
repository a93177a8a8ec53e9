import type { JournalIo } from '../../src/journal/journalIo.ts'
import type { IoFile } from '../../src/journal/journalIo.ts'

/** A line of the journal or its emergency file, once it is on disk. */
export type DiskRecord = { readonly seq: number; readonly kind: string } & {
  readonly [field: string]: unknown
}

interface Unsynced {
  end: number
  bytes: Uint8Array[]
}

/**
 * Watches what the journal puts on disk, from outside: a line counts only once the file it was
 * written to was synced. It reads the disk's traffic and trusts nothing the journal says.
 */
export class WatchedDisk {
  readonly #onRecord: (record: DiskRecord) => void
  readonly #onCut: (lastSeq: number) => void
  #unsynced = new Map<string, Unsynced>()
  /** The synced records of each segment, with the byte where each ends. */
  #ends = new Map<string, { readonly seq: number; readonly end: number }[]>()

  constructor(onRecord: (record: DiskRecord) => void, onCut: (lastSeq: number) => void) {
    this.#onRecord = onRecord
    this.#onCut = onCut
  }

  /** The process is gone; what it had not synced is not known to be there. */
  forget(): void {
    this.#unsynced = new Map()
  }

  watch(io: JournalIo): JournalIo {
    return {
      makeDirectory: (path) => io.makeDirectory(path),
      list: (path) => io.list(path),
      rename: (from, to) => io.rename(from, to),
      remove: async (path) => {
        await io.remove(path)
        this.#unsynced.delete(path)
        this.#cut(path, 0)
      },
      syncDirectory: (path) => io.syncDirectory(path),
      freeBytes: (directory) => io.freeBytes(directory),
      lock: (directory) => io.lock(directory),
      open: async (path, mode, durability) => {
        const file = await io.open(path, mode, durability)
        if (!isWatched(path)) return file
        const watched = this.#watchFile(file, path)
        return durability === 'durable' ? this.#writingThrough(watched, path) : watched
      },
    }
  }

  /** A write that returns is on disk; of one that does not nobody knows. */
  #writingThrough(file: IoFile, path: string): IoFile {
    return {
      ...file,
      write: async (bytes, position) => {
        try {
          const count = await file.write(bytes, position)
          this.#synced(path)
          return count
        } catch (error) {
          this.#unsynced.delete(path)
          throw error
        }
      },
    }
  }

  #watchFile(file: IoFile, path: string): IoFile {
    return {
      isInPlace: () => file.isInPlace(),
      size: () => file.size(),
      read: (into, position) => file.read(into, position),
      close: () => file.close(),
      write: async (bytes, position) => {
        const count = await file.write(bytes, position)
        const known = this.#unsynced.get(path)
        const isNext = known?.end === position
        const kept = isNext ? known.bytes : []
        kept.push(Uint8Array.from(bytes.subarray(0, count)))
        this.#unsynced.set(path, { end: position + count, bytes: kept })
        return count
      },
      truncate: async (size) => {
        await file.truncate(size)
        this.#unsynced.set(path, { end: size, bytes: [] })
        this.#cut(path, size)
      },
      sync: async () => {
        try {
          await file.sync()
        } catch (error) {
          this.#unsynced.delete(path)
          throw error
        }
        this.#synced(path)
      },
    }
  }

  #ended(path: string, seq: number, end: number): void {
    const ends = this.#ends.get(path) ?? []
    ends.push({ seq, end })
    this.#ends.set(path, ends)
  }

  #cut(path: string, size: number): void {
    const ends = this.#ends.get(path)
    const first = ends?.[0]
    if (ends === undefined || first === undefined) return
    const kept = ends.filter(({ end }) => end <= size)
    if (kept.length === ends.length) return
    this.#ends.set(path, kept)
    this.#onCut(kept.at(-1)?.seq ?? first.seq - 1)
  }

  #synced(path: string): void {
    const known = this.#unsynced.get(path)
    if (known === undefined) return
    const all = Buffer.concat(known.bytes)
    const whole = all.lastIndexOf(0x0a) + 1
    known.bytes = whole === all.length ? [] : [all.subarray(whole)]
    let end = known.end - all.length
    for (const line of all.toString('utf8', 0, whole).split('\n')) {
      end += Buffer.byteLength(line) + 1
      const record = line === '' ? null : parsed(line)
      if (record === null) continue
      if (record.seq > 0) this.#ended(path, record.seq, end)
      this.#onRecord(record)
    }
  }
}

function isWatched(path: string): boolean {
  return /\/(\d{16}-[^/]*|emergency)\.ndjson$/.test(path)
}

function parsed(line: string): DiskRecord | null {
  try {
    return JSON.parse(line) as DiskRecord
  } catch {
    return null
  }
}
