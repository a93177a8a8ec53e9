import type { Account } from '../../core/account/account.ts'
import type { Rules } from '../../core/rules/rules.ts'
import { marginFaults } from '../../core/safety/marginFaults.ts'
import type { MarginFault } from '../../core/safety/marginFaults.ts'
import type { Coin } from '../../core/values/coin.ts'
import type { Alerts } from '../alerts.ts'
import type { Clock } from '../ports.ts'
import type { Recorder } from '../recorder.ts'

interface MarginWatchDeps {
  readonly clock: Clock
  readonly account: Account
  readonly alerts: Alerts
  readonly recorder: Recorder
  readonly rulesFor: (client: null, coin: Coin) => Rules
}

/** What lasts this long is more than a setting whose position or stop is still on its way. */
const settledMs = 2_000
const codes = ['margin', 'liquidation'] as const

/** Tells of settings at the venue that make a rule untrue: an event when one begins, an alert while it lasts. */
export class MarginWatch {
  private readonly deps: MarginWatchDeps
  /** Since when, by the monotonic clock, and whether it was told. */
  private readonly since = new Map<string, { readonly sinceMs: number; isTold: boolean }>()

  constructor(deps: MarginWatchDeps) {
    this.deps = deps
  }

  tick(isSeen: boolean): void {
    const { account, alerts, rulesFor } = this.deps
    const faults = isSeen ? marginFaults(account, (coin) => rulesFor(null, coin)) : []
    const keys = new Set(faults.map(keyOf))
    for (const key of this.since.keys()) if (!keys.has(key)) this.since.delete(key)
    for (const code of codes) {
      const coins = faults.filter((fault) => fault.code === code).map(({ coin }) => coin)
      alerts.keepOnly(code, new Set<string>(coins))
    }
    for (const fault of faults) this.note(fault)
  }

  private note(fault: MarginFault): void {
    const { alerts, clock, recorder } = this.deps
    const nowMs = clock.monotonicMs()
    const known = this.since.get(keyOf(fault)) ?? { sinceMs: nowMs, isTold: false }
    this.since.set(keyOf(fault), known)
    if (nowMs - known.sinceMs < settledMs) return
    const { code, coin, text } = fault
    if (!known.isTold) recorder.record({ kind: 'error', text }, 'ride')
    known.isTold = true
    alerts.raise(code, text, clock.now(), coin)
  }
}

function keyOf({ code, coin }: MarginFault): string {
  return `${code} ${coin}`
}
