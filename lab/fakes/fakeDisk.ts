import type { Timers } from '../../src/engine/ports.ts'
import { FakeFile } from './fakeFile.ts'
import type { CrashMode } from './fakeFile.ts'
import type { IoFile, IoLock, JournalIo, OpenMode } from '../../src/journal/journalIo.ts'

/** One operation on the fake disk, before it is done. */
export interface DiskOp {
  /** Counts every operation from 0 over the disk's life. */
  readonly index: number
  readonly kind: DiskOpKind
  readonly path: string
  /** For a write: how many bytes it asks for. */
  readonly bytes: number
}

type DiskOpKind =
  | 'open'
  | 'size'
  | 'read'
  | 'write'
  | 'sync'
  | 'truncate'
  | 'close'
  | 'rename'
  | 'remove'
  | 'list'
  | 'sync_directory'
  | 'free_bytes'
  | 'lock'

/** What goes wrong with an operation. A crash stops the process; nothing it asked ever answers. */
export type DiskFault =
  | { readonly kind: 'error'; readonly code: string }
  /** The write takes only this many bytes. */
  | { readonly kind: 'short'; readonly bytes: number }
  /** Answers only after `release`. */
  | { readonly kind: 'hang' }
  | { readonly kind: 'crash_before' }
  | { readonly kind: 'crash_after' }

export interface FakeDiskOptions {
  /** Asked before each operation; null lets it through. */
  readonly plan?: (op: DiskOp) => DiskFault | null
  /** Bytes all files may hold together. */
  readonly capacityBytes?: number
  /** How long an operation takes, by these timers; without it each answers in the same tick. */
  readonly latency?: { readonly timers: Timers; readonly ms: (op: DiskOp) => number }
}

/**
 * A disk in memory that tells what is on disk from what is only written. A crash loses, keeps or
 * tears what was not synced; a failed sync loses its data for good, as Linux does it. Directories
 * exist as soon as they are made.
 */
export class FakeDisk {
  plan: (op: DiskOp) => DiskFault | null
  capacityBytes: number
  /** How many operations were asked so far. */
  operations = 0
  readonly #latency: FakeDiskOptions['latency']
  #names = new Map<string, FakeFile>()
  #durableNames = new Map<string, FakeFile>()
  /** Changes of names that no directory sync has made durable yet, in order. */
  #pendingNames: { readonly path: string; readonly file: FakeFile | null }[] = []
  #process = new Process()
  #locks = new Map<string, symbol>()
  #hung: (() => void)[] = []

  constructor(options: FakeDiskOptions = {}) {
    this.plan = options.plan ?? (() => null)
    this.capacityBytes = options.capacityBytes ?? Infinity
    this.#latency = options.latency
  }

  /** The disk as the running process sees it; after a crash ask again. */
  get io(): JournalIo {
    return this.#io(this.#process)
  }

  /** Whether a fault of the plan has stopped the process. */
  get crashed(): boolean {
    return !this.#process.isAlive()
  }

  /** The power goes: the process is gone, and of what was not synced `mode` says what is left. */
  crash(mode: CrashMode): void {
    this.#endProcess()
    const keptNames = applyNames(this.#pendingNames.length, mode)
    for (const { path, file } of this.#pendingNames.slice(0, keptNames)) {
      setName(this.#durableNames, path, file)
    }
    this.#pendingNames = []
    this.#names = new Map(this.#durableNames)
    for (const file of new Set(this.#names.values())) file.crash(mode)
  }

  /** The process is killed; the machine, and so all it has written, stays. */
  kill(): void {
    this.#endProcess()
  }

  /** Somebody removes the lock file of a directory, and another process may take it. */
  removeLock(directory: string): void {
    this.#locks.delete(directory)
  }

  /** Lets everything that hangs go on. */
  release(): void {
    const hung = this.#hung
    this.#hung = []
    for (const go of hung) go()
  }

  /** A file's bytes as a reader would see them now, or null. */
  bytes(path: string): Uint8Array | null {
    return this.#names.get(path)?.view() ?? null
  }

  /** Puts a file there, durable at once. */
  put(path: string, bytes: Uint8Array): void {
    const file = new FakeFile()
    file.write(bytes, 0)
    file.sync()
    this.#names.set(path, file)
    this.#durableNames.set(path, file)
  }

  paths(): readonly string[] {
    return [...this.#names.keys()].sort()
  }

  #endProcess(): void {
    this.#process.end()
    this.#process = new Process()
    this.#locks.clear()
    this.#hung = []
  }

  #io(process: Process): JournalIo {
    const run = <T>(kind: DiskOpKind, path: string, bytes: number, act: Act<T>): Promise<T> =>
      this.#run(process, kind, path, bytes, act)
    return {
      makeDirectory: () => Promise.resolve(),
      list: (path) => run('list', path, 0, () => this.#list(path)),
      open: async (path, mode, durability) => {
        const file = await run('open', path, 0, () => this.#open(path, mode, run))
        return durability === 'durable' ? writingThrough(file) : file
      },
      rename: (from, to) => run('rename', from, 0, () => this.#rename(from, to)),
      remove: (path) => run('remove', path, 0, () => this.#setName(path, null)),
      syncDirectory: (path) => run('sync_directory', path, 0, () => this.#syncNames(path)),
      freeBytes: (path) => run('free_bytes', path, 0, () => this.#free()),
      lock: (path) => run('lock', path, 0, () => this.#lock(path)),
    }
  }

  async #run<T>(
    process: Process,
    kind: DiskOpKind,
    path: string,
    bytes: number,
    act: Act<T>,
  ): Promise<T> {
    if (!process.isAlive()) return never()
    const op = { index: this.operations, kind, path, bytes }
    this.operations += 1
    const fault = this.plan(op)
    if (fault?.kind === 'crash_before') {
      this.#stop()
      return never()
    }
    await this.#wait(op, fault)
    if (!process.isAlive()) return never()
    if (fault?.kind === 'error') {
      if (kind === 'sync') this.#names.get(path)?.failSync()
      throw diskError(fault.code, kind, path)
    }
    const answer = act(fault?.kind === 'short' ? fault.bytes : Infinity)
    if (fault?.kind === 'crash_after') {
      this.#stop()
      return never()
    }
    return answer
  }

  /** The process stands still; `crash` or `kill` decides what is left. */
  #stop(): void {
    this.#process.end()
  }

  async #wait(op: DiskOp, fault: DiskFault | null): Promise<void> {
    // It hangs from now on: one that were slow first could miss the moment all are let go.
    if (fault?.kind === 'hang') await new Promise<void>((resolve) => this.#hung.push(resolve))
    const latency = this.#latency
    if (latency === undefined) return
    const ms = latency.ms(op)
    await new Promise<void>((resolve) => {
      latency.timers.after(ms, resolve)
    })
  }

  #list(path: string): readonly string[] {
    const prefix = `${path}/`
    return [...this.#names.keys()]
      .filter((name) => name.startsWith(prefix))
      .map((name) => name.slice(prefix.length))
  }

  #open(path: string, mode: OpenMode, run: Run): IoFile {
    let file = this.#names.get(path)
    if (file !== undefined && mode === 'create') throw diskError('EEXIST', 'open', path)
    if (file === undefined) {
      if (mode === 'read') throw diskError('ENOENT', 'open', path)
      file = new FakeFile()
      this.#setName(path, file)
    }
    return this.#handle(file, path, run)
  }

  #handle(file: FakeFile, path: string, run: Run): IoFile {
    return {
      isInPlace: () => this.#names.get(path) === file,
      size: () => run('size', path, 0, () => file.size),
      read: (into, position) => run('read', path, 0, () => file.read(into, position)),
      write: (bytes, position) =>
        run('write', path, bytes.length, (most) => {
          const growth = position + bytes.length - file.size
          const room = bytes.length - Math.max(0, growth - this.#free())
          const count = Math.min(most, room, bytes.length)
          if (count <= 0 && bytes.length > 0) throw diskError('ENOSPC', 'write', path)
          file.write(bytes.subarray(0, count), position)
          return count
        }),
      sync: () => run('sync', path, 0, () => file.sync()),
      truncate: (size) => run('truncate', path, 0, () => file.truncate(size)),
      close: () => run('close', path, 0, () => undefined),
    }
  }

  #free(): number {
    if (this.capacityBytes === Infinity) return Infinity
    const used = [...new Set(this.#names.values())].reduce((sum, file) => sum + file.size, 0)
    return Math.max(0, this.capacityBytes - used)
  }

  #rename(from: string, to: string): void {
    const file = this.#names.get(from)
    if (file === undefined) throw diskError('ENOENT', 'rename', from)
    this.#setName(to, file)
    this.#setName(from, null)
  }

  #setName(path: string, file: FakeFile | null): void {
    setName(this.#names, path, file)
    this.#pendingNames.push({ path, file })
  }

  #syncNames(directory: string): void {
    const inside = (path: string): boolean => path.startsWith(`${directory}/`)
    for (const { path, file } of this.#pendingNames) {
      if (inside(path)) setName(this.#durableNames, path, file)
    }
    this.#pendingNames = this.#pendingNames.filter(({ path }) => !inside(path))
  }

  #lock(path: string): IoLock {
    if (this.#locks.has(path)) return { held: false, owner: 'the other process' }
    const mine = Symbol(path)
    this.#locks.set(path, mine)
    return {
      held: true,
      stale: null,
      isOurs: () => this.#locks.get(path) === mine,
      release: () => {
        if (this.#locks.get(path) === mine) this.#locks.delete(path)
        return Promise.resolve()
      },
    }
  }
}

class Process {
  #alive = true

  isAlive(): boolean {
    return this.#alive
  }

  end(): void {
    this.#alive = false
  }
}

/** Does the operation; a write is told how many bytes it may take. */
type Act<T> = (most: number) => T
type Run = <T>(kind: DiskOpKind, path: string, bytes: number, act: Act<T>) => Promise<T>

/** The write and its sync stay two operations here: the power can go between them. */
function writingThrough(file: IoFile): IoFile {
  return {
    ...file,
    write: async (bytes, position) => {
      const count = await file.write(bytes, position)
      await file.sync()
      return count
    },
  }
}

function never<T>(): Promise<T> {
  return new Promise<T>(() => undefined)
}

function setName(names: Map<string, FakeFile>, path: string, file: FakeFile | null): void {
  if (file === null) names.delete(path)
  else names.set(path, file)
}

/** A file system keeps the order of its names: of what is pending, a beginning survives. */
function applyNames(pending: number, mode: CrashMode): number {
  if (mode === 'lost') return 0
  if (mode === 'kept') return pending
  return Math.floor(mode() * (pending + 1))
}

function diskError(code: string, kind: string, path: string): Error {
  return Object.assign(new Error(`${code}: fake disk, ${kind} '${path}'`), { code })
}
