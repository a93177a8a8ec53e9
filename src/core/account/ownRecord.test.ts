import { describe, expect, test } from 'vitest'
import { guardCloidPrefix } from '../protocol/guardCloid.ts'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import {
  accountWith,
  botCloid,
  fill,
  fixtureNow,
  later,
  openOrder,
  reductionInFlight,
  restingEntry,
  stopOrder,
  venueState,
} from './account.fixture.ts'
import { Account } from './account.ts'
import type { SightEvent } from './ifTold.ts'
import { OrderRecords } from './orderRecords.ts'
import { OwnRecord } from './ownRecord.ts'

const eth = coin('ETH')
const guardCloid = `${guardCloidPrefix}02${'0'.repeat(22)}`

describe('what fills of Guard’s own orders leave on record', () => {
  const made = (isBuy: boolean, size: string) => {
    const told = { coin: 'ETH', isBuy, size, price: '1', start: '0', oid: 1, tid: 1 }
    return fill({ ...told, at: fixtureNow })
  }
  test.each([
    { what: 'a buy', fills: [[true, '2', botCloid(1)]], is: { ETH: '2' } },
    { what: 'a sale', fills: [[false, '2', botCloid(1)]], is: { ETH: '-2' } },
    { what: 'an id that Guard gave', fills: [[true, '2', guardCloid]], is: { ETH: '2' } },
    { what: 'another’s id', fills: [[true, '2', botCloid(2)]], is: {} },
    { what: 'no id', fills: [[true, '2', null]], is: {} },
    {
      what: 'there and back',
      fills: [
        [true, '2', botCloid(1)],
        [false, '2', botCloid(1)],
      ],
      is: {},
    },
  ] as const)('$what', ({ fills, is }) => {
    const own = new OwnRecord(new OrderRecords())
    own.remember([
      reductionInFlight('ETH', '1', botCloid(1)),
      { kind: 'cancel', coin: eth, oid: 3, cloid: botCloid(2) },
    ])
    for (const [isBuy, size, cloid] of fills) own.applyFill(made(isBuy, size), cloid)
    expect(own.record(new Map())).toEqual({ sizes: is, held: {}, cloids: [botCloid(1)] })
  })

  test('the last 16,384 ids are known', () => {
    const own = new OwnRecord(new OrderRecords())
    const ids = Array.from({ length: 16_385 }, (_, at) => botCloid(at + 1))
    own.restore({ sizes: {}, cloids: ids })
    expect(own.record(new Map()).cloids).toEqual(ids.slice(1))
  })
})

describe('what did not go through Guard is named', () => {
  test.each([
    {
      what: 'a sale',
      orders: [openOrder({ coin: 'ETH', oid: 1, isBuy: false, price: '2600', size: '1' })],
      is: ['ETH: order 1 (sell 1 at 2600) did not go through Guard'],
    },
    {
      what: 'children of a stranger’s order',
      orders: restingEntry({
        ...{ coin: 'ETH', oid: 1, isBuy: true, price: '2400', size: '1', stop: '2300' },
      }),
      is: [
        'ETH: order 1 (buy 1 at 2400) did not go through Guard',
        'ETH: stop 2 (sell 1 at 2300) did not go through Guard',
      ],
    },
    {
      what: 'not what Guard gave an id',
      orders: [stopOrder({ coin: 'ETH', oid: 1, size: '1', trigger: '2400', cloid: guardCloid })],
      is: [],
    },
  ])('$what', ({ orders, is }) => {
    expect(accountWith({ orders }).discrepancies()).toEqual(is)
  })

  test.each([
    [20, undefined],
    [21, 'and 1 more orders that did not go through Guard'],
  ])('of %i orders twenty', (count, more) => {
    const orders = Array.from({ length: count }, (_, at) =>
      openOrder({ coin: 'ETH', oid: count - at, isBuy: true, price: '1', size: '1' }),
    )
    const found = accountWith({ orders }).discrepancies()
    expect(found[19]).toContain('order 20 ')
    expect([found[20], found.length]).toEqual([more, more === undefined ? 20 : 21])
  })

  test('a unified balance that does not follow, until the account is none', () => {
    const account = accountWith({ mode: 'unifiedAccount', positions: { ETH: { size: '2' } } })
    let ms = 0
    const show = (unrealised: string): void => {
      ms += 4_000
      const positions = { ETH: { size: '2', unrealised } }
      const state = venueState({ positions }, fixtureNow + ms)
      account.apply({ kind: 'state', state, source: 'read', at: later(ms) })
      const spot = { usdcTotal: Decimal.of('7350.25'), usdcHold: Decimal.zero }
      ms += 1
      account.apply({ kind: 'spot', spot, source: 'read', at: later(ms) })
    }
    const parted = (): number =>
      account.discrepancies().filter((each) => each.includes('USDC balance')).length
    const fallen = ['0', '0', '-600', '-600', '-600']
    for (const profit of fallen) show(profit)
    expect(parted()).toBe(1)
    account.apply({ kind: 'mode', mode: 'unifiedAccount', at: later(50) })
    expect(parted()).toBe(1)
    account.apply({ kind: 'mode', mode: 'default', at: later(51) })
    expect(parted()).toBe(0)
    for (const profit of fallen) show(profit)
    expect(parted()).toBe(0)
    // Compared anew, from what is told as a unified account.
    account.apply({ kind: 'mode', mode: 'unifiedAccount', at: later(52) })
    expect(parted()).toBe(0)
    show('-600')
    expect(parted()).toBe(0)
  })
})

test('no position is called another’s before the recent fills have been listed', () => {
  const account = new Account()
  account.restoreRecord({ sizes: {}, cloids: [botCloid(1)] })
  const positions = { ETH: { size: '2' }, BTC: { size: '1' } }
  const state = venueState({ positions }, fixtureNow + 5)
  account.apply({ kind: 'state', state, source: 'read', at: later(5) })
  const orders = [openOrder({ coin: 'ETH', oid: 9, isBuy: true, price: '1', size: '1' })]
  account.apply({ kind: 'orders', orders, source: 'read', at: later(5) })
  const foreign = 'ETH: order 9 (buy 1 at 1) did not go through Guard'
  expect(account.discrepancies()).toEqual([foreign])
  account.apply({ kind: 'fills', fills: [], isSnapshot: true, areSlices: true, at: later(6) })
  account.apply({ kind: 'fills', fills: [], isSnapshot: false, at: later(6) })
  expect([account.areFillsTold, account.discrepancies()]).toEqual([false, [foreign]])
  const made = { coin: 'ETH', isBuy: true, price: '1', size: '2', start: '0', oid: 1, tid: 1 }
  const fills = [fill({ ...made, at: fixtureNow, cloid: botCloid(1) })]
  account.apply({ kind: 'fills', fills, isSnapshot: true, at: later(7) })
  expect(account.areFillsTold).toBe(true)
  expect(account.discrepancies()).toEqual([
    "BTC: the venue shows a position of 1 long, Guard's record none",
    foreign,
  ])
})

describe('a record of an earlier run', () => {
  const told = { coin: 'ETH', isBuy: true, price: '1', size: '1', start: '0', oid: 1, tid: 1 }
  const opened = (at: number) => fill({ ...told, at, cloid: guardCloid })

  test('without the time of its last fill knows of none', () => {
    const account = new Account()
    account.restoreRecord({ sizes: {}, cloids: [] })
    const fills = [opened(fixtureNow)]
    account.apply({ kind: 'fills', fills, isSnapshot: false, at: later(1) })
    expect(account.record()).toMatchObject({
      ...{ sizes: { ETH: '1' }, until: fixtureNow, fills: ['1:1'] },
    })
  })

  test('with it has counted what was until then', () => {
    const account = new Account()
    account.restoreRecord({ sizes: { ETH: '5' }, cloids: [], until: fixtureNow + 1 })
    const fills = [opened(fixtureNow)]
    account.apply({ kind: 'fills', fills, isSnapshot: false, at: later(1) })
    expect(account.record()).toMatchObject({ sizes: { ETH: '5' }, until: fixtureNow + 1 })
  })
})

test('the last 16,384 ids are known as Guard’s own, and older ones are not', () => {
  const own = new OwnRecord(new OrderRecords())
  const ids = Array.from({ length: 16_386 }, (_, nth) => botCloid(nth))
  own.remember(ids.map((id) => reductionInFlight('ETH', '1', id)))
  expect(own.record(new Map()).cloids).toEqual(ids.slice(2))
})

describe('what the run before had held', () => {
  const held = { BTC: '-0.5', ETH: '2' }
  const restarted = (): Account => {
    const positions = { ETH: { size: '2' }, BTC: { size: '-0.5' }, 'xyz:TSLA': { size: '3' } }
    const record = accountWith({ positions }).record()
    expect(record.held).toEqual({ ...held, 'xyz:TSLA': '3' })
    const account = new Account()
    account.restoreRecord(record)
    return account
  }
  const state = (at: number): SightEvent => ({
    ...{ kind: 'state', state: venueState({}, at), source: 'read', at: later(1) },
  })
  const heldBy = (account: Account, event: SightEvent): { readonly [coin: string]: string } =>
    Object.fromEntries([...account.ifTold(event).held].map(([coin, size]) => [coin, `${size}`]))

  test('is what the first state is compared with, and nothing after it', () => {
    const account = restarted()
    expect(heldBy(account, state(fixtureNow + 1))).toEqual(held)
    account.apply(state(fixtureNow + 1))
    expect(heldBy(account, state(fixtureNow + 2))).toEqual({})
  })

  test('is not held any more, as far as anybody knows, once a later fill of the coin is told', () => {
    const account = restarted()
    const made = { coin: 'ETH', isBuy: false, price: '1', size: '2', start: '2', oid: 1, tid: 1 }
    const fills = [fill({ ...made, at: fixtureNow + 1 })]
    account.apply({ kind: 'fills', fills, isSnapshot: true, at: later(1) })
    expect(heldBy(account, state(fixtureNow + 1))).toEqual({ BTC: '-0.5' })
  })
})
