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
  stopInFlight,
} from './account.fixture.ts'
import { OrderLife } from './orderLife.ts'
import type { ReservedOrder } from './reservation.ts'
import { areFillsShown, isSettled } from './settling.ts'
import { SnapshotTimes } from './snapshotTimes.ts'

const dec = (text: string): Decimal => Decimal.of(text)

function entry(): ReservedOrder {
  const [plan] = inFlight({
    ...{ coin: coin('ETH'), isBuy: true, size: dec('2'), price: dec('100'), stop: dec('90') },
    ...{ cloid: botCloid(1), stopCloid: null, mayRest: true },
  })
  if (plan === undefined) throw new Error('no order')
  return plan
}
const plans = {
  entry: entry(),
  reduce: reductionInFlight('ETH', '2', botCloid(2)),
  restingReduce: { ...reductionInFlight('ETH', '2', botCloid(2)), mayRest: true },
  stop: stopInFlight({ size: '2', trigger: '90', cloid: botCloid(3) }),
}
type Kind = keyof typeof plans | 'foreign'

/** An order that snapshots show from the moment 10 on. */
function lifeOf(kind: Kind, now: Partial<OrderLife>): OrderLife {
  const made = { coin: coin('ETH'), isBuy: true, isReduceOnly: false, cloid: null }
  const origin =
    kind === 'foreign'
      ? ({ action: null, plan: null, ...made } as const)
      : { action: 'a', plan: plans[kind] }
  return Object.assign(new OrderLife(origin, fixtureNow, later(10)), now)
}

function timesOf(stateTime: number, stateTakenAt: number, ordersTakenAt: number): SnapshotTimes {
  const times = new SnapshotTimes()
  times.tookState(later(stateTime), later(stateTakenAt))
  times.tookOrders(later(ordersTakenAt))
  return times
}

const shown = openOrder({ coin: 'ETH', oid: 1, isBuy: true, price: '100', size: '2' })
const half = { ...shown, size: dec('1') }
const ended = { filled: dec('1'), time: later(10) }

describe('the positions include what was told of its fills', () => {
  const told = { venue: later(10), local: later(20) }
  const rows: [Kind, Partial<OrderLife>, stateTime: number, stateTakenAt: number, is: boolean][] = [
    ['entry', {}, 99, 99, false],
    ['foreign', {}, 99, 99, false],
    ['entry', { ended }, 10, 0, false],
    ['entry', { ended }, 11, 0, true],
    ['reduce', { ended }, 9, 99, false],
    ['reduce', { ended }, 10, 0, true],
    ['foreign', { ended }, 10, 0, true],
    ['entry', { filledTold: told }, 10, 20, false],
    ['entry', { filledTold: told }, 11, 0, true],
    ['entry', { filledTold: told }, 0, 21, true],
    ['entry', { filledTold: { ...told, venue: null } }, 99, 20, false],
    ['entry', { filledTold: { ...told, venue: null } }, 0, 21, true],
  ]
  test.each(rows)('%s %o, a state of %i, taken at %i: %s', (kind, now, time, takenAt, is) => {
    expect(areFillsShown(lifeOf(kind, now), timesOf(time, takenAt, 0))).toBe(is)
  })
})

describe('all that became of it is shown', () => {
  const all = { played: dec('2') }
  const rows: [Kind, Partial<OrderLife>, stateTakenAt: number, ordersTakenAt: number, boolean][] = [
    ['entry', { ended }, 0, 0, false],
    ['entry', { ended, inState: dec('1') }, 0, 0, true],
    ['foreign', {}, 0, 0, true],
    ['foreign', { shown }, 0, 0, true],
    ['foreign', { shown: { ...half, originalSize: dec('2') } }, 0, 0, false],
    ['foreign', { ended }, 0, 0, false],
    ['entry', {}, 99, 99, false],
    ['entry', { shown }, 99, 99, false],
    ['entry', { shown, isListed: true }, 0, 0, true],
    ['entry', { shown: { ...half, originalSize: dec('2') }, isListed: true }, 0, 0, false],
    ['entry', { played: dec('1.9') }, 99, 99, false],
    ['entry', all, 0, 0, true],
    ['entry', { isGone: true }, 10, 99, false],
    ['entry', { isGone: true }, 11, 0, true],
    ['restingReduce', {}, 10, 11, false],
    ['restingReduce', {}, 11, 10, false],
    ['restingReduce', {}, 11, 11, true],
    ['reduce', {}, 10, 11, false],
    ['reduce', {}, 11, 0, true],
    ['reduce', { shown }, 0, 0, true],
    ['reduce', { played: dec('1.9') }, 0, 0, false],
    ['reduce', all, 0, 0, true],
    ['stop', {}, 99, 10, false],
    ['stop', {}, 0, 11, true],
    ['stop', { shown }, 0, 0, true],
  ]
  test.each(rows)('%s %o, a state of %i, a list of %i: %s', (kind, now, state, orders, is) => {
    expect(isSettled(lifeOf(kind, now), timesOf(0, state, orders))).toBe(is)
  })
})
