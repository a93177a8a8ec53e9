import type { Reservation } from '../../account/reservation.ts'
import type { Builder, Grouping, Order } from '../../protocol/action.ts'
import type { Cloid } from '../../values/cloid.ts'
import { Decimal } from '../../values/decimal.ts'
import { change } from '../changes.ts'
import type { Change } from '../changes.ts'
import { isAccountFresh, marketOf } from '../context.ts'
import type { ExitDecision, JudgeInput } from '../decision.ts'
import type { AccountWithRequest } from '../accountWithRequest.ts'
import { fittedStop, isMarketStop } from '../fitStop.ts'
import type { OrderIds } from '../orderIds.ts'
import { step } from '../plan.ts'
import type { Step } from '../plan.ts'
import type { Refusal } from '../refusal.ts'
import { mayRest, reservedOrder } from '../reserve.ts'
import { exitPieces } from './exitPieces.ts'
import { MissingCover } from './missingCover.ts'
import { heldAgainst, positionOf } from './sortOrders.ts'
import type { ExitOrder } from './sortOrders.ts'

export interface Exits {
  /** Null when nothing of them goes. */
  readonly step: Step | null
  /** The orders that go, as they go, with their places in the bot's list. */
  readonly sent: readonly { readonly at: number; readonly order: Order }[]
  readonly refused: readonly { readonly at: number; readonly refusal: Refusal }[]
  readonly sizes: readonly ExitDecision[]
  readonly changes: readonly Change[]
}

/** What is paid beside the venue's own fees; null: nothing. */
interface ExitFees {
  readonly builder: Builder | null
  readonly priority: number | null
}

/** What can only reduce goes as one action, as sent but for what keeps it from ever opening. */
export function exitStep(
  input: JudgeInput,
  draft: AccountWithRequest,
  exits: readonly ExitOrder[],
  grouping: Grouping,
  { builder, priority }: ExitFees,
  ids: OrderIds,
): Exits {
  const changes: Change[] = []
  const sent: { at: number; order: Order & { cloid: Cloid } }[] = []
  const refused: { at: number; refusal: Refusal }[] = []
  const sizes: ExitDecision[] = []
  const reservations: Reservation[] = []
  const crowd = checkRoom(input, draft, exits, grouping)
  for (const exit of exits) {
    const { at } = exit
    const requestedSize = exit.order.size
    const refusal = crowd(exit.order)
    if (refusal !== null) {
      refused.push({ at, refusal })
      sizes.push({ at, requestedSize, size: Decimal.zero, code: refusal.code })
      continue
    }
    const changed = changedExit(input, exit, grouping)
    // An exit never waits for an id: where another order has it, Guard gives it one of its own.
    const cloid = ids.of(exit.order.cloid, `orders[${at}]`)
    const split = exitPieces(input, changed.order, `orders[${at}]`)
    const made = [...changed.changes, ...split.changes]
    changes.push(...made)
    for (const [place, size] of split.sizes.entries()) {
      const order = { ...changed.order, size, cloid: place === 0 ? cloid : ids.fresh() }
      reservations.push(...exitReservations(input, order, sent.length, grouping))
      sent.push({ at, order })
    }
    const size = split.sizes.reduce((sum, each) => sum.plus(each))
    const isRenamed = exit.order.cloid !== null && cloid !== exit.order.cloid
    const isChanged = isRenamed || made.length > 0
    sizes.push({ at, requestedSize, size, code: isChanged ? 'resized' : 'allowed' })
  }
  const orders = sent.map(({ order }) => order)
  const priorityFee = priority === null ? {} : { priorityFee: priority }
  const action = { type: 'order', orders, grouping, builder, ...priorityFee } as const
  const all = sent.length === 0 ? null : step(action, reservations)
  return { step: all, sent, refused, sizes, changes }
}

/**
 * At `max_open_orders` nothing that rests is added but a market stop that adds cover; what is
 * immediate always passes. A group goes whole or not at all.
 */
function checkRoom(
  input: JudgeInput,
  draft: AccountWithRequest,
  exits: readonly ExitOrder[],
  grouping: Grouping,
): (order: Order) => Refusal | null {
  const most = input.rulesFor(input.client, null).maxOpenOrders
  const covering = new MissingCover(input)
  const check = (order: Order): Refusal | null => {
    if (!mayRest(order)) return null
    if (draft.orderCount >= most && !covering.takes(order)) return tooMany(draft, most)
    draft.addResting()
    return null
  }
  if (grouping === 'na') return check
  const [refusal] = exits.flatMap(({ order }) => check(order) ?? [])
  return () => refusal ?? null
}

function tooMany(draft: AccountWithRequest, most: number): Refusal {
  return {
    code: 'too_many_orders',
    text: `the account has ${draft.orderCount} orders open or on their way; max_open_orders is ${most}, and only what fills at once or a stop that adds cover still goes`,
  }
}

interface ChangedExit {
  readonly order: Order
  readonly changes: readonly Change[]
}

function changedExit(input: JudgeInput, exit: ExitOrder, grouping: Grouping): ChangedExit {
  const { order } = exit
  if (isMarketStop(order)) return widenedStop(input, order)
  const name = `orders[${exit.at}]`
  const cut = cutToPosition(input, exit, grouping, name)
  if (exit.kind === 'reducing') return cut
  const text = `${name} closes a position and goes as reduce-only, so that it can never open one`
  const flagged = change(text, 'reduce_only', 'false', 'true', 'closing')
  return { order: { ...cut.order, isReduceOnly: true }, changes: [...cut.changes, flagged] }
}

/** A stop with too little room may trigger and not fill: it gets a tenth, as one in a group does. */
function widenedStop(input: JudgeInput, order: Parameters<typeof fittedStop>[1]): ChangedExit {
  const market = marketOf(input, order.asset)
  if (market === null || !order.price.isPositive()) return { order, changes: [] }
  return fittedStop(market, order)
}

/** An order that is larger than the position is cut to it. */
function cutToPosition(
  input: JudgeInput,
  { order, kind }: ExitOrder,
  grouping: Grouping,
  name: string,
): ChangedExit {
  const asSent = { order, changes: [] }
  const against = heldAgainst(input, order)
  if (against === null || order.size.lte(against.size)) return asSent
  const { coin, size: held } = against
  // The venue cuts what is reduce-only itself, and knows better what an entry in flight has added.
  const isLeftToVenue =
    grouping !== 'na' ||
    order.type.kind === 'trigger' ||
    !isAccountFresh(input) ||
    input.account.hasEntryInFlight(coin)
  if (kind === 'reducing' && isLeftToVenue) return asSent
  const text = `${name} cut from ${order.size.toString()} to ${held.toString()}, the size of the ${coin} position`
  const rule = kind === 'closing' ? 'flip' : 'position_size'
  return {
    order: { ...order, size: held },
    changes: [change(text, 'size', order.size, held, rule)],
  }
}

/**
 * What an order that can only reduce holds while in flight; nothing on a market Guard does not
 * follow. In a group all but the first wait for the first to fill.
 */
export function exitReservations(
  input: JudgeInput,
  order: Order & { readonly cloid: Cloid },
  index: number,
  grouping: Grouping,
): readonly Reservation[] {
  const market = marketOf(input, order.asset)
  if (market === null) return []
  const held = positionOf(input, order)?.size.abs() ?? Decimal.zero
  const size = order.size.isZero() ? held : order.size
  const parent = grouping === 'normalTpsl' && index > 0 ? 0 : null
  return [reservedOrder(market.coin, order, index, parent, size)]
}
