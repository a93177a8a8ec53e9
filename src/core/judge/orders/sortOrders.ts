import type { PositionView } from '../../account/accountView.ts'
import type { Grouping, Order, OrderAction } from '../../protocol/action.ts'
import { Decimal } from '../../values/decimal.ts'
import { assetKind } from '../../protocol/assetId.ts'
import { guardCloidPrefix } from '../../protocol/guardCloid.ts'
import { err, ok } from '../../values/result.ts'
import type { Result } from '../../values/result.ts'
import { marketOf, watchesTriggers } from '../context.ts'
import type { JudgeInput } from '../decision.ts'
import type { EntryGroup, Placed, PlacedTrigger } from '../entry/entryGroup.ts'
import { checkNumbers } from '../entry/judgeEntry.ts'
import { refuse } from '../refusal.ts'
import type { Refusal } from '../refusal.ts'

/** An entry with what belongs to it, and why it cannot be judged, if it cannot. */
export interface SortedEntry {
  readonly group: EntryGroup
  readonly refusal: Refusal | null
}

/** The orders of an action by what they can do, each with its place in the bot's list. */
interface SortedOrders {
  /** Reduce-only as sent, and what closes a position: can only reduce. */
  readonly exits: readonly ExitOrder[]
  readonly entries: readonly SortedEntry[]
  /** Orders that only reduce and cannot be forwarded at all. */
  readonly refused: readonly RefusedExit[]
  /** How the exits go; an order that closes leads no group. */
  readonly grouping: Grouping
}

/** `closing`: against a position without the reduce-only flag, which Guard adds. */
export interface ExitOrder extends Placed {
  readonly kind: 'reducing' | 'closing'
}

export interface RefusedExit {
  readonly at: number
  readonly refusal: Refusal
}

interface OpenGroup {
  readonly entry: Placed
  readonly refusal: Refusal | null
  readonly children: Placed[]
}

/** Tells reducing, closing and entry orders apart and gives each stop to its entry. */
export function sortOrders(
  input: JudgeInput,
  action: OrderAction,
  builderFee: number,
): Result<SortedOrders, Refusal> {
  const placed = action.orders.map((order, at) => ({ at, order }))
  const own = checkOwnIds(action)
  if (own !== null) return err(own)
  const exits: ExitOrder[] = []
  const groups: OpenGroup[] = []
  const triggers: Placed[] = []
  const refused: RefusedExit[] = []
  for (const each of placed) {
    const refusal = each.order.isReduceOnly
      ? checkExitMarket(each.order.asset, `orders[${each.at}]`)
      : null
    if (refusal !== null) {
      refused.push({ at: each.at, refusal })
      continue
    }
    const kind = kindOf(input, each)
    if (kind === 'reducing' && each.order.type.kind === 'trigger') triggers.push(each)
    else if (kind === 'reducing' || kind === 'closing') exits.push({ ...each, kind })
    else groups.push({ entry: each, refusal: kind === 'entry' ? null : kind, children: [] })
  }
  const hasOnlyReducing = groups.length === 0 && exits.every((each) => each.kind === 'reducing')
  const closing = groups.length === 0 ? closingLeader(action, exits) : null
  if (action.grouping !== 'na' && !hasOnlyReducing && closing === null) {
    const problem = groupProblem(action, groups, exits)
    if (problem !== null) return refuse('invalid', problem)
  }
  for (const trigger of triggers) {
    const owner = ownerOf(groups, trigger)
    if (owner !== null) owner.children.push(trigger)
    else if (closing !== null && isFacing(closing, trigger)) refused.push(unopened(trigger))
    else exits.push({ ...trigger, kind: 'reducing' })
  }
  const [stray] = exits
  if (action.grouping === 'normalTpsl' && groups.length > 0 && stray !== undefined) {
    const text = `orders[${stray.at}]: does not belong to the entry of its normalTpsl group`
    return refuse('invalid', text)
  }
  const entries: SortedEntry[] = []
  for (const group of groups) {
    const closed = closedGroup(group, builderFee)
    if (!closed.ok) return closed
    entries.push({ group: closed.value, refusal: group.refusal })
  }
  exits.sort((left, right) => left.at - right.at)
  return ok({ exits, entries, refused, grouping: closing === null ? action.grouping : 'na' })
}

/** Ids that Guard gives out are no bot's to use. */
export function checkOwnIds({ orders }: OrderAction): Refusal | null {
  const at = orders.findIndex(({ cloid }) => cloid?.startsWith(guardCloidPrefix) === true)
  if (at < 0) return null
  return { code: 'invalid', text: `orders[${at}]: client order ids of this kind are Guard's own` }
}

/** The first order of a `normalTpsl` group, where it closes a position instead of opening one. */
function closingLeader(action: OrderAction, exits: readonly ExitOrder[]): ExitOrder | null {
  if (action.grouping !== 'normalTpsl') return null
  return exits.find(({ at, kind }) => at === 0 && kind === 'closing') ?? null
}

function isFacing(leader: Placed, { order }: Placed): boolean {
  return order.asset === leader.order.asset && order.isBuy !== leader.order.isBuy
}

/** A stop or take profit for what the first order of its group would have opened. */
function unopened({ at }: Placed): RefusedExit {
  const text = `orders[${at}]: belongs to what orders[0] would open, and orders[0] only closes a position; send it once there is a position that it reduces`
  return { at, refusal: { code: 'invalid', text } }
}

/** Nobody knows what the venue makes of the reduce-only flag where there are no positions. */
export function checkExitMarket(asset: number, place: string): Refusal | null {
  const kind = assetKind(asset)
  if (kind === 'reserved') {
    const text = `${place}: asset ${asset} is no perp that the venue lists`
    return { code: 'unknown_market', text }
  }
  if (kind !== 'spot' && kind !== 'outcome') return null
  const name = kind === 'spot' ? 'a spot' : 'an outcome'
  const text = `${place}: asset ${asset} is ${name} market, which has no position to reduce`
  return { code: 'unsupported_market', text }
}

/** What an order is; a refusal where it opens and can never be judged. */
function kindOf(input: JudgeInput, placed: Placed): 'reducing' | 'closing' | 'entry' | Refusal {
  const { at, order } = placed
  if (order.isReduceOnly) return 'reducing'
  if (order.type.kind === 'trigger') {
    const position = positionOf(input, order)
    return checkTrigger(input, position, placed) ?? checkCloid(input, placed) ?? 'entry'
  }
  const held = heldAgainst(input, order)
  if (held === null) return checkCloid(input, placed) ?? 'entry'
  return flips(input, held, order, `orders[${at}]`) ?? 'closing'
}

/**
 * Why an order that waits for a trigger may not open a position. Where the rules let it, it is not cut
 * to a position that it is against: it may find none when it fires.
 */
function checkTrigger(
  input: JudgeInput,
  position: PositionView | null,
  { at, order }: Placed,
): Refusal | null {
  if (!watchesTriggers(input, order.asset)) {
    const text = `orders[${at}]: a trigger order that is not reduce-only would open a position; Guard opens only with limit orders (trigger_entries = "refuse"); if it is to close a position, its reduce-only flag is missing`
    return { code: 'unsupported_order', text }
  }
  if (position === null || position.size.isPositive() === order.isBuy) return null
  return flips(input, position, order, `orders[${at}]`)
}

/** The id of an entry must be its own: an order that is on its way or open may have it already. */
function checkCloid(input: JudgeInput, { at, order }: Placed): Refusal | null {
  const holder = order.cloid === null ? null : input.account.holderOf(order.cloid)
  if (holder === null) return null
  return {
    code: 'invalid',
    text: `orders[${at}]: ${holder} has the client order id ${String(order.cloid)} already; give each order one of its own`,
  }
}

/** Why an order against a position must not go though it could be cut to it: the rules refuse that. */
export function flips(
  input: JudgeInput,
  position: Pick<PositionView, 'coin' | 'size'>,
  order: Pick<Order, 'size'>,
  name: string,
): Refusal | null {
  const held = position.size.abs()
  const rules = input.rulesFor(input.client, position.coin)
  if (order.size.lte(held) || rules.flip === 'cut') return null
  return {
    code: 'flip',
    text: `${name}: ${order.size.toString()} against a ${position.coin} position of ${held.toString()} would turn it around; close it first, with at most ${held.toString()}`,
  }
}

/**
 * The size that an order would close, always positive: of the position it is against, or of what the
 * answers to earlier orders say was filled though no fill has told it yet. Null where it closes nothing.
 */
export function heldAgainst(
  input: JudgeInput,
  { asset, isBuy }: Pick<Order, 'asset' | 'isBuy'>,
): Pick<PositionView, 'coin' | 'size'> | null {
  const market = marketOf(input, asset)
  if (market === null) return null
  const { coin } = market
  const told = input.account.positions.get(coin)?.size ?? Decimal.zero
  const soon = told.plus(input.account.filledUntold(coin))
  const size = isBuy ? Decimal.max(told.negated(), soon.negated()) : Decimal.max(told, soon)
  return size.isPositive() ? { coin, size } : null
}

/** The open position on an order's market; null when there is none. */
export function positionOf(input: JudgeInput, order: Pick<Order, 'asset'>): PositionView | null {
  const market = marketOf(input, order.asset)
  const position = market === null ? undefined : input.account.positions.get(market.coin)
  return position === undefined || position.size.isZero() ? null : position
}

/** Why a group with an entry or a close in it cannot be judged as a group. */
function groupProblem(
  action: OrderAction,
  groups: readonly OpenGroup[],
  exits: readonly ExitOrder[],
): string | null {
  if (action.grouping === 'positionTpsl') {
    const at = Math.min(
      ...[...groups.map((each) => each.entry.at), ...exits.map((each) => each.at)],
    )
    return `orders[${at}]: a positionTpsl group holds only reduce-only triggers`
  }
  const [first, second] = groups
  if (first?.entry.at !== 0) return 'orders[0]: must be the entry of its normalTpsl group'
  if (second !== undefined) {
    return `orders[${second.entry.at}]: a normalTpsl group has one entry; send several with grouping na`
  }
  return null
}

/** A reduce-only trigger belongs to the only entry of its coin on the other side, or the last one before it. */
function ownerOf(groups: readonly OpenGroup[], trigger: Placed): OpenGroup | null {
  const { asset, isBuy } = trigger.order
  const facing = groups.filter(
    ({ entry }) => entry.order.asset === asset && entry.order.isBuy !== isBuy,
  )
  const [only, second] = facing
  if (only !== undefined && second === undefined) return only
  return facing.findLast(({ entry }) => entry.at < trigger.at) ?? null
}

function closedGroup(open: OpenGroup, builderFee: number): Result<EntryGroup, Refusal> {
  const triggers = open.children.filter(isTrigger)
  const stops = triggers.filter((each) => each.order.type.tpsl === 'sl')
  const profits = triggers.filter((each) => each.order.type.tpsl === 'tp')
  const extra = stops[1] ?? profits[1]
  if (extra !== undefined) {
    const name = stops.length > 1 ? 'stop' : 'take profit'
    return refuse('invalid', `orders[${extra.at}]: a second ${name} for orders[${open.entry.at}]`)
  }
  const { entry, children } = open
  const group = { entry, children, stop: stops[0] ?? null, builderFee, carriedStop: null }
  const numbers = checkNumbers(group)
  return numbers.ok ? ok(group) : numbers
}

function isTrigger(placed: Placed): placed is PlacedTrigger {
  return placed.order.type.kind === 'trigger'
}
