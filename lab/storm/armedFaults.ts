import { answerFaults, connectFaults, exchangeFaults, readFaults } from './faultKinds.ts'
import type { AnswerFault, ConnectFault, ExchangeFault, ReadFault } from './faultKinds.ts'
import type { VirtualTime } from './virtualTime.ts'

/** What waits on the network for a request or a connection. */
export type ArmedFault = ConnectFault | AnswerFault | ExchangeFault | ReadFault

/** What a fault waits for; answers are those to any request. */
type Side = 'connection' | 'answer' | 'exchange' | 'read'

/** A fault that waits for what it strikes. */
export interface Armed {
  readonly kind: ArmedFault
  readonly side: Side
  left: number
  readonly untilMs: number
  /** How long it holds up what it strikes, in milliseconds. */
  readonly ms: number
}

/** Faults of the network that have not struck yet; the one that waits longest strikes first. */
export class ArmedFaults {
  readonly #time: VirtualTime
  #armed: Armed[] = []

  constructor(time: VirtualTime) {
    this.#time = time
  }

  arm(kind: ArmedFault, count: number, forMs: number, ms: number): void {
    const untilMs = this.#time.elapsed + forMs
    this.#armed.push({ kind, side: sideOf(kind), left: count, untilMs, ms })
  }

  /** The fault that strikes the next one of these sides; null where none does. */
  take(...sides: readonly Side[]): Armed | null {
    const now = this.#time.elapsed
    this.#armed = this.#armed.filter(({ left, untilMs }) => left > 0 && untilMs > now)
    const armed = this.#armed.find(({ side }) => sides.includes(side)) ?? null
    if (armed !== null) armed.left -= 1
    return armed
  }

  get isCalm(): boolean {
    const now = this.#time.elapsed
    return this.#armed.every(({ untilMs }) => untilMs <= now)
  }

  heal(): void {
    this.#armed = []
  }
}

function sideOf(kind: ArmedFault): Side {
  if (isOneOf(connectFaults, kind)) return 'connection'
  if (isOneOf(answerFaults, kind)) return 'answer'
  return isOneOf(readFaults, kind) ? 'read' : 'exchange'
}

function isOneOf(list: readonly string[], kind: string): boolean {
  return list.includes(kind)
}

/** Whether a fault waits on the network, and does not strike in the simulator's engine. */
export function isArmedFault(kind: string): kind is ArmedFault {
  if (kind === 'error_in_200' || kind === 'stop_refused') return false
  return isOneOf([...connectFaults, ...answerFaults, ...exchangeFaults, ...readFaults], kind)
}
