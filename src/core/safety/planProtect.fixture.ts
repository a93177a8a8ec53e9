import type { Account } from '../account/account.ts'
import { fixtureNow } from '../account/account.fixture.ts'
import { Decimal } from '../values/decimal.ts'
import { countingMint } from './mint.fixture.ts'
import { planProtect } from './planProtect.ts'
import type { ProtectInput, ProtectPlan } from './planProtect.ts'

/** What protects an account at a stop distance of 2%, with nothing recorded unless given. */
export function plan(account: Account, input: Partial<ProtectInput> = {}): ProtectPlan {
  return planProtect({
    account,
    now: fixtureNow,
    stopDistance: () => Decimal.of('0.02'),
    recordedStops: new Map(),
    promises: new Map(),
    refusedStops: new Set(),
    mayWait: () => true,
    mayTwap: () => true,
    isTwapHeld: () => false,
    isFillAwaited: () => false,
    stopLostAt: () => null,
    endedSince: (coin, isLong) => account.endedSince(coin, isLong),
    riskLeft: () => Decimal.of('1000000'),
    mint: countingMint(),
    ...input,
  })
}
