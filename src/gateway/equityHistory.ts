import { limits } from '../core/values/limits.ts'
import { millis, utcDay } from '../core/values/millis.ts'
import type { EventReader, Timers } from '../engine/ports.ts'
import type { EquityStore } from './equityFile.ts'
import type { GatewayGuard } from './gatewayGuard.ts'
import type { EquitySample } from './equityFile.ts'

export const sampleEveryMs = 15_000
/** A day of samples, and as many again for changes of the risk state. */
const samplesMax = limits.equitySamplesMax

/** The equity of the current UTC day, for the page's chart; a restart does not cut it off. */
export class EquityHistory {
  readonly #guard: Pick<GatewayGuard, 'status'>
  readonly #store: EquityStore | null
  readonly #loaded: Promise<void>
  readonly #stop: readonly (() => void)[]
  #samples: EquitySample[] = []
  #day = ''
  #isLoaded = false

  constructor(
    guard: Pick<GatewayGuard, 'status'>,
    reader: EventReader,
    timers: Timers,
    store: EquityStore | null,
  ) {
    this.#guard = guard
    this.#store = store
    this.#loaded = this.#takeUp()
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
  async samples(): Promise<readonly EquitySample[]> {
    await this.#loaded
    if (this.#samples.length === 0) this.#take()
    return this.#samples
  }

  async close(): Promise<void> {
    for (const stop of this.#stop) stop()
    await this.#loaded
    await this.#store?.settled()
  }

  /** What earlier runs saw of this day stands before what this one has seen meanwhile. */
  async #takeUp(): Promise<void> {
    const earlier = (await this.#store?.load()) ?? []
    const seen = this.#samples
    const today = this.#day === '' ? utcDay(millis(this.#guard.status().now_ms)) : this.#day
    this.#samples = []
    this.#day = today
    this.#isLoaded = true
    const isOfToday = ([at]: EquitySample): boolean => utcDay(millis(at)) === today
    for (const sample of earlier.filter(isOfToday)) this.#push(sample)
    if (this.#samples.length === 0 && earlier.length > 0) this.#store?.clear()
    for (const [at, equity] of seen) this.#add(at, equity)
  }

  #take(): void {
    const { now_ms, risk } = this.#guard.status()
    if (risk.equity !== null) this.#add(now_ms, risk.equity)
  }

  #add(at: number, equity: string): void {
    const day = utcDay(millis(at))
    if (day !== this.#day) {
      if (this.#isLoaded) this.#store?.clear()
      this.#day = day
      this.#samples = []
    }
    const sample: EquitySample = [at, equity]
    if (this.#push(sample) && this.#isLoaded) this.#store?.append(sample)
  }

  /** A clock that stepped back adds nothing: a chart runs in one direction. */
  #push(sample: EquitySample): boolean {
    if (sample[0] <= (this.#samples.at(-1)?.[0] ?? 0)) return false
    this.#samples.push(sample)
    if (this.#samples.length > samplesMax) this.#samples.splice(0, samplesMax / 10)
    return true
  }
}
