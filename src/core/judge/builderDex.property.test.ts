import { expect, test } from 'vitest'
import { fixtureNow, restingEntry, stopOrder } from '../account/account.fixture.ts'
import { dexAccount, dexMarket } from '../account/builders.fixture.ts'
import type { Json } from '../protocol/action.ts'
import { rational } from '../safety/rational.fixture.ts'
import { Decimal } from '../values/decimal.ts'
import { Dice } from '../values/dice.fixture.ts'
import { lostInPlay, marginOf, neededMargin, riskOf } from './builderOracle.fixture.ts'
import type { OracleEntry } from './builderOracle.fixture.ts'
import { judged, limitOrder, orderAction, triggerOrder } from './judge.fixture.ts'

/** How many accounts; more where `GUARD_STATES` says so. */
const states = parseInt(process.env['GUARD_STATES'] ?? '1000', 10)

const name = 'xyz:TSLA'
const asset = 110_001
const mid = 400
const price = (thousandths: number): string => `${(mid * (1000 + thousandths)) / 1000}`

interface Made {
  readonly account: ReturnType<typeof dexAccount>
  readonly maxLeverage: number
  readonly gap: string
  readonly feeScale: string
  readonly isGrowth: boolean
  /** The stop that covers what is held; null where nothing is. */
  readonly covering: string | null
}

function made(dice: Dice): Made {
  const maxLeverage = dice.one([3, 5, 8, 10, 20, 50])
  const feeScale = dice.one(['0', '0.5', '1', '2.5', '3'])
  const isGrowth = dice.rare(2)
  const builder = { feeScale: Decimal.of(feeScale), isGrowth }
  const own = Decimal.one.over(Decimal.whole(maxLeverage), 12, 'ceil').toString()
  const gap = dice.one([null, '0', '0.02', '0.3', '0.5'])
  const hasPosition = dice.rare(3)
  const leverage = { type: 'isolated', value: 1 + dice.roll(6) } as const
  const isLong = dice.rare(2)
  const orders = [
    ...(hasPosition
      ? [
          stopOrder({
            oid: 3,
            coin: name,
            size: '0.2',
            trigger: price(isLong ? -30 : 30),
            isBuy: !isLong,
          }),
        ]
      : []),
    ...(dice.rare(3)
      ? restingEntry({
          ...{ oid: 9, coin: name, isBuy: isLong, size: '0.1' },
          ...{
            price: price(isLong ? -10 : 10),
            stop: price((isLong ? -1 : 1) * (20 + dice.roll(80))),
          },
        })
      : []),
  ]
  const account = dexAccount({
    equity: dice.one(['900', '7350.25', '250000']),
    dexMarkets: [dexMarket(name, asset, { maxLeverage, builder })],
    orders,
    ...(dice.rare(2) ? { leverage: { [name]: leverage } } : {}),
    ...(hasPosition ? { positions: { [name]: { size: isLong ? '0.2' : '-0.2', leverage } } } : {}),
  })
  if (gap !== null) account.countGaps(() => Decimal.of(gap))
  const covering = hasPosition ? price(isLong ? -30 : 30) : null
  return { account, maxLeverage, gap: gap ?? own, feeScale, isGrowth, covering }
}

function request(dice: Dice): Json {
  const isBuy = dice.rare(2)
  const away = dice.roll(12) - 6
  const beyond = 1 + dice.roll(120)
  const size = dice.one(['0.3', '3', '4000'])
  const entry = limitOrder(asset, isBuy, size, price(away))
  if (dice.rare(3)) return orderAction([entry])
  const stop = price(away + (isBuy ? -beyond : beyond))
  const child = triggerOrder(asset, !isBuy, size, stop, isBuy ? '0.01' : '99999')
  return orderAction([entry, child], 'normalTpsl')
}

test('no entry on a builder dex loses more than it counts as, and none puts in more margin than it may', () => {
  let passed = 0
  for (let seed = 1; seed <= states; seed += 1) {
    const dice = new Dice(seed)
    const world = made(dice)
    const { account, covering, ...terms } = world
    const equity = account.equity ?? Decimal.zero
    const before = account.exposure().openRisk
    const json = request(dice)
    const decision = judged(json, { account, rules: { markets: ['xyz:*'] } })
    const [told] = decision.entries
    if (told === undefined || decision.verdict === 'veto') continue
    passed += 1
    for (const [place, items] of decision.reservations.entries()) {
      account.reserve(`${place}`, items, fixtureNow)
    }
    const entry: OracleEntry = {
      ...terms,
      isBuy: told.side === 'buy',
      size: told.size.toString(),
      price: String(told.worstPrice),
      stop: String(told.stop),
      mid: `${mid}`,
      leverage: told.leverage ?? 0,
    }
    const what = `seed ${seed}: ${JSON.stringify(entry)}`
    const counted = rational(String(told.risk))
    expect(counted.lt(lostInPlay(entry)), what).toBe(false)
    expect(rational(equity.toString()).times(rational('0.02')).lt(counted), what).toBe(false)
    const added = rational(account.exposure().openRisk.minus(before).toString())
    expect(added.lt(riskOf(entry)) || riskOf(entry).lt(added), what).toBe(false)
    const cap = Math.min(5, world.maxLeverage)
    const twice = riskOf(entry).times(rational('2'))
    // Beside a resting entry the leverage has to suit that one, too: it may be what needs the margin.
    const isAlone = account.ordersOf(told.coin as never).length === (covering === null ? 0 : 1)
    // A position is judged by the looser of both stops.
    const stops = [entry.stop, covering ?? entry.stop].map(Number)
    const looser = `${entry.isBuy ? Math.min(...stops) : Math.max(...stops)}`
    const needed = isAlone ? neededMargin({ ...entry, stop: looser }, cap, '0.1') : marginOf(entry)
    const most = twice.lt(needed) ? needed : twice
    expect(most.lt(marginOf(entry)), what).toBe(false)
  }
  expect(passed).toBeGreaterThan(states / 4)
})
