import type { AccountView, StopInFlight } from '../../account/accountView.ts'
import { stopOf } from '../../account/orderLife.ts'
import type { Reservation } from '../../account/reservation.ts'
import type { CancelAction, CancelByCloidAction, OrderRef } from '../../protocol/action.ts'
import type { OpenOrder } from '../../protocol/venueState.ts'
import type { Coin } from '../../values/coin.ts'
import { change } from '../changes.ts'
import type { Change } from '../changes.ts'
import { isAccountFresh, marketOf } from '../context.ts'
import { checkCoverChange } from '../coverChange.ts'
import type { Decision, JudgeInput } from '../decision.ts'
import { keptName } from '../keptName.ts'
import { passed } from '../passed.ts'
import { decided, step, vetoed } from '../plan.ts'
import type { Refusal } from '../refusal.ts'

/** Cancels pass unless they would take a stop that something still needs; judged as a whole. */
export function judgeCancel(
  input: JudgeInput,
  asked: CancelAction | CancelByCloidAction,
): Decision {
  const { action, changes } = byVenueIds(input, asked)
  if (!isStopKnown(input, action)) {
    return vetoed({
      code: 'account_stale',
      text: 'the account has not been seen yet, so Guard cannot tell whether this would cancel a stop',
    })
  }
  const removed = new Map<number, OpenOrder>()
  const misnamed = new Set<number>()
  const reservations: Reservation[] = []
  for (const each of action.cancels) {
    const ref = refOf(each)
    const order = input.account.order(ref)
    if (order !== null) {
      removed.set(order.oid, order)
      if (isMisnamed(input, each, order)) misnamed.add(order.oid)
    }
    reservations.push({
      kind: 'cancel',
      coin: order?.coin ?? marketOf(input, each.asset)?.coin ?? null,
      oid: order?.oid ?? ('oid' in ref ? ref.oid : null),
      cloid: order?.cloid ?? ('cloid' in ref ? ref.cloid : null),
    })
  }
  const refusal =
    checkInFlight(input, action) ??
    checkCoverChange(input, { removed, misnamed, added: [], kind: 'cancel' })
  if (refusal !== null) return vetoed(refusal)
  return forwarded(input, action, reservations, changes)
}

/** The cancels by the ids that their orders have at the venue, where a bot calls one by another. */
function byVenueIds(
  { account }: JudgeInput,
  action: CancelAction | CancelByCloidAction,
): { readonly action: CancelAction | CancelByCloidAction; readonly changes: readonly Change[] } {
  if (action.type === 'cancel') return { action, changes: [] }
  const changes: Change[] = []
  const cancels = action.cancels.map((each, at) => {
    const id = account.idOf(each.cloid)
    if (id === each.cloid) return each
    changes.push(keptName(`cancels[${at}]`, each.cloid, id))
    return { ...each, cloid: id }
  })
  return { action: { ...action, cancels }, changes }
}

/**
 * Whether a cancel names another market than its order's. The venue refuses it then, or it takes the
 * order all the same: nobody has told.
 */
function isMisnamed({ account }: JudgeInput, { asset }: CancelItem, order: OpenOrder): boolean {
  const market = account.market(order.coin)
  return market !== null && market.asset !== asset
}

/**
 * Whether it can be told what is needed of the stops that this names: positions and orders tell, while
 * money may still be unknown. Where only the orders were seen, what is none of them is no stop either.
 */
function isStopKnown(
  { account }: JudgeInput,
  { cancels }: CancelAction | CancelByCloidAction,
): boolean {
  if (account.ordersAt === null) return false
  if (account.venueTime !== null) return true
  return cancels.every((each) => {
    const order = account.order(refOf(each))
    return order === null ? !account.mayBeOpen(refOf(each)) : stopOf(order) === null
  })
}

/**
 * What is gone, or was never there, is answered as the venue would and costs nothing of what the
 * account may send; the others go.
 */
function forwarded(
  input: JudgeInput,
  action: CancelAction | CancelByCloidAction,
  reservations: readonly Reservation[],
  renamed: readonly Change[],
): Decision {
  const isFresh = isAccountFresh(input)
  // Of the orders of other markets Guard sees none, so that it cannot tell whether one is open.
  const isGone = action.cancels.map(
    (each) =>
      isFresh && marketOf(input, each.asset) !== null && !input.account.mayBeOpen(refOf(each)),
  )
  const flag =
    action.isFast === true
      ? [change('the flag f removed from the cancel', 'f', 'true', null, 'flags')]
      : []
  const changes = [...renamed, ...flag]
  const text = `${countText(action.cancels.length)}: every position stays covered`
  if (!isGone.includes(true)) {
    return passed(plain(action), reservations, 'cancel', text, changes)
  }
  const isSent = (_: unknown, at: number): boolean => isGone[at] === false
  const sent = step(withCancels(action, isSent), reservations.filter(isSent))
  const gone = countText(isGone.filter(Boolean).length)
  let index = 0
  return decided({
    pre: [],
    main: isGone.includes(false) ? [sent] : [],
    post: [],
    lane: 'cancel',
    changes,
    entries: [],
    exits: [],
    slots: action.cancels.map(({ asset }, at) =>
      isGone[at] === true ? { told: notOpen(asset) } : { step: sent, index: index++ },
    ),
    reply: { kind: 'statuses', responseType: 'cancel' },
    stripCloids: [],
    text: `${text}; ${gone} of orders that are not open answered by Guard`,
    isUnjudged: false,
  })
}

/** In the venue's own words, as its answer has them. */
function notOpen(asset: number): string {
  return `Order was never placed, already canceled, or filled. asset=${asset}`
}

function countText(count: number): string {
  return count === 1 ? 'one cancel' : `${count} cancels`
}

/**
 * A stop on its way does not count as cover yet, but a cancel may reach the venue after it and
 * remove it: a cancel that could hit such a stop is refused while a position relies on it. No
 * answer tells the number of a stop that goes with its entry, so that until it is listed any number
 * that Guard does not know may be its.
 */
function checkInFlight(
  input: JudgeInput,
  action: CancelAction | CancelByCloidAction,
): Refusal | null {
  const { account } = input
  const goesToo = (cloid: string, coin: Coin): boolean =>
    action.cancels.some(
      (each) => namedBy(account, each) === cloid && marketOf(input, each.asset)?.coin === coin,
    )
  for (const each of action.cancels) {
    const coin = marketOf(input, each.asset)?.coin ?? null
    if (coin === null || account.order(refOf(each)) !== null) continue
    const cloid = namedBy(account, each)
    // Nearly always no stop is on its way.
    const isKept = account.stopsInFlight(coin).some((stop) => {
      if (cloid === null ? isNumbered(stop) : stop.cloid !== cloid) return false
      return stop.parent === null
        ? account.cover(coin)?.isFull === false
        : !goesToo(stop.parent, coin)
    })
    if (!isKept) continue
    const gap = `is on its way to ${coin}, which would be without a market stop`
    const isUnknown = 'oid' in each && cloid === null
    return {
      code: 'stop_removed',
      text: isUnknown
        ? `Guard does not know order ${each.oid} yet, and a stop ${gap} if it is that one; ask again in a moment`
        : `the stop ${nameOf(each)} ${gap}; place the other stop first, or cancel the entry with it`,
    }
  }
  return null
}

/** The client order id that a cancel means; null when it gives a number that Guard does not know. */
function namedBy(account: AccountView, each: CancelItem): string | null {
  return 'cloid' in each ? each.cloid : account.cloidOf(each.oid)
}

/** The venue's answer to a stop that was sent alone has its number. */
function isNumbered({ parent, isAccepted }: StopInFlight): boolean {
  return parent === null && isAccepted
}

type CancelItem = (CancelAction | CancelByCloidAction)['cancels'][number]

function nameOf(each: CancelItem): string {
  return 'oid' in each ? String(each.oid) : each.cloid
}

function refOf(each: CancelItem): OrderRef {
  return 'oid' in each ? { oid: each.oid } : { cloid: each.cloid }
}

function plain(action: CancelAction | CancelByCloidAction): CancelAction | CancelByCloidAction {
  return withCancels(action, () => true)
}

/** The same action with some of its cancels, and without its flags. */
function withCancels(
  action: CancelAction | CancelByCloidAction,
  isKept: (each: unknown, at: number) => boolean,
): CancelAction | CancelByCloidAction {
  return action.type === 'cancel'
    ? { type: 'cancel', cancels: action.cancels.filter(isKept) }
    : { type: 'cancelByCloid', cancels: action.cancels.filter(isKept) }
}
