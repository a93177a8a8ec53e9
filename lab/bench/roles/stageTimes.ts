import type { Json } from '../../../src/core/protocol/action.ts'
import type { Stage } from '../../../src/engine/observer.ts'

const timesMax = 20_000

/** The latest times of each stage of an order. */
export class StageTimes {
  #times = new Map<Stage, number[]>()

  add(stage: Stage, ms: number): void {
    const times = this.#times.get(stage) ?? []
    if (times.length === 0) this.#times.set(stage, times)
    if (times.length < timesMax) times.push(ms)
  }

  /** All there are; they are forgotten then. */
  take(): Json {
    const taken = Object.fromEntries(this.#times)
    this.#times = new Map()
    return taken
  }
}
