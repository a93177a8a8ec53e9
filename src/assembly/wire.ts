import type { Crypto } from '../core/protocol/crypto.ts'
import type { Address } from '../core/values/address.ts'
import { createGuard } from '../engine/createGuard.ts'
import type { FleetView } from '../engine/fleetView.ts'
import type { CommonDeps, Guard, GuardConfig, GuardDeps } from '../engine/guard.ts'
import type { Observer } from '../engine/observer.ts'
import type {
  Clock,
  HostView,
  KillFile,
  Log,
  OpenSocket,
  Random,
  Signer,
  Timers,
  VenueHttp,
  WeightShare,
} from '../engine/ports.ts'
import { VenueClock } from '../engine/venueClock.ts'
import type { GatewayOptions } from '../gateway/gatewayOptions.ts'
import { openJournal } from '../journal/openJournal.ts'
import type { JournalOptions, OpenedJournal } from '../journal/opened.ts'
import type { Connect } from '../venue/connect.ts'
import { createHttpTransport } from '../venue/httpTransport.ts'
import type { HttpTransport } from '../venue/httpTransport.ts'
import { createSigner } from '../venue/signer.ts'
import { createVenueHttp } from '../venue/venueHttp.ts'
import { createVenueStream } from '../venue/venueStream.ts'
import { SlidingWeightBudget } from '../venue/weightBudget.ts'

/** Where Guard ends and the world begins: the machine's own, or what a test puts in its place. */
export interface Seams {
  /** The machine's clock; Guard's own, which shows the venue's time, stands over it. */
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly log: Log
  readonly crypto: Crypto
  /** The disk under the journal, and the index beside it. */
  readonly io: JournalOptions['io']
  readonly openIndex: JournalOptions['openIndex']
  readonly killFile: KillFile
  /** Opens the connections that Guard's HTTP client speaks over. */
  readonly connect: Connect
  /** Opens the WebSockets of Guard's stream, and of those that bots ask for. */
  readonly openSocket: OpenSocket
  /** Stands between Guard and what it says to the venue; missing: nothing does. */
  readonly venue?: (venue: VenueHttp) => VenueHttp
  /** Stands between Guard and its signer; missing: nothing does. */
  readonly signer?: (signer: Signer) => Signer
}

/** What one Guard is told. */
export interface Setup {
  readonly config: GuardConfig
  /** The API wallet's key; null in paper mode, and only there. */
  readonly privateKey: Uint8Array | null
  readonly journal: JournalSetup
  /** The venue's socket, `wss://.../ws`. */
  readonly wsUrl: string
  /** How long one request to the venue may take. */
  readonly timeoutMs: number
  /** Request weight that the venue grants each minute. */
  readonly weightPerMinute: number
  /** This Guard among those of its host; missing: it shares with nobody. */
  readonly host?: (HostView & WeightShare) | null
  /** The fleet that this Guard is a member of; missing: none. */
  readonly fleet?: FleetView | null
  readonly observer: Observer
  /** Called once the journal is open, before anything else is done with it. */
  readonly onOpened?: (opened: OpenedJournal) => Promise<void>
}

type JournalSetup = Omit<
  JournalOptions,
  'clock' | 'timers' | 'io' | 'log' | 'openIndex' | 'identity'
>

/** A Guard that is put together and not started. */
export interface Wired {
  readonly guard: Guard
  readonly opened: OpenedJournal
  readonly deps: GuardDeps
  readonly transport: HttpTransport
}

/**
 * Puts Guard together, in the order in which its parts need each other. There is no other place
 * where that is done: a world of tests runs what `guard run` runs, down to the bytes of a connection.
 */
export async function wire(setup: Setup, seams: Seams): Promise<Wired> {
  const { config, privateKey } = setup
  if (config.mode !== 'paper' && privateKey === null) {
    throw new TypeError(`${config.mode} mode needs the API wallet key`)
  }
  const clock = new VenueClock(seams.clock)
  const opened = await openGuardJournal(setup.journal, config, { ...seams, clock })
  const transport = createHttpTransport(config.venueUrl, {
    connect: seams.connect,
    timers: seams.timers,
    monotonicMs: () => clock.monotonicMs(),
  })
  try {
    await setup.onOpened?.(opened)
    const deps = guardDeps(setup, seams, clock, opened, transport)
    return { guard: await createGuard(deps), opened, deps, transport }
  } catch (error) {
    transport.close()
    await opened.journal.close()
    throw error
  }
}

/** The journal of an account, as every Guard opens it. */
export async function openGuardJournal(
  journal: JournalSetup,
  { account, network }: { readonly account: Address; readonly network: 'mainnet' | 'testnet' },
  {
    clock,
    timers,
    io,
    log,
    openIndex,
  }: Pick<JournalOptions, 'io' | 'openIndex'> & Pick<Seams, 'clock' | 'timers' | 'log'>,
): Promise<OpenedJournal> {
  const identity = { account, network }
  return await openJournal({ ...journal, identity, clock, timers, io, log, openIndex })
}

function guardDeps(
  {
    config,
    privateKey,
    wsUrl,
    timeoutMs,
    weightPerMinute,
    host = null,
    fleet = null,
    observer,
  }: Setup,
  { timers, random, log, crypto, killFile, openSocket, ...seams }: Seams,
  clock: VenueClock,
  opened: OpenedJournal,
  transport: HttpTransport,
): GuardDeps {
  const { account, mode, network, via } = config
  const budget = new SlidingWeightBudget(weightPerMinute, clock, host)
  const plain = createVenueHttp(transport, budget, timeoutMs, clock)
  const venue = seams.venue?.(plain) ?? plain
  const common: CommonDeps = {
    clock,
    timers,
    random,
    log,
    journal: opened.journal,
    reader: opened.reader,
    history: opened,
    killFile,
    crypto,
    stream: createVenueStream({ url: wsUrl, account, openSocket, clock, timers, random, log }),
    budget,
    host,
    fleet,
    observer,
  }
  if (mode === 'paper' || privateKey === null) {
    return { ...common, config: { ...config, mode: 'paper' }, venue: { info: venue.info } }
  }
  const signer = createSigner(crypto, network, privateKey, via === null ? null : account)
  return {
    ...{ ...common, venue, config: { ...config, mode } },
    signer: seams.signer?.(signer) ?? signer,
  }
}

/** What its gateway needs of a Guard; the rest is about the port. */
export function gatewayParts(
  { guard, deps }: Wired,
  { openSocket }: Pick<Seams, 'openSocket'>,
): Omit<GatewayOptions, 'listen' | 'upstreamUrl' | 'assets' | 'metrics'> {
  const { reader, venue, clock, timers, log, config } = deps
  return {
    ...{ guard, reader, clock, timers, log, openSocket },
    venue: { info: venue.info },
    account: config.account,
    version: config.version,
  }
}
