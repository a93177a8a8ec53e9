import { describe, expect, test } from 'vitest'
import type { OpenOrder } from '../protocol/venueState.ts'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import {
  accountWith,
  botCloid,
  fill,
  fixtureNow,
  later,
  openOrder,
  orderUpdate,
  restingEntry,
  venueState,
} from './account.fixture.ts'
import type { Account } from './account.ts'
import type { ReservedOrder, StopChooser } from './reservation.ts'

const eth = coin('ETH')
const dec = (text: string): Decimal => Decimal.of(text)
const mids = { ETH: '4000' }
const id = botCloid(1)

/** A stop-buy of 2 ETH at 4200 that pays 4221 at most, with its stop at 4100 in Guard's record. */
function planned(stopBy: StopChooser = 'bot', isBuy = true): ReservedOrder {
  const [price, trigger, stop] = isBuy ? ['4221', '4200', '4100'] : ['3781', '3800', '3900']
  return {
    ...{ kind: 'entry', index: 0, coin: eth, isBuy, size: dec('2'), price: dec(price) },
    ...{ stop: dec(stop), cloid: id, parent: null, mayRest: true },
    watched: {
      trigger: { price: dec(trigger), isMarket: true, tpsl: 'sl' },
      stopBy,
      worth: dec(isBuy ? '4221' : '4000'),
    },
  }
}

/** The same as the venue lists it. */
const listed = openOrder({
  ...{ coin: 'ETH', oid: 7, isBuy: true, price: '4221', size: '2', cloid: id },
  trigger: { price: '4200' },
})

function sent(plan = planned()): Account {
  const account = accountWith({ mids })
  account.reserve('1:0', [plan], fixtureNow)
  account.sent('1:0')
  account.settle('1:0', { outcome: 'accepted' }, later(10))
  account.numbered('1:0', 0, 7)
  return account
}

function list(account: Account, orders: readonly OpenOrder[]): void {
  const at = later(1_000)
  account.apply({ kind: 'orders', orders, source: 'read', at })
}

/** What an entry counts as. */
function counted(account: Account) {
  const { openRisk, openValue, uncoveredOrders } = account.exposure()
  return {
    risk: openRisk.toString(),
    value: openValue.toString(),
    bare: uncoveredOrders,
    waiting: account.waitingValues().map(({ value }) => value.toString()),
  }
}

describe('an entry that waits for a trigger', () => {
  const whole = { risk: '242', value: '8442', bare: [], waiting: ['8442'] }

  test.each([
    ['decided on', () => sent()],
    [
      'told by an update',
      () => {
        const account = sent()
        const updates = [orderUpdate(listed, 'open', later(20))]
        account.apply({ kind: 'order_updates', updates, at: later(20) })
        return account
      },
    ],
    [
      'listed',
      () => {
        const account = sent()
        list(account, [listed])
        return account
      },
    ],
  ])('counts in full once it is %s', (_, make) => {
    expect(counted(make())).toEqual(whole)
  })

  test('is worth the mark where that is highest, and a sell never less than its trigger', () => {
    const account = sent(planned('bot', false))
    // At its limit of 3781 it risks the 119 up to its stop; it is worth what it was judged with.
    expect(counted(account)).toMatchObject({ risk: '238', value: '8000', waiting: ['8000'] })
    account.apply({ kind: 'mark', coin: eth, mark: dec('4500'), at: later(1) })
    expect(counted(account)).toMatchObject({ value: '8000', waiting: ['9000'] })
    account.apply({ kind: 'mids', mids: new Map([[eth, dec('4400')]]), at: later(2) })
    expect(counted(account)).toMatchObject({ value: '8800', waiting: ['9000'] })
  })

  test('counts at the mark alone where no mid is known', () => {
    const account = accountWith({ mids: {} })
    account.reserve('1:0', [planned()], fixtureNow)
    expect(counted(account)).toMatchObject({ value: '8442', waiting: ['8442'] })
    account.apply({ kind: 'mark', coin: eth, mark: dec('4300'), at: later(1) })
    expect(counted(account)).toMatchObject({ waiting: ['8600'] })
  })

  test('takes margin that the venue does not hold for it', () => {
    const account = sent()
    list(account, [listed])
    const [row] = account.crossPool().rows
    expect(row?.inFlightValue.toString()).toBe('8442')
    expect(account.hasEntryInFlight(eth)).toBe(false)
  })

  test('is over when the venue refuses it at its trigger', () => {
    const account = sent()
    list(account, [listed])
    for (const [status, at] of [
      ['triggered', 1_100],
      ['perpMarginRejected', 1_101],
    ] as const) {
      const updates = [orderUpdate(listed, status, later(at))]
      account.apply({ kind: 'order_updates', updates, at: later(at) })
    }
    expect(counted(account)).toEqual({ risk: '0', value: '0', bare: [], waiting: [] })
  })

  test('gives its position the stop that Guard keeps, as a promise to be placed as it is', () => {
    const account = sent()
    list(account, [listed])
    const told = { coin: 'ETH', isBuy: true, price: '4205', size: '2', start: '0', cloid: id }
    const fills = [fill({ ...told, oid: 7, tid: 1, at: later(2_000) })]
    account.apply({ kind: 'fills', fills, isSnapshot: false, at: later(2_000) })
    expect(account.promise(eth)?.stops.map(({ trigger }) => trigger.toString())).toEqual(['4100'])
    expect(account.promise(eth)?.stops).toMatchObject([{ isKept: true }])
    expect(account.waitingValues()).toEqual([])
  })
})

describe('over a restart', () => {
  /** The next run, before the venue has told it anything. */
  function restarted(before: Account, orders: readonly OpenOrder[] = [listed]): Account {
    const record = JSON.parse(JSON.stringify(before.record())) as ReturnType<Account['record']>
    const account = accountWith({ mids })
    account.restoreRecord(record)
    list(account, orders)
    return account
  }

  test.each(['bot', 'guard'] as const)('an entry keeps the stop that the %s chose', (stopBy) => {
    const account = restarted(sent(planned(stopBy)))
    expect(counted(account)).toEqual({ risk: '242', value: '8442', bare: [], waiting: ['8442'] })
    expect(account.entryOf(7)?.watched).toMatchObject({
      stopBy,
      hasNotFired: true,
      needsGuard: true,
    })
  })

  test('its fill is told with the stop, also where the trigger goes on under another number', () => {
    const account = restarted(sent())
    const told = { coin: 'ETH', isBuy: true, price: '4205', size: '2', start: '0', cloid: id }
    const fills = [fill({ ...told, oid: 8, tid: 1, at: later(2_000) })]
    account.apply({ kind: 'fills', fills, isSnapshot: false, at: later(2_000) })
    expect(account.promise(eth)?.stops.map(({ trigger }) => trigger.toString())).toEqual(['4100'])
    const state = venueState({ mids, positions: { ETH: { size: '2' } } }, later(2_001))
    account.apply({ kind: 'state', state, source: 'read', at: later(2_001) })
    const again = restarted(account, [])
    again.apply({ kind: 'state', state, source: 'read', at: later(2_002) })
    expect(again.promise(eth)?.stops).toMatchObject([{ isKept: true }])
  })

  test('an order under an id that was used again since is not the one that was watched', () => {
    const before = sent()
    const { index, size, price, mayRest } = planned()
    const plain = { index, coin: eth, isBuy: true, size, price, cloid: id, parent: null, mayRest }
    before.reserve('2:0', [{ ...plain, kind: 'entry', stop: dec('4100') }], later(5))
    const account = restarted(before, restingEntry({ ...limitAt('4221'), cloid: id }))
    expect(counted(account).bare).toEqual([eth])
  })

  test.each([
    ['nothing is kept', { ...limitAt('4221'), cloid: botCloid(2) }],
    ['it has no id', limitAt('4221')],
    ['what is kept lies on the wrong side', { ...limitAt('4090'), cloid: id }],
  ])('it rests bare where %s', (_, spec) => {
    const order = openOrder({ ...spec, trigger: { price: '4200' } })
    expect(counted(restarted(sent(), [order])).bare).toEqual([eth])
  })

  test('one that has ended, and whose fills are still to come, counts with its stop', () => {
    const account = restarted(sent())
    const updates = [orderUpdate({ ...listed, size: Decimal.zero }, 'filled', later(2_000))]
    account.apply({ kind: 'order_updates', updates, at: later(2_000) })
    expect(counted(account)).toMatchObject({ risk: '242', value: '8442', bare: [] })
  })
})

function limitAt(price: string) {
  return { coin: 'ETH', oid: 7, isBuy: true, price, size: '2' }
}
