import type { Millis } from '../core/values/millis.ts'

const firstMs = 250
const mostMs = 5_000

/** When something that failed may be tried again: at once the first time, then ever later. */
export class Backoff {
  private readonly byKey = new Map<string, { readonly waitMs: number; readonly until: number }>()

  mayTry(key: string, now: Millis): boolean {
    return now >= (this.byKey.get(key)?.until ?? 0)
  }

  failed(key: string, now: Millis): number {
    const before = this.byKey.get(key)?.waitMs
    const waitMs = before === undefined ? firstMs : Math.min(mostMs, before * 2)
    this.byKey.set(key, { waitMs, until: now + waitMs })
    return waitMs
  }

  reset(key: string): void {
    this.byKey.delete(key)
  }

  clear(): void {
    this.byKey.clear()
  }
}
