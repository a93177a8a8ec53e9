import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../config/replaceFile.ts'

/** Where a running Guard listens, which flags may have changed; gone when it has stopped. */
export function announceAddress(stateDir: string, url: string): () => void {
  const path = join(stateDir, 'address')
  replaceFile(path, `${url}\n`)
  return () => {
    rmSync(path, { force: true })
  }
}

/** The address a Guard left in the state directory; null when there is none that reads as one. */
export function announcedAddress(stateDir: string): string | null {
  try {
    const text = readFileSync(join(stateDir, 'address'), 'utf8').trim()
    const { origin, protocol } = new URL(text)
    return protocol === 'http:' ? origin : null
  } catch {
    return null
  }
}
