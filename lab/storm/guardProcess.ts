import type { Crypto } from '../../src/core/protocol/crypto.ts'
import { decodedRules, encodeRules } from '../../src/core/rules/rulesCode.ts'
import type { Rules } from '../../src/core/rules/rules.ts'
import type { Address } from '../../src/core/values/address.ts'
import { createGuard } from '../../src/engine/createGuard.ts'
import type { Guard, LiveDeps } from '../../src/engine/guard.ts'
import { silentObserver } from '../../src/engine/observer.ts'
import type { Clock, KillFile, Log, OpenSocket } from '../../src/engine/ports.ts'
import { VenueClock } from '../../src/engine/venueClock.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import { createMetrics } from '../../src/gateway/metrics/guardMetrics.ts'
import { ChainKey } from '../../src/journal/chainKey.ts'
import { MemoryIndex } from '../../src/journal/memoryIndex.ts'
import type { JournalIo } from '../../src/journal/journalIo.ts'
import { openJournal } from '../../src/journal/openJournal.ts'
import type { OpenedJournal } from '../../src/journal/opened.ts'
import type { HttpTransport } from '../../src/venue/httpTransport.ts'
import { createSigner } from '../../src/venue/signer.ts'
import { createVenueHttp } from '../../src/venue/venueHttp.ts'
import { createVenueStream } from '../../src/venue/venueStream.ts'
import { SlidingWeightBudget } from '../../src/venue/weightBudget.ts'
import type { BotDoor } from './botDoor.ts'
import type { Chance } from './chance.ts'
import type { ProcessTime } from './virtualTime.ts'

/** Where the fake machine keeps Guard's state. */
export const stateDirectory = '/state'
export const journalDirectory = `${stateDirectory}/journal`
/** Where the second disk is mounted, in worlds that have one. */
export const secondDirectory = '/second'

/** Both are the venue's one address; the names tell apart whose sockets they are. */
export const streamUrl = 'ws://venue/ws'
export const relayUrl = 'ws://venue/ws?relayed'

/** One run of the process, from its start to its death. */
export interface GuardProcess {
  readonly number: number
  readonly time: ProcessTime
  isDead: boolean
  guard: Guard | null
  gateway: ReturnType<typeof createGateway> | null
  /** How bots reach it. */
  door: BotDoor | null
  /** The rules it started with. */
  readonly rules: Rules
  /** It was told to stop: bots that come now find nobody. */
  isStopping: boolean
  opened: OpenedJournal | null
  /** When recovery ended, by elapsed time; null while it has not. */
  recoveredAt: number | null
}

export interface ProcessParts {
  readonly account: Address
  readonly network: 'testnet'
  readonly apiKey: Uint8Array
  /** Its journal is proven by a key; in paper mode, and before there were keys, it is not. */
  readonly isKeyed: boolean
  readonly hasSecondDisk: boolean
  readonly crypto: Crypto
  readonly rules: Rules
  readonly clients: readonly Address[]
  readonly io: JournalIo
  readonly killFile: KillFile
  readonly log: Log
  readonly chance: Chance
  readonly timeoutMs: number
  readonly transport: HttpTransport
  readonly openSocket: OpenSocket
}

/** Puts Guard together as the command line does, over the fake world. */
export async function startProcess(life: GuardProcess, parts: ProcessParts): Promise<void> {
  const { time } = life
  const { account, network, log, rules, crypto } = parts
  const clock = new VenueClock(time)
  life.opened = await openStormJournal(parts, time, clock)
  if (life.isDead) return
  const budget = new SlidingWeightBudget(1_200, time)
  const random = { bytes: (count: number) => parts.chance.bytes(count) }
  const deps: LiveDeps = {
    clock,
    timers: time,
    random,
    log,
    journal: life.opened.journal,
    reader: life.opened.reader,
    history: life.opened,
    killFile: parts.killFile,
    crypto,
    stream: createVenueStream({
      ...{ url: streamUrl, account, clock, timers: time, random, log },
      openSocket: parts.openSocket,
    }),
    budget,
    observer: silentObserver,
    venue: createVenueHttp(parts.transport, budget, parts.timeoutMs, clock),
    signer: createSigner(crypto, network, parts.apiKey),
    config: {
      version: '0.0.0-storm',
      mode: 'testnet',
      network,
      account,
      venueUrl: 'http://venue',
      clients: parts.clients,
      builders: [],
      rulesFor: () => rules,
      rulesCode: encodeRules(rules),
      rulesDecoded: decodedRules(rules),
      drainMs: 6_000,
    },
  }
  life.guard = await createGuard(deps)
  life.gateway = createGateway({
    ...{ guard: life.guard, reader: deps.reader, venue: deps.venue, account, log, metrics },
    ...{ clock, timers: time, version: deps.config.version, assets: new Map() },
    nextTurn: queueMicrotask,
    listen: { host: '127.0.0.1', port: 0, exposed: null },
    upstreamUrl: relayUrl,
    openSocket: parts.openSocket,
  })
}

/** Nobody reads them here; making them anew for each life would cost more than a start. */
const metrics = createMetrics()

/** What the journal of the fake machine is opened with. */
export type JournalAccess = Pick<
  ProcessParts,
  'account' | 'network' | 'apiKey' | 'isKeyed' | 'hasSecondDisk' | 'io' | 'log'
>

/** The key that proves its records; null in a world without. */
export function stormKey({ isKeyed, apiKey, account, network }: JournalAccess): ChainKey | null {
  return isKeyed ? ChainKey.of(apiKey, { account, network }) : null
}

/** The journal of the fake machine, as every life opens it. */
export async function openStormJournal(
  parts: JournalAccess,
  time: ProcessTime,
  clock: Clock = time,
): Promise<OpenedJournal> {
  return await openJournal({
    directory: journalDirectory,
    emergencyDirectory: parts.hasSecondDisk ? secondDirectory : null,
    identity: { account: parts.account, network: parts.network },
    key: stormKey(parts),
    clock,
    timers: time,
    io: parts.io,
    log: parts.log,
    openIndex: () => new MemoryIndex(),
    bounds: { reserveBytes: 4_096, segmentBytes: 200_000 },
  })
}

/** The kill file on the fake disk. `present` answers at once, as a look into a directory does. */
export function stormKillFile(
  io: JournalIo,
  present: () => Uint8Array | null,
  onChange: Set<() => void>,
): KillFile {
  const path = `${stateDirectory}/kill`
  return {
    seen: () => {
      const bytes = present()
      if (bytes === null) return null
      return { firstLine: Buffer.from(bytes).toString('utf8').split('\n')[0] ?? '' }
    },
    write: async (reason) => {
      if (present() !== null) {
        await io.syncDirectory(stateDirectory)
        return
      }
      const next = `${stateDirectory}/.kill-next`
      await io.remove(next)
      const file = await io.open(next, 'create')
      await writeAll(file, Buffer.from(`${reason}\n`))
      await file.sync()
      await file.close()
      await io.rename(next, path)
      await io.syncDirectory(stateDirectory)
    },
    watch: (changed) => {
      onChange.add(changed)
      return () => onChange.delete(changed)
    },
  }
}

async function writeAll(
  file: { write(bytes: Uint8Array, position: number): Promise<number> },
  bytes: Uint8Array,
): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at), at)
}
