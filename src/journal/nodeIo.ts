import { DatabaseSync } from '@photostructure/sqlite'
import * as fs from 'node:fs'
import * as fsp from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { causeText, JournalError } from './journalError.ts'
import { ioCode } from './journalIo.ts'
import type { IoFile, IoLock, JournalIo } from './journalIo.ts'
import { parseObject } from './layout.ts'

/** The real disk, through libuv's threads; only taking the lock is synchronous, and short. */
export const nodeIo: JournalIo = {
  async makeDirectory(path) {
    await fsp.mkdir(path, { recursive: true, mode: 0o700 })
  },
  async list(path) {
    try {
      return await fsp.readdir(path)
    } catch (error) {
      if (ioCode(error) === 'ENOENT') return []
      throw error
    }
  },
  async open(path, mode, durability) {
    // One call writes and syncs: a second one would be two more changes between threads.
    const synced = durability === 'durable' ? O_DSYNC : 0
    const fd = await open(path, openFlags[mode] | synced | O_NONBLOCK, 0o600)
    if ((await fstat(fd)).isFile()) return nodeFile(fd, path)
    await promisify(fs.close)(fd)
    throw noFile(path)
  },
  rename: (from, to) => fsp.rename(from, to),
  remove: (path) => fsp.rm(path, { force: true }),
  async syncDirectory(path) {
    const directory = await fsp.open(path, 'r')
    try {
      await directory.sync()
    } finally {
      await directory.close()
    }
  },
  async freeBytes(directory) {
    const { bavail, bsize } = await fsp.statfs(directory)
    return bavail * bsize
  },
  lock: (directory) => Promise.resolve(takeLock(directory)),
}

const open = promisify(fs.open)
const fstat: (fd: number) => Promise<fs.Stats> = promisify(fs.fstat)
// Not blocking, since a pipe in the place of a file would be waited for; a file takes no notice of it.
const { O_RDONLY, O_RDWR, O_CREAT, O_EXCL, O_DSYNC, O_NONBLOCK } = fs.constants
const openFlags = {
  read: O_RDONLY,
  write: O_RDWR | O_CREAT,
  create: O_RDWR | O_CREAT | O_EXCL,
} as const

function nodeFile(fd: number, path: string): IoFile {
  let opened: fs.Stats | null = null
  return {
    isInPlace() {
      opened ??= fs.fstatSync(fd)
      return leadsTo(path, opened)
    },
    size: async () => (await fstat(fd)).size,
    read: (into, position) => readFully(fd, into, position),
    write: (bytes, position) =>
      new Promise((resolve, reject) => {
        fs.write(fd, bytes, 0, bytes.length, position, (error, written) => {
          if (error === null) resolve(written)
          else reject(error)
        })
      }),
    sync: () => callback((done) => fs.fdatasync(fd, done)),
    truncate: (size) => callback((done) => fs.ftruncate(fd, size, done)),
    close: () => callback((done) => fs.close(fd, done)),
  }
}

function callback(run: (done: (error: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    run((error) => {
      if (error === null) resolve()
      else reject(error)
    })
  })
}

const read = promisify(fs.read)

async function readFully(fd: number, into: Uint8Array, position: number): Promise<number> {
  let done = 0
  while (done < into.length) {
    const { bytesRead } = await read(fd, into, done, into.length - done, position + done)
    if (bytesRead === 0) break
    done += bytesRead
  }
  return done
}

/**
 * The kernel holds the lock, through SQLite's on an empty database, and lets go of it when the
 * process dies, in whatever container it ran; the file `lock` beside it says who has it. A lock on a
 * file that has lost its name keeps nobody out, so the name has to stay with the file.
 */
function takeLock(directory: string): IoLock {
  const ownerFile = join(directory, 'lock')
  const lockFile = join(directory, 'lock.sqlite')
  for (const path of [ownerFile, lockFile]) {
    if (fs.statSync(path, { throwIfNoEntry: false })?.isFile() === false) throw noFile(path)
  }
  const database = new DatabaseSync(lockFile, { timeout: 0 })
  const previous = readOwner(ownerFile)
  try {
    // Nothing is ever written to it, so that a full disk keeps nobody from taking it.
    database.exec('PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    const why = causeText(error)
    if (!why.includes('locked')) throw new JournalError('invalid', `${lockFile}: ${why}`)
    return { held: false, owner: previous ?? 'another process' }
  }
  const locked = fs.statSync(lockFile)
  const isOurs = (): boolean => leadsTo(lockFile, locked)
  nameOwner(ownerFile)
  return {
    held: true,
    stale: previous,
    isOurs,
    async release() {
      if (isOurs()) await fsp.rm(ownerFile, { force: true })
      database.close()
    },
  }
}

function noFile(path: string): JournalError {
  return new JournalError('invalid', `${path} is no regular file`)
}

/** For people alone: a disk without room for it keeps nobody from the lock. */
function nameOwner(ownerFile: string): void {
  try {
    fs.writeFileSync(ownerFile, `${JSON.stringify(thisProcess())}\n`, { mode: 0o600 })
  } catch {
    // Whoever asks is told of a process that left no name.
  }
}

/** Whether a path still names a file that is open here: no other can have its number meanwhile. */
function leadsTo(path: string, { ino, dev }: fs.Stats): boolean {
  const found = fs.statSync(path, { throwIfNoEntry: false })
  return found !== undefined && found.ino === ino && found.dev === dev
}

function thisProcess(): { readonly [key: string]: string | number } {
  return {
    pid: process.pid,
    host: hostname(),
    boot: bootId(),
    started_at_ms: Math.round(performance.timeOrigin),
  }
}

function readOwner(path: string): string | null {
  let text: string
  try {
    text = fs.readFileSync(path, 'utf8')
  } catch {
    return null
  }
  const owner = parseObject(text)
  if (owner === null) return 'a process that left no name'
  const { pid, host, started_at_ms: started } = owner
  const since = typeof started === 'number' ? new Date(started).toISOString() : 'an unknown time'
  return `process ${String(pid)} on ${String(host)}, started ${since}`
}

/** For `bootId` where the system hides it, as a hardened service unit does. */
export const unknownBoot = 'unknown'

/** Changes with every boot of the machine; a fixed word where the system does not say. */
export function bootId(): string {
  try {
    return fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return unknownBoot
  }
}
