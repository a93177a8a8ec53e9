import type { Account } from '../../core/account/account.ts'
import type { Millis } from '../../core/values/millis.ts'
import type { Latch } from '../watch/latch.ts'
import type { Outbox } from '../send/outbox.ts'
import type { VenueStream, WeightBudget } from '../ports.ts'
import type { Replayed } from './recovery.ts'
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
    account.restoreRecord({ ...memory.account, twaps: [] })
    nonces.restore(memory.nonces)
  }
  const { cloids, plans, twaps, ownStops, covering } = replayed
  const promises = { plans, positions: [], own: ownStops, covering }
  account.restoreRecord({ sizes: {}, cloids, promises, twaps })
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

/**
 * The venue counts on over a restart. How long ago something was spent is known once the venue has
 * told its time: until then it counts as spent just now, however far the machine's clock has moved.
 */
function takeUpWeight(replayed: Replayed, budget: WeightBudget, clock: VenueClock): void {
  const { memory } = replayed
  const takeBack = takeUpSpent(replayed, budget, () => 0)
  clock.whenLearned(() => {
    takeBack()
    const agoMs = (at: Millis): number => Math.max(clock.now() - at, 0)
    takeUpSpent(replayed, budget, agoMs)
    if (memory !== null) budget.actedBefore(memory.weight.day, agoMs(memory.weight.at))
  })
}

/**
 * What the host's ledger knows of the last run is the whole of it, also where the state is older, as
 * after a restore. Else a run that wrote anything after its memory was last saved may have spent more.
 */
function takeUpSpent(
  { memory, unsavedAt }: Replayed,
  budget: WeightBudget,
  agoMs: (at: Millis) => number,
): () => void {
  const known = budget.knownBefore()
  if (known !== null) return budget.spentBefore(known.history, known.agoMs)
  const isUnsaved = unsavedAt !== null && unsavedAt > (memory?.weight.at ?? 0)
  const taken = [
    ...(memory === null
      ? []
      : [budget.spentBefore(memory.weight.history, agoMs(memory.weight.at))]),
    ...(isUnsaved ? [budget.spentBefore('unknown', agoMs(unsavedAt))] : []),
  ]
  return () => {
    for (const takeBack of taken) takeBack()
  }
}
