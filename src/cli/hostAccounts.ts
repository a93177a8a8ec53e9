import { existsSync, statSync } from 'node:fs'
import { readOwnerFile } from '../system/ownerFile.ts'
import { hostDirIn, hostDirOf } from '../config/hostDir.ts'
import { HostLedger } from '../host/hostLedger.ts'
import { hostMs, ownSight } from '../host/hostProcess.ts'
import type { Sight } from '../host/hostProcess.ts'
import { notedGuards, withNoted } from '../host/knownHomes.ts'
import { isHeard, lifeOf, sharerOf } from '../host/lives.ts'
import type { LedgerRow } from '../host/ledgerRow.ts'
import { countedOf } from '../host/weightShares.ts'
import { killFileIn } from '../system/killFile.ts'
import { failed } from './cliError.ts'
import type { CommonOptions } from './commonOptions.ts'
import { homeOf } from './homeConfig.ts'
import type { Terminal } from './terminal.ts'

/** A Guard of this host, as `guard accounts` tells of it. */
export interface HostAccount {
  readonly home: string
  readonly account: string
  readonly network: string
  readonly mode: string
  /** What it says of itself while it runs; else `stopped`, `gone` without a word, or `silent`. */
  readonly state: string
  readonly running: boolean
  readonly equity: string | null
  readonly positions: number
  readonly kill: string | null
  readonly version: string
  /** Request weight it spent in the last minute. */
  readonly weight: number
  readonly last_seen_ms: number
  readonly pid: number
  readonly url: string | null
}

/** Where the ledger of this host is, also by a configuration that is not valid; says where it has to guess. */
export function hostDirectory(options: CommonOptions, terminal: Terminal): string {
  const home = homeOf(options, terminal)
  const text = existsSync(home.configFile) ? readOwnerFile(home.configFile) : ''
  const named = hostDirIn(text, home.path)
  if (named !== null) return named
  const usual = hostDirOf(undefined, home.path)
  terminal.err(
    `${home.configFile} is no TOML, so its [host] dir is unknown: ${usual} is looked at\n`,
  )
  return usual
}

/** Every row of the ledger; none where no Guard has ever joined. */
export async function ledgerRows(directory: string): Promise<readonly LedgerRow[]> {
  let ledger: HostLedger | null = null
  try {
    ledger = await HostLedger.find(directory)
    return (await ledger?.read())?.rows ?? []
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw failed(`the host's ledger in ${directory} cannot be read: ${why}`, [
      'guard doctor says more; guard kill --all latches the Guards that are noted beside it:',
      ...(await notedGuards(directory)).map(({ home }) => home),
    ])
  } finally {
    await ledger?.close()
  }
}

/** Every Guard this host has had: of the ledger, and those noted beside it where it is broken or new. */
export async function everyRow(directory: string): Promise<readonly LedgerRow[]> {
  const noted = await notedGuards(directory)
  const told = await ledgerRows(directory).catch((error: unknown) => {
    if (noted.length === 0) throw error
    return []
  })
  return withNoted(told, noted)
}

/** What can be said of a row now. */
export function hostAccount(row: LedgerRow, sight: Sight = ownSight()): HostAccount {
  const nowMs = hostMs()
  const life = lifeOf(row, sight, nowMs)
  const isAlive = life === 'live'
  const { home, account, network, mode, equity, positions, version, last_seen_ms, pid, url } = row
  const isHere = row.pid_space === sight.own.space
  return {
    ...{ home, account, network, mode, equity, positions, version, last_seen_ms, pid },
    state: isAlive ? (isHeard(row, nowMs) ? row.state : 'silent') : life,
    running: isAlive,
    kill: row.kill ?? (isHere ? killFileOf(row.state_dir) : null),
    weight: countedOf(sharerOf(row, sight, nowMs, Date.now()), nowMs),
    url: isAlive ? url : null,
  }
}

/** Which directory a path is, in every container that has it; null where there is none. */
export function placeOf(directory: string): string | null {
  const stat = statSync(directory, { throwIfNoEntry: false })
  return stat === undefined ? null : `${stat.dev}:${stat.ino}`
}

/** Of one that does not run only the file says whether it is latched. */
function killFileOf(stateDir: string): string | null {
  if (!existsSync(stateDir)) return null
  const seen = killFileIn(stateDir).seen()
  return seen === null ? null : seen.firstLine === '' ? 'kill file' : seen.firstLine
}
