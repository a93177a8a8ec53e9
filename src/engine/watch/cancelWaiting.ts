import type { Account } from '../../core/account/account.ts'
import type { Action } from '../../core/protocol/action.ts'
import { encodeAction } from '../../core/protocol/encodeAction.ts'
import { waitingEntries } from '../../core/safety/entriesToCancel.ts'
import { flattenRetryMs } from '../../core/safety/planFlatten.ts'
import { twapCancel, unstartedTwaps } from '../../core/safety/twapsToCancel.ts'
import type { Coin } from '../../core/values/coin.ts'
import { limits } from '../../core/values/limits.ts'
import { shifted } from '../../core/values/millis.ts'
import type { Millis } from '../../core/values/millis.ts'
import type { Clock, Timers } from '../ports.ts'
import { waitWhile } from '../runningTasks.ts'
import type { SafetySender } from '../send/safetySender.ts'

interface CancelWaitingDeps {
  readonly clock: Clock
  readonly timers: Timers
  readonly account: Account
  /** Null in paper mode. */
  readonly sender: Pick<SafetySender, 'send'> | null
  /** Asks the venue which TWAPs run: only its list shows that a cancelled one has ended. */
  readonly listTwaps: () => void
  /** Asks the venue for numbers of TWAPs that nobody has told yet. */
  readonly findTwaps: () => void
}

/** Every so many milliseconds entries are cancelled whose cancel failed, or that are new since. */
const againMs = 500

/**
 * Cancels every entry whose stop only Guard would place, because it waits for a trigger or has fired
 * and rests, and every TWAP that no slice of has filled: filled while Guard is away, it would have none.
 * Waits until the venue shows none of them and every position is covered, since one may have
 * fired before its cancel came; for `mostMs` at most.
 */
export async function cancelWaiting(deps: CancelWaitingDeps, mostMs: number): Promise<void> {
  const { account, clock, sender } = deps
  if (sender === null || !isAnyWaiting(account)) return
  const isOpen = (): boolean =>
    isAnyWaiting(account) || account.exposure().uncoveredPositions.length > 0
  const until = clock.monotonicMs() + mostMs
  while (isOpen() && clock.monotonicMs() < until) {
    sendCancels(deps, sender, shifted(clock.now(), -flattenRetryMs))
    const missing = numbersMissing(account)
    if (missing > 0) deps.findTwaps()
    const isWaiting = (): boolean => isOpen() && numbersMissing(account) >= missing
    await waitWhile(deps, isWaiting, Math.min(againMs, until - clock.monotonicMs()))
  }
}

function isAnyWaiting(account: Account): boolean {
  return account.waitingValues().length > 0 || unstartedTwaps(account).length > 0
}

/** How many of them cannot be cancelled, because the venue has not told their numbers. */
function numbersMissing(account: Account): number {
  return unstartedTwaps(account).filter(({ id }) => id === null).length
}

function sendCancels(
  { account, listTwaps }: CancelWaitingDeps,
  sender: Pick<SafetySender, 'send'>,
  since: Millis,
): void {
  const waiting = account.waitingValues().map(({ coin }) => coin)
  const twaps = unstartedTwaps(account)
  const actions = [
    ...twaps.flatMap(({ coin, id }) => twapCancelOn(account, coin, id)),
    ...waiting.flatMap((coin) => cancelsOn(account, coin, since)),
  ]
  const coins = [...new Set([...waiting, ...twaps.map(({ coin }) => coin)])]
  if (actions.length === 0) return
  const problems = ['entries whose stop only Guard would place are cancelled: Guard stops']
  const body = { coins, actions: actions.map(encodeAction), problems, tries: [], sent: true }
  const run = sender.send({ kind: 'protect', ...body }, actions, (place, result) => {
    // Only a list shows that it is over.
    if (actions[place]?.type === 'twapCancel' && result.kind === 'answered') listTwaps()
  })
  run.results.catch(() => undefined)
}

function cancelsOn(account: Account, coin: Coin, since: Millis): readonly Action[] {
  const asset = account.market(coin)?.asset
  const oids = waitingEntries(account, coin, since).slice(0, limits.flattenBatchMax)
  if (asset === undefined || oids.length === 0) return []
  return [{ type: 'cancel', cancels: oids.map((oid) => ({ asset, oid })) }]
}

function twapCancelOn(account: Account, coin: Coin, id: number | null): readonly Action[] {
  const asset = account.market(coin)?.asset
  return asset === undefined || id === null ? [] : [twapCancel(asset, id)]
}
