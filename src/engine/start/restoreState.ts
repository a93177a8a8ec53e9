import type { Account } from '../../core/account/account.ts'
import type { Millis } from '../../core/values/millis.ts'
import type { Latch } from '../watch/latch.ts'
import type { Outbox } from '../send/outbox.ts'
import type { VenueStream, WeightBudget } from '../ports.ts'
import type { Replayed } from './recovery.ts'
import { takeUpWeight } from './spentWeight.ts'
import type { UsedNonces } from '../request/usedNonces.ts'
import type { VenueClock } from '../venueClock.ts'
import { poolOf } from '../watch/accountReads.ts'
import type { BuilderDexes } from '../watch/dexes/builderDexes.ts'

interface RestoredParts {
  readonly account: Account
  readonly latch: Latch
  readonly nonces: UsedNonces
  readonly outbox: Outbox | null
  readonly budget: WeightBudget
  readonly stream: Pick<VenueStream, 'countEquityIn'>
  readonly dexes: Pick<BuilderDexes, 'restore' | 'lists'>
  readonly now: Millis
  readonly clock: VenueClock
}

/** Gives every part what an earlier run knew, before the first event of this one. */
export function restoreState(replayed: Replayed, parts: RestoredParts): void {
  const { account, latch, nonces, outbox, budget } = parts
  restoreVenue(replayed, parts)
  parts.dexes.lists.restore(replayed.endedAt)
  const { memory } = replayed
  if (memory !== null) {
    account.restoreRecord({ ...memory.account, twaps: [], names: [] })
    nonces.restore(memory.nonces)
  }
  const { cloids, plans, twaps, ownStops, covering, names } = replayed
  const promises = { plans, positions: [], own: ownStops, covering }
  account.restoreRecord({ sizes: {}, cloids, promises, twaps, names })
  for (const [client, nonce] of replayed.nonces) nonces.consume(client, nonce)
  for (const order of replayed.agentOrders) nonces.agentOrders.note(...order)
  if (replayed.unsavedAt !== null) doubtEarlierNonces(nonces, parts)
  outbox?.startAfter(replayed.lastNonce)
  takeUpWeight(replayed, budget, parts.clock)
  latch.restoreObeyed(replayed.obeyed)
  if (replayed.latch !== null) latch.restore(replayed.latch.reason, replayed.latch.at)
}

/**
 * Nonces up to the start of this run are in doubt. The start is first taken from the guessed clock,
 * and again once the venue's time is learned.
 */
function doubtEarlierNonces(nonces: UsedNonces, { clock, now }: RestoredParts): void {
  const beganMs = clock.monotonicMs()
  nonces.doubtUpTo(now)
  clock.whenLearned(() => {
    nonces.doubtUpTo(clock.now() - Math.trunc(clock.monotonicMs() - beganMs))
  })
}

/** Markets and mode as they were: what is held can be protected before the venue tells them again. */
function restoreVenue({ venue }: Replayed, { account, stream, now, dexes }: RestoredParts): void {
  if (venue === null) return
  dexes.restore(venue.markets, venue.dexes)
  account.apply({ kind: 'markets', markets: venue.markets, at: now })
  account.apply({ kind: 'mode', mode: venue.mode, at: now })
  stream.countEquityIn(poolOf(venue.mode))
}
