import type { Account } from '../../core/account/account.ts'
import type { TwapView } from '../../core/account/accountView.ts'
import type { Action } from '../../core/protocol/action.ts'
import { encodeAction } from '../../core/protocol/encodeAction.ts'
import { waitingEntries } from '../../core/safety/entriesToCancel.ts'
import { flattenRetryMs } from '../../core/safety/planFlatten.ts'
import { twapCancel, unstartedTwaps } from '../../core/safety/twapsToCancel.ts'
import type { Coin } from '../../core/values/coin.ts'
import { limits } from '../../core/values/limits.ts'
import { shifted } from '../../core/values/millis.ts'
import { Backoff } from '../backoff.ts'
import type { Clock, Timers } from '../ports.ts'
import { waitWhile } from '../runningTasks.ts'
import type { ActionResult } from '../send/dispatcher.ts'
import { answeredBy, isDone } from '../send/itemOutcomes.ts'
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

/** Every so many milliseconds entries are looked for whose cancel failed, or that no cancel has named yet. */
const againMs = 250

/** What a slice of a TWAP filled before the venue said that it is over is told within this. */
const slicesToldMs = 1_000

/**
 * Cancels every entry whose stop only Guard would place, because it waits for a trigger or has fired
 * and rests, and every TWAP that no slice of has filled: filled while Guard is away, it would have none.
 * Waits until the venue shows none of them, or has said of a TWAP that it is over, and every position is
 * covered, since one may have fired before its cancel came; for `mostMs` at most. Returns what is left
 * of the TWAPs.
 */
export async function cancelWaiting(
  deps: CancelWaitingDeps,
  mostMs: number,
): Promise<readonly TwapView[]> {
  const { account, clock, sender } = deps
  const tries: Tries = { pauses: new Backoff(clock), failed: new Set(), over: new Map() }
  const left = (): readonly TwapView[] => runningTwaps(account, tries)
  if (sender === null) return left()
  const isOpen = (): boolean =>
    account.waitingValues().length > 0 ||
    left().length > 0 ||
    [...tries.over.values()].some((overMs) => clock.monotonicMs() - overMs < slicesToldMs) ||
    account.exposure().uncoveredPositions.length > 0
  if (account.waitingValues().length === 0 && left().length === 0) return []
  const until = clock.monotonicMs() + mostMs
  while (isOpen() && clock.monotonicMs() < until) {
    sendCancels(deps, sender, tries)
    const missing = numbersMissing(account)
    if (missing > 0) deps.findTwaps()
    const isWaiting = (): boolean => isOpen() && numbersMissing(account) >= missing
    await waitWhile(deps, isWaiting, Math.min(againMs, until - clock.monotonicMs()))
  }
  return left()
}

/** TWAPs that may still begin, as far as the venue has not answered a cancel that they are over. */
function runningTwaps(account: Account, { over }: Pick<Tries, 'over'>): readonly TwapView[] {
  return unstartedTwaps(account).filter(({ id }) => id === null || !over.has(id))
}

/** How many of them cannot be cancelled, because the venue has not told their numbers. */
function numbersMissing(account: Account): number {
  return unstartedTwaps(account).filter(({ id }) => id === null).length
}

/** How often cancels were tried so far, and what came of it. */
interface Tries {
  /** When what was tried may be tried again, by `order:NUMBER` or `twap:NUMBER`: soon, then ever later. */
  readonly pauses: Backoff
  /** The numbers of orders whose last cancel was refused, not sent, or had no answer that can be read. */
  readonly failed: Set<number>
  /** TWAPs of which the venue said that they are cancelled, or were over before: since when. */
  readonly over: Map<number, number>
}

function sendCancels(
  deps: CancelWaitingDeps,
  sender: Pick<SafetySender, 'send'>,
  tries: Tries,
): void {
  const { account, clock, listTwaps } = deps
  const waiting = account.waitingValues().map(({ coin }) => coin)
  const twaps = runningTwaps(account, tries).filter(({ id }) => tries.pauses.mayTry(`twap:${id}`))
  const actions = [
    ...twaps.flatMap(({ coin, id }) => twapCancelOn(account, coin, id)),
    ...waiting.flatMap((coin) => cancelsOn(deps, coin, tries)),
  ]
  const coins = [...new Set([...waiting, ...twaps.map(({ coin }) => coin)])]
  if (actions.length === 0) return
  for (const { id } of twaps) tries.pauses.failed(`twap:${id}`)
  const problems = ['entries whose stop only Guard would place are cancelled: Guard stops']
  const body = { coins, actions: actions.map(encodeAction), problems, tries: [], sent: true }
  const run = sender.send({ kind: 'protect', ...body }, actions, (place, result) => {
    const action = actions[place] as Action
    if (action.type === 'twapCancel') {
      if (isDone(answeredBy(action, result), 0)) tries.over.set(action.twapId, clock.monotonicMs())
      if (result.kind === 'answered') listTwaps()
    }
    if (action.type === 'cancel') learnCancels(action, result, tries)
  })
  run.results.catch(() => undefined)
}

function learnCancels(
  action: Action & { readonly type: 'cancel' },
  result: ActionResult,
  { pauses, failed }: Tries,
): void {
  const answered = answeredBy(action, result)
  action.cancels.forEach(({ oid }, place) => {
    if (isDone(answered, place)) return
    failed.add(oid)
    pauses.failed(`order:${oid}`)
  })
}

/**
 * Cancels for those entries of a coin that none is on its way for. One that failed goes again after its
 * pause; one that was sent `flattenRetryMs` ago and has no answer yet may be lost, and goes again too.
 */
function cancelsOn(
  { account, clock }: CancelWaitingDeps,
  coin: Coin,
  { pauses, failed }: Tries,
): readonly Action[] {
  const asset = account.market(coin)?.asset
  const now = clock.now()
  const notOnItsWay = new Set(waitingEntries(account, coin, shifted(now, -flattenRetryMs)))
  const due = waitingEntries(account, coin, now).filter((oid) =>
    failed.has(oid) ? pauses.mayTry(`order:${oid}`) : notOnItsWay.has(oid),
  )
  const oids = due.slice(0, limits.flattenBatchMax)
  if (asset === undefined || oids.length === 0) return []
  for (const oid of oids) failed.delete(oid)
  return [{ type: 'cancel', cancels: oids.map((oid) => ({ asset, oid })) }]
}

function twapCancelOn(account: Account, coin: Coin, id: number | null): readonly Action[] {
  const asset = account.market(coin)?.asset
  return asset === undefined || id === null ? [] : [twapCancel(asset, id)]
}
