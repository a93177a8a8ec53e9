import { isOtherBoot } from './hostProcess.ts'
import type { Sight } from './hostProcess.ts'
import { readSpent } from './ledgerRow.ts'
import type { LedgerRow } from './ledgerRow.ts'
import type { Sharer } from './weightShares.ts'

/** Where the system does not say whether a process lives, one that was heard of this lately does. */
const heardMs = 5_000

/** Whether a Guard of the ledger runs, has stopped, or is gone without a word. */
export function lifeOf(row: LedgerRow, sight: Sight, nowMs: number): Sharer['life'] {
  if (row.running === 0) return 'stopped'
  const told = { pid: row.pid, started: row.pid_started, space: row.pid_space, boot: row.boot }
  const isAlive = sight.isRunning(told) ?? isHeard(row, nowMs)
  return isAlive ? 'live' : 'gone'
}

/** Whether it has lately renewed its lease, which a process that is frozen or cut off does not. */
export function isHeard({ lease_ends_ms }: LedgerRow, nowMs: number): boolean {
  return nowMs - lease_ends_ms < heardMs
}

/** Times ahead of the monotonic clock are of before the machine last started; needed where no id says so. */
function isAhead({ spent_at_ms, lease_ends_ms }: LedgerRow, nowMs: number): boolean {
  return spent_at_ms > nowMs + aheadMs || lease_ends_ms > nowMs + 2 * aheadMs
}

const aheadMs = 10_000

/** A row as the weight is dealt out by it; `wallMs` is UTC epoch milliseconds. */
export function sharerOf(row: LedgerRow, sight: Sight, nowMs: number, wallMs: number): Sharer {
  const isOfThisBoot = !isOtherBoot(row.boot, sight.own.boot) && !isAhead(row, nowMs)
  return {
    joined: row.joined,
    life: isOfThisBoot ? lifeOf(row, sight, nowMs) : 'stopped',
    goneAtMs: row.gone_at_ms,
    limit: row.weight_limit,
    floor: row.weight_floor,
    share: row.weight_share,
    leaseEndsMs: row.lease_ends_ms,
    // The monotonic clock began anew with the machine: of before it the wall clock has to tell.
    spentAtMs: isOfThisBoot ? row.spent_at_ms : nowMs - Math.max(wallMs - row.last_seen_ms, 0),
    spent: readSpent(row.spent),
  }
}
