import type { Millis } from '../../src/core/values/millis.ts'
import type { Venue } from './engine/venue.ts'
import type { DexSpec } from './engine/venueConfig.ts'
import type { StartAccount } from './front/options.ts'
import type { SimOptions } from './optionBoard.ts'
import type { Connection, Link } from './front/transport.ts'
import type { Answer, HttpRequest } from './front/transport.ts'

interface SimClock {
  /** UTC epoch milliseconds. */
  now(): Millis
}

export interface SimulatorOptions {
  readonly host?: string
  /** 0 takes any free port. */
  readonly port?: number
  readonly seed?: number
  /** A named price path (`calm`, `trend`, `crash`, `gap`, `thin`) or a path's file. */
  readonly scenario?: string
  /** Request weight a minute and IP; null is no limit. */
  readonly weightLimit?: number | null
  /** Opens `/sim/*` for callers on this machine. */
  readonly control?: boolean
  /** Which phantom agent a signature must be for; another one recovers to a stranger. */
  readonly network?: 'testnet' | 'mainnet'
  /** With a clock of the caller's, the caller also advances: call `advance` after moving it. */
  readonly clock?: SimClock
  /** Accounts of the first world; without any there is one, `demoAddress`. */
  readonly accounts?: readonly StartAccount[]
  /** Builder dexes that a world has unless its reset says otherwise. */
  readonly dexes?: readonly DexSpec[]
  /** USDC given to a signer nobody knows, on its first action; null refuses it, as the venue does. */
  readonly faucet?: string | null
  /** Other readings of what the venue does, cadences and limits, each by its name in the table. */
  readonly options?: Partial<SimOptions>
}

/** The whole venue without sockets. */
export interface SimulatorCore {
  readonly venue: Venue
  http(request: HttpRequest, answer: Answer): void
  connect(link: Link): Connection
  /** Brings the venue to the clock: due tasks, makers, funding, stream frames. */
  advance(): void
  /** When `advance` next has something to do. */
  nextAt(): number
  /** Request weight that an address has spent within the last minute; nothing while there is no limit. */
  weightUsed(ip: string): number
}

export interface Simulator extends SimulatorCore {
  readonly url: string
  readonly wsUrl: string
  readonly port: number
  /** Resolves with the first error of the simulator's own; from then on every answer tells of it. */
  readonly failed: Promise<Error>
  close(): Promise<void>
}
