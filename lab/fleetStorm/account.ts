import type { VirtualTime } from '../storm/virtualTime.ts'
import type { Cents } from './storeState.ts'

/** What a fleet's budgets are about. */
export const kinds = ['open_risk', 'gross_value', 'coin_value:ETH'] as const

/** An entry, by its worth; it risks a tenth of that. */
export interface Entry {
  readonly worth: Cents
  readonly coin: 'ETH' | 'BTC'
}

/** What an entry comes to in a budget of this kind. */
export function countsAs(kind: string, { worth, coin }: Entry): Cents {
  if (kind === 'open_risk') return worth / 10
  return kind === 'gross_value' || kind === `coin_value:${coin}` ? worth : 0
}

/** An entry that has left a Guard and of which the venue has not decided yet. */
export interface Flight {
  readonly entry: Entry
  readonly run: string
  readonly instance: string
  /** The venue refuses it from then on, by its own time. */
  readonly expiresMs: number
}

/** An account at the venue: what is open and what is on its way there. */
export class Account {
  readonly flights = new Set<Flight>()
  readonly #time: VirtualTime
  #open: Entry[] = []

  constructor(time: VirtualTime) {
    this.#time = time
  }

  get isFlat(): boolean {
    return this.#open.length === 0 && this.flights.size === 0
  }

  /** What is open or on its way, in a budget of this kind. */
  used(kind: string): Cents {
    const all = [...this.#open, ...[...this.flights].map(({ entry }) => entry)]
    return all.reduce((sum, entry) => sum + countsAs(kind, entry), 0)
  }

  /** It arrives after `delayMs`, and opens unless it has expired by then. */
  fly(flight: Flight, delayMs: number): void {
    this.flights.add(flight)
    this.#time.after(Math.min(delayMs, flight.expiresMs - this.#time.now), () => {
      this.flights.delete(flight)
      if (this.#time.now < flight.expiresMs) this.#open.push(flight.entry)
    })
  }

  closeOne(): void {
    this.#open.shift()
  }

  closeAll(): void {
    this.#open = []
  }
}
