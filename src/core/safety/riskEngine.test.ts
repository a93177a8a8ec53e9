import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AccountEvent } from '../account/accountEvent.ts'
import type { CashView } from '../account/cash.ts'
import { fill } from '../account/account.fixture.ts'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { dayMs, millis } from '../values/millis.ts'
import type { Millis } from '../values/millis.ts'
import { Rational, rational } from './rational.fixture.ts'
import { RiskEngine } from './riskEngine.ts'
import type { RiskLimits } from './halts.ts'
import type { RiskView } from './riskView.ts'

const dec = (text: string): Decimal => Decimal.of(text)
/** 2023-11-15 00:00:00 UTC. */
const midnight = 19_676 * dayMs
const noon = midnight + dayMs / 2
const limits: RiskLimits = {
  dailyLossStop: dec('0.06'),
  drawdownHalt: dec('0.25'),
  equityCap: null,
}

interface Seen {
  readonly equity: string
  readonly unrealised?: string
  readonly isUnified?: boolean
}

function cashView({ equity, unrealised = '0', isUnified = false }: Seen): CashView {
  return {
    equity: dec(equity),
    unrealised: dec(unrealised),
    cash: dec(equity).minus(dec(unrealised)),
    isUnified,
  }
}

function see(engine: RiskEngine, at: number, equity: string, unrealised = '0'): RiskView {
  return engine.observe(
    { cash: cashView({ equity, unrealised }), venueTime: millis(at) },
    millis(at),
  )
}

function ledger(at: number, usdc: string, id = `${at}`): AccountEvent {
  const entries = [{ id, type: 'withdraw', usdc: dec(usdc), at: millis(at) }]
  return { kind: 'ledger', entries, isSnapshot: false, at: millis(at) }
}

function started(equity = '1000', at = noon): RiskEngine {
  const engine = new RiskEngine(limits)
  see(engine, at, equity)
  return engine
}

/** A change of equity by the market alone: cash stays 1000. */
const market = (equity: string): string => dec(equity).minus(dec('1000')).toString()

describe('the two limits', () => {
  const cases = [
    { why: 'one cent above the daily limit', equity: '940.01', state: 'active' },
    { why: 'at the daily limit', equity: '940', state: 'halted_for_day' },
    { why: 'far below it', equity: '800', state: 'halted_for_day' },
    { why: 'one cent above the drawdown limit', equity: '750.01', state: 'halted_for_day' },
    { why: 'at the drawdown limit', equity: '750', state: 'stopped' },
    { why: 'at nothing', equity: '0', state: 'stopped' },
    { why: 'below nothing', equity: '-5', state: 'stopped' },
    { why: 'a profit', equity: '2000', state: 'active' },
  ] as const
  test.each(cases)('$why: $equity of 1000 is $state', ({ equity, state }) => {
    const engine = started()
    const view = see(engine, noon + 1, equity, market(equity))
    expect(view.state).toBe(state)
    expect(view.changed).toBe(state !== 'active')
    expect(see(engine, noon + 2, equity, market(equity)).changed).toBe(false)
  })

  test('the details say what a person needs to know', () => {
    const halted = see(started(), noon + 1, '930', market('930'))
    expect(halted.detail).toEqual({
      until_ms: midnight + dayMs,
      equity: '930',
      day_start: '1000',
      limit: '0.06',
    })
    const stopped = see(started(), noon + 1, '700', market('700'))
    expect(stopped.detail).toEqual({ equity: '700', peak: '1000', limit: '0.25' })
    expect(halted.dailyLoss?.toString()).toBe('0.07')
    expect(stopped.drawdown?.toString()).toBe('0.3')
  })

  test('a cap makes the limits a share of the cap', () => {
    const engine = new RiskEngine({ ...limits, equityCap: dec('500') })
    see(engine, noon, '1000')
    expect(see(engine, noon + 1, '970.01', market('970.01')).state).toBe('active')
    const view = see(engine, noon + 2, '970', market('970'))
    expect(view.state).toBe('halted_for_day')
    expect(view.dailyLoss?.toString()).toBe('0.06')
    expect(see(engine, noon + 3, '875', market('875')).state).toBe('stopped')
  })

  test('drawdown counts from the peak, over days', () => {
    const engine = started()
    see(engine, noon + 1, '1200', market('1200'))
    see(engine, noon + dayMs, '1150', market('1150'))
    const view = see(engine, noon + 2 * dayMs, '900', market('900'))
    expect(view.state).toBe('stopped')
    expect(view.peak?.toString()).toBe('1200')
  })
})

describe('halts stay', () => {
  test('a day halt ends with the UTC day, and the day starts at the last equity before it', () => {
    const engine = started()
    see(engine, noon + 1, '930', market('930'))
    expect(see(engine, noon + 2, '999', market('999')).state).toBe('halted_for_day')
    expect(engine.tick(millis(midnight + dayMs - 1)).state).toBe('halted_for_day')
    engine.closed(true)
    const next = engine.tick(millis(midnight + dayMs))
    expect(next).toMatchObject({ state: 'active', detail: null, changed: true, day: '2023-11-16' })
    expect(next.dayStart?.toString()).toBe('999')
  })

  test.each([false, true])(
    'it does not end before all is closed (restarted: %s)',
    (isRestarted) => {
      const first = started()
      see(first, noon + 1, '930', market('930'))
      first.closed(true)
      // Something has filled after all.
      first.closed(false)
      const restored = RiskEngine.restore(JSON.parse(JSON.stringify(first.snapshot())), limits)
      if (!restored.ok) throw new Error(restored.error)
      const engine = isRestarted ? restored.value : first
      const next = engine.tick(millis(midnight + dayMs + 60_000))
      expect(next).toMatchObject({ state: 'halted_for_day', day: '2023-11-15' })
      see(engine, midnight + dayMs + 60_001, '925', market('925'))
      engine.closed(true)
      const over = engine.tick(millis(midnight + dayMs + 60_002))
      expect(over).toMatchObject({ state: 'active', changed: true, day: '2023-11-16' })
      expect(over.dayStart?.toString()).toBe('925')
    },
  )

  test('a memory without the field has nothing to close', () => {
    const engine = started()
    see(engine, noon + 1, '930', market('930'))
    const { is_closing: isClosing, ...older } = engine.snapshot()
    expect(isClosing).toBe(true)
    const restored = RiskEngine.restore(older, limits)
    if (!restored.ok) throw new Error(restored.error)
    expect(restored.value.tick(millis(midnight + dayMs)).state).toBe('active')
  })

  test('a view of the new day is measured from the last of the old one', () => {
    const engine = started()
    see(engine, noon + 1, '980', market('980'))
    expect(see(engine, midnight + dayMs, '930', market('930')).dayStart?.toString()).toBe('980')
    expect(engine.view().state).toBe('active')
    expect(see(engine, midnight + dayMs + 1, '921', market('921')).state).toBe('halted_for_day')
  })

  test('a day halt becomes a stop when the fall goes on', () => {
    const engine = started()
    expect(see(engine, noon + 1, '930', market('930')).state).toBe('halted_for_day')
    const view = see(engine, noon + 2, '750', market('750'))
    expect(view).toMatchObject({ state: 'stopped', changed: true })
  })

  test('a stop ends with no day and no recovery, only with a review', () => {
    const engine = started()
    see(engine, noon + 1, '700', market('700'))
    expect(see(engine, noon + 5 * dayMs, '2000', market('2000')).state).toBe('stopped')
    const view = engine.review(dec('720'), millis(noon + 6 * dayMs))
    expect(view).toMatchObject({ state: 'active', detail: null, changed: true, holding: false })
    expect(view.peak?.toString()).toBe('720')
    expect(view.dayStart?.toString()).toBe('720')
    const next = see(engine, noon + 6 * dayMs + 1, '700', '-20')
    expect(next.state).toBe('active')
    expect(see(engine, noon + 6 * dayMs + 2, '676', '-44').state).toBe('halted_for_day')
  })

  test('a clock that steps back at midnight does not turn the day back', () => {
    const engine = started()
    engine.tick(millis(midnight + dayMs))
    expect(engine.tick(millis(midnight + dayMs - 3_599_999)).day).toBe('2023-11-16')
  })

  test('a halt of a day that was days ahead lasts to the end of the day it is', () => {
    const engine = started()
    const ahead = noon + 3 * dayMs
    see(engine, ahead, '930', market('930'))
    expect(engine.view()).toMatchObject({ state: 'halted_for_day', day: '2023-11-18' })
    const restored = RiskEngine.restore(JSON.parse(JSON.stringify(engine.snapshot())), limits)
    if (!restored.ok) throw new Error(restored.error)
    const today = restored.value.tick(millis(noon))
    expect(today).toMatchObject({ state: 'halted_for_day', day: '2023-11-15', peak: dec('1000') })
    expect(today.detail).toMatchObject({ until_ms: midnight + dayMs })
    expect(restored.value.tick(millis(midnight + dayMs - 1)).state).toBe('halted_for_day')
    restored.value.closed(true)
    expect(restored.value.tick(millis(midnight + dayMs)).state).toBe('active')
  })

  test('while nobody knows the time no day ends, and a halt is of the day that it turns out to be', () => {
    const engine = started()
    see(engine, noon + 1, '930', market('930'))
    engine.isTimeKnown = false
    expect(engine.tick(millis(noon + 3 * dayMs))).toMatchObject({
      ...{ state: 'halted_for_day', day: '2023-11-15', changed: false },
    })
    engine.isTimeKnown = true
    expect(engine.tick(millis(noon + 2)).state).toBe('halted_for_day')

    const other = started()
    other.isTimeKnown = false
    expect(see(other, noon - 9 * dayMs, '930', market('930')).state).toBe('halted_for_day')
    expect(other.view().day).toBeNull()
    const restored = RiskEngine.restore(JSON.parse(JSON.stringify(other.snapshot())), limits)
    if (!restored.ok) throw new Error(restored.error)
    const tomorrow = restored.value.tick(millis(noon + dayMs))
    expect(tomorrow).toMatchObject({ state: 'halted_for_day', day: '2023-11-16', changed: true })
    expect(tomorrow.detail).toMatchObject({ until_ms: midnight + 2 * dayMs })
    restored.value.closed(true)
    expect(restored.value.tick(millis(midnight + 2 * dayMs)).state).toBe('active')
  })

  test('an account that is first seen while nobody knows the time has its day once that is known', () => {
    const engine = new RiskEngine(limits)
    engine.isTimeKnown = false
    expect(see(engine, noon + 9 * dayMs, '1000').day).toBeNull()
    engine.isTimeKnown = true
    expect(engine.tick(millis(noon))).toMatchObject({ day: '2023-11-15', dayStart: dec('1000') })
  })

  test('a drop that is gone again, with nothing reported, was never there', () => {
    const engine = started()
    expect(see(engine, noon + 1, '0')).toMatchObject({ holding: true, state: 'active' })
    expect(see(engine, noon + 6_000, '999', '-1')).toMatchObject({
      ...{ holding: false, state: 'active', peak: dec('1000') },
    })
    expect(engine.tick(millis(noon + 20_000)).state).toBe('active')
  })

  test('a hold keeps its age when the clock is set', () => {
    const engine = started()
    see(engine, noon + 1, '800')
    expect(engine.view()).toMatchObject({ holding: true, state: 'active' })
    engine.clockStepped(3_600_000)
    expect(engine.tick(millis(noon + 3_600_000 + 9_000)).holding).toBe(true)
    expect(engine.tick(millis(noon + 3_600_000 + 10_002)).state).toBe('halted_for_day')
    engine.clockStepped(5)
  })

  test('looser rules release no halt, and no rule change forgets the peak', () => {
    const engine = started()
    see(engine, noon + 1, '1100', market('1100'))
    see(engine, noon + 2, '930', market('930'))
    engine.setLimits({ ...limits, dailyLossStop: dec('0.15') })
    expect(see(engine, noon + 3, '930', market('930')).state).toBe('halted_for_day')
    engine.setLimits({ ...limits, drawdownHalt: dec('0.1') })
    const view = see(engine, noon + 4, '930', market('930'))
    expect(view.state).toBe('stopped')
    expect(view.peak?.toString()).toBe('1100')
  })
})

describe('before the account was seen', () => {
  test('nothing is known and nothing is halted', () => {
    const engine = new RiskEngine(limits)
    const view = engine.observe({ cash: null, venueTime: null }, millis(noon))
    expect(view).toEqual({
      state: 'active',
      detail: null,
      equity: null,
      dayStart: null,
      peak: null,
      day: null,
      dailyLoss: null,
      drawdown: null,
      holding: false,
      isBlind: true,
      untold: null,
      changed: false,
      dropped: [],
    })
    expect(engine.tick(millis(noon)).state).toBe('active')
    expect(
      engine.observe({ cash: cashView({ equity: '1' }), venueTime: null }, millis(noon)).peak,
    ).toBeNull()
  })

  test('an account without money has no share to lose', () => {
    const engine = started('0')
    const view = see(engine, noon + 1, '0')
    expect(view).toMatchObject({ state: 'active', dailyLoss: null, drawdown: null })
  })
})

/** peak and day start x e / (e - f), worked with exact fractions. */
function moved(base: string, equity: string, flow: string): string {
  const e = rational(equity)
  return rational(base)
    .times(e)
    .over(e.minus(rational(flow)))
    .toText(12)
}

describe('flows', () => {
  const flows = ['-200', '-930', '500', '0.37', '-0.12', '100000'] as const
  const orders = ['ledger first', 'view first'] as const
  const cases = flows.flatMap((flow) =>
    orders.flatMap((order) =>
      ['0', '-30', '55.5'].map((unrealised) => ({ flow, order, unrealised })),
    ),
  )
  test.each(cases)('$flow with $unrealised open, $order', ({ flow, order, unrealised }) => {
    const engine = started('1000')
    const before = see(engine, noon + 1, rationalSum('1000', unrealised), unrealised)
    const equity = rationalSum('1000', unrealised, flow)
    if (order === 'ledger first') {
      const early = engine.apply(ledger(noon + 2, flow), accountAt(noon + 1, before, unrealised))
      expect(early.peak?.toString()).toBe(before.peak?.toString())
      see(engine, noon + 3, equity, unrealised)
    } else {
      const held = see(engine, noon + 2, equity, unrealised)
      expect(held.state).toBe('active')
      expect(held.peak?.toString()).toBe(before.peak?.toString())
      engine.apply(ledger(noon + 3, flow), accountAt(noon + 3, held, unrealised))
    }
    const view = engine.view()
    expect(view.state).toBe('active')
    expect(view.holding).toBe(false)
    expect(view.dayStart?.toString()).toBe(moved('1000', equity, flow))
    const peak = before.peak?.toString() ?? ''
    expect(view.peak?.toString()).toBe(moved(peak, equity, flow))
  })

  test('a withdrawal that looks like a stop is held, and nothing opens meanwhile', () => {
    const engine = started()
    const held = see(engine, noon + 1, '600')
    expect(held).toMatchObject({ state: 'active', holding: true })
    expect(engine.tick(millis(noon + 10_000)).holding).toBe(true)
    const view = engine.apply(ledger(noon + 9_000, '-400'), at(noon + 10_000, '600'))
    expect(view).toMatchObject({ state: 'active', holding: false })
    expect(view.peak?.toString()).toBe('600')
  })

  test('what no flow explains within ten seconds counts, at its deepest', () => {
    const engine = started()
    see(engine, noon + 1, '940')
    see(engine, noon + 100, '930')
    see(engine, noon + 200, '960')
    expect(engine.tick(millis(noon + 10_000)).state).toBe('active')
    const view = engine.tick(millis(noon + 10_001))
    expect(view).toMatchObject({ state: 'halted_for_day', holding: false, changed: true })
    expect(view.detail).toMatchObject({ equity: '930' })
  })

  test('a hold ends in its time, also when the clock is set back', () => {
    const engine = started()
    see(engine, noon + 1, '940')
    const back = noon - 3_600_000
    expect(engine.tick(millis(back))).toMatchObject({ state: 'active', holding: true })
    expect(engine.tick(millis(back + 9_999)).state).toBe('active')
    expect(engine.tick(millis(back + 10_000)).state).toBe('halted_for_day')
  })

  test('the end of a hold is also seen by a view', () => {
    const engine = started()
    see(engine, noon + 1, '700')
    expect(see(engine, noon + 10_001, '700').state).toBe('stopped')
  })

  test('a loss by the market halts at once, whatever cash does', () => {
    const engine = started()
    const view = see(engine, noon + 1, '890', '-105')
    expect(view).toMatchObject({ state: 'halted_for_day', holding: false })
  })

  test('a deposit that no ledger explains yet neither hides a loss nor raises the peak', () => {
    const engine = started()
    expect(see(engine, noon + 1, '1500', '-50').peak?.toString()).toBe('1000')
    const lost = see(engine, noon + 2, '930', '-100')
    expect(lost).toMatchObject({ state: 'halted_for_day', holding: false })
  })

  test('a fill whose report is late explains its own cash', () => {
    const engine = started()
    see(engine, noon, '900', '-100')
    const fresh = started()
    see(fresh, noon + 1, '950', '-50')
    const held = see(fresh, noon + 2, '948', '0')
    expect(held).toMatchObject({ state: 'active', holding: false })
    const event: AccountEvent = {
      kind: 'fills',
      isSnapshot: false,
      at: millis(noon + 3),
      fills: [
        fill({
          coin: 'ETH',
          isBuy: false,
          price: '1',
          size: '1',
          start: '1',
          oid: 1,
          tid: 1,
          at: noon + 2,
          closedPnl: '-50',
          fee: '2',
        }),
      ],
    }
    fresh.apply(event, at(noon + 3, '948'))
    fresh.apply(event, at(noon + 3, '948'))
    expect(see(fresh, noon + 60_000, '948').holding).toBe(false)
    expect(see(fresh, noon + 60_001, '939.9', '-8.1').state).toBe('halted_for_day')
  })

  test('funding moves cash, and is a loss like any other', () => {
    const engine = started()
    const event: AccountEvent = {
      kind: 'funding',
      payments: [{ coin: coin('ETH'), usdc: dec('-61'), at: millis(noon + 1) }],
      isSnapshot: false,
      at: millis(noon + 1),
    }
    engine.apply(event, at(noon, '1000'))
    expect(see(engine, noon + 2, '939')).toMatchObject({ state: 'halted_for_day', holding: false })
  })

  test('two flows in one view are found among several reports', () => {
    const engine = started()
    engine.apply(ledger(noon + 1, '-300', 'a'), at(noon, '1000'))
    engine.apply(ledger(noon + 2, '50', 'b'), at(noon, '1000'))
    engine.apply(ledger(noon + 3, '-75', 'c'), at(noon, '1000'))
    const view = see(engine, noon + 4, '625')
    expect(view).toMatchObject({ state: 'active', holding: false })
    expect(view.peak?.toString()).toBe('625')
    expect(see(engine, noon + 5, '675').peak?.toString()).toBe('675')
  })

  test('a report that comes again is one flow', () => {
    const engine = started()
    engine.apply(ledger(noon + 1, '-300', 'a'), at(noon, '1000'))
    see(engine, noon + 2, '700')
    engine.apply(ledger(noon + 1, '-300', 'a'), at(noon + 2, '700'))
    const view = see(engine, noon + 3, '400')
    expect(view.holding).toBe(true)
  })

  test('a flow reported after its ten seconds is taken out of the loss again', () => {
    const engine = started()
    see(engine, noon + 1, '1500')
    expect(engine.tick(millis(noon + 10_001)).peak?.toString()).toBe('1500')
    see(engine, noon + 11_000, '1490', '-10')
    const view = engine.apply(ledger(noon + 1, '500'), at(noon + 12_000, '1490', '-10'))
    expect(view.peak?.toString()).toBe('1500')
    expect(view.dayStart?.toString()).toBe('1500')
    const small = started()
    see(small, noon + 1, '980')
    small.tick(millis(noon + 10_001))
    const late = small.apply(ledger(noon + 1, '-20'), at(noon + 12_000, '980'))
    expect(late.dayStart?.toString()).toBe('980')
    expect(late.peak?.toString()).toBe('980')
  })

  test('a late report does not touch a day that began after it', () => {
    const engine = started('1000', midnight + dayMs - 20_000)
    see(engine, midnight + dayMs - 15_000, '980')
    engine.tick(millis(midnight + dayMs - 5_000))
    engine.tick(millis(midnight + dayMs))
    const view = engine.apply(
      ledger(midnight + dayMs - 15_000, '-20'),
      at(midnight + dayMs + 1, '980'),
    )
    expect(view.dayStart?.toString()).toBe('980')
    expect(view.peak?.toString()).toBe('980')
  })

  test('a hold over midnight: the day starts at the last equity that was explained', () => {
    const engine = started('1000', midnight + dayMs - 2_000)
    see(engine, midnight + dayMs - 1_000, '600')
    const turned = engine.tick(millis(midnight + dayMs))
    expect(turned).toMatchObject({ holding: true, state: 'active' })
    expect(turned.dayStart?.toString()).toBe('1000')
    const view = engine.apply(
      ledger(midnight + dayMs - 1_000, '-400'),
      at(midnight + dayMs + 1, '600'),
    )
    expect(view.dayStart?.toString()).toBe('600')
  })

  test('an emptied account starts over with what comes in', () => {
    const engine = started()
    engine.apply(ledger(noon + 1, '-1000', 'a'), at(noon, '1000'))
    expect(see(engine, noon + 2, '0').peak?.toString()).toBe('0')
    engine.apply(ledger(noon + 3, '400', 'b'), at(noon + 2, '0'))
    expect(see(engine, noon + 4, '400')).toMatchObject({ state: 'active' })
    expect(engine.view().peak?.toString()).toBe('400')
  })
})

describe('reports that come after ten seconds', () => {
  const fillOf = (closedPnl: string, when: number): AccountEvent => ({
    kind: 'fills',
    isSnapshot: false,
    at: millis(when),
    fills: [
      fill({
        coin: 'ETH',
        isBuy: false,
        price: '1',
        size: '1',
        start: '1',
        oid: 1,
        tid: when,
        at: when,
        closedPnl,
      }),
    ],
  })

  test('a fill that was counted already is not counted again', () => {
    const engine = started()
    see(engine, noon + 1, '980')
    engine.tick(millis(noon + 10_001))
    engine.apply(fillOf('-20', noon + 1), at(noon + 11_000, '980'))
    const view = see(engine, noon + 12_000, '980')
    expect(view.dayStart?.toString()).toBe('1000')
    engine.apply(fillOf('-25', noon + 12_001), at(noon + 12_001, '980'))
    const next = see(engine, noon + 12_002, '955')
    expect(next).toMatchObject({ state: 'active', holding: false })
    expect(see(engine, noon + 12_003, '940').holding).toBe(true)
  })

  test('a later report of the same amount is another flow', () => {
    const engine = started()
    see(engine, noon + 1, '980')
    engine.tick(millis(noon + 10_001))
    engine.apply(ledger(noon + 20_000, '-20'), at(noon + 20_000, '980'))
    const view = see(engine, noon + 20_001, '960')
    // 1000 x 960 / 980: the second twenty was a flow, the first stays a loss.
    expect(view.dayStart?.toString()).toBe(moved('1000', '960', '-20'))
  })

  test('a flow in between moves what is remembered of the unexplained one', () => {
    const engine = started()
    see(engine, noon + 1, '1500')
    engine.tick(millis(noon + 10_001))
    engine.apply(ledger(noon + 20_000, '1500', 'b'), at(noon + 20_000, '1500'))
    see(engine, noon + 20_001, '3000')
    const view = engine.apply(ledger(noon + 1, '500', 'a'), at(noon + 20_002, '3000'))
    expect(view.peak?.toString()).toBe('3000')
    expect(view.dayStart?.toString()).toBe('3000')
  })

  test('of a flow and an unexplained rest, the flow is taken and the rest counts', () => {
    const engine = started()
    engine.apply(ledger(noon + 1, '500'), at(noon, '1000'))
    const held = see(engine, noon + 2, '1470')
    expect(held.peak?.toString()).toBe('1000')
    const view = engine.tick(millis(noon + 10_002))
    expect(view.state).toBe('active')
    expect(view.peak?.toString()).toBe(moved('1000', '1470', '500'))
    const late = engine.apply(ledger(noon + 2, '-30', 'rest'), at(noon + 10_003, '1470'))
    const both = rational('1000').times(rational('1470')).over(rational('970'))
    const rest = both.times(rational('1470')).over(rational('1500'))
    expect(late.peak?.rounded(9, 'half-even').toString()).toBe(rest.toText(9))
  })
})

describe('a unified account', () => {
  const total = (equity: string, unrealised: string, when: number) => ({
    cash: cashView({ equity, unrealised, isUnified: true }),
    venueTime: millis(when),
  })
  test.each([
    { how: 'moves with the mark', equity: '1050' },
    { how: 'moves when profit is realised', equity: '1000' },
  ])('its balance $how: no flow is seen in unrealised profit', ({ equity }) => {
    const engine = new RiskEngine(limits)
    engine.observe(total('1000', '0', noon), millis(noon))
    const view = engine.observe(total(equity, '50', noon + 1), millis(noon + 1))
    expect(view.peak?.toString()).toBe(equity)
    const held = engine.observe(total('600', '50', noon + 2), millis(noon + 2))
    expect(held.holding).toBe(true)
  })

  // The balance and the positions come in two messages; between them one is older than the other.
  test.each([
    { first: 'positions', seen: [total('1000', '-10', noon + 1)] },
    { first: 'balance', seen: [total('990', '0', noon + 1)] },
  ])('a fall of the market, $first first, does not hide a withdrawal after it', ({ seen }) => {
    const engine = new RiskEngine(limits)
    engine.observe(total('1000', '0', noon), millis(noon))
    for (const each of seen) engine.observe(each, millis(noon + 1))
    engine.observe(total('990', '-10', noon + 2), millis(noon + 2))
    engine.apply(ledger(noon + 3, '-400'), total('990', '-10', noon + 3))
    const view = engine.observe(total('590', '-10', noon + 4), millis(noon + 4))
    expect(view).toMatchObject({ state: 'active', holding: false })
    expect(view.dailyLoss?.toString()).toBe('0.01')
    expect(view.drawdown?.toString()).toBe('0.01')
  })

  test('whichever message comes first, flows are no loss and losses are', () => {
    const step = fc.record({
      kind: fc.constantFrom('market', 'flow', 'late flow'),
      percent: fc.integer({ min: -40, max: 60 }),
      isBalanceFirst: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(step, { minLength: 2, maxLength: 10 }), (steps) => {
        const engine = new RiskEngine({ ...limits, dailyLossStop: dec('0.5') })
        let [balance, unrealised, now] = [dec('1000'), dec('0'), noon]
        let [unit, peak] = [rational('1'), rational('1')]
        let unclear = 0
        engine.observe(total('1000', '0', now), millis(now))
        steps.forEach(({ kind, percent, isBalanceFirst }, index) => {
          now += 1_000
          // A market moves a little, a flow much.
          const share = new Decimal(BigInt(percent), kind === 'market' ? 4 : 2)
          const change = balance.times(share).rounded(2, 'floor')
          const after = balance.plus(change)
          const profit = kind === 'market' ? unrealised.plus(change) : unrealised
          if (kind === 'market') {
            unit = unit.times(rational(after.toString())).over(rational(balance.toString()))
            if (peak.lt(unit)) peak = unit
          }
          const report = ledger(now, change.toString(), `flow${index}`)
          const view = (money: Decimal, open: Decimal) =>
            total(money.toString(), open.toString(), now)
          if (kind === 'flow') engine.apply(report, view(balance, unrealised))
          const half = isBalanceFirst ? view(after, unrealised) : view(balance, profit)
          engine.observe(half, millis(now))
          engine.observe(view(after, profit), millis(now + 1))
          if (kind === 'late flow') engine.apply(report, view(after, profit))
          balance = after
          unrealised = profit
          // One that is no larger than what the market moved may be taken for the other: it counts itself.
          if (kind !== 'market' && Math.abs(percent) <= 6) unclear += Math.abs(percent) / 100
          const fallen = peak.minus(unit).over(peak)
          expect(engine.view().state).toBe('active')
          const found = Number(engine.view().drawdown?.toString())
          const apart = Math.abs(found - Number(fallen.toText(9)))
          expect(apart).toBeLessThanOrEqual(0.0005 + unclear)
        })
      }),
      { numRuns: 300 },
    )
  })
})

function at(when: number, equity: string, unrealised = '0') {
  return { cash: cashView({ equity, unrealised }), venueTime: millis(when) as Millis }
}

function accountAt(when: number, view: RiskView, unrealised: string) {
  return at(when, view.equity?.toString() ?? '0', unrealised)
}

function rationalSum(...texts: readonly string[]): string {
  return texts.reduce((sum, text) => sum.plus(rational(text)), new Rational(0n, 1n)).toText(12)
}

/**
 * A second method: a unit of the account as a fund would count it. A flow buys or sells units and
 * leaves their worth; losses are shares of a unit's worth.
 */
test('with flows reported early or late, losses are those of a unit of the account', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('market'), percent: fc.integer({ min: -9, max: 9 }) }),
    fc.record({ kind: fc.constant('flow'), percent: fc.integer({ min: -60, max: 150 }) }),
    fc.record({ kind: fc.constant('late flow'), percent: fc.integer({ min: -60, max: 150 }) }),
    fc.record({ kind: fc.constant('day'), percent: fc.constant(0) }),
  )
  fc.assert(
    fc.property(fc.array(step, { minLength: 4, maxLength: 16 }), (steps) => {
      const engine = started('1000')
      let [equity, cash, now] = [rational('1000'), rational('1000'), noon]
      let [unit, peak, dayStart] = [rational('1'), rational('1'), rational('1')]
      let state = 'active'
      steps.forEach(({ kind, percent }, index) => {
        now += 1_000
        const change = rational(
          equity
            .times(rational(`${percent}`))
            .over(rational('100'))
            .toText(6),
        )
        if (kind === 'day') {
          now += dayMs
          dayStart = unit
          if (state === 'halted_for_day') state = 'active'
          engine.closed(true)
          engine.tick(millis(now))
        } else {
          const before = equity
          equity = equity.plus(change)
          if (kind === 'market') unit = unit.times(equity).over(before)
          else cash = cash.plus(change)
        }
        if (peak.lt(unit)) peak = unit
        const fallen = (base: Rational, limit: string): boolean =>
          !base.minus(unit).lt(base.times(rational(limit)))
        if (state !== 'stopped' && fallen(peak, '0.25')) state = 'stopped'
        if (state === 'active' && fallen(dayStart, '0.06')) state = 'halted_for_day'
        const report = ledger(now, change.toText(6), `flow${index}`)
        const account = at(now, equity.toText(6), equity.minus(cash).toText(6))
        if (kind === 'flow') engine.apply(report, { cash: null, venueTime: null })
        engine.observe(account, millis(now))
        if (kind === 'late flow') engine.apply({ ...report, at: millis(now + 500) }, account)
        const view = engine.view()
        expect(view.holding).toBe(false)
        expect(view.state).toBe(state)
        const drawdown = rational('1').minus(unit.over(peak))
        const off = rational(view.drawdown?.toString() ?? '9').minus(drawdown)
        expect(off.times(off).lt(rational('0.000000000000001'))).toBe(true)
      })
    }),
    { numRuns: 2_000 },
  )
})

describe('restoring', () => {
  const amount = fc.integer({ min: -300, max: 300 })
  const step = fc.oneof(
    fc.record({ kind: fc.constant('market'), by: amount, after: fc.nat(5_000) }),
    fc.record({ kind: fc.constant('flow'), by: amount, after: fc.nat(5_000) }),
    fc.record({ kind: fc.constant('ledger'), by: amount, after: fc.nat(5_000) }),
    fc.record({ kind: fc.constant('time'), by: fc.constant(0), after: fc.nat(50_000_000) }),
  )

  test('an engine restored at any step goes on as if nothing had happened', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), fc.nat(25), (steps, cut) => {
        const through = started()
        let restored = started()
        let cash = 1000
        let unrealised = 0
        let now = noon
        steps.forEach((each, index) => {
          if (index === cut) {
            const copy = RiskEngine.restore(JSON.parse(JSON.stringify(restored.snapshot())), limits)
            if (!copy.ok) throw new Error(copy.error)
            restored = copy.value
          }
          now += each.after
          if (each.kind === 'market') unrealised += each.by
          if (each.kind === 'flow') cash += each.by
          for (const engine of [through, restored]) {
            const account = at(now, `${cash + unrealised}`, `${unrealised}`)
            if (each.kind === 'ledger') engine.apply(ledger(now, `${each.by}`), account)
            else if (each.kind === 'time') engine.tick(millis(now))
            if (each.kind !== 'time') engine.observe(account, millis(now))
          }
          expect(comparable(restored.view())).toEqual(comparable(through.view()))
        })
      }),
      { numRuns: 2_000 },
    )
  })
})

function comparable(view: RiskView): unknown {
  return JSON.parse(JSON.stringify(view))
}

describe('a sight that no report explains is doubted where it would halt or lift the peak', () => {
  const cases: readonly [string, Seen, boolean, string | null][] = [
    ['nothing changed', { equity: '1000' }, true, null],
    ['a fall of the mark', { equity: '700', unrealised: '-300' }, true, null],
    ['cash is missing, too little to halt', { equity: '960' }, true, null],
    ['cash is missing that would halt', { equity: '930' }, true, '1000'],
    ['nothing is left', { equity: '0' }, true, '1000'],
    ['more cash, too little to matter', { equity: '1009' }, true, null],
    ['more cash than can be', { equity: '1011' }, true, '1000'],
    [
      'a fall of the mark that halts, and missing cash',
      { equity: '690', unrealised: '-300' },
      true,
      null,
    ],
    [
      'the same with positions that are not sure',
      { equity: '690', unrealised: '-300' },
      false,
      '1000',
    ],
  ]
  test.each(cases)('%s', (_, seen, isSure, expected) => {
    const doubt = started().doubts(cashView(seen), isSure)
    expect(doubt?.expected?.toString() ?? null).toBe(expected)
  })

  test.each(['0', '1', '1000'])('the very first sight needs a second one (%s)', (equity) => {
    const engine = new RiskEngine(limits)
    expect(engine.doubts(cashView({ equity }), true)).toEqual({ expected: null })
  })

  test('after a review the reviewed equity is what is expected', () => {
    const engine = started()
    engine.review(dec('800'), millis(noon))
    expect(engine.doubts(cashView({ equity: '790' }), true)).toBe(null)
    expect(engine.doubts(cashView({ equity: '500' }), true)?.expected?.toString()).toBe('800')
  })

  test('one that a report explains is not', () => {
    const engine = started()
    engine.apply(ledger(noon + 5, '-300'), { cash: null, venueTime: null })
    expect(engine.doubts(cashView({ equity: '700' }), true)).toBe(null)
  })
})
