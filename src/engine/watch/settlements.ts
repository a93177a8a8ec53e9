import type { AccountEvent } from '../../core/account/accountEvent.ts'
import { RecentMap } from '../../core/account/recentMap.ts'
import { dexOf } from '../../core/protocol/coinKind.ts'
import { sizeInWords } from '../../core/account/ownRecord.ts'
import type { SizeChange } from '../../core/safety/oddSights.ts'
import type { Coin } from '../../core/values/coin.ts'
import { limits } from '../../core/values/limits.ts'
import type { Alerts } from '../alerts.ts'
import type { Clock, Log } from '../ports.ts'
import type { Recorder } from '../recorder.ts'

interface SettlementsDeps {
  readonly clock: Clock
  readonly log: Log
  readonly alerts: Pick<Alerts, 'raise' | 'clear'>
  readonly recorder: Pick<Recorder, 'record'>
}

/** How long the alert stands. */
const lastsMs = 3_600_000
/** What is older is history. */
const newsMs = 600_000

/**
 * Builders halt and delist their markets at any time: every order there ends, and every position at
 * the mark, whatever stop it had. People are told what it was: no liquidation, and nobody's order.
 */
export class Settlements {
  private readonly deps: SettlementsDeps
  private readonly seen = new RecentMap<string, true>(limits.liquidationSignsMax)
  /** Until when each alert stands, by the monotonic clock. */
  private readonly until = new Map<Coin, number>()

  constructor(deps: SettlementsDeps) {
    this.deps = deps
  }

  told(event: AccountEvent): void {
    if (event.kind !== 'fills') return
    for (const { coin, size, isBuy, price, closedPnl, tid, oid, at, isSettlement } of event.fills) {
      const id = `${tid}:${oid}`
      if (isSettlement !== true || this.seen.has(id)) continue
      this.seen.set(id, true)
      if (event.at - at > newsMs) continue
      const was = sizeInWords(isBuy ? size.negated() : size)
      const result = `${closedPnl.isNegative() ? 'a loss' : 'a profit'} of ${closedPnl.abs().toString()}`
      const how = `was settled at the mark of ${price.toString()}, ${result}`
      this.tell(coin, `${coin}: trading there was halted, and the position of ${was} ${how}`)
    }
  }

  /** A position on a builder dex that is gone, and no fill has told how; false where it is none. */
  gone({ coin, was, left }: SizeChange): boolean {
    if (dexOf(coin) === '' || !left.isZero()) return false
    const text = `${coin}: the position of ${sizeInWords(was)} is gone without a fill: the dex has settled it`
    this.tell(coin, text)
    return true
  }

  tick(): void {
    const nowMs = this.deps.clock.monotonicMs()
    for (const [coin, untilMs] of this.until) {
      if (nowMs < untilMs) continue
      this.until.delete(coin)
      this.deps.alerts.clear('settled', coin)
    }
  }

  private tell(coin: Coin, text: string): void {
    const { alerts, clock, log, recorder } = this.deps
    this.until.set(coin, clock.monotonicMs() + lastsMs)
    alerts.raise('settled', text, clock.now(), coin)
    log.log('warn', 'a builder dex settled a position', { text })
    recorder.record({ kind: 'error', text }, 'ride')
  }
}
