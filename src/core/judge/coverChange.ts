import type { CoverChange } from '../account/accountView.ts'
import type { Stop } from '../account/stop.ts'
import { stopOf } from '../account/orderLife.ts'
import type { OpenOrder } from '../protocol/venueState.ts'
import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { openRiskBudget } from './context.ts'
import type { JudgeInput } from './decision.ts'
import type { Refusal } from './refusal.ts'
import { usd } from './text.ts'

/** What a request takes away from the orders that rest, and which stops it puts there. */
interface RestingChange {
  readonly removed: ReadonlyMap<number, OpenOrder>
  /** Those of them that may well stay: the request names another market than theirs. */
  readonly misnamed: ReadonlySet<number>
  readonly added: readonly { readonly coin: Coin; readonly stop: Stop }[]
  /** A cancel must leave positions as they were promised; a modify must leave no stop looser at all. */
  readonly kind: 'cancel' | 'modify'
}

/** Judges a cancel or a modify by its result: what covers each position and entry afterwards. */
export function checkCoverChange(input: JudgeInput, change: RestingChange): Refusal | null {
  const coins = new Set<Coin>()
  for (const order of change.removed.values()) {
    const refusal = checkRemoved(input, change, order)
    if (refusal !== null) return refusal
    if (stopOf(order) !== null) coins.add(order.coin)
  }
  let [raised, counted] = [Decimal.zero, Decimal.zero]
  for (const coin of coins) {
    const removed = [...change.removed.values()].flatMap((order) =>
      order.coin === coin ? [order.oid] : [],
    )
    const added = change.added.filter((each) => each.coin === coin).map((each) => each.stop)
    const covers = input.account.coverAfter(coin, { removed, added, kind: change.kind })
    if (covers === null) continue
    if (covers.kind !== 'kept') return refusalOf(input, change, coin, covers)
    counted = counted.plus(covers.counted)
    raised = raised.plus(covers.raised)
  }
  return raised.isPositive() ? checkBudget(input, change, { raised, counted }) : null
}

/** Guard's own stop of an open position, and the stop of an entry that stays, are not removed. */
function checkRemoved(input: JudgeInput, change: RestingChange, order: OpenOrder): Refusal | null {
  const stop = stopOf(order)
  if (stop === null) return null
  const { account } = input
  const parent = account.parentOf(order.oid)
  if (parent !== null) {
    const goesToo = change.removed.has(parent) && !change.misnamed.has(parent)
    if (goesToo || account.order({ oid: parent }) === null) return null
    return {
      code: 'stop_removed',
      text: `order ${order.oid} is the stop of the ${order.coin} entry ${parent}, which would rest without it; cancel the entry, and its stop goes with it`,
    }
  }
  const position = account.positions.get(order.coin)
  if (position === undefined || stop.owner !== 'guard') return null
  if (order.isBuy === position.size.isPositive()) return null
  return {
    code: 'guard_stop',
    text: `order ${order.oid} is Guard's own stop for the open ${order.coin} position; a tighter stop of yours over all ${position.size.abs().toString()}, or closing the position, makes Guard remove it`,
  }
}

function refusalOf(
  { account }: JudgeInput,
  { kind }: RestingChange,
  coin: Coin,
  covers: Exclude<CoverChange, { readonly kind: 'kept' }>,
): Refusal {
  if (covers.kind === 'bared') {
    const size = covers.size.toString()
    const held = account.positions.get(coin)?.size.abs() ?? Decimal.zero
    const unseen = covers.size.gt(held) ? ', with what may have filled and is not shown yet,' : ''
    return {
      code: kind === 'cancel' ? 'stop_removed' : 'stop_loosened',
      text: `${size} of the ${coin} position${unseen} would be without a market stop that it reaches before it is liquidated; place the other stop first, or close the position`,
    }
  }
  const at = covers.at.toString()
  if (kind === 'cancel') {
    return {
      code: 'stop_removed',
      text: `less of the ${coin} position would be stopped out at ${at} or earlier than was promised when it was opened; a stop may be replaced by one that is at least as tight and as large`,
    }
  }
  return {
    code: 'stop_loosened',
    text: `the stops of the ${coin} position would cover less at ${at} or tighter than they do now; a stop may only be tightened, stays a reduce-only market stop with 5% of room, and never gets smaller`,
  }
}

/**
 * A looser cover must still fit into the open-risk budget. Entries that are cancelled with it count:
 * a cancel may come too late, or be refused.
 */
function checkBudget(
  input: JudgeInput,
  { removed }: RestingChange,
  { raised, counted }: { readonly raised: Decimal; readonly counted: Decimal },
): Refusal | null {
  const { account } = input
  const risk = account.exposure().openRisk.plus(counted)
  const budget = openRiskBudget(input, input.rulesFor(input.client, null))
  if (risk.lte(budget)) return null
  const hasEntries = [...removed.keys()].some((oid) => account.entryOf(oid) !== null)
  const advice = hasEntries ? '; cancel the entries first: they count until they are gone' : ''
  return {
    code: 'stop_loosened',
    text: `the stops that are left lose ${usd(raised)} more: open risk would be ${usd(risk)}, beyond the ${usd(budget)} of open_risk${advice}`,
  }
}
