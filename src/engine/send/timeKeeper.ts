import { isObject } from '../../core/protocol/fields.ts'
import type { TimeRefusal } from '../../core/protocol/timeRefusal.ts'
import { dayMs } from '../../core/values/millis.ts'
import type { Millis } from '../../core/values/millis.ts'
import type { Alerts } from '../alerts.ts'
import type { Log, Timers, VenueHttp } from '../ports.ts'
import type { Recorder } from '../recorder.ts'
import type { VenueClock } from '../venueClock.ts'
import { spanInWords } from './spanInWords.ts'

interface TimeKeeperDeps {
  readonly clock: VenueClock
  readonly timers: Timers
  readonly log: Log
  readonly alerts: Alerts
  readonly recorder: Pick<Recorder, 'record'>
  readonly venue: Pick<VenueHttp, 'info'>
}

/** A machine's clock that is kept right by its network is within this of the venue's. */
const wrongMsMin = 2_000
/** A wrong clock that changes by less is the same trouble. */
const changeMsMin = 2_000
const tellEveryMs = 60_000
const askEveryMs = 1_000
const retryMs = 250
/** One more than the three agreeing answers that replace a wrong time. */
const asksAtOnce = 4

/** Asks the venue for its time where that is in doubt, and tells people of a machine's clock that is wrong. */
export class TimeKeeper {
  private readonly deps: TimeKeeperDeps
  /** By the monotonic clock. */
  private askedMs = -Infinity
  private toldMs = -Infinity
  private toldAheadMs = 0
  private asking: Promise<void> | null = null

  constructor(deps: TimeKeeperDeps) {
    this.deps = deps
  }

  /** Resolves once the venue's time is known, or Guard is stopped: nothing opens by a guess. */
  async learn(isStopped: () => boolean): Promise<void> {
    const { clock, timers } = this.deps
    const isOver = (): boolean => clock.isLearned || isStopped()
    while (!isOver()) {
      await this.ask()
      if (isOver()) return
      await new Promise<void>((resolve) => timers.after(retryMs, resolve))
    }
  }

  /** Asks until the answers settle it, a few times at most; one round at a time, whoever waits for it. */
  ask(): Promise<void> {
    this.askedMs = this.deps.clock.monotonicMs()
    this.asking ??= this.askSome().finally(() => {
      this.asking = null
    })
    return this.asking
  }

  /** The venue refused something by its clock: resolves once that is known better. */
  async learnFrom(refusal: TimeRefusal): Promise<void> {
    if (refusal.kind === 'nonce_too_high') this.deps.clock.prove(Math.max(refusal.most - dayMs, 0))
    else await this.ask()
  }

  tick(): void {
    const { clock } = this.deps
    if (clock.isInDoubt && clock.monotonicMs() - this.askedMs >= askEveryMs) {
      this.ask().catch(() => undefined)
    }
    this.watchMachine(clock.now())
  }

  private async askSome(): Promise<void> {
    const { clock, venue } = this.deps
    for (let asked = 0; asked < asksAtOnce; asked += 1) {
      const askedMs = clock.monotonicMs()
      const answer = await venue.info({ type: 'exchangeStatus' }, 'watch')
      if (!answer.ok || answer.value.status !== 200) return
      const { body } = answer.value
      const time = isObject(body) ? body['time'] : null
      if (typeof time !== 'number' || !Number.isSafeInteger(time) || time < 0) return
      clock.hear(time, askedMs)
      if (!clock.isInDoubt) return
    }
  }

  private watchMachine(now: Millis): void {
    const { clock, alerts, log, recorder } = this.deps
    if (!clock.isLearned) return
    const aheadMs = clock.machineAheadMs()
    if (Math.abs(aheadMs) < wrongMsMin) {
      alerts.clear('clock')
      this.toldAheadMs = 0
      return
    }
    const text =
      `the machine's clock is ${spanInWords(Math.abs(aheadMs))} ` +
      `${aheadMs > 0 ? 'ahead of' : 'behind'} the venue's time; Guard goes by the venue's`
    alerts.raise('clock', text, now)
    const nowMs = clock.monotonicMs()
    const isNew = Math.abs(aheadMs - this.toldAheadMs) >= changeMsMin
    if (!isNew || nowMs - this.toldMs < tellEveryMs) return
    this.toldMs = nowMs
    this.toldAheadMs = aheadMs
    log.log('warn', text)
    recorder.record({ kind: 'error', text }, 'ride')
  }
}
