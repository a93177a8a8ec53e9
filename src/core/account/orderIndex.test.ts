import { describe, expect, test } from 'vitest'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import {
  botCloid,
  fixtureNow,
  inFlight,
  later,
  openOrder,
  reductionInFlight,
} from './account.fixture.ts'
import { OrderIndex } from './orderIndex.ts'
import type { Described } from './orderIndex.ts'
import { OrderLife } from './orderLife.ts'
import type { ReservedOrder } from './reservation.ts'

const eth = coin('ETH')
const dec = (text: string): Decimal => Decimal.of(text)
const id = botCloid(1)

/** An entry of 2 at 100 with the client order id `id`. */
function entry(): ReservedOrder {
  const [plan] = inFlight({
    ...{ coin: eth, isBuy: true, size: dec('2'), price: dec('100'), stop: dec('90') },
    ...{ cloid: id, stopCloid: null, mayRest: true },
  })
  if (plan === undefined) throw new Error('no order')
  return plan
}
const lifeOf = (plan = entry()): OrderLife => new OrderLife({ action: 'a', plan }, fixtureNow, 0)
const foreign = (): OrderLife => {
  const made = { coin: eth, isBuy: true, isReduceOnly: false, cloid: null }
  return new OrderLife({ action: null, plan: null, ...made }, fixtureNow, 0)
}
const told: Described = {
  ...{ oid: 7, cloid: id, coin: eth, isBuy: true, size: dec('2'), price: dec('100') },
}

describe('an order that has no number yet', () => {
  const reduction: Described = { ...told, isBuy: false, price: Decimal.one }
  const rows: {
    what: string
    plans: readonly ReservedOrder[]
    as: Described
    is: number | null
  }[] = [
    { what: 'as it was sent', plans: [entry()], as: told, is: 0 },
    { what: 'without an id', plans: [entry()], as: { ...told, cloid: null }, is: null },
    { what: 'another id', plans: [entry()], as: { ...told, cloid: botCloid(2) }, is: null },
    { what: 'another market', plans: [entry()], as: { ...told, coin: coin('SOL') }, is: null },
    { what: 'another side', plans: [entry()], as: { ...told, isBuy: false }, is: null },
    { what: 'another size', plans: [entry()], as: { ...told, size: dec('1') }, is: null },
    { what: 'another limit', plans: [entry()], as: { ...told, price: dec('99') }, is: null },
    { what: 'one of two alike', plans: [entry(), entry()], as: told, is: null },
    {
      what: 'the one of two that is like it',
      plans: [entry(), { ...entry(), size: dec('3') }],
      as: { ...told, size: dec('3') },
      is: 1,
    },
    // The venue may cut an order that only reduces to the position that is left.
    {
      what: 'a reduction of another size',
      plans: [reductionInFlight('ETH', '1', id)],
      ...{ as: reduction, is: 0 },
    },
    {
      what: 'a reduction at another limit',
      plans: [reductionInFlight('ETH', '1', id)],
      ...{ as: { ...reduction, price: dec('2') }, is: null },
    },
  ]
  test.each(rows)('is known by what is told of it: $what', ({ plans, as, is }) => {
    const index = new OrderIndex()
    const lives = plans.map(lifeOf)
    for (const life of lives) index.expect(life)
    const found = index.find(as)
    expect(found === null ? null : lives.indexOf(found)).toBe(is)
    expect(index.get(7)).toBe(found)
    expect(lives.map(({ oid }) => oid)).toEqual(lives.map((_, at) => (at === is ? 7 : null)))
  })

  test('is not known by an id once it has a number', () => {
    const index = new OrderIndex()
    const life = lifeOf()
    index.expect(life)
    index.number(life, 6)
    expect([index.find(told), index.find({ ...told, oid: 6 })]).toEqual([null, life])
  })

  test('is not known by a number that has ended', () => {
    const index = new OrderIndex()
    index.expect(lifeOf())
    index.ended(7, null, fixtureNow)
    expect(index.find(told)).toBeNull()
  })

  test('made elsewhere, is known by its number alone', () => {
    const index = new OrderIndex()
    const life = foreign()
    index.number(life, 7)
    expect([index.find({ ...told, cloid: null }), index.find({ ...told, oid: 8 })]).toEqual([
      life,
      null,
    ])
  })
})

describe('numbers', () => {
  test('an order has one at a time', () => {
    const index = new OrderIndex()
    const life = lifeOf()
    index.number(life, 6)
    index.number(life, 7)
    expect([index.get(6), index.get(7), life.oid]).toEqual([null, life, 7])
    index.unnumber(life)
    expect([index.get(7), life.oid]).toEqual([null, null])
    index.unnumber(life)
    expect(life.oid).toBeNull()
  })

  test('what fills told of a number before is its order’s', () => {
    const index = new OrderIndex()
    index.playPast(7, dec('0.5'), null)
    index.playPast(7, dec('0.25'), null)
    expect(index.playedOf(7).toString()).toBe('0.75')
    const life = lifeOf()
    index.number(life, 7)
    expect(life.played.toString()).toBe('0.75')
    life.played = dec('1')
    expect([index.playedOf(7), index.filledOf(7)].map(String)).toEqual(['1', '1'])
  })

  test('after it is forgotten, an order’s fills and what was told of its end are known', () => {
    const index = new OrderIndex()
    const life = lifeOf()
    index.expect(life)
    index.number(life, 7)
    life.played = dec('0.5')
    life.ended = { filled: dec('1.5'), time: fixtureNow }
    index.forget(life)
    expect(index.get(7)).toBeNull()
    expect([index.playedOf(7), index.filledOf(7)].map(String)).toEqual(['0.5', '1.5'])
    expect([index.cloidOf(7), index.holderOf(id)]).toEqual([id, null])
    // A fill that comes late is one of it still.
    index.playPast(7, dec('1.25'), null)
    expect([index.playedOf(7), index.filledOf(7)].map(String)).toEqual(['1.75', '1.75'])
  })

  test('forgetting one leaves the order alone that has its number', () => {
    const index = new OrderIndex()
    const [old, now] = [lifeOf(), lifeOf()]
    index.number(old, 7)
    index.number(now, 7)
    old.played = dec('9')
    index.forget(old)
    expect([index.get(7), index.playedOf(7).toString()]).toEqual([now, '0'])
    // One without a number leaves nothing.
    index.forget(lifeOf())
    expect(index.get(7)).toBe(now)
  })
})

describe('client order ids', () => {
  test('the last that was given one holds it, and the last that is open is found by it', () => {
    const index = new OrderIndex()
    const [first, second] = [lifeOf(), lifeOf()]
    index.expect(first)
    index.expect(first)
    index.expect(second)
    expect([index.holderOf(id), index.openBy(id)]).toEqual([second, null])
    first.shown = openOrder({ coin: 'ETH', oid: 6, isBuy: true, price: '100', size: '2' })
    index.opened(first)
    expect([index.holderOf(id), index.openBy(id)]).toEqual([second, first])
    index.closed(second)
    expect(index.holderOf(id)).toBe(first)
    index.closed(first)
    expect([index.holderOf(id), index.openBy(id)]).toEqual([null, null])
    index.closed(foreign())
  })

  test('an id that was told is kept, and none takes its place', () => {
    const index = new OrderIndex()
    expect(index.cloidOf(7)).toBeNull()
    index.noteCloid(7, id)
    index.ended(7, null, later(1))
    index.playPast(7, Decimal.one, null)
    expect([index.cloidOf(7), index.endedAt(7)]).toEqual([id, later(1)])
    index.playPast(7, Decimal.one, botCloid(2))
    expect(index.cloidOf(7)).toBe(botCloid(2))
  })

  test('an order’s own id is the one it was sent with', () => {
    const index = new OrderIndex()
    const life = lifeOf()
    index.number(life, 7)
    index.noteCloid(7, botCloid(2))
    expect(index.cloidOf(7)).toBe(id)
    index.unnumber(life)
    expect(index.cloidOf(7)).toBeNull()
  })
})

test('of orders that are over the last 4,096 are known', () => {
  const index = new OrderIndex()
  for (let oid = 1; oid <= 4_097; oid += 1) index.ended(oid, null, fixtureNow)
  expect([1, 2, 4_097].map((oid) => index.endedAt(oid))).toEqual([null, fixtureNow, fixtureNow])
})

test('when an order ended is set with the clock', () => {
  const index = new OrderIndex()
  index.ended(7, null, later(5))
  index.playPast(8, Decimal.one, null)
  index.shift(-3)
  expect([index.endedAt(7), index.endedAt(8)]).toEqual([later(2), null])
})
