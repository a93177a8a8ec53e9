import { millis, utcDay } from '../core/values/millis.ts'
import type { EventReader, Timers } from '../engine/ports.ts'
import type { GatewayGuard } from './gatewayGuard.ts'

/** When, in UTC epoch milliseconds, and the equity then, as a decimal string. */
export type EquitySample = readonly [number, string]

export const sampleEveryMs = 15_000
/** A day of samples, and as many again for changes of the risk state. */
const samplesMax = 12_000

/** The equity of the current UTC day, kept in memory for the page's chart. */
export class EquityHistory {
  readonly #guard: Pick<GatewayGuard, 'status'>
  readonly #stop: readonly (() => void)[]
  #samples: EquitySample[] = []
  #day = ''

  constructor(guard: Pick<GatewayGuard, 'status'>, reader: EventReader, timers: Timers) {
    this.#guard = guard
    this.#stop = [
      timers.every(sampleEveryMs, () => {
        this.#take()
      }),
      reader.subscribe((event) => {
        if (event.kind === 'risk' && event.equity !== null) this.#add(event.at_ms, event.equity)
      }),
    ]
  }

  /** Oldest first, up to now. */
  samples(): readonly EquitySample[] {
    if (this.#samples.length === 0) this.#take()
    return this.#samples
  }

  close(): void {
    for (const stop of this.#stop) stop()
  }

  #take(): void {
    const { now_ms, risk } = this.#guard.status()
    if (risk.equity !== null) this.#add(now_ms, risk.equity)
  }

  #add(at: number, equity: string): void {
    const day = utcDay(millis(at))
    if (day !== this.#day) {
      this.#day = day
      this.#samples = []
    }
    // A clock that stepped back adds nothing: a chart runs in one direction.
    if (at <= (this.#samples.at(-1)?.[0] ?? 0)) return
    this.#samples.push([at, equity])
    if (this.#samples.length > samplesMax) this.#samples.splice(0, samplesMax / 10)
  }
}
