import { expect, test } from 'vitest'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import {
  accountWith,
  fill,
  fixtureNow,
  later,
  openOrder,
  orderUpdate,
  stopOrder,
  venueState,
} from './account.fixture.ts'
import type { Account } from './account.ts'

const eth = coin('ETH')
const stop = stopOrder({ coin: 'ETH', oid: 7, size: '2', trigger: '2400' })

function held(): Account {
  return accountWith({ positions: { ETH: { size: '2' } }, orders: [stop] })
}

/** The venue tells of a close and of the stop that went with it; the fill is on another channel. */
function announce(account: Account, size: string, left: string): void {
  const close = openOrder({ coin: 'ETH', oid: 8, isBuy: false, price: '2480', size })
  account.apply({
    kind: 'order_updates',
    updates: [
      orderUpdate({ ...close, size: openOrder({ ...spec, size: left }).size }, 'filled', later(1)),
      orderUpdate(stop, 'reduceOnlyCanceled', later(1)),
    ],
    at: later(2),
  })
}
const spec = { coin: 'ETH', oid: 8, isBuy: false, price: '2480' }

function play(account: Account, size: string): void {
  account.apply({
    kind: 'fills',
    isSnapshot: false,
    fills: [fill({ ...spec, size, start: '2', tid: 1, at: fixtureNow + 1 })],
    at: later(3),
  })
}

test('a position whose close is announced needs no cover, before and after the fill', () => {
  const account = held()
  announce(account, '2', '0')
  expect(account.positions.get(eth)?.size.toString()).toBe('2')
  expect(account.cover(eth)?.isFull).toBe(true)
  play(account, '2')
  expect(account.cover(eth)).toBeNull()
})

test('what a partial close leaves does need cover', () => {
  const account = held()
  announce(account, '0.5', '0')
  expect(account.cover(eth)?.uncovered.toString()).toBe('1.5')
  play(account, '0.5')
  expect(account.cover(eth)?.uncovered.toString()).toBe('1.5')
})

test('a snapshot that still shows the position is believed', () => {
  const account = held()
  announce(account, '2', '0')
  const state = venueState({ positions: { ETH: { size: '2' } } }, fixtureNow + 1)
  account.apply({ kind: 'state', state, source: 'stream', at: later(3) })
  expect(account.cover(eth)?.isFull).toBe(false)
})

test('news older than the positions held announces nothing', () => {
  const account = held()
  const state = venueState({ positions: { ETH: { size: '2' } } }, fixtureNow + 5)
  account.apply({ kind: 'state', state, source: 'stream', at: later(6) })
  announce(account, '2', '0')
  expect(account.cover(eth)?.isFull).toBe(false)
})

test('what was cut off a close that no list has shown is no fill', () => {
  const account = held()
  const close = openOrder({ ...spec, size: '2' })
  // It was cut to a half by another exit, and then cancelled; nothing of it was filled.
  const left = openOrder({ ...spec, size: '0.5' }).size
  const updates = [
    orderUpdate({ ...close, size: left }, 'reduceOnlyCanceled', later(1)),
    orderUpdate(stop, 'canceled', later(1)),
  ]
  account.apply({ kind: 'order_updates', updates, at: later(2) })
  expect(account.cover(eth)?.uncovered.toString()).toBe('2')
})

test('a later fill tells the position as it is, whatever was announced before it', () => {
  const account = held()
  // A close of 3 was cut to the 2 that were held, and filled.
  announce(account, '3', '0')
  play(account, '2')
  expect(account.cover(eth)).toBeNull()
  account.apply({
    ...{ kind: 'fills', isSnapshot: false, at: later(9) },
    fills: [
      fill({ ...spec, oid: 9, isBuy: true, size: '1.5', start: '0', tid: 2, at: fixtureNow + 8 }),
    ],
  })
  expect(account.cover(eth)?.uncovered.toString()).toBe('1.5')
})

test.each([
  { closed: '2', uncovered: '0' },
  { closed: '0.5', uncovered: '1.5' },
  { closed: '3', uncovered: '0' },
])('of a short, $closed of a close that is announced need no cover', ({ closed, uncovered }) => {
  // Another order of the coin, so that what is counted of it is kept.
  const exit = openOrder({ coin: 'ETH', oid: 3, isBuy: true, price: '2000', size: '1' })
  const orders = [{ ...exit, isReduceOnly: true }]
  const account = accountWith({ positions: { ETH: { size: '-2' } }, orders })
  const close = openOrder({ coin: 'ETH', oid: 8, isBuy: true, price: '2480', size: closed })
  const filled = { ...close, size: Decimal.zero }
  const tell = (): void => {
    const updates = [orderUpdate(filled, 'filled', later(1))]
    account.apply({ kind: 'order_updates', updates, at: later(2) })
  }
  tell()
  expect(account.cover(eth)?.uncovered.toString()).toBe(uncovered)
  // A state that includes it takes the announcement away.
  const state = venueState({ positions: { ETH: { size: '-2' } } }, fixtureNow + 1)
  account.apply({ kind: 'state', state, source: 'stream', at: later(3) })
  expect(account.cover(eth)?.uncovered.toString()).toBe('2')
})

test.each([
  { what: 'another coin', name: 'SOL', at: 8, uncovered: '0.5' },
  { what: 'the same moment', name: 'ETH', at: 1, uncovered: '1' },
  { what: 'a later moment', name: 'ETH', at: 2, uncovered: '2.5' },
])('what was announced stays until a later fill of its coin: $what', ({ name, at, uncovered }) => {
  const account = accountWith({ positions: { ETH: { size: '2' } } })
  // 1.5 of the 2 are closed; of them nothing is told as a fill.
  announce(account, '1.5', '0')
  expect(account.cover(eth)?.uncovered.toString()).toBe('0.5')
  const told = { coin: name, isBuy: true, price: '2480', size: '0.5', oid: 9, tid: 2 }
  const fills = [fill({ ...told, start: name === 'ETH' ? '2' : '0', at: fixtureNow + at })]
  account.apply({ kind: 'fills', isSnapshot: false, fills, at: later(9) })
  expect(account.cover(eth)?.uncovered.toString()).toBe(uncovered)
})
