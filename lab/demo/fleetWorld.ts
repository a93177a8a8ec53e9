import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pageDirectory } from '../../src/cli/assembly/pageDirectory.ts'
import { startGuard } from '../../src/cli/assembly/startGuard.ts'
import type { StartedGuard } from '../../src/cli/assembly/startGuard.ts'
import { failed } from '../../src/cli/cliError.ts'
import { joinFleet } from '../../src/cli/joinFleet.ts'
import { newClientKey } from '../../src/cli/setup/newClientKey.ts'
import type { ClientKey } from '../../src/cli/setup/newClientKey.ts'
import { renderToml } from '../../src/cli/setup/renderToml.ts'
import { version } from '../../src/cli/version.ts'
import { readConfig } from '../../src/config/readConfig.ts'
import { writeNewSecretFile } from '../../src/config/secretFile.ts'
import type { Address } from '../../src/core/values/address.ts'
import { loadCrypto } from '../../src/crypto/loadCrypto.ts'
import type { Log } from '../../src/engine/ports.ts'
import type { FleetAdmin } from '../../src/fleet/fleetProgram.ts'
import { createDoor } from '../../src/gateway/http/door.ts'
import { Registry } from '../../src/gateway/metrics/registry.ts'
import { systemClock } from '../../src/system/systemClock.ts'
import { systemTimers } from '../../src/system/systemTimers.ts'
import { startSimulator } from '../sim/simulator.ts'
import { demoMarkets } from './demoMarkets.ts'
import { keyBytes } from './demoWorld.ts'
import { simControl } from './simControl.ts'
import type { SimControl } from './simControl.ts'
import { startStore } from './startStore.ts'

interface FleetDemoOptions {
  /** The port at which the fleet's page is served. */
  readonly port: number
  readonly seed: number
  readonly log: Log
  readonly onAlert: (text: string) => void
}

/** One Guard of the demo's fleet. */
export interface DemoMember {
  readonly name: string
  readonly account: Address
  readonly client: ClientKey
  readonly guard: StartedGuard
}

/** PostgreSQL, simulator, Guards and the watcher, with throw-away keys, in a temporary folder. */
export interface FleetWorld {
  readonly folder: string
  readonly ownerUrlFile: string
  readonly watchUrl: string
  readonly simUrl: string
  readonly store: FleetAdmin
  readonly control: SimControl
  readonly members: readonly DemoMember[]
  close(): Promise<void>
}

const names = ['desk-1', 'desk-2', 'research-1'] as const
/** What it holds ends with the demo: nothing has to outlive the machine's power. */
const demoSettings = ['fsync=off', 'max_connections=40']

export async function openFleetWorld(options: FleetDemoOptions): Promise<FleetWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'guard-fleet-demo-'))
  /** What has begun, the last first when it ends. */
  const ends: (() => Promise<void> | void)[] = [
    () => {
      rmSync(folder, { recursive: true, force: true })
    },
  ]
  const close = async (): Promise<void> => {
    for (const end of ends.splice(0).reverse()) await end()
  }
  try {
    return { ...(await openAll(folder, options, ends)), folder, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function openAll(
  folder: string,
  options: FleetDemoOptions,
  ends: (() => Promise<void> | void)[],
): Promise<Omit<FleetWorld, 'folder' | 'close'>> {
  const { store, url, stop } = await startStore(folder, demoSettings)
  ends.push(stop)
  const ownerUrlFile = join(folder, 'owner.url')
  written(ownerUrlFile, url)
  const simulator = await startSimulator({ port: 0, seed: options.seed, control: true })
  ends.push(() => simulator.close())
  const { secp256k1 } = await loadCrypto()
  const keys = names.map((name) => ({
    ...{ name, account: newClientKey(secp256k1).address },
    ...{ wallet: newClientKey(secp256k1), client: newClientKey(secp256k1) },
  }))
  const control = simControl(simulator.url)
  await control.reset({
    ...{ seed: options.seed, frozen: true, markets: demoMarkets },
    accounts: keys.map(({ account, wallet }) => ({
      ...{ address: account, equity: '10000', agents: [wallet.address] },
    })),
  })
  const members: DemoMember[] = []
  for (const key of keys) {
    const guard = await startMember(folder, store, simulator.url, key, options.log)
    ends.push(() => guard.stop('SIGINT'))
    members.push({ name: key.name, account: key.account, client: key.client, guard })
  }
  const watched = await watchedBy(store, options)
  ends.push(() => watched.close())
  const { url: watchUrl } = watched
  return { ownerUrlFile, watchUrl, simUrl: simulator.url, store, control, members }
}

interface MemberKeys {
  readonly name: string
  readonly account: Address
  readonly wallet: ClientKey
  readonly client: ClientKey
}

async function startMember(
  folder: string,
  store: FleetAdmin,
  venueUrl: string,
  { name, account, wallet, client }: MemberKeys,
  log: Log,
): Promise<StartedGuard> {
  const path = join(folder, name)
  mkdirSync(path, { mode: 0o700 })
  const [group = ''] = name.split('-')
  await store.add({ name, account, network: 'testnet', group }, (url) => {
    written(join(path, 'fleet.url'), url)
  })
  const toml = renderToml({
    ...{ mode: 'testnet', account, listen: '127.0.0.1:0', venueUrl, via: null },
    ...{ apiWallet: wallet.address, client: { address: client.address, name: 'sample bot' } },
    rules: ['daily_loss_stop = "3%"'],
  })
  const text = `${toml}\n[fleet]\nurl_file = "fleet.url"\n`
  const home = { path, configFile: join(path, 'guard.toml') }
  writeFileSync(home.configFile, text, { mode: 0o600 })
  const config = readConfig(text, path)
  if (!config.ok) throw failed('the demo could not be set up', config.error)
  const fleet = await joinFleet(config.value, home, log)
  const guard = await startGuard({ config: config.value, privateKey: keyBytes(wallet), log, fleet })
  await guard.recovered
  return guard
}

async function watchedBy(
  store: FleetAdmin,
  { port, onAlert }: FleetDemoOptions,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const host = '127.0.0.1'
  const watching = store.watch(
    {
      ...{ host, port, door: createDoor({ host, port, exposed: null }), version },
      ...{ registry: new Registry(), pageDirectory: pageDirectory(), lossStops: [] },
      ...{ clock: systemClock, timers: systemTimers },
      onRaised: () => undefined,
      onAlert: ({ phase, alert }) => {
        onAlert(`${phase === 'began' ? 'ALERT' : 'over'}: ${alert.text}`)
      },
    },
    null,
  )
  const opened = await watching.catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
      throw failed(`port ${port} is taken`, [
        'choose another one with: guard fleet demo --port PORT',
      ])
    }
    throw error
  })
  if (!opened.ok) throw failed(opened.error)
  return opened.value
}

function written(file: string, url: string): void {
  const done = writeNewSecretFile(file, `${url}\n`)
  if (!done.ok) throw failed(done.error)
}
