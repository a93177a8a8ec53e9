import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { join } from 'node:path'
import { parsePrivateKey } from '../../../src/config/privateKey.ts'
import { readConfig } from '../../../src/config/readConfig.ts'
import type { GuardConfigFile } from '../../../src/config/readConfig.ts'
import type { Json } from '../../../src/core/protocol/action.ts'
import type { VenueHttp } from '../../../src/engine/ports.ts'
import { silentObserver } from '../../../src/engine/observer.ts'
import { startGuard } from '../../../src/cli/assembly/startGuard.ts'
import { failed } from '../../../src/cli/cliError.ts'
import { joinFleet } from '../../../src/cli/joinFleet.ts'
import type { FleetMember } from '../../../src/fleet/fleetMember.ts'
import { benchRules } from '../orders.ts'
import { HangingDisk } from './hangingDisk.ts'
import { LoopWatch, cpuMicros, heldBytes, residentBytes } from './processFigures.ts'
import type { Role } from './role.ts'
import { StageTimes } from './stageTimes.ts'
import { undiciExchange } from './undiciExchange.ts'

/** What a Guard of the benchmark needs to know; it is sent between processes as JSON. */
export interface GuardSetup {
  readonly home: string
  readonly mode: 'paper' | 'testnet'
  readonly account: string
  readonly venueUrl: string
  /** The API wallet's key, made for this run. */
  readonly walletKey: string
  readonly clients: readonly string[]
  readonly weightPerMinute: number
  readonly anyMarket: boolean
  /** Its disk can be told to hang. */
  readonly mayHang: boolean
  /** The URL of the fleet's store, which this Guard joins as a member; null: it is in no fleet. */
  readonly fleetUrl: string | null
  /** It sends with undici instead of Guard's own HTTP client. */
  readonly hasUndici: boolean
}

const silentLog = { log: () => undefined }

/** Guard as it runs for people, with every stage of every request timed. */
export async function startGuardRole(json: Json): Promise<Role> {
  const setup = json as unknown as GuardSetup
  const toml = tomlOf(setup)
  const config = readConfig(toml, setup.home)
  if (!config.ok) throw failed('the benchmark could not set up Guard', config.error)
  const key = parsePrivateKey(setup.walletKey)
  if (!key.ok) throw failed(`the wallet key ${key.error}`)
  const stages = new StageTimes()
  const privateKey = setup.mode === 'paper' ? null : key.value
  const begun = performance.now()
  const disk = new HangingDisk()
  const seams = { io: disk.io, killFile: (stateDir: string) => disk.killFile(stateDir) }
  const exchange = setup.hasUndici ? await undiciExchange(setup.venueUrl) : null
  const fleet = await inFleet(setup, config.value, toml)
  const started = await startGuard({
    ...{ config: config.value, privateKey, log: silentLog, fleet },
    seams: {
      ...(setup.mayHang && seams),
      ...(exchange !== null && { venue: (venue: VenueHttp) => ({ ...venue, exchange }) }),
    },
    observer: { ...silentObserver, stage: (stage, ms) => stages.add(stage, ms) },
  })
  await started.recovered
  const readyMs = performance.now() - begun
  let session: Session | null = null
  const loop = new LoopWatch()
  const answers: Readonly<Record<string, () => Promise<Json> | Json>> = {
    cpu: cpuMicros,
    heap: heldBytes,
    resident: residentBytes,
    curve: () => started.crypto.name,
    ready_ms: () => readyMs,
    stages: () => stages.take(),
    watch_loop: () => {
      loop.start()
      return null
    },
    loop: () => ({ ...loop.take() }),
    hang: () => {
      disk.hang()
      return null
    },
    let_go: () => {
      disk.letGo()
      return null
    },
    profile: async () => {
      session = new Session()
      session.connect()
      await session.post('Profiler.enable')
      await session.post('Profiler.setSamplingInterval', { interval: 200 })
      await session.post('Profiler.start')
      return null
    },
    profiled: async () => {
      const taken = await session?.post('Profiler.stop')
      session?.disconnect()
      return (taken?.profile ?? null) as unknown as Json
    },
  }
  return {
    url: started.gateway.url,
    ask: async (question) => (await answers[question]?.()) ?? null,
    stop: () => started.stop('SIGTERM'),
  }
}

function tomlOf(setup: GuardSetup): string {
  const quoted = (text: string): string => JSON.stringify(text)
  return [
    `mode = ${quoted(setup.mode)}`,
    `account = ${quoted(setup.account)}`,
    'listen = "127.0.0.1:0"',
    '[venue]',
    `url = ${quoted(setup.venueUrl)}`,
    `weight_per_minute = ${setup.weightPerMinute}`,
    '[clients]',
    ...setup.clients.map((client, index) => `${quoted(client)} = { name = "bot ${index}" }`),
    '[rules]',
    ...benchRules(setup.anyMarket),
    ...(setup.fleetUrl === null ? [] : ['[fleet]', 'url_file = "fleet.url"']),
    '',
  ].join('\n')
}

/** A member of a fleet has what its owner would have in its home: the URL, and the configuration. */
async function inFleet(
  { home: path, fleetUrl }: GuardSetup,
  config: GuardConfigFile,
  toml: string,
): Promise<FleetMember | null> {
  if (fleetUrl === null) return null
  const configFile = join(path, 'guard.toml')
  writeFileSync(configFile, toml, { mode: 0o600 })
  writeFileSync(join(path, 'fleet.url'), `${fleetUrl}\n`, { mode: 0o600 })
  return await joinFleet(config, { path, configFile }, silentLog)
}
