import { Rounded } from './difference.ts'
import { Exact } from './exact.ts'
import {
  crossInitial,
  crossMaintenance,
  crossNotional,
  crossOf,
  crossValue,
  isolatedEquity,
  isolatedNotional,
  isolatedOf,
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
import { onDex } from './pools.ts'
import type { Within } from './pools.ts'
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
  const dexes = [...new Set(state.markets.map(({ dex }) => dex))]
  return {
    dexes: dexes.map((dex) => dexSaid(state, account, dex)),
    spot: spotSaid(state, account),
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

/** What the venue answers about an account's money and positions on one dex. */
function dexSaid(state: ModelState, account: ModelAccount, dex: string): unknown {
  const within = onDex(dex)
  const initial = crossInitial(account, within)
  const value = shareOf(state, account, dex)
  const crossRaw = Exact.sum(
    crossOf(account, within).map(({ size, market }) => size.times(market.mark)),
  )
  const isolatedRaw = Exact.sum(
    isolatedOf(account, within).map(({ put, size, entry }) => put.minus(size.times(entry))),
  )
  const isolated = isolatedValue(account, within)
  const notional = crossNotional(account, within)
  return {
    accountValue: shown(value.plus(isolated)),
    notional: notional.plus(isolatedNotional(account, within)),
    rawUsd: shown(value.minus(crossRaw).plus(isolatedRaw)),
    marginUsed: shown(initial.plus(isolated)),
    crossValue: shown(value),
    crossNotional: notional,
    crossRawUsd: shown(value.minus(crossRaw)),
    crossMarginUsed: shown(initial),
    crossMaintenance: shown(crossMaintenance(account, within)),
    withdrawable: new Rounded(withdrawable(state, account, value, within), 6, 'cut'),
    positions: account.positions
      .filter(({ market }) => within(market))
      .sort((one, two) => one.market.asset - two.market.asset)
      .map((position) => positionSaid(account, position)),
  }
}

/**
 * The cross value that a dex shows. Where a balance is shared it is what positions there use and
 * 1.01 of the orders' margin; the rest is in spot or, of an account that is not unified, on the
 * main dex.
 */
function shareOf(state: ModelState, account: ModelAccount, dex: string): Exact {
  if (!account.sharesPools) return crossValue(account, dex)
  if (dex === '' && !account.isUnified) {
    const isElsewhere: Within = (market) => market.dex !== ''
    return crossValue(account, '').minus(postedFor(state, account, isElsewhere))
  }
  return postedFor(state, account, onDex(dex))
}

function postedFor(state: ModelState, account: ModelAccount, within: Within): Exact {
  const reserved = orderMargin(state, account, within).times(Exact.one.plus(hundredth))
  return crossInitial(account, within).plus(reserved)
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
  const everywhere: Within = () => true
  const cross = crossValue(account, '')
  const isolated = isolatedValue(account, everywhere)
  const equity = cross.plus(isolated)
  const open = Exact.sum(account.positions.map((each) => openProfit(each)))
  return {
    total: shownOnSpot(state.rules.unifiedTotal === 'equity' ? equity : equity.minus(open)),
    hold: shownOnSpot(postedFor(state, account, everywhere).plus(isolated)),
    afterMaintenance: shownOnSpot(
      Exact.most(Exact.zero, cross.minus(crossMaintenance(account, everywhere))),
    ),
  }
}
