import type { Clock, EventReader, Log, OpenSocket, Timers, VenueHttp } from '../engine/ports.ts'
import type { EquityStore } from './equityFile.ts'
import type { GatewayGuard } from './gatewayGuard.ts'
import type { NextTurn } from './http/requestTurns.ts'
import type { GuardMetrics } from './metrics/guardMetrics.ts'

/** Where Guard listens. Anything but loopback has to be asked for in so many words. */
export interface Listen {
  readonly host: string
  /** 0 takes a free port. */
  readonly port: number
  /** Null: loopback only. */
  readonly exposed: Exposed | null
}

interface Exposed {
  readonly words: typeof exposedWords
  /** Names and addresses that may stand in `Host`, beside the loopback names. */
  readonly hosts: readonly string[]
  /** Every GET, every socket and every preview needs it as `Authorization: Bearer`. */
  readonly token: string
}

/** What a configuration has to say before Guard listens beyond this machine. */
export const exposedWords = 'other machines may reach Guard'

/** One file of the monitor page. */
export interface Asset {
  readonly type: string
  readonly body: string | Uint8Array
  readonly headers?: Readonly<Record<string, string>>
}

export interface GatewayOptions {
  readonly listen: Listen
  readonly guard: GatewayGuard
  readonly reader: EventReader
  readonly venue: Pick<VenueHttp, 'info'>
  /** The venue's socket, `wss://.../ws`. */
  readonly upstreamUrl: string
  readonly openSocket: OpenSocket
  /** Guard's own account: it is one of the ten users the venue follows for one address. */
  readonly account: string
  /** The monitor page by path: `/` and what it loads. */
  readonly assets: ReadonlyMap<string, Asset>
  readonly clock: Clock
  readonly timers: Timers
  readonly log: Log
  readonly metrics: GuardMetrics
  readonly version: string
  /** Keeps the day's curve over a restart; without it the curve starts with the process. */
  readonly equityStore?: EquityStore
  /** How strangers' requests come after what else has arrived; the event loop's own without it. */
  readonly nextTurn?: NextTurn
}

export interface Gateway {
  readonly host: string
  readonly port: number
  /** As bots and people write it: `http://127.0.0.1:8547`. */
  readonly url: string
  /**
   * Takes no new requests and says goodbye to sockets. Waits at most `ms` for replies in flight, and
   * for the readers of the event stream to be told that Guard stopped.
   */
  close(ms?: number): Promise<void>
}
