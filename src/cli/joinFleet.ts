import { hash as digest, randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Home } from '../config/home.ts'
import type { GuardConfigFile } from '../config/readConfig.ts'
import { readSecretFile } from '../config/secretFile.ts'
import type { Log } from '../engine/ports.ts'
import type { FleetMember } from '../fleet/fleetMember.ts'
import { systemTimers } from '../system/systemTimers.ts'
import { refused } from './cliError.ts'
import { version } from './version.ts'

/**
 * This Guard in the fleet that its configuration names; null where it names none, and nothing of a
 * fleet is loaded. It has not spoken to the store yet: a start does not wait for that.
 */
export async function joinFleet(
  config: GuardConfigFile,
  home: Home,
  log: Log,
): Promise<FleetMember | null> {
  const { account, fleetUrlFile: file, venue } = config
  if (file === null) return null
  const url = readSecretFile(file)
  if (!url.ok) throw refused(`fleet.url_file: ${url.error}`)
  const { fleetMember } = await import('../fleet/fleetProgram.ts')
  const configHash = digest('sha256', readFileSync(home.configFile))
  const instance = instanceIn(config.stateDir)
  const identity = {
    ...{ network: venue.network, account, version, host: hostname(), configHash, instance },
  }
  const member = fleetMember(url.value, identity, systemTimers, log)
  if (!member.ok) throw refused(`fleet.url_file: ${file} ${member.error}`)
  return member.value
}

/** By what the fleet knows this home again; a disk that takes nothing makes it a new one. */
function instanceIn(stateDir: string): string {
  const file = join(stateDir, 'fleet-instance')
  try {
    const kept = readFileSync(file, 'utf8').trim()
    if (/^[0-9a-f-]{36}$/.test(kept)) return kept
  } catch {
    // There is none yet.
  }
  const made = randomUUID()
  try {
    mkdirSync(stateDir, { recursive: true, mode: 0o700 })
    writeFileSync(file, `${made}\n`, { mode: 0o600 })
  } catch {
    // It holds for this run.
  }
  return made
}
