import { describe, expect, test } from 'vitest'
import type { Fill, Twap } from '../protocol/venueState.ts'
import { guardCloidPrefix } from '../protocol/guardCloid.ts'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import type { Millis } from '../values/millis.ts'
import { accountWith, fixtureNow, stopOrder } from './account.fixture.ts'
import type { Account } from './account.ts'
import type { ReservedTwap } from './reservation.ts'

const dec = (text: string): Decimal => Decimal.of(text)
const eth = coin('ETH')
const later = (ms: number): Millis => (fixtureNow + ms) as Millis
const opens = { price: dec('2560'), stop: dec('2460'), worth: dec('2560') }

function reserved(more: Partial<ReservedTwap> = {}): ReservedTwap {
  return {
    ...{ kind: 'twap', coin: eth, isBuy: true, size: dec('2'), minutes: 30, isRandomized: false },
    ...{ triggerPrice: null, endPrice: dec('2560'), opens, ...more },
  }
}

function listed(id: number, executed = '0', more: Partial<Twap> = {}): Twap {
  return {
    ...{ id, coin: eth, isBuy: true, size: dec('2'), executedSize: dec(executed), minutes: 30 },
    ...{ isReduceOnly: false, isRandomized: false, triggerPrice: null, endPrice: dec('2560') },
    ...{ at: fixtureNow, ...more },
  }
}

function sent(account: Account, id = '1:0', plan = reserved()): void {
  account.reserve(id, [plan], fixtureNow)
  account.sent(id)
}

/** Sent, and taken by the venue as number 7. */
function running(plan = reserved()): Account {
  const account = accountWith({})
  sent(account, '1:0', plan)
  account.settle('1:0', { outcome: 'accepted' }, later(10))
  account.numbered('1:0', 0, 7)
  return account
}

const list = (
  account: Account,
  twaps: readonly Twap[],
  ms: number,
  source: 'stream' | 'read' = 'read',
) => account.apply({ kind: 'twaps', twaps, source, at: later(ms) })
const state = (account: Account, ms: number, size = '0') => {
  const position = {
    ...{ coin: eth, size: dec(size), entryPrice: dec('2486'), positionValue: dec('0') },
    ...{ unrealisedPnl: dec('0'), leverage: { type: 'isolated', value: 4 } as const },
    ...{ liquidationPrice: null, marginUsed: dec('0'), maxLeverage: 25 },
  }
  const positions = size === '0' ? [] : [position]
  const told = { accountValue: dec('10000'), withdrawable: dec('10000'), positions }
  account.apply({
    kind: 'state',
    state: { ...told, time: later(ms) },
    source: 'read',
    at: later(ms),
  })
}
const slice = (size: string, tid: number, start = '0', twapId = 7): Fill => ({
  ...{ coin: eth, isBuy: true, price: dec('2486'), size: dec(size), startPosition: dec(start) },
  ...{ closedPnl: dec('0'), fee: dec('0'), oid: 900 + tid, cloid: null, tid, at: later(20 + tid) },
  twapId,
})
const fills = (account: Account, ...told: readonly Fill[]) =>
  account.apply({ kind: 'fills', fills: told, isSnapshot: false, areSlices: true, at: later(30) })
/** What it may still lose: 100 a unit. */
const risk = (account: Account): string =>
  account
    .restingEntries(eth)
    .reduce((sum, { size }) => sum.plus(size), Decimal.zero)
    .toString()

describe('what is left of a TWAP counts at its worst', () => {
  test('from the decision on, and less with every slice', () => {
    const account = accountWith({})
    sent(account)
    expect(account.exposure().openRisk.toString()).toBe('200')
    expect(account.exposure().openValue.toString()).toBe('5120')
    expect(account.inFlight).toBe(1)
    account.settle('1:0', { outcome: 'accepted' }, later(10))
    account.numbered('1:0', 0, 7)
    expect(account.inFlight).toBe(0)
    fills(account, slice('0.5', 1))
    expect(risk(account)).toBe('1.5')
    expect(account.positions.get(eth)?.size.toString()).toBe('0.5')
    // The same slice told again is no other slice.
    fills(account, slice('0.5', 1), slice('0.25', 2, '0.5'))
    expect(risk(account)).toBe('1.25')
    expect(account.promise(eth)?.stops.map(({ trigger }) => trigger.toString())).toEqual(['2460'])
    expect(account.discrepancies()).toEqual([])
  })

  test('nothing of it is let go of before a later state, though a list shows more of it filled', () => {
    const account = running()
    list(account, [listed(7, '0.5')], 1_000)
    expect(risk(account)).toBe('2')
    state(account, 6_000, '0.5')
    expect(risk(account)).toBe('2')
    state(account, 20_000, '0.5')
    expect(risk(account)).toBe('1.5')
  })

  test('one that waits for its price counts as what waits, until it has begun', () => {
    const account = running(reserved({ triggerPrice: dec('2500') }))
    expect(account.waitingValues()).toMatchObject([{ coin: 'ETH' }])
    fills(account, slice('0.5', 1))
    expect(account.waitingValues()).toEqual([])
  })

  test('one that can only reduce counts as nothing', () => {
    const account = running(reserved({ opens: null }))
    expect(account.exposure().openRisk.isZero()).toBe(true)
    expect(account.twapCount).toBe(1)
  })
})

describe('one that can only reduce', () => {
  const reducing = (): Account => running(reserved({ opens: null, isBuy: false, endPrice: null }))
  const isIdle = (account: Account) => account.twaps.views().map((view) => view.isIdle)
  const sell = (size: string, start: string, more: Partial<Fill> = {}): Fill => {
    return { ...slice(size, 5, start), isBuy: false, ...more }
  }

  test.each<[string, Fill, boolean]>([
    ['its own slice ends', sell('1', '1'), true],
    ['another order ends', { ...sell('1', '1'), twapId: 0 }, true],
    ['a fill turns around', sell('2', '1'), true],
    ['a fill leaves a part of', sell('0.5', '1'), false],
    ['a fill opens', sell('1', '0'), false],
    ['a fill ended before it was sent', sell('1', '1', { at: fixtureNow }), false],
    ['a fill ends on another coin', sell('1', '1', { coin: coin('BTC') }), false],
  ])('a position that %s', (_, told, isOver) => {
    const account = reducing()
    fills(account, told)
    expect(isIdle(account)).toEqual([isOver])
    // Opened again, it is not the position that it was to reduce.
    state(account, 20_000, '1')
    expect(isIdle(account)).toEqual([isOver])
  })

  test('a position that ends does not end one that may open', () => {
    const account = running()
    fills(account, sell('1', '1'))
    expect(isIdle(account)).toEqual([false])
  })
})

describe('Guard’s own stop is not given up for a tighter one while a TWAP adds to the position', () => {
  const guardCloid = `${guardCloidPrefix}01${'0'.repeat(22)}`
  const rows = [
    { held: 'long', twap: 'buys', given: [] },
    { held: 'long', twap: 'sells', given: [10] },
    { held: 'short', twap: 'buys', given: [10] },
    { held: 'short', twap: 'sells', given: [] },
  ] as const
  test.each(rows)('a $held position, a TWAP that $twap', ({ held, twap, given }) => {
    const [isLong, isBuy] = [held === 'long', twap === 'buys']
    const trigger = isLong ? '2400' : '2600'
    const stop = { coin: 'ETH', oid: 10, size: '2', trigger, isBuy: !isLong, cloid: guardCloid }
    const account = accountWith({
      positions: { ETH: { size: isLong ? '2' : '-2' } },
      orders: [stopOrder(stop)],
    })
    const tighter = dec(isLong ? '2410' : '2590')
    const found = () => account.guardStopsBeyond(eth, tighter).map(({ oid }) => oid)
    sent(account, '1:0', reserved({ isBuy }))
    account.numbered('1:0', 0, 7)
    expect(found()).toEqual([10])
    fills(account, { ...slice('0.5', 1, isLong ? '2' : '-2'), isBuy })
    expect(found()).toEqual(given)
  })
})

describe('its end', () => {
  test('is told by a list that was read, and then by a state; the stream alone tells nothing', () => {
    const account = running()
    list(account, [listed(7)], 1_000)
    list(account, [], 5_000, 'stream')
    state(account, 9_000)
    expect(risk(account)).toBe('2')
    expect(account.twaps.doubtfulSince).toBe(later(5_000))
    list(account, [], 20_000)
    expect(account.twaps.doubtfulSince).toBeNull()
    expect(risk(account)).toBe('2')
    state(account, 21_000)
    expect(risk(account)).toBe('2')
    state(account, 30_000, '0.5')
    expect(risk(account)).toBe('0')
    expect(account.twapCount).toBe(0)
    // Its last slice may be told late, and is still its own.
    fills(account, slice('0.5', 1))
    expect(account.discrepancies()).toEqual([])
    expect(account.promise(eth)?.stops).toHaveLength(1)
  })

  test('one that a list shows again runs', () => {
    const account = running()
    list(account, [], 20_000)
    list(account, [listed(7)], 21_000)
    state(account, 40_000)
    expect(risk(account)).toBe('2')
  })

  test('a list from before it could be there says nothing', () => {
    const account = running()
    list(account, [], 3_000)
    state(account, 30_000)
    expect(risk(account)).toBe('2')
  })

  test('the venue took its cancel: over by a list that was read then, whatever the stream shows', () => {
    const account = running()
    account.reserve('2:0', [{ kind: 'twap_cancel', twapId: 7 }], later(100))
    account.settle('2:0', { outcome: 'unknown' }, later(100))
    expect(account.twaps.doubtfulSince).toBeNull()
    account.settle('2:0', { outcome: 'accepted' }, later(100))
    list(account, [listed(7)], 200, 'stream')
    expect(account.twaps.views()).toMatchObject([{ isOver: false }])
    expect(account.twaps.doubtfulSince).toBe(later(100))
    list(account, [], 20_000)
    list(account, [listed(7)], 20_100, 'stream')
    expect(account.twaps.views()).toMatchObject([{ isOver: true }])
    expect(risk(account)).toBe('2')
    state(account, 30_000)
    expect(account.twapCount).toBe(0)
  })

  test.each(['stream', 'read'] as const)(
    'the venue took its cancel, and the next list is without it: over (%s)',
    (source) => {
      const account = running(reserved({ triggerPrice: dec('2500') }))
      const cancel = { kind: 'twap_cancel', twapId: 7 } as const
      account.reserve('2:0', [cancel], later(300))
      expect(account.waitingValues()).toHaveLength(1)
      account.settle('2:0', { outcome: 'accepted' }, later(300))
      // It waits no more; what it may have filled counts until a state of after the cancel is told.
      expect(account.waitingValues()).toEqual([])
      expect(account.twaps.views()).toMatchObject([{ isOver: false }])
      list(account, [], 350, source)
      expect(account.twaps.views()).toMatchObject([{ isOver: true }])
      expect(account.twapCount).toBe(0)
      state(account, 6_300)
      expect(risk(account)).toBe('2')
      state(account, 6_301)
      expect(risk(account)).toBe('0')
    },
  )

  test('an answer to its cancel ends none that the venue still lists', () => {
    const account = running()
    account.reserve('2:0', [{ kind: 'twap_cancel', twapId: 7 }], later(100))
    account.settle('2:0', { outcome: 'accepted' }, later(100))
    list(account, [listed(7)], 20_000)
    state(account, 40_000)
    expect(risk(account)).toBe('2')
    expect(account.twaps.doubtfulSince).toBeNull()
  })

  test('one that was let go of is taken up again where the venue still runs it', () => {
    const account = running()
    fills(account, slice('0.5', 1))
    list(account, [], 20_000)
    state(account, 28_000, '0.5')
    expect(account.twapCount).toBe(0)
    // What the stream shows may be old: it is asked for, and nothing is made of it.
    list(account, [listed(7, '0.6')], 29_000, 'stream')
    list(account, [listed(7, '0.6')], 29_500, 'stream')
    expect(account.twapCount).toBe(0)
    expect(account.twaps.doubtfulSince).toBe(later(29_000))
    expect(account.twaps.isReturning).toBe(true)
    list(account, [], 29_700, 'stream')
    expect(account.twaps.doubtfulSince).toBeNull()
    expect(account.twaps.isReturning).toBe(false)
    // After so long it is not old any more: somebody's TWAP, until a read tells whose.
    list(account, [listed(7, '0.6')], 35_000, 'stream')
    expect(account.strangeTwaps).toEqual(['ETH'])
    list(account, [listed(7, '0.6')], 44_000)
    expect(account.twaps.views()).toMatchObject([{ id: 7, owner: 'bot', isOver: false }])
    expect(account.twaps.doubtfulSince).toBeNull()
    expect(risk(account)).toBe('1.5')
    expect(account.strangeTwaps).toEqual([])
    expect(account.discrepancies()).toEqual([])
  })

  test('the coin of one is known by its number, whoever started it', () => {
    const account = running()
    list(account, [listed(7), listed(8, '0', { size: dec('3'), coin: coin('BTC') })], 1_000)
    expect([7, 8, 9].map((id) => account.twapCoin(id))).toEqual(['ETH', 'BTC', null])
    expect(account.strangeTwaps).toEqual(['BTC'])
  })

  test('one made elsewhere that can only reduce, or trades a token, opens nothing', () => {
    const account = running()
    const elsewhere = [
      listed(8, '0', { size: dec('3'), isReduceOnly: true }),
      listed(9, '0', { size: dec('3'), coin: coin('@107') }),
    ]
    list(account, [listed(7), ...elsewhere], 1_000)
    expect(account.strangeTwaps).toEqual([])
  })

  test('a cancel that was refused, or of another, ends nothing', () => {
    const account = running()
    account.reserve('2:0', [{ kind: 'twap_cancel', twapId: 7 }], later(100))
    account.settle('2:0', { outcome: 'refused' }, later(100))
    account.reserve('3:0', [{ kind: 'twap_cancel', twapId: 8 }], later(100))
    account.settle('3:0', { outcome: 'accepted' }, later(100))
    state(account, 10_000)
    expect(risk(account)).toBe('2')
  })

  test('one that waits unlisted ends by the history alone', () => {
    const plan = reserved({ triggerPrice: dec('2500') })
    const account = running(plan)
    list(account, [], 20_000)
    state(account, 40_000)
    expect(risk(account)).toBe('2')
    expect(account.twaps.isHistoryWanted).toBe(true)
    const told = listed(7, '0', { triggerPrice: dec('2500') })
    const row = { id: null, twap: told, isOver: false }
    account.apply({ kind: 'twap_history', news: [row], at: later(41_000) })
    state(account, 60_000)
    expect(risk(account)).toBe('2')
    account.apply({ kind: 'twap_history', news: [{ ...row, isOver: true }], at: later(61_000) })
    state(account, 80_000)
    expect(risk(account)).toBe('0')
  })

  test('one without an answer on a builder dex, of which no list comes, is ended by the history', () => {
    const account = accountWith({})
    sent(account, '1:0', reserved({ coin: coin('xyz:TSLA') }))
    expect(account.twaps.isHistoryWanted).toBe(false)
    account.settle('1:0', { outcome: 'unknown' }, later(10))
    // The lists of the main dex say nothing of it.
    list(account, [], 60_000)
    expect([account.inFlight, account.twaps.isHistoryWanted]).toEqual([1, true])
    account.apply({ kind: 'twap_history', news: [], at: later(60_000) })
    expect(account.twaps.isHistoryWanted).toBe(false)
    // It never came to be: no state has to show what it filled, and none of that dex may come.
    expect(account.inFlight).toBe(0)
  })

  test('the history ends none that a list shows, and none that may be another', () => {
    const account = running()
    sent(account, '2:0')
    list(account, [listed(7)], 20_000)
    const row = { id: null, twap: listed(7), isOver: true }
    account.apply({ kind: 'twap_history', news: [row, { ...row, id: 7 }], at: later(21_000) })
    expect(account.twaps.views().map(({ isOver }) => isOver)).toEqual([false, false])
  })
})

describe('an answer that did not come', () => {
  test('it is known by what was asked for', () => {
    const account = accountWith({})
    sent(account)
    account.settle('1:0', { outcome: 'unknown' }, later(10))
    expect(account.inFlight).toBe(1)
    expect(account.twaps.doubtfulSince).toBe(later(30_010))
    expect(account.twaps.isNumberMissing).toBe(true)
    list(account, [listed(8, '0', { minutes: 40 }), listed(9)], 1_000)
    expect(account.twaps.isNumberMissing).toBe(false)
    expect(account.twaps.views()).toMatchObject([
      { id: 9, owner: 'bot' },
      { id: 8, owner: 'elsewhere' },
    ])
    expect(account.inFlight).toBe(0)
    expect(account.discrepancies()).toEqual([expect.stringContaining('(8) buys 2')])
  })

  test('an older one of the same kind is not it', () => {
    const account = accountWith({})
    sent(account)
    account.settle('1:0', { outcome: 'unknown' }, later(10))
    list(account, [listed(9, '0', { at: later(-60_000) })], 1_000)
    expect(account.twaps.views()).toMatchObject([{ id: null }, { id: 9, owner: 'elsewhere' }])
  })

  test('its first slice may be told first, and the answer knows better', () => {
    const account = accountWith({})
    sent(account)
    fills(account, slice('0.5', 1, '0', 9))
    expect(account.twaps.views()).toMatchObject([{ id: 9 }])
    expect(risk(account)).toBe('1.5')
    account.settle('1:0', { outcome: 'accepted' }, later(10))
    account.numbered('1:0', 0, 10)
    expect(risk(account)).toBe('2')
    fills(account, slice('0.25', 2, '0.5', 10))
    expect(risk(account)).toBe('1.75')
  })

  test('of two that may be meant a slice tells neither; the number gives it what it filled', () => {
    const account = accountWith({})
    sent(account, '1:0')
    sent(account, '2:0')
    fills(account, slice('0.5', 1, '0', 9))
    expect(risk(account)).toBe('4')
    account.numbered('2:0', 0, 9)
    expect(risk(account)).toBe('3.5')
  })

  test('one that the history lacks, though it would have it by now, never came to be', () => {
    const account = accountWith({})
    sent(account)
    account.settle('1:0', { outcome: 'unknown' }, later(10))
    const other = { id: 8, twap: listed(8, '0', { minutes: 40 }), isOver: true }
    const tell = (news: readonly (typeof other)[], ms: number) => {
      account.apply({ kind: 'twap_history', news, at: later(ms) })
      state(account, ms + 20_000)
      return account.inFlight
    }
    expect(tell([other], 30_000)).toBe(1)
    expect(account.twaps.mayHaveFilled).toBe(true)
    expect(tell([other], 60_000)).toBe(0)
    expect(account.twaps.mayHaveFilled).toBe(false)
  })

  test('looked for in vain, it counts until a later state: it may have run meanwhile', () => {
    const account = accountWith({})
    sent(account)
    account.settle('1:0', { outcome: 'unknown' }, later(10))
    account.settle('1:0', { outcome: 'refused' }, later(15_000))
    expect(account.twaps.isNumberMissing).toBe(false)
    expect(risk(account)).toBe('2')
    state(account, 30_000)
    expect(risk(account)).toBe('0')
  })

  test('refused by the venue, it is gone at once', () => {
    const account = accountWith({})
    sent(account)
    account.settle('1:0', { outcome: 'refused' }, later(10))
    expect(risk(account)).toBe('0')
    expect(account.twapCount).toBe(0)
  })
})

describe('over a restart', () => {
  test('what was known of it is taken up, and slices of before are not counted twice', () => {
    const before = running()
    fills(before, slice('0.5', 1))
    const record = before.record()
    const after = accountWith({})
    after.restoreRecord(JSON.parse(JSON.stringify(record)) as typeof record)
    expect(risk(after)).toBe('1.5')
    fills(after, slice('0.5', 1), slice('0.25', 2, '0.5'))
    expect(risk(after)).toBe('1.25')
    expect(after.twaps.views()).toMatchObject([{ id: 7, owner: 'bot' }])
  })

  test('one whose answer came after the memory was written gets its number', () => {
    const before = accountWith({})
    sent(before)
    const record = before.record()
    const after = accountWith({})
    after.restoreRecord(record)
    expect(after.inFlight).toBe(1)
    const [twap] = record.twaps ?? []
    if (twap === undefined) throw new Error('no record')
    after.restoreRecord({ sizes: {}, cloids: [], twaps: [{ ...twap, id: 7 }] })
    expect(after.inFlight).toBe(0)
    after.restoreRecord({ sizes: {}, cloids: [], twaps: [{ ...twap, id: 7 }] })
    expect(after.twapCount).toBe(1)
  })
})

test('the times that an earlier run wrote down stay, wherever the clock of this one begins', () => {
  const behind = 1_600_000
  const [written] = running().record().twaps ?? []
  if (written === undefined) throw new Error('no record')
  const account = accountWith({})
  account.restoreRecord({ sizes: {}, cloids: [], twaps: [{ ...written, at: later(behind) }] })
  account.clockStepped(behind)
  list(account, [], behind + 20_000)
  state(account, behind + 40_000)
  expect(risk(account)).toBe('0')
  expect(account.twapCount).toBe(0)
})

test('one that waits unlisted and whose answer was lost gets its number from the history', () => {
  const account = accountWith({})
  const plan = reserved({ triggerPrice: dec('2500') })
  sent(account, '1:0', plan)
  account.settle('1:0', { outcome: 'unknown' }, later(10))
  const told = listed(7, '0', { triggerPrice: dec('2500') })
  const tell = (id: number | null, isOver = false) =>
    account.apply({
      ...{ kind: 'twap_history', at: later(300) },
      news: [{ id, twap: told, isOver }],
    })
  tell(null)
  expect(account.twaps.isNumberMissing).toBe(true)
  tell(7)
  expect(account.twaps.isNumberMissing).toBe(false)
  expect(account.twaps.views()).toMatchObject([{ id: 7, isOver: false }])
  tell(7, true)
  expect(account.twaps.views()).toMatchObject([{ id: 7, isOver: true }])
})

test('a clock that is set leaves everything as old as it was', () => {
  const account = running()
  list(account, [listed(7, '0.5')], 1_000)
  list(account, [], 8_000, 'stream')
  account.clockStepped(-500)
  expect(account.twaps.doubtfulSince).toBe(later(7_500))
  list(account, [], 20_000)
  account.clockStepped(1_000)
  state(account, 26_500)
  expect(risk(account)).toBe('1.5')
  state(account, 40_000)
  expect(risk(account)).toBe('0')
})

test('beyond so many, those that only reduce are not followed', () => {
  const account = accountWith({})
  for (let id = 0; id < 300; id += 1) sent(account, `${id}:0`, reserved({ opens: null }))
  expect(account.twapCount).toBe(256)
  sent(account, '400:0')
  expect(risk(account)).toBe('2')
})

describe('the history shows one that runs and that no list has', () => {
  const told = (id: number | null, isOver = false) => ({ id, twap: listed(8, '0'), isOver })
  const tell = (account: Account, ms: number, ...news: ReturnType<typeof told>[]) => {
    account.apply({ kind: 'twap_history', news, at: later(ms) })
  }
  const list = (
    account: Account,
    ms: number,
    dex: string,
    source: 'stream' | 'read' = 'stream',
  ) => {
    account.apply({ kind: 'twaps', twaps: [], source, dex, at: later(ms) })
  }

  test('it is known, and keeps entries out, until it is over or a list lacks it', () => {
    const account = accountWith({})
    tell(account, 1_000, told(8), told(null))
    expect(account.strangeTwaps).toEqual(['ETH'])
    expect([account.twapCoin(8), account.twaps.isHistoryWanted]).toEqual(['ETH', true])
    expect(account.discrepancies().some((each) => each.includes('started elsewhere (8)'))).toBe(
      true,
    )
    list(account, 1_500, 'xyz')
    expect(account.strangeTwaps).toEqual(['ETH'])
    tell(account, 2_000, told(8, true), told(8))
    expect(account.strangeTwaps).toEqual([])
    tell(account, 3_000, told(8))
    list(account, 4_000, '')
    expect(account.strangeTwaps).toEqual([])
    // One whose time is long over has ended, whatever the history lacks.
    tell(account, 24 * 3_600_000, told(8))
    expect(account.strangeTwaps).toEqual([])
  })

  test('a dex whose list came before and comes no more is silent until a history is told', () => {
    const account = accountWith({})
    expect(account.twaps.silentSince).toBeNull()
    list(account, 1_000, 'xyz')
    list(account, 3_000, '')
    expect(account.twaps.silentSince).toBe(later(1_000))
    tell(account, 4_000)
    expect(account.twaps.silentSince).toBe(later(4_000))
    account.clockStepped(-500)
    expect(account.twaps.silentSince).toBe(later(3_500))
    list(account, 5_000, '')
    list(account, 6_000, 'xyz', 'read')
    expect(account.twaps.silentSince).toBe(later(5_000))
  })
})
