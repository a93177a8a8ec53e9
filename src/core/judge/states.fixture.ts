import {
  accountWith,
  botCloid,
  fixtureNow,
  inFlight,
  markets,
  openOrder,
  restingEntry,
  stopOrder,
  vectorMeta,
} from '../account/account.fixture.ts'
import type { PromisedSpec } from '../account/account.fixture.ts'
import type { Account } from '../account/account.ts'
import type { Json } from '../protocol/action.ts'
import type { OpenOrder } from '../protocol/venueState.ts'
import type { Rules } from '../rules/rules.ts'
import { address } from '../values/address.ts'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { Dice } from '../values/dice.fixture.ts'
import { millis } from '../values/millis.ts'
import { limitOrder, orderAction, triggerOrder } from './judge.fixture.ts'
import type { JudgeSpec } from './judge.fixture.ts'

/** Runs a law over many states; a failure names the seed that makes it again. */
export function forStates(count: number, law: (dice: Dice) => void, after = 0): void {
  for (let seed = after + 1; seed <= after + count; seed++) {
    try {
      law(new Dice(seed))
    } catch (error) {
      throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      })
    }
  }
}

export function must(condition: boolean, text: string): void {
  if (!condition) throw new Error(text)
}

const tiers = [
  { lowerBound: Decimal.zero, maxLeverage: 20 },
  { lowerBound: Decimal.of('3000'), maxLeverage: 5 },
  { lowerBound: Decimal.of('30000'), maxLeverage: 2 },
]
const listed = markets([
  ...vectorMeta.map((each) => (each.coin === 'SOL' ? { ...each, tiers } : each)),
  { coin: 'OLD', asset: 6, sizeDecimals: 1, maxLeverage: 3, isDelisted: true },
])
export const coins = [
  { coin: 'BTC', asset: 0, mid: '84213.5', unit: 0.0001, scale: 5 },
  { coin: 'ETH', asset: 1, mid: '2486.35', unit: 0.01, scale: 4 },
  { coin: 'SOL', asset: 2, mid: '137.42', unit: 0.1, scale: 2 },
  { coin: 'kPEPE', asset: 5, mid: '0.0098215', unit: 100, scale: 0 },
] as const
export type CoinSpec = (typeof coins)[number]
export const mids = Object.fromEntries(coins.map(({ coin, mid }) => [coin, mid]))
const builder = address(`0x${'b0'.repeat(20)}`)
const guardStop = '0x67756172010000000000000000000001'

/** A price some thousandths away from the mid, with five significant figures or off the grid. */
export function priceNear(spec: CoinSpec, thousandths: number, onGrid = true): string {
  const share = new Decimal(BigInt(1000 + thousandths), 3)
  const exact = Decimal.of(spec.mid).times(share)
  const whole = exact.units.toString().length - exact.scale
  const decimals = Math.max(0, Math.min(6 - spec.scale, 5 - whole))
  const price = exact.rounded(onGrid ? decimals : decimals + 2, 'half-even')
  return price.isPositive() ? price.toString() : spec.mid
}

export function sizeOf(dice: Dice, spec: CoinSpec): string {
  // Worth some tens to some ten thousands of USD.
  const usd = Decimal.whole(dice.one([5, 12, 40, 300, 2_000, 9_000, 40_000]) + dice.roll(20))
  return usd.over(Decimal.of(spec.mid), spec.scale + (dice.rare(10) ? 1 : 0), 'up').toString()
}

export function anyRules(dice: Dice): Partial<Rules> {
  const riskPerTrade = Decimal.of(dice.one(['0.001', '0.02', '0.05']))
  return {
    riskPerTrade,
    openRisk: Decimal.max(riskPerTrade, Decimal.of(dice.one(['0.05', '0.06', '0.2']))),
    maxLeverage: Decimal.of(dice.one(['0.5', '1', '2.5', '5', '10'])),
    maxPosition: Decimal.of(dice.one(['0.1', '0.5', '2', '5'])),
    maxDistanceFromMid: Decimal.of(dice.one(['0.001', '0.005', '0.05'])),
    stop: dice.rare(6) ? 'refuse' : 'attach',
    stopDistance: Decimal.of(dice.one(['0.001', '0.02', '0.09'])),
    minLiquidationDistance: Decimal.of(dice.one(['0.1', '0.2', '0.5'])),
    maxOrderValue: dice.rare(4) ? Decimal.of('900') : null,
    equityCap: dice.rare(4) ? Decimal.of('1500') : null,
    maxOpenOrders: dice.rare(10) ? dice.one([1, 2, 4, 8]) : 200,
    flip: dice.rare(4) ? 'refuse' : 'cut',
    markets: dice.rare(8) ? ['ETH', 'SOL'] : ['*'],
  }
}

/**
 * An account with some positions, stops, resting entries and exits; one in trouble lacks stops,
 * prices or equity here and there, a calm one does not.
 */
export function anyAccount(
  dice: Dice,
  isCalm = false,
): { account: Account; orders: readonly OpenOrder[] } {
  const trouble = (times: number): boolean => dice.rare(times) && !isCalm
  const positions: { [coin: string]: Parameters<typeof accountWith>[0] & object } = {}
  const promised: { [coin: string]: readonly PromisedSpec[] } = {}
  const orders: OpenOrder[] = []
  let oid = 100
  for (const spec of coins) {
    if (dice.rare(3)) {
      const isLong = dice.rare(2)
      const size = sizeOf(dice, spec)
      const value = dice.one([1, 3, 5, 8])
      const type = trouble(6) ? 'cross' : 'isolated'
      Object.assign(positions, {
        [spec.coin]: {
          size: isLong ? size : `-${size}`,
          leverage: { type, value },
          liquidation: trouble(3) ? priceNear(spec, (isLong ? -1 : 1) * dice.roll(500)) : null,
        },
      })
      if (dice.rare(2)) {
        const trigger = priceNear(spec, (isLong ? -1 : 1) * (1 + dice.roll(120)))
        promised[spec.coin] = [{ trigger, size }]
      }
      for (let left = isCalm ? 1 : dice.one([0, 1, 1, 1, 2]); left > 0; left--) {
        const trigger = priceNear(spec, (isLong ? -1 : 1) * (1 + dice.roll(120)))
        const part = trouble(4) ? sizeOf(dice, spec) : size
        const cloid = dice.rare(3) ? { cloid: guardStop } : {}
        orders.push(
          stopOrder({ coin: spec.coin, oid: oid++, size: part, trigger, isBuy: !isLong, ...cloid }),
        )
      }
    }
    if (dice.rare(3)) {
      const isBuy = dice.rare(2)
      const away = (isBuy ? -1 : 1) * (5 + dice.roll(60))
      const price = priceNear(spec, away)
      const stop = trouble(8) ? {} : { stop: priceNear(spec, away * 2) }
      orders.push(
        ...restingEntry({ coin: spec.coin, oid, isBuy, price, size: sizeOf(dice, spec), ...stop }),
      )
      oid += 2
    }
    if (dice.rare(6)) {
      orders.push(
        openOrder({
          coin: spec.coin,
          oid: oid++,
          isBuy: dice.rare(2),
          price: spec.mid,
          size: sizeOf(dice, spec),
          isReduceOnly: true,
          cloid: botCloid(oid),
        }),
      )
    }
  }
  const account = accountWith({
    markets: listed,
    mids: trouble(30) ? {} : mids,
    equity: trouble(4) ? dice.one(['-5', '0', '10']) : dice.one(['1000', '7350.25', '250000']),
    mode: trouble(12) ? dice.one(['portfolioMargin', 'unknown', 'unifiedAccount']) : 'default',
    positions: positions as never,
    promised,
    orders,
    leverage: dice.rare(3)
      ? { ETH: { type: dice.one(['isolated', 'cross'] as const), value: 1 + dice.roll(8) } }
      : {},
  })
  if (!isCalm) flyingEntries(dice, account)
  return { account, orders }
}

/** Something on its way here and there, with an id that a bot may well use again. */
function flyingEntries(dice: Dice, account: Account): void {
  for (const spec of coins) {
    if (!dice.rare(12)) continue
    const isBuy = dice.rare(2)
    const away = (isBuy ? -1 : 1) * (5 + dice.roll(60))
    const entry = {
      ...{ coin: coin(spec.coin), isBuy, size: Decimal.of(sizeOf(dice, spec)) },
      ...{ price: Decimal.of(priceNear(spec, away)), stop: Decimal.of(priceNear(spec, away * 2)) },
      ...{ cloid: dice.one(reused), stopCloid: botCloid(50 + spec.asset), mayRest: dice.rare(2) },
    }
    account.reserve(spec.coin, inFlight(entry), fixtureNow)
  }
}

/** Ids that bots give, some of them twice. */
const reused = [botCloid(1), botCloid(2), botCloid(3)] as const

/** An entry with or without its own stop and take profit. */
export function anyEntry(dice: Dice, spec: CoinSpec): Json[] {
  const isBuy = dice.rare(2)
  const size = sizeOf(dice, spec)
  const tif = dice.one(['Gtc', 'Ioc', 'Alo', 'FrontendMarket'])
  const price = priceNear(spec, dice.roll(120) - 60, !dice.rare(6))
  const id: { c?: string } = dice.rare(8) ? { c: dice.one(reused) } : {}
  const orders: Json[] = [{ ...limitOrder(spec.asset, isBuy, size, price, tif), ...id }]
  if (dice.rare(2)) {
    const trigger = priceNear(spec, (isBuy ? -1 : 1) * (dice.roll(150) - 5), !dice.rare(6))
    const limit = priceNear(spec, (isBuy ? -1 : 1) * dice.roll(300))
    const part = dice.rare(4) ? sizeOf(dice, spec) : size
    orders.push(triggerOrder(spec.asset, !isBuy, part, trigger, limit, 'sl', !dice.rare(5)))
  }
  if (dice.rare(5)) {
    const part = dice.rare(4) ? sizeOf(dice, spec) : size
    orders.push(
      triggerOrder(spec.asset, !isBuy, part, priceNear(spec, isBuy ? 50 : -50), spec.mid, 'tp'),
    )
  }
  return orders
}

export function anyExit(dice: Dice): Json {
  const spec = dice.one(coins)
  const isBuy = dice.rare(2)
  const size = sizeOf(dice, spec)
  const id: { c?: string } = dice.rare(8) ? { c: dice.one(reused) } : {}
  if (dice.rare(2)) {
    const price = priceNear(spec, dice.roll(80) - 40)
    const tif = dice.one(['Gtc', 'Ioc', 'Alo'])
    return { ...limitOrder(spec.asset, isBuy, size, price, tif, true), ...id }
  }
  const trigger = priceNear(spec, dice.roll(80) - 40)
  const limit = priceNear(spec, dice.roll(200) - 100)
  const kind = dice.one(['sl', 'tp'] as const)
  return { ...triggerOrder(spec.asset, isBuy, size, trigger, limit, kind, !dice.rare(3)), ...id }
}

function orderRequest(dice: Dice): Json {
  const spec = dice.one(coins)
  const orders = Array.from({ length: dice.one([1, 1, 1, 2, 4]) }, () =>
    anyEntry(dice, dice.rare(3) ? dice.one(coins) : spec),
  ).flat()
  if (dice.rare(3)) orders.push(anyExit(dice))
  if (dice.rare(20))
    orders.push(limitOrder(dice.one([6, 9, 10_001, 100_000, 110_001, 100_000_010]), true, '1', '5'))
  if (dice.rare(20)) orders.push({ ...triggerOrder(1, true, '1', '2600', '2700'), r: false })
  if (dice.rare(30))
    orders.push(limitOrder(1, true, dice.one(['0', '1']), dice.one(['0', '0.0001'])))
  if (dice.rare(10)) orders.reverse()
  const grouping: Json = dice.one(['na', 'na', 'na', 'normalTpsl', 'positionTpsl', { p: 7 }])
  const action = orderAction(orders, grouping) as { [key: string]: Json }
  return dice.rare(5) ? { ...action, builder: { b: builder, f: dice.roll(50) } } : action
}

function modified(dice: Dice, order: OpenOrder): Json {
  const spec = coins.find((each) => each.coin === order.coin) ?? coins[0]
  const isBuy = dice.rare(15) ? !order.isBuy : order.isBuy
  const r = dice.rare(15) ? !order.isReduceOnly : order.isReduceOnly
  const size = dice.rare(2) ? order.size.toString() : sizeOf(dice, spec)
  if (order.trigger !== null || dice.rare(10)) {
    const trigger = priceNear(spec, dice.roll(200) - 100)
    const text = triggerOrder(
      spec.asset,
      isBuy,
      size,
      trigger,
      priceNear(spec, dice.roll(300) - 150),
      dice.rare(5) ? 'tp' : 'sl',
      !dice.rare(5),
    )
    return { ...text, r }
  }
  return {
    ...limitOrder(spec.asset, isBuy, size, priceNear(spec, dice.roll(100) - 50), 'Gtc', r),
  }
}

/** Any action a bot could send that decodes. */
export function anyAction(dice: Dice, orders: readonly OpenOrder[]): Json {
  const known = (): OpenOrder | null => (orders.length === 0 ? null : dice.one(orders))
  const some = (): OpenOrder[] =>
    Array.from({ length: 1 + dice.roll(3) }, known).flatMap((each) => each ?? [])
  const spec = dice.one(coins)
  switch (dice.roll(12)) {
    case 0:
      return {
        type: 'cancel',
        cancels: [...some(), { oid: 9 }].map(({ oid }) => ({ a: spec.asset, o: oid })),
      }
    case 1:
      return {
        type: 'cancelByCloid',
        cancels: [{ asset: 1, cloid: dice.one([botCloid(3), guardStop]) }],
      }
    case 2:
    case 3: {
      const order = known()
      return {
        type: 'modify',
        oid: order?.oid ?? 9,
        order: order === null ? limitOrder(1, true, '1', '2400') : modified(dice, order),
      }
    }
    case 4: {
      const picked = some()
      if (picked.length === 0) return { type: 'scheduleCancel' }
      return {
        type: 'batchModify',
        modifies: picked.map((order) => ({ oid: order.oid, order: modified(dice, order) })),
      }
    }
    case 5:
      return {
        type: 'updateLeverage',
        asset: spec.asset,
        isCross: dice.rare(5),
        leverage: 1 + dice.roll(12),
      }
    case 6:
      return dice.rare(2)
        ? { type: 'scheduleCancel', time: dice.roll(9) }
        : { type: 'updateIsolatedMargin', asset: 1, isBuy: true, ntli: dice.roll(9) - 4 }
    default:
      return orderRequest(dice)
  }
}

/** What surrounds the request: rules, risk state, latch, age. */
export function anySurroundings(dice: Dice): JudgeSpec {
  return {
    rules: anyRules(dice),
    latched: dice.rare(15),
    risk: {
      state: dice.rare(15) ? dice.one(['halted_for_day', 'stopped'] as const) : 'active',
      holding: dice.rare(20),
      lastEquity: dice.rare(3) ? Decimal.of(dice.one(['-1', '500', '9000'])) : null,
    },
    now: millis(fixtureNow + dice.one([0, 0, 0, 0, 100, 3_001, 6_001])),
    builders: new Set(dice.rare(2) ? [builder] : []),
    entriesLastMinute: dice.rare(20) ? 599 : 0,
  }
}

/** Rules of any kind, and nothing else that stands in the way. */
export function calmSurroundings(dice: Dice): JudgeSpec {
  return { rules: { ...anyRules(dice), markets: ['*'], maxOpenOrders: 200 } }
}
