import type { Account } from '../../core/account/account.ts'
import type { Reservation } from '../../core/account/reservation.ts'
import type { FlattenBody, Internal, ProtectBody } from '../../core/events/guardEvent.ts'
import { reservedOrder } from '../../core/judge/reserve.ts'
import type { Action, Order } from '../../core/protocol/action.ts'
import type { Markets } from '../../core/protocol/market.ts'
import type { ActionResult, Dispatcher } from './dispatcher.ts'
import { reservationId } from './dispatcher.ts'
import { costOf } from './costOf.ts'
import type { Clock, Log, WeightBudget } from '../ports.ts'
import type { Recorder } from '../recorder.ts'
import { stepLogOf } from './stepLog.ts'

interface SafetySenderDeps {
  readonly clock: Clock
  readonly account: Account
  readonly recorder: Recorder
  readonly budget: WeightBudget
  readonly dispatcher: Dispatcher
  readonly log: Log
}

interface SafetyRun {
  /** The event's number; null while the journal takes nothing. */
  readonly seq: number | null
  /** All of them; rejects when no disk took the event, and nothing was sent then. */
  readonly results: Promise<readonly ActionResult[]>
}

/** Told what became of the action at a place, as soon as that is known. */
type Learn = (index: number, result: ActionResult) => void

/**
 * Writes down a flatten or protect event, holds its actions as in flight in the same tick, and
 * sends them all at once, with the emergency file's proof where the journal is too slow, and with
 * none but memory's where every disk is.
 */
export class SafetySender {
  private readonly deps: SafetySenderDeps
  private emergencies = 0

  constructor(deps: SafetySenderDeps) {
    this.deps = deps
  }

  send(
    body: FlattenBody | (ProtectBody & Internal),
    actions: readonly Action[],
    learn?: Learn,
  ): SafetyRun {
    const { account, budget, clock, dispatcher, recorder } = this.deps
    const appended = recorder.record(body, 'now')
    this.emergencies += appended === null ? 1 : 0
    const reservation = appended === null ? `s${this.emergencies}` : String(appended.seq)
    const at = clock.now()
    actions.forEach((action, place) => {
      const items = reservationsOf(action, account.markets)
      account.reserve(reservationId(reservation, place), items, at)
    })
    const cost = costOf(actions)
    budget.tryTake('safety', cost.weight, cost.actions)
    const results = dispatcher.run({
      event: appended?.seq ?? null,
      reservation,
      at,
      actions,
      needs: actions.map(() => []),
      lane: 'safety',
      expiresBy: null,
      proof: recorder.proofFor(body, appended),
      together: true,
      hold: () => null,
      steps: stepLogOf(this.deps.log, null),
      ...(learn === undefined ? {} : { onResult: learn }),
    })
    return { seq: appended?.seq ?? null, results }
  }
}

/** What Guard's own actions hold until they settle. */
function reservationsOf(action: Action, markets: Markets): readonly Reservation[] {
  if (action.type === 'order')
    return action.orders.flatMap((order, index) => reservedExit(order, index, markets))
  if (action.type === 'twapCancel') return [{ kind: 'twap_cancel', twapId: action.twapId }]
  if (action.type !== 'cancel') return []
  return action.cancels.map(({ asset, oid }) => {
    const coin = markets.byAsset.get(asset)?.coin ?? null
    return { kind: 'cancel', coin, oid, cloid: null }
  })
}

function reservedExit(order: Order, index: number, markets: Markets): readonly Reservation[] {
  const coin = markets.byAsset.get(order.asset)?.coin
  const { cloid } = order
  // Every order that Guard sends has an id of its own.
  if (coin === undefined || cloid === null) return []
  return [reservedOrder(coin, { ...order, cloid }, index, null)]
}
