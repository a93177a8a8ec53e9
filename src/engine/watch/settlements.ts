import type { AccountEvent } from '../../core/account/accountEvent.ts'
import type { FillGate } from '../../core/account/fillGate.ts'
import type { Struck } from '../../core/account/outlivedOrders.ts'
import { dexOf } from '../../core/protocol/coinKind.ts'
import { sizeInWords } from '../../core/account/ownRecord.ts'
import type { Markets } from '../../core/protocol/market.ts'
import type { SizeChange } from '../../core/safety/oddSights.ts'
import type { Coin } from '../../core/values/coin.ts'
import type { Alerts } from '../alerts.ts'
import type { Clock, Log } from '../ports.ts'
import type { Recorder } from '../recorder.ts'

interface SettlementsDeps {
  readonly clock: Clock
  readonly log: Log
  readonly alerts: Pick<Alerts, 'raise' | 'clear'>
  readonly recorder: Pick<Recorder, 'record'>
  /** As it is before what is told is applied to it. */
  readonly account: { readonly fills: Pick<FillGate, 'newsOf'> }
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
  /** What stands, and until when by the monotonic clock. */
  private readonly standing = new Map<Coin, { readonly what: string; readonly untilMs: number }>()
  /** The builder dexes that the venue has; null: not known yet. */
  private dexes: ReadonlySet<string> | null = null

  constructor(deps: SettlementsDeps) {
    this.deps = deps
  }

  told(event: AccountEvent): void {
    if (event.kind === 'markets') this.heardMarkets(event.markets)
    if (event.kind !== 'fills') return
    for (const fill of event.fills) {
      const { coin, size, isBuy, price, closedPnl } = fill
      const news = this.deps.account.fills.newsOf(fill)
      if (fill.isSettlement !== true || news === 'seen' || event.at - fill.at > newsMs) continue
      const was = sizeInWords(isBuy ? size.negated() : size)
      const result = `${closedPnl.isNegative() ? 'a loss' : 'a profit'} of ${closedPnl.abs().toString()}`
      const how = `was settled at the mark of ${price.toString()}, ${result}`
      this.tell(coin, `the position of ${was} ${how}`, news === 'new')
    }
  }

  /** A position on a builder dex that is gone, and no fill has told how; false where it is none. */
  gone({ coin, was, left }: SizeChange): boolean {
    if (dexOf(coin) === '' || !left.isZero()) return false
    this.tell(
      coin,
      `the position of ${sizeInWords(was)} was settled, and no fill tells at what price`,
    )
    return true
  }

  /** Guard's own order, decided on for what was settled, has met what somebody opened in its place. */
  struck({ coin, what, held, closed }: Struck): void {
    const { log, recorder } = this.deps
    const text = `${coin}: Guard's ${what} was on its way for a position that has ended, and has closed ${closed.toString()} of another one of ${sizeInWords(held)} that was opened elsewhere meanwhile`
    log.log('warn', 'an order of Guard met another position', { text })
    recorder.record({ kind: 'error', text }, 'ride')
  }

  /** A dex whose last perp has ended is told of otherwise than a market that its builder stopped. */
  private heardMarkets({ byCoin }: Markets): void {
    this.dexes = new Set([...byCoin.keys()].map(dexOf))
    const { alerts, clock } = this.deps
    for (const [coin, { what }] of this.standing) {
      alerts.raise('settled', this.textOf(coin, what), clock.now(), coin)
    }
  }

  private textOf(coin: Coin, what: string): string {
    const dex = dexOf(coin)
    const isGone = this.dexes?.has(dex) === false
    // Nothing tells when it is traded again: what is said of it has to stay true.
    return `${coin}: the dex ${dex} ${isGone ? 'is gone from the venue' : 'stopped trading it'}, and ${what}`
  }

  tick(): void {
    const nowMs = this.deps.clock.monotonicMs()
    for (const [coin, { untilMs }] of this.standing) {
      if (nowMs < untilMs) continue
      this.standing.delete(coin)
      this.deps.alerts.clear('settled', coin)
    }
  }

  /** What an earlier run has told people is shown again, and no more. */
  private tell(coin: Coin, what: string, isNew = true): void {
    const { alerts, clock, log, recorder } = this.deps
    const text = this.textOf(coin, what)
    this.standing.set(coin, { what, untilMs: clock.monotonicMs() + lastsMs })
    alerts.raise('settled', text, clock.now(), coin)
    if (!isNew) return
    log.log('warn', 'a builder dex settled a position', { text })
    recorder.record({ kind: 'error', text }, 'ride')
  }
}
