import { millis } from '../../src/core/values/millis.ts'
import type { Millis } from '../../src/core/values/millis.ts'
import type { Clock, Timers } from '../../src/engine/ports.ts'
import { again } from '../storm/virtualTime.ts'
import type { VirtualTime } from '../storm/virtualTime.ts'

/**
 * The clock and timers of one process on a machine of its own. It can be stopped for a while and go on,
 * with the monotonic clock running meanwhile (a stopped process) or not (a suspended machine).
 */
export class Machine implements Clock, Timers {
  readonly #time: VirtualTime
  /** How far its idea of the venue's time is off, in milliseconds. */
  skewMs = 0
  #lostMs = 0
  #stopped: { readonly sinceMs: number; readonly isSuspended: boolean } | null = null
  #isAlive = true
  readonly #due: (() => void)[] = []

  constructor(time: VirtualTime) {
    this.#time = time
  }

  get isRunning(): boolean {
    return this.#isAlive && this.#stopped === null
  }

  end(): void {
    this.#isAlive = false
  }

  stop(isSuspended: boolean): void {
    this.#stopped ??= { sinceMs: this.#time.elapsed, isSuspended }
  }

  goOn(): void {
    const stopped = this.#stopped
    if (stopped === null) return
    this.#stopped = null
    if (stopped.isSuspended) this.#lostMs += this.#time.elapsed - stopped.sinceMs
    for (const task of this.#due.splice(0)) this.run(task)
  }

  /** Now, or once it goes on; never after its end. */
  run(task: () => void): void {
    if (!this.#isAlive) return
    if (this.#stopped !== null) this.#due.push(task)
    else task()
  }

  now(): Millis {
    return millis(Math.floor(this.#time.now + this.skewMs))
  }

  monotonicMs(): number {
    return this.#time.elapsed - this.#lostMs
  }

  after(ms: number, task: () => void): () => void {
    let isWanted = true
    this.#time.after(Math.max(0, ms), () => {
      this.run(() => {
        if (isWanted) task()
      })
    })
    return () => {
      isWanted = false
    }
  }

  every(ms: number, task: () => void): () => void {
    return again(this, ms, task)
  }
}
