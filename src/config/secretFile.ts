import { limits } from '../core/values/limits.ts'
import {
  closeSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  writeFileSync,
  constants,
} from 'node:fs'
import { err, ok } from '../core/values/result.ts'
import type { Result } from '../core/values/result.ts'

const secretBytesMax = limits.secretFileBytesMax

/** Who besides the owner may have rights on a secret file. */
const openToOthers = { nobody: 0o077, group: 0o007 } as const

/**
 * Reads a file that only its owner may read. The mode is checked on the open file, so that what
 * was checked is what is read.
 */
export function readSecretFile(
  path: string,
  besides: keyof typeof openToOthers = 'nobody',
): Result<string> {
  let handle: number
  try {
    handle = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    return err(`${path}: cannot be read (${codeOf(error)})`)
  }
  try {
    const stat = fstatSync(handle)
    if (!stat.isFile()) return err(`${path}: must be a regular file`)
    if ((stat.mode & openToOthers[besides]) !== 0) {
      const mode = (stat.mode & 0o777).toString(8)
      return err(`${path}: others may read it (mode ${mode}); run: chmod 600 ${path}`)
    }
    if (stat.size > secretBytesMax) return err(`${path}: larger than ${secretBytesMax} bytes`)
    return ok(readFileSync(handle, 'utf8'))
  } finally {
    closeSync(handle)
  }
}

/** Writes a new file that only its owner may read, synced; an existing one is never overwritten. */
export function writeNewSecretFile(path: string, text: string): Result<null> {
  let handle: number
  try {
    handle = openSync(path, 'wx', 0o600)
  } catch (error) {
    const code = codeOf(error)
    return err(`${path}: ${code === 'EEXIST' ? 'exists already' : `cannot be written (${code})`}`)
  }
  try {
    writeFileSync(handle, text)
    fsyncSync(handle)
    return ok(null)
  } finally {
    closeSync(handle)
  }
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
}
