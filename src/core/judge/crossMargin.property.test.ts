import { expect, test } from 'vitest'
import { accountWith, markets, restingEntry, stopOrder } from '../account/account.fixture.ts'
import type { PositionSpec } from '../account/account.fixture.ts'
import type { Json } from '../protocol/action.ts'
import type { OpenOrder } from '../protocol/venueState.ts'
import { Rational, rational } from '../safety/rational.fixture.ts'
import { Decimal } from '../values/decimal.ts'
import { Dice } from '../values/dice.fixture.ts'
import { allStopsAtOnce, collateral, commonShock, worstMoment } from './crossOracle.fixture.ts'
import type { OracleCoin, OracleLot } from './crossOracle.fixture.ts'
import { judged, limitOrder, orderAction, triggerOrder } from './judge.fixture.ts'

/** How many accounts; all of the 20,000 are run where `GUARD_STATES` says so. */
const states = parseInt(process.env['GUARD_STATES'] ?? '1000', 10)

const specs = [
  { coin: 'BTC', asset: 0, sizeDecimals: 5, mid: 50_000, maxLeverage: 40, lower: ['20000', 20] },
  { coin: 'ETH', asset: 1, sizeDecimals: 4, mid: 2_000, maxLeverage: 25, lower: ['5000', 7] },
  { coin: 'SOL', asset: 2, sizeDecimals: 2, mid: 130, maxLeverage: 20, lower: ['3000', 5] },
  { coin: 'HYPE', asset: 3, sizeDecimals: 2, mid: 40, maxLeverage: 3, lower: ['1000', 2] },
] as const
type Spec = (typeof specs)[number]

const listed = markets(
  specs.map(({ lower: [from, maxLeverage], ...spec }) => ({
    ...spec,
    tiers: [
      { lowerBound: Decimal.zero, maxLeverage: spec.maxLeverage },
      { lowerBound: Decimal.of(from), maxLeverage },
    ],
  })),
)
const mids = Object.fromEntries(specs.map(({ coin, mid }) => [coin, `${mid}`]))

/** A price so many thousandths from the mid. */
const near = ({ mid }: Spec, away: number): string => `${(mid * (1000 + away)) / 1000}`
/** A size worth about so many USD. */
const sized = ({ mid, sizeDecimals }: Spec, usd: number): string =>
  Decimal.whole(usd).over(Decimal.whole(mid), sizeDecimals, 'ceil').toString()

function lot(dice: Dice, spec: Spec, isLong: boolean, away: number): OracleLot {
  const sign = isLong ? -1 : 1
  const beyond = 10 + dice.roll(150)
  const usd = 50 + dice.roll(dice.one([300, 3_000, 3_000, 30_000]))
  return {
    ...{ isLong, size: sized(spec, usd), price: near(spec, sign * away) },
    stop: near(spec, sign * (away + beyond)),
  }
}

interface Made {
  readonly coins: readonly (OracleCoin & { readonly spec: Spec })[]
  readonly equity: string
  readonly orders: readonly OpenOrder[]
}

function made(dice: Dice): Made {
  const orders: OpenOrder[] = []
  let oid = 10
  const coins = specs.map((spec) => {
    const isCross = !dice.rare(3)
    const isLong = dice.rare(2)
    const held = dice.rare(2) ? [lot(dice, spec, isLong, 0)] : []
    const count = dice.one([0, 0, 1, 1, 3])
    const entries = Array.from({ length: count }, () => {
      const side = held.length > 0 ? isLong : dice.rare(2)
      return lot(dice, spec, side, dice.roll(60))
    })
    for (const { size, stop } of held) {
      const id = { coin: spec.coin, oid: (oid += 2) }
      orders.push(stopOrder({ ...id, size, trigger: stop, isBuy: !isLong }))
    }
    for (const { isLong: isBuy, size, price, stop } of entries) {
      orders.push(...restingEntry({ coin: spec.coin, oid: (oid += 2), isBuy, price, size, stop }))
    }
    const leverage = isCross ? 1 + dice.roll(spec.maxLeverage) : 1 + dice.roll(3)
    const tiers = [
      { from: '0', maxLeverage: spec.maxLeverage },
      { from: spec.lower[0], maxLeverage: spec.lower[1] },
    ]
    return {
      ...{ spec, name: spec.coin, mid: `${spec.mid}` },
      isCross,
      leverage,
      tiers,
      held,
      entries,
    }
  })
  return { coins, equity: dice.one(['500', '3000', '9000.5', '40000', '250000']), orders }
}

/** The account that Guard sees. */
function seen({ coins, equity, orders }: Made) {
  const type = ({ isCross }: OracleCoin) => (isCross ? 'cross' : 'isolated')
  const leverage = Object.fromEntries(
    coins.map((coin) => [coin.name, { type: type(coin), value: coin.leverage } as const]),
  )
  const positions: { [coin: string]: PositionSpec } = {}
  for (const { name, held } of coins) {
    const [own] = held
    const setting = leverage[name]
    if (own === undefined || setting === undefined) continue
    positions[name] = { size: own.isLong ? own.size : `-${own.size}`, leverage: setting }
  }
  return accountWith({ equity, markets: listed, mids, positions, orders, leverage })
}

function request(dice: Dice, { coins }: Made): { readonly coin: string; readonly action: Json } {
  const { spec, held, entries } = dice.one(coins)
  const isBuy = held[0]?.isLong ?? entries[0]?.isLong ?? dice.rare(2)
  const { price, stop } = lot(dice, spec, isBuy, dice.roll(40))
  const size = sized(spec, dice.one([500, 20_000, 300_000]))
  const child = triggerOrder(spec.asset, !isBuy, size, stop, isBuy ? '0.01' : '999999')
  const orders = [limitOrder(spec.asset, isBuy, size, price), child]
  return { coin: spec.coin, action: orderAction(orders, 'normalTpsl') }
}

/** What isolated positions keep, as the venue shows it with the fixture's six decimals. */
function kept({ coins }: Made): readonly Rational[] {
  return coins.flatMap(({ isCross, held, mid, leverage }) =>
    isCross
      ? []
      : held.map(({ size }) => {
          const value = Decimal.of(size).times(Decimal.of(mid))
          return rational(value.over(Decimal.whole(leverage), 6, 'half-even').toString())
        }),
  )
}

function withEntry(made: Made, name: string, entry: OracleLot, leverage: number): Made {
  const coins = made.coins.map((coin) =>
    coin.name === name
      ? {
          ...coin,
          leverage: coin.isCross ? coin.leverage : leverage,
          entries: [...coin.entries, entry],
        }
      : coin,
  )
  return { ...made, coins }
}

/** Why an account breaks the page's three rules; null when it keeps them all. */
function broken(made: Made, distance: string): string | null {
  const cross = made.coins.filter(({ isCross }) => isCross)
  const behind = collateral(made.equity, kept(made), made.coins)
  if (behind.lt(allStopsAtOnce(cross))) return 'all stops at once'
  const shock = commonShock(cross, behind)
  if (shock?.lt(rational(distance)) === true) return 'a common shock'
  return shock !== null && !rational('0').lt(worstMoment(cross, behind))
    ? 'above maintenance'
    : null
}

test('what is let in leaves every stop of every coin able to be hit at once, above maintenance', () => {
  const counts = { allowed: 0, cut: 0, refused: 0 }
  for (let seed = 1; seed <= states; seed++) {
    const dice = new Dice(seed)
    const before = made(dice)
    const { coin, action } = request(dice, before)
    const distance = dice.one(['0.01', '0.1', '0.3'])
    const decision = judged(action, {
      account: seen(before),
      rules: {
        ...{ margin: 'cross', minLiquidationDistance: Decimal.of(distance) },
        ...{ riskPerTrade: Decimal.of('10'), openRisk: Decimal.of('10') },
        ...{ maxLeverage: Decimal.of('10'), maxPosition: Decimal.of('10') },
        maxDistanceFromMid: Decimal.of('0.05'),
      },
    })
    const [entry] = decision.entries
    if (entry === undefined) throw new Error('no entry')
    if (entry.verdict === 'veto') {
      counts.refused += 1
      continue
    }
    const { size, side, worstPrice, stop, leverage } = entry
    if (worstPrice === null || stop === null || leverage === null) throw new Error('not judged')
    const isLong = side === 'buy'
    const sent = { isLong, price: worstPrice.toString(), stop: stop.toString() }
    const after = (amount: Decimal): Made =>
      withEntry(before, coin, { ...sent, size: amount.toString() }, leverage)
    expect([seed, broken(after(size), distance)]).toEqual([seed, null])
    counts.allowed += 1
    const isCut = decision.changeRecords.some(
      ({ field, rule }) => field === 'size' && rule === 'min_liquidation_distance',
    )
    if (!isCut) continue
    counts.cut += 1
    const { sizeDecimals } = before.coins.find(({ name }) => name === coin)?.spec ?? specs[0]
    const more = size.plus(new Decimal(1n, sizeDecimals))
    expect([seed, broken(after(more), distance)]).not.toEqual([seed, null])
  }
  expect(counts.allowed).toBeGreaterThan(states / 20)
  expect(counts.cut).toBeGreaterThan(states / 100)
  expect(counts.refused).toBeGreaterThan(states / 20)
}, 900_000)
