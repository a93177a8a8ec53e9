import type { Reservation } from '../../account/reservation.ts'
import type { CancelAction, CancelByCloidAction, OrderRef } from '../../protocol/action.ts'
import type { OpenOrder } from '../../protocol/venueState.ts'
import { change } from '../changes.ts'
import { marketOf } from '../context.ts'
import { checkCoverChange } from '../coverChange.ts'
import type { Decision, JudgeInput } from '../decision.ts'
import { passed } from '../passed.ts'
import { vetoed } from '../plan.ts'
import type { Refusal } from '../refusal.ts'

/** Cancels pass unless they would take a stop that something still needs; judged as a whole. */
export function judgeCancel(
  input: JudgeInput,
  action: CancelAction | CancelByCloidAction,
): Decision {
  if (input.account.confirmedAt === null) {
    return vetoed({
      code: 'account_stale',
      text: 'the account has not been seen yet, so Guard cannot tell whether this would cancel a stop',
    })
  }
  const removed = new Map<number, OpenOrder>()
  const reservations: Reservation[] = []
  for (const each of action.cancels) {
    const ref: OrderRef = 'oid' in each ? { oid: each.oid } : { cloid: each.cloid }
    const order = input.account.order(ref)
    if (order !== null) removed.set(order.oid, order)
    reservations.push({
      kind: 'cancel',
      coin: order?.coin ?? marketOf(input, each.asset)?.coin ?? null,
      oid: order?.oid ?? ('oid' in ref ? ref.oid : null),
      cloid: order?.cloid ?? ('cloid' in ref ? ref.cloid : null),
    })
  }
  const refusal =
    checkInFlight(input, action) ?? checkCoverChange(input, { removed, added: [], kind: 'cancel' })
  if (refusal !== null) return vetoed(refusal)
  const count = action.cancels.length
  const changes =
    action.isFast === true
      ? [change('the flag f removed from the cancel', 'f', 'true', null, 'flags')]
      : []
  const text = `${count === 1 ? 'one cancel' : `${count} cancels`}: every position stays covered`
  return passed(plain(action), reservations, 'cancel', text, changes)
}

/** A stop on its way counts as not there, but a cancel may find it there: who waits for it keeps it. */
function checkInFlight(
  input: JudgeInput,
  action: CancelAction | CancelByCloidAction,
): Refusal | null {
  if (action.type === 'cancel') return null
  const { account } = input
  const cancelled = new Set<string>(action.cancels.map(({ cloid }) => cloid))
  for (const { asset, cloid } of action.cancels) {
    const coin = marketOf(input, asset)?.coin ?? null
    if (coin === null || account.order({ cloid }) !== null) continue
    const stop = account.stopsInFlight(coin).find((each) => each.cloid === cloid)
    if (stop === undefined) continue
    const isNeeded =
      stop.parent === null ? account.cover(coin)?.isFull === false : !cancelled.has(stop.parent)
    if (isNeeded) {
      return {
        code: 'stop_removed',
        text: `the stop ${cloid} is on its way to ${coin}, which would be without a market stop; place the other stop first, or cancel the entry with it`,
      }
    }
  }
  return null
}

function plain(action: CancelAction | CancelByCloidAction): CancelAction | CancelByCloidAction {
  return action.type === 'cancel'
    ? { type: 'cancel', cancels: action.cancels }
    : { type: 'cancelByCloid', cancels: action.cancels }
}
