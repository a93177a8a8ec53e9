import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { readOwnerFile } from '../system/ownerFile.ts'
import { replaceFile } from '../config/replaceFile.ts'
import type { Log } from '../engine/ports.ts'

/**
 * Where a running Guard listens, which flags may have changed; gone when it has stopped. Only other
 * commands need it: a disk without room for it keeps no Guard from running.
 */
export function announceAddress(stateDir: string, url: string, log: Log): () => void {
  const path = join(stateDir, 'address')
  try {
    replaceFile(path, `${url}\n`)
  } catch (error) {
    const text = 'where Guard listens could not be written down; other commands go by guard.toml'
    log.log('warn', text, { error: String(error) })
  }
  return () => {
    rmSync(path, { force: true })
  }
}

/** The address a Guard left in the state directory; null when there is none that reads as one. */
export function announcedAddress(stateDir: string): string | null {
  try {
    const text = readOwnerFile(join(stateDir, 'address')).trim()
    const { origin, protocol } = new URL(text)
    return protocol === 'http:' ? origin : null
  } catch {
    return null
  }
}
