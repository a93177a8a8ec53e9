import { existsSync } from 'node:fs'
import { ownSight } from '../host/hostProcess.ts'
import type { LedgerRow } from '../host/ledgerRow.ts'
import { failedAsTold, noAnswer } from './cliError.ts'
import type { CommonOptions } from './commonOptions.ts'
import { everyRow, hostAccount, hostDirectory, placeOf } from './hostAccounts.ts'
import { configOf, runningOn } from './homeConfig.ts'
import { fileOutcome, killFileWaitMs } from './killDelivery.ts'
import { waited, writeKillFile } from './killFileWriting.ts'
import { signalProcess } from './killSignal.ts'
import { runningGuard } from './runningGuard.ts'
import type { RunningGuard } from './runningGuard.ts'
import { paint, printJson } from './terminal.ts'
import type { Terminal } from './terminal.ts'

/** What became of one Guard of the host. */
interface KilledGuard {
  readonly home: string
  readonly account: string
  readonly network: string
  /** `stopped`: it does not run, and its kill file is written, or its home is gone and it held nothing. `silent`: it runs, or cannot be reached, and has not confirmed. */
  readonly state: 'flat' | 'latched' | 'stopped' | 'silent'
  readonly latched: boolean
  /** From the call to the last position closed, in milliseconds; null where that was not seen. */
  readonly flat_ms: number | null
  readonly why: string | null
}

/** How long a running Guard is watched while it closes. */
const watchMs = 30_000
const lookEveryMs = 100
/** One that has not answered once by then is silent. */
const silentMs = 5_000

/** Latches every Guard of this host, and says of each what became of it. */
export async function killAll(
  options: CommonOptions,
  reason: string,
  terminal: Terminal,
): Promise<void> {
  const directory = hostDirectory(options, terminal)
  const rows = await everyRow(directory)
  if (rows.length === 0) {
    throw noAnswer(`no Guard has run on this host (${directory}): nothing was latched`, [
      'tell one by its home: guard kill --home DIR',
    ])
  }
  const guards = await Promise.all(rows.map((row) => killOne(row, reason, terminal)))
  const isDone = guards.every(({ state }) => state === 'flat' || state === 'stopped')
  if (options.json === true) printJson(terminal, { ok: isDone, guards })
  else for (const guard of guards) terminal.out(lineOf(guard))
  if (!isDone) throw failedAsTold('not every Guard is latched and flat')
}

async function killOne(row: LedgerRow, reason: string, terminal: Terminal): Promise<KilledGuard> {
  const { home, account, network } = row
  const told = { home, account, network }
  const silent = (why: string): KilledGuard => {
    return { ...told, state: 'silent', latched: false, flat_ms: null, why }
  }
  const startedMs = performance.now()
  const sight = ownSight()
  const isRunning = hostAccount(row, sight).running
  const isVisible = row.pid_space === sight.own.space
  // A home of another container may have the name of one that is here.
  const isHere = isVisible || isSamePlace(row)
  if (!isHere) {
    const what = isRunning ? 'it runs' : 'it last ran'
    return silent(`${what} in another container: guard kill has to be called there`)
  }
  if (!isRunning && !existsSync(home)) {
    const why = `its home is gone, and it held ${row.positions} positions when it was last seen`
    const state = row.positions === 0 ? 'stopped' : 'silent'
    return { ...told, state, latched: false, flat_ms: null, why }
  }
  const writing = writeKillFile(row.state_dir, `${reason} (command line)`)
  const file = await fileOutcome(writing, waited(killFileWaitMs))
  if (!isRunning) {
    if (file.kind !== 'written') return silent('its kill file could not be written in time')
    return { ...told, state: 'stopped', latched: true, flat_ms: null, why: null }
  }
  if (file.kind !== 'written' && isVisible) signalProcess(row.pid)
  const seen = await untilFlat(runningAt(row, terminal), row.mode === 'paper', startedMs)
  if (seen === 'silent')
    return silent(
      file.kind === 'written'
        ? 'its kill file is written; it has not confirmed'
        : 'it has not confirmed',
    )
  if (seen === 'open') {
    const why = 'positions are still open: guard status shows them'
    return { ...told, state: 'latched', latched: true, flat_ms: null, why }
  }
  return { ...told, state: 'flat', latched: true, flat_ms: seen, why: null }
}

function isSamePlace({ state_dir: directory, state_place: place }: LedgerRow): boolean {
  return place !== null && placeOf(directory) === place
}

/** After how many milliseconds it was flat; else whether it has latched at least. */
async function untilFlat(
  guard: RunningGuard,
  isPaper: boolean,
  startedMs: number,
): Promise<number | 'open' | 'silent'> {
  let isLatched = false
  const passedMs = (): number => performance.now() - startedMs
  while (passedMs() < (isLatched ? watchMs : silentMs)) {
    const status = await statusOf(guard)
    isLatched ||= status?.kill?.latched === true
    // In paper mode what is open is somebody else's: Guard sends nothing.
    if (isLatched && status !== null && (isPaper || isFlat(status))) return Math.round(passedMs())
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
  }
  return isLatched ? 'open' : 'silent'
}

interface Told {
  readonly kill?: { readonly latched?: boolean }
  readonly positions?: readonly unknown[]
  readonly alerts?: readonly { readonly code?: string }[]
}

function isFlat({ positions, alerts = [] }: Told): boolean {
  return positions?.length === 0 && alerts.every(({ code }) => code !== 'flattening')
}

async function statusOf(guard: RunningGuard): Promise<Told | null> {
  return await guard.get('/guard/status').then(
    (status) => status as Told,
    () => null,
  )
}

/** By its own configuration, which may have a token; by what the ledger says where that is not valid. */
function runningAt(row: LedgerRow, terminal: Terminal): RunningGuard {
  try {
    return runningOn(configOf({ home: row.home }, terminal))
  } catch {
    return runningGuard(row.url ?? 'http://127.0.0.1:9', null)
  }
}

function lineOf({ home, state, latched, flat_ms: flatMs, why }: KilledGuard): string {
  const words = {
    flat: paint('green', `latched, flat in ${flatMs ?? 0} ms`),
    latched: paint('yellow', 'latched, not flat'),
    stopped: paint('green', latched ? 'stopped: latched when it starts' : 'stopped'),
    silent: paint('red', 'SILENT: not latched'),
  }
  return `${home}: ${words[state]}${why === null ? '' : ` (${why})`}\n`
}
