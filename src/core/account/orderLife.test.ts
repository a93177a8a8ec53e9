import { describe, expect, test } from 'vitest'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import {
  botCloid,
  fixtureNow,
  inFlight,
  later,
  openOrder,
  stopInFlight,
} from './account.fixture.ts'
import { OrderLife } from './orderLife.ts'
import type { OrderState } from './orderLife.ts'

const dec = (text: string): Decimal => Decimal.of(text)
const eth = coin('ETH')

/** An entry of 2 that Guard has decided on. */
function planned(mayRest = true): OrderLife {
  const [plan] = inFlight({
    ...{ coin: eth, isBuy: true, size: dec('2'), price: dec('100'), stop: dec('90') },
    ...{ cloid: botCloid(1), stopCloid: null, mayRest },
  })
  if (plan === undefined) throw new Error('no order')
  return new OrderLife({ action: 'a', plan }, fixtureNow, fixtureNow + 5)
}
/** An order that was made elsewhere. */
function foreign(): OrderLife {
  const made = { coin: eth, isBuy: true, isReduceOnly: false, cloid: null }
  return new OrderLife({ action: null, plan: null, ...made }, fixtureNow, 0)
}
const shown = openOrder({ coin: 'ETH', oid: 1, isBuy: true, price: '100', size: '2' })
const ended = { filled: Decimal.zero, time: fixtureNow }

describe('where an order stands, and whether it takes a place for open orders', () => {
  const rows: {
    what: string
    life: OrderLife
    now: Partial<OrderLife>
    state: OrderState
    takes: boolean
  }[] = [
    { what: 'decided on', life: planned(), now: {}, state: 'reserved', takes: true },
    {
      what: 'decided on, and it cannot rest',
      ...{ life: planned(false), now: {}, state: 'reserved', takes: true },
    },
    { what: 'on its way', life: planned(), now: { hasLeft: true }, state: 'sent', takes: true },
    {
      what: 'accepted',
      ...{ life: planned(), now: { outcome: 'accepted' }, state: 'told', takes: true },
    },
    {
      what: 'accepted, and it cannot rest',
      ...{ life: planned(false), now: { outcome: 'accepted' }, state: 'told', takes: false },
    },
    {
      what: 'unknown, and it may rest',
      ...{ life: planned(), now: { outcome: 'unknown' }, state: 'reserved', takes: true },
    },
    {
      what: 'unknown, and it cannot rest',
      ...{ life: planned(false), now: { outcome: 'unknown' }, state: 'reserved', takes: false },
    },
    { what: 'numbered', life: planned(), now: { oid: 1 }, state: 'told', takes: true },
    {
      what: 'gone before an answer',
      ...{ life: planned(), now: { isGone: true }, state: 'reserved', takes: false },
    },
    {
      what: 'gone after an answer',
      ...{ life: planned(), now: { isGone: true, outcome: 'accepted' }, state: 'told' },
      takes: false,
    },
    { what: 'shown', life: planned(false), now: { shown, oid: 1 }, state: 'working', takes: true },
    {
      what: 'shown and accepted, and it was not to rest',
      ...{ life: planned(false), now: { shown, outcome: 'accepted' }, state: 'working' },
      takes: true,
    },
    {
      what: 'shown after it was gone',
      ...{ life: planned(), now: { shown, isGone: true }, state: 'working', takes: true },
    },
    {
      what: 'shown, and waiting for its parent',
      ...{ life: planned(), now: { shown, isWaiting: true }, state: 'waiting', takes: true },
    },
    { what: 'ended', life: planned(), now: { shown, ended }, state: 'ended', takes: false },
    { what: 'ended unseen', life: planned(), now: { ended }, state: 'ended', takes: false },
    { what: 'of others', life: foreign(), now: { shown, oid: 1 }, state: 'working', takes: true },
    { what: 'of others, ended', life: foreign(), now: { ended }, state: 'ended', takes: false },
  ]
  test.each(rows)('$what', ({ life, now, state, takes }) => {
    Object.assign(life, now)
    expect([life.state, life.takesPlace]).toEqual([state, takes])
  })
})

describe('a clock that was set', () => {
  test.each([-7, 7])('by %i leaves everything its age', (ms) => {
    const life = planned()
    life.shift(ms)
    expect(life).toMatchObject({ at: later(ms), seenAt: later(ms), shownFrom: later(5 + ms) })
    expect([life.missingSince, life.filledTold]).toEqual([null, null])
    life.missingSince = later(1)
    life.filledTold = { venue: later(2), local: later(3) }
    life.shift(ms)
    expect(life.missingSince).toBe(later(1 + ms))
    // The venue's own moment is none of Guard's clock.
    expect(life.filledTold).toEqual({ venue: later(2), local: later(3 + ms) })
  })
})

describe('what of an order may still open a position', () => {
  const two = { ...shown, originalSize: dec('3') }
  const rows: { what: string; life: OrderLife; now: Partial<OrderLife>; is: readonly string[] }[] =
    [
      { what: 'on its way', life: planned(), now: {}, is: ['2 in flight'] },
      {
        what: 'a part has filled',
        life: planned(),
        now: { played: dec('0.5') },
        is: ['1.5 in flight'],
      },
      {
        what: 'a state has a part',
        life: planned(),
        now: { inState: dec('0.5') },
        is: ['1.5 in flight'],
      },
      { what: 'all has filled', life: planned(), now: { played: dec('2') }, is: [] },
      { what: 'shown', life: planned(), now: { shown }, is: ['2 rest'] },
      {
        what: 'shown, and what it filled is not in the positions',
        ...{ life: planned(), now: { shown: two }, is: ['2 rest', '1 in flight'] },
      },
      {
        what: 'shown, and its fills are',
        ...{ life: planned(), now: { shown: two, played: dec('1') }, is: ['2 rest'] },
      },
      {
        what: 'shown, and more fills than were told',
        ...{ life: planned(), now: { shown: two, played: dec('1.5') }, is: ['2 rest'] },
      },
      { what: 'ended unfilled', life: planned(), now: { ended }, is: [] },
      {
        what: 'ended with a part',
        ...{ life: planned(), now: { ended: { ...ended, filled: dec('1') } }, is: ['1 in flight'] },
      },
      {
        what: 'made elsewhere, without a stop',
        ...{ life: foreign(), now: { shown: two }, is: ['2 rest'] },
      },
      {
        what: 'made elsewhere, with a stop',
        life: foreign(),
        now: { shown: two, childStop: dec('90') },
        is: ['2 rest', '1 in flight'],
      },
    ]
  test.each(rows)('$what', ({ life, now, is }) => {
    Object.assign(life, now)
    const entries = life.entries().map(({ size, oid }) => {
      return `${size.toString()} ${oid === null ? 'in flight' : 'rest'}`
    })
    expect(entries).toEqual(is)
  })

  test('of one that only reduces nothing, though it has filled unseen', () => {
    const made = { coin: eth, isBuy: false, isReduceOnly: true, cloid: null }
    const life = new OrderLife({ action: null, plan: null, ...made }, fixtureNow, 0)
    const told = { shown, childStop: dec('90'), ended: { ...ended, filled: dec('1') } }
    Object.assign(life, told)
    expect(life.entries()).toEqual([])
    expect(life.unplayed.toString()).toBe('1')
  })
})

describe('those that wait for its fill work', () => {
  const rows: { what: string; life: OrderLife; now: Partial<OrderLife>; is: boolean }[] = [
    { what: 'not before it has filled', life: planned(), now: {}, is: false },
    { what: 'not with a part', life: planned(), now: { played: dec('1.9') }, is: false },
    { what: 'with all of it', life: planned(), now: { played: dec('2') }, is: true },
    { what: 'not after an end without a fill', life: planned(), now: { ended }, is: false },
    {
      what: 'after an end with a part of it',
      ...{ life: planned(), now: { ended: { ...ended, filled: dec('1') } }, is: true },
    },
    {
      what: 'after an end whose fills alone tell of a part',
      ...{ life: planned(), now: { ended, played: dec('1') }, is: true },
    },
    { what: 'not where nobody planned it', life: foreign(), now: { played: dec('9') }, is: false },
  ]
  test.each(rows)('$what', ({ life, now, is }) => {
    Object.assign(life, now)
    expect(life.isParentDone).toBe(is)
  })
})

describe('a stop on its way', () => {
  const stop = (): OrderLife => {
    const plan = stopInFlight({ size: '2', trigger: '90', cloid: botCloid(3) })
    return new OrderLife({ action: 'a', plan }, fixtureNow, 0)
  }
  const rows: { what: string; life: OrderLife; now: Partial<OrderLife>; is: string | null }[] = [
    { what: 'sent', life: stop(), now: {}, is: 'not accepted' },
    { what: 'accepted', life: stop(), now: { outcome: 'accepted' }, is: 'accepted' },
    { what: 'shown', life: stop(), now: { shown }, is: null },
    { what: 'ended', life: stop(), now: { ended }, is: null },
    { what: 'an entry', life: planned(), now: {}, is: null },
    { what: 'made elsewhere', life: foreign(), now: {}, is: null },
  ]
  test.each(rows)('$what', ({ life, now, is }) => {
    Object.assign(life, now)
    const found = life.stopInFlight({ cloid: botCloid(9), isFilledAtOnce: true })
    expect(found === null ? null : found.isAccepted ? 'accepted' : 'not accepted').toBe(is)
    if (found !== null)
      expect(found).toMatchObject({
        ...{ parent: botCloid(9), isParentFilled: true, owner: 'bot' },
      })
  })
})

test('a stop that was sent by itself has no entry, and so none that has filled', () => {
  const plan = stopInFlight({ size: '2', trigger: '90', cloid: botCloid(3) })
  const life = new OrderLife({ action: 'a', plan }, fixtureNow, 0)
  expect(life.stopInFlight(null)).toMatchObject({ parent: null, isParentFilled: false })
})

test('an entry on its way to wait for a trigger is worth what it was judged to be, and has not fired', () => {
  const trigger = { price: dec('105'), isMarket: true, tpsl: 'sl' } as const
  const { plan } = planned()
  if (plan?.kind !== 'entry') throw new Error('no entry')
  const watched = { trigger, worth: dec('110'), stopBy: 'bot' } as const
  const life = new OrderLife({ action: 'a', plan: { ...plan, watched } }, fixtureNow, 0)
  const is = { stopBy: 'bot', worth: dec('110'), hasNotFired: true, needsGuard: true }
  expect(life.entries()).toMatchObject([{ watched: is }])
  life.shown = { ...shown, trigger: null }
  expect(life.entries()).toMatchObject([{ watched: { ...is, hasNotFired: false } }])
})

test('one that vanishes is listed no more, and only what could rest may fill until now', () => {
  for (const mayRest of [true, false]) {
    const life = Object.assign(planned(mayRest), { shown, isListed: true })
    life.vanish(later(50))
    expect(life).toMatchObject({ shown: null, isListed: false, isGone: true })
    expect(life.shownFrom).toBe(later(mayRest ? 50 : 5))
  }
})

test.each([
  { what: 'shown by an update: as Guard sent it', isListed: false, child: null, stop: '90' },
  { what: 'shown by an update, with its child', isListed: false, child: '95', stop: '95' },
  { what: 'listed without a child: none', isListed: true, child: null, stop: null },
  { what: 'listed with its child', isListed: true, child: '95', stop: '95' },
])('the stop of an entry that rests, $what', ({ isListed, child, stop }) => {
  const childStop = child === null ? null : dec(child)
  const life = Object.assign(planned(), { shown, isListed, childStop })
  expect(life.restingEntry?.stop?.toString() ?? null).toBe(stop)
  expect(life.restingEntry?.isConfirmed).toBe(isListed)
})

test('what was told under another order’s number is taken back whole, and given on whole', () => {
  const [mistaken, untold, right] = [planned(), planned(), foreign()]
  const told = {
    ...{ shown, isListed: true, seenAt: later(3), played: dec('1'), inState: dec('0.5') },
    filledTold: { venue: null, local: later(3) },
  }
  Object.assign(mistaken, told, { missingSince: later(4) })
  right.tell(mistaken.untell())
  expect(right).toMatchObject(told)
  expect({ ...mistaken, seenAt: untold.seenAt }).toEqual({ ...untold })
})

test('more fills than were told are no fill that is still to come', () => {
  const life = planned()
  Object.assign(life, { played: dec('0.6'), ended: { filled: dec('0.5'), time: fixtureNow } })
  expect(life.unplayed.toString()).toBe('0')
})

test.each([
  { isBuy: true, stop: '99', isKept: true },
  { isBuy: true, stop: '100', isKept: false },
  { isBuy: true, stop: '101', isKept: false },
  { isBuy: false, stop: '101', isKept: true },
  { isBuy: false, stop: '100', isKept: false },
  { isBuy: false, stop: '99', isKept: false },
])('a stop at $stop that Guard keeps is one only beyond the price of 100: buy $isBuy', (row) => {
  const { isBuy, stop, isKept } = row
  const kept = { stop: dec(stop), stopBy: 'guard' } as const
  const made = { coin: eth, isBuy, isReduceOnly: false, cloid: null, kept }
  const life = new OrderLife({ action: null, plan: null, ...made }, fixtureNow, 0)
  life.shown = { ...shown, isBuy }
  expect(life.restingEntry?.stop?.toString() ?? null).toBe(isKept ? stop : null)
  expect(life.restingEntry?.watched === undefined).toBe(!isKept)
})
