import type { AccountView, PositionView, Stop, StopInFlight } from '../account/accountView.ts'
import { coverOf, tightestFirst } from '../account/cover.ts'
import type { Action, Order } from '../protocol/action.ts'
import { roundPriceAway, roundPriceToward } from '../protocol/grid.ts'
import type { CloidMint } from '../protocol/guardCloid.ts'
import type { Market } from '../protocol/market.ts'
import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { limits } from '../values/limits.ts'
import type { Millis } from '../values/millis.ts'
import { batches } from './batches.ts'
import { closeOrder, stopOrder } from './closeOrder.ts'
import { byCoin, flattenRetryMs } from './planFlatten.ts'

export interface ProtectInput {
  readonly account: AccountView
  readonly now: Millis
  readonly stopDistance: (coin: Coin) => Decimal
  /** The stop Guard recorded for a coin's position when it let the entry through. */
  readonly recordedStops: ReadonlyMap<Coin, Decimal>
  /** The stops that the entries of a coin's position were judged with: the tightest of them. */
  readonly judgedStops: ReadonlyMap<Coin, Decimal>
  /** Coins whose stop the venue refused: their positions are closed instead. */
  readonly refusedStops: ReadonlySet<Coin>
  /** How much the open risk may still rise; asked only where something would raise it. */
  readonly riskLeft: () => Decimal
  readonly mint: CloidMint
}

export type ProtectStep = { readonly coin: Coin; readonly action: Action; readonly why: string } & (
  | { readonly kind: 'stop'; readonly order: Order; readonly trigger: Decimal }
  | { readonly kind: 'close'; readonly order: Order }
  | { readonly kind: 'cancel_entry' | 'remove_stop'; readonly oids: readonly number[] }
)

export interface ProtectPlan {
  readonly coins: readonly Coin[]
  /**
   * In the order they go out: entries that must make room for a stop, then stops and closes, then
   * other cancels.
   */
  readonly steps: readonly ProtectStep[]
  readonly actions: readonly Action[]
  readonly problems: readonly string[]
  /** The same for the same situation, however the price moves: paper mode speaks once of each. */
  readonly situation: string
}

/** What the account's positions and resting entries need to be protected in full, now. */
export function planProtect(input: ProtectInput): ProtectPlan {
  const { account } = input
  const steps: ProtectStep[] = []
  const problems: string[] = []
  for (const position of [...account.positions.values()].sort(byCoin)) {
    if (account.cover(position.coin)?.isFull !== false) continue
    const planned = protectPosition(input, position)
    if (typeof planned === 'string') problems.push(planned)
    else if (planned !== null) steps.push(planned)
  }
  const makingRoom = steps.length > 0 ? roomForStops(account) : []
  if (makingRoom.length > 0) problems.push(crowded)
  steps.unshift(...makingRoom)
  const bare = new Set(account.coinsWithoutStop())
  const room = new RiskRoom(input.riskLeft)
  for (const coin of [...account.coinsWithOrders()].sort()) {
    const market = account.market(coin)
    if (market === null) {
      problems.push(`${coin}: its orders cannot be judged, the market is not listed`)
      continue
    }
    if (bare.has(coin))
      steps.push(...cancels(market, 'rests without its stop', bareEntries(account, coin)))
    steps.push(...cancels(market, 'covered without it', idleStops(input, room, coin)))
  }
  return {
    coins: [...new Set(steps.map(({ coin }) => coin))].sort(),
    steps,
    actions: steps.map(({ action }) => action),
    problems,
    situation: [...steps.map(situationOf), ...problems].join('; '),
  }
}

/** A stop or a close; null while one is on its way; a sentence when neither can be made. */
function protectPosition(input: ProtectInput, position: PositionView): ProtectStep | string | null {
  const { account, mint, now } = input
  const { coin, size } = position
  const closingSince = account.closingSince(coin)
  if (closingSince !== null && now - closingSince < flattenRetryMs) return null
  const flying = account.stopsInFlight(coin).filter(({ isBuy }) => isBuy !== size.isPositive())
  if (flying.some((stop) => willCover(stop, size))) return null
  // A stop that gives way to one on its way protects until the venue says it is gone.
  const isReplaced = flying.some((stop) => stop.size.gte(size.abs()))
  if (isReplaced && coverOf(size, account.stops(coin), Decimal.one).isFull) return null
  const market = account.market(coin)
  if (market === null) return `${coin}: the position is not covered, and the market is not listed`
  const price = account.mid(coin)?.price ?? account.mark(coin)
  const placed = stopOr(input, market, size, price)
  if (placed.kind === 'stop') {
    const order = stopOrder(market, size, placed.trigger, mint)
    return {
      kind: 'stop',
      coin,
      order,
      trigger: placed.trigger,
      action: orders(order),
      why: 'not covered in full',
    }
  }
  if (price === null) return `${coin}: the position is not covered, and there is no price for it`
  const order = closeOrder(market, size, price, mint)
  return { kind: 'close', coin, order, action: orders(order), why: placed.why }
}

/** A stop on its way that will do: Guard's, an entry's own, or the bot's once the venue took it. */
function willCover({ owner, parent, isAccepted, size }: StopInFlight, held: Decimal): boolean {
  return parent !== null || owner === 'guard' || (isAccepted && size.gte(held.abs()))
}

type Placed = { kind: 'stop'; trigger: Decimal } | { kind: 'close'; why: string }

/** Where the stop goes: the tighter of its distance from the mid and the recorded one. */
function stopOr(input: ProtectInput, market: Market, size: Decimal, price: Decimal | null): Placed {
  const { coin } = market
  const isLong = size.isPositive()
  const recorded = input.recordedStops.get(coin) ?? null
  if (input.refusedStops.has(coin)) return { kind: 'close', why: 'the venue refused its stop' }
  if (price === null) {
    return recorded === null
      ? { kind: 'close', why: 'there is no price for a stop' }
      : {
          kind: 'stop',
          trigger: roundPriceToward(market, recorded, isLong ? recorded.times(far) : Decimal.zero),
        }
  }
  const mark = input.account.mark(coin) ?? price
  const isBeyond = (trigger: Decimal, of: Decimal): boolean =>
    isLong ? trigger.gte(of) : trigger.lte(of)
  if (recorded !== null && (isBeyond(recorded, price) || isBeyond(recorded, mark))) {
    return { kind: 'close', why: `its stop ${recorded.toString()} is already crossed` }
  }
  const distance = input.stopDistance(coin)
  const share = isLong ? Decimal.one.minus(distance) : Decimal.one.plus(distance)
  const own = price.times(share)
  const tighter = recorded !== null && isBeyond(recorded, own) ? recorded : own
  const toward = roundPriceToward(market, tighter, price)
  // On a coarse grid rounding may reach the price itself; the next one away still protects.
  const trigger = isBeyond(toward, price) ? roundPriceAway(market, tighter, price) : toward
  return trigger.isPositive() && !isBeyond(trigger, price)
    ? { kind: 'stop', trigger }
    : { kind: 'close', why: 'no price on the grid lies between it and its stop' }
}

const far = Decimal.of('2')

const crowded = 'so many orders are open that the youngest entries make room for a stop'

/** Where the venue has so many orders that it would refuse a stop, the youngest entries go first. */
function roomForStops(account: AccountView): readonly ProtectStep[] {
  if (account.openOrderCount < limits.ordersCrowdedFrom) return []
  const entries = [...account.coinsWithOrders()].flatMap((coin) => {
    const market = account.market(coin)
    return account.restingEntries(coin).flatMap(({ oid, stop }) => {
      // Those without a stop are cancelled in any case.
      if (market === null || oid === null || stop === null) return []
      return account.cancellingSince(oid) === null ? [{ market, oid }] : []
    })
  })
  const youngest = entries.sort((left, right) => right.oid - left.oid)
  const chosen = youngest.slice(0, limits.flattenBatchMax)
  return [...new Set(chosen.map(({ market }) => market))].flatMap((market) => {
    const oids = chosen.flatMap((each) => (each.market === market ? [each.oid] : []))
    return cancels(market, 'makes room for a stop', oids)
  })
}

/** Entries that the venue lists without their stop. */
function bareEntries(account: AccountView, coin: Coin): readonly number[] {
  const oids: number[] = []
  for (const { oid, stop, isConfirmed } of account.restingEntries(coin)) {
    if (oid === null || !isConfirmed || stop !== null) continue
    if (account.cancellingSince(oid) === null) oids.push(oid)
  }
  return oids.sort((left, right) => left - right)
}

/**
 * Guard's own stops that nothing needs any more: the position is gone, or covered without them. A
 * stop younger than the positions that are held may belong to a fill that is still on its way.
 */
function idleStops(input: ProtectInput, room: RiskRoom, coin: Coin): readonly number[] {
  const { account } = input
  const working = account.stops(coin).filter(({ oid }) => account.cancellingSince(oid) === null)
  const own = working.filter(({ owner }) => owner === 'guard')
  if (own.length === 0) return []
  const position = account.positions.get(coin)
  // A stop may be shown before the fill it came with: until then it only seems to be one too many.
  if (!isSettled(account, coin, own)) return []
  if (position === undefined) return own.map(oidOf)
  const isLong = position.size.isPositive()
  const facing = own.filter(({ isBuy }) => isBuy !== isLong)
  const wrongSide = own.filter(({ isBuy }) => isBuy === isLong)
  const removed = new Set<Stop>()
  const raisedBy = riskRaisedBy(input, position, working)
  const raised = (): Decimal | null => raisedBy(working.filter((stop) => !removed.has(stop)))
  const covers = (): boolean => room.holds(raised())
  for (const stop of facing) removed.add(stop)
  if (!covers()) {
    removed.clear()
    for (const stop of [...facing].sort(leastUsefulFirst(isLong))) {
      removed.add(stop)
      if (!covers()) removed.delete(stop)
    }
  }
  room.take(raised())
  const covered = facing.filter((stop) => removed.has(stop)).sort(tightestFirst(isLong))
  return [...covered, ...wrongSide].map(oidOf)
}

/** What is left of the open risk, for all that one plan removes. */
class RiskRoom {
  readonly #ask: () => Decimal
  #taken = Decimal.zero

  constructor(ask: () => Decimal) {
    this.#ask = ask
  }

  holds(raised: Decimal | null): boolean {
    if (raised === null) return false
    return !raised.isPositive() || raised.plus(this.#taken).lte(this.#ask())
  }

  take(raised: Decimal | null): void {
    if (raised !== null && raised.isPositive()) this.#taken = this.#taken.plus(raised)
  }
}

/**
 * How much more a position risks with some of its stops alone: the room that the others made may
 * have been given to an entry since. Null where they do not do: they must be as tight as the
 * position was judged with, or as what covers it now, as a stop far away frees nothing.
 */
function riskRaisedBy(
  { account, judgedStops }: ProtectInput,
  { coin, size, entryPrice }: PositionView,
  working: readonly Stop[],
): (stops: readonly Stop[]) => Decimal | null {
  const isLong = size.isPositive()
  const price = account.mid(coin)?.price ?? account.mark(coin) ?? entryPrice
  const now = coverOf(size, working, price)
  const judged = judgedStops.get(coin)
  const current = now.loosest ?? judged
  const isLooser = judged !== undefined && current?.[isLong ? 'lt' : 'gt'](judged) === true
  const bound = isLooser ? current : judged
  return (stops) => {
    const { isFull, loosest, risk } = coverOf(size, stops, price)
    if (!isFull || loosest === null) return null
    const isTooLoose = bound !== undefined && loosest[isLong ? 'lt' : 'gt'](bound)
    return isTooLoose ? null : risk.minus(now.risk)
  }
}

/** No fill can be on its way that these stops belong to. */
function isSettled(account: AccountView, coin: Coin, stops: readonly Stop[]): boolean {
  const seenUntil = account.venueTime ?? 0
  if (account.restingEntries(coin).some(({ isConfirmed }) => !isConfirmed)) return false
  return stops.every(({ placedAt }) => placedAt < seenUntil)
}

/** Small before large, loose before tight, old before new: what is tried first for removal. */
function leastUsefulFirst(isLong: boolean): (left: Stop, right: Stop) => number {
  const tight = tightestFirst(isLong)
  return (left, right) => left.size.cmp(right.size) || -tight(left, right)
}

function cancels(
  { asset, coin }: Market,
  why: 'makes room for a stop' | 'rests without its stop' | 'covered without it',
  oids: readonly number[],
): readonly ProtectStep[] {
  const kind = why === 'covered without it' ? 'remove_stop' : 'cancel_entry'
  return batches(oids, limits.flattenBatchMax).map((batch) => ({
    kind,
    coin,
    oids: batch,
    action: { type: 'cancel', cancels: batch.map((oid) => ({ asset, oid })) },
    why,
  }))
}

function orders(order: Order): Action {
  return { type: 'order', orders: [order], grouping: 'na', builder: null }
}

const oidOf = ({ oid }: Stop): number => oid

function situationOf(step: ProtectStep): string {
  const what = 'order' in step ? step.order.size.toString() : step.oids.join(',')
  return `${step.kind} ${step.coin} ${what}`
}
