import { describe, expect, test } from 'vitest'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { fill, fixtureNow } from './account.fixture.ts'
import { position, promised } from './promises.fixture.ts'
import { Promises } from './promises.ts'
import type { OwnStop } from './stopPromise.ts'
import type { Cover } from './stop.ts'
import { StopRow } from './stopRow.ts'

const eth = coin('ETH')
const dec = Decimal.of
const bare: Cover = { isFull: false, uncovered: dec('1'), loosest: null, risk: Decimal.zero }

const own = (trigger: string, size: string, isWhole = true, isLong = true): OwnStop => ({
  ...{ coin: eth, isLong, trigger: dec(trigger), size: dec(size), isWhole },
})
/** A trade by hand, so many milliseconds after the stop was decided on. */
function byHand(promises: Promises, start: string, size: string, afterMs: number): void {
  const change = dec(size).minus(dec(start))
  const told = { coin: 'ETH', isBuy: change.isPositive(), price: '100', start, oid: 1, tid: 1 }
  const at = fixtureNow + afterMs
  promises.applyFill(fill({ ...told, size: change.abs().toString(), at }), null, null)
}

describe('Guard’s own stop is promised once it is decided on, though it never rests', () => {
  test('for all of a position opened by hand, and it goes with it', () => {
    const promises = new Promises()
    byHand(promises, '0', '4', 0)
    promises.promiseOwn(own('98', '4'))
    expect(promised(promises, '4')).toEqual(['4 at 98'])
    byHand(promises, '4', '1', 1)
    expect(promised(promises, '1')).toEqual(['1 at 98'])
    byHand(promises, '1', '0', 2)
    expect(promised(promises, '1')).toEqual(['1 bare'])
  })

  test('for what is added by hand later, with a stop of its own', () => {
    const promises = new Promises()
    promises.promiseOwn(own('98', '4'))
    byHand(promises, '4', '6', 1)
    expect(promised(promises, '6')).toEqual(['4 at 98', '2 bare'])
    promises.promiseOwn(own('103', '2', false))
    expect(promised(promises, '6')).toEqual(['2 at 103', '4 at 98'])
  })

  test.each([
    { isLong: true, tight: '104', is: ['1 at 104', '3 at 98'] },
    { isLong: false, tight: '96', is: ['1 at 96', '3 at 98'] },
    { isLong: true, tight: '97', is: ['4 at 98'] },
  ])(
    'but for what a tighter one covered while it was all (long: $isLong, $tight)',
    ({ isLong, tight, is }) => {
      const promises = new Promises()
      const side = isLong ? '' : '-'
      byHand(promises, '0', `${side}1`, 0)
      const cover = { ...bare, isFull: true, loosest: Decimal.of(tight) }
      promises.follow(position(`${side}1`), Decimal.one, new StopRow(isLong), cover)
      byHand(promises, `${side}1`, `${side}4`, 1)
      promises.promiseOwn(own('98', '4', true, isLong))
      expect(promised(promises, `${side}4`)).toEqual(is)
      // Of what is added later it has covered nothing.
      byHand(promises, `${side}4`, `${side}6`, 2)
      promises.promiseOwn(own('98', '2', false, isLong))
      const [first, second] = is
      const last = `${second === undefined ? 6 : 5} at 98`
      expect(promised(promises, `${side}6`)).toEqual(second === undefined ? [last] : [first, last])
    },
  )

  test('all of it, where it covered all', () => {
    const promises = new Promises()
    byHand(promises, '0', '4', 0)
    const cover = { ...bare, isFull: true, loosest: Decimal.of('104') }
    promises.follow(position('4'), Decimal.of('4'), new StopRow(true), cover)
    promises.promiseOwn(own('98', '4'))
    expect(promised(promises, '4')).toEqual(['4 at 104'])
  })

  test('and is kept by what is saved', () => {
    const [promises, later] = [new Promises(), new Promises()]
    promises.promiseOwn(own('102', '4', true, false))
    later.restore(promises.record())
    expect(promised(later, '-4')).toEqual(['4 at 102'])
  })
})

describe('of an earlier run that was cut off', () => {
  const restored = (...stops: readonly OwnStop[]): Promises => {
    const promises = new Promises()
    const dated = stops.map((stop) => ({ ...stop, at: fixtureNow }))
    promises.restore({ plans: [], positions: [], own: dated })
    return promises
  }
  const followed = (promises: Promises, size: string): readonly string[] => {
    const held = position(size)
    promises.follow(held, held.size.abs(), new StopRow(held.size.isPositive()), bare)
    return promised(promises, size)
  }

  test.each<[string, readonly OwnStop[], string, readonly string[]]>([
    ['it is promised again', [own('98', '4')], '4', ['4 at 98']],
    ['a short one too', [own('102', '4', true, false)], '-4', ['4 at 102']],
    ['to no more than it was for', [own('98', '4')], '5', ['4 at 98', '1 bare']],
    ['to no more than is held', [own('98', '4')], '3', ['3 at 98']],
    ['not to one that has turned', [own('98', '4')], '-4', ['4 bare']],
    ['one for all begins anew', [own('98', '4'), own('95', '4')], '4', ['4 at 95']],
    [
      'one for an addition stands beside it',
      [own('98', '4'), own('99', '2', false)],
      '6',
      ['2 at 99', '4 at 98'],
    ],
    [
      'an addition of the other side stands alone',
      [own('102', '4', true, false), own('98', '2', false)],
      '6',
      ['2 at 98', '4 bare'],
    ],
  ])('%s', (_, stops, size, is) => {
    expect(followed(restored(...stops), size)).toEqual(is)
  })

  test.each([
    ['own', [own('98', '4'), own('99', '2', false)], ['2 at 99', '4 at 98']],
    ['none', [], ['6 bare']],
  ])(
    'a run that ends before it has seen its account leaves them to the next: %s',
    (_, stops, is) => {
      const [first, second] = [restored(...stops), new Promises()]
      const cover = { coin: eth, isLong: true, trigger: dec('97'), size: dec('6'), at: fixtureNow }
      if (stops.length > 0) first.restore({ plans: [], positions: [], covering: [cover] })
      second.restore(first.record())
      expect(followed(second, '6')).toEqual(is)
      expect(second.coverOf(position('6'))?.toString()).toBe(stops.length > 0 ? '97' : undefined)
      expect(second.record().own?.map(({ at }) => at)).toEqual(
        stops.length > 0 ? [fixtureNow, fixtureNow] : undefined,
      )
    },
  )

  test('fills that were known by then, told again, do not end it; later ones do', () => {
    const promises = restored(own('98', '4'))
    byHand(promises, '0', '4', 0)
    expect(followed(promises, '4')).toEqual(['4 at 98'])
    byHand(promises, '4', '0', 1)
    byHand(promises, '0', '4', 2)
    expect(followed(promises, '4')).toEqual(['4 bare'])
  })

  test.each([
    ['4', ['4 at 98']],
    ['-4', ['4 bare']],
    [null, ['4 bare']],
  ])('a state that shows %s leaves %j', (shown, is) => {
    const promises = restored(own('98', '4'))
    promises.settle(new Map(shown === null ? [] : [[eth, position(shown)]]), {
      priceOf: () => null,
      timeOf: () => 0,
    })
    expect(followed(promises, shown ?? '4')).toEqual(is)
  })
})
