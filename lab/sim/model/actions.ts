import type { Modify, OrderAction } from '../../../src/core/protocol/action.ts'
import { Exact } from './exact.ts'
import { activate, end, tell, toWatch, fitReduceOnly } from './life.ts'
import { heldSize } from './margin.ts'
import {
  accountFault,
  isRefusedReached,
  makeOrder,
  numberFault,
  place,
  refused,
  reject,
  wishOf,
} from './place.ts'
import type { Answer, Wish } from './place.ts'
import { marketOf } from './pools.ts'
import { faultText, wholeAction } from './texts.ts'
import type { ModelAccount, ModelOrder, ModelState } from './state.ts'

/** The actions that place, change and end orders, with the venue's answers. */

export const failed = (text: string): unknown => ({ status: 'err', response: text })
export const done: unknown = { status: 'ok', response: { type: 'default' } }
const listed = (type: string, statuses: readonly unknown[]): unknown => ({
  status: 'ok',
  response: { type, data: { statuses } },
})

export function order(state: ModelState, account: ModelAccount, action: OrderAction): unknown {
  const wishes = action.orders.map(wishOf)
  const { grouping, builder } = action
  const shape = shapeFault(state, wishes, grouping)
  if (shape !== null) return failed(shape)
  const fee = builder?.fee ?? null
  if (builder !== null && (account.builders.get(builder.address) ?? 0) < builder.fee) {
    return failed(wholeAction.builder)
  }
  const early = batchFault(state, account, wishes, grouping)
  if (early !== null) {
    return state.rules.wholeBatchError === 'err'
      ? failed(early)
      : listed('order', [{ error: early }])
  }
  const [first, ...children] = wishes
  const answers =
    grouping === 'normalTpsl' && first !== undefined
      ? placeGroup(state, account, first, children, fee)
      : wishes.map((wish) => place(state, account, wish, fee, grouping === 'positionTpsl'))
  endCrowded(state, account)
  return listed(
    'order',
    answers.map(({ status }) => status),
  )
}

/** A group or a position has one asset, and by one reading one stop and one target of a batch. */
function shapeFault(state: ModelState, wishes: readonly Wish[], grouping: string): string | null {
  if (grouping === 'na' || wishes.length === 0) return null
  const isNormal = grouping === 'normalTpsl'
  if (isNormal && wishes[0]?.trigger !== null) return wholeAction.triggerFirst
  const triggers = isNormal ? wishes.slice(1) : wishes
  const [one, other, ...more] = triggers
  const isRight = one !== undefined && more.length === 0
  if (!isRight || triggers.some(({ trigger }) => trigger === null)) return wholeAction.triggerCount
  if (wishes.some(({ asset }) => asset !== one.asset)) return wholeAction.triggerCount
  const isTwice = other !== undefined && other.trigger?.tpsl === one.trigger?.tpsl
  return isTwice && !state.rules.sameKindTwice ? wholeAction.triggerCount : null
}

/** What is answered once for a whole batch, before anything of it is executed. */
function batchFault(
  state: ModelState,
  account: ModelAccount,
  wishes: readonly Wish[],
  grouping: string,
): string | null {
  if (wishes.length === 0) return wholeAction.empty
  for (const [index, wish] of wishes.entries()) {
    const isChild = grouping === 'positionTpsl' || (grouping === 'normalTpsl' && index > 0)
    const early = earlyFault(state, wish, isChild)
    if (early !== null) return early
    const market = marketOf(state, wish.asset)
    if (isChild && state.rules.childrenMustClose && market !== undefined) {
      const isLong =
        grouping === 'normalTpsl' ? wishes[0]?.isBuy : longOf(heldSize(account, market).sign())
      if (isLong === wish.isBuy) return faultText('childSide', wish.asset)
    }
    if (grouping !== 'normalTpsl' || market === undefined) continue
    const bad = numberFault(state, market, wish, false)
    if (bad !== null) return faultText(bad, wish.asset)
  }
  return null
}

function longOf(sign: number): boolean | undefined {
  return sign === 0 ? undefined : sign > 0
}

function earlyFault(state: ModelState, wish: Wish, isChild: boolean): string | null {
  const { rules } = state
  const market = marketOf(state, wish.asset)
  if (market === undefined) return faultText('asset', wish.asset)
  if (isChild && !wish.isReduceOnly) return faultText('childOpens', wish.asset)
  const band = market.dex === '' ? 'as on the main dex' : rules.dexBand
  const isFromMark = rules.bandFrom === 'mark' || band === 'mark'
  const usual = isFromMark ? market.mark : market.oracle
  const reference =
    rules.triggerBandFrom === 'trigger' && wish.trigger !== null ? wish.trigger.price : usual
  const most = reference.times(Exact.of(rules.bandPercent)).over(Exact.of(100))
  if (band !== 'none' && wish.price.minus(reference).abs().isAbove(most)) {
    return `Order price cannot be more than ${rules.bandPercent}% away from the reference price`
  }
  if (rules.offGridRefuses === 'order') return null
  const bad = numberFault(state, market, wish, isChild)
  return bad === null ? null : faultText(bad, wish.asset)
}

/** A parent with its children: they wait for its fill, or work at once when it filled. */
function placeGroup(
  state: ModelState,
  account: ModelAccount,
  first: Wish,
  children: readonly Wish[],
  fee: number | null,
): Answer[] {
  const parent = place(state, account, first, fee, false)
  const { order: main, fault } = parent
  if (main === null) return [parent, ...children.map(() => refused(fault?.text ?? ''))]
  main.group = main.id
  main.isParent = true
  const isFilled = main.where === 'gone' && main.left.sign() === 0
  const answers = children.map((wish) => placeChild(state, account, main, wish, fee, isFilled))
  const placed = answers.flatMap(({ order: child }) => (child === null ? [] : [child]))
  for (const child of placed) settleChild(state, main, child, isFilled)
  return [parent, ...answers]
}

function placeChild(
  state: ModelState,
  account: ModelAccount,
  parent: ModelOrder,
  wish: Wish,
  fee: number | null,
  isFilled: boolean,
): Answer {
  const child = makeOrder(state, account, parent.market, wish, fee, false)
  const fault = accountFault(state, account, parent.market, wish, true)
  if (fault !== null) return reject(state, child, fault)
  if (isFilled && isRefusedReached(state, child)) {
    return reject(state, child, ['trigger', 'badTriggerPxRejected'])
  }
  state.open.push(child)
  child.group = parent.id
  child.where = 'waiting for parent'
  tell(child, 'open')
  return { status: isFilled ? 'waitingForTrigger' : 'waitingForFill', order: child, fault: null }
}

/** What becomes of a child whose parent is already done. */
function settleChild(
  state: ModelState,
  parent: ModelOrder,
  child: ModelOrder,
  isFilled: boolean,
): void {
  if (parent.where !== 'gone' || child.where === 'gone') return
  if (isFilled) {
    toWatch(state, child)
    fitReduceOnly(state, child.owner, child.market)
  } else if (parent.story.at(-1) === 'marginCanceled') activate(state, parent, child)
  else end(state, child, 'canceled')
}

/** By one reading, triggers that reduce go when the account has too many orders. */
function endCrowded(state: ModelState, account: ModelAccount): void {
  const own = state.open.filter(({ owner }) => owner === account)
  if (state.rules.crowdedTriggers === 'stay') return
  if (own.length < state.rules.reduceOnlyOrderLimit) return
  for (const each of own) {
    if (each.isReduceOnly && each.where === 'watching') end(state, each, 'canceled')
  }
}

type Reference = { readonly asset: number; readonly id: number | string }

export function cancel(
  state: ModelState,
  account: ModelAccount,
  cancels: readonly Reference[],
  isFast: boolean,
): unknown {
  const isSlowOnly = (found: ModelOrder | undefined): boolean =>
    isFast && found !== undefined && found.trigger !== null && found.where !== 'book'
  const isRefusedWhole = state.rules.fastCancelOfTrigger === 'whole action'
  if (isRefusedWhole && cancels.some(({ id }) => isSlowOnly(find(state, account, id)))) {
    return failed(wholeAction.fastCancel)
  }
  const statuses = cancels.map(({ asset, id }) => {
    const found = find(state, account, id)
    if (found?.market.asset !== asset) return { error: faultText('gone', asset) }
    if (isSlowOnly(found)) return { error: faultText('fastCancel', asset) }
    end(state, found, 'canceled')
    return 'success'
  })
  return listed('cancel', statuses)
}

/** An open order by its number or by the name its owner gave it; the newest of that name. */
function find(
  state: ModelState,
  account: ModelAccount,
  id: number | string,
): ModelOrder | undefined {
  return state.open.findLast(
    (each) => each.owner === account && (typeof id === 'number' ? each.id : each.cloid) === id,
  )
}

export function modify(
  state: ModelState,
  account: ModelAccount,
  modifies: readonly Modify[],
  isBatch: boolean,
  always: boolean,
  idOf: (oid: number) => number,
): unknown {
  const results = modifies.map((each) => {
    const ref = 'oid' in each.ref ? idOf(each.ref.oid) : each.ref.cloid
    return modifyOne(state, account, ref, wishOf(each.order), always)
  })
  if (isBatch) {
    return listed(
      'order',
      results.map((result) => (typeof result === 'string' ? { error: result } : result.status)),
    )
  }
  const [only] = results
  return typeof only === 'string' ? failed(only) : done
}

/** A cancel and a new order; the text when there is none in the end. */
function modifyOne(
  state: ModelState,
  account: ModelAccount,
  ref: number | string,
  wish: Wish,
  always: boolean,
): string | Answer {
  const old = find(state, account, ref)
  if (old === undefined && !always) return wholeAction.modifyGone
  const early = earlyFault(state, wish, false)
  if (early !== null) return early
  const isTight = state.rules.modifyOnlyPassive && !always
  const isPassive = wish.tif === 'Gtc' || wish.tif === 'Alo'
  if (isTight && !isPassive) return wholeAction.modifyPassive
  const filled = old?.filled ?? Exact.zero
  if (old !== undefined) end(state, old, 'canceled')
  const size = state.rules.modifySizeIncludesFilled ? wish.size.minus(filled) : wish.size
  const made = place(
    state,
    account,
    { ...wish, size, tif: isTight ? 'Alo' : wish.tif },
    null,
    false,
  )
  return made.fault === null ? made : `${wholeAction.modifyFailed}${made.fault.text}`
}
