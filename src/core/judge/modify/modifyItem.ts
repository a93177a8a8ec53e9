import type { Modify, Order, OrderRef } from '../../protocol/action.ts'
import { guardCloidKind, guardCloidPrefix } from '../../protocol/guardCloid.ts'
import type { Market } from '../../protocol/market.ts'
import type { OpenOrder } from '../../protocol/venueState.ts'
import type { Cloid } from '../../values/cloid.ts'
import { ok } from '../../values/result.ts'
import type { Result } from '../../values/result.ts'
import { marketOf } from '../context.ts'
import type { JudgeInput } from '../decision.ts'
import { refuse } from '../refusal.ts'
import type { Refusal } from '../refusal.ts'

/** One modify with the order it changes. */
export interface ModifyItem {
  readonly at: number
  /** How a refusal names it: `the modify`, or `modifies[2]` where a request has several. */
  readonly name: string
  readonly ref: OrderRef
  readonly market: Market
  readonly old: OpenOrder
  readonly order: Order
  /** How the bot calls the old order and is to call the new one, and its id at the venue; null where it does not. */
  readonly kept: { readonly called: Cloid; readonly id: Cloid } | null
}

/** Finds the orders to be modified; each keeps its market, its side and its reduce-only flag. */
export function modifyItems(
  input: JudgeInput,
  modifies: readonly Modify[],
): Result<readonly ModifyItem[], Refusal> {
  const items: ModifyItem[] = []
  const seen = new Set<number>()
  for (const [at, { ref: asked, order }] of modifies.entries()) {
    const name = modifies.length === 1 ? 'the modify' : `modifies[${at}]`
    const shown = 'oid' in asked ? `${asked.oid}` : asked.cloid
    const ref = 'oid' in asked ? asked : { cloid: input.account.idOf(asked.cloid) }
    const old = input.account.order(ref)
    if (old === null) {
      return refuse('unknown_order', `${name}: no open order ${shown} is seen on the account`)
    }
    if (seen.has(old.oid)) return refuse('invalid', `${name}: order ${shown} is modified twice`)
    seen.add(old.oid)
    const market = marketOf(input, order.asset)
    if (market === null || market.coin !== old.coin) {
      return refuse(
        'invalid',
        `${name}: order ${shown} is on ${old.coin}; a modify keeps the market`,
      )
    }
    if (order.isBuy !== old.isBuy) {
      return refuse('invalid', `${name}: a modify keeps the side; place a new order instead`)
    }
    if (order.isReduceOnly !== old.isReduceOnly) {
      return refuse('invalid', `${name}: a modify keeps reduce-only ${String(old.isReduceOnly)}`)
    }
    if (order.cloid?.startsWith(guardCloidPrefix) === true && order.cloid !== old.cloid) {
      return refuse('invalid', `${name}: client order ids of this kind are Guard's own`)
    }
    const refusal = checkCloid(input, old, order, name)
    if (refusal !== null) return refuse(refusal.code, refusal.text)
    items.push({ at, name, ref, market, old, order, kept: nameKept(input, asked, old, order) })
  }
  return ok(items)
}

/** A name that is given again, or that the bot named the old order by without giving another. */
function nameKept(
  input: JudgeInput,
  ref: OrderRef,
  old: OpenOrder,
  { cloid, isReduceOnly }: Order,
): ModifyItem['kept'] {
  const called = cloid ?? ('cloid' in ref ? ref.cloid : null)
  // What is placed anew has its id back, and an id of Guard's is no name that a bot gave.
  if (!isReduceOnly || called === null || guardCloidKind(called) !== null) return null
  const id = input.account.idOf(called)
  return id === old.cloid ? { called, id } : null
}

/** A new order keeps the id of the one it replaces, or has one that no other order has. */
function checkCloid(
  input: JudgeInput,
  old: OpenOrder,
  { cloid, isReduceOnly }: Order,
  name: string,
): Refusal | null {
  if (cloid === null || cloid === old.cloid || isReduceOnly) return null
  const holder = input.account.holderOf(cloid)
  if (holder === null) return null
  const text = `${name}: ${holder} has the client order id ${cloid} already; give each order one of its own`
  return { code: 'invalid', text }
}
