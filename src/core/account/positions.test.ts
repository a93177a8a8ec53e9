import { describe, expect, test } from 'vitest'
import type { Fill, Leverage } from '../protocol/venueState.ts'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { fill, fixtureNow, later, venueState } from './account.fixture.ts'
import type { PositionSpec } from './account.fixture.ts'
import { Positions } from './positions.ts'

const eth = coin('ETH')
const isolated: Leverage = { type: 'isolated', value: 4 }

interface World {
  readonly mark?: string
  readonly leverage?: Leverage
  readonly maxLeverage?: number
}

/** Positions in a world where nothing is known of ETH beyond this. */
function positionsIn({ mark, leverage, maxLeverage }: World = {}): Positions {
  return new Positions({
    markOf: () => (mark === undefined ? null : Decimal.of(mark)),
    leverageOf: () => leverage ?? null,
    maxLeverageOf: () => maxLeverage ?? null,
  })
}

/** A state of the venue's moment `ms`, with this much ETH. */
function show(positions: Positions, ms: number, size: string | null, spec: object = {}) {
  const held: PositionSpec | null = size === null ? null : { size, entry: '2000', ...spec }
  const all = held === null ? {} : { ETH: held }
  const state = venueState({ equity: '1000', positions: all, mids: { ETH: '2000' } }, later(ms))
  return positions.applyState(state, later(ms))
}

/** A fill at 2000 that makes `end` of `start` at the venue's moment `ms`. */
function made(ms: number, start: string, end: string, more: { price?: string; fee?: string } = {}) {
  const change = Decimal.of(end).minus(Decimal.of(start))
  const told = { isBuy: change.isPositive(), size: change.abs().toString(), price: '2000' }
  return fill({ coin: 'ETH', ...told, ...more, start, oid: 1, tid: ms, at: fixtureNow + ms })
}

const sizeOf = (positions: Positions): string | null =>
  positions.views.get(eth)?.size.toString() ?? null

describe('what fills make of a state', () => {
  const rows: {
    what: string
    base: string | null
    fills: readonly Fill[]
    size: string | null
    /** Whether each of them is news. */
    news: readonly boolean[]
  }[] = [
    { what: 'none', base: '1', fills: [], size: '1', news: [] },
    { what: 'one of before it', base: '1', fills: [made(-1, '0', '1')], size: '1', news: [false] },
    { what: 'the next one', base: '1', fills: [made(1, '1', '2')], size: '2', news: [true] },
    { what: 'of its own moment', base: '1', fills: [made(0, '1', '2')], size: '2', news: [true] },
    {
      what: 'of two the later one first',
      ...{ base: '1', fills: [made(2, '2', '3'), made(1, '1', '2')], size: '3' },
      news: [true, true],
    },
    {
      what: 'one between was not told',
      ...{ base: '1', fills: [made(2, '2', '3')], size: '3', news: [true] },
    },
    { what: 'a close', base: '1', fills: [made(1, '1', '0')], size: null, news: [true] },
    { what: 'a first one', base: null, fills: [made(1, '0', '-2')], size: '-2', news: [true] },
    {
      what: 'a close that was in it, told late',
      ...{ base: null, fills: [made(-1, '1', '0')], size: null, news: [false] },
    },
  ]
  test.each(rows)('$what', ({ base, fills, size, news }) => {
    const positions = positionsIn()
    show(positions, 0, base)
    expect(fills.map((each) => positions.applyFill(each, later(5)))).toEqual(news)
    expect(sizeOf(positions)).toBe(size)
  })

  test('before the first state they say nothing, and after it what came later than it', () => {
    const positions = positionsIn()
    expect(positions.applyFill(made(1, '0', '1'), later(1))).toBe(false)
    expect(positions.applyFill(made(3, '1', '2'), later(3))).toBe(false)
    expect([sizeOf(positions), positions.accountValue()]).toEqual([null, null])
    show(positions, 2, '1')
    expect(sizeOf(positions)).toBe('2')
  })
})

describe('a state', () => {
  test('that is older than the one held is none; one of the same moment is', () => {
    const positions = positionsIn()
    show(positions, 5, '1')
    expect(show(positions, 4, '2')).toBeNull()
    expect([sizeOf(positions), positions.time]).toEqual(['1', later(5)])
    expect(show(positions, 5, '2')).toEqual(new Set([eth]))
    expect(sizeOf(positions)).toBe('2')
  })

  test('names the coins that it touched, held before or now', () => {
    const positions = positionsIn()
    expect(show(positions, 1, null)).toEqual(new Set())
    expect(show(positions, 2, '1')).toEqual(new Set([eth]))
    expect(show(positions, 3, '1')).toEqual(new Set([eth]))
    expect(show(positions, 4, null)).toEqual(new Set([eth]))
    expect(show(positions, 5, null)).toEqual(new Set())
  })

  test('resurrects nothing that a later fill has closed, and takes its fills in', () => {
    const positions = positionsIn()
    show(positions, 0, '1')
    positions.applyFill(made(5, '1', '0'), later(5))
    show(positions, 4, '1')
    expect(sizeOf(positions)).toBeNull()
    show(positions, 6, '3')
    expect(sizeOf(positions)).toBe('3')
  })

  test('a position is as old as its last change of size', () => {
    const positions = positionsIn()
    show(positions, 1, '1')
    show(positions, 2, '1')
    expect(positions.views.get(eth)?.since).toBe(later(1))
    show(positions, 3, '2')
    expect(positions.views.get(eth)?.since).toBe(later(3))
    positions.applyFill(made(4, '2', '3'), later(9))
    expect(positions.views.get(eth)?.since).toBe(later(9))
  })
})

describe('the account’s value', () => {
  const rows: { what: string; base: string | null; mark?: string; fills: Fill[]; is: string }[] = [
    { what: 'the state’s', base: '1', fills: [], is: '1000' },
    // The state shows a position at the price that the venue marks at, 2000.
    {
      what: 'a fill below the mark, and its fee',
      ...{ base: '1', fills: [made(1, '1', '3', { price: '1990', fee: '1.5' })], is: '1018.5' },
    },
    {
      what: 'a sale below the mark',
      ...{ base: '3', fills: [made(1, '3', '2', { price: '1990' })], is: '990' },
    },
    {
      what: 'a first fill, which is newer than any mark, and its fee',
      ...{ base: null, mark: '2010', fills: [made(1, '0', '1', { fee: '1.5' })], is: '998.5' },
    },
    {
      what: 'what of a first fill is left after a part of it was sold lower',
      base: null,
      fills: [made(1, '0', '2'), made(2, '2', '1', { price: '1990' })],
      is: '990',
    },
    {
      what: 'a first fill where nothing is known',
      ...{ base: null, fills: [made(1, '0', '1')], is: '1000' },
    },
    { what: 'one that is in it', base: '1', fills: [made(0, '0', '1', { fee: '9' })], is: '1000' },
  ]
  test.each(rows)('$what', ({ base, mark, fills, is }) => {
    const positions = positionsIn(mark === undefined ? {} : { mark })
    show(positions, 0, base)
    expect(positions.accountValue()?.toString()).toBe('1000')
    for (const each of fills) positions.applyFill(each, later(5))
    expect(positions.accountValue()?.toString()).toBe(is)
  })
})

describe('a position that fills made', () => {
  const rows: {
    what: string
    world: World
    size: string
    leverage: Leverage
    liquidation: string | null
    unrealised: string
  }[] = [
    {
      what: 'where nothing is known',
      ...{ world: {}, size: '1', leverage: { type: 'cross', value: 1 }, liquidation: null },
      unrealised: '0',
    },
    {
      what: 'with the most that the market allows',
      ...{ world: { maxLeverage: 20 }, size: '1', leverage: { type: 'cross', value: 20 } },
      ...{ liquidation: null, unrealised: '0' },
    },
    // 2000 - 2000 x (1/4 - 1/40) / (1 - 1/40).
    {
      what: 'long at the coin’s leverage',
      world: { maxLeverage: 20, leverage: isolated, mark: '2010' },
      ...{ size: '2', leverage: isolated, liquidation: '1538.461538', unrealised: '0' },
    },
    // 2000 + 2000 x (1/4 - 1/40) / (1 + 1/40).
    {
      what: 'short at the coin’s leverage',
      world: { maxLeverage: 20, leverage: isolated, mark: '2010' },
      ...{ size: '-2', leverage: isolated, liquidation: '2439.02439', unrealised: '0' },
    },
    {
      what: 'long at a leverage of one',
      world: { maxLeverage: 20, leverage: { type: 'isolated', value: 1 } },
      ...{ size: '2', leverage: { type: 'isolated', value: 1 }, liquidation: null },
      unrealised: '0',
    },
  ]
  test.each(rows)('$what', ({ world, size, leverage, liquidation, unrealised }) => {
    const positions = positionsIn(world)
    show(positions, 0, null)
    positions.applyFill(made(1, '0', size), later(1))
    const view = positions.views.get(eth)
    expect(view).toMatchObject({ coin: eth, leverage, since: later(1) })
    expect(view?.liquidationPrice?.rounded(6, 'down').toString() ?? null).toBe(liquidation)
    expect(view?.unrealisedPnl.toString()).toBe(unrealised)
    expect(positions.unrealised().toString()).toBe(unrealised)
  })

  test('of one that was shown has its leverage, and the market’s bound that was told with it', () => {
    const positions = positionsIn({ maxLeverage: 20, leverage: { type: 'cross', value: 9 } })
    show(positions, 0, '1', { leverage: isolated })
    positions.applyFill(made(1, '1', '2'), later(1))
    // The state's own bound is 40: 2000 - 2000 x (1/4 - 1/80) / (1 - 1/80).
    const view = positions.views.get(eth)
    expect(view?.leverage).toEqual(isolated)
    expect(view?.liquidationPrice?.rounded(6, 'down').toString()).toBe('1518.987341')
  })

  test('its leverage is set while it is held', () => {
    const positions = positionsIn()
    positions.setLeverage(eth, isolated)
    expect(positions.views.has(eth)).toBe(false)
    show(positions, 0, '1', { leverage: { type: 'cross', value: 9 } })
    positions.setLeverage(eth, isolated)
    expect(positions.views.get(eth)?.leverage).toEqual(isolated)
  })
})

describe('hundreds of fills without a state', () => {
  /** So many buys of 1, each at 1990 with a fee of 1, one in a millisecond. */
  function bought(count: number): Positions {
    const positions = positionsIn({ leverage: isolated, maxLeverage: 20 })
    show(positions, 0, '1')
    for (let nth = 1; nth <= count; nth += 1) {
      const each = made(nth, `${nth}`, `${nth + 1}`, { price: '1990', fee: '1' })
      positions.applyFill(each, later(nth))
    }
    return positions
  }

  test.each([199, 200, 201, 202, 450])('%i of them count each', (count) => {
    const positions = bought(count)
    expect(sizeOf(positions)).toBe(`${count + 1}`)
    // Marked at 2000, each wins 10 and costs 1.
    expect(positions.accountValue()?.rounded(6, 'half-even').toString()).toBe(
      `${1_000 + 9 * count}`,
    )
  })

  test('a state that is older than those folded away changes nothing', () => {
    const positions = bought(201)
    const late = made(50, '50', '51')
    expect(positions.applyFill(late, later(300))).toBe(false)
    show(positions, 60, '61')
    expect(sizeOf(positions)).toBe('202')
    show(positions, 300, '5')
    expect([sizeOf(positions), positions.accountValue()?.toString()]).toEqual(['5', '1000'])
  })

  test('that end flat leave nothing', () => {
    const positions = positionsIn()
    show(positions, 0, null)
    for (let nth = 0; nth < 204; nth += 1) {
      const isOpening = nth % 2 === 0
      positions.applyFill(made(nth + 1, isOpening ? '0' : '1', isOpening ? '1' : '0'), later(nth))
    }
    expect([sizeOf(positions), positions.accountValue()?.toString()]).toEqual([null, '1000'])
  })
})

test('what is done to a copy leaves the positions as they are', () => {
  const positions = positionsIn()
  show(positions, 0, '1')
  positions.applyFill(made(1, '1', '2'), later(1))
  const copy = positions.copy()
  expect([sizeOf(copy), copy.time, copy.accountValue()?.toString()]).toEqual([
    '2',
    later(0),
    '1000',
  ])
  copy.applyFill(made(2, '2', '3', { price: '1990' }), later(2))
  expect([sizeOf(copy), copy.accountValue()?.toString()]).toEqual(['3', '1010'])
  expect([sizeOf(positions), positions.accountValue()?.toString()]).toEqual(['2', '1000'])
})

test('a state from before fills that were folded together leaves what they made as it is', () => {
  const positions = positionsIn()
  show(positions, 0, null)
  for (let ms = 1; ms <= 300; ms += 1) {
    const price = ms <= 100 ? '1000' : '2000'
    positions.applyFill(made(ms, `${ms - 1}`, `${ms}`, { price }), later(ms))
  }
  const held = () => [sizeOf(positions), positions.views.get(eth)?.entryPrice.toString()]
  const before = held()
  expect(before[0]).toBe('300')
  show(positions, 5, '5')
  expect(held()).toEqual(before)
})

test('a fill of the very moment of a state that came before it is not lost where it continues from it', () => {
  const positions = positionsIn()
  show(positions, 0, '1')
  positions.applyFill(made(5, '1', '2'), later(5))
  show(positions, 5, '1')
  expect(sizeOf(positions)).toBe('2')
})

test('the margin of what has filled since a state is rounded up, after twelve decimals', () => {
  const positions = positionsIn({ leverage: { type: 'isolated', value: 3 }, maxLeverage: 10 })
  show(positions, 0, null)
  positions.applyFill(made(1, '0', '1', { price: '100' }), later(1))
  expect(positions.isolatedEquity().toString()).toBe('33.333333333334')
})

test('what a fill changes is counted at the mark of the state, to twelve decimals', () => {
  const positions = positionsIn()
  const all = { ETH: { size: '3', entry: '33' } }
  const state = venueState({ equity: '1000', positions: all, mids: { ETH: '33' } }, later(0))
  const [position] = state.positions
  if (position === undefined) throw new Error('no position')
  const held = [{ ...position, positionValue: Decimal.of('100') }]
  positions.applyState({ ...state, positions: held }, later(0))
  positions.applyFill(made(1, '3', '4', { price: '33' }), later(1))
  expect(positions.accountValue()?.toString()).toBe('1000.333333333333')
})

describe('the profit of all positions at the last marks', () => {
  const rows = [
    { what: 'no mark', mark: null, is: '-100' },
    { what: 'a mark of before the snapshot', mark: { price: '1500', ms: 1_000 }, is: '-100' },
    { what: 'a later mark', mark: { price: '1500', ms: 1_001 }, is: '-1000' },
  ]
  test.each(rows)('$what', ({ mark, is }) => {
    const positions = positionsIn()
    show(positions, 1_000, '2', { unrealised: '-100' })
    const prices = {
      mark: () => (mark === null ? null : Decimal.of(mark.price)),
      markAt: () => (mark === null ? null : later(mark.ms)),
    }
    expect(positions.unrealisedAt(prices).toString()).toBe(is)
  })
})
