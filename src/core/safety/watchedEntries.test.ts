import { describe, expect, test } from 'vitest'
import {
  accountWith,
  botCloid,
  fixtureNow,
  later,
  markets,
  openOrder,
  restingEntry,
  venueState,
} from '../account/account.fixture.ts'
import { Account } from '../account/account.ts'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import type { StopPromise } from '../account/stopPromise.ts'
import { waitingEntries } from './entriesToCancel.ts'
import { plan } from './planProtect.fixture.ts'

const eth = coin('ETH')
const mids = { ETH: '4000' }
const dec = (text: string): Decimal => Decimal.of(text)

/** Stop-buys that wait, each with its stop at 3900 in Guard's record unless it is bare. */
function waiting(kept: readonly boolean[]): Account {
  const account = accountWith({ mids })
  const plans = kept.flatMap((isKept, at) =>
    isKept ? [[botCloid(at), true, '3900', 'guard'] as const] : [],
  )
  account.restoreRecord({ sizes: {}, cloids: [], promises: { plans, positions: [] } })
  const orders = kept.map((_, at) =>
    openOrder({
      ...{
        coin: 'ETH',
        oid: 10 + at,
        isBuy: true,
        price: '4221',
        size: '0.1',
        cloid: botCloid(at),
      },
      trigger: { price: '4200' },
    }),
  )
  account.apply({ kind: 'orders', orders, source: 'read', at: fixtureNow })
  return account
}

describe('entries that wait for a trigger', () => {
  test.each([
    ['stay where their stop is on record', [true, true], true, []],
    ['go where it is not', [true, false], true, [[11]]],
    ['all go where the rules let none wait', [true, true], false, [[10, 11]]],
    ['go once each', [true, false], false, [[11], [10]]],
  ])('%s', (_, kept, mayWait, oids) => {
    const { steps } = plan(waiting(kept), { mayWait: () => mayWait })
    expect(steps.map((step) => ('oids' in step ? step.oids : step.kind))).toEqual(oids)
  })

  test('are not cancelled twice', () => {
    const account = waiting([true])
    const cancel = { kind: 'cancel', coin: eth, oid: 10, cloid: null } as const
    account.reserve('1:0', [cancel], fixtureNow)
    expect(plan(account, { mayWait: () => false }).steps).toEqual([])
  })
})

test('at a stop the cancel of one that was sent long ago and is not answered goes again', () => {
  const account = waiting([true, true])
  const cancel = { kind: 'cancel', coin: eth, oid: 10, cloid: null } as const
  account.reserve('1:0', [cancel], later(1_000))
  expect(waitingEntries(account, eth)).toEqual([11])
  expect(waitingEntries(account, eth, later(999))).toEqual([11])
  expect(waitingEntries(account, eth, later(1_000))).toEqual([10, 11])
})

describe('the stop of a position that such an entry has opened', () => {
  const account = accountWith({ mids, positions: { ETH: { size: '1' } } })
  account.apply({ kind: 'mids', mids: new Map([[eth, dec('4000')]]), at: later(1) })
  const promised = (...stops: readonly (readonly [string, boolean])[]): StopPromise => ({
    stops: stops.map(([trigger, isKept]) => ({ trigger: dec(trigger), size: dec('0.5'), isKept })),
    rest: dec(stops.length === 1 ? '0.5' : '0'),
  })

  test.each([
    // 2% from the mid would be 3920.
    ['goes where Guard kept it', promised(['3800', true], ['3700', true]), '3800'],
    [
      'is the tighter one where an entry had its own',
      promised(['3800', true], ['3700', false]),
      '3920',
    ],
    ['is the tighter one where a part was opened elsewhere', promised(['3800', true]), '3920'],
    ['is 2% from the mid where nothing was promised', promised(), '3920'],
  ])('%s', (_, promise, trigger) => {
    const [tightest] = promise.stops
    const { steps } = plan(account, {
      promises: new Map([[eth, promise]]),
      recordedStops: new Map(tightest === undefined ? [] : [[eth, tightest.trigger]]),
    })
    expect(
      steps.map((step) => (step.kind === 'stop' ? step.trigger.toString() : step.kind)),
    ).toEqual([trigger])
  })

  test('is not placed where the price has passed it: the position is closed', () => {
    const promise = promised(['4100', true], ['4100', true])
    const recordedStops = new Map([[eth, dec('4100')]])
    const { steps } = plan(account, { promises: new Map([[eth, promise]]), recordedStops })
    expect(steps.map(({ kind }) => kind)).toEqual(['close'])
  })

  test('is placed though an old price has passed it: the fill is the news of another', () => {
    const unseen = accountWith({ mids, positions: { ETH: { size: '1' } } })
    const promise = promised(['4100', true], ['4100', true])
    const recordedStops = new Map([[eth, dec('4100')]])
    const given = { promises: new Map([[eth, promise]]), recordedStops }
    const triggers = plan(unseen, given).steps.map((step) => 'trigger' in step && step.trigger)
    expect(triggers.map(String)).toEqual(['4100'])
    const blind = accountWith({ mids: {}, positions: { ETH: { size: '1' } } })
    expect(plan(blind, given).steps.map(({ kind }) => kind)).toEqual(['stop'])
  })

  test('goes before the price at which the venue would liquidate', () => {
    const near = accountWith({ mids })
    const positions = { ETH: { size: '1', liquidation: '3850' } }
    const state = venueState({ mids, positions }, fixtureNow + 1)
    near.apply({ kind: 'state', state, source: 'read', at: fixtureNow })
    near.apply({ kind: 'mids', mids: new Map([[eth, dec('4000')]]), at: later(1) })
    const promise = promised(['3800', true], ['3800', true])
    const recordedStops = new Map([[eth, dec('3800')]])
    const { steps } = plan(near, { promises: new Map([[eth, promise]]), recordedStops })
    expect(steps.map((step) => ('trigger' in step ? step.trigger.toString() : ''))).toEqual([
      '3925',
    ])
  })
})

describe('a position that no fill has explained while entries wait', () => {
  /** Entries that wait, with their stops on record but one, and an entry that rests with its own. */
  const account = (size: string, price = '4000'): Account => {
    const made = waiting([])
    const rows = [
      { isBuy: true, stop: '3950' },
      { isBuy: true, stop: '3960' },
      { isBuy: true, stop: '4010' },
      { isBuy: false, stop: '4040' },
      { isBuy: false, stop: '4030' },
      { isBuy: false, stop: null },
    ]
    const plans = rows.flatMap(({ stop }, at) =>
      stop === null ? [] : [[botCloid(at), true, stop, 'bot'] as const],
    )
    made.restoreRecord({ sizes: {}, cloids: [], promises: { plans, positions: [] } })
    const orders = rows.map(({ isBuy }, at) => {
      const trigger = { price: isBuy ? '4200' : '3800' }
      const spec = { coin: 'ETH', oid: 10 + at, isBuy, price: '4000', size: '0.1' }
      return openOrder({ ...spec, cloid: botCloid(at), trigger })
    })
    const spec = { coin: 'ETH', oid: 30, isBuy: true, price: '3990', size: '0.1' }
    const resting = restingEntry({ ...spec, stop: '3980' })
    const told = [...orders, ...resting]
    made.apply({ kind: 'orders', orders: told, source: 'read', at: fixtureNow })
    const state = venueState({ mids, positions: { ETH: { size } } }, fixtureNow + 1)
    made.apply({ kind: 'state', state, source: 'read', at: later(1) })
    made.apply({ kind: 'mids', mids: new Map([[eth, dec(price)]]), at: later(1) })
    made.apply({ kind: 'mark', coin: eth, mark: dec(price), at: later(1) })
    return made
  }
  const rest = (text: string) =>
    new Map<typeof eth, StopPromise>([[eth, { stops: [], rest: dec(text) }]])
  const triggers = (size: string, promises = rest('1'), price?: string) =>
    plan(account(size, price), { promises }).steps.flatMap((step) =>
      step.kind === 'stop' ? [step.trigger.toString()] : [],
    )

  test.each<[string, string, ReturnType<typeof rest>, string]>([
    ['a long gets the tightest that the price has not passed', '1', rest('1'), '3960'],
    ['a short as well', '-1', rest('1'), '4030'],
    ['also where nothing at all is promised', '1', new Map(), '3960'],
    ['one that is explained gets 2% from the price', '1', rest('0'), '3920'],
  ])('%s', (_, size, promises, trigger) => {
    expect(triggers(size, promises)).toEqual([trigger])
  })

  test('after a start it waits for the fills, for half a second', () => {
    const kept = (promises: readonly (readonly [string, true, string, 'bot'])[]): Account => {
      const made = new Account()
      made.restoreRecord({ sizes: {}, cloids: [], promises: { plans: promises, positions: [] } })
      made.apply({ kind: 'markets', markets: markets(), at: fixtureNow })
      const state = venueState({ mids, positions: { ETH: { size: '1' } } }, fixtureNow)
      made.apply({ kind: 'state', state, source: 'read', at: fixtureNow })
      made.apply({ kind: 'mids', mids: new Map([[eth, dec('4000')]]), at: later(1) })
      return made
    }
    const plans = [[botCloid(1), true, '3950', 'bot'] as const]
    const stepsOf = (made: Account, ms: number, promises = rest('1')): readonly string[] =>
      plan(made, { promises, now: later(ms) }).steps.map(({ kind }) => kind)
    expect(stepsOf(kept(plans), 499)).toEqual([])
    expect(stepsOf(kept(plans), 499, new Map())).toEqual([])
    expect(stepsOf(kept(plans), 500)).toEqual(['stop'])
    expect(stepsOf(kept(plans), 499, rest('0'))).toEqual(['stop'])
    expect(stepsOf(kept([]), 499)).toEqual(['stop'])
    const told = kept(plans)
    told.apply({ kind: 'fills', fills: [], isSnapshot: true, at: later(2) })
    expect(stepsOf(told, 499)).toEqual(['stop'])
  })

  test('one whose price has passed them all gets 2% from it', () => {
    expect(triggers('1', rest('1'), '3950')).toEqual(['3871'])
  })
})

test('a mark that is older than the mid closes nothing', () => {
  const account = accountWith({ mids: { ETH: '4000' }, positions: { ETH: { size: '1' } } })
  account.apply({ kind: 'mark', coin: eth, mark: dec('3000'), at: later(0) })
  account.apply({ kind: 'mids', mids: new Map([[eth, dec('4000')]]), at: later(2_000) })
  const recordedStops = new Map([[eth, dec('3950')]])
  expect(plan(account, { recordedStops }).steps.map(({ kind }) => kind)).toEqual(['stop'])
  account.apply({ kind: 'mark', coin: eth, mark: dec('3000'), at: later(2_000) })
  expect(plan(account, { recordedStops }).steps.map(({ kind }) => kind)).toEqual(['close'])
})
