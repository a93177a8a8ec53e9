import type { Order, OrderAction } from '../../protocol/action.ts'
import { Decimal } from '../../values/decimal.ts'
import type { Change } from '../changes.ts'
import type { Decision, ExitDecision, JudgeInput } from '../decision.ts'
import { OrderIds } from '../orderIds.ts'
import { allowedBuilder, feeChanges } from '../orders/fees.ts'
import { checkOwnIds } from '../orders/sortOrders.ts'
import { decided, step, vetoed } from '../plan.ts'
import type { Slot } from '../plan.ts'
import type { Refusal } from '../refusal.ts'
import { mayRest } from '../reserve.ts'
import { fitSell, SoldInRequest, soldReservation } from './spotSell.ts'
import type { FittingSell } from './spotSell.ts'

/** Judges an action of spot orders where the rules let what is held be sold; each stands for itself. */
export function judgeSpotSells(input: JudgeInput, action: OrderAction): Decision {
  const own = checkOwnIds(action)
  if (own !== null) return vetoed(own)
  if (action.grouping !== 'na') {
    return vetoed({ code: 'invalid', text: 'spot orders go without a group (grouping na)' })
  }
  const ids = new OrderIds(input.mint, (cloid) => input.account.holderOf(cloid))
  const taken = new SoldInRequest()
  const fitting: { readonly at: number; readonly sell: FittingSell }[] = []
  const refused: { readonly at: number; readonly refusal: Refusal }[] = []
  for (const [at, order] of action.orders.entries()) {
    const crowded = checkRoom(
      input,
      order,
      fitting.filter(({ sell }) => mayRest(sell.order)).length,
    )
    const fit =
      crowded === null
        ? fitSell(input, { at, order, name: `orders[${at}]` }, taken, Decimal.zero)
        : null
    if (fit?.ok === true) fitting.push({ at, sell: fit.value })
    else refused.push({ at, refusal: crowded ?? (fit as { readonly error: Refusal }).error })
  }
  const [first] = refused
  if (fitting.length === 0 && first !== undefined) return vetoed(first.refusal)
  return forwarded(input, action, ids, fitting, refused)
}

/** What rests takes a place among the orders that the account may have. */
function checkRoom(input: JudgeInput, order: Order, before: number): Refusal | null {
  const { maxOpenOrders } = input.rulesFor(input.client, null)
  const open = input.account.orderCount + before
  if (!mayRest(order) || open < maxOpenOrders) return null
  const text = `the account has ${open} orders open or on their way; max_open_orders is ${maxOpenOrders}`
  return { code: 'too_many_orders', text }
}

function forwarded(
  input: JudgeInput,
  action: OrderAction,
  ids: OrderIds,
  fitting: readonly { readonly at: number; readonly sell: FittingSell }[],
  refused: readonly { readonly at: number; readonly refusal: Refusal }[],
): Decision {
  const builder = allowedBuilder(input, action)
  const rules = input.rulesFor(input.client, null)
  const changes: Change[] = [...feeChanges(rules, action, builder, null, true)]
  const orders = fitting.map(({ at, sell }) => {
    changes.push(...sell.changes)
    return { ...sell.order, cloid: ids.of(sell.order.cloid, `orders[${at}]`) }
  })
  changes.push(...ids.changes)
  const sent = step(
    { type: 'order', orders, grouping: 'na', builder },
    fitting.map(({ sell }, index) => soldReservation(sell, index)),
  )
  const slots: Slot[] = []
  for (const { at, refusal } of refused) slots[at] = { veto: refusal }
  for (const [index, { at }] of fitting.entries()) slots[at] = { step: sent, index }
  return decided({
    ...{ pre: [], main: [sent], post: [], lane: 'entry', changes, entries: [], slots },
    exits: action.orders.map((order, at) => sizeOf(order, at, fitting, refused)),
    reply: { kind: 'statuses', responseType: 'order' },
    stripCloids: ids.minted,
    text: `${fitting.map(({ sell }) => `sell ${sell.order.size.toString()} ${sell.pair.base}`).join(', ')}: the account holds it, and nothing else holds that`,
    isUnjudged: false,
  })
}

function sizeOf(
  order: Order,
  at: number,
  fitting: readonly { readonly at: number; readonly sell: FittingSell }[],
  refused: readonly { readonly at: number; readonly refusal: Refusal }[],
): ExitDecision {
  const refusal = refused.find((each) => each.at === at)?.refusal
  const size = fitting.find((each) => each.at === at)?.sell.order.size ?? Decimal.zero
  const code = refusal?.code ?? (size.eq(order.size) ? 'allowed' : 'resized')
  return { at, requestedSize: order.size, size, code }
}
