import { existsSync } from 'node:fs'
import { readOwnerFile } from '../../system/ownerFile.ts'
import { writeNewSecretFile } from '../../config/secretFile.ts'
import { systemClock } from '../../system/systemClock.ts'
import { failed } from '../cliError.ts'

/**
 * Keeps what a file holds in a copy beside it, with the time in its name, before it is replaced.
 * Returns the copy's path; null where there is no such file.
 */
export function keepCopy(path: string): string | null {
  if (!existsSync(path)) return null
  // Some file systems take no colon in a name.
  const time = new Date(systemClock.now()).toISOString().replaceAll(/[:.]/g, '-')
  const copy = `${path}.${time}`
  const written = writeNewSecretFile(copy, readOwnerFile(path))
  if (!written.ok) throw failed(`the old ${path} could not be kept: ${written.error}`)
  return copy
}
