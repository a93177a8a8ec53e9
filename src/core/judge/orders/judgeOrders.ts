import type { Builder, Order, OrderAction } from '../../protocol/action.ts'
import type { Coin } from '../../values/coin.ts'
import { Decimal } from '../../values/decimal.ts'
import { err } from '../../values/result.ts'
import type { Result } from '../../values/result.ts'
import { change } from '../changes.ts'
import type { Change } from '../changes.ts'
import { isAccountFresh, marketOf } from '../context.ts'
import type { Decision, EntryDecision, JudgeInput } from '../decision.ts'
import { AccountWithRequest } from '../accountWithRequest.ts'
import type { EntryGroup, EntryTrace } from '../entry/entryGroup.ts'
import { judgeEntry } from '../entry/judgeEntry.ts'
import type { JudgedEntry } from '../entry/judgeEntry.ts'
import { OrderIds } from '../orderIds.ts'
import { decided, step, vetoed } from '../plan.ts'
import type { Slot, Step } from '../plan.ts'
import type { Refusal } from '../refusal.ts'
import { judgeSpotSells } from '../spot/judgeSpotSells.ts'
import { mixedIn, sellsSpot } from '../spot/spotSell.ts'
import { sideName } from '../text.ts'
import { exitStep } from './exitStep.ts'
import type { Exits } from './exitStep.ts'
import { allowedBuilder, exitPriority, feeChanges } from './fees.ts'
import { releaseGuardStop } from './releaseGuardStop.ts'
import { sortOrders } from './sortOrders.ts'
import type { RefusedExit, SortedEntry } from './sortOrders.ts'

/** One entry of the request with what became of it. */
export interface EntryOutcome {
  readonly group: EntryGroup
  readonly trace: EntryTrace
  readonly result: Result<JudgedEntry, Refusal>
}

/** Judges an order action: exits as one action first, then each entry with its own stops. */
export function judgeOrders(input: JudgeInput, action: OrderAction): Decision {
  if (sellsSpot(input, action.orders)) return judgeSpotSells(input, action)
  const builder = allowedBuilder(input, action)
  const sorted = sortOrders(input, action, builder?.fee ?? 0)
  if (!sorted.ok) return vetoed(sorted.error)
  const ids = new OrderIds(input.mint, (cloid) => input.account.holderOf(cloid))
  const draft = new AccountWithRequest(input.account)
  const { grouping } = sorted.value
  const rules = input.rulesFor(input.client, null)
  const asked = sorted.value.exits.map(({ order }) => order)
  const priority = exitPriority(rules, action, asked)
  const exits = exitStep(input, draft, sorted.value.exits, grouping, { builder, priority }, ids)
  const outcomes = sorted.value.entries.map((each) => outcomeOf(input, draft, ids, each))
  const entries = outcomes.map((each) => entryDecision(input, draft, each))
  const refused = [...sorted.value.refused, ...exits.refused]
  if (exits.step === null && outcomes.every((each) => !each.result.ok)) {
    return vetoed(firstRefusal(refused, outcomes), entries)
  }
  const sending = {
    action: { ...action, grouping },
    builder,
    exits,
    refused,
    outcomes,
    entries,
    ids,
    fees: feeChanges(rules, action, builder, priority, outcomes.length > 0),
  }
  return forwarded(input, action, sending)
}

/** The refusal of the first order in the bot's list; where nothing goes there is one. */
function firstRefusal(refused: readonly RefusedExit[], outcomes: readonly EntryOutcome[]): Refusal {
  const entries = outcomes.map(({ group, result }) => {
    const { error: refusal } = result as { readonly error: Refusal }
    return { at: group.entry.at, refusal }
  })
  const all = [...refused, ...entries].sort((left, right) => left.at - right.at)
  return (all[0] as RefusedExit).refusal
}

interface Sorted {
  readonly action: OrderAction
  readonly builder: Builder | null
  readonly exits: Exits
  readonly refused: readonly RefusedExit[]
  readonly outcomes: readonly EntryOutcome[]
  readonly entries: readonly EntryDecision[]
  readonly ids: OrderIds
  /** What became of the fees that the bot offered. */
  readonly fees: readonly Change[]
}

function forwarded(input: JudgeInput, asked: OrderAction, found: Sorted): Decision {
  const { action, builder, exits, refused, outcomes, entries, ids } = found
  const changes: Change[] = [...found.fees, ...ungroupedChange(asked, action), ...exits.changes]
  const slots: Slot[] = []
  const main: Step[] = []
  const post: Step[] = []
  for (const { at, refusal } of refused) slots[at] = { veto: refusal }
  const { step: sentExits } = exits
  if (sentExits !== null) {
    main.push(sentExits)
    const orders = exits.sent.map((each) => each.order)
    post.push(...releaseGuardStop(input, sentExits, orders, action.grouping))
    exits.sent.forEach(({ at }, index) => {
      const pieces = exits.sent.filter((each) => each.at === at).length
      if (exits.sent[index - 1]?.at !== at) slots[at] = { step: sentExits, index, pieces }
    })
  }
  const pre = leverageSteps(outcomes.flatMap(({ result }) => (result.ok ? [result.value] : [])))
  for (const { group, result } of outcomes) {
    if (!result.ok) {
      for (const { at } of [group.entry, ...group.children]) slots[at] = { veto: result.error }
      continue
    }
    changes.push(...result.value.changes, ...groupingChange(action, group, result.value))
    const sent = entryStep(result.value, builder, pre.get(result.value.market.coin))
    main.push(sent)
    result.value.members.forEach(({ at }, index) => (slots[at] = { step: sent, index }))
    const { stop } = group
    if (result.value.watched !== null && stop !== null) {
      slots[stop.at] = { waitsFor: sent, index: 0 }
    }
    for (const { at, refusal } of result.value.leftOut) slots[at] = { veto: refusal }
  }
  changes.push(...ids.changes)
  if (main.length > 1) changes.push(splitChange(main.length))
  const isExitOnly = outcomes.every((each) => !each.result.ok)
  return decided({
    pre: [...pre.values()],
    main,
    post,
    lane: isExitOnly ? 'exit' : 'entry',
    changes,
    entries,
    exits: exits.sizes,
    slots,
    reply: { kind: 'statuses', responseType: 'order' },
    stripCloids: ids.minted,
    text: isExitOnly ? exitText(exits.sent.length, isAccountFresh(input)) : entryText(entries),
    isUnjudged: isExitOnly && !isAccountFresh(input),
  })
}

function outcomeOf(
  input: JudgeInput,
  draft: AccountWithRequest,
  ids: OrderIds,
  { group, refusal }: SortedEntry,
): EntryOutcome {
  const trace: EntryTrace = { worstPrice: null, stop: null, leverage: null }
  const refused = refusal ?? checkRepeated(ids, group)
  const result = refused === null ? judgeEntry(input, draft, ids, group, trace) : err(refused)
  const isItsMarket = !result.ok && result.error.code === 'unsupported_market'
  const mixed = isItsMarket ? mixedIn(input, group.entry) : null
  return { group, trace, result: mixed === null ? result : err(mixed) }
}

/** Two entries of one request cannot have one id: nobody could tell later which of them is meant. */
function checkRepeated(ids: OrderIds, { entry }: EntryGroup): Refusal | null {
  const { cloid } = entry.order
  if (cloid === null || !ids.has(cloid)) return null
  return {
    code: 'invalid',
    text: `orders[${entry.at}]: another order of this request has the client order id ${cloid}; give each order one of its own`,
  }
}

/** What a preview shows of an entry; a leverage that a later entry lowered is the lowered one. */
export function entryDecision(
  input: JudgeInput,
  draft: AccountWithRequest,
  outcome: EntryOutcome,
): EntryDecision {
  const { group, trace, result } = outcome
  const { order } = group.entry
  const part = result.ok ? passedPart(order, draft, result.value) : refusedPart(trace, result.error)
  return {
    at: group.entry.at,
    coin: marketOf(input, order.asset)?.coin ?? `asset ${order.asset}`,
    side: sideName(order.isBuy),
    requestedSize: order.size,
    size: part.size,
    worstPrice: trace.worstPrice,
    stop: trace.stop,
    leverage: part.leverage,
    risk: part.risk,
    verdict: part.verdict,
    code: part.code,
    text: part.text,
  }
}

type Part = Pick<EntryDecision, 'size' | 'leverage' | 'risk' | 'verdict' | 'code' | 'text'>

function refusedPart({ leverage }: EntryTrace, { code, text }: Refusal): Part {
  return { size: Decimal.zero, leverage, risk: null, verdict: 'veto', code, text }
}

function passedPart(order: Order, draft: AccountWithRequest, judged: JudgedEntry): Part {
  const { size, risk, changes, market } = judged
  const leverage = draft.plannedLeverage(market.coin)
  if (changes.length === 0) {
    const text = `${order.size.toString()} ${market.coin} is within every rule`
    return { size, leverage, risk, verdict: 'allow', code: 'allowed', text }
  }
  const text = changes.map((each) => each.text).join('; ')
  return { size, leverage, risk, verdict: 'resize', code: 'resized', text }
}

/** One leverage update for each coin whose entries need it: later ones only ever lower it. */
export function leverageSteps(
  judged: readonly Pick<JudgedEntry, 'market' | 'leverage'>[],
): ReadonlyMap<Coin, Step> {
  const steps = new Map<Coin, Step>()
  for (const { market, leverage } of judged) {
    if (!leverage.isNew) continue
    const { coin, asset } = market
    const value = leverage.leverage
    steps.set(
      coin,
      step({ type: 'updateLeverage', asset, isCross: false, leverage: value }, [
        { kind: 'leverage', coin, leverage: { type: 'isolated', value } },
      ]),
    )
  }
  return steps
}

/** The action of one entry; it needs the leverage update of its coin, if there is one. */
export function entryStep(
  judged: JudgedEntry,
  builder: Builder | null,
  leverage: Step | undefined,
  needs: readonly Step[] = [],
): Step {
  const { orders, reservations, watched } = judged
  const grouping = watched === null ? 'normalTpsl' : 'na'
  const action: OrderAction = { type: 'order', orders, grouping, builder }
  return step(action, reservations, leverage === undefined ? needs : [...needs, leverage])
}

function groupingChange(
  action: OrderAction,
  group: EntryGroup,
  { watched }: JudgedEntry,
): readonly Change[] {
  if (watched !== null) {
    if (action.grouping === 'na') return []
    const text = `orders[${group.entry.at}] goes without its group: the venue takes none that a trigger leads`
    return [change(text, 'grouping', action.grouping, 'na', 'trigger_entries')]
  }
  if (action.grouping === 'normalTpsl' || group.children.length === 0) return []
  const text = `orders[${group.entry.at}] goes as one group with its own stop`
  return [change(text, 'grouping', action.grouping, 'normalTpsl', 'grouping')]
}

/** An order that closes a position goes alone: nothing of its group has anything to wait for. */
function ungroupedChange(asked: OrderAction, { grouping }: OrderAction): readonly Change[] {
  if (asked.grouping !== 'normalTpsl' || grouping === 'normalTpsl') return []
  const text = 'orders[0] closes a position and goes without its group, which has nothing to guard'
  return [change(text, 'grouping', 'normalTpsl', 'na', 'closing')]
}

function splitChange(count: number): Change {
  const text = `sent as ${count} actions: exits first, then each entry with its own stop`
  return change(text, 'actions', '1', `${count}`, 'grouping')
}

function exitText(count: number, isFresh: boolean): string {
  const what =
    count === 1 ? 'one order that can only reduce' : `${count} orders that can only reduce`
  return isFresh
    ? `${what}: forwarded as sent`
    : `${what}: forwarded as sent, though the account could not be read recently enough`
}

function entryText(entries: readonly EntryDecision[]): string {
  const each = entries.map(
    ({ side, size, coin, stop }) =>
      `${side} ${size.toString()} ${coin} with its stop at ${String(stop)}`,
  )
  return `${each.join(', ')}: within every rule`
}
