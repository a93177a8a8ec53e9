import { describe, expect, test } from 'vitest'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { botCloid, fill, fixtureNow, stopInFlight } from './account.fixture.ts'
import { OrderLife } from './orderLife.ts'
import { position, promised } from './promises.fixture.ts'
import { Promises } from './promises.ts'

const eth = coin('ETH')
const dec = (text: string): Decimal => Decimal.of(text)

/** Four units of a side, promised a stop for one and a looser one for three. */
function four(isLong = true): Promises {
  const lots = isLong ? (['95', '90'] as const) : (['105', '110'] as const)
  const promises = new Promises()
  promises.restore({
    plans: [
      ['0xentry', true, isLong ? '85' : '115'],
      ['0xclose', false, isLong ? '95' : '105'],
    ],
    positions: [
      {
        ...{ coin: 'ETH', isLong, covers: [] },
        lots: [
          [lots[0], '1', false],
          [lots[1], '3', false],
        ],
      },
    ],
  })
  return promises
}

type Step = (promises: Promises) => void
const firings = new Set<Step>()
const endings = new Set<Step>()

/** By its number, where an order stops; any other is an exit or an entry. */
const triggers = new Map([
  [1, '95'],
  [2, '90'],
  [3, '92'],
])

/** The end of an order that closed so much of a long position. */
function end(oid: number, size: string, cloid: string | null = null): Step {
  const at = triggers.get(oid)
  const trigger = at === undefined ? null : dec(at)
  const step: Step = (promises) => {
    promises.closedBy({ coin: eth, isLong: true, oid, cloid, trigger, size: dec(size) })
  }
  endings.add(step)
  return step
}

/** A state of the venue's time `at`, while the price is this one. */
function state(size: string, at: number, price: string | null = null): Step {
  const priceOf = () => (price === null ? null : dec(price))
  return (promises) => {
    promises.settle(new Map([[eth, position(size)]]), { priceOf, timeOf: () => at })
  }
}

/** A fill that makes `to` of `from`, by an order of this number. */
function played(oid: number, from: string, to: string, at: number, cloid?: string): Step {
  const change = dec(to).minus(dec(from))
  const isBuy = change.isPositive()
  const size = change.abs().toString()
  const told = fill({ coin: 'ETH', isBuy, price: '94', size, start: from, oid, tid: 1, at })
  const trigger = triggers.get(oid)
  const plan = trigger === undefined ? null : stopInFlight({ size, trigger, cloid: botCloid(oid) })
  const life = plan === null ? null : new OrderLife({ action: 'a', plan }, fixtureNow, 0)
  return (promises) => {
    promises.applyFill(told, life, cloid ?? null)
  }
}

function after(steps: readonly Step[], size: string, isLong = true): readonly string[] {
  const promises = four(isLong)
  for (const step of steps) step(promises)
  return promised(promises, size)
}

/** Every order that keeps the order of the steps of each list. */
function mixed(one: readonly Step[], other: readonly Step[]): readonly (readonly Step[])[] {
  const [first, ...rest] = one
  const [second, ...others] = other
  if (first === undefined || second === undefined) return [[...one, ...other]]
  return [
    ...mixed(rest, other).map((steps) => [first, ...steps]),
    ...mixed(one, others).map((steps) => [second, ...steps]),
  ]
}

describe('the told end of an order', () => {
  test.each<[string, Step, readonly string[]]>([
    ['the tight stop', end(1, '1'), ['3 at 90']],
    ['a part of it', end(1, '0.4'), ['0.6 at 95', '3 at 90']],
    ['the loose stop', end(2, '3'), ['1 at 95']],
    ['a part of the loose stop', end(2, '0.5'), ['1 at 95', '2.5 at 90']],
    ['a stop between them keeps the next looser promise', end(3, '1'), ['1 at 95', '2 at 90']],
    ['a stop that closed more than its promise', end(1, '2'), ['2 at 90']],
    ['nothing of it filled', end(1, '0'), ['1 at 95', '3 at 90']],
    ['an exit, of which nobody knows whose part it is', end(9, '1'), ['1 at 95', '3 at 90']],
    ['a close in place of the tight stop', end(9, '1', '0xclose'), ['3 at 90']],
    ['an entry of the other side', end(9, '1', '0xentry'), ['1 at 95', '3 at 90']],
  ])('%s', (_, step, is) => {
    const shown = is.reduce((sum, lot) => sum.plus(dec(lot.split(' ')[0] ?? '')), Decimal.zero)
    expect(after([step], shown.toString())).toEqual(is)
  })

  test('told twice counts once, before its fill and after it', () => {
    expect(after([end(1, '1'), end(1, '1')], '3')).toEqual(['3 at 90'])
    expect(after([end(1, '0.4'), end(1, '1')], '3')).toEqual(['3 at 90'])
    const both = [end(1, '1'), state('3', 10), end(1, '1'), played(1, '4', '3', 10)]
    expect(after(both, '3')).toEqual(['3 at 90'])
  })

  test('of a stop of the other side says nothing', () => {
    expect(after([end(1, '1')], '-4', false)).toEqual(['1 at 105', '3 at 110'])
  })
})

/** An end that comes after its own fill has nothing left to tell. */
function isToldInTime(steps: readonly Step[]): boolean {
  const ends = steps.findIndex((step) => endings.has(step))
  return ends === -1 || steps.findIndex((step) => firings.has(step)) > ends
}

describe('whichever comes first of the end of a stop, its fill and what shows it', () => {
  // All at 10 of the venue's clock; the entry is promised 85.
  const entered = (from: string, to: string): Step => played(8, from, to, 10, '0xentry')
  const exited = (from: string, to: string): Step => played(9, from, to, 10)
  const fired = (oid: number, from: string, to: string): Step => {
    const step = played(oid, from, to, 10)
    firings.add(step)
    return step
  }
  const rows: { what: string; fills: readonly Step[]; size: string; is: readonly string[] }[] = [
    { what: 'it alone', fills: [fired(1, '4', '3')], size: '3', is: ['3 at 90'] },
    {
      what: 'it, then an entry',
      fills: [fired(1, '4', '3'), entered('3', '5')],
      ...{ size: '5', is: ['3 at 90', '2 at 85'] },
    },
    {
      what: 'an entry, then it',
      fills: [entered('4', '6'), fired(1, '6', '5')],
      ...{ size: '5', is: ['3 at 90', '2 at 85'] },
    },
    {
      what: 'it, then an exit',
      fills: [fired(1, '4', '3'), exited('3', '2')],
      ...{ size: '2', is: ['2 at 90'] },
    },
    {
      what: 'an exit, then it',
      fills: [exited('4', '2'), fired(1, '2', '1')],
      ...{ size: '1', is: ['1 at 90'] },
    },
  ]
  test.each(rows)('$what', ({ fills, size, is }) => {
    for (const tellsEnd of [[end(1, '1')], []]) {
      // The price is told after the first state, or before it.
      for (const price of [null, '94']) {
        const shown = [state(size, 10, price), state(size, 12, '94')]
        for (const told of mixed(fills, shown)) {
          for (const steps of mixed(told, tellsEnd)) {
            if (isToldInTime(steps)) expect(after(steps, size)).toEqual(is)
          }
        }
      }
    }
  })
})

describe('what no fill and no end ever explains', () => {
  test.each<[string, readonly Step[], readonly string[]]>([
    ['a stop that the price has reached', [state('3', 10, '95')], ['3 at 90']],
    ['it was not reached: the loosest', [state('3', 10, '95.1')], ['1 at 95', '2 at 90']],
    ['no price: the loosest', [state('3', 10)], ['1 at 95', '2 at 90']],
    ['the price is told later', [state('3', 10), state('3', 12, '94')], ['3 at 90']],
    [
      'a later fill starts from what was shown',
      [state('3', 10, '94'), played(8, '3', '5', 11, '0xentry')],
      ['3 at 90', '2 at 85'],
    ],
  ])('%s', (_, steps, is) => {
    const sizes = is.map((lot) => dec(lot.split(' ')[0] ?? ''))
    const size = sizes.reduce((sum, each) => sum.plus(each), Decimal.zero)
    expect(after(steps, size.toString())).toEqual(is)
  })
})
