import type { Address } from '../../../src/core/values/address.ts'
import type { Decimal } from '../../../src/core/values/decimal.ts'

/** What the front does where the venue's behaviour is not known for sure, or is a matter of taste. */
export interface FrontOptions {
  /** `canonical`: the action is rebuilt in schema order with plain decimals and that is hashed. */
  readonly hashing: 'canonical' | 'asSent'
  /** Whether an action that is refused after its signer was found uses up its nonce. */
  readonly refusedActionConsumesNonce: boolean
  /** The body of HTTP 429; nobody recorded the venue's. */
  readonly tooManyRequestsBody: string
  /** Whether `orderUpdates` replays the open orders on subscribe. */
  readonly orderUpdatesReplay: boolean
  /** `omitted`: later frames have no `isSnapshot`; `false`: they say so. */
  readonly laterIsSnapshot: 'omitted' | 'false'
  /** Whether a limit of the socket (users, subscriptions, posts) also closes it. */
  readonly limitClosesSocket: boolean
  /** How long after its answer an action shows on the streams; about 3 ms on testnet. */
  readonly streamLagMs: number
  readonly allMidsMs: number
  readonly bookMs: number
  readonly fastBookMs: number
  readonly contextMs: number
  readonly candleMs: number
  readonly accountMs: number
  readonly webDataMs: number
  /** The venue closes a connection on which it has sent nothing for so long. */
  readonly idleMs: number
  readonly connectionsMax: number
  readonly newConnectionsPerMinute: number
  readonly subscriptionsMax: number
  readonly usersMax: number
  readonly messagesPerMinute: number
  readonly pendingPostsMax: number
  /** Whether a request over the socket costs request weight; the venue does not say. */
  readonly postWeight: 'free' | 'counted'
  /** Actions a unified or portfolio account may do in a day; null is no cap. */
  readonly dailyActionsMax: number | null
  /**
   * `hard`: a batch of n counts n, cancels count, all is refused beyond the cap. `soft`: a batch
   * counts once, cancels are spared, and one action passes every ten seconds beyond it.
   */
  readonly dailyActionsReading: 'hard' | 'soft'
  /** Whether that day is the UTC day or the last 24 hours. */
  readonly dailyActionsWindow: 'utc-day' | 'rolling'
  /** Nobody recorded the venue's words for it. */
  readonly dailyActionsText: string
}

export const defaultFrontOptions: FrontOptions = {
  hashing: 'canonical',
  refusedActionConsumesNonce: true,
  tooManyRequestsBody: 'null',
  orderUpdatesReplay: false,
  laterIsSnapshot: 'omitted',
  limitClosesSocket: false,
  streamLagMs: 0,
  allMidsMs: 5_000,
  bookMs: 5_400,
  fastBookMs: 540,
  contextMs: 1_000,
  candleMs: 1_000,
  accountMs: 2_000,
  webDataMs: 5_000,
  idleMs: 60_000,
  connectionsMax: 10,
  newConnectionsPerMinute: 30,
  subscriptionsMax: 1_000,
  usersMax: 10,
  messagesPerMinute: 2_000,
  pendingPostsMax: 100,
  postWeight: 'free',
  dailyActionsMax: 50_000,
  dailyActionsReading: 'hard',
  dailyActionsWindow: 'utc-day',
  dailyActionsText: 'Too many user actions',
}

/** An account the simulator starts with. */
export interface StartAccount {
  readonly address: Address
  readonly equity: Decimal
  readonly agents: readonly Address[]
}
