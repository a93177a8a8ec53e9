import { createHash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { limits } from '../../core/values/limits.ts'
import { nodeIo } from '../../journal/nodeIo.ts'
import { refused } from '../cliError.ts'

/** Copies a file to a new one that only its owner may read, synced. */
export function copyFile(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
  const target = openSync(to, 'wx', 0o600)
  try {
    for (const part of partsOf(from)) writeSync(target, part)
    fsyncSync(target)
  } finally {
    closeSync(target)
  }
}

/** Writes a new file that only its owner may read, synced. */
export function writeNew(path: string, text: string): void {
  const file = openSync(path, 'wx', 0o600)
  try {
    writeSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

export function digestOf(path: string): string {
  const hash = createHash('sha256')
  for (const part of partsOf(path)) hash.update(part)
  return hash.digest('hex')
}

/** Every file below a directory, as paths relative to it, with its size. */
export function filesBelow(directory: string): readonly { path: string; bytes: number }[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((path) => ({ path, stat: statSync(join(directory, path), { throwIfNoEntry: false }) }))
    .flatMap(({ path, stat }) => (stat?.isFile() === true ? [{ path, bytes: stat.size }] : []))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** Makes a directory that is new or empty; any other is refused. */
export function makeEmpty(directory: string, what: string): void {
  const stat = statSync(directory, { throwIfNoEntry: false })
  if (stat !== undefined && !stat.isDirectory()) {
    throw refused(`${what} ${directory} is a file; name a new directory`)
  }
  if (stat !== undefined && readdirSync(directory).length > 0) {
    throw refused(`${what} ${directory} is not empty; name a new directory`, [
      'nothing is ever written over what is there',
    ])
  }
  mkdirSync(directory, { recursive: true, mode: 0o700 })
}

/** Refuses before anything is written where the bytes cannot fit. */
export async function refuseWithoutRoom(directory: string, bytes: number): Promise<void> {
  const free = await nodeIo.freeBytes(existingParent(directory))
  if (free > bytes + limits.backupSpareBytes) return
  const [needed, left] = [bytes + limits.backupSpareBytes, free].map((each) =>
    Math.ceil(each / 1_048_576),
  )
  throw refused(`there is no room at ${directory}: ${needed} MiB are needed, ${left} are free`)
}

function existingParent(path: string): string {
  return existsSync(path) ? path : existingParent(dirname(path))
}

function* partsOf(path: string): Generator<Buffer> {
  const file = openSync(path, 'r')
  try {
    const buffer = Buffer.allocUnsafe(limits.copyPartBytes)
    for (;;) {
      const count = readSync(file, buffer, 0, buffer.length, null)
      if (count === 0) return
      yield buffer.subarray(0, count)
    }
  } finally {
    closeSync(file)
  }
}
