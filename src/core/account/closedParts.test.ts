import { describe, expect, test } from 'vitest'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { fixtureNow } from './account.fixture.ts'
import { position } from './promises.fixture.ts'
import { Promises } from './promises.ts'
import type { ClosedPart, StopPromise } from './stopPromise.ts'

const eth = coin('ETH')
const dec = (text: string): Decimal => Decimal.of(text)

/** What an order of this size closed, by the trigger of a stop or without one. */
function closed(size: string, trigger: string | null): ClosedPart {
  return { size: dec(size), trigger: trigger === null ? null : dec(trigger) }
}

/** Three units of a side, promised a stop for one and a looser one for two. */
function three(isLong: boolean): Promises {
  const lots = isLong ? ['95', '90'] : ['105', '110']
  const promises = new Promises()
  promises.restore({
    plans: [],
    positions: [
      {
        ...{ coin: 'ETH', isLong, covers: [] },
        lots: lots.map((trigger, at) => [trigger, String(at + 1), false] as const),
      },
    ],
  })
  return promises
}

const inWords = ({ stops, rest }: StopPromise): readonly string[] => {
  const lots = stops.map(({ trigger, size }) => `${size.toString()} at ${trigger.toString()}`)
  return rest.isZero() ? lots : [...lots, `${rest.toString()} bare`]
}

describe('what is promised once an order has closed a part whose fill was not told', () => {
  const rows: {
    what: string
    isLong?: boolean
    parts: readonly ClosedPart[]
    left: string
    is: readonly string[]
  }[] = [
    { what: 'none', parts: [], left: '3', is: ['1 at 95', '2 at 90'] },
    { what: 'the tight stop', parts: [closed('1', '95')], left: '2', is: ['2 at 90'] },
    {
      what: 'the tight stop of a short position',
      ...{ isLong: false, parts: [closed('1', '105')], left: '2', is: ['2 at 110'] },
    },
    { what: 'the loose stop', parts: [closed('2', '90')], left: '1', is: ['1 at 95'] },
    {
      what: 'a part of the loose stop',
      ...{ parts: [closed('0.5', '90')], left: '2.5', is: ['1 at 95', '1.5 at 90'] },
    },
    {
      what: 'a stop between them, which keeps the next looser promise',
      ...{ parts: [closed('1', '92')], left: '2', is: ['1 at 95', '1 at 90'] },
    },
    { what: 'both', parts: [closed('1', '95'), closed('2', '90')], left: '0', is: [] },
    {
      what: 'an exit, of which nobody knows whose part it is',
      ...{ parts: [closed('1', null)], left: '2', is: ['1 at 95', '2 at 90'] },
    },
    {
      what: 'a stop that closed more than is gone',
      ...{ parts: [closed('3', '95')], left: '2', is: ['2 at 90'] },
    },
    {
      what: 'less than is held, of which the rest was never promised',
      ...{ parts: [closed('1', '95')], left: '4', is: ['1 at 95', '2 at 90', '1 bare'] },
    },
  ]
  test.each(rows)('$what', ({ isLong = true, parts, left, is }) => {
    const promises = three(isLong)
    const held = position(isLong ? '3' : '-3')
    expect(inWords(promises.of(held, dec(left), parts))).toEqual(is)
    // Asked of the whole position nothing has changed.
    expect(inWords(promises.of(held))).toHaveLength(2)
  })

  test('and once a state shows it, which no fill ever explains', () => {
    const after = (
      parts: readonly ClosedPart[],
      price: string | null = null,
    ): readonly string[] => {
      const promises = three(true)
      const shown = { ...position('2'), since: fixtureNow }
      const priceOf = () => (price === null ? null : dec(price))
      promises.settle(new Map([[eth, shown]]), { closedBy: () => parts, priceOf })
      return inWords(promises.of(shown))
    }
    expect(after([closed('1', '95')])).toEqual(['2 at 90'])
    // What nothing explains was closed by a stop that the price has passed; else it is taken from the loosest.
    expect(after([], '95')).toEqual(['2 at 90'])
    expect(after([], '95.1')).toEqual(['1 at 95', '1 at 90'])
    expect(after([])).toEqual(['1 at 95', '1 at 90'])
    expect(after([closed('1', '95')], '95')).toEqual(['2 at 90'])
  })
})
