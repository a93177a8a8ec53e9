import { describe, expect, test } from 'vitest'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import {
  botCloid,
  fixtureNow,
  inFlight,
  openOrder,
  orderUpdate,
  reductionInFlight,
  stopInFlight,
} from './account.fixture.ts'
import { OrderLife } from './orderLife.ts'
import type { ReservedOrder } from './reservation.ts'
import { filledAtEnd, fromUpdate, sizeLeft } from './toldOrder.ts'

const dec = (text: string): Decimal => Decimal.of(text)
const shownAs = (size: string, isReduceOnly = false) =>
  openOrder({
    ...{ coin: 'ETH', oid: 1, isBuy: true, price: '100', size, originalSize: '4', isReduceOnly },
  })

function entry(): ReservedOrder {
  const [plan] = inFlight({
    ...{ coin: coin('ETH'), isBuy: true, size: dec('4'), price: dec('100'), stop: dec('90') },
    ...{ cloid: botCloid(1), stopCloid: null, mayRest: true },
  })
  if (plan === undefined) throw new Error('no order')
  return plan
}
const lifeOf = (plan: ReservedOrder): OrderLife =>
  new OrderLife({ action: 'a', plan }, fixtureNow, 0)
const foreign = (): OrderLife => {
  const made = { coin: coin('ETH'), isBuy: true, isReduceOnly: false, cloid: null }
  return new OrderLife({ action: null, plan: null, ...made }, fixtureNow, 0)
}

test.each([
  { what: 'as told', shown: '4', told: '3', played: '0', is: '3' },
  { what: 'as shown before', shown: '2', told: '3', played: '0', is: '2' },
  { what: 'as its fills leave it', shown: '4', told: '4', played: '1.5', is: '2.5' },
  { what: 'more was filled than asked for', shown: '4', told: '4', played: '5', is: '0' },
])('what is left of an order of 4: $what', ({ shown, told, played, is }) => {
  expect(sizeLeft(shownAs(shown), dec(told), dec(played)).toString()).toBe(is)
})

describe('an order that only an update has told of', () => {
  const target = { price: dec('120'), isMarket: true, tpsl: 'tp' } as const
  const reduction = reductionInFlight('ETH', '4', botCloid(2))
  const stop = stopInFlight({ size: '4', trigger: '90', cloid: botCloid(3) })
  const rows: {
    what: string
    life: OrderLife
    told: boolean | null
    isReduceOnly: boolean
    trigger: string | null
  }[] = [
    { what: 'an entry', life: lifeOf(entry()), told: null, isReduceOnly: false, trigger: null },
    { what: 'a stop', life: lifeOf(stop), told: null, isReduceOnly: true, trigger: 'sl 90' },
    {
      what: 'a reduction',
      ...{ life: lifeOf(reduction), told: null, isReduceOnly: true, trigger: null },
    },
    {
      what: 'a target',
      life: lifeOf({ ...reduction, kind: 'reduce', trigger: target }),
      ...{ told: null, isReduceOnly: true, trigger: 'tp 120' },
    },
    { what: 'made elsewhere', life: foreign(), told: null, isReduceOnly: false, trigger: null },
    { what: 'said to reduce', life: foreign(), told: true, isReduceOnly: true, trigger: null },
    {
      what: 'said not to reduce',
      ...{ life: lifeOf(stop), told: false, isReduceOnly: false, trigger: 'sl 90' },
    },
  ]
  test.each(rows)('$what', ({ life, told, isReduceOnly, trigger }) => {
    const update = { ...orderUpdate(shownAs('3'), 'open', fixtureNow), isReduceOnly: told }
    const order = fromUpdate(update, life, dec('1.5'))
    expect(order).toMatchObject({ oid: 1, isReduceOnly, isPositionTpsl: false, children: [] })
    expect([order.size, order.originalSize].map(String)).toEqual(['2.5', '4'])
    const { tpsl, price, isMarket } = order.trigger ?? { tpsl: '', price: '', isMarket: true }
    expect(trigger === null ? order.trigger : `${tpsl} ${price.toString()}`).toBe(trigger)
    expect(isMarket).toBe(true)
  })
})

describe('how much of an order of 4 was filled when it ended', () => {
  const withShown = (size: string, isReduceOnly: boolean): OrderLife =>
    Object.assign(foreign(), { shown: shownAs(size, isReduceOnly) })
  const rows: {
    what: string
    life: OrderLife | null
    status: string
    left: string
    played: string
    is: string
  }[] = [
    { what: 'filled', life: null, status: 'filled', left: '0', played: '0', is: '4' },
    {
      what: 'filled, whatever is said to be left',
      ...{ life: null, status: 'filled', left: '4', played: '0', is: '4' },
    },
    {
      what: 'unknown and cancelled: what its fills told',
      ...{ life: null, status: 'canceled', left: '3', played: '0.5', is: '0.5' },
    },
    {
      what: 'Guard’s own entry, not shown',
      ...{ life: lifeOf(entry()), status: 'canceled', left: '3', played: '0', is: '1' },
    },
    {
      what: 'another of Guard’s, not shown',
      life: lifeOf(reductionInFlight('ETH', '4', botCloid(2))),
      ...{ status: 'canceled', left: '3', played: '0', is: '0' },
    },
    {
      what: 'shown, and it may open',
      ...{ life: withShown('3', false), status: 'canceled', left: '3', played: '0', is: '1' },
    },
    {
      what: 'shown, and it only reduces: what was cut off is no fill',
      ...{ life: withShown('3', true), status: 'canceled', left: '3', played: '0', is: '0' },
    },
    {
      what: 'shown, and it only reduces: what is gone since',
      ...{ life: withShown('3', true), status: 'canceled', left: '1', played: '0.5', is: '2.5' },
    },
    {
      what: 'more left than there was',
      ...{ life: withShown('3', true), status: 'canceled', left: '9', played: '0', is: '0' },
    },
  ]
  test.each(rows)('$what', ({ life, status, left, played, is }) => {
    const update = orderUpdate(shownAs(left), status, fixtureNow)
    expect(filledAtEnd(update, life, dec(played)).toString()).toBe(is)
  })
})
