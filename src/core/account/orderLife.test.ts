import { describe, expect, test } from 'vitest'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { botCloid, fixtureNow, inFlight, later, openOrder } from './account.fixture.ts'
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
