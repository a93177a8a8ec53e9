import { Rounded } from './difference.ts'
import { Exact } from './exact.ts'
import {
  crossInitial,
  crossMaintenance,
  crossNotional,
  crossValue,
  isolatedEquity,
  isolatedNotional,
  isolatedValue,
  leverageOf,
  liquidationPrice,
  mostTradable,
  openProfit,
  orderMargin,
  positionIn,
  usedByCross,
  withdrawable,
  worth,
} from './margin.ts'
import { firesAbove } from './place.ts'
import type {
  ModelAccount,
  ModelFill,
  ModelMarket,
  ModelOrder,
  ModelPosition,
  ModelState,
} from './state.ts'

/** What the model has to say of an account, in the words of the venue's reads. */

const hundredth = Exact.of('0.01')
const shown = (value: Exact): Rounded => new Rounded(value, 6, 'nearest')
/** A liquidation price divides what was divided before. */
const priceSlack = Exact.of('0.000000001')
/** A balance as the spot state shows it, with 8 decimals; the perp state shows 6. */
const shownOnSpot = (value: Exact): Rounded => new Rounded(value, 8, 'nearest')

export function orderSaid(state: ModelState, order: ModelOrder): unknown {
  const children = state.open.filter(
    (each) => order.isParent && each.group === order.id && each.where === 'waiting for parent',
  )
  return {
    id: order.id,
    coin: order.market.coin,
    isBuy: order.isBuy,
    price: order.price,
    left: order.left,
    wanted: order.wanted,
    time: order.time,
    cloid: order.cloid,
    isReduceOnly: order.isReduceOnly,
    trigger: triggerSaid(order),
    isPositionTpsl: order.isPositionTpsl,
    tif: order.tif,
    type: typeText(order),
    children: children.map(({ id }) => id),
  }
}

function triggerSaid(order: ModelOrder): unknown {
  if (order.trigger === null) return null
  const { price, isMarket, tpsl } = order.trigger
  const condition = `Price ${firesAbove(order) ? 'above' : 'below'} ${price.toString()}`
  return { price, isMarket, tpsl, condition }
}

function typeText({ trigger, tif }: ModelOrder): string {
  if (trigger === null) return tif === 'FrontendMarket' ? 'Market' : 'Limit'
  const kind = trigger.tpsl === 'sl' ? 'Stop' : 'Take Profit'
  return `${kind} ${trigger.isMarket ? 'Market' : 'Limit'}`
}

export function fillSaid(fill: ModelFill): unknown {
  return { ...fill }
}

function positionSaid(account: ModelAccount, position: ModelPosition): unknown {
  const { market, size, entry, isIsolated } = position
  const { value: leverage } = leverageOf(account, market)
  const profit = openProfit(position)
  const liquidation = liquidationPrice(account, position)
  const atEntry = entry.times(size.abs()).over(Exact.of(leverage))
  return {
    coin: market.coin,
    size,
    isIsolated,
    leverage,
    rawUsd: isIsolated ? position.put.minus(size.times(entry)) : null,
    entry: entry.cut(6 - market.sizeDecimals),
    worth: worth(position),
    profit: shown(profit),
    returnOnEquity: new Rounded(profit.over(atEntry), 10, 'nearest'),
    liquidation: liquidation === null ? null : new Rounded(liquidation, 10, 'nearest', priceSlack),
    marginUsed: shown(isIsolated ? isolatedEquity(position) : usedByCross(position)),
    funding: position.funding,
  }
}

export function accountSaid(state: ModelState, account: ModelAccount): unknown {
  const reserved = orderMargin(state, account)
  const initial = crossInitial(account)
  // The perp side of a unified account holds what its positions use and 1.01 of its orders' margin.
  const posted = initial.plus(reserved.times(Exact.one.plus(hundredth)))
  const value = account.isUnified ? posted : crossValue(account)
  const crossRaw = Exact.sum(
    account.positions
      .filter(({ isIsolated }) => !isIsolated)
      .map(({ size, market }) => size.times(market.mark)),
  )
  const isolatedRaw = Exact.sum(
    account.positions
      .filter(({ isIsolated }) => isIsolated)
      .map(({ put, size, entry }) => put.minus(size.times(entry))),
  )
  const isolated = isolatedValue(account)
  return {
    accountValue: shown(value.plus(isolated)),
    notional: crossNotional(account).plus(isolatedNotional(account)),
    rawUsd: shown(value.minus(crossRaw).plus(isolatedRaw)),
    marginUsed: shown(initial.plus(isolated)),
    crossValue: shown(value),
    crossNotional: crossNotional(account),
    crossRawUsd: shown(value.minus(crossRaw)),
    crossMarginUsed: shown(initial),
    crossMaintenance: shown(crossMaintenance(account)),
    withdrawable: new Rounded(withdrawable(state, account, value), 6, 'cut'),
    spot: spotSaid(state, account),
    positions: [...account.positions]
      .sort((one, two) => one.market.asset - two.market.asset)
      .map((position) => positionSaid(account, position)),
    mode: modeSaid(state, account),
    volume: account.volume,
    scheduled: account.scheduled,
    tradable: state.markets.map((market) => ({
      leverage: leverageOf(account, market),
      rawUsd: rawUsdSaid(state, account, market),
      buy: tradableSaid(mostTradable(state, account, market, true)),
      sell: tradableSaid(mostTradable(state, account, market, false)),
    })),
  }
}

function modeSaid(state: ModelState, { isModeSet, isUnified }: ModelAccount): string | null {
  if (!isModeSet) return state.rules.neverSetModeIs
  return isUnified ? 'unifiedAccount' : 'disabled'
}

/** What lies in an isolated position of a coin, less what it cost. */
function rawUsdSaid(state: ModelState, account: ModelAccount, market: ModelMarket): Exact | null {
  const position = positionIn(account, market)
  const isIsolated = position?.isIsolated ?? !leverageOf(account, market).isCross
  if (!isIsolated || !state.rules.tellsRawUsd) return null
  if (position === null) return Exact.zero
  return position.put.minus(position.size.times(position.entry))
}

const tradableSaid = ({ size, available }: { size: Exact; available: Exact }): unknown => ({
  size,
  available: shown(available),
})

function spotSaid(state: ModelState, account: ModelAccount): unknown {
  if (!account.isUnified) return null
  const isolated = isolatedValue(account)
  const equity = crossValue(account).plus(isolated)
  const open = Exact.sum(account.positions.map((each) => openProfit(each)))
  const reserved = orderMargin(state, account).times(Exact.one.plus(hundredth))
  return {
    total: shownOnSpot(state.rules.unifiedTotal === 'equity' ? equity : equity.minus(open)),
    hold: shownOnSpot(crossInitial(account).plus(isolated).plus(reserved)),
    afterMaintenance: shownOnSpot(
      Exact.most(Exact.zero, crossValue(account).minus(crossMaintenance(account))),
    ),
  }
}
