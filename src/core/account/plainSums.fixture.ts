import type { OpenOrder } from '../protocol/venueState.ts'
import { coin as coinOf } from '../values/coin.ts'
import type { Decimal } from '../values/decimal.ts'
import type { Account } from './account.ts'
import type { RestingEntry } from './accountView.ts'
import { tradedCoins } from './realVenue.fixture.ts'
import type { TradedCoin } from './realVenue.fixture.ts'

const number = (value: Decimal | null | undefined): number => parseFloat(`${value ?? 0}`)
/** Whole numbers, but for liquidation prices, which are only compared: this hides no difference. */
const exact = (value: number): number => Math.round(value * 1e6) / 1e6

interface Sums {
  readonly value: number
  readonly open: number
  readonly bareOrders: readonly string[]
  readonly barePositions: readonly string[]
  readonly coins: readonly unknown[]
}

/** Where orders come from, as the venue truly knows it. */
interface Origins {
  /** The numbers of orders that wait for others, each with the price of its parent, which names it. */
  readonly children: ReadonlyMap<number, number>
  /** The numbers of orders that Guard did not send. */
  readonly elsewhere: ReadonlySet<number>
}

interface RiskBounds {
  readonly kept: number
  readonly least: number
  readonly most: number
  /** Without a thought for fills that are not shown. */
  readonly naive: number
}

/**
 * What the account keeps as sums, and the same added up from its single orders and positions by
 * plain walking: two ways that share no code. The risk lies between two sums that are one where Guard
 * sent every stop itself: of those from elsewhere it depends on when they came.
 */
export function plainSums(
  account: Account,
  { children, elsewhere }: Origins,
): { readonly kept: Sums; readonly plain: Sums; readonly risk: RiskBounds } {
  const { openRisk, openValue, uncoveredOrders, uncoveredPositions } = account.exposure()
  const kept: Sums = {
    ...{ value: number(openValue), open: account.openOrderCount },
    ...{ bareOrders: uncoveredOrders, barePositions: uncoveredPositions },
    coins: tradedCoins.map((coin) => keptOf(account, coin)),
  }
  const all = tradedCoins.map((coin) => ({
    name: coin,
    ...plainOf(account, coin, { children, elsewhere }),
  }))
  const riskBy = (sum: 'least' | 'most' | 'naive'): number =>
    exact(all.reduce((total, each) => total + each[sum], 0))
  const plain: Sums = {
    value: all.reduce((sum, { buys, sells }) => sum + buys + sells, 0),
    open: tradedCoins.reduce((sum, name) => sum + account.ordersOf(coinOf(name)).length, 0),
    bareOrders: all.filter(({ isBare }) => isBare).map(({ name }) => name),
    barePositions: all.filter(({ uncovered }) => uncovered > 0).map(({ name }) => name),
    coins: all.map(({ coin }) => coin),
  }
  const [least, most, naive] = [riskBy('least'), riskBy('most'), riskBy('naive')]
  return { kept, plain, risk: { kept: exact(number(openRisk)), least, most, naive } }
}

function keptOf(account: Account, name: TradedCoin): unknown {
  const coin = coinOf(name)
  return {
    buys: number(account.coinExposure(coin, true).sideValue),
    sells: number(account.coinExposure(coin, false).sideValue),
    isOnItsWay: account.hasEntryInFlight(coin),
    isUnconfirmed: account.hasUnconfirmedEntry(coin),
    shares: account.extremeEntries(coin, []).map(shareOf).sort(),
    stops: [true, false].map((isLong) =>
      account
        .stopRow(coin, isLong)
        .list()
        .map(({ oid }) => oid),
    ),
    uncovered: number(account.cover(coin)?.uncovered),
  }
}

function plainOf(account: Account, name: TradedCoin, { children, elsewhere }: Origins) {
  const coin = coinOf(name)
  const mid = number(account.mid(coin)?.price)
  const entries = account.restingEntries(coin)
  const held = number(account.positions.get(coin)?.size)
  const sideOf = (isBuy: boolean): number => {
    const own = entries.filter((entry) => entry.isBuy === isBuy)
    const position = Math.max(0, isBuy ? held : -held) * mid
    return own.reduce(
      (sum, each) => sum + number(each.size) * Math.max(number(each.price), mid),
      position,
    )
  }
  const entryRisk = entries.reduce((sum, entry) => sum + riskOf(entry), 0)
  const stops = [true, false].map((isLong) => workingStops(account, name, isLong, children))
  const cover = walked(account, stops, name, mid, 0)
  const facing = stops[held > 0 ? 0 : 1] ?? []
  // Any part of an entry may take a stop that the position has to spare.
  const own = entries
    .filter(({ isBuy }) => isBuy === held > 0)
    .reduce((sum, { size }) => sum + number(size), 0)
  const isKnown = facing.every(({ oid }) => !elsewhere.has(oid))
  const least = entryRisk + walked(account, stops, name, mid, own).risk
  const most = isKnown ? least : Infinity
  const [buys, sells] = [sideOf(true), sideOf(false)]
  return {
    ...{ least, most, naive: entryRisk + cover.risk, buys, sells, uncovered: cover.uncovered },
    isBare: entries.some(({ stop }) => stop === null),
    coin: {
      ...{ buys, sells, shares: extremesOf(entries), uncovered: cover.uncovered },
      isOnItsWay: entries.some(({ oid }) => oid === null),
      isUnconfirmed: entries.some(({ isConfirmed }) => !isConfirmed),
      stops: stops.map((row) => row.map(({ oid }) => oid)),
    },
  }
}

function riskOf({ size, price, stop, isBuy }: RestingEntry): number {
  if (stop === null) return 0
  const loss = (number(price) - number(stop)) * (isBuy ? 1 : -1)
  return number(size) * Math.max(0, loss)
}

function shareOf({ stop, price, isBuy }: RestingEntry): string {
  return `${isBuy ? 'buy' : 'sell'} ${number(stop) / number(price)}`
}

/** The smallest and the largest stop, as a share of the price, on each side. */
function extremesOf(entries: readonly RestingEntry[]): readonly string[] {
  const found = [true, false].flatMap((side) => {
    const own = entries.filter(({ isBuy, stop }) => isBuy === side && stop !== null)
    const sorted = [...own].sort(
      (one, other) =>
        number(one.stop) / number(one.price) - number(other.stop) / number(other.price),
    )
    return sorted.length < 2 ? sorted : [sorted[0], sorted.at(-1)]
  })
  return found.flatMap((entry) => (entry === undefined ? [] : [shareOf(entry)])).sort()
}

/** The market stops among the open orders that neither wait nor are being cancelled, tightest first. */
function workingStops(
  account: Account,
  name: TradedCoin,
  isLong: boolean,
  children: ReadonlyMap<number, number>,
): readonly OpenOrder[] {
  const row = new Set(
    account
      .stopRow(coinOf(name), isLong)
      .list()
      .map(({ oid }) => oid),
  )
  const working = account
    .ordersOf(coinOf(name))
    .filter(
      ({ oid, isBuy, isReduceOnly, trigger, size }) =>
        isReduceOnly &&
        isBuy !== isLong &&
        trigger?.tpsl === 'sl' &&
        number(size) > 0 &&
        account.parentOf(oid) === null &&
        (!children.has(oid) || row.has(oid)) &&
        account.cancellingSince(oid) === null,
    )
  const sign = isLong ? -1 : 1
  return [...working].sort(
    (one, other) =>
      sign * (number(one.trigger?.price) - number(other.trigger?.price)) || one.oid - other.oid,
  )
}

/**
 * What the stops leave uncovered, and what is lost at them, one after the other from the price on; the
 * first of those that are too many, up to `lent`, are left to something else.
 */
function walked(
  account: Account,
  stops: readonly (readonly OpenOrder[])[],
  name: TradedCoin,
  mid: number,
  lent: number,
): { risk: number; uncovered: number } {
  const coin = coinOf(name)
  const position = account.positions.get(coin)
  if (position === undefined) return { risk: 0, uncovered: 0 }
  const isLong = position.size.isPositive()
  const end = position.liquidationPrice === null ? null : number(position.liquidationPrice)
  const reached = (stops[isLong ? 0 : 1] ?? []).filter(({ trigger }) => {
    const at = number(trigger?.price)
    return end === null || (isLong ? at > end : at < end)
  })
  let left = number(account.covered(coin)?.size)
  const total = reached.reduce((sum, { size }) => sum + number(size), 0)
  let skipped = Math.max(0, Math.min(lent, total - left))
  let risk = 0
  for (const { trigger, size } of reached) {
    const at = number(trigger?.price)
    const passed = Math.min(skipped, number(size))
    skipped -= passed
    const part = Math.min(left, number(size) - passed)
    risk += part * Math.max(0, isLong ? mid - at : at - mid)
    left -= part
  }
  return { risk, uncovered: left }
}
