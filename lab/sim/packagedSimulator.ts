import type { Decimal } from '../../src/core/values/decimal.ts'
import { millis } from '../../src/core/values/millis.ts'
import { checkSettings, readStartAccount } from './checkSettings.ts'
import { parseDexes } from './dexFile.ts'
import { readOptions } from './optionBoard.ts'
import type { SimOptions } from './optionBoard.ts'
import { startSimulator as start } from './simulator.ts'

/** What `import { startSimulator } from 'guard/simulator'` gives; docs/simulator.md is its manual. */

/** Other readings of what the venue does, each by its name; amounts are decimal texts. */
export type SimulatorReadings = {
  readonly [Name in keyof SimOptions]?: SimOptions[Name] extends Decimal ? string : SimOptions[Name]
}

export interface SimulatorAccount {
  readonly address: string
  /** USDC, as a decimal text. */
  readonly equity: string
  /** Addresses of its API wallets. */
  readonly agents?: readonly string[]
}

/** A market of a builder dex; prices and amounts are decimal texts. */
export interface SimulatorDexMarket {
  /** With or without the dex before it. */
  readonly name: string
  readonly szDecimals: number
  readonly maxLeverage: number
  readonly mid: string
  readonly marginMode?: 'normal' | 'noCross' | 'strictIsolated'
  readonly growthMode?: boolean
  readonly deployerFeeScale?: string
  readonly fundingMultiplier?: string
  /** The most that its open interest may be worth. */
  readonly cap?: string
  readonly isDelisted?: boolean
}

export interface SimulatorDex {
  /** Small letters. */
  readonly name: string
  /** USDC when absent. */
  readonly collateral?: string
  readonly markets: readonly SimulatorDexMarket[]
}

export interface SimulatorSettings {
  /** 127.0.0.1 when absent. */
  readonly host?: string
  /** 3001 when absent; 0 takes any free port. */
  readonly port?: number
  /** The same seed and the same requests give the same fills. */
  readonly seed?: number
  /** A named price path (`calm`, `trend`, `crash`, `gap`, `thin`) or a path's file. */
  readonly scenario?: string
  /** Request weight a minute and IP, 1200 when absent; null is no limit. */
  readonly weightLimit?: number | null
  /** Opens `/sim/*`, which `control` calls. */
  readonly control?: boolean
  /** Which signatures it takes; testnet when absent. */
  readonly network?: 'testnet' | 'mainnet'
  /** USDC given to a signer nobody knows, on its first action. */
  readonly faucet?: string | null
  /** Without any there is one, whose key is in the manual. */
  readonly accounts?: readonly SimulatorAccount[]
  /** Builder dexes; none when absent. */
  readonly dexes?: readonly SimulatorDex[]
  readonly options?: SimulatorReadings
  /** Epoch milliseconds. With a clock of the caller's, the caller also calls `advance`. */
  readonly clock?: { now(): number }
}

export interface RunningSimulator {
  readonly url: string
  readonly wsUrl: string
  readonly port: number
  /** Posts to `/sim/<call>`, or gets it without a body; rejects with the reason of a refusal. */
  control(call: string, body?: unknown): Promise<unknown>
  /** Does what is due by the clock that was given. */
  advance(): void
  close(): Promise<void>
}

/** Starts a venue on this machine; ready once the promise resolves. */
export async function startSimulator(settings: SimulatorSettings = {}): Promise<RunningSimulator> {
  checkSettings(settings)
  const { accounts, dexes, options, clock, ...same } = settings
  const read = readOptions((options ?? {}) as Parameters<typeof readOptions>[0])
  if (!read.ok) throw new TypeError(read.error)
  const described = parseDexes(JSON.stringify(dexes ?? []))
  if (!described.ok) throw new TypeError(described.error)
  const simulator = await start({
    ...same,
    options: read.value,
    dexes: described.value,
    ...(accounts === undefined ? {} : { accounts: accounts.map(readStartAccount) }),
    ...(clock === undefined ? {} : { clock: { now: () => millis(clock.now()) } }),
  })
  const { url, wsUrl, port } = simulator
  return {
    ...{ url, wsUrl, port },
    control: (call, body) => ask(`${url}/sim/${call}`, body),
    advance: () => {
      simulator.advance()
    },
    close: () => simulator.close(),
  }
}

async function ask(url: string, body: unknown): Promise<unknown> {
  const answer = await fetch(
    url,
    body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) },
  )
  if (answer.status === 404) throw new Error(`${url}: not found; is control open?`)
  const json = (await answer.json()) as { readonly error?: string }
  if (!answer.ok) throw new Error(json.error ?? `HTTP ${String(answer.status)}`)
  return json
}
