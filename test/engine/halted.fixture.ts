import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Json } from '../../src/core/protocol/action.ts'
import { hexToBytes } from '../../src/core/values/hex.ts'
import { loadCrypto } from '../../src/crypto/loadCrypto.ts'
import { signed, TestVenue } from '../../lab/sim/simulator.fixture.ts'
import { childProgram } from '../../src/system/childProgram.fixture.ts'
import type { ChildProgram } from '../../src/system/childProgram.fixture.ts'

/** The step of its work at which a Guard comes to a halt. */
export type Halt =
  /** A batch with this text is written to the journal; or was, and nobody has been told. */
  | { readonly at: 'before_write' | 'after_write'; readonly has: string }
  /** An action of this type goes to the venue; or went, and its answer is not taken in. */
  | { readonly at: 'before_send' | 'after_send'; readonly type: string }
  /** The kill file is to be written. */
  | { readonly at: 'kill_file' }

export interface ChildSetup {
  readonly home: string
  readonly apiKey: string
  readonly halts: readonly Halt[]
  /** Nothing is written below these paths while the file `hangs` is in the home. */
  readonly hanging: readonly string[]
  /** How far its clock is ahead: what was sent before has expired by then. */
  readonly aheadMs: number
}

const apiKey = `0x${'11'.repeat(32)}`
const clientKey = `0x${'22'.repeat(32)}`
const account = '0x00000000000000000000000000000000000000aa'
const markets = [
  { name: 'BTC', szDecimals: 5, maxLeverage: 40, mid: '100000' },
  { name: 'ETH', szDecimals: 4, maxLeverage: 25, mid: '4000' },
  { name: 'SOL', szDecimals: 2, maxLeverage: 20, mid: '200' },
]
/** Longer than anything that Guard sends can live. */
const laterMs = 40_000

/** Bundles the program that halts, once for all lives. */
export async function haltedProgram(): Promise<ChildProgram> {
  return await childProgram(join(import.meta.dirname, 'halted.child.ts'))
}

/** One venue and one home on disk, over the lives of the Guards that run on them. */
export class Lives {
  readonly venue: TestVenue
  /** The text of a configuration that works. */
  readonly config: string
  private readonly program: ChildProgram
  private readonly home: string
  private child: ChildProcess | null = null
  private said = ''
  private aheadMs = 0
  private lastNonce = 0
  private hanging: readonly string[] = []

  private constructor(venue: TestVenue, program: ChildProgram, home: string, config: string) {
    this.config = config
    this.venue = venue
    this.program = program
    this.home = home
  }

  static async begin(program: ChildProgram): Promise<Lives> {
    const { secp256k1 } = await loadCrypto()
    const addressOf = (key: string): string =>
      secp256k1.addressOf(hexToBytes(key.slice(2)) ?? new Uint8Array())
    const venue = await TestVenue.start()
    const agents = [addressOf(apiKey)]
    const accounts = [{ address: account, equity: '10000', agents }]
    await venue.control('reset', { frozen: true, markets, accounts })
    const home = mkdtempSync(join(tmpdir(), 'guard-halted-'))
    const lines = [
      'mode = "testnet"',
      `account = "${account}"`,
      'listen = "127.0.0.1:0"',
      '[venue]',
      `url = "${venue.url}"`,
      'weight_per_minute = 100000',
      '[clients]',
      `"${addressOf(clientKey)}" = { name = "bot" }`,
    ]
    const lives = new Lives(venue, program, home, `${lines.join('\n')}\n`)
    lives.configure(lives.config)
    return lives
  }

  configure(text: string): void {
    writeFileSync(join(this.home, 'guard.toml'), text)
  }

  /** Starts Guard and waits until it serves bots. */
  async start(...halts: readonly Halt[]): Promise<void> {
    const { home, aheadMs, hanging } = this
    const setup: ChildSetup = { home, apiKey, halts, hanging, aheadMs }
    this.said = ''
    const child = spawn(process.execPath, [this.program.path, JSON.stringify(setup)])
    this.child = child
    for (const output of [child.stdout, child.stderr]) {
      output.on('data', (chunk: Buffer) => (this.said += chunk.toString()))
    }
    await this.until(() => this.said.includes('READY\n'), 'Guard to serve')
  }

  /** Waits for the halt and ends the process there, as a power cut would. */
  async killAtHalt(...halts: readonly Halt[]): Promise<void> {
    for (const { at } of halts) {
      await this.until(() => this.said.includes(`AT ${at}\n`), `a halt at ${at}`)
    }
    await this.kill()
  }

  async kill(): Promise<void> {
    const { child } = this
    this.child = null
    if (child === null || child.exitCode !== null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await ended
  }

  /** Which folders of the home are on a disk that `hang` brings to a halt, from the next start on. */
  onHangingDisk(...folders: readonly string[]): void {
    this.hanging = folders.map((folder) => join(this.home, folder))
  }

  /** The disk answers nothing any more. */
  hang(): void {
    writeFileSync(join(this.home, 'hangs'), '')
  }

  /** It answers again, also what was asked meanwhile. */
  letGo(): void {
    rmSync(join(this.home, 'hangs'), { force: true })
  }

  /** Starts Guard again, so late that nothing of before can still happen. */
  async startLater(): Promise<void> {
    this.aheadMs += laterMs
    await this.venue.control('clock', { advance_ms: laterMs })
    await this.start()
  }

  async end(): Promise<void> {
    await this.kill()
    await this.venue.simulator.close()
    rmSync(this.home, { recursive: true, force: true })
  }

  // ------------------------------------------------------------------------------------ as the bot

  /** What the bot gets; null when the connection ended without an answer. */
  async ask(action: Json): Promise<any> {
    return await this.post('/exchange', action)
  }

  async pull(reason: string): Promise<any> {
    return await this.post('/guard/kill', { type: 'guardKill', reason })
  }

  async read(path: string): Promise<any> {
    const response = await fetch(`${this.url}${path}`)
    return await response.json()
  }

  /** Every event of the journal. */
  async events(kind?: string): Promise<any[]> {
    const all: any[] = await this.read('/guard/events?source=journal&limit=1000')
    return kind === undefined ? all : all.filter((event) => event.kind === kind)
  }

  /** A trade made outside the bot. */
  async outside(action: Json): Promise<void> {
    await this.venue.control('act', { user: account, action })
  }

  async positions(): Promise<Record<string, string>> {
    const { clearinghouseState } = await this.venue.state(account)
    return Object.fromEntries(
      clearinghouseState.assetPositions.map(({ position }: any) => [position.coin, position.szi]),
    )
  }

  /** The stops that rest on the venue, by coin, with their sizes. */
  async stops(): Promise<readonly [coin: string, size: string][]> {
    const { openOrders } = await this.venue.state(account)
    return openOrders.filter((order: any) => order.isTrigger).map(({ coin, sz }: any) => [coin, sz])
  }

  /** The orders that could open a position, as the venue received them. */
  async entriesReceived(): Promise<number> {
    const log = await this.venue.log()
    return log.filter(({ action }) => action.orders?.some((order: any) => !order.r) === true).length
  }

  async until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
    const giveUp = Date.now() + 90_000
    while (!(await condition())) {
      const isOver = this.child !== null && this.child.exitCode !== null
      if (Date.now() > giveUp || isOver)
        throw new Error(`gave up waiting for ${what}\n${this.said}`)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }

  private get url(): string {
    return /^URL (.*)$/m.exec(this.said)?.[1] ?? ''
  }

  private async post(path: string, action: Json): Promise<any> {
    this.lastNonce = Math.max(this.lastNonce + 1, Date.now() + this.aheadMs)
    const body = JSON.stringify(signed(action, { key: clientKey, nonce: this.lastNonce }))
    try {
      const response = await fetch(`${this.url}${path}`, { method: 'POST', body })
      return await response.json()
    } catch {
      return null
    }
  }
}
