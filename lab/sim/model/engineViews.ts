import type { Address } from '../../../src/core/values/address.ts'
import { coin } from '../../../src/core/values/coin.ts'
import type { Coin } from '../../../src/core/values/coin.ts'
import type { Venue } from '../engine/venue.ts'
import type { FillView, OrderView, PerpStateView, PositionView } from '../engine/views.ts'

/** What the engine has to say of an account, with the model's names for it. */

type IdOf = (oid: number) => number

export function orderTold(order: OrderView, idOf: IdOf): unknown {
  const { trigger } = order
  return {
    id: idOf(order.oid),
    coin: order.coin,
    isBuy: order.isBuy,
    price: order.limitPrice,
    left: order.size,
    wanted: order.originalSize,
    time: order.timestamp,
    cloid: order.cloid,
    isReduceOnly: order.isReduceOnly,
    trigger,
    isPositionTpsl: order.isPositionTpsl,
    tif: order.tif,
    type: order.orderType,
    children: order.children.map(({ oid }) => idOf(oid)),
  }
}

export function fillTold(fill: FillView, idOf: IdOf): unknown {
  return {
    coin: fill.coin,
    price: fill.price,
    size: fill.size,
    isBuy: fill.isBuy,
    time: fill.time,
    start: fill.startPosition,
    dir: fill.dir,
    closedPnl: fill.closedPnl,
    id: idOf(fill.oid),
    crossed: fill.crossed,
    fee: fill.fee,
    cloid: fill.cloid,
    builderFee: fill.builderFee,
    liquidation: liquidationTold(fill),
  }
}

function liquidationTold({ liquidation }: FillView): unknown {
  if (liquidation === null) return null
  const { liquidatedUser: user, markPrice: mark, method } = liquidation
  return { user, mark, method }
}

function positionTold(position: PositionView): unknown {
  return {
    coin: position.coin,
    size: position.size,
    isIsolated: position.leverage.type === 'isolated',
    leverage: position.leverage.value,
    rawUsd: position.leverage.rawUsd,
    entry: position.entryPrice,
    worth: position.positionValue,
    profit: position.unrealisedPnl,
    returnOnEquity: position.returnOnEquity,
    liquidation: position.liquidationPrice,
    marginUsed: position.marginUsed,
    funding: position.cumFunding.sinceOpen,
  }
}

export function accountTold(
  venue: Venue,
  user: Address,
  markets: readonly { readonly coin: string; readonly dex?: string }[],
): unknown {
  const spot = venue.spotState(user)
  const available = spot.usdcAvailableAfterMaintenance
  const dexes = [...new Set(markets.map(({ dex = '' }) => dex))]
  return {
    dexes: dexes.map((dex) => dexTold(venue.perpState(user, dex))),
    spot:
      available === null
        ? null
        : { total: spot.usdcTotal, hold: spot.usdcHold, afterMaintenance: available },
    mode: venue.abstraction(user),
    volume: venue.cumulativeVolume(user),
    scheduled: venue.scheduledCancel(user),
    tradable: markets.map((market) => tradableTold(venue, user, coin(market.coin))),
  }
}

function dexTold(perp: PerpStateView): unknown {
  return {
    accountValue: perp.margin.accountValue,
    notional: perp.margin.totalNotional,
    rawUsd: perp.margin.totalRawUsd,
    marginUsed: perp.margin.totalMarginUsed,
    crossValue: perp.cross.accountValue,
    crossNotional: perp.cross.totalNotional,
    crossRawUsd: perp.cross.totalRawUsd,
    crossMarginUsed: perp.cross.totalMarginUsed,
    crossMaintenance: perp.crossMaintenance,
    withdrawable: perp.withdrawable,
    positions: perp.positions.map(positionTold),
  }
}

function tradableTold(venue: Venue, user: Address, name: Coin): unknown {
  const active = venue.activeAsset(user, name)
  const [buySize, sellSize] = active?.maxTradeSizes ?? []
  const [buy, sell] = active?.availableToTrade ?? []
  return {
    leverage: { isCross: active?.leverage.type === 'cross', value: active?.leverage.value },
    rawUsd: active?.leverage.rawUsd ?? null,
    buy: { size: buySize, available: buy },
    sell: { size: sellSize, available: sell },
  }
}
