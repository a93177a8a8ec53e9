import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { limits } from '../core/values/limits.ts'

/**
 * Reads a file that a person wrote, whole, as text. Only a regular file of at most so many bytes:
 * another one is refused at once, since a pipe would be waited for and a device has no end. Throws as
 * the system does, with a `code`.
 */
export function readOwnerFile(path: string, bytesMax: number = limits.ownerFileBytesMax): string {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    if (!fstatSync(file).isFile()) throw wrong(path, 'it is no regular file')
    const bytes = Buffer.allocUnsafe(bytesMax + 1)
    let length = 0
    for (let read = -1; read !== 0 && length <= bytesMax; length += read) {
      read = readSync(file, bytes, length, bytes.length - length, null)
    }
    if (length > bytesMax) throw wrong(path, `it is longer than ${bytesMax} bytes`)
    return bytes.toString('utf8', 0, length)
  } finally {
    closeSync(file)
  }
}

/** What is wrong is the `code`, so that it is told like the system's own codes. */
function wrong(path: string, code: string): Error {
  return Object.assign(new Error(`${path}: ${code}`), { code })
}
