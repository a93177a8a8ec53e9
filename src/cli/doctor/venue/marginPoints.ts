import { maintenanceOf, partsOfUsd } from '../../../core/protocol/maintenance.ts'
import type { Market } from '../../../core/protocol/market.ts'
import type { VenuePosition } from '../../../core/protocol/venueState.ts'
import { priceMismatches } from '../../../core/safety/liquidationPrices.ts'
import type { ActiveAssetData } from '../../../core/protocol/decodeInfoAccount.ts'
import { Decimal } from '../../../core/values/decimal.ts'
import { orderMargins, orderReadings, reserved } from './orderMargin.ts'
import { confirmed, isNear, judged, notSeen, refuted, untold } from './point.ts'
import type { Point, Sight } from './point.ts'
import { marginOf, poolOf, roomFor } from './pool.ts'
import type { Pool } from './pool.ts'
import type { Told } from './told.ts'

const scale = 12

/** Points about the margin of positions. */
export const marginPoints: readonly Point[] = [
  {
    name: 'cross-margin-used',
    assumed: 'a cross position uses its value over the leverage that is set now',
    option: 'crossRelever',
    look: lookAtMarginUsed,
  },
  {
    name: 'maintenance',
    assumed:
      'maintenance is half the margin at the highest leverage of each margin tier, with deductions',
    option: null,
    look: lookAtMaintenance,
  },
  {
    name: 'cross-liquidation-price',
    assumed: 'a cross position is liquidated where collateral less all maintenance is used up',
    option: null,
    look: (told) => lookAtPrices(told, 'cross'),
  },
  {
    name: 'isolated-liquidation-price',
    assumed:
      'an isolated position is liquidated where its own equity less its maintenance is used up',
    option: null,
    look: (told) => lookAtPrices(told, 'isolated'),
  },
  {
    name: 'unified-total',
    assumed: 'a unified balance has the open profit in it',
    option: 'unified_total',
    look: lookAtTotal,
  },
  {
    name: 'available-to-trade',
    assumed: 'free for an order is the collateral less initial margin and less orders of its side',
    option: null,
    look: lookAtAvailable,
  },
]

function lookAtMarginUsed(told: Told): Sight {
  const positions = told.states?.[1].positions
  if (positions === undefined) return untold('clearinghouseState')
  const cross = positions.filter(({ leverage }) => leverage.type === 'cross')
  const cases = cross.map(({ coin, positionValue, leverage, marginUsed }) => {
    const own = positionValue.over(Decimal.whole(leverage.value), scale, 'half-even')
    return {
      name: coin,
      fits: isNear(own, marginUsed, roomFor(positionValue)),
      values: {
        value: positionValue.toString(),
        leverage: leverage.value,
        margin_used: marginUsed.toString(),
      },
    }
  })
  return judged(cases, {
    none: 'no cross positions',
    all: 'its value over its leverage',
    some: 'another margin than its value over its leverage',
  })
}

function lookAtMaintenance(told: Told): Sight {
  const state = told.states?.[1]
  if (state === undefined || told.markets === null) return untold('what the account has')
  const cross = withMarkets(
    told,
    state.positions.filter(({ leverage }) => leverage.type === 'cross'),
  )
  if (cross === null) return notSeen('a position in a market that meta does not have')
  if (cross.length === 0) return notSeen('no cross positions')
  const own = cross.reduce(
    (sum, { market, position }) => sum.plus(maintenanceOf(market, position.positionValue)),
    Decimal.zero,
  )
  const computed = own.over(partsOfUsd, scale, 'half-even')
  const values = {
    crossMaintenanceMarginUsed: state.crossMaintenance.toString(),
    computed: computed.rounded(6, 'half-even').toString(),
    positions: cross.length,
  }
  return isNear(computed, state.crossMaintenance, roomFor(computed))
    ? confirmed('that amount', values)
    : refuted('another amount', values)
}

interface Held {
  readonly position: VenuePosition
  readonly market: Market
}

function withMarkets(
  { markets }: Told,
  positions: readonly VenuePosition[],
): readonly Held[] | null {
  const held = positions.flatMap((position) => {
    const market = markets?.byCoin.get(position.coin)
    return market === undefined ? [] : [{ position, market }]
  })
  return held.length < positions.length ? null : held
}

function lookAtPrices(told: Told, type: 'cross' | 'isolated'): Sight {
  const pool = poolOf(told)
  if (pool === null) return untold('what the account has')
  const held = withMarkets(told, pool[type])
  if (held === null) return notSeen('a position in a market that meta does not have')
  if (held.length === 0) return notSeen(`no ${type} positions`)
  const odd = type === 'cross' ? oddCross(pool, held) : oddIsolated(held)
  const prices = held.map(({ position: { coin, liquidationPrice, positionValue } }) => [
    coin,
    { liquidationPx: liquidationPrice?.toString() ?? null, value: positionValue.toString() },
  ])
  const values = { ...Object.fromEntries(prices), collateral: pool.collateral.toString() }
  return odd.length === 0
    ? confirmed('the price that follows, within 0.1% of the value', values)
    : refuted(odd.join('; '), values)
}

function oddCross({ collateral, spot }: Pool, held: readonly Held[]): readonly string[] {
  const { coins, pool } = priceMismatches({ held, collateral, isSameMoment: spot === null })
  return [...coins.values(), ...(pool === null ? [] : [pool])]
}

/** Each stands on its own margin alone. */
function oddIsolated(held: readonly Held[]): readonly string[] {
  return held.flatMap((each) => {
    const { marginUsed: collateral } = each.position
    return [...priceMismatches({ held: [each], collateral, isSameMoment: true }).coins.values()]
  })
}

function lookAtTotal(told: Told): Sight {
  const pool = poolOf(told)
  if (pool === null) return untold('what the account has')
  const available = pool.spot?.available ?? null
  if (pool.spot === null || available === null) return notSeen('the account is not unified')
  const { state, spot, isolated, room } = pool
  const profit = state.positions.reduce((sum, each) => sum.plus(each.unrealisedPnl), Decimal.zero)
  const equity = available.plus(marginOf(isolated)).plus(state.crossMaintenance)
  const values = {
    total: spot.total.toString(),
    available_after_maintenance: available.toString(),
    open_profit: profit.toString(),
    equity: equity.toString(),
  }
  if (available.isZero()) return notSeen('nothing is left after maintenance', values)
  if (profit.abs().lte(room.plus(room))) return notSeen('too little open profit to tell', values)
  if (isNear(spot.total, equity, room)) return confirmed('the profit is in it', values)
  return isNear(spot.total, equity.minus(profit), room)
    ? refuted('only what is settled', values)
    : refuted('neither equity nor what is settled', values)
}

function lookAtAvailable(told: Told): Sight {
  const pool = poolOf(told)
  if (pool === null) return untold('what the account has')
  if (told.orders === null) return notSeen('the open orders changed meanwhile')
  const cases = [...told.assets.values()].flatMap((asset) => availableCases(told, pool, asset))
  return judged(cases, {
    none: 'no market of which it was told',
    all: 'that much, to the size step',
    some: 'another amount',
  })
}

function availableCases(
  told: Told,
  pool: Pool,
  asset: ActiveAssetData,
): Parameters<typeof judged>[0] {
  const market = told.markets?.byCoin.get(asset.coin)
  const { available, mark, leverage, coin } = asset
  if (market === undefined || available === null || mark === null) return []
  const held = pool.state.positions.find((each) => each.coin === coin)?.size ?? Decimal.zero
  const step = new Decimal(1n, market.sizeDecimals).times(mark)
  const lot = step.over(Decimal.whole(leverage.value), scale, 'ceil')
  const room = pool.room.plus(lot)
  return (['buy', 'sell'] as const).flatMap((side) => {
    // An order that closes first has more room than is free.
    const closes = side === 'buy' ? held.isNegative() : held.isPositive()
    if (closes) return []
    const own = freeFor(told, pool, asset, side)
    return own === null
      ? []
      : [
          {
            name: `${coin} ${side}`,
            fits: own.some((each) => isNear(each, available[side], room)),
            values: {
              availableToTrade: available[side].toString(),
              computed: own.map((each) => each.rounded(6, 'half-even').toString()),
            },
          },
        ]
  })
}

/** What is free for an order of that side, by each reading of what other orders reserve. */
function freeFor(
  told: Told,
  pool: Pool,
  { coin }: ActiveAssetData,
  side: 'buy' | 'sell',
): readonly Decimal[] | null {
  const base = pool.collateral.minus(marginOf(pool.cross))
  const free: Decimal[] = []
  for (const reading of orderReadings) {
    const margins = orderMargins(told, reading)
    if (margins === null) return null
    const here = margins.get(coin)
    const others = new Map([...margins].filter(([each]) => each !== coin))
    const own = here === undefined ? Decimal.zero : side === 'buy' ? here.buys : here.sells
    const left = base.minus(reserved(others, reading)).minus(own)
    free.push(Decimal.max(Decimal.zero, left))
  }
  return free.filter((each, at) => free.findIndex((other) => other.eq(each)) === at)
}
