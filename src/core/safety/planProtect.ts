import type { PositionView, WatchedAccount } from '../account/accountView.ts'
import type { Cover } from '../account/stop.ts'
import { brokenAt } from '../account/stopPromise.ts'
import type { StopPromise } from '../account/stopPromise.ts'
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
import { bareEntries, waitingEntries } from './entriesToCancel.ts'
import { idleStops, RiskRoom } from './idleStops.ts'
import { freshPrices } from './freshPrice.ts'
import { firedStop, isPriceTold, isStopKept } from './keptStop.ts'
import { outlivedStops } from './outlivedStops.ts'
import { coveredAt, sizeToStop } from './promisedPart.ts'
import { recordedStop } from './recordedStop.ts'
import { byCoin, flattenRetryMs } from './planFlatten.ts'
import { giveWay, isOnItsWay, stopsOnTheirWay } from './stopsOnTheirWay.ts'
import { twapCancel, twapsToEnd } from './twapsToCancel.ts'
import { wholeCover, wholeSize } from './wholeCover.ts'

export interface ProtectInput {
  readonly account: WatchedAccount
  readonly now: Millis
  readonly stopDistance: (coin: Coin) => Decimal
  /** The tightest stop that has covered all of a coin's position, of the size it has. */
  readonly recordedStops: ReadonlyMap<Coin, Decimal>
  /** What was promised for a coin's position: its entries' stops, or Guard's own. */
  readonly promises: ReadonlyMap<Coin, StopPromise>
  /** Coins whose stop the venue refused: their positions are closed instead. */
  readonly refusedStops: ReadonlySet<Coin>
  /** Whether the rules let entries wait for a trigger on a coin. */
  readonly mayWait: (coin: Coin) => boolean
  /** Whether the rules let TWAPs open positions on a coin. */
  readonly mayTwap: (coin: Coin) => boolean
  /** A TWAP's cancel is on its way, was taken, or waits after a failure. */
  readonly isTwapHeld: (id: number) => boolean
  /** A coin's position has another size, and the fill that made it so may be on its way. */
  readonly isFillAwaited: (coin: Coin) => boolean
  /** When the last stop on a coin was lost of which nothing was told since: it may have fired; null for none. */
  readonly stopLostAt: (coin: Coin) => Millis | null
  /** Since when the end of an order is known that closes such a position, while its fills are still to be told. */
  readonly endedSince: (coin: Coin, isLong: boolean) => Millis | null
  /** How much more a coin's stops may let be lost; asked only where something would raise it. */
  readonly riskLeft: (coin: Coin) => Decimal
  readonly mint: CloidMint
}

export type ProtectStep = { readonly coin: Coin; readonly action: Action; readonly why: string } & (
  | { readonly kind: 'stop'; readonly order: Order; readonly trigger: Decimal }
  | {
      readonly kind: 'close'
      readonly order: Order
      /** The trigger of the stop in whose place it closes a part; null where it closes all. */
      readonly inPlaceOf: Decimal | null
    }
  | {
      readonly kind: 'cancel_entry' | 'remove_stop' | 'remove_outlived'
      readonly oids: readonly number[]
    }
  | { readonly kind: 'cancel_twap'; readonly twapId: number }
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
  const lacking = new Set<Coin>()
  for (const position of [...account.positions.values()].sort(byCoin)) {
    const lack = lackOf(input, position)
    if (lack === null) continue
    lacking.add(position.coin)
    const planned = protectPosition(input, position, lack)
    if (typeof planned === 'string') problems.push(planned)
    else if (planned !== null) steps.push(planned)
  }
  const makingRoom = steps.length > 0 ? roomForStops(account) : []
  if (makingRoom.length > 0) problems.push(crowded)
  steps.unshift(...twapCancels(input), ...makingRoom)
  const bare = new Set(account.coinsWithoutStop())
  const refused = new Set(
    account.waitingValues().flatMap(({ coin }) => (input.mayWait(coin) ? [] : [coin])),
  )
  const room = new RiskRoom(input.riskLeft)
  for (const coin of [...account.coinsWithOrders()].sort()) {
    const market = account.market(coin)
    if (market === null) {
      problems.push(`${coin}: its orders cannot be judged, the market is not listed`)
      continue
    }
    if (bare.has(coin))
      steps.push(...cancels(market, 'rests without its stop', bareEntries(account, coin)))
    if (refused.has(coin))
      steps.push(...cancels(market, 'waits against the rules', waitingEntries(account, coin)))
    steps.push(...cancels(market, 'covered without it', idleStops(input, room, coin)))
    const outlived = outlivedStops(account, coin, !lacking.has(coin))
    steps.push(...cancels(market, 'its position has ended', outlived))
  }
  return {
    coins: [...new Set(steps.map(({ coin }) => coin))].sort(),
    steps,
    actions: steps.map(({ action }) => action),
    problems,
    situation: [...steps.map(situationOf), ...problems].join('; '),
  }
}

/** TWAPs that must not go on end before anything else: a slice would undo what follows. */
function twapCancels(input: ProtectInput): readonly ProtectStep[] {
  const { account, isTwapHeld } = input
  return twapsToEnd(account, input).flatMap(({ id, coin, why }) => {
    const market = account.market(coin)
    if (market === null || isTwapHeld(id)) return []
    return [{ kind: 'cancel_twap', coin, twapId: id, action: twapCancel(market.asset, id), why }]
  })
}

/** What a position lacks: cover at all, or the stop it was promised, which something took away. */
type Lack = { readonly kind: 'cover' } | { readonly kind: 'promise'; readonly trigger: Decimal }

function lackOf({ account, promises }: ProtectInput, { coin, size }: PositionView): Lack | null {
  if (!wholeCover(account, coin, size).isFull) return { kind: 'cover' }
  const promise = promises.get(coin)
  const covered = account.covered(coin)
  if (promise === undefined || covered === null) return null
  const trigger = brokenAt(account.stopRow(coin, size.isPositive()).all, covered, promise)
  return trigger === null ? null : { kind: 'promise', trigger }
}

/** A stop or a close; null while one is on its way; a sentence when neither can be made. */
function protectPosition(
  input: ProtectInput,
  position: PositionView,
  lack: Lack,
): ProtectStep | string | null {
  const { account, mint, now } = input
  const { coin, size } = position
  const closingSince = account.closingSince(coin)
  if (closingSince !== null && now - closingSince < flattenRetryMs) return null
  const endedSince = input.endedSince(coin, size.isPositive())
  // Its fills come in a moment, and with them what is left to cover.
  if (endedSince !== null && now - endedSince < fillsToldMs) return null
  const flying = stopsOnTheirWay(input, position)
  if (isOnItsWay(flying, input, position)) return null
  if (giveWay(flying, account, position)) return null
  // After a start its fills tell in a moment which stops it has.
  const isExplained = input.promises.get(coin)?.rest.isZero() === true
  if (account.mayHaveFired && !isExplained && now - position.since < fillsToldMs) return null
  const isCovered = lack.kind === 'promise'
  // What looks like a stop that was taken away may have fired, and closed its part.
  const lostAt = input.stopLostAt(coin)
  const mayHaveFired = lostAt !== null && now - lostAt < lostToldMs
  if (isCovered && (mayHaveFired || input.isFillAwaited(coin))) return null
  const market = account.market(coin)
  if (market === null) return `${coin}: the position is not covered, and the market is not listed`
  const { price } = freshPrices(account, coin)
  const recorded = lack.kind === 'promise' ? lack.trigger : recordedStop(input, position, flying)
  const isTold = isPriceTold(account, input.promises, position, recorded)
  const placed = stopOr(input, market, position, isTold ? price : null, { lack, recorded })
  const toStop = sizeToStop(market, {
    whole: wholeSize(account, position),
    uncovered: isCovered ? Decimal.zero : wholeCover(account, coin, size).uncovered,
    bare: isCovered ? Decimal.zero : (account.cover(coin) as Cover).uncovered,
    there: recorded === null ? Decimal.zero : coveredAt(account, position, recorded),
    promise: input.promises.get(coin),
    recorded,
  })
  if (placed.kind === 'stop') {
    const order = stopOrder(market, toStop, placed.trigger, mint)
    return {
      kind: 'stop',
      coin,
      order,
      trigger: placed.trigger,
      action: orders(order),
      why: isCovered ? 'without the stop it was promised' : 'not covered in full',
    }
  }
  if (price === null) return `${coin}: the position is not covered, and there is no price for it`
  const isPart = toStop.abs().lt(size.abs())
  const order = closeOrder(market, isPart ? toStop : size, price, mint)
  const inPlaceOf = isPart ? recorded : null
  return { kind: 'close', coin, order, inPlaceOf, action: orders(order), why: placed.why }
}

type Placed = { kind: 'stop'; trigger: Decimal } | { kind: 'close'; why: string }

/**
 * Where the stop goes: the tighter of its own distance and the recorded one, and always before the price
 * at which the venue liquidates. Its own distance is from the mid; from the mark where the mark would
 * have fired it already, and on a builder dex where the mark is the worse of the two. One that was
 * promised and is gone comes back as it was.
 */
function stopOr(
  input: ProtectInput,
  market: Market,
  position: PositionView,
  price: Decimal | null,
  { lack, recorded }: { readonly lack: Lack; readonly recorded: Decimal | null },
): Placed {
  const { coin, size, liquidationPrice } = position
  const isLong = size.isPositive()
  if (input.refusedStops.has(coin)) return { kind: 'close', why: 'the venue refused its stop' }
  if (price === null) {
    return recorded === null
      ? { kind: 'close', why: 'there is no price for a stop' }
      : {
          kind: 'stop',
          trigger: roundPriceToward(market, recorded, isLong ? recorded.times(far) : Decimal.zero),
        }
  }
  const isBeyond = (trigger: Decimal, of: Decimal): boolean =>
    isLong ? trigger.gte(of) : trigger.lte(of)
  const { mark } = freshPrices(input.account, coin)
  // The mark fires stops: where it is worse than the mid, they are as near to firing as it is.
  const firing = mark !== null && isBeyond(price, mark) ? mark : price
  if (recorded !== null && isBeyond(recorded, firing)) {
    return { kind: 'close', why: `its stop ${recorded.toString()} is already crossed` }
  }
  const distance = input.stopDistance(coin)
  const share = isLong ? Decimal.one.minus(distance) : Decimal.one.plus(distance)
  const isKept = lack.kind === 'promise' || isStopKept(input.promises, coin)
  // A thin book of a builder dex may put the mid far from the mark for long.
  const isMidTrusted = market.builder === undefined && !isBeyond(price.times(share), firing)
  const own = (isKept ? recorded : null) ?? (isMidTrusted ? price : firing).times(share)
  const judged = recorded ?? firedStop(input.account, input.promises, position, firing)
  const tighter = judged !== null && isBeyond(judged, own) ? judged : own
  const reached = beforeLiquidation(tighter, firing, liquidationPrice, isLong)
  const toward = roundPriceToward(market, reached, firing)
  // On a coarse grid rounding may reach the price itself; the next one away still protects.
  const trigger = isBeyond(toward, firing) ? roundPriceAway(market, reached, firing) : toward
  return trigger.isPositive() && !isBeyond(trigger, firing)
    ? { kind: 'stop', trigger }
    : { kind: 'close', why: 'no price on the grid lies between it and its stop' }
}

/** The trigger, or halfway to the liquidation where it would lie there or beyond and never be reached. */
function beforeLiquidation(
  trigger: Decimal,
  price: Decimal,
  liquidation: Decimal | null,
  isLong: boolean,
): Decimal {
  if (liquidation === null) return trigger
  const isReached = isLong ? trigger.gt(liquidation) : trigger.lt(liquidation)
  return isReached ? trigger : price.plus(liquidation).times(half)
}

/** What became of a stop that a list lacks is told within this, or it comes back without. */
const lostToldMs = 10_000
/** After a start, and after the end of an order, its fills are told within this, or a stop is placed without them. */
const fillsToldMs = 500
const half = Decimal.of('0.5')
const far = Decimal.of('2')

const crowded = 'so many orders are open that the youngest entries make room for a stop'

/** Where the venue has so many orders that it would refuse a stop, the youngest entries go first. */
function roomForStops(account: WatchedAccount): readonly ProtectStep[] {
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

/** The cancels that take a stop away. */
const kindsOfCancel: { readonly [why in ProtectCancel]?: 'remove_stop' | 'remove_outlived' } = {
  'covered without it': 'remove_stop',
  'its position has ended': 'remove_outlived',
}

type ProtectCancel =
  | 'makes room for a stop'
  | 'rests without its stop'
  | 'waits against the rules'
  | 'covered without it'
  | 'its position has ended'

function cancels(
  { asset, coin }: Market,
  why: ProtectCancel,
  oids: readonly number[],
): readonly ProtectStep[] {
  const kind = kindsOfCancel[why] ?? 'cancel_entry'
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

function situationOf(step: ProtectStep): string {
  if (step.kind === 'cancel_twap') return `${step.kind} ${step.coin} ${step.twapId}`
  const what = 'order' in step ? step.order.size.toString() : step.oids.join(',')
  return `${step.kind} ${step.coin} ${what}`
}
