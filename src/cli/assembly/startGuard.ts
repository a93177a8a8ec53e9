import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { GuardConfigFile } from '../../config/readConfig.ts'
import { readSecretFile } from '../../config/secretFile.ts'
import type { Crypto } from '../../core/protocol/crypto.ts'
import { decodedRules, encodeRules } from '../../core/rules/rulesCode.ts'
import { loadCrypto } from '../../crypto/loadCrypto.ts'
import { createGuard } from '../../engine/createGuard.ts'
import type { CommonDeps, Guard, GuardConfig, GuardDeps } from '../../engine/guard.ts'
import { killFileIn } from '../../system/killFile.ts'
import { bothObservers } from '../../engine/observer.ts'
import type { Observer } from '../../engine/observer.ts'
import { VenueClock } from '../../engine/venueClock.ts'
import type { Clock, EventReader, KillFile, Log, VenueHttp } from '../../engine/ports.ts'
import { EquityFile } from '../../gateway/equityFile.ts'
import { startGateway } from '../../gateway/gateway.ts'
import { exposedWords } from '../../gateway/gatewayOptions.ts'
import type { Asset, Gateway, Listen } from '../../gateway/gatewayOptions.ts'
import { createMetrics } from '../../gateway/metrics/guardMetrics.ts'
import type { GuardMetrics } from '../../gateway/metrics/guardMetrics.ts'
import { JournalError } from '../../journal/journalError.ts'
import type { JournalIo } from '../../journal/journalIo.ts'
import { nodeIo } from '../../journal/nodeIo.ts'
import { openJournal } from '../../journal/openJournal.ts'
import type { OpenedJournal } from '../../journal/opened.ts'
import { openSqliteIndex } from '../../journal/sqliteIndex.ts'
import { monitorAssets } from '../../monitor/monitorAssets.ts'
import { systemClock } from '../../system/systemClock.ts'
import { systemRandom } from '../../system/systemRandom.ts'
import { systemTimers } from '../../system/systemTimers.ts'
import { createHttpTransport } from '../../venue/httpTransport.ts'
import type { HttpTransport } from '../../venue/httpTransport.ts'
import { createSigner } from '../../venue/signer.ts'
import { openSocket } from '../../venue/socket.ts'
import { createVenueHttp } from '../../venue/venueHttp.ts'
import { createVenueStream } from '../../venue/venueStream.ts'
import { SlidingWeightBudget } from '../../venue/weightBudget.ts'
import { failed, refused } from '../cliError.ts'
import { chainKeyOf } from '../journalKey.ts'
import { journalRefused } from '../journalRefused.ts'
import { version } from '../version.ts'
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
  /** What stands between Guard and the machine, where a program puts its own there. */
  readonly seams?: Partial<Seams>
}

/** The edges of Guard: the clock, the disk, what goes out to the venue, and the page. */
interface Seams {
  readonly clock: Clock
  readonly io: JournalIo
  readonly killFile: (stateDir: string) => KillFile
  readonly venue: (venue: VenueHttp) => VenueHttp
  readonly page: () => ReadonlyMap<string, Asset>
}

const theMachine: Seams = {
  clock: systemClock,
  io: nodeIo,
  killFile: killFileIn,
  venue: (venue) => venue,
  page: () => monitorAssets(pageDirectory()),
}

/** Guard's own clock stands over the machine's. */
type WiredSeams = Seams & { readonly clock: VenueClock }

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

/** Puts the parts together, in the order in which they need each other, and starts them. */
export async function startGuard(options: StartOptions): Promise<StartedGuard> {
  const { config, log } = options
  const machine = { ...theMachine, ...options.seams }
  const clock = new VenueClock(machine.clock)
  const seams = { ...machine, clock }
  const crypto = await loadCrypto()
  log.log('info', `secp256k1: ${crypto.name}`)
  const metrics = createMetrics()
  let lose: (reason: string) => void = () => undefined
  const lost = new Promise<string>((resolve) => (lose = resolve))
  const opened = await openedJournal(options, metrics, seams, lose)
  const transport = createHttpTransport(config.venue.url)
  let letGo: () => void = () => undefined
  try {
    letGo = (await options.claim?.()) ?? letGo
    const deps = guardDeps({ ...options, seams }, crypto, opened, transport, metrics)
    const guard = await createGuard(deps)
    const gateway = await listeningGateway({ ...options, seams }, guard, deps, metrics)
    // Before the first event of this run, so that it is told too.
    const alerts = await runAlerts(options.alerts ?? null, config, guard, deps, metrics.alerts)
    const recovered = guard.start()
    return {
      guard,
      gateway,
      reader: opened.reader,
      crypto,
      recovered,
      lost,
      stop: async (reason) => {
        // No new requests, then what is in flight, then the record that it ended.
        const closing = gateway.close(drainMs)
        await guard.stop(reason)
        await closing
        await alerts.stop()
        await opened.journal.close()
        letGo()
        transport.close()
      },
    }
  } catch (error) {
    letGo()
    transport.close()
    await opened.journal.close()
    throw error
  }
}

async function openedJournal(
  { config, privateKey, log }: StartOptions,
  metrics: GuardMetrics,
  { clock, io }: Seams,
  lose: (reason: string) => void,
): Promise<OpenedJournal> {
  mkdirSync(config.stateDir, { recursive: true, mode: 0o700 })
  try {
    return await openJournal({
      directory: join(config.stateDir, 'journal'),
      emergencyDirectory: config.emergencyDir,
      keepDays: config.keepDays,
      key: chainKeyOf(config, privateKey),
      identity: { account: config.account, network: config.venue.network },
      clock,
      timers: systemTimers,
      io,
      log,
      openIndex: openSqliteIndex,
      onSynced: metrics.journalSync,
      onLockLost: (error) => {
        lose(error.message)
      },
    })
  } catch (error) {
    if (error instanceof JournalError) throw journalRefused(error)
    throw error
  }
}

function guardDeps(
  { config, privateKey, log, observer, seams }: StartOptions & { readonly seams: WiredSeams },
  crypto: Crypto,
  opened: OpenedJournal,
  transport: HttpTransport,
  metrics: GuardMetrics,
): GuardDeps {
  const { clock } = seams
  const budget = new SlidingWeightBudget(config.venue.weightPerMinute, clock)
  const venue = seams.venue(createVenueHttp(transport, budget, config.venue.timeoutMs, clock))
  const common: CommonDeps = {
    clock,
    timers: systemTimers,
    random: systemRandom,
    log,
    journal: opened.journal,
    reader: opened.reader,
    history: opened,
    killFile: seams.killFile(config.stateDir),
    crypto,
    stream: createVenueStream({
      url: config.venue.wsUrl,
      account: config.account,
      openSocket,
      clock,
      timers: systemTimers,
      random: systemRandom,
      log,
    }),
    budget,
    observer: observer === undefined ? metrics.observer : bothObservers(metrics.observer, observer),
  }
  const shared = engineConfig(config)
  if (config.mode === 'paper') {
    return { ...common, config: { ...shared, mode: 'paper' }, venue: { info: venue.info } }
  }
  if (privateKey === null) throw refused(`${config.mode} mode needs the API wallet key`)
  const signer = createSigner(crypto, config.venue.network, privateKey)
  return { ...common, config: { ...shared, mode: config.mode }, venue, signer }
}

function engineConfig(config: GuardConfigFile): Omit<GuardConfig, 'mode'> {
  return {
    version,
    network: config.venue.network,
    account: config.account,
    venueUrl: config.venue.url,
    clients: [...config.clients.keys()],
    builders: config.venue.builders,
    rulesFor: config.rules.rulesFor,
    rulesCode: encodeRules(config.rules.rules),
    rulesDecoded: decodedRules(config.rules.rules),
    drainMs,
  }
}

async function listeningGateway(
  { config, log, portFlag, seams }: StartOptions & { readonly seams: Seams },
  guard: Guard,
  deps: GuardDeps,
  metrics: GuardMetrics,
): Promise<Gateway> {
  try {
    return await startGateway({
      listen: listenOf(config),
      guard,
      reader: deps.reader,
      venue: { info: deps.venue.info },
      upstreamUrl: config.venue.wsUrl,
      openSocket,
      account: config.account,
      assets: seams.page(),
      clock: deps.clock,
      timers: systemTimers,
      log,
      metrics,
      version,
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
