import { gatewayParts, openGuardJournal, wire } from '../../src/assembly/wire.ts'
import type { Setup } from '../../src/assembly/wire.ts'
import type { Crypto } from '../../src/core/protocol/crypto.ts'
import { decodedRules, encodeRules } from '../../src/core/rules/rulesCode.ts'
import type { Rules } from '../../src/core/rules/rules.ts'
import type { Address } from '../../src/core/values/address.ts'
import type { Guard } from '../../src/engine/guard.ts'
import { silentObserver } from '../../src/engine/observer.ts'
import type { KillFile, Log, OpenSocket, VenueHttp } from '../../src/engine/ports.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import { createMetrics } from '../../src/gateway/metrics/guardMetrics.ts'
import { ChainKey } from '../../src/journal/chainKey.ts'
import { MemoryIndex } from '../../src/journal/memoryIndex.ts'
import type { JournalIo } from '../../src/journal/journalIo.ts'
import type { OpenedJournal } from '../../src/journal/opened.ts'
import type { Connect } from '../../src/venue/connect.ts'
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
  /** Whose sub-account the account is; null: it has a key of its own. */
  readonly via: Address | null
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
  readonly connect: Connect
  /** Stands between Guard and what it says to the venue. */
  readonly venue?: (venue: VenueHttp) => VenueHttp
  readonly openSocket: OpenSocket
}

/** Puts Guard together by the product's own assembly, over the fake world. */
export async function startProcess(life: GuardProcess, parts: ProcessParts): Promise<void> {
  const { openSocket } = parts
  const wired = await wire(setupOf(life, parts), {
    ...{ clock: life.time, timers: life.time, log: parts.log, crypto: parts.crypto },
    random: { bytes: (count: number) => parts.chance.bytes(count) },
    ...{ io: parts.io, openIndex: () => new MemoryIndex(), killFile: parts.killFile },
    ...{ connect: parts.connect, openSocket },
    ...(parts.venue !== undefined && { venue: parts.venue }),
  })
  life.guard = wired.guard
  life.gateway = createGateway({
    ...gatewayParts(wired, { openSocket }),
    ...{ assets: new Map(), metrics, upstreamUrl: relayUrl, nextTurn: queueMicrotask },
    listen: { host: '127.0.0.1', port: 0, exposed: null },
  })
}

function setupOf(life: GuardProcess, parts: ProcessParts): Setup {
  const { account, network, rules, clients } = parts
  return {
    config: {
      ...{ version: '0.0.0-storm', mode: 'testnet', network, account, clients },
      ...{ venueUrl: 'http://venue', builders: [], via: parts.via, drainMs: 6_000 },
      ...{ rulesFor: () => rules, rulesCode: encodeRules(rules) },
      rulesDecoded: decodedRules(rules),
    },
    ...{ privateKey: parts.apiKey, journal: journalOf(parts), wsUrl: streamUrl },
    ...{ timeoutMs: parts.timeoutMs, weightPerMinute: 1_200, observer: silentObserver },
    onOpened: async (opened) => {
      life.opened = opened
      // Who died meanwhile goes no further.
      if (life.isDead) await new Promise(() => undefined)
    },
  }
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

function journalOf(parts: JournalAccess): Setup['journal'] {
  return {
    directory: journalDirectory,
    emergencyDirectory: parts.hasSecondDisk ? secondDirectory : null,
    key: stormKey(parts),
    bounds: { reserveBytes: 4_096, segmentBytes: 200_000 },
  }
}

/** The journal of the fake machine, as every life opens it. */
export async function openStormJournal(
  parts: JournalAccess,
  time: ProcessTime,
): Promise<OpenedJournal> {
  const openIndex = (): MemoryIndex => new MemoryIndex()
  const { io, log } = parts
  return await openGuardJournal(journalOf(parts), parts, {
    ...{ clock: time, timers: time, io, log, openIndex },
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
