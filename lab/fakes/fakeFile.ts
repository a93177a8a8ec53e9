/** What a crash leaves of writes that were not synced: nothing, all, or what chance (0 to 1) says. */
export type CrashMode = 'lost' | 'kept' | (() => number)

type Change =
  | { readonly kind: 'write'; readonly position: number; readonly bytes: Uint8Array }
  | { readonly kind: 'truncate'; readonly size: number }

/** A file that knows which of its changes are on disk. */
export class FakeFile {
  #bytes: Uint8Array = new Uint8Array(0)
  #size = 0
  /** Changes since the last sync, and how to take each back. */
  #changes: { readonly change: Change; readonly undo: () => void }[] = []
  /** After a failed sync what is read and what is on disk differ; this is what is on disk. */
  #onDisk: FakeFile | null = null

  get size(): number {
    return this.#size
  }

  view(): Uint8Array {
    return this.#bytes.slice(0, this.#size)
  }

  read(into: Uint8Array, position: number): number {
    const end = Math.min(this.#size, position + into.length)
    if (end <= position) return 0
    into.set(this.#bytes.subarray(position, end))
    return end - position
  }

  write(bytes: Uint8Array, position: number): void {
    const copy = Uint8Array.from(bytes)
    const before = this.#bytes.slice(position, Math.min(this.#size, position + copy.length))
    const sizeBefore = this.#size
    this.#set(copy, position)
    this.#changes.push({
      change: { kind: 'write', position, bytes: copy },
      undo: () => {
        this.#bytes.set(before, position)
        this.#resize(sizeBefore)
      },
    })
  }

  truncate(size: number): void {
    const cut = this.#bytes.slice(size, this.#size)
    const sizeBefore = this.#size
    this.#resize(size)
    this.#changes.push({
      change: { kind: 'truncate', size },
      undo: () => {
        this.#resize(sizeBefore)
        this.#bytes.set(cut, size)
      },
    })
  }

  sync(): void {
    if (this.#onDisk !== null) for (const { change } of this.#changes) this.#onDisk.#apply(change)
    this.#changes = []
  }

  /** The kernel reports the failure once and forgets the data: it can be read, and is not on disk. */
  failSync(): void {
    if (this.#onDisk === null) {
      const onDisk = new FakeFile()
      const seen = this.view()
      this.#undoAll()
      onDisk.#set(this.view(), 0)
      this.#resize(0)
      this.#set(seen, 0)
      this.#onDisk = onDisk
    }
    this.#changes = []
  }

  /** What is left after the power went. */
  crash(mode: CrashMode): void {
    const pending = this.#changes.map(({ change }) => change)
    if (this.#onDisk !== null) {
      const onDisk = this.#onDisk.view()
      this.#onDisk = null
      this.#resize(0)
      this.#set(onDisk, 0)
      this.#changes = []
    } else if (mode !== 'kept') {
      this.#undoAll()
    } else {
      this.#changes = []
      return
    }
    if (mode === 'lost') return
    for (const change of pending) {
      for (const part of mode === 'kept' ? [change] : tear(change, mode)) this.#apply(part)
    }
  }

  #undoAll(): void {
    for (const { undo } of this.#changes.reverse()) undo()
    this.#changes = []
  }

  #apply(change: Change): void {
    if (change.kind === 'truncate') this.#resize(change.size)
    else this.#set(change.bytes, change.position)
  }

  #set(bytes: Uint8Array, position: number): void {
    this.#resize(Math.max(this.#size, position + bytes.length))
    this.#bytes.set(bytes, position)
  }

  #resize(size: number): void {
    if (size > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(size, this.#bytes.length * 2, 1_024))
      grown.set(this.#bytes.subarray(0, this.#size))
      this.#bytes = grown
    }
    if (size < this.#size) this.#bytes.fill(0, size, this.#size)
    this.#size = size
  }
}

/** Sectors reach the disk in any order, or not at all; a write may also stop anywhere. */
function tear(change: Change, chance: () => number): readonly Change[] {
  if (change.kind === 'truncate') return chance() < 0.5 ? [change] : []
  const { position, bytes } = change
  const luck = chance()
  if (luck < 0.2) return []
  if (luck < 0.4) return [change]
  if (luck < 0.7) {
    const kept = Math.floor(chance() * (bytes.length + 1))
    return [{ kind: 'write', position, bytes: bytes.slice(0, kept) }]
  }
  const parts: Change[] = []
  for (let at = 0; at < bytes.length;) {
    const sector = Math.min(bytes.length - at, sectorBytes - ((position + at) % sectorBytes))
    if (chance() < 0.5) {
      parts.push({ kind: 'write', position: position + at, bytes: bytes.slice(at, at + sector) })
    }
    at += sector
  }
  return parts
}

const sectorBytes = 512
