import type { Account } from '../../core/account/account.ts'
import type { Alerts } from '../alerts.ts'
import type { Clock, Log } from '../ports.ts'

interface MissedEventsDeps {
  readonly clock: Clock
  readonly log: Log
  readonly alerts: Alerts
  readonly account: Account
}

/** Finds what reads show and the stream had missed. */
export class MissedEvents {
  private readonly deps: MissedEventsDeps
  private missedBefore: readonly string[] = []

  constructor(deps: MissedEventsDeps) {
    this.deps = deps
  }

  /** Positions and orders as they are now. */
  glance(): ReadonlyMap<string, string> {
    const { account } = this.deps
    const seen = new Map<string, string>()
    for (const [coin, { size }] of account.positions) seen.set(`${coin} position`, size.toString())
    for (const coin of account.coinsWithOrders()) {
      for (const { oid } of account.ordersOf(coin)) seen.set(`${coin} order ${oid}`, 'open')
    }
    return seen
  }

  /** What changed by reading alone, twice in a row with nothing in flight, the stream had missed. */
  compare(before: ReadonlyMap<string, string>): void {
    const { account, alerts, clock, log } = this.deps
    const after = this.glance()
    const missed: string[] = []
    for (const name of new Set([...before.keys(), ...after.keys()])) {
      if (before.get(name) !== after.get(name)) missed.push(name)
    }
    if (missed.length > 0) {
      log.log('warn', 'a read showed what no event had', { missed: missed.slice(0, 20) })
    }
    const persists = account.inFlight === 0 && missed.length > 0 && this.missedBefore.length > 0
    if (persists) {
      const text = `reads keep finding what the stream did not show: ${missed.slice(0, 5).join(', ')}`
      alerts.raise('events_missed', text, clock.now())
    } else if (missed.length === 0) {
      alerts.clear('events_missed')
    }
    this.missedBefore = missed
  }
}
