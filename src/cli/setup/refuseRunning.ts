import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Home } from '../../config/home.ts'
import { nodeIo } from '../../journal/nodeIo.ts'
import { refused } from '../cliError.ts'
import { announcedAddress } from '../runningAddress.ts'
import { runningGuard } from '../runningGuard.ts'

/** Refuses while a Guard runs on a home: it answers, or it has the lock of the journal. */
export async function refuseRunning(home: Home, stateDir: string): Promise<void> {
  const isRunning = (await isGuardAt(announcedAddress(stateDir))) || (await isLocked(stateDir))
  if (isRunning) throw refused(`a Guard runs on ${home.path}; stop it first`)
}

/** An address that a killed Guard left behind answers nothing. */
async function isGuardAt(url: string | null): Promise<boolean> {
  if (url === null) return false
  try {
    await runningGuard(url, null).find('/healthz')
    return true
  } catch {
    return false
  }
}

/** A Guard that starts, or that hangs, answers nobody; its journal is its own all the same. */
async function isLocked(stateDir: string): Promise<boolean> {
  const directory = join(stateDir, 'journal')
  if (!existsSync(directory)) return false
  const lock = await nodeIo.lock(directory)
  if (lock.held) await lock.release()
  return !lock.held
}
