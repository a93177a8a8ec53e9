import type { Json } from '../../../src/core/protocol/action.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import { reducible } from './account.ts'
import { capRefusal } from './dex/capRefusal.ts'
import { houseOrder } from './makers.ts'
import { marketOf } from './marketOf.ts'
import { match } from './matching.ts'
import { checkMargin } from './orderChecks.ts'
import { atScale, unitsAt } from './scaled.ts'
import { texts } from './texts.ts'
import type { TwapRow, TwapView } from './views.ts'
import type { VenueOptions } from './options.ts'
import type { Within } from './pools.ts'
import type { Account, LiveOrder, MarketState, Twap, World } from './world.ts'

/** What a client asks for; `minutes` is how long it is to take. */
export interface TwapOrder {
  readonly asset: number
  readonly isBuy: boolean
  readonly size: Decimal
  readonly isReduceOnly: boolean
  readonly minutes: number
  readonly randomize: boolean
  /** It starts when the mark is there. */
  readonly trigger: { readonly price: Decimal; readonly isAbove: boolean } | null
  /** It ends when the mark is there. */
  readonly stopPrice: Decimal | null
}

/** Slices are a multiple of half a minute apart. */
const halvesOfMinute = 2
export const minutesMin = 5
export const minutesMax = 10_080
const valueMin = Decimal.of('100')
const slippage = { buy: Decimal.of('1.03'), sell: Decimal.of('0.97') }
/** A slice that makes up for earlier ones is at most this many times a normal one. */
const catchUp = Decimal.whole(3)

export function applyTwapOrder(world: World, account: Account, order: TwapOrder): Json {
  const { minutes, isBuy, size, isReduceOnly } = order
  const market = marketOf(world, order.asset)
  if (market === undefined) return answer('twapOrder', { error: texts.badAsset })
  const why = refusalOf(account, market, order)
  if (why !== null) return answer('twapOrder', { error: why })
  const view: TwapView = {
    ...{ twapId: world.nextOid++, coin: market.coin, user: account.address, isBuy, size },
    ...{ executedSize: Decimal.zero, executedValue: Decimal.zero, minutes, isReduceOnly },
    ...{ randomize: order.randomize, timestamp: world.nowMs },
    ...{ trigger: order.trigger, stopPrice: order.stopPrice },
  }
  const twap = { view, market, ...slicesOf(world, market, order) }
  account.twaps.set(view.twapId, { ...twap, startMs: null, nextMs: world.nowMs })
  tell(world, account, view, order.trigger === null ? 'activated' : 'waitingForTrigger')
  runTwaps(world)
  return answer('twapOrder', { running: { twapId: view.twapId } })
}

export function applyTwapCancel(
  world: World,
  account: Account,
  asset: number,
  twapId: number,
): Json {
  const twap = account.twaps.get(twapId)
  if (twap?.market.asset !== asset) return answer('twapCancel', { error: texts.twapMissing })
  end(world, account, twap, 'terminated')
  return answer('twapCancel', 'success')
}

/** Ends those of a market that is not traded any more. */
export function endTwaps(world: World, market: MarketState): void {
  for (const account of world.accounts.values()) {
    for (const twap of [...account.twaps.values()]) {
      if (twap.market !== market) continue
      if (!failed(world, account, twap, 'delisting', texts.halted)) {
        end(world, account, twap, 'terminated')
      }
    }
  }
}

/** What happened to an account may end those of some markets, by the reading of what they survive. */
export function endTwapsAfter(
  world: World,
  account: Account,
  what: VenueOptions['twap_survives'][number],
  within: Within = () => true,
): void {
  if (world.options.twap_survives.includes(what)) return
  for (const twap of [...account.twaps.values()]) {
    if (within(twap.market)) end(world, account, twap, 'terminated')
  }
}

/** Those that a client is told of. */
export function listedTwaps(world: World, { twaps }: Account, within: Within): readonly TwapView[] {
  const isListed = ({ view, market, startMs }: Twap): boolean =>
    within(market) &&
    (world.options.twap_waiting_listed || startMs !== null || view.trigger === null)
  return [...twaps.values()].filter(isListed).map(({ view }) => view)
}

/** When the next slice of any account is due; null when none is. */
export function nextSliceMs(world: World): number | null {
  let next: number | null = null
  for (const { twaps } of world.accounts.values()) {
    for (const twap of twaps.values()) {
      const isDue = twap.startMs === null ? isReached(twap) : true
      const dueMs = twap.startMs === null ? world.nowMs : twap.nextMs
      if (isDue) next = Math.min(next ?? Infinity, dueMs)
    }
  }
  return next
}

/**
 * Starts those whose price has come, ends those whose stop price has, and sends the slices that are
 * due. Called whenever a mark has moved too: a price that was there between two slices counts.
 */
export function runTwaps(world: World): void {
  for (const account of world.accounts.values()) {
    for (const twap of account.twaps.values()) {
      if (twap.startMs === null) start(world, account, twap)
      if (twap.startMs === null) continue
      if (isStopped(twap)) {
        end(world, account, twap, 'stopped')
        continue
      }
      if (twap.nextMs > world.nowMs) continue
      twap.nextMs += twap.everyMs
      slice(world, account, twap)
    }
  }
}

/** A buy has a highest mark, a sell a lowest. */
function isStopped({ view: { stopPrice, isBuy }, market }: Twap): boolean {
  if (stopPrice === null) return false
  return isBuy ? market.mark.gte(stopPrice) : market.mark.lte(stopPrice)
}

/** Whether the slice after this one is none of its slices: its time is over then. */
function isLast({ startMs, nextMs, slices, everyMs }: Twap): boolean {
  return nextMs >= (startMs ?? 0) + slices * everyMs
}

/** How many slices there are, and how far apart: as close as their least value lets them be. */
export function slicesOf(
  { options }: World,
  { mark }: MarketState,
  { minutes, size }: Pick<TwapOrder, 'minutes' | 'size'>,
): Pick<Twap, 'slices' | 'everyMs'> {
  const halves = minutes * halvesOfMinute
  const value = size.times(mark)
  let step = 1
  const countAt = (each: number): number => Math.floor(halves / each) + 1
  while (
    step < halves &&
    value.lt(options.twap_min_slice_usd.times(Decimal.whole(countAt(step))))
  ) {
    step += 1
  }
  return { slices: countAt(step), everyMs: (step * options.twapMinuteMs) / halvesOfMinute }
}

/** Once the mark has been there it runs, wherever the mark goes then. */
function start(world: World, account: Account, twap: Twap): void {
  if (!isReached(twap)) return
  twap.startMs = world.nowMs
  twap.nextMs = world.nowMs
  if (twap.view.trigger !== null) tell(world, account, twap.view, 'activated')
}

function refusalOf(account: Account, market: MarketState, order: TwapOrder): string | null {
  const { minutes, size, isBuy, isReduceOnly } = order
  if (market.builder !== null && account.owner?.kind === 'vault') return texts.vaultAction
  if (market.market.isDelisted) return texts.halted
  if (minutes < minutesMin || minutes > minutesMax)
    return `Invalid TWAP duration: ${minutes} min(s)`
  const lots = unitsAt(size, market.sizeDecimals)
  if (lots === null || lots < 0n) return texts.badSize
  if (lots === 0n) return texts.zeroSize
  if ([order.trigger?.price, order.stopPrice].some((price) => price?.isPositive() === false)) {
    return texts.badPrice
  }
  if (size.times(market.mark).lt(valueMin)) return texts.twapTooSmall
  if (isReduceOnly && reducible(account, market, isBuy).isZero()) return texts.twapReduceOnly
  return null
}

function isReached({ view, market }: Twap): boolean {
  if (view.trigger === null) return true
  const { price, isAbove } = view.trigger
  return isAbove ? market.mark.gte(price) : market.mark.lte(price)
}

function slice(world: World, account: Account, twap: Twap): void {
  const { view, market } = twap
  const { isBuy, size } = view
  const wanted = sliceSize(world, twap)
  const reduces = view.isReduceOnly ? reducible(account, market, isBuy) : wanted
  if (reduces.isZero() && view.isReduceOnly) {
    if (failed(world, account, twap, 'reduceOnly', texts.twapReduceOnly)) return
    if (world.options.twap_ro_flat === 'end') {
      end(world, account, twap, 'terminated')
      return
    }
  }
  const sent = atScale(Decimal.min(wanted, reduces), market.sizeDecimals)
  if (sent.isPositive() && mayTake(world, account, twap, sent)) {
    const why = take(world, account, twap, sent)
    if (why !== null && failed(world, account, twap, why.because, why.text)) return
  }
  if (twap.view.executedSize.gte(size) || isLast(twap)) end(world, account, twap, 'finished')
}

/** What is missing to the share of the time that has passed, one slice ahead. */
function sliceSize(world: World, twap: Twap): Decimal {
  const { view, market, startMs, slices, everyMs } = twap
  const passedMs = world.nowMs - (startMs ?? world.nowMs)
  const passed = Decimal.whole(Math.floor(passedMs / everyMs) + 1)
  const normal = view.size.over(Decimal.whole(slices), market.sizeDecimals, 'up')
  const target = Decimal.min(view.size, normal.times(passed))
  const missing = Decimal.max(Decimal.zero, target.minus(view.executedSize))
  const wanted = Decimal.min(missing, normal.times(catchUp))
  if (!view.randomize || isLast(twap)) return wanted
  const varied = wanted.times(new Decimal(BigInt(world.random.between(80, 120)), 2))
  const most = view.size.minus(view.executedSize)
  return Decimal.min(varied.rounded(market.sizeDecimals, 'down'), most)
}

/** At the cap of open interest a slice that would add to it does not trade, just after an upgrade none. */
function mayTake(world: World, account: Account, { view, market }: Twap, size: Decimal): boolean {
  const { isBuy, isReduceOnly } = view
  if (world.options.postOnlyPeriod) return false
  const asked = { account, market, isBuy, size, isReduceOnly, price: market.oracle }
  return capRefusal(world, asked) === null
}

type Failure = VenueOptions['twap_error_on'][number]

/** Ends it with an error, where by the reading this is one that ends it. */
function failed(
  world: World,
  account: Account,
  twap: Twap,
  because: Failure,
  text: string,
): boolean {
  if (!world.options.twap_error_on.includes(because)) return false
  end(world, account, twap, 'error', text)
  return true
}

/** Why a slice traded less than it might; null where nothing was in its way. */
type SliceProblem = { readonly because: Failure; readonly text: string } | null

function take(world: World, account: Account, twap: Twap, size: Decimal): SliceProblem {
  const { view, market } = twap
  const { isBuy, isReduceOnly, twapId } = view
  const from = world.options.twap_ref === 'mid' ? market.mid : market.mark
  const worst = from.times(isBuy ? slippage.buy : slippage.sell)
  const price = worst.rounded(market.priceScale, isBuy ? 'down' : 'up')
  const units = unitsAt(price, market.priceScale) ?? 0n
  const house = houseOrder(world, account, market, isBuy, units, size)
  const order: LiveOrder = { ...house, tif: 'Ioc', isReduceOnly, twapId }
  const short = checkMargin(world, order)
  if (short !== null) return { because: 'margin', text: short.text }
  const { filled, value, isShortOfMargin } = match(world, order)
  twap.view = {
    ...view,
    executedSize: view.executedSize.plus(filled),
    executedValue: view.executedValue.plus(value),
  }
  if (isShortOfMargin) return { because: 'margin', text: texts.margin }
  return filled.isZero() ? { because: 'liquidity', text: texts.noLiquidity } : null
}

function end(
  world: World,
  account: Account,
  { view }: Twap,
  status: TwapRow['status'],
  description: string | null = null,
): void {
  account.twaps.delete(view.twapId)
  tell(world, account, view, status, description)
}

function tell(
  world: World,
  account: Account,
  view: TwapView,
  status: TwapRow['status'],
  description: string | null = null,
): void {
  const row: TwapRow = { time: Math.floor(world.nowMs / 1_000), view, status, description }
  account.twapHistory.push(row)
  const { isBuy, size, coin, minutes } = view
  const what = `${isBuy ? 'Buy' : 'Sell'} ${size.toString()} ${coin} over ${minutes} minutes`
  world.events.push(
    { kind: 'notification', user: account.address, text: `TWAP ${status}: ${what}` },
    { kind: 'twap', user: account.address, row },
    { kind: 'account', user: account.address },
  )
}

function answer(type: 'twapOrder' | 'twapCancel', status: Json): Json {
  return { status: 'ok', response: { type, data: { status } } }
}
