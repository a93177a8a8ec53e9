import type { Action } from '../../core/protocol/action.ts'
import { assetKind } from '../../core/protocol/assetId.ts'
import { decodeFrontendOpenOrders } from '../../core/protocol/decodeInfoOrders.ts'
import type { OpenOrder } from '../../core/protocol/venueState.ts'
import { askVenue } from './lookup.ts'
import type { Found, LookupDeps, Told } from './lookup.ts'
import type { Urgency } from '../ports.ts'

type Cancels = Extract<Action, { type: 'cancel' | 'cancelByCloid' }>

/** The list of all open orders costs as much as ten questions about one: it is asked for this rarely. */
const everyMs = 8_000
/** With more orders than these to ask about, the list costs less. */
const askedOneByOne = 10

interface Asked {
  readonly begunMs: number
  readonly open: Promise<Told<readonly OpenOrder[]>>
}

/**
 * What became of cancels without an answer, where they are too many to ask about each of their
 * orders: one list of the open orders tells it of all of them. Without it the thousand cancels of a
 * crowded account would spend the weight by which Guard sees the account and finds its stops.
 */
export class CancelQuestions {
  private readonly deps: LookupDeps
  private readonly asked = new Map<Urgency, Asked>()
  /** Orders of cancels whose outcome is not known yet. */
  private waiting = 0

  constructor(deps: LookupDeps) {
    this.deps = deps
  }

  /** What became of this action is not known; `forget` follows once it is. */
  wait(action: Action): void {
    if (isInList(action)) this.waiting += action.cancels.length
  }

  forget(action: Action): void {
    if (isInList(action)) this.waiting -= action.cancels.length
  }

  /** Whether the list is to be asked what became of this action. */
  areListed(action: Action): action is Cancels {
    return isInList(action) && this.waiting > askedOneByOne
  }

  /** How long to wait until a list can be had that was asked for after `sinceMs`. */
  waitMs(lane: Urgency, sinceMs: number, nowMs: number): number {
    const last = this.last(lane, nowMs)
    return last === null || last.begunMs > sinceMs ? 0 : last.begunMs + everyMs - nowMs
  }

  /** By the list of the last few seconds, or a new one. */
  async ask(action: Cancels, nowMs: number, lane: Urgency): Promise<Found> {
    const open = await (this.last(lane, nowMs) ?? this.askAnew(lane, nowMs)).open
    return open.kind === 'told' ? cancelsFound(action, open.value) : open
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

/** The list has the orders of the first dex and of spot, and no others. */
function isInList(action: Action): action is Cancels {
  if (action.type !== 'cancel' && action.type !== 'cancelByCloid') return false
  return action.cancels.every(({ asset }) => ['perp', 'spot'].includes(assetKind(asset)))
}

function cancelsFound(action: Cancels, open: readonly OpenOrder[]): Found {
  const names = new Set<number | string | null>(open.flatMap(({ oid, cloid }) => [oid, cloid]))
  const refs = action.cancels.map((each) => ('oid' in each ? each.oid : each.cloid))
  const still = refs.find((ref) => names.has(ref))
  if (still !== undefined) return { kind: 'absent', evidence: `order ${still} is still open` }
  return { kind: 'happened', evidence: `no order of ${refs.join(', ')} is open` }
}
