import type { OpenOrder } from '../protocol/venueState.ts'
import { coin as coinOf } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import type { Account } from './account.ts'
import type { RestingEntry } from './accountView.ts'
import { tradedCoins } from './realVenue.fixture.ts'
import type { TradedCoin } from './realVenue.fixture.ts'

const number = (value: Decimal | null | undefined): number => parseFloat(`${value ?? 0}`)
/** Whole numbers, but for liquidation prices, which are only compared: this hides no difference. */
const exact = (value: number): number => Math.round(value * 1e6) / 1e6

interface Sums {
  readonly risk: number
  readonly value: number
  readonly open: number
  readonly bareOrders: readonly string[]
  readonly barePositions: readonly string[]
  readonly coins: readonly unknown[]
}

/**
 * What the account keeps as sums, and the same added up from its single orders and positions by
 * plain walking: two ways that share no code. `children` are the numbers of orders that were sent to
 * wait for others, each with the price of the one it waits for, which names it: whether one of them
 * works is what another law looks at. `isEarly` tells that a stop is there whose fill is not shown,
 * and that is tighter than those of the position.
 */
export function plainSums(
  account: Account,
  children: ReadonlyMap<number, number>,
): { readonly kept: Sums; readonly plain: Sums; readonly isEarly: boolean } {
  const { openRisk, openValue, uncoveredOrders, uncoveredPositions } = account.exposure()
  const kept: Sums = {
    ...{ risk: exact(number(openRisk)), value: number(openValue), open: account.openOrderCount },
    ...{ bareOrders: uncoveredOrders, barePositions: uncoveredPositions },
    coins: tradedCoins.map((coin) => keptOf(account, coin)),
  }
  const all = tradedCoins.map((coin) => ({ name: coin, ...plainOf(account, coin, children) }))
  const plain: Sums = {
    risk: exact(all.reduce((sum, { risk }) => sum + risk, 0)),
    value: all.reduce((sum, { buys, sells }) => sum + buys + sells, 0),
    open: tradedCoins.reduce((sum, name) => sum + account.ordersOf(coinOf(name)).length, 0),
    bareOrders: all.filter(({ isBare }) => isBare).map(({ name }) => name),
    barePositions: all.filter(({ uncovered }) => uncovered > 0).map(({ name }) => name),
    coins: all.map(({ coin }) => coin),
  }
  return { kept, plain, isEarly: all.some(({ isEarly }) => isEarly) }
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

function plainOf(account: Account, name: TradedCoin, children: ReadonlyMap<number, number>) {
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
  const cover = walked(account, stops, name, mid)
  const settled = walked(account, settledStops(stops, entries, children), name, mid)
  const [buys, sells] = [sideOf(true), sideOf(false)]
  return {
    ...{
      risk: entryRisk + Math.max(cover.risk, settled.risk),
      buys,
      sells,
      uncovered: cover.uncovered,
    },
    isEarly: settled.risk > cover.risk,
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

/** The stops without what belongs to entries whose fill is not shown. */
function settledStops(
  stops: readonly (readonly OpenOrder[])[],
  entries: readonly RestingEntry[],
  children: ReadonlyMap<number, number>,
): readonly (readonly OpenOrder[])[] {
  const unseen = (parent: number | undefined): number =>
    entries
      .filter(({ oid, price }) => oid === null && number(price) === parent)
      .reduce((sum, { size }) => sum + number(size), 0)
  return stops.map((row) =>
    row.map((stop) => {
      const left = Math.max(0, number(stop.size) - unseen(children.get(stop.oid)))
      return { ...stop, size: Decimal.whole(left) }
    }),
  )
}

/** What the stops leave uncovered, and what is lost at them, one after the other from the price on. */
function walked(
  account: Account,
  stops: readonly (readonly OpenOrder[])[],
  name: TradedCoin,
  mid: number,
): { risk: number; uncovered: number } {
  const coin = coinOf(name)
  const position = account.positions.get(coin)
  if (position === undefined) return { risk: 0, uncovered: 0 }
  const isLong = position.size.isPositive()
  const end = position.liquidationPrice === null ? null : number(position.liquidationPrice)
  let left = number(account.covered(coin)?.size)
  let risk = 0
  for (const { trigger, size } of stops[isLong ? 0 : 1] ?? []) {
    const at = number(trigger?.price)
    if (end !== null && (isLong ? at <= end : at >= end)) continue
    const part = Math.min(left, number(size))
    risk += part * Math.max(0, isLong ? mid - at : at - mid)
    left -= part
  }
  return { risk, uncovered: left }
}
