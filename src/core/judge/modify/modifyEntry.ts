import { stopOf } from '../../account/orderLife.ts'
import type { Order } from '../../protocol/action.ts'
import type { OpenOrder } from '../../protocol/venueState.ts'
import type { Decimal } from '../../values/decimal.ts'
import { err } from '../../values/result.ts'
import type { Rules } from '../../rules/rules.ts'
import { watchesTriggers } from '../context.ts'
import type { JudgeInput } from '../decision.ts'
import type { AccountWithRequest } from '../accountWithRequest.ts'
import type { EntryGroup, EntryTrace, Placed } from '../entry/entryGroup.ts'
import { checkNumbers, judgeEntry } from '../entry/judgeEntry.ts'
import type { OrderIds } from '../orderIds.ts'
import type { EntryOutcome } from '../orders/judgeOrders.ts'
import type { ModifyItem } from './modifyItem.ts'

/**
 * A modify of a resting entry is a cancel and a new entry. The venue's own modify would lose the
 * stop that hangs on the old order, so the new entry goes out with it as one group.
 */
export function entryModify(
  input: JudgeInput,
  draft: AccountWithRequest,
  ids: OrderIds,
  item: ModifyItem,
): EntryOutcome {
  const trace: EntryTrace = { worstPrice: null, stop: null, leverage: null }
  const group = modifiedGroup(input, item)
  if (item.order.type.kind === 'trigger' && !watchesTriggers(input, item.order.asset)) {
    const text = `order ${item.old.oid} would become a trigger that opens a position; Guard opens only with limit orders`
    return { group, trace, result: err({ code: 'unsupported_order', text }) }
  }
  const numbers = checkNumbers(group)
  if (!numbers.ok) return { group, trace, result: numbers }
  return { group, trace, result: judgeEntry(input, draft, ids, group, trace) }
}

function modifiedGroup(input: JudgeInput, item: ModifyItem): EntryGroup {
  const { at, order, old } = item
  const children = old.children.flatMap((oid) => input.account.order({ oid }) ?? [])
  return {
    entry: { at, order },
    stop: null,
    children: children.flatMap((each) => kept(item, each)),
    builderFee: 0,
    carriedStop: carriedStop(input, item, children),
  }
}

/** A stop the bot chose stays where it is; Guard's own moves with the entry, if it may attach one. */
function carriedStop(
  input: JudgeInput,
  item: ModifyItem,
  children: readonly OpenOrder[],
): Decimal | null {
  const rules = input.rulesFor(input.client, item.market.coin)
  const kept = keptStop(input, item, rules)
  if (kept !== null) return kept
  for (const child of children) {
    const stop = stopOf(child)
    if (stop !== null && (stop.owner === 'bot' || rules.stop === 'refuse')) return stop.trigger
  }
  return null
}

/** The stop in Guard's record of an entry that waited for a trigger, where it stays what it was. */
function keptStop({ account }: JudgeInput, { old }: ModifyItem, rules: Rules): Decimal | null {
  if (rules.triggerEntries !== 'watched') return null
  const entry = account.entryOf(old.oid)
  const isKept = entry?.watched?.stopBy === 'bot' || rules.stop === 'refuse'
  return entry?.watched !== undefined && isKept ? entry.stop : null
}

/** The take profit of the old entry, for the new one; as large as the entry if it was so before. */
function kept(item: ModifyItem, child: OpenOrder): Placed[] {
  const { trigger } = child
  if (trigger === null || trigger.tpsl !== 'tp') return []
  const isWhole = child.size.eq(item.old.originalSize)
  const order: Order = {
    asset: item.market.asset,
    isBuy: child.isBuy,
    price: child.price,
    size: isWhole ? item.order.size : child.size,
    isReduceOnly: true,
    type: {
      kind: 'trigger',
      isMarket: trigger.isMarket,
      triggerPrice: trigger.price,
      tpsl: 'tp',
    },
    cloid: child.cloid,
  }
  return [{ at: item.at, order }]
}
