import type { PositionView, TakenEntry, WatchedAccount } from '../account/accountView.ts'
import type { Action, Order, TwapCancelAction } from '../protocol/action.ts'
import type { CloidMint } from '../protocol/guardCloid.ts'
import type { Coin } from '../values/coin.ts'
import { limits } from '../values/limits.ts'
import type { Millis } from '../values/millis.ts'
import { isCrowded, ordersToClear } from '../venueLimits/openOrders.ts'
import { venueLimits } from '../venueLimits/venueLimits.ts'
import { batches } from './batches.ts'
import { closeOrders } from './closeOrder.ts'
import { freshPrices } from './freshPrice.ts'
import { coverlessOrders } from './planRoom.ts'
import type { RefusedTries } from './refusedTries.ts'
import { twapCancel, twapsToFlatten } from './twapsToCancel.ts'

/** A close or cancel that is in flight is left alone for this long; reduce-only cannot overshoot. */
export const flattenRetryMs = 3_000

/** Plans name coins in one fixed order. */
export function byCoin(left: PositionView, right: PositionView): number {
  return left.coin < right.coin ? -1 : 1
}

export interface FlattenInput {
  readonly account: WatchedAccount
  readonly now: Millis
  readonly mint: CloidMint
  /** What the venue refused of the closes so far. */
  readonly tries: RefusedTries
  /** Something of a coin (a close), or an order by its number (its cancel), waits after a failure. */
  readonly isHeld: (what: Coin | number) => boolean
  /**
   * The last cancel of an order had no answer, or one that did not end it: it goes again without waiting
   * for what that one may have done, and apart from others.
   */
  readonly isCancelLost: (oid: number) => boolean
  /** At most so many orders are cancelled in this round; apart from others, so many in each action. */
  readonly cancelsMax: number
  /** A TWAP's cancel is on its way, was taken, or waits after a failure. */
  readonly isTwapHeld: (id: number) => boolean
  readonly room: RoomForCloses
}

/** What is known of the room for closes among the account's open orders. */
interface RoomForCloses {
  /** The venue has refused a close because of too many orders, and none has gone since. */
  readonly isWanted: boolean
  /** Cancels are on their way and not answered yet. */
  readonly isBeingMade: boolean
  /** Orders that the venue has cancelled and the account still lists. */
  readonly cleared: number
}

export type FlattenStep =
  /** Before all else: a slice would open again what is closed. */
  | { readonly kind: 'twap'; readonly action: TwapCancelAction }
  | { readonly kind: 'cancel'; readonly action: Action & { readonly type: 'cancel' } }
  /** `coins` names the coin of each of its orders, by place. */
  | {
      readonly kind: 'close'
      readonly action: Action & { readonly type: 'order' }
      readonly coins: readonly Coin[]
    }

export interface FlattenPlan {
  /** In the order they go out: cancels of what could open a position, then the closes. */
  readonly steps: readonly FlattenStep[]
  readonly actions: readonly Action[]
  readonly coins: readonly Coin[]
  /** The coins of TWAPs that go once the venue has told their numbers. */
  readonly unnumbered: readonly Coin[]
  /** What could not be priced or done, for a person. */
  readonly problems: readonly string[]
  /** No position and no order that could open one: nothing is left to do. */
  readonly isFlat: boolean
}

interface PlanSoFar {
  readonly coins: Set<Coin>
  readonly unnumbered: Set<Coin>
  readonly problems: string[]
  isFlat: boolean
}

/** Everything that closes the account now; asked again until it is flat. Protective stops stay. */
export function planFlatten(input: FlattenInput): FlattenPlan {
  const draft: PlanSoFar = {
    ...{ coins: new Set(), unnumbered: new Set(), problems: [], isFlat: true },
  }
  const entries = planCancels(input, draft)
  const room = planRoom(input, draft, entries.length > 0)
  const leaving = [...entries, ...room.cancels]
  const cancels = cancelBatches(input, leaving)
  const closes = planCloses(input, draft, room.mustCome)
  const steps: FlattenStep[] = [
    ...planTwaps(input, draft),
    ...cancels.map((batch): FlattenStep => ({
      kind: 'cancel',
      action: { type: 'cancel', cancels: batch },
    })),
    ...closes,
  ]
  const { problems, isFlat } = draft
  return {
    ...{ steps, problems, isFlat },
    actions: steps.map(({ action }) => action),
    coins: [...draft.coins].sort(),
    unnumbered: [...draft.unnumbered].sort(),
  }
}

/** Every TWAP that could open a position goes, and what only waits for one to reduce. */
function planTwaps(
  { account, isTwapHeld }: FlattenInput,
  draft: PlanSoFar,
): readonly FlattenStep[] {
  return twapsToFlatten(account).flatMap(({ id, coin }) => {
    const market = account.market(coin)
    draft.isFlat = false
    if (id === null) {
      if (!draft.unnumbered.has(coin)) {
        draft.problems.push(
          `${coin}: a TWAP cannot be cancelled before the venue has told its number`,
        )
      }
      draft.unnumbered.add(coin)
      return []
    }
    if (market === null) {
      draft.problems.push(`${coin}: TWAP ${id} cannot be cancelled, the market is not listed`)
      return []
    }
    if (isTwapHeld(id)) return []
    draft.coins.add(coin)
    return [{ kind: 'twap', action: twapCancel(market.asset, id) }]
  })
}

type Cancels = readonly { readonly asset: number; readonly oid: number }[]

/** Every order that could open a position goes. */
function planCancels(input: FlattenInput, draft: PlanSoFar): Cancels {
  const { account } = input
  const cancels: { asset: number; oid: number }[] = []
  for (const { coin, oid } of openingOrders(account)) {
    draft.isFlat = false
    const market = account.market(coin)
    if (market === null) {
      draft.problems.push(`${coin}: order ${oid} cannot be cancelled, the market is not listed`)
    } else if (!isBeingCancelled(input, oid) && !input.isHeld(oid)) {
      draft.coins.add(coin)
      cancels.push({ asset: market.asset, oid })
    }
  }
  return cancels
}

/**
 * Cancels as they go out together. Those that were sent before and have no answer go apart, each by itself
 * or, where they are many, each coin's: one that never gets an answer keeps no other coin's order open.
 */
function cancelBatches(input: FlattenInput, cancels: Cancels): readonly Cancels[] {
  const { account, cancelsMax, isCancelLost } = input
  const isApart = ({ oid }: Cancels[number]): boolean =>
    isCancelLost(oid) || account.cancellingSince(oid) !== null
  const together = cancels.filter((cancel) => !isApart(cancel))
  const apart = cancels.filter(isApart)
  const isFew = apart.length <= limits.cancelsApartMax
  const groups = new Map<number, Cancels>()
  for (const cancel of apart) {
    const key = isFew ? cancel.oid : cancel.asset
    groups.set(key, [...(groups.get(key) ?? []), cancel])
  }
  return [together, ...groups.values()].flatMap((group) =>
    batches(group.slice(0, cancelsMax), limits.flattenBatchMax),
  )
}

/** Orders that could open a position: those that the venue shows, and those of which only its answer told. */
function openingOrders(account: WatchedAccount): readonly TakenEntry[] {
  const shown = [...account.coinsWithOrders()]
    .sort()
    .flatMap((coin) => account.ordersOf(coin).filter(({ isReduceOnly }) => !isReduceOnly))
  return [...shown, ...account.takenUnseen()]
}

interface Room {
  readonly cancels: Cancels
  /** Room is on its way: a close that went now would be refused. */
  readonly mustCome: boolean
}

/**
 * Where the venue has so many orders of the account that it would refuse every close, those that
 * cover nothing go first: what could open a position goes in any case, then as many others as
 * needed. Where none is left that may go the closes are tried all the same.
 */
function planRoom(input: FlattenInput, draft: PlanSoFar, areEntriesLeaving: boolean): Room {
  const { account, room } = input
  const open = account.openOrderCount - room.cleared
  if (account.positions.size === 0 || (!room.isWanted && !isCrowded(open, 1))) {
    return { cancels: [], mustCome: false }
  }
  if (room.isBeingMade) return { cancels: [], mustCome: true }
  const leaving = countEntries(account)
  // The venue counts more than Guard sees where it refused for a number that Guard does not have.
  const counted = Math.max(open - leaving, room.isWanted ? venueLimits.openOrders : 0)
  const wanted = ordersToClear(counted, account.positions.size)
  const chosen = coverlessOrders(account, Math.min(wanted, limits.roomRoundMax)).filter(
    ({ oid }) => !input.isHeld(oid),
  )
  for (const { coin } of chosen) draft.coins.add(coin)
  const mustCome = chosen.length > 0 || areEntriesLeaving
  if (!mustCome && leaving === 0) {
    draft.problems.push(
      `${account.openOrderCount} orders are open, the venue takes no close beside so many, and none of them may be cancelled`,
    )
  }
  return { cancels: chosen.map(({ asset, oid }) => ({ asset, oid })), mustCome }
}

/** Orders that could open a position, with the children that go with them. */
function countEntries(account: WatchedAccount): number {
  let count = 0
  for (const coin of account.coinsWithOrders()) {
    for (const { isReduceOnly, oid } of account.ordersOf(coin)) {
      if (!isReduceOnly || account.parentOf(oid) !== null) count += 1
    }
  }
  return count
}

/** A close of each position, in pieces that the venue takes. */
function planCloses(
  input: FlattenInput,
  draft: PlanSoFar,
  mustWait: boolean,
): readonly FlattenStep[] {
  const { account, mint, tries } = input
  const together: PlacedOrder[] = []
  const alone: PlacedOrder[][] = []
  for (const { coin, size } of [...account.positions.values()].sort(byCoin)) {
    draft.isFlat = false
    const market = account.market(coin)
    const mark = account.mark(coin)
    const { price } = freshPrices(account, coin)
    const words = tries.givenUp(coin, size)
    if (market === null || price === null) {
      const why = market === null ? 'the market is not listed' : 'there is no price for it'
      draft.problems.push(`${coin}: the position of ${size.toString()} cannot be closed, ${why}`)
    } else if (words !== null) {
      const what = `${coin}: the rest of ${size.toString()} is too small to be closed`
      draft.problems.push(`${what}, the venue says: ${words}`)
    } else if (!isWaiting(input, account.closingSince(coin)) && !input.isHeld(coin) && !mustWait) {
      draft.coins.add(coin)
      const { orders, left } = closeOrders(
        market,
        size,
        { price, mark, oracle: account.oracle(coin) },
        mint,
        tries.mannerOf(coin),
      )
      const placed = orders.map((order) => ({ coin, order }))
      // One that still has no answer by now may never get one, and would keep the others from theirs.
      const isAlone = tries.isAlone(coin) || account.closingSince(coin) !== null
      if (isAlone) alone.push(placed)
      else together.push(...placed)
      if (left.isPositive()) {
        draft.problems.push(`${coin}: ${left.toString()} of it does not fit into this round`)
      }
    }
  }
  return [...batches(together, limits.flattenBatchMax), ...alone].map(closeStep)
}

interface PlacedOrder {
  readonly coin: Coin
  readonly order: Order
}

function closeStep(placed: readonly PlacedOrder[]): FlattenStep {
  return {
    kind: 'close',
    action: {
      type: 'order',
      orders: placed.map(({ order }) => order),
      grouping: 'na',
      builder: null,
    },
    coins: placed.map(({ coin }) => coin),
  }
}

function isBeingCancelled(input: FlattenInput, oid: number): boolean {
  return !input.isCancelLost(oid) && isWaiting(input, input.account.cancellingSince(oid))
}

function isWaiting({ now }: FlattenInput, since: Millis | null): boolean {
  return since !== null && now - since < flattenRetryMs
}
