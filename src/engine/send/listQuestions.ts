import type { Action, Order } from '../../core/protocol/action.ts'
import { assetKind } from '../../core/protocol/assetId.ts'
import { decodeFrontendOpenOrders } from '../../core/protocol/decodeInfoOrders.ts'
import type { OpenOrder } from '../../core/protocol/venueState.ts'
import type { Millis } from '../../core/values/millis.ts'
import { askVenue, isOfIntent } from './lookup.ts'
import type { Found, LookupDeps, Told } from './lookup.ts'
import type { Urgency } from '../ports.ts'

type Cancels = Extract<Action, { type: 'cancel' | 'cancelByCloid' }>
type Placing = Extract<Action, { type: 'order' | 'modify' | 'batchModify' }>

/** The list of all open orders costs as much as ten questions about one: it is asked for this rarely. */
const everyMs = 8_000
/** With more orders than these to ask about, the list costs less. */
const askedOneByOne = 10

interface Asked {
  readonly begunMs: number
  readonly open: Promise<Told<readonly OpenOrder[]>>
}

/**
 * What became of cancels and of placed orders without an answer, where they are too many to ask about
 * each by itself: one list of the open orders tells it of all of them. Without it a ladder whose
 * answers were lost, or the thousand cancels of a crowded account, would spend the weight by which
 * Guard sees the account and finds its stops.
 */
export class ListQuestions {
  private readonly deps: LookupDeps
  private readonly asked = new Map<Urgency, Asked>()
  /** Orders of listed actions whose outcome is not known yet. */
  private waiting = 0

  constructor(deps: LookupDeps) {
    this.deps = deps
  }

  /** What became of this action is not known; `forget` follows once it is. */
  wait(action: Action): void {
    this.waiting += countOf(action)
  }

  forget(action: Action): void {
    this.waiting -= countOf(action)
  }

  /** Whether the list is to be asked what became of this action. */
  areListed(action: Action): action is Cancels | Placing {
    return countOf(action) > 0 && this.waiting > askedOneByOne
  }

  /** How long to wait until a list can be had that was asked for after `sinceMs`. */
  waitMs(lane: Urgency, sinceMs: number, nowMs: number): number {
    const last = this.last(lane, nowMs)
    return last === null || last.begunMs > sinceMs ? 0 : last.begunMs + everyMs - nowMs
  }

  /**
   * By the list of the last few seconds, or a new one. That it lacks an order proves the cancel, and
   * nothing of an action that places: what it placed may have filled.
   */
  async ask(action: Cancels | Placing, at: Millis, nowMs: number, lane: Urgency): Promise<Found> {
    const open = await (this.last(lane, nowMs) ?? this.askAnew(lane, nowMs)).open
    if (open.kind !== 'told') return open
    return 'cancels' in action
      ? cancelsFound(action, open.value)
      : ordersFound(ordersIn(action), at, open.value)
  }

  private askAnew(lane: Urgency, begunMs: number): Asked {
    const request = { type: 'frontendOpenOrders', user: this.deps.account }
    const open = askVenue(this.deps, request, lane, decodeFrontendOpenOrders).catch(
      (error: unknown) => ({ kind: 'unreachable', error: String(error) }) as const,
    )
    const asked = { begunMs, open }
    this.asked.set(lane, asked)
    return asked
  }

  private last(lane: Urgency, nowMs: number): Asked | null {
    const last = this.asked.get(lane)
    return last !== undefined && nowMs - last.begunMs < everyMs ? last : null
  }
}

/** Whether an action places orders: of these the list can show that they came, and never that they did not. */
export function isPlacing(action: Action): action is Placing {
  return action.type === 'order' || action.type === 'modify' || action.type === 'batchModify'
}

/** How many of its orders the list can tell of: it has those of the first dex and of spot, and no others. */
function countOf(action: Action): number {
  if ('cancels' in action) return action.cancels.every(isInList) ? action.cancels.length : 0
  if (!isPlacing(action)) return 0
  const orders = ordersIn(action)
  return orders.every(isInList) ? orders.filter(({ cloid }) => cloid !== null).length : 0
}

function isInList({ asset }: { readonly asset: number }): boolean {
  return ['perp', 'spot'].includes(assetKind(asset))
}

function ordersIn(action: Placing): readonly Order[] {
  if (action.type === 'order') return action.orders
  if (action.type === 'modify') return [action.modify.order]
  return action.modifies.map(({ order }) => order)
}

/** The orders of an action arrive together: one that is open shows that all of them arrived. */
function ordersFound(orders: readonly Order[], at: Millis, open: readonly OpenOrder[]): Found {
  const cloids = new Set(orders.map(({ cloid }) => cloid))
  const found = open.find(({ cloid, at: since }) => {
    return cloid !== null && cloids.has(cloid) && isOfIntent(since, at)
  })
  return found === undefined
    ? { kind: 'absent', evidence: 'none of its orders is open' }
    : { kind: 'happened', evidence: `order ${found.cloid} is open` }
}

function cancelsFound(action: Cancels, open: readonly OpenOrder[]): Found {
  const names = new Set<number | string | null>(open.flatMap(({ oid, cloid }) => [oid, cloid]))
  const refs = action.cancels.map((each) => ('oid' in each ? each.oid : each.cloid))
  const still = refs.find((ref) => names.has(ref))
  if (still !== undefined) return { kind: 'absent', evidence: `order ${still} is still open` }
  return { kind: 'happened', evidence: `no order of ${refs.join(', ')} is open` }
}
