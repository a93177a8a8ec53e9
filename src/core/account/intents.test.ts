import { describe, expect, test } from 'vitest'
import type { Leverage } from '../protocol/venueState.ts'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { limits } from '../values/limits.ts'
import { botCloid, fixtureNow, later } from './account.fixture.ts'
import { Intents } from './intents.ts'
import type { OrderName } from './intents.ts'
import { SnapshotTimes } from './snapshotTimes.ts'

const eth = coin('ETH')
const sol = coin('SOL')
const five: Leverage = { type: 'isolated', value: 5 }
const three: Leverage = { type: 'isolated', value: 3 }
const leverage = (name = eth, to = five) =>
  ({ kind: 'leverage', coin: name, leverage: to }) as const
const cancel = (oid: number | null, cloid: string | null) =>
  ({ kind: 'cancel', coin: null, oid, cloid }) as const

/** Cancels and changes of leverage, with the orders that are open and what was told of cancels. */
function setUp() {
  const times = new SnapshotTimes()
  const open = new Set<number | string>([7])
  const heard: OrderName[] = []
  const isOpen = ({ oid, cloid }: OrderName): boolean => open.has(oid ?? cloid ?? '')
  const intents = new Intents(times, isOpen, ({ oid, cloid }) => heard.push({ oid, cloid }))
  return { times, open, heard, intents }
}
type SetUp = ReturnType<typeof setUp>

/** The intents look at snapshots that were taken so many milliseconds after it all began. */
function look({ times, intents }: SetUp, orders: number | null, state: number | null): void {
  if (orders !== null) times.tookOrders(later(orders))
  if (state !== null) times.tookState(later(state), later(state))
  intents.review()
}

test('the coins of what was answered, and of which no list has come since', () => {
  const { times, intents } = setUp()
  const wanted = (before: number) => intents.unlisted(later(before))
  const margin = { kind: 'margin', coin: sol, amount: Decimal.one } as const
  intents.begin('m', margin, later(0))
  intents.begin('n', cancel(8, null), later(0))
  intents.begin('l', leverage(), later(0))
  for (const id of ['m', 'n', 'l']) intents.settle(id, { outcome: 'unknown' }, later(0))
  intents.begin('c', { ...cancel(7, null), coin: sol }, later(1))
  expect(wanted(1_000_000)).toEqual([eth])
  intents.settle('c', { outcome: 'accepted' }, later(10))
  expect([wanted(10), wanted(11)]).toEqual([[], [sol]])
  times.tookOrders(later(11))
  expect(wanted(limits.expiresAfterMsMax + 1)).toEqual([eth])
})

describe('a cancel', () => {
  const sent = later(0)
  const replied = later(10)
  type Step = (all: SetUp) => void
  const reply =
    (outcome: 'refused' | 'accepted' | 'unknown'): Step =>
    ({ intents }) =>
      expect(intents.settle('c', { outcome }, replied)).toEqual([])
  const list =
    (ms: number): Step =>
    (all) =>
      look(all, ms, null)
  const end: Step = ({ open, intents }) => {
    open.delete(7)
    intents.ended({ oid: 7, cloid: null })
  }
  const unknownUntil = 10 + limits.expiresAfterMsMax
  const rows: { what: string; steps: readonly Step[]; isOver: boolean }[] = [
    { what: 'on its way', steps: [], isOver: false },
    { what: 'refused', steps: [reply('refused')], isOver: true },
    { what: 'accepted while the order is shown', steps: [reply('accepted')], isOver: false },
    { what: 'accepted, and the order has ended', steps: [reply('accepted'), end], isOver: true },
    { what: 'the order has ended, then accepted', steps: [end, reply('accepted')], isOver: true },
    { what: 'unanswered, though the order has ended', steps: [end], isOver: false },
    { what: 'unknown, and the order has ended', steps: [end, reply('unknown')], isOver: true },
    {
      what: 'accepted, and listed as of the answer',
      steps: [reply('accepted'), list(10)],
      isOver: false,
    },
    { what: 'accepted, and listed later', steps: [reply('accepted'), list(11)], isOver: true },
    {
      what: 'unknown, and listed while it may arrive',
      steps: [reply('unknown'), list(unknownUntil)],
      isOver: false,
    },
    {
      what: 'unknown, and listed later',
      steps: [reply('unknown'), list(unknownUntil + 1)],
      isOver: true,
    },
    { what: 'unanswered while it may arrive', steps: [list(limits.mayArriveMs)], isOver: false },
    { what: 'unanswered for longer', steps: [list(limits.mayArriveMs + 1)], isOver: true },
  ]
  test.each(rows)('$what', ({ steps, isOver }) => {
    const all = setUp()
    all.intents.begin('c', cancel(7, null), sent)
    for (const step of steps) step(all)
    expect(all.intents.count).toBe(isOver ? 0 : 1)
    expect(all.intents.cancellingSince({ oid: 7, cloid: null })).toBe(isOver ? null : sent)
    const told = { oid: 7, cloid: null }
    expect(all.heard).toEqual(isOver ? [told, told] : [told])
  })

  test('another action’s answer settles nothing', () => {
    const { intents } = setUp()
    intents.begin('c', cancel(7, null), sent)
    intents.settle('d', { outcome: 'refused' }, replied)
    expect(intents.count).toBe(1)
  })

  const id = botCloid(1)
  test.each([
    { what: 'by its number', item: cancel(7, null), asked: { oid: 7, cloid: null }, is: true },
    { what: 'by its number and id', item: cancel(7, id), asked: { oid: 7, cloid: id }, is: true },
    { what: 'by its id', item: cancel(null, id), asked: { oid: 7, cloid: id }, is: true },
    { what: 'by its id alone', item: cancel(null, id), asked: { oid: null, cloid: id }, is: true },
    { what: 'of another number', item: cancel(8, null), asked: { oid: 7, cloid: null }, is: false },
    // The number decides: a bot may use an id again.
    {
      what: 'of another with the id',
      item: cancel(8, id),
      asked: { oid: 7, cloid: id },
      is: false,
    },
    {
      what: 'of another id',
      ...{ item: cancel(null, botCloid(2)), asked: { oid: 7, cloid: id }, is: false },
    },
    {
      what: 'of an order without a name',
      ...{ item: cancel(7, id), asked: { oid: null, cloid: null }, is: false },
    },
  ])('$what is one of the order: $is', ({ item, asked, is }) => {
    const { intents } = setUp()
    intents.begin('c', item, sent)
    expect(intents.cancellingSince(asked)).toBe(is ? sent : null)
  })

  test.each([
    [0, 5, 5],
    [5, 0, 5],
    [5, 5, 5],
  ])('of two that left at %i and %i the later one counts', (first, second, since) => {
    const { intents } = setUp()
    intents.begin('c', cancel(7, null), later(first))
    intents.begin('d', cancel(null, botCloid(1)), later(second))
    expect(intents.cancellingSince({ oid: 7, cloid: botCloid(1) })).toBe(later(since))
  })

  test('of two of one order the refused one goes and the other stays', () => {
    const { intents } = setUp()
    intents.begin('c', cancel(7, null), later(0))
    intents.begin('d', cancel(7, null), later(5))
    intents.settle('d', { outcome: 'refused' }, later(6))
    expect(intents.cancellingSince({ oid: 7, cloid: null })).toBe(later(0))
  })

  test('one action settles all its cancels', () => {
    const { intents } = setUp()
    intents.begin('c', cancel(7, null), sent)
    intents.begin('c', cancel(8, null), sent)
    intents.settle('c', { outcome: 'refused' }, replied)
    expect(intents.count).toBe(0)
  })
})

describe('a change of leverage', () => {
  const sent = later(0)
  const rows: {
    what: string
    outcome: 'refused' | 'accepted' | 'unknown' | null
    looks: readonly (readonly [orders: number | null, state: number | null])[]
    confirmed: boolean
    isOver: boolean
  }[] = [
    { what: 'on its way', outcome: null, looks: [], confirmed: false, isOver: false },
    { what: 'refused', outcome: 'refused', looks: [], confirmed: false, isOver: true },
    { what: 'accepted', outcome: 'accepted', looks: [], confirmed: true, isOver: true },
    { what: 'unknown', outcome: 'unknown', looks: [], confirmed: false, isOver: false },
    {
      what: 'unanswered while it may arrive',
      outcome: null,
      looks: [[limits.mayArriveMs, limits.mayArriveMs + 1]],
      ...{ confirmed: false, isOver: false },
    },
    {
      what: 'unanswered, and only the orders are listed',
      outcome: null,
      looks: [[limits.mayArriveMs + 1, limits.mayArriveMs]],
      ...{ confirmed: false, isOver: false },
    },
    {
      what: 'unanswered for longer',
      outcome: null,
      looks: [[limits.mayArriveMs + 1, limits.mayArriveMs + 1]],
      ...{ confirmed: false, isOver: true },
    },
    {
      what: 'unknown for longer than it lives',
      outcome: 'unknown',
      looks: [[11 + limits.expiresAfterMsMax, 11 + limits.expiresAfterMsMax]],
      ...{ confirmed: false, isOver: true },
    },
  ]
  test.each(rows)('$what', ({ outcome, looks, confirmed, isOver }) => {
    const all = setUp()
    const { intents } = all
    intents.begin('l', leverage(), sent)
    if (outcome !== null) {
      const told = intents.settle('l', { outcome }, later(10))
      expect(told).toEqual(confirmed ? [{ coin: eth, leverage: five }] : [])
    }
    for (const [orders, state] of looks) look(all, orders, state)
    expect(intents.count).toBe(isOver ? 0 : 1)
    expect(intents.leverage(eth)).toEqual(isOver ? null : five)
    expect(intents.leveragesOf(eth)).toEqual(isOver ? [] : ['l'])
    expect(all.heard).toEqual([])
  })

  test('the last one counts, and each coin has its own', () => {
    const { intents } = setUp()
    intents.begin('l', leverage(eth, five), sent)
    intents.begin('m', leverage(eth, three), later(1))
    intents.begin('n', leverage(sol, five), later(2))
    expect([intents.leverage(eth), intents.leverage(sol)]).toEqual([three, five])
    expect(intents.leveragesOf(eth)).toEqual(['l', 'm'])
    intents.settle('m', { outcome: 'refused' }, later(3))
    expect([intents.leverage(eth), intents.leverage(sol)]).toEqual([five, five])
  })
})

describe('margin for a position', () => {
  const margin = (usd: string, name = eth) =>
    ({ kind: 'margin', coin: name, amount: Decimal.of(usd) }) as const
  const sums = ({ intents }: SetUp): readonly string[] =>
    [intents.marginOf(eth), intents.marginOf(sol), intents.marginFrom('')].map((sum) => `${sum}`)

  test('adds up by coin, and by the collateral that it is taken from', () => {
    const all = setUp()
    all.intents.begin('a', margin('10'), later(0))
    all.intents.begin('b', margin('5', eth), later(1))
    all.intents.begin('c', margin('7', sol), later(2))
    all.intents.begin('d', margin('3', coin('xyz:TSLA')), later(2))
    expect(sums(all)).toEqual(['15', '7', '22'])
    expect(`${all.intents.marginFrom('xyz')} ${all.intents.marginFrom(null)}`).toBe('3 25')
    expect(all.intents.count).toBe(4)
    expect(all.intents.settle('a', { outcome: 'refused' }, later(3))).toEqual([])
    expect(sums(all)).toEqual(['5', '7', '12'])
  })

  test.each<{ what: string; outcome: 'accepted' | 'unknown'; state: number; left: string }>([
    { what: 'accepted, and not in a state yet', outcome: 'accepted', state: 10, left: '10' },
    { what: 'accepted, and in a later state', outcome: 'accepted', state: 11, left: '0' },
    {
      what: 'unknown, while it may still come',
      ...{ outcome: 'unknown', state: 10 + limits.expiresAfterMsMax, left: '10' },
    },
    {
      what: 'unknown for longer than it lives',
      ...{ outcome: 'unknown', state: 11 + limits.expiresAfterMsMax, left: '0' },
    },
  ])('$what: $left', ({ outcome, state, left }) => {
    const all = setUp()
    all.intents.begin('a', margin('10'), later(0))
    all.intents.settle('a', { outcome }, later(10))
    look(all, null, state)
    expect(sums(all)).toEqual([left, '0', left])
    expect(all.heard).toEqual([])
  })
})

describe('a clock that was set', () => {
  test.each([-3_600_000, 3_600_000])('by %i leaves everything its age', (ms) => {
    const all = setUp()
    all.intents.begin('c', cancel(7, null), fixtureNow)
    all.intents.shift(ms)
    expect(all.intents.cancellingSince({ oid: 7, cloid: null })).toBe(later(ms))
    look(all, ms + limits.mayArriveMs, null)
    expect(all.intents.count).toBe(1)
    look(all, ms + limits.mayArriveMs + 1, null)
    expect(all.intents.count).toBe(0)
  })
})
