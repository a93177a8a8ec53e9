import { describe, expect, test } from 'vitest'
import { accountWith, fixtureNow, stopOrder } from '../account/account.fixture.ts'
import type { Account } from '../account/account.ts'
import type { ReservedTwap } from '../account/reservation.ts'
import type { Fill, Twap } from '../protocol/venueState.ts'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import type { Millis } from '../values/millis.ts'
import { countingMint } from './mint.fixture.ts'
import { planFlatten } from './planFlatten.ts'
import { plan } from './planProtect.fixture.ts'
import { RefusedTries } from './refusedTries.ts'
import { twapsToFlatten, unstartedTwaps } from './twapsToCancel.ts'

const dec = (text: string): Decimal => Decimal.of(text)
const eth = coin('ETH')
const opens = { price: dec('2560'), stop: dec('2436'), worth: dec('2560') }
const later = (ms: number): Millis => (fixtureNow + ms) as Millis

function reserved(more: Partial<ReservedTwap> = {}): ReservedTwap {
  return {
    ...{ kind: 'twap', coin: eth, isBuy: true, size: dec('2'), minutes: 30, isRandomized: false },
    ...{ triggerPrice: null, endPrice: dec('2560'), opens, ...more },
  }
}

function listed(id: number, more: Partial<Twap> = {}): Twap {
  return {
    ...{ id, coin: eth, isBuy: true, size: dec('2'), executedSize: dec('0'), minutes: 30 },
    ...{ isReduceOnly: false, isRandomized: false, triggerPrice: null, endPrice: dec('2560') },
    ...{ at: fixtureNow, ...more },
  }
}

/** An account with a TWAP of a bot's that the venue has taken as number 7. */
function running(spec: Parameters<typeof accountWith>[0], twap = reserved()): Account {
  const account = accountWith(spec)
  account.reserve('1:0', [twap], fixtureNow)
  account.sent('1:0')
  account.settle('1:0', { outcome: 'accepted' }, fixtureNow)
  account.numbered('1:0', 0, 7)
  return account
}

function slice(size: string, tid: number, more: Partial<Fill> = {}): Fill {
  return {
    ...{ coin: eth, isBuy: true, price: dec('2486'), size: dec(size), startPosition: dec('0') },
    ...{ closedPnl: dec('0'), fee: dec('0'), oid: 900 + tid, cloid: null, tid, at: later(10) },
    ...{ twapId: 7, ...more },
  }
}

function filled(account: Account, ...fills: readonly Fill[]): void {
  account.apply({ kind: 'fills', fills, isSnapshot: false, areSlices: true, at: later(10) })
}

const shown = (account: Account, input: Parameters<typeof plan>[1] = {}): readonly string[] =>
  plan(account, input).steps.map((step) => {
    if (step.kind === 'stop') return `stop ${step.order.size.toString()}`
    return step.kind === 'cancel_twap' ? `end ${step.twapId}: ${step.why}` : step.kind
  })

describe('the stop of a position that a TWAP is still adding to', () => {
  const orders = (size: string) => [stopOrder({ coin: 'ETH', oid: 50, size, trigger: '2436' })]

  test('is for all of the TWAP, from its first slice on', () => {
    const account = running({})
    filled(account, slice('0.1', 1))
    expect(shown(account)).toEqual(['stop 2'])
    const [step] = plan(account).steps
    expect(step?.kind === 'stop' && step.trigger.toString()).toBe('2436.7')
  })

  test.each([
    ['all of it is covered', '2', []],
    ['only what is held is covered', '0.1', ['stop 2']],
  ])('%s', (_, size, steps) => {
    const account = running({ orders: orders(size) })
    filled(account, slice('0.1', 1))
    expect(shown(account)).toEqual(steps)
  })

  test('one that still waits for its price asks for no stop yet', () => {
    const account = running(
      { positions: { ETH: { size: '0.5' } }, orders: orders('0.5') },
      reserved({ triggerPrice: dec('2500') }),
    )
    expect(shown(account)).toEqual([])
    expect(unstartedTwaps(account)).toMatchObject([{ id: 7, coin: 'ETH' }])
    filled(account, slice('0.1', 1, { startPosition: dec('0.5') }))
    expect(shown(account)).toEqual(['stop 2.5'])
    expect(unstartedTwaps(account)).toEqual([])
  })

  test('a short is stopped for all of it, too', () => {
    const short = { isBuy: false, opens: { ...opens, stop: dec('2536') } }
    const account = running({}, reserved(short))
    filled(account, slice('0.1', 1, { isBuy: false }))
    const [step] = plan(account).steps
    expect(step?.kind === 'stop' && [step.order.isBuy, step.order.size.toString()]).toEqual([
      true,
      '2',
    ])
  })
})

describe('a TWAP that must not go on', () => {
  const started = (): Account => {
    const account = running({
      orders: [stopOrder({ coin: 'ETH', oid: 50, size: '2', trigger: '2436' })],
    })
    filled(account, slice('0.1', 1))
    return account
  }

  test('ends first where its stop is crossed', () => {
    const account = started()
    account.apply({ kind: 'mark', coin: eth, mark: dec('2430'), at: later(20) })
    expect(shown(account)[0]).toBe('end 7: its stop is crossed')
    expect(plan(account).situation).toContain('cancel_twap ETH 7')
    expect(shown(account, { isTwapHeld: () => true })).toEqual([])
  })

  test('a sell ends where the price has risen to its stop', () => {
    const short = { isBuy: false, opens: { ...opens, stop: dec('2536') } }
    const account = running({}, reserved(short))
    filled(account, slice('0.1', 1, { isBuy: false }))
    account.apply({ kind: 'mark', coin: eth, mark: dec('2536'), at: later(20) })
    expect(shown(account)[0]).toBe('end 7: its stop is crossed')
  })

  test('ends where the venue refuses its stop: what its slices open would be closed each time', () => {
    const refusedStops = new Set([eth])
    expect(shown(started(), { refusedStops })[0]).toBe('end 7: its stop was refused')
    expect(shown(running({}), { refusedStops })).toEqual([])
  })

  test('one that has filled nothing goes on, whatever the price', () => {
    const account = running({})
    account.apply({ kind: 'mark', coin: eth, mark: dec('2430'), at: later(20) })
    expect(shown(account)).toEqual([])
  })

  test('ends where the rules no longer let it run', () => {
    expect(shown(started(), { mayTwap: () => false })).toEqual(['end 7: runs against the rules'])
  })

  test('that may only reduce ends once nothing is left', () => {
    const account = running({}, reserved({ isBuy: false, opens: null, endPrice: null }))
    expect(shown(account)).toEqual([])
    const state = { ...accountState, time: later(20_000) }
    account.apply({ kind: 'state', state, source: 'read', at: later(20_000) })
    expect(shown(account)).toEqual(['end 7: a TWAP that may only reduce, and nothing is left'])
    expect(twapsToFlatten(account)).toMatchObject([{ id: 7, isIdle: true }])
  })

  test('is left alone where its market is not listed, or nobody knows its number', () => {
    const account = accountWith({})
    account.reserve('1:0', [reserved({ coin: coin('NEW') }), reserved()], fixtureNow)
    expect(shown(account, { mayTwap: () => false })).toEqual([])
    expect(unstartedTwaps(account)).toMatchObject([{ id: null, coin: 'ETH' }])
    const unlisted = running({}, reserved({ coin: coin('NEW') }))
    expect(shown(unlisted)).toEqual([])
    expect(shown(unlisted, { mayTwap: () => false })).toEqual([])
  })
})

const accountState = { accountValue: dec('10000'), withdrawable: dec('10000'), positions: [] }

describe('a flatten', () => {
  test('is not over while one may run whose number nobody knows', () => {
    const account = accountWith({})
    account.reserve('1:0', [reserved()], fixtureNow)
    account.reserve('2:0', [reserved()], fixtureNow)
    expect(twapsToFlatten(account)).toMatchObject([{ id: null }, { id: null }])
    const flattened = planFlatten({
      ...{ account, now: fixtureNow, mint: countingMint(), tries: new RefusedTries() },
      ...{ isHeld: () => false, isCancelLost: () => false },
      ...{ cancelsMax: Infinity, isTwapHeld: () => false },
      room: { isWanted: false, isBeingMade: false, cleared: 0 },
    })
    const problems = ['ETH: a TWAP cannot be cancelled before the venue has told its number']
    expect(flattened).toMatchObject({ actions: [], isFlat: false, unnumbered: ['ETH'], problems })
  })

  test('ends those of bots and others; not what may reduce, nor what is over', () => {
    const account = running({ positions: { ETH: { size: '1' } } })
    account.reserve('2:0', [reserved({ opens: null })], fixtureNow)
    account.apply({
      kind: 'twaps',
      twaps: [
        listed(7),
        listed(8, { size: dec('3') }),
        listed(9, { isReduceOnly: true, size: dec('4') }),
      ],
      source: 'stream',
      at: fixtureNow,
    })
    expect(twapsToFlatten(account).map(({ id }) => id)).toEqual([7, 8])
    account.reserve('3:0', [{ kind: 'twap_cancel', twapId: 7 }], fixtureNow)
    account.settle('3:0', { outcome: 'accepted' }, later(5))
    expect(twapsToFlatten(account).map(({ id }) => id)).toEqual([7, 8])
    const left = [listed(8, { size: dec('3') })]
    account.apply({ kind: 'twaps', twaps: left, source: 'read', at: later(90_000) })
    expect(twapsToFlatten(account).map(({ id }) => id)).toEqual([8])
  })
})
