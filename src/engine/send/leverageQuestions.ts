import { readLeverage } from './lookup.ts'
import type { LeverageSetting, LookupDeps } from './lookup.ts'
import type { Urgency } from '../ports.ts'

/** Reading a coin's leverage costs as much as ten orders: it is asked for at most this often. */
const everyMs = 8_000

interface Asked {
  readonly begunMs: number
  readonly setting: Promise<LeverageSetting>
}

/** What is set for each asset, asked once for all who want to know within a few seconds. */
export class LeverageQuestions {
  private readonly deps: LookupDeps
  private readonly asked = new Map<number, Asked>()

  constructor(deps: LookupDeps) {
    this.deps = deps
  }

  /** How long to wait until an answer can be had that was asked for after `sinceMs`. */
  waitMs(asset: number, sinceMs: number, nowMs: number): number {
    const last = this.last(asset, nowMs)
    return last === null || last.begunMs > sinceMs ? 0 : last.begunMs + everyMs - nowMs
  }

  /** The answer of the last few seconds, or a new one. */
  ask(asset: number, nowMs: number, lane: Urgency): Promise<LeverageSetting> {
    const last = this.last(asset, nowMs)
    if (last !== null) return last.setting
    const setting = readLeverage(this.deps, asset, lane).catch(
      (error: unknown): LeverageSetting => {
        return { kind: 'unreachable', error: String(error) }
      },
    )
    this.asked.set(asset, { begunMs: nowMs, setting })
    return setting
  }

  private last(asset: number, nowMs: number): Asked | null {
    const last = this.asked.get(asset)
    return last !== undefined && nowMs - last.begunMs < everyMs ? last : null
  }
}
