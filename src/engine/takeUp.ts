import type { Account } from '../core/account/account.ts'
import type { Latch } from './latch.ts'
import type { Outbox } from './outbox.ts'
import type { RecordedStops } from './recordedStops.ts'
import type { Replayed } from './recovery.ts'
import type { UsedNonces } from './usedNonces.ts'

export interface TakenUp {
  readonly account: Account
  readonly latch: Latch
  readonly nonces: UsedNonces
  readonly outbox: Outbox | null
  readonly stops: RecordedStops
}

/** Gives every part what an earlier run knew, before the first event of this one. */
export function takeUp(replayed: Replayed, parts: TakenUp): void {
  const { account, latch, nonces, outbox, stops } = parts
  const { memory } = replayed
  if (memory !== null) {
    account.restoreRecord(memory.account)
    stops.restore(memory.stops)
    nonces.restore(memory.nonces)
  }
  account.restoreRecord({ sizes: {}, cloids: replayed.cloids })
  for (const stop of replayed.stops) stops.restoreEntry(stop)
  for (const [client, nonce] of replayed.nonces) nonces.consume(client, nonce)
  outbox?.startAfter(replayed.lastNonce)
  if (replayed.latch !== null) latch.restore(replayed.latch.reason, replayed.latch.at)
}
