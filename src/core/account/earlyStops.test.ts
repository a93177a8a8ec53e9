import { expect, test } from 'vitest'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import {
  accountWith,
  botCloid,
  fill,
  fixtureNow,
  inFlight,
  later,
  openOrder,
  orderUpdate,
  restingEntry,
  stopOrder,
  venueState,
} from './account.fixture.ts'
import type { Account } from './account.ts'

// The mid is 2500. A position of 1 has a stop at 2300, and so risks 200; an entry of 1 at 2500 with
// its stop at 2450 risks 50. Whatever is told first of that entry, the two risk 250 together.
const eth = coin('ETH')
const older = stopOrder({ coin: 'ETH', oid: 7, size: '1', trigger: '2300' })
const entry = { coin: 'ETH', oid: 20, isBuy: true, price: '2500', size: '1' }
const entryCloid = botCloid(1)
const stopCloid = botCloid(2)
const held = { mids: { ETH: '2500' }, positions: { ETH: { size: '1' } } }
const newStop = stopOrder({ coin: 'ETH', oid: 21, size: '1', trigger: '2450', cloid: stopCloid })

const filled = (): Parameters<typeof orderUpdate>[0] => ({
  ...openOrder({ ...entry, cloid: entryCloid }),
  size: Decimal.zero,
})

/** The entry was sent with its stop, and nothing is told of either. */
function sent(): Account {
  const account = accountWith({ ...held, orders: [older] })
  const plan = {
    ...{ coin: eth, isBuy: true, size: Decimal.one, price: Decimal.of('2500') },
    ...{ stop: Decimal.of('2450'), cloid: entryCloid, stopCloid, mayRest: true },
  }
  account.reserve('a', inFlight(plan), later(1))
  account.sent('a')
  return account
}

/** The entry rests with its stop; an earlier run of Guard's sent it, so that nobody planned it. */
function rested(): Account {
  const orders = restingEntry({ ...entry, stop: '2450', cloid: entryCloid })
  return accountWith({ ...held, orders: [older, ...orders] })
}

function tellUpdates(account: Account, ...updates: ReturnType<typeof orderUpdate>[]): void {
  account.apply({ kind: 'order_updates', updates, at: later(3) })
}

const risk = (account: Account): string => account.exposure().openRisk.toString()

const ways: { what: string; from: () => Account; tell: (account: Account) => void }[] = [
  {
    what: 'its end and its stop by updates',
    from: sent,
    tell: (account) => {
      const [end, stop] = [
        orderUpdate(filled(), 'filled', later(2)),
        orderUpdate(newStop, 'open', later(2)),
      ]
      tellUpdates(account, end, stop)
    },
  },
  {
    what: 'its stop before its end',
    from: sent,
    tell: (account) => {
      tellUpdates(account, orderUpdate(newStop, 'open', later(2)))
      tellUpdates(account, orderUpdate(filled(), 'filled', later(2)))
    },
  },
  {
    what: 'its stop at work by a list, and nothing of the entry',
    from: sent,
    tell: (account) => {
      account.apply({ kind: 'orders', orders: [older, newStop], source: 'stream', at: later(3) })
    },
  },
  {
    what: 'its fill by the answer, and its stop by a list',
    from: sent,
    tell: (account) => {
      account.numbered('a', 0, 20, Decimal.one)
      account.settle('a', { outcome: 'accepted' }, later(2))
      account.apply({ kind: 'orders', orders: [older, newStop], source: 'stream', at: later(3) })
    },
  },
  {
    what: 'the end of one that an earlier run sent, whose stop waited for it',
    from: rested,
    tell: (account) => {
      tellUpdates(account, orderUpdate(filled(), 'filled', later(2)))
    },
  },
]

test.each(ways)(
  'a stop covers nothing older while its own fill is unseen: $what',
  ({ from, tell }) => {
    const account = from()
    expect(risk(account)).toBe('250')
    tell(account)
    expect(account.stopRow(eth, true).list()).toHaveLength(2)
    expect(risk(account)).toBe('250')
    const fills = [fill({ ...entry, start: '1', tid: 1, at: fixtureNow + 2, cloid: entryCloid })]
    account.apply({ kind: 'fills', isSnapshot: false, fills, at: later(4) })
    tellUpdates(account, orderUpdate(filled(), 'filled', later(2)))
    expect(account.positions.get(eth)?.size.toString()).toBe('2')
    expect(risk(account)).toBe('250')
  },
)

test.each(ways)('no stop goes while a fill is unseen that needs one: $what', ({ from, tell }) => {
  const account = from()
  tell(account)
  for (const { oid } of account.stopRow(eth, true).list()) {
    const change = account.coverAfter(eth, { removed: [oid], added: [], kind: 'cancel' })
    expect(change).toMatchObject({ kind: 'bared', size: Decimal.one })
  }
})

test.each([
  { side: 'a long', isBuy: true, stop: '2450' },
  { side: 'a short', isBuy: false, stop: '2550' },
])('the stop of $side that is filled and not shown yet stays', ({ isBuy, stop }) => {
  const orders = restingEntry({ ...entry, isBuy, stop, cloid: entryCloid })
  const account = accountWith({ mids: { ETH: '2500' }, orders })
  expect(account.coverAfter(eth, { removed: [21], added: [], kind: 'cancel' })).toBeNull()
  tellUpdates(account, orderUpdate({ ...filled(), isBuy }, 'filled', later(2)))
  const change = account.coverAfter(eth, { removed: [21], added: [], kind: 'cancel' })
  expect(change).toMatchObject({ kind: 'bared', size: Decimal.one })
})

test('an entry that is shown in part leaves so much of its stop to the position', () => {
  const account = sent()
  const half = { ...entry, size: '0.4', start: '1', tid: 1, at: fixtureNow + 2, cloid: entryCloid }
  tellUpdates(account, orderUpdate(filled(), 'filled', later(2)))
  tellUpdates(account, orderUpdate(newStop, 'open', later(2)))
  account.apply({ kind: 'fills', isSnapshot: false, fills: [fill(half)], at: later(4) })
  expect(account.positions.get(eth)?.size.toString()).toBe('1.4')
  // 1 at 2300 and 0.4 at 2450 that are held, and 0.6 at 2450 that are still to come.
  expect(risk(account)).toBe('250')
  expect(account.cover(eth)?.isFull).toBe(true)
})

test('the stop of an entry that is gone with its fills is an ordinary one', () => {
  const account = sent()
  tellUpdates(account, orderUpdate(newStop, 'open', later(2)))
  tellUpdates(account, orderUpdate(filled(), 'filled', later(2)))
  // A state of a later moment shows both as one position.
  const state = venueState({ ...held, positions: { ETH: { size: '2' } } }, fixtureNow + 50)
  account.apply({ kind: 'state', state, source: 'stream', at: later(60) })
  expect(risk(account)).toBe('250')
  tellUpdates(account, orderUpdate(older, 'canceled', later(70)))
  expect(account.cover(eth)?.uncovered.toString()).toBe('1')
  expect(risk(account)).toBe('50')
})

test('the stop of a fill that is not shown is promised for it, however large the others are', () => {
  const large = stopOrder({ coin: 'ETH', oid: 7, size: '2', trigger: '2300' })
  const account = accountWith({
    ...held,
    orders: [large, ...restingEntry({ ...entry, stop: '2450', cloid: entryCloid })],
  })
  tellUpdates(account, orderUpdate(filled(), 'filled', later(2)))
  const change = account.coverAfter(eth, { removed: [21], added: [], kind: 'cancel' })
  expect(change).toMatchObject({ kind: 'weakened', at: Decimal.of('2450') })
})

test('of fills of both sides that are not shown, none loses its stop', () => {
  const sell = { ...entry, oid: 30, isBuy: false, cloid: botCloid(3) }
  const account = accountWith({
    mids: { ETH: '2500' },
    orders: [
      ...restingEntry({ ...entry, stop: '2450', cloid: entryCloid }),
      ...restingEntry({ ...sell, stop: '2550' }),
    ],
  })
  const sold = { ...openOrder(sell), size: Decimal.zero }
  tellUpdates(account, orderUpdate(filled(), 'filled', later(2)))
  tellUpdates(account, orderUpdate(sold, 'filled', later(2)))
  for (const oid of [21, 31]) {
    const change = account.coverAfter(eth, { removed: [oid], added: [], kind: 'cancel' })
    expect(change).toMatchObject({ kind: 'bared', size: Decimal.one })
  }
})

test('a stop of nobody’s plan lowers no risk before a state was taken after it came', () => {
  const account = accountWith({ ...held, orders: [older] })
  expect(risk(account)).toBe('200')
  const listed = { kind: 'orders', orders: [older, newStop], source: 'read' } as const
  account.apply({ ...listed, askedAt: later(4), at: later(5) })
  // It may be the stop of one coin more, which risks 50.
  expect(risk(account)).toBe('250')
  const tell = (asked: number, at: number): void => {
    const state = venueState(held, fixtureNow + asked)
    account.apply({ kind: 'state', state, source: 'read', askedAt: later(asked), at: later(at) })
  }
  tell(4, 7)
  expect(risk(account)).toBe('250')
  account.clockStepped(3_600_000)
  expect(risk(account)).toBe('250')
  account.clockStepped(-3_600_000)
  tell(6, 8)
  expect(risk(account)).toBe('50')
})

test('what an own stop saves over a first part is kept for the rest of its entry', () => {
  const account = accountWith({
    ...held,
    positions: { ETH: { size: '2' } },
    orders: [
      older,
      // One coin of two is filled, and Guard's stop lies over all that is held.
      ...restingEntry({ ...entry, originalSize: '2', stop: '2450', cloid: entryCloid }),
      stopOrder({ coin: 'ETH', oid: 40, size: '2', trigger: '2450' }),
    ],
  })
  const state = venueState({ ...held, positions: { ETH: { size: '2' } } }, fixtureNow + 4)
  account.apply({ kind: 'state', state, source: 'read', askedAt: later(4), at: later(5) })
  // Of the two that are held one counts at 2300, since the rest that fills takes what is over.
  expect(risk(account)).toBe('300')
})

test.each([
  {
    what: 'an exit beside an entry that filled untold closes nothing of what is shown',
    told: true,
  },
  { what: 'an exit closes what is shown', told: false },
])('$what', ({ told }) => {
  const account = sent()
  if (told) {
    account.numbered('a', 0, 20, Decimal.one)
    account.settle('a', { outcome: 'accepted' }, later(2))
  }
  const exit = openOrder({ coin: 'ETH', oid: 50, isBuy: false, price: '2490', size: '1' })
  const closed = { ...exit, isReduceOnly: true, size: Decimal.zero }
  tellUpdates(account, orderUpdate(closed, 'filled', later(2)))
  expect(account.covered(eth)?.size.toString()).toBe(told ? '1' : '0')
  expect(risk(account)).toBe(told ? '250' : '50')
})
