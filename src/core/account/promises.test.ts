import { describe, expect, test } from 'vitest'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import {
  botCloid,
  fill,
  fixtureNow,
  inFlight,
  openOrder,
  reductionInFlight,
  stopInFlight,
  stopOrder,
} from './account.fixture.ts'
import type { Cover } from './stop.ts'
import { OrderLife, stopOf } from './orderLife.ts'
import { position, promised } from './promises.fixture.ts'
import { Promises } from './promises.ts'
import type { PromiseRecord } from './promises.ts'
import type { ReservedOrder } from './reservation.ts'
import { StopRow } from './stopRow.ts'

const eth = coin('ETH')
const seen = { priceOf: () => null, timeOf: () => fixtureNow }
const dec = (text: string): Decimal => Decimal.of(text)

/** An entry that was judged with this stop. */
function entry(stop: string): ReservedOrder {
  const [plan] = inFlight({
    ...{ coin: eth, isBuy: true, size: dec('9'), price: dec('100'), stop: dec(stop) },
    ...{ cloid: botCloid(1), stopCloid: null, mayRest: true },
  })
  if (plan === undefined) throw new Error('no order')
  return plan
}
/** A stop with this trigger. */
function stop(trigger: string): ReservedOrder {
  return stopInFlight({ size: '9', trigger, cloid: botCloid(2) })
}
const life = (plan: ReservedOrder): OrderLife => new OrderLife({ action: 'a', plan }, fixtureNow, 0)

/** The position `size` that a fill makes of `start`, by an order with this plan; null when none is known. */
type Step = readonly [start: string, size: string, plan: ReservedOrder | null]

function filled(start: string, size: string) {
  const change = dec(size).minus(dec(start))
  const isBuy = change.isPositive()
  const told = { coin: 'ETH', isBuy, price: '100', size: change.abs().toString(), start }
  return fill({ ...told, oid: 1, tid: 1, at: fixtureNow })
}

function afterSteps(steps: readonly Step[]): Promises {
  const promises = new Promises()
  for (const [start, size, plan] of steps) {
    promises.applyFill(filled(start, size), plan === null ? null : life(plan), null)
  }
  return promises
}

describe('what fills leave promised', () => {
  const two: readonly Step[] = [
    ['0', '2', entry('90')],
    ['2', '3', entry('95')],
  ]
  const short: readonly Step[] = [
    ['0', '-2', entry('110')],
    ['-2', '-3', entry('105')],
  ]
  const rows: { what: string; steps: readonly Step[]; size: string; is: readonly string[] }[] = [
    { what: 'nothing happened', steps: [], size: '2', is: ['2 bare'] },
    { what: 'an entry', steps: [['0', '2', entry('90')]], size: '2', is: ['2 at 90'] },
    { what: 'long: the highest stop first', steps: two, size: '3', is: ['1 at 95', '2 at 90'] },
    {
      what: 'short: the lowest stop first',
      steps: short,
      size: '-3',
      is: ['1 at 105', '2 at 110'],
    },
    {
      what: 'parts with one stop are one',
      steps: [
        ['0', '2', entry('90')],
        ['2', '3', entry('90')],
      ],
      size: '3',
      is: ['3 at 90'],
    },
    { what: 'nobody knows the order', steps: [['0', '2', null]], size: '2', is: ['2 bare'] },
    {
      what: 'an order that is not Guard’s makes it larger',
      steps: [...two, ['3', '4', null]],
      size: '4',
      is: ['1 at 95', '2 at 90', '1 bare'],
    },
    {
      what: 'a stop that makes it larger promises nothing',
      steps: [...two, ['3', '4', stop('90')]],
      size: '4',
      is: ['1 at 95', '2 at 90', '1 bare'],
    },
    {
      what: 'a close takes from the loosest',
      steps: [...two, ['3', '2', null]],
      size: '2',
      is: ['1 at 95', '1 at 90'],
    },
    {
      what: 'and then from the next',
      steps: [...two, ['3', '0.5', null]],
      size: '0.5',
      is: ['0.5 at 95'],
    },
    {
      what: 'an entry of the other side is a close like any other',
      steps: [...two, ['3', '2', entry('95')]],
      size: '2',
      is: ['1 at 95', '1 at 90'],
    },
    {
      what: 'a close of what nothing was promised for',
      steps: [
        ['0', '2', entry('90')],
        ['2', '3', null],
        ['3', '2.5', null],
      ],
      size: '2.5',
      is: ['2 at 90', '0.5 bare'],
    },
    {
      what: 'long: a stop that is hit ends the promise it kept',
      steps: [...two, ['3', '2', stop('95')]],
      size: '2',
      is: ['2 at 90'],
    },
    {
      what: 'long: which is the nearest that is no tighter than it',
      steps: [...two, ['3', '2', stop('94')]],
      size: '2',
      is: ['1 at 95', '1 at 90'],
    },
    {
      what: 'short: a stop that is hit ends the promise it kept',
      steps: [...short, ['-3', '-2', stop('105')]],
      size: '-2',
      is: ['2 at 110'],
    },
    {
      what: 'short: which is the nearest that is no tighter than it',
      steps: [...short, ['-3', '-2', stop('106')]],
      size: '-2',
      is: ['1 at 105', '1 at 110'],
    },
    {
      what: 'a stop that closes more than was promised there takes the rest from the others',
      steps: [...two, ['3', '0.5', stop('94')]],
      size: '0.5',
      is: ['0.5 at 95'],
    },
    {
      what: 'flat, nothing is promised of what is opened next',
      steps: [...two, ['3', '0', null], ['0', '1', null]],
      size: '1',
      is: ['1 bare'],
    },
    {
      what: 'short and flat, the same',
      steps: [...short, ['-3', '0', null], ['0', '-1', null]],
      size: '-1',
      is: ['1 bare'],
    },
    {
      what: 'a close that was not told is known by the start of the next position',
      steps: [...two, ['0', '1', entry('93')]],
      size: '1',
      is: ['1 at 93'],
    },
    {
      what: 'long turned short, only what is beyond zero is promised',
      steps: [...two, ['3', '-1', entry('105')]],
      size: '-1',
      is: ['1 at 105'],
    },
    {
      what: 'short turned long, only what is beyond zero is promised',
      steps: [...short, ['-3', '1', entry('95')]],
      size: '1',
      is: ['1 at 95'],
    },
    {
      what: 'turned, nothing is left of an older position on that side',
      steps: [...two, ['-2', '1', entry('93')]],
      size: '1',
      is: ['1 at 93'],
    },
    { what: 'asked of the other side', steps: two, size: '-3', is: ['3 bare'] },
    { what: 'asked of a smaller position', steps: two, size: '2', is: ['1 at 95', '2 at 90'] },
    {
      what: 'asked of a larger position',
      steps: two,
      size: '4',
      is: ['1 at 95', '2 at 90', '1 bare'],
    },
  ]
  test.each(rows)('$what', ({ steps, size, is }) => {
    expect(promised(afterSteps(steps), size)).toEqual(is)
  })
})

describe('which stop a fill belongs to', () => {
  const reduction = reductionInFlight('ETH', '9', botCloid(1))
  const shown = (order: OrderLife, trigger: string | null): OrderLife => {
    const spec = { coin: 'ETH', oid: 1, isBuy: false, price: '1', size: '9', isReduceOnly: true }
    order.shown = openOrder(trigger === null ? spec : { ...spec, trigger: { price: trigger } })
    return order
  }
  const byHand = (): OrderLife => {
    const made = { coin: eth, isBuy: false, isReduceOnly: true, cloid: null }
    return new OrderLife({ action: null, plan: null, ...made }, fixtureNow, 0)
  }
  // A stop ends the promise it kept, here the tightest; any other close takes from the loosest.
  const [asStop, asClose] = [['1 at 95', '1 at 90'], ['2 at 95']]
  const rows = [
    { what: 'Guard’s own plan', life: life(stop('96')), cloid: null, is: asStop },
    { what: 'the plan, whatever its id once was', life: life(stop('96')), cloid: 1, is: asStop },
    { what: 'a plan that is no stop', life: life(reduction), cloid: null, is: asClose },
    { what: 'as it is shown', life: shown(byHand(), '96'), cloid: null, is: asStop },
    { what: 'shown without a trigger', life: shown(byHand(), null), cloid: null, is: asClose },
    { what: 'an unknown order', life: null, cloid: null, is: asClose },
    { what: 'an entry by its id', life: null, cloid: 1, is: asClose },
    { what: 'a stop by its id', life: null, cloid: 2, is: asStop },
    { what: 'an id that nobody planned', life: null, cloid: 3, is: asClose },
  ]
  test.each(rows)('$what', ({ life: order, cloid, is }) => {
    const promises = afterSteps([
      ['0', '1', entry('90')],
      ['1', '3', entry('95')],
    ])
    promises.plan(entry('80'))
    promises.plan(stop('96'))
    promises.plan(reductionInFlight('ETH', '9', botCloid(3)))
    promises.applyFill(filled('3', '2'), order, cloid === null ? null : botCloid(cloid))
    expect(promised(promises, '2')).toEqual(is)
  })

  test('an entry of an earlier run is known by its id', () => {
    const promises = new Promises()
    promises.plan(entry('80'))
    promises.applyFill(filled('0', '2'), null, botCloid(1))
    expect(promised(promises, '2')).toEqual(['2 at 80'])
  })
})

describe('the positions of a state', () => {
  const long: readonly Step[] = [['0', '3', entry('90')]]
  const short: readonly Step[] = [['0', '-3', entry('110')]]
  test.each([
    { what: 'long as before', steps: long, state: '3', is: ['3 at 90'] },
    { what: 'smaller', steps: long, state: '2', is: ['2 at 90', '1 bare'] },
    { what: 'larger', steps: long, state: '4', is: ['3 at 90'] },
    { what: 'flat', steps: long, state: null, is: ['3 bare'] },
    { what: 'turned', steps: long, state: '-3', is: ['3 bare'] },
    { what: 'short as before', steps: short, state: '-3', is: ['3 at 110'] },
    { what: 'short and smaller', steps: short, state: '-2', is: ['2 at 110', '1 bare'] },
    { what: 'short and turned', steps: short, state: '3', is: ['3 bare'] },
  ])('$what', ({ steps, state, is }) => {
    const promises = afterSteps(steps)
    promises.settle(new Map(state === null ? [] : [[eth, position(state)]]), seen)
    // Asked of the position as it was, so that what is gone shows.
    expect(promised(promises, steps === long ? '3' : '-3')).toEqual(is)
  })
})

describe('what covers now', () => {
  const none: Cover = { isFull: false, uncovered: dec('3'), loosest: null, risk: Decimal.zero }
  const full = (loosest: string): Cover => {
    return { isFull: true, uncovered: Decimal.zero, loosest: dec(loosest), risk: Decimal.zero }
  }
  const rowOf = (isLong: boolean, owner: 'guard' | 'bot', triggers: readonly string[]): StopRow =>
    triggers.reduce((row, trigger, oid) => {
      const shown = stopOf(stopOrder({ coin: 'ETH', oid, size: '3', trigger, isBuy: !isLong }))
      if (shown === null) throw new Error('no stop')
      return row.with({ ...shown, owner })
    }, new StopRow(isLong))
  const long: readonly Step[] = [['0', '2', entry('90')]]
  const flat: readonly Step[] = []
  const short: readonly Step[] = [['0', '-2', entry('110')]]
  const rows: {
    what: string
    steps: readonly Step[]
    size: string
    owner: 'guard' | 'bot'
    stops: readonly string[]
    covers: readonly Cover[]
    is: readonly string[]
    coveredBy: string | null
  }[] = [
    {
      what: 'nothing',
      ...{ steps: flat, size: '3', owner: 'bot', stops: [], covers: [none] },
      ...{ is: ['3 bare'], coveredBy: null },
    },
    {
      what: 'a promise alone covers nothing',
      ...{ steps: long, size: '3', owner: 'bot', stops: [], covers: [none] },
      ...{ is: ['2 at 90', '1 bare'], coveredBy: null },
    },
    {
      what: 'a stop of the bot’s over all of it is known, and promises nothing',
      ...{ steps: flat, size: '3', owner: 'bot', stops: ['94'], covers: [full('94')] },
      ...{ is: ['3 bare'], coveredBy: '94' },
    },
    {
      what: 'one over a part is not',
      steps: flat,
      ...{ size: '3', owner: 'bot', stops: ['94'], covers: [{ ...none, loosest: dec('94') }] },
      ...{ is: ['3 bare'], coveredBy: null },
    },
    {
      what: 'nor is a full cover that no stop makes',
      steps: flat,
      ...{ size: '3', owner: 'bot', stops: [], covers: [{ ...full('94'), loosest: null }] },
      ...{ is: ['3 bare'], coveredBy: null },
    },
    {
      what: 'long: the tightest cover is kept',
      ...{ steps: flat, size: '3', owner: 'bot', stops: [], covers: [full('94'), full('93')] },
      ...{ is: ['3 bare'], coveredBy: '94' },
    },
    {
      what: 'long: a tighter cover takes its place',
      ...{ steps: flat, size: '3', owner: 'bot', stops: [], covers: [full('93'), full('94')] },
      ...{ is: ['3 bare'], coveredBy: '94' },
    },
    {
      what: 'short: the tightest cover is kept',
      ...{ steps: flat, size: '-3', owner: 'bot', stops: [], covers: [full('106'), full('107')] },
      ...{ is: ['3 bare'], coveredBy: '106' },
    },
    {
      what: 'long: a cover that is tighter than the promise',
      ...{ steps: long, size: '2', owner: 'bot', stops: ['94'], covers: [full('94')] },
      ...{ is: ['2 at 90'], coveredBy: '94' },
    },
    {
      what: 'long: a cover that is looser than the promise',
      ...{ steps: long, size: '2', owner: 'bot', stops: ['89'], covers: [full('89')] },
      ...{ is: ['2 at 90'], coveredBy: '89' },
    },
    {
      what: 'short: a cover that is tighter than the promise',
      ...{ steps: short, size: '-2', owner: 'bot', stops: ['106'], covers: [full('106')] },
      ...{ is: ['2 at 110'], coveredBy: '106' },
    },
    {
      what: 'short: a cover that is looser than the promise',
      ...{ steps: short, size: '-2', owner: 'bot', stops: ['111'], covers: [full('111')] },
      ...{ is: ['2 at 110'], coveredBy: '111' },
    },
    {
      what: 'Guard’s own stop is promised for what nothing was',
      ...{ steps: long, size: '3', owner: 'guard', stops: ['88'], covers: [full('88')] },
      ...{ is: ['2 at 90', '1 at 88'], coveredBy: '88' },
    },
    {
      what: 'also where it does not cover all',
      ...{ steps: flat, size: '3', owner: 'guard', stops: ['88'], covers: [none] },
      ...{ is: ['3 at 88'], coveredBy: null },
    },
    {
      what: 'the tightest of Guard’s own, and only once',
      ...{ steps: flat, size: '3', owner: 'guard', stops: ['88', '89'], covers: [none, none] },
      ...{ is: ['3 at 89'], coveredBy: null },
    },
    {
      what: 'Guard’s own promises nothing where all is promised',
      ...{ steps: long, size: '2', owner: 'guard', stops: ['88'], covers: [none] },
      ...{ is: ['2 at 90'], coveredBy: null },
    },
    {
      what: 'a cover that is gone is not forgotten',
      ...{ steps: flat, size: '3', owner: 'guard', stops: ['88'], covers: [full('94'), none] },
      ...{ is: ['3 at 88'], coveredBy: '94' },
    },
    {
      what: 'nor for a tighter one over a part',
      steps: flat,
      ...{ size: '3', owner: 'guard', stops: ['88'] },
      covers: [full('94'), { ...none, loosest: dec('95') }],
      ...{ is: ['3 at 88'], coveredBy: '94' },
    },
    {
      what: 'asked of a position that turned',
      ...{ steps: short, size: '3', owner: 'bot', stops: [], covers: [none] },
      ...{ is: ['3 bare'], coveredBy: null },
    },
  ]
  test.each(rows)('$what', ({ steps, size, owner, stops, covers, is, coveredBy }) => {
    const promises = afterSteps(steps)
    const held = position(size)
    const row = rowOf(held.size.isPositive(), owner, stops)
    for (const cover of covers) promises.follow(held, held.size.abs(), row, cover)
    expect(promised(promises, size)).toEqual(is)
    expect(promises.coverOf(held)?.toString() ?? null).toBe(coveredBy)
  })

  test.each([none, { ...none, loosest: dec('94') }, { ...full('94'), loosest: null }])(
    'what says nothing leaves nothing on record',
    (cover) => {
      const promises = new Promises()
      promises.follow(position('3'), dec('3'), rowOf(true, 'bot', []), cover)
      expect(promises.record().positions).toEqual([])
    },
  )

  const own = (isLong: boolean, size: string, trigger: string, steps: readonly Step[]) => {
    const promises = afterSteps(steps)
    promises.follow(position(size), dec(size).abs(), rowOf(isLong, 'guard', [trigger]), none)
    return promises
  }

  test('Guard’s own gives way to what an entry was judged with, though it is tighter', () => {
    const promises = own(true, '3', '95', long)
    expect(promised(promises, '3')).toEqual(['1 at 95', '2 at 90'])
    promises.applyFill(filled('3', '2.5'), null, null)
    expect(promised(promises, '2.5')).toEqual(['0.5 at 95', '2 at 90'])
    promises.applyFill(filled('2.5', '1'), null, null)
    expect(promised(promises, '1')).toEqual(['1 at 90'])
  })

  test('Guard’s own and an entry’s with one trigger are two', () => {
    const promises = own(true, '3', '90', long)
    expect(promised(promises, '3')).toEqual(['2 at 90', '1 at 90'])
    expect(promises.record().positions[0]?.lots).toEqual([
      ['90', '2', false],
      ['90', '1', true],
    ])
  })
})

describe('the record', () => {
  const written: PromiseRecord = {
    plans: [
      [botCloid(1), true, '80'],
      [botCloid(2), false, '94'],
    ],
    positions: [
      {
        ...{ coin: 'ETH', isLong: true },
        covers: [
          ['96', '1'],
          ['91', '3'],
        ],
        lots: [
          ['95', '1', true],
          ['90', '2', false],
        ],
      },
      { coin: 'SOL', isLong: false, covers: [], lots: [['110', '5', false]] },
    ],
  }

  test('is taken up as it was written, and written again as it was', () => {
    const promises = new Promises()
    promises.restore(written)
    expect(promises.record()).toEqual(written)
    expect(promised(promises, '3')).toEqual(['1 at 95', '2 at 90'])
    expect(promises.coverOf(position('3'))?.toString()).toBe('91')
    expect(promises.coverOf(position('1'))?.toString()).toBe('96')
  })

  test('has no plan of what neither opens nor stops', () => {
    const promises = new Promises()
    promises.plan(reductionInFlight('ETH', '9', botCloid(1)))
    promises.plan({ kind: 'cancel', coin: eth, oid: 1, cloid: botCloid(2) })
    promises.plan({ kind: 'leverage', coin: eth, leverage: { type: 'isolated', value: 4 } })
    expect(promises.record()).toEqual({ plans: [], positions: [] })
  })

  test('of plans has the last 4,096', () => {
    const promises = new Promises()
    for (let nth = 0; nth < 4_097; nth += 1) {
      promises.plan(stopInFlight({ size: '1', trigger: '90', cloid: botCloid(nth) }))
    }
    const plans = promises.record().plans.map(([cloid]) => cloid)
    expect([plans.length, plans[0], plans.at(-1)]).toEqual([4_096, botCloid(1), botCloid(4_096)])
  })

  test.each([
    [true, 63, ['1 at 138', '1 at 137']],
    [true, 64, ['1 at 137', '1 at 136']],
    [true, 65, ['1 at 137', '2 at 136']],
    [true, 67, ['1 at 137', '4 at 136']],
    [false, 64, ['1 at 263', '1 at 264']],
    [false, 66, ['1 at 263', '3 at 264']],
  ])(
    'of a position from many stops has 64, the loosest as one (long: %s, %i)',
    (isLong, count, last) => {
      const side = isLong ? 1 : -1
      const stops = Array.from({ length: count }, (_, nth): Step => {
        return [`${side * nth}`, `${side * (nth + 1)}`, entry(`${200 - side + side * -nth}`)]
      })
      const promises = afterSteps(stops)
      const lots = promised(promises, `${side * count}`)
      expect(lots).toHaveLength(Math.min(count, 64))
      expect(lots.slice(-2)).toEqual(last)
    },
  )
})
