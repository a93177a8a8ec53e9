import type { Account } from '../../core/account/account.ts'
import type { AccountEvent } from '../../core/account/accountEvent.ts'
import type { RiskEngine } from '../../core/safety/riskEngine.ts'
import type { Log } from '../ports.ts'
import type { VenueClock } from '../venueClock.ts'

interface ClockFollowers {
  readonly account: Pick<Account, 'clockStepped'>
  readonly risk: Pick<RiskEngine, 'clockStepped' | 'isTimeKnown'>
  readonly log: Log
}

/** Whoever keeps times is told when the clock is set; the risk engine's days wait for a known time. */
export function followClock(clock: VenueClock, { account, risk, log }: ClockFollowers): void {
  risk.isTimeKnown = clock.isLearned
  clock.follow((ms) => {
    risk.isTimeKnown = true
    if (ms === 0) return
    log.log('warn', "the venue's time is another one than assumed", { ms })
    account.clockStepped(ms)
    risk.clockStepped(ms)
  })
}

/**
 * An event as it counts: a state tells the venue's time, and where that has just set the clock, it
 * came now, and not when the old time said.
 */
export function timedEvent(clock: VenueClock, event: AccountEvent): AccountEvent {
  if (event.kind === 'state') clock.hear(event.state.time, null)
  const now = clock.now()
  return event.kind === 'state' || event.at > now ? { ...event, at: now } : event
}
