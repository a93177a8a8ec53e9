import type { AccountEvent } from '../../core/account/accountEvent.ts'
import { LiquidationSigns } from '../../core/safety/liquidationSigns.ts'
import type { LiquidationSign } from '../../core/safety/liquidationSigns.ts'
import type { Address } from '../../core/values/address.ts'
import type { Coin } from '../../core/values/coin.ts'
import type { Alerts } from '../alerts.ts'
import type { Clock, Log } from '../ports.ts'
import type { Recorder } from '../recorder.ts'

interface ForcedChangesDeps {
  readonly clock: Clock
  readonly log: Log
  readonly alerts: Pick<Alerts, 'raise' | 'clear'>
  readonly recorder: Pick<Recorder, 'record'>
  readonly address: Address
}

/** How long the alert stands after the last sign. */
const lastsMs = 3_600_000
/** A liquidation comes in many pieces: an event is written for a coin at most this often. */
const tellEveryMs = 60_000

interface Told {
  /** When the last sign came, and when one was last written down, by the monotonic clock. */
  readonly lastMs: number
  readonly writtenMs: number
}

/** Tells people of positions that the venue changed by itself: an event, and an alert for an hour. */
export class ForcedChanges {
  private readonly deps: ForcedChangesDeps
  private readonly signs: LiquidationSigns
  private readonly heard = new Map<Coin | null, Told>()

  constructor(deps: ForcedChangesDeps) {
    this.deps = deps
    this.signs = new LiquidationSigns(deps.address)
  }

  /** The signs of a liquidation in an event, for people; each of them is told. */
  told(event: AccountEvent): readonly string[] {
    const signs = this.signs.told(event)
    for (const sign of signs) this.tell(sign)
    return signs.map(({ text }) => text)
  }

  tell({ coin, text }: LiquidationSign): void {
    const { alerts, clock, log, recorder } = this.deps
    const nowMs = clock.monotonicMs()
    const writtenMs = this.heard.get(coin)?.writtenMs ?? -Infinity
    const isWritten = nowMs - writtenMs < tellEveryMs
    this.heard.set(coin, { lastMs: nowMs, writtenMs: isWritten ? writtenMs : nowMs })
    alerts.raise('liquidated', text, clock.now(), coin)
    log.log('error', 'the venue changed a position by itself', { text })
    if (!isWritten) recorder.record({ kind: 'error', text }, 'ride')
  }

  tick(): void {
    const nowMs = this.deps.clock.monotonicMs()
    for (const [coin, { lastMs }] of this.heard) {
      if (nowMs - lastMs < lastsMs) continue
      this.heard.delete(coin)
      this.deps.alerts.clear('liquidated', coin)
    }
  }
}
