import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../src/config/readConfig.ts'
import type { GuardConfigFile } from '../../src/config/readConfig.ts'
import { parsePrivateKey } from '../../src/config/privateKey.ts'
import { writeNewSecretFile } from '../../src/config/secretFile.ts'
import { loadCrypto } from '../../src/crypto/loadCrypto.ts'
import type { Address } from '../../src/core/values/address.ts'
import type { Log } from '../../src/engine/ports.ts'
import { startSimulator } from '../sim/simulator.ts'
import type { Simulator } from '../sim/simulatorOptions.ts'
import { startGuard } from '../../src/cli/assembly/startGuard.ts'
import type { StartedGuard } from '../../src/cli/assembly/startGuard.ts'
import { failed } from '../../src/cli/cliError.ts'
import { newClientKey } from '../../src/cli/setup/newClientKey.ts'
import type { ClientKey } from '../../src/cli/setup/newClientKey.ts'
import { renderToml } from '../../src/cli/setup/renderToml.ts'
import { demoMarkets } from './demoMarkets.ts'
import { simControl } from './simControl.ts'
import type { SimControl } from './simControl.ts'

interface DemoOptions {
  readonly port: number
  readonly simPort: number
  readonly seed: number
  readonly log: Log
}

/** Simulator and Guard, with throw-away keys, in a temporary home. */
export interface DemoWorld {
  readonly home: string
  readonly account: Address
  readonly client: ClientKey
  readonly clientKeyFile: string
  readonly simulator: Simulator
  readonly control: SimControl
  readonly guard: StartedGuard
  close(): Promise<void>
}

const rules = ['daily_loss_stop = "3%"', 'markets = ["BTC", "ETH", "SOL"]']

export async function openDemoWorld(options: DemoOptions): Promise<DemoWorld> {
  const { secp256k1 } = await loadCrypto()
  const account = newClientKey(secp256k1).address
  const wallet = newClientKey(secp256k1)
  const client = newClientKey(secp256k1)
  const simulator = await openSimulator(options)
  const home = mkdtempSync(join(tmpdir(), 'guard-demo-'))
  const undo = async (): Promise<void> => {
    await simulator.close()
    rmSync(home, { recursive: true, force: true })
  }
  try {
    const control = simControl(simulator.url)
    await control.reset({
      seed: options.seed,
      frozen: true,
      markets: demoMarkets,
      accounts: [{ address: account, equity: '10000', agents: [wallet.address] }],
    })
    const clientKeyFile = join(home, 'client.key')
    writeNewSecretFile(clientKeyFile, `${client.text}\n`)
    const config = demoConfig(home, options, simulator, {
      account,
      wallet: wallet.address,
      client: client.address,
    })
    const guard = await startGuard({
      config,
      privateKey: keyBytes(wallet),
      log: options.log,
      portFlag: 'guard demo --port PORT',
    })
    await guard.recovered
    const close = async (): Promise<void> => {
      await guard.stop('SIGINT')
      await undo()
    }
    return { home, account, client, clientKeyFile, simulator, control, guard, close }
  } catch (error) {
    await undo()
    throw error
  }
}

async function openSimulator(options: DemoOptions): Promise<Simulator> {
  try {
    return await startSimulator({ port: options.simPort, seed: options.seed, control: true })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
      throw failed(`port ${options.simPort} is taken, and the demo's simulator wants it`, [
        'choose another one with: guard demo --sim-port PORT',
      ])
    }
    throw error
  }
}

function demoConfig(
  home: string,
  options: DemoOptions,
  simulator: Simulator,
  keys: { readonly account: Address; readonly wallet: Address; readonly client: Address },
): GuardConfigFile {
  const toml = renderToml({
    mode: 'testnet',
    account: keys.account,
    listen: `127.0.0.1:${options.port}`,
    venueUrl: simulator.url,
    apiWallet: keys.wallet,
    via: null,
    client: { address: keys.client, name: 'sample bot' },
    rules,
  })
  const config = readConfig(toml, home)
  if (!config.ok) throw failed('the demo could not be set up', config.error)
  return config.value
}

export function keyBytes(key: ClientKey): Uint8Array {
  const parsed = parsePrivateKey(key.text)
  if (!parsed.ok) throw failed(`the demo's wallet key ${parsed.error}`)
  return parsed.value
}
