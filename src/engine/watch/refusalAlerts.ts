import type { Coin } from '../../core/values/coin.ts'
import { limits } from '../../core/values/limits.ts'
import type { Alerts } from '../alerts.ts'
import type { Clock } from '../ports.ts'
import type { Recorder } from '../recorder.ts'

interface RefusalAlertsDeps {
  readonly clock: Clock
  readonly alerts: Alerts
  readonly recorder: Recorder
}

/** The same words about the same coins are told again after this long, while they last. */
const tellEveryMs = 60_000

/**
 * Tells a person that the venue refuses a close, a stop or a bot's exit: an `error` event in its words, and an
 * alert on the coin for as long as it lasts.
 */
export class RefusalAlerts {
  private readonly deps: RefusalAlertsDeps
  private readonly what: 'close' | 'stop' | 'exit'
  /** When each was last told, by the monotonic clock. */
  private readonly toldMs = new Map<string, number>()

  constructor(deps: RefusalAlertsDeps, what: 'close' | 'stop' | 'exit') {
    this.deps = deps
    this.what = what
  }

  refused(coins: readonly Coin[], text: string): void {
    const { alerts, clock, recorder } = this.deps
    const names = [...new Set(coins)].sort()
    for (const coin of names) {
      const said = `${coin}: the venue refuses its ${this.what}: ${text}`
      alerts.raise(`${this.what}_refused`, said, clock.now(), coin)
    }
    const key = `${names.join(',')} ${text}`
    const nowMs = clock.monotonicMs()
    if (nowMs - (this.toldMs.get(key) ?? -Infinity) < tellEveryMs) return
    if (this.toldMs.size >= limits.refusalsToldMax) this.toldMs.clear()
    this.toldMs.set(key, nowMs)
    const what = this.what === 'exit' ? "a bot's exit" : `a ${this.what}`
    recorder.record({ kind: 'error', text: `${what} was refused: ${text}` }, 'ride')
  }

  taken(coin: Coin): void {
    this.deps.alerts.clear(`${this.what}_refused`, coin)
  }

  /** What is said of a coin ends with its position. */
  keepOnly(coins: ReadonlySet<string>): void {
    this.deps.alerts.keepOnly(`${this.what}_refused`, coins)
    if (coins.size === 0) this.toldMs.clear()
  }
}
