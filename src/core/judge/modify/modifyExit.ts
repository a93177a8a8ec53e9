import { CoveringStops } from '../../account/coveringStops.ts'
import type { Stop } from '../../account/stop.ts'
import { stopOf } from '../../account/orderLife.ts'
import { loosens } from '../../account/stopPromise.ts'
import type { Grouping, Order } from '../../protocol/action.ts'
import type { OpenOrder } from '../../protocol/venueState.ts'
import { err, ok } from '../../values/result.ts'
import type { Result } from '../../values/result.ts'
import type { Cloid } from '../../values/cloid.ts'
import type { Coin } from '../../values/coin.ts'
import type { Change } from '../changes.ts'
import { freshMid } from '../context.ts'
import type { JudgeInput } from '../decision.ts'
import { fittedStop, isMarketStop } from '../fitStop.ts'
import type { OrderIds } from '../orderIds.ts'
import { exitReservations } from '../orders/exitStep.ts'
import { step } from '../plan.ts'
import type { Step } from '../plan.ts'
import { refuse } from '../refusal.ts'
import type { Refusal } from '../refusal.ts'
import type { ModifyItem } from './modifyItem.ts'

/** A reduce-only order that is changed: by the venue's modify, or as a new order before a cancel. */
export interface ExitModify {
  readonly item: ModifyItem
  readonly order: Order & { readonly cloid: Cloid }
  readonly isReplaced: boolean
  readonly changes: readonly Change[]
  /** The stop it leaves on the venue, if it is one that covers. */
  readonly added: { readonly coin: Coin; readonly stop: Stop } | null
}

/** What a modify of a reduce-only order becomes; whether it may is judged by its result. */
export function exitModify(
  input: JudgeInput,
  ids: OrderIds,
  item: ModifyItem,
  alwaysPlace: boolean,
): Result<ExitModify, Refusal> {
  const { old, market } = item
  if (input.account.parentOf(old.oid) !== null) {
    return refuse(
      'invalid',
      `order ${old.oid} waits for its ${market.coin} entry and cannot be modified on its own; cancel the entry and place it again with the new stop or take profit`,
    )
  }
  const { order, changes } = fitted(item)
  const isReplaced = !isModified(input, item, alwaysPlace)
  const sent = { ...order, cloid: idOf(ids, item, isReplaced) }
  const stop = stopOf(asOpen(item, sent))
  const unseen = checkUnseen(input, old, stop)
  if (unseen !== null) return err(unseen)
  return ok({
    item,
    order: sent,
    isReplaced,
    changes,
    added: stop === null ? null : { coin: market.coin, stop },
  })
}

/** An order that is modified keeps its id; a new one beside the old has one of its own. */
function idOf(ids: OrderIds, { kept, name, old, order }: ModifyItem, isReplaced: boolean): Cloid {
  if (isReplaced) {
    return kept === null ? ids.of(order.cloid, name) : ids.keep(kept.called, name)
  }
  ids.giveBack(old.cloid)
  if (kept === null || kept.called === kept.id) {
    return ids.of(order.cloid ?? old.cloid, name)
  }
  return ids.keep(kept.called, name, kept.id)
}

/**
 * Until the positions have been seen nobody can tell which stops they need: each may only be tightened,
 * and Guard's own stay.
 */
function checkUnseen(input: JudgeInput, old: OpenOrder, stop: Stop | null): Refusal | null {
  const before = stopOf(old)
  if (input.account.venueTime !== null || before === null) return null
  const change = { removed: [before], added: stop === null ? [] : [stop] }
  const isKept = !loosens(new CoveringStops(!old.isBuy), change)
  if (isKept && before.owner === 'bot') return null
  const text = `the account has not been seen yet, so Guard cannot tell whether a position needs the stop ${old.oid} as it is`
  return { code: 'account_stale', text }
}

/**
 * Whether the venue modifies the order itself. It modifies no triggers, and without the flag `a` only
 * into an order that rests: anything else it would refuse once the old one is gone.
 */
function isModified(
  input: JudgeInput,
  { order, market }: ModifyItem,
  alwaysPlace: boolean,
): boolean {
  const { type, isBuy, price } = order
  if (type.kind === 'trigger') return false
  if (alwaysPlace || type.tif === 'Alo') return true
  const mid = freshMid(input, market.coin)
  if (type.tif !== 'Gtc' || mid === null) return false
  return isBuy ? price.lt(mid) : price.gt(mid)
}

/** A market stop goes on the grid and gets a tenth of room; anything else as it was sent. */
function fitted({ order, market }: ModifyItem): {
  readonly order: Order
  readonly changes: readonly Change[]
} {
  return isMarketStop(order) ? fittedStop(market, order) : { order, changes: [] }
}

/** The order as it would be listed once it rests. */
function asOpen(item: ModifyItem, order: Order): Parameters<typeof stopOf>[0] {
  const { type } = order
  const trigger =
    type.kind === 'limit'
      ? null
      : { price: type.triggerPrice, isMarket: type.isMarket, tpsl: type.tpsl }
  return { ...item.old, price: order.price, size: order.size, cloid: order.cloid, trigger }
}

interface PlaceStep {
  readonly place: Step
  readonly grouping: Grouping
}

/** The new order goes first, beside the old one. */
export function placeStep(input: JudgeInput, { item, order }: ExitModify): PlaceStep {
  const grouping: Grouping = item.old.isPositionTpsl ? 'positionTpsl' : 'na'
  const { kept } = item
  const reserved = exitReservations(input, order, 0, grouping)
  const place = step(
    { type: 'order', orders: [order], grouping, builder: null },
    kept === null ? reserved : reserved.map((each) => ({ ...each, name: kept.called })),
  )
  return { place, grouping }
}

/** The old order is cancelled once the venue has taken all that the modify relies on. */
export function cancelStep({ item }: ExitModify, needs: readonly Step[]): Step {
  const { old, market } = item
  return step(
    { type: 'cancel', cancels: [{ asset: market.asset, oid: old.oid }] },
    [{ kind: 'cancel', coin: market.coin, oid: old.oid, cloid: old.cloid }],
    needs,
  )
}
