import { hash as digest, randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Home } from '../config/home.ts'
import { readOwnerFile } from '../system/ownerFile.ts'
import type { GuardConfigFile } from '../config/readConfig.ts'
import { readSecretFile } from '../config/secretFile.ts'
import { encodeRules } from '../core/rules/rulesCode.ts'
import type { Result } from '../core/values/result.ts'
import type { Log, Timers } from '../engine/ports.ts'
import type { FleetMember, MemberIdentity } from '../fleet/fleetMember.ts'
import type { Standby } from '../fleet/standby/standby.ts'
import type { TakenOver } from '../fleet/writerKeeper.ts'
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
  taken: () => TakenOver | null = () => null,
): Promise<FleetMember | null> {
  if (config.fleetUrlFile === null) return null
  const { fleetMember } = await import('../fleet/fleetProgram.ts')
  return made(config, home, (url, identity, timers) =>
    fleetMember(url, identity, timers, log, taken),
  )
}

/** This Guard as a standby of the account; it has not spoken to the store yet. */
export async function openStandby(config: GuardConfigFile, home: Home, log: Log): Promise<Standby> {
  if (config.fleetUrlFile === null || config.mode === 'paper') {
    throw refused('--standby needs a fleet ([fleet] in guard.toml) and an API wallet of its own', [
      'docs/fleet.md says how two hosts are set up',
    ])
  }
  const { fleetStandby } = await import('../fleet/fleetProgram.ts')
  return made(config, home, (url, identity, timers) => fleetStandby(url, identity, timers, log))
}

function made<T>(
  config: GuardConfigFile,
  home: Home,
  make: (url: string, identity: MemberIdentity, timers: Timers) => Result<T>,
): T {
  const { account, fleetUrlFile, venue, stateDir } = config
  const file = fleetUrlFile ?? ''
  const url = readSecretFile(file)
  if (!url.ok) throw refused(`fleet.url_file: ${url.error}`)
  const configHash = digest('sha256', readOwnerFile(home.configFile))
  const identity = {
    ...{ network: venue.network, account, version, host: hostname(), configHash },
    ...{ instance: instanceIn(stateDir), setup: setupOf(config) },
  }
  const member = make(url.value, identity, systemTimers)
  if (!member.ok) throw refused(`fleet.url_file: ${file} ${member.error}`)
  return member.value
}

/** By what a standby and the first are compared: codes, since they are compared in another bundle. */
function setupOf({ rules, venue, clients: bots }: GuardConfigFile): MemberIdentity['setup'] {
  const { rulesFor } = rules
  const markets = [...rules.markets.keys()].map((coin) => [coin, encodeRules(rulesFor(null, coin))])
  const clients = [...rules.clients.keys()].map((key) => [key, encodeRules(rulesFor(key, null))])
  return {
    ...{ wallet: venue.apiWallet, rules: encodeRules(rules.rules) },
    ...{ markets: Object.fromEntries(markets), clients: Object.fromEntries(clients) },
    ...{ keys: [...bots.keys()], builders: [...venue.builders] },
  }
}

/** By what the fleet knows this home again; a disk that takes nothing makes it a new one. */
function instanceIn(stateDir: string): string {
  const file = join(stateDir, 'fleet-instance')
  try {
    const kept = readOwnerFile(file).trim()
    if (/^[0-9a-f-]{36}$/.test(kept)) return kept
  } catch {
    // There is none yet.
  }
  const fresh = randomUUID()
  try {
    mkdirSync(stateDir, { recursive: true, mode: 0o700 })
    writeFileSync(file, `${fresh}\n`, { mode: 0o600 })
  } catch {
    // It holds for this run.
  }
  return fresh
}
