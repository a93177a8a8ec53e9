import type { Millis } from '../core/values/millis.ts'
import type { AlertView } from './statusView.ts'

/** What a person should know, for as long as it lasts: raised once, cleared when it is over. */
export class Alerts {
  private readonly active = new Map<string, AlertView>()

  /** The same code and coin keep their `since_ms`; the text follows the situation. */
  raise(code: string, text: string, now: Millis, coin: string | null = null): void {
    const key = keyOf(code, coin)
    const since = this.active.get(key)?.since_ms ?? now
    this.active.set(key, { code, text, since_ms: since, ...(coin === null ? {} : { coin }) })
  }

  clear(code: string, coin: string | null = null): void {
    this.active.delete(keyOf(code, coin))
  }

  /** Clears every alert of this code whose coin is not among those named. */
  keepOnly(code: string, coins: ReadonlySet<string>): void {
    for (const [key, alert] of this.active) {
      if (alert.code === code && !coins.has(alert.coin ?? '')) this.active.delete(key)
    }
  }

  has(code: string, coin: string | null = null): boolean {
    return this.active.has(keyOf(code, coin))
  }

  list(): readonly AlertView[] {
    return [...this.active.values()].sort((a, b) => a.since_ms - b.since_ms)
  }
}

function keyOf(code: string, coin: string | null): string {
  return `${code}\u0000${coin ?? ''}`
}
