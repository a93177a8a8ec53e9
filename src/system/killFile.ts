import { closeSync, lstatSync, openSync, readSync, watch } from 'node:fs'
import type { FSWatcher } from 'node:fs'
import { link, open, symlink, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { limits } from '../core/values/limits.ts'
import type { KillFile } from '../engine/ports.ts'

/** What is read of a kill file at most: a first line needs no more. */
const readBytesMax = limits.killFileBytesMax

/** The entry `kill` in the state directory: a file, a directory, a dangling link, readable or not. */
export function killFileIn(stateDir: string): KillFile {
  const path = join(stateDir, 'kill')
  return {
    seen: () => (exists(path) ? { firstLine: firstLine(path) } : null),
    write: (reason) => writeOnce(stateDir, path, reason),
    watch: (changed) => watchDirectory(stateDir, changed),
  }
}

function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    // A state directory that cannot be looked into might hold the file: that latches.
    return true
  }
}

function firstLine(path: string): string {
  // Anything but a plain file latches without being opened: opening a pipe would wait for ever.
  if (!isFile(path)) return ''
  let file: number | null = null
  try {
    file = openSync(path, 'r')
    const bytes = Buffer.alloc(readBytesMax)
    const length = readSync(file, bytes, 0, readBytesMax, 0)
    const line = bytes.toString('utf8', 0, length).split('\n')[0] ?? ''
    const characters = [...printable(line).trim()]
    return characters.slice(0, limits.killReasonCharsMax + originCharsMax).join('')
  } catch {
    return ''
  } finally {
    if (file !== null) closeSync(file)
  }
}

/** Room for what says where a latch came from, after the reason itself. */
const originCharsMax = limits.killOriginCharsMax

function isFile(path: string): boolean {
  try {
    return lstatSync(path).isFile()
  } catch {
    return false
  }
}

function printable(text: string): string {
  return text.replace(/[^\x20-\x7e\u00a0-\uffff]/g, '')
}

/**
 * The entry appears with its text: a watcher that saw it empty would not know why it was pulled.
 * Where a disk has no room for the text the entry alone latches as well.
 */
async function writeOnce(stateDir: string, path: string, reason: string): Promise<void> {
  if (exists(path)) {
    // An earlier try may have made the entry and failed to put it on disk.
    await syncDirectory(stateDir)
    return
  }
  try {
    await writeWithText(stateDir, path, reason)
  } catch (error) {
    await makeEntry(path, error)
  }
  await syncDirectory(stateDir)
}

async function writeWithText(stateDir: string, path: string, reason: string): Promise<void> {
  const next = join(stateDir, `.kill-${process.pid}-${process.hrtime.bigint()}`)
  try {
    const file = await open(next, 'wx', 0o600)
    try {
      await file.writeFile(`${printable(reason)}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    // Unlike a rename, a link never replaces an entry that another hand made meanwhile.
    await link(next, path)
  } finally {
    await unlink(next).catch(() => undefined)
  }
}

/** An entry that needs no room of its own: an empty file, or a link whose name is all it holds. */
async function makeEntry(path: string, why: unknown): Promise<void> {
  const makers = [
    async (): Promise<void> => {
      const file = await open(path, 'wx', 0o600)
      await file.close()
    },
    async (): Promise<void> => {
      await symlink('pulled', path)
    },
  ]
  for (const make of makers) {
    if (exists(path)) return
    await make().catch(() => undefined)
  }
  if (!exists(path)) throw why
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

function watchDirectory(stateDir: string, changed: () => void): () => void {
  let watcher: FSWatcher
  try {
    watcher = watch(stateDir, { persistent: false }, () => {
      changed()
    })
  } catch {
    // No watches left on this machine: the caller's poll still sees the file.
    return () => undefined
  }
  watcher.on('error', () => {
    watcher.close()
  })
  return () => {
    watcher.close()
  }
}
