import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadCrypto } from '../crypto/loadCrypto.ts'
import { startSimulator } from '../../lab/sim/simulator.ts'
import type { Simulator } from '../../lab/sim/simulatorOptions.ts'
import { simControl } from '../../lab/demo/simControl.ts'
import type { SimControl } from '../../lab/demo/simControl.ts'
import { labCommands } from '../../lab/commands/labCommands.ts'
import { runProgram } from './program.ts'

export interface Said {
  readonly code: number
  readonly out: string
  readonly err: string
  /** Standard output as JSON. */
  json(): unknown
}

export function said(code: number, out: string, err: string): Said {
  return { code, out, err, json: () => JSON.parse(out) as unknown }
}

interface AskOptions {
  readonly env?: Record<string, string>
  readonly stdin?: string
}

/** Runs a command line in this process, where nobody can be asked. */
export async function ask(args: readonly string[], options: AskOptions = {}): Promise<Said> {
  let out = ''
  let err = ''
  const code = await runProgram(
    args,
    {
      out: (text) => (out += text),
      err: (text) => (err += text),
      log: { write: (text) => (err += text), flush: () => undefined },
      environment: options.env ?? {},
      isInteractive: false,
      columns: 100,
      readStdin: async () => options.stdin ?? '',
      drained: async () => undefined,
    },
    labCommands,
  )
  return said(code, plain(out), plain(err))
}

/** Without colours. */
export function plain(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, '')
}

/** Test keys; the canary is what must never show anywhere. */
export const accountKey = `0x${'ac'.repeat(32)}`
export const canaryKey = `0x${'c0ffee'.repeat(10)}deadbeef`.slice(0, 66)
export const passphrase = 'correct horse battery staple'

const account = '0xe57e649e59fbed533f165ea135261236c39c2797'

export const markets = [
  { name: 'BTC', szDecimals: 5, maxLeverage: 40, mid: '84213.5' },
  { name: 'ETH', szDecimals: 4, maxLeverage: 25, mid: '2486.35' },
]

/** A port where nobody listens. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** A folder of its own with key files, and a simulator whose account has the canary as API wallet. */
export class Bench {
  readonly account = account
  readonly directory: string
  readonly simulator: Simulator
  readonly control: SimControl
  readonly wallet: string
  /** Where its Guards listen; until one does, nobody is there, whatever else this machine runs. */
  readonly listen: string

  private constructor(simulator: Simulator, wallet: string, listen: string) {
    this.directory = mkdtempSync(join(tmpdir(), 'guard-cli-'))
    this.simulator = simulator
    this.control = simControl(simulator.url)
    this.wallet = wallet
    this.listen = listen
    this.secret('wallet.key', `${canaryKey}\n`)
    this.secret('own.key', `${accountKey}\n`)
    this.secret('pass', `${passphrase}\n`)
  }

  static async open(): Promise<Bench> {
    const { secp256k1 } = await loadCrypto()
    const wallet = secp256k1.addressOf(Buffer.from(canaryKey.slice(2), 'hex'))
    // Guards and commands of a whole test file come from one address, within a minute.
    const simulator = await startSimulator({ port: 0, control: true, weightLimit: null })
    const bench = new Bench(simulator, wallet, `127.0.0.1:${await freePort()}`)
    await bench.reset()
    return bench
  }

  async reset(equity = '10000'): Promise<void> {
    const accounts = [{ address: this.account, equity, agents: [this.wallet] }]
    await this.control.reset({ frozen: true, markets, accounts })
  }

  path(...parts: string[]): string {
    return join(this.directory, ...parts)
  }

  secret(name: string, text: string, mode = 0o600): string {
    writeFileSync(this.path(name), text, { mode })
    chmodSync(this.path(name), mode)
    return this.path(name)
  }

  /** The flags of a complete scripted set-up. */
  initArgs(home: string, ...more: string[]): string[] {
    return [
      ...['init', '--home', this.path(home), '--mode', 'testnet', '--account', this.account],
      ...['--venue-url', this.simulator.url, '--key-file', this.path('wallet.key')],
      ...['--passphrase-file', this.path('pass'), '--client-key-out', this.path(`${home}.client`)],
      ...['--listen', this.listen, ...more],
    ]
  }

  /** Lets a home start often in a minute, which costs more than the venue grants an address. */
  grantWeight(home: string): void {
    const file = this.path(home, 'guard.toml')
    const text = readFileSync(file, 'utf8')
    const granted = text.replace(/^\[venue\]$/m, '[venue]\nweight_per_minute = 100000')
    if (granted === text) throw new Error(`${file} has no [venue]`)
    writeFileSync(file, granted)
  }

  /** Every file below the folder with its text, but not the keys that were put there. */
  written(): { readonly file: string; readonly text: string }[] {
    const given = ['wallet.key', 'own.key', 'pass']
    return readdirSync(this.directory, { recursive: true, encoding: 'utf8' })
      .filter((file) => !given.includes(file) && statSync(this.path(file)).isFile())
      .map((file) => ({ file, text: readFileSync(this.path(file), 'latin1') }))
  }

  async close(): Promise<void> {
    await this.simulator.close()
    rmSync(this.directory, { recursive: true, force: true })
  }
}
