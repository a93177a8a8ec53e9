import { describe, expect, test } from 'vitest'
import type { MarginTier, Market } from '../protocol/market.ts'
import type { VenuePosition } from '../protocol/venueState.ts'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { Dice } from '../values/dice.fixture.ts'
import { priceMismatches } from './liquidationPrices.ts'

const d = Decimal.of
type Tiers = readonly (readonly [from: string, maxLeverage: number])[]
interface Told {
  readonly name: string
  readonly size: string
  readonly mark: string
  readonly max: number
  /** Null where the venue shows none. */
  readonly price: string | null
  readonly tiers?: Tiers
}

function held({ name, size, mark, max, price, tiers = [] }: Told) {
  const market: Market = {
    ...{ asset: 1, coin: coin(name), sizeDecimals: 5, maxLeverage: max },
    tiers: tiers.map(([from, maxLeverage]): MarginTier => ({ lowerBound: d(from), maxLeverage })),
    ...{ isDelisted: false, onlyIsolated: false },
  }
  const value = d(size).abs().times(d(mark))
  const position: VenuePosition = {
    ...{ coin: coin(name), size: d(size), entryPrice: d(mark), positionValue: value },
    ...{ unrealisedPnl: Decimal.zero, leverage: { type: 'cross', value: 5 }, maxLeverage: max },
    ...{ liquidationPrice: price === null ? null : d(price), marginUsed: Decimal.zero },
  }
  return { position, market }
}

function compared(collateral: string, isSameMoment: boolean, ...told: readonly Told[]) {
  const sight = { held: told.map(held), collateral: d(collateral), isSameMoment }
  const { coins, pool } = priceMismatches(sight)
  return { coins: [...coins.values()], pool }
}

const nothing = { coins: [], pool: null }
/** A unified account as the venue once showed it; all is short. */
const recorded: readonly Told[] = [
  { name: 'BTC', size: '-22', mark: '80870', max: 40, price: '136313.4115825814' },
  { name: 'ETH', size: '-125', mark: '2423.8', max: 25, price: '12110.0901411922' },
  { name: 'NEAR', size: '-70560.4', mark: '4.5238', max: 10, price: '21.1930985625' },
]
// Its other positions keep maintenance too: what is left after that stands behind these three.
const behind = '1280823.1'

describe('liquidation prices that the venue has shown', () => {
  const kept = (told: Told): Decimal =>
    d(told.size)
      .abs()
      .times(d(told.mark))
      .over(Decimal.whole(2 * told.max), 12, 'half-even')
  const left = d('1235001.99300258')
  const collateral = recorded.reduce((sum, each) => sum.plus(kept(each)), left).toString()

  test.each([true, false])('of a unified account, told at the same moment: %s', (isSameMoment) => {
    expect(compared(collateral, isSameMoment, ...recorded)).toEqual(nothing)
    expect(compared(behind, true, ...recorded).coins).not.toEqual([])
  })

  test('of a standard account', () => {
    const btc = { name: 'BTC', size: '-12.07087', mark: '80531', max: 40 }
    const own = kept({ ...btc, price: null })
    const others = d('12150.990399').minus(own)
    const backing = d('99248.48428').minus(others).toString()
    expect(compared(backing, true, { ...btc, price: '87657.4305040273' })).toEqual(nothing)
  })
})

const long = { name: 'ETH', size: '10', mark: '4000', max: 25 }
/** 10,000 USD behind it: (40,000 - 10,000) / 10 / 0.98. */
const exact = '3061.224489'

describe('a price apart by more than 0.1% of what the coin is worth', () => {
  test.each([
    ['the same', exact, true],
    ['within it', '3065.2', true],
    ['above it', '3065.3', false],
    ['below it', '3057.2', false],
    ['none', null, false],
  ])('%s', (_, price, isSame) => {
    const { coins } = compared('10000', true, { ...long, price })
    const text = `ETH: the venue shows a liquidation price of ${price ?? 'none'}, and 3061.22449 follows from the margins`
    expect(coins).toEqual(isSame ? [] : [text])
  })

  test.each([
    ['none where it would be below zero', null, []],
    ['one where none is', '100', [expect.stringMatching(/^ETH: .* of 100, and 0 follows/)]],
  ])('%s', (_, price, expected) => {
    expect(compared('50000', true, { ...long, price }).coins).toEqual(expected)
  })
})

describe('a price in another tier', () => {
  // Maintenance is 1/50 up to 100,000 USD and 1/20 beyond; the deduction there is 3,000 USD.
  const tiers = [['100000', 10]] as const
  const short = { name: 'ETH', size: '-20', mark: '4000', max: 25, tiers }
  const now = 80_000 / 50
  const left = 40_000 - now
  const exactly = (40_000 + 80_000 + 3_000) / 1.05 / 20
  const literally = (80_000 + left / 1.05) / 20

  test.each([
    ['worked out there', exactly, true],
    ['what is left now, used up at the rate there', literally, true],
    ['at the rate of now', (80_000 + left / 1.02) / 20, false],
  ])('%s', (_, price, isSame) => {
    const told = { ...short, price: price.toFixed(6) }
    expect(compared('40000', true, told).coins).toHaveLength(isSame ? 0 : 1)
    const at = compared('40000', false, told)
    expect(at).toEqual(
      isSame ? nothing : { coins: [], pool: expect.stringMatching(/^the venue's/) },
    )
  })

  test('a long that falls out of its tier', () => {
    const price = (120_000 - 30_000) / 0.98 / 30
    const told = { ...long, size: '30', tiers, price: price.toFixed(6) }
    expect(compared('30000', true, told)).toEqual(nothing)
    expect(compared('30000', false, told)).toEqual(nothing)
    const literal = (120_000 - (30_000 - (120_000 / 20 - 3_000)) / 0.98) / 30
    expect(compared('30000', false, { ...told, price: literal.toFixed(6) })).toEqual(nothing)
  })
})

describe('a balance that was told at another moment', () => {
  const other = { name: 'SOL', size: '5', mark: '200', max: 20, price: null }

  test('may have moved a little, and the prices are compared with each other', () => {
    expect(compared('10030', false, { ...long, price: exact }, other).pool).toBe(null)
    // 0.1% of 41,000 USD is 41 USD.
    expect(compared('10100', false, { ...long, price: exact }, other)).toEqual({
      coins: [],
      pool: "the venue's liquidation prices stand for 10025 USD behind the cross positions, and its balance for 10100 USD",
    })
    const wrong = { ...other, price: '50' }
    expect(compared('10025', false, { ...long, price: exact }, wrong).coins).toHaveLength(1)
  })

  test('without any price it is compared with what was told', () => {
    expect(compared('90000', false, { ...long, price: null })).toEqual(nothing)
    expect(compared('10000', false, { ...long, price: null }).coins).toHaveLength(1)
  })
})

/** Where equity meets maintenance, found by halving: another way to the same price. */
function halved(collateral: number, all: readonly Told[], one: Told): number | null {
  const kept = ({ max, tiers = [] }: Told, value: number): number => {
    let [sum, from, rate] = [0, 0, 1 / (2 * max)]
    for (const [bound, leverage] of tiers) {
      if (value <= Number(bound)) break
      sum += (Number(bound) - from) * rate
      ;[from, rate] = [Number(bound), 1 / (2 * leverage)]
    }
    return sum + (value - from) * rate
  }
  const [size, mark] = [Number(one.size), Number(one.mark)]
  const others = all
    .filter((each) => each !== one)
    .reduce((sum, each) => sum + kept(each, Math.abs(Number(each.size)) * Number(each.mark)), 0)
  const isAlive = (price: number): boolean =>
    collateral + size * (price - mark) > others + kept(one, Math.abs(size) * price)
  let [alive, dead] = [mark, size > 0 ? 0 : mark * 1e6]
  if (isAlive(dead)) return null
  for (let step = 0; step < 200; step += 1) {
    const middle = (alive + dead) / 2
    if (isAlive(middle)) alive = middle
    else dead = middle
  }
  return alive
}

test('prices of drawn accounts agree with those found by halving, and others do not', () => {
  const dice = new Dice(7)
  for (let round = 0; round < 300; round += 1) {
    const drawn = Array.from({ length: 1 + dice.roll(4) }, (_, place): Told => {
      const max = [5, 10, 25, 40][dice.roll(4)] as number
      const mark = (1 + dice.roll(5_000)).toString()
      const worth = 1_000 + dice.roll(200_000)
      const size = ((dice.roll(2) === 0 ? -1 : 1) * worth) / Number(mark)
      const tiers: Tiers = dice.roll(2) === 0 ? [] : [[String(5_000 + dice.roll(100_000)), 3]]
      return { name: `C${place}`, size: size.toFixed(5), mark, max, tiers, price: null }
    })
    const worth = drawn.reduce((sum, { size, mark }) => sum + Math.abs(+size * +mark), 0)
    const collateral = Math.round(worth * (0.25 + dice.roll(100) / 100))
    const told = drawn.map((each): Told => {
      const price = halved(collateral, drawn, each)
      return { ...each, price: price === null ? null : price.toFixed(6) }
    })
    expect(compared(String(collateral), true, ...told)).toEqual(nothing)
    expect(compared(String(collateral), false, ...told)).toEqual(nothing)
    const [first, ...rest] = told as [Told, ...Told[]]
    const wrong = (Number(first.price ?? 0) + Number(first.mark) * 0.004).toFixed(6)
    const { coins } = compared(String(collateral), true, { ...first, price: wrong }, ...rest)
    expect(coins).toHaveLength(1)
  }
})
