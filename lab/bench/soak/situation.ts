import type { LoopDelay } from '../roles/processFigures.ts'
import type { Role } from '../roles/role.ts'
import { spreadOf } from '../quantiles.ts'
import type { Spread } from '../quantiles.ts'
import { noTimes } from './honestBot.ts'
import type { TradeTimes } from './honestBot.ts'

/** What Guard itself spent and waited for in one situation, times in milliseconds. */
interface OwnFigures {
  /** Processor time as a share of one core; above 1 where several were busy. */
  readonly cpu: number
  /** The worst of the turns' 99th percentiles, and the longest of all: how long its thread was held. */
  readonly loopP99: number
  readonly loopMax: number
  /** Inside Guard, of what was sent on: the whole way, the wait for the disk, the wait for the venue. */
  readonly total: Spread
  readonly durable: Spread
  readonly venue: Spread
}

const stagesKept = 20_000
const stageNames = ['total', 'durable', 'venue'] as const

/** Honest orders in one situation, such as alone, and what Guard spent meanwhile. */
export class Situation {
  readonly times: TradeTimes = noTimes()
  readonly #stages = new Map<string, number[]>()
  #cpuMicros = 0
  #wallMs = 0
  #loopP99 = 0
  #loopMax = 0

  /** One turn in it: what Guard spent meanwhile is added. */
  async turn<T>(guard: Role, trade: (times: TradeTimes) => Promise<T>): Promise<T> {
    await guard.ask('stages')
    await guard.ask('loop')
    const cpu = Number(await guard.ask('cpu'))
    const begun = performance.now()
    const result = await trade(this.times)
    this.#wallMs += performance.now() - begun
    this.#cpuMicros += Number(await guard.ask('cpu')) - cpu
    const { p99, max } = (await guard.ask('loop')) as unknown as LoopDelay
    this.#loopP99 = Math.max(this.#loopP99, p99)
    this.#loopMax = Math.max(this.#loopMax, max)
    const stages = (await guard.ask('stages')) as { readonly [stage: string]: readonly number[] }
    for (const name of stageNames) this.#keep(name, stages[name] ?? [])
    return result
  }

  own(): OwnFigures {
    const spread = (name: string): Spread => spreadOf(this.#stages.get(name) ?? [])
    return {
      cpu: this.#cpuMicros / 1_000 / this.#wallMs,
      loopP99: this.#loopP99,
      loopMax: this.#loopMax,
      total: spread('total'),
      durable: spread('durable'),
      venue: spread('venue'),
    }
  }

  #keep(name: string, more: readonly number[]): void {
    const kept = this.#stages.get(name) ?? []
    if (kept.length === 0) this.#stages.set(name, kept)
    kept.push(...more)
    kept.splice(0, kept.length - stagesKept)
  }
}
