import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gatewayParts, wire } from '../../assembly/wire.ts'
import type { Seams, Setup, Wired } from '../../assembly/wire.ts'
import type { GuardConfigFile } from '../../config/readConfig.ts'
import { readSecretFile } from '../../config/secretFile.ts'
import type { Crypto } from '../../core/protocol/crypto.ts'
import type { Json } from '../../core/protocol/action.ts'
import type { RuleBook } from '../../core/rules/ruleBook.ts'
import { namedMarkets } from '../../core/rules/missingMarkets.ts'
import { decodedRules, encodeRules } from '../../core/rules/rulesCode.ts'
import { loadCrypto } from '../../crypto/loadCrypto.ts'
import type { FleetView } from '../../engine/fleetView.ts'
import type { Guard, GuardConfig } from '../../engine/guard.ts'
import { killFileIn } from '../../system/killFile.ts'
import { bothObservers } from '../../engine/observer.ts'
import type { Observer } from '../../engine/observer.ts'
import type { Clock, EventReader, KillFile, Log, VenueHttp } from '../../engine/ports.ts'
import { EquityFile } from '../../gateway/equityFile.ts'
import { startGateway } from '../../gateway/gateway.ts'
import { exposedWords } from '../../gateway/gatewayOptions.ts'
import type { Asset, Gateway, Listen } from '../../gateway/gatewayOptions.ts'
import { createMetrics } from '../../gateway/metrics/guardMetrics.ts'
import type { GuardMetrics } from '../../gateway/metrics/guardMetrics.ts'
import { JournalError } from '../../journal/journalError.ts'
import type { FleetMember } from '../../fleet/fleetMember.ts'
import type { JournalIo } from '../../journal/journalIo.ts'
import type { OpenedJournal } from '../../journal/opened.ts'
import { nodeIo } from '../../journal/nodeIo.ts'
import { openSqliteIndex } from '../../journal/sqliteIndex.ts'
import { monitorAssets } from '../../monitor/monitorAssets.ts'
import { systemClock } from '../../system/systemClock.ts'
import { systemRandom } from '../../system/systemRandom.ts'
import { systemTimers } from '../../system/systemTimers.ts'
import { connectOverNetwork } from '../../venue/connect.ts'
import { openSocket } from '../../venue/socket.ts'
import { failed, refused } from '../cliError.ts'
import { chainKeyOf } from '../journalKey.ts'
import { journalRefused } from '../journalRefused.ts'
import { version } from '../version.ts'
import { countAsked } from './countAsked.ts'
import { pageDirectory } from './pageDirectory.ts'
import { runAlerts } from './runAlerts.ts'
import type { AlertsSetup } from './runAlerts.ts'

interface StartOptions {
  readonly config: GuardConfigFile
  /** Null in paper mode, and only there. */
  readonly privateKey: Uint8Array | null
  readonly log: Log
  /** Who is told what happens; nobody where it is missing. */
  readonly alerts?: AlertsSetup | null
  /** How another port is chosen, for the message about a taken one. */
  readonly portFlag?: string
  /** Whoever else wants to know how long each stage takes, beside the metrics. */
  readonly observer?: Observer
  /** Takes the account for this Guard alone; called once the journal is its own. Returns how to let go. */
  readonly claim?: () => Promise<() => void>
  /** This Guard among those of its host; missing: it shares with nobody. */
  readonly host?: Setup['host']
  /** This Guard in its fleet; missing or null: a member of none. */
  readonly fleet?: FleetPart | null
  /** Called once the journal is open and the account claimed, before anything is read of it. */
  readonly onOpened?: (opened: OpenedJournal) => Promise<void>
  /** It is a standby of such a Guard: it follows the account and can send nothing. */
  readonly standbyFor?: GuardConfig['mode']
  /** What stands between Guard and the machine, where a program puts its own there. */
  readonly seams?: Partial<MachineSeams>
}

/** What makes this Guard one of a fleet: a member, or a standby. */
type FleetPart = FleetView & Pick<FleetMember, 'attach' | 'stop'>

/** The edges of Guard that a program may put its own things at; the rest is the machine's. */
export interface MachineSeams {
  readonly clock: Clock
  readonly io: JournalIo
  readonly killFile: (stateDir: string) => KillFile
  readonly venue: (venue: VenueHttp) => VenueHttp
  readonly page: () => ReadonlyMap<string, Asset>
}

const theMachine: MachineSeams = {
  clock: systemClock,
  io: nodeIo,
  killFile: killFileIn,
  venue: (venue) => venue,
  page: () => monitorAssets(pageDirectory()),
}

export interface StartedGuard {
  readonly guard: Guard
  readonly gateway: Gateway
  readonly reader: EventReader
  readonly crypto: Crypto
  /** Resolves once earlier sends are looked up and bots are served. */
  readonly recovered: Promise<void>
  /** Resolves, with the reason, only when Guard must not go on: the journal's lock was taken away. */
  readonly lost: Promise<string>
  stop(reason: string): Promise<void>
}

const drainMs = 6_000

/** Starts Guard as its configuration file has it, on this machine. */
export async function startGuard(options: StartOptions): Promise<StartedGuard> {
  const { config, log } = options
  const machine = { ...theMachine, ...options.seams }
  const seams = await seamsOf(machine, config, log)
  const { crypto } = seams
  log.log('info', `secp256k1: ${crypto.name}`)
  const metrics = createMetrics()
  let lose: (reason: string) => void = () => undefined
  const lost = new Promise<string>((resolve) => (lose = resolve))
  let letGo: () => void = () => undefined
  const onOpened = async (opened: OpenedJournal): Promise<void> => {
    letGo = (await options.claim?.()) ?? letGo
    await options.onOpened?.(opened)
  }
  const setup = { ...setupOf(options, metrics, lose), onOpened }
  let wired: Wired | null = null
  try {
    wired = await wiredOrRefused(setup, seams)
    const { guard, deps, opened, transport } = wired
    countAsked(deps.budget)
    const gateway = await listeningGateway(options, machine.page, wired, seams, metrics)
    // Before the first event of this run, so that it is told too.
    const alerts = await runAlerts(options.alerts ?? null, config, guard, deps, metrics.alerts)
    const { fleet = null } = options
    fleet?.attach({ guard, clock: deps.clock, journal: opened, onLost: lose })
    const recovered = guard.start()
    return {
      guard,
      gateway,
      reader: opened.reader,
      crypto,
      recovered,
      lost,
      stop: async (reason) => {
        const left = fleet?.stop()
        // No new requests, then what is in flight, then the record that it ended.
        const closing = gateway.close(drainMs)
        await guard.stop(reason)
        await left
        await closing
        await alerts.stop()
        await opened.journal.close()
        letGo()
        transport.close()
      },
    }
  } catch (error) {
    letGo()
    wired?.transport.close()
    await wired?.opened.journal.close()
    throw error
  }
}

async function seamsOf(
  { clock, io, killFile, venue }: MachineSeams,
  { stateDir }: GuardConfigFile,
  log: Log,
): Promise<Seams> {
  return {
    ...{ clock, io, log, venue, killFile: killFile(stateDir), openIndex: openSqliteIndex },
    ...{ timers: systemTimers, random: systemRandom, crypto: await loadCrypto() },
    ...{ connect: connectOverNetwork, openSocket },
  }
}

function setupOf(
  { config, privateKey, observer, host = null, fleet = null, standbyFor }: StartOptions,
  metrics: GuardMetrics,
  lose: (reason: string) => void,
): Setup {
  const { mode, stateDir, emergencyDir, keepDays, venue } = config
  if (mode !== 'paper' && privateKey === null) {
    throw refused(`${mode} mode needs the API wallet key`)
  }
  return {
    config: { ...engineConfig(config), ...(standbyFor === undefined ? {} : { standbyFor }) },
    privateKey,
    journal: {
      directory: join(stateDir, 'journal'),
      emergencyDirectory: emergencyDir,
      keepDays,
      key: chainKeyOf(config, privateKey),
      onSynced: metrics.journalSync,
      onLockLost: (error) => {
        lose(error.message)
      },
    },
    wsUrl: venue.wsUrl,
    timeoutMs: venue.timeoutMs,
    weightPerMinute: venue.weightPerMinute,
    host,
    fleet,
    observer: observer === undefined ? metrics.observer : bothObservers(metrics.observer, observer),
  }
}

async function wiredOrRefused(setup: Setup, seams: Seams): Promise<Wired> {
  mkdirSync(dirname(setup.journal.directory), { recursive: true, mode: 0o700 })
  try {
    return await wire(setup, seams)
  } catch (error) {
    if (error instanceof JournalError) throw journalRefused(error)
    throw error
  }
}

function engineConfig(config: GuardConfigFile): GuardConfig {
  return {
    version,
    mode: config.mode,
    network: config.venue.network,
    account: config.account,
    via: config.venue.via,
    venueUrl: config.venue.url,
    clients: [...config.clients.keys()],
    builders: config.venue.builders,
    rulesFor: config.rules.rulesFor,
    rulesCode: encodeRules(config.rules.rules),
    rulesDecoded: decodedRules(config.rules.rules),
    namedMarkets: namedMarkets(config.rules),
    ...clientRules(config.rules),
    drainMs,
  }
}

function clientRules({ clients, rulesFor }: RuleBook): Pick<GuardConfig, 'clientRulesDecoded'> {
  if (clients.size === 0) return {}
  const decoded = [...clients.keys()].map((client) => [
    client,
    decodedRules(rulesFor(client, null)),
  ])
  return { clientRulesDecoded: Object.fromEntries(decoded) as { [client: string]: Json } }
}

async function listeningGateway(
  { config, log, portFlag }: StartOptions,
  page: () => ReadonlyMap<string, Asset>,
  wired: Wired,
  seams: Seams,
  metrics: GuardMetrics,
): Promise<Gateway> {
  try {
    return await startGateway({
      ...gatewayParts(wired, seams),
      listen: listenOf(config),
      upstreamUrl: config.venue.wsUrl,
      assets: page(),
      metrics,
      equityStore: new EquityFile(join(config.stateDir, 'equity'), log),
    })
  } catch (error) {
    const { host, port } = config.listen
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
      throw failed(`${host}:${port} is taken: another program (or another Guard) listens there`, [
        `end that program, or choose another port with: ${portFlag ?? 'guard run --listen 127.0.0.1:PORT'}`,
      ])
    }
    throw error
  }
}

function listenOf(config: GuardConfigFile): Listen {
  const { host, port } = config.listen
  if (config.exposedHosts === null || config.readTokenFile === null)
    return { host, port, exposed: null }
  const token = readSecretFile(config.readTokenFile)
  if (!token.ok) throw refused(token.error)
  return {
    host,
    port,
    exposed: { words: exposedWords, hosts: config.exposedHosts, token: token.value.trim() },
  }
}
