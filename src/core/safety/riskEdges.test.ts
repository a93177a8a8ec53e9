import { describe, expect, test } from 'vitest'
import type { AccountEvent } from '../account/accountEvent.ts'
import { fill } from '../account/account.fixture.ts'
import { Decimal } from '../values/decimal.ts'
import { dayMs, millis } from '../values/millis.ts'
import { RiskEngine } from './riskEngine.ts'
import type { RiskLimits } from './halts.ts'
import type { RiskAccount, RiskView } from './riskView.ts'

const dec = (text: string): Decimal => Decimal.of(text)
/** 2023-11-15 12:00:00 UTC. */
const noon = 19_676 * dayMs + dayMs / 2
const midnight = noon + dayMs / 2
const limits: RiskLimits = {
  dailyLossStop: dec('0.06'),
  drawdownHalt: dec('0.25'),
  equityCap: null,
}

function at(when: number, equity: string, unrealised = '0', isUnified = false): RiskAccount {
  const cash = dec(equity).minus(dec(unrealised))
  return {
    cash: { equity: dec(equity), unrealised: dec(unrealised), cash, isUnified },
    venueTime: millis(when),
  }
}

function see(engine: RiskEngine, when: number, equity: string, unrealised = '0'): RiskView {
  return engine.observe(at(when, equity, unrealised), millis(when))
}

function seeUnified(engine: RiskEngine, when: number, equity: string, unrealised = '0'): RiskView {
  return engine.observe(at(when, equity, unrealised, true), millis(when))
}

function started(equity = '1000'): RiskEngine {
  const engine = new RiskEngine(limits)
  see(engine, noon, equity)
  return engine
}

function flow(when: number, usdc: string, id = `${when}`, told = when): AccountEvent {
  const entries = [{ id, type: 'deposit', usdc: dec(usdc), at: millis(when) }]
  return { kind: 'ledger', entries, isSnapshot: false, at: millis(told) }
}

function fills(when: number, closedPnl: string, fee: string, tid = 1): AccountEvent {
  const spec = { coin: 'ETH', isBuy: false, price: '1', size: '1', start: '1', oid: 1 }
  const fills = [fill({ ...spec, tid, at: when, closedPnl, fee })]
  return { kind: 'fills', fills, isSnapshot: false, at: millis(when) }
}

const peakOf = (view: RiskView): string | undefined => view.peak?.toString()
const dayStartOf = (view: RiskView): string | undefined => view.dayStart?.toString()

describe('what a view may be off by', () => {
  test.each([
    ['1000.05', '1000.05'],
    ['1000.06', '1000'],
  ])('five cents: cash of %s leaves the peak at %s', (equity, peak) => {
    expect(peakOf(see(started(), noon + 1, equity))).toBe(peak)
  })

  test.each([
    // A unified account: 0.05%, and five cents at least.
    ['1000', '1000.5', '1000.5'],
    ['1000', '1000.51', '1000'],
    ['50', '50.05', '50.05'],
    ['50', '50.06', '50'],
  ])('a unified account: from %s to %s leaves the peak at %s', (from, to, peak) => {
    const engine = new RiskEngine(limits)
    seeUnified(engine, noon, from)
    expect(peakOf(seeUnified(engine, noon + 1, to))).toBe(peak)
  })
})

describe('a fill', () => {
  test('moves cash by its result less its fee, and is a loss like any other', () => {
    const engine = started()
    engine.apply(fills(noon + 1, '-50', '11'), at(noon, '1000'))
    expect(see(engine, noon + 2, '939')).toMatchObject({ state: 'halted_for_day', holding: false })
  })

  test('that is told twice is counted once', () => {
    const engine = started()
    engine.apply(fills(noon + 1, '-50', '0'), at(noon, '1000'))
    engine.apply(fills(noon + 1, '-50', '0'), at(noon, '1000'))
    expect(see(engine, noon + 2, '950').state).toBe('active')
    // Fifty more are gone. As a withdrawal they would leave a loss of 5%: it is waited for.
    expect(see(engine, noon + 3, '900')).toMatchObject({ state: 'active', holding: true })
  })

  test('explains the balance of a unified account that shows no unrealised profit', () => {
    const engine = new RiskEngine(limits)
    seeUnified(engine, noon, '1000')
    engine.apply(fills(noon + 1, '10', '0'), at(noon, '1000', '0', true))
    expect(peakOf(seeUnified(engine, noon + 2, '1010', '100'))).toBe('1010')
  })
})

test('fills on a unified account explain its balance one after the other', () => {
  const engine = new RiskEngine(limits)
  seeUnified(engine, noon, '1000')
  for (const [nth, won, total] of [
    [1, '10', '1010'],
    [2, '5', '1015'],
    [3, '7', '1022'],
  ] as const) {
    engine.apply(fills(noon + nth * 10, won, '0', nth), { cash: null, venueTime: null })
    expect(peakOf(seeUnified(engine, noon + nth * 10 + 1, total))).toBe(total)
  }
})

test.each([
  [['0', '-0.5'], '999.5'],
  [['-0.5', '0'], '999.5'],
])('a move as small as noise, told in halves %s, leaves a later flow a flow', ([cash], equity) => {
  const engine = new RiskEngine(limits)
  seeUnified(engine, noon, '1000')
  if (cash === '0') seeUnified(engine, noon + 1, '1000', '-0.5')
  else seeUnified(engine, noon + 1, equity, '0')
  seeUnified(engine, noon + 2, equity, '-0.5')
  engine.apply(flow(noon + 3, '-10'), at(noon + 3, equity, '-0.5', true))
  const view = seeUnified(engine, noon + 4, '989.5', '-0.5')
  expect(view.drawdown?.rounded(4, 'half-even').toString()).toBe('0.0005')
})

test('a withdrawal that the market makes up for is seen in the cash', () => {
  // Equity stays 1000; 50 went out and 50 were won: 1000 x 1000 / 1050.
  const engine = started()
  see(engine, noon + 1, '1000', '50')
  const view = engine.apply(flow(noon + 1, '-50'), at(noon + 2, '1000', '50'))
  expect(dayStartOf(view)).toBe('952.380952380952')
})

describe('what changed is said once', () => {
  test('also when a day begins with a halt of its own', () => {
    const engine = started()
    expect(see(engine, noon + 1, '930', '-70').changed).toBe(true)
    engine.closed(true)
    const next = see(engine, midnight + 1, '860', '-140')
    expect(next).toMatchObject({ state: 'halted_for_day', changed: true })
    expect(next.detail).toMatchObject({ day_start: '930', until_ms: midnight + dayMs })
  })

  test('and a look changes nothing', () => {
    const engine = started()
    expect(see(engine, noon + 1, '930', '-70').changed).toBe(true)
    expect(engine.view().changed).toBe(false)
  })
})

test('a view that comes again is kept once while it waits', () => {
  const engine = started()
  for (const equity of ['700', '690', '690', '700']) see(engine, noon + 1, equity)
  expect(engine.snapshot()['suspense']).toMatchObject({ views: ['700', '690', '700'] })
})

test('a view between several flows that are told together is no loss; one that they do not make is', () => {
  const between = (equity: string): RiskView => {
    const engine = started('10000')
    see(engine, noon + 4, equity)
    see(engine, noon + 5, '16000')
    const told = [
      [noon + 1, '6000'],
      [noon + 3, '-8000'],
      [noon + 5, '8000'],
    ] as const
    const entries = told.map(([when, usdc]) => ({
      ...{ id: `${when}`, type: 'deposit', usdc: dec(usdc), at: millis(when) },
    }))
    const event: AccountEvent = { kind: 'ledger', entries, isSnapshot: true, at: millis(noon + 6) }
    return engine.apply(event, at(noon + 6, '16000'))
  }
  expect(between('8000')).toMatchObject({ state: 'active', holding: false })
  expect(peakOf(between('8000'))).toBe('16000')
  expect(between('7400').state).not.toBe('active')
})

test('nor one that nearly all was taken from, and to which it came back', () => {
  const engine = started('10000')
  see(engine, noon + 2, '10')
  const entries = [
    [noon + 1, '-9990'],
    [noon + 3, '-9.99'],
    [noon + 4, '9990'],
  ] as const
  const event: AccountEvent = {
    ...{ kind: 'ledger', isSnapshot: true, at: millis(noon + 5) },
    entries: entries.map(([when, usdc]) => ({
      ...{ id: `${when}`, type: 'deposit', usdc: dec(usdc), at: millis(when) },
    })),
  }
  const view = engine.apply(event, at(noon + 5, '9990.01'))
  expect(view).toMatchObject({ state: 'active', holding: false })
  expect(peakOf(view)).toBe('9990.01')
})

describe('a stopped engine holds nothing: there is nothing left to halt', () => {
  test.each([
    // What a withdrawal would explain, of an account that is as low as it was stopped at.
    ['700', '-300', '500'],
    // The market came back to a loss of 10%; as a withdrawal the next drop would leave it at that.
    ['900', '-100', '600'],
  ])('at %s with %s open, then %s', (equity, unrealised, dropped) => {
    const engine = started()
    expect(see(engine, noon + 1, '700', '-300').state).toBe('stopped')
    expect(see(engine, noon + 2, equity, unrealised).holding).toBe(false)
    const view = see(engine, noon + 3, dropped, unrealised)
    expect(view).toMatchObject({ state: 'stopped', holding: false })
  })
})

describe('a flow among views that wait counts from where it is in them', () => {
  const cases = [
    {
      why: 'a profit before a withdrawal, and a loss with it',
      ...{ fill: '100', before: '1100', usdc: '-90', after: '990', unrealised: '-20' },
      // 1100 was reached before it: x 990 / 1080, as the start of the day.
      ...{ peak: '1008.333333333333', dayStart: '916.666666666667' },
    },
    {
      why: 'a loss before a deposit',
      ...{ fill: '-40', before: '960', usdc: '500', after: '1460', unrealised: '0' },
      // 4% were lost before it, and are after it: x 1460 / 960.
      ...{ peak: '1520.833333333333', dayStart: '1520.833333333333' },
    },
  ]
  test.each(cases)('$why', ({ fill, before, usdc, after, unrealised, peak, dayStart }) => {
    const engine = started()
    see(engine, noon + 1, before)
    see(engine, noon + 2, after, unrealised)
    expect(engine.snapshot()['suspense']).toMatchObject({ views: [before, after] })
    const now = at(noon + 2, after, unrealised)
    engine.apply(fills(noon + 1, fill, '0'), now)
    const view = engine.apply(flow(noon + 2, usdc), now)
    expect(view).toMatchObject({ state: 'active', holding: false })
    expect([peakOf(view), dayStartOf(view)]).toEqual([peak, dayStart])
  })
})

describe('a report that comes after its ten seconds', () => {
  /** An engine that counted a change of cash without a report. */
  const counted = (equity: string): RiskEngine => {
    const engine = started()
    see(engine, noon + 1, equity)
    engine.tick(millis(noon + 10_001))
    return engine
  }

  test.each([
    ['500.05', '1500'],
    ['499.95', '1500'],
    ['500.06', undefined],
  ])('of %s belongs to 500 if it is within five cents', (usdc, moved) => {
    const engine = counted('1500')
    const view = engine.apply(flow(noon + 1, usdc), at(noon + 11_000, '1500'))
    // Taken out of the profit again, the day starts with the deposit in it, to five cents.
    const isMoved = view.dayStart?.minus(dec('1500')).abs().lt(dec('1')) === true
    expect(isMoved).toBe(moved !== undefined)
  })

  test.each([
    [noon + 10_001, '1500'],
    [noon + 10_002, '1000'],
  ])('dated %i: it is of what was counted before, not of what came after', (when, dayStart) => {
    const view = counted('1500').apply(flow(when, '500'), at(noon + 11_000, '1500'))
    expect(dayStartOf(view)).toBe(dayStart)
  })

  test('leaves the peak at the highest seen while it waited', () => {
    const engine = started()
    see(engine, noon + 1, '1500')
    see(engine, noon + 2, '1600', '100')
    engine.tick(millis(noon + 10_001))
    see(engine, noon + 11_000, '1550', '50')
    const view = engine.apply(flow(noon + 1, '500'), at(noon + 12_000, '1550', '50'))
    expect(peakOf(view)).toBe('1600')
  })

  test('leaves the peak at the highest seen since', () => {
    const engine = counted('1500')
    see(engine, noon + 11_000, '1700', '200')
    see(engine, noon + 12_000, '1600', '100')
    const view = engine.apply(flow(noon + 1, '500'), at(noon + 13_000, '1600', '100'))
    expect(peakOf(view)).toBe('1700')
  })

  test.each([
    ['in their order', ['a', 'b']],
    ['in the other', ['b', 'a']],
  ])('one after another, %s: none of them was profit', (_, order) => {
    const reports = { a: flow(noon + 1, '500', 'a'), b: flow(noon + 20_000, '300', 'b') }
    const engine = counted('1500')
    see(engine, noon + 20_000, '1800')
    engine.tick(millis(noon + 30_000))
    for (const id of order) {
      engine.apply(reports[id as 'a' | 'b'], at(noon + 31_000, '1800'))
    }
    expect(dayStartOf(engine.view())).toBe('1800')
    expect(peakOf(engine.view())).toBe('1800')
    expect(engine.snapshot()['absorbed']).toEqual([])
  })

  test.each([
    ['in their order', ['a', 'b']],
    ['in the other', ['b', 'a']],
  ])('one after another, %s: none of them was a loss', (_, order) => {
    const reports = { a: flow(noon + 1, '-20', 'a'), b: flow(noon + 20_000, '-30', 'b') }
    const engine = counted('980')
    see(engine, noon + 20_000, '950')
    engine.tick(millis(noon + 30_000))
    for (const id of order) engine.apply(reports[id as 'a' | 'b'], at(noon + 31_000, '950'))
    expect(dayStartOf(engine.view())).toBe('950')
    expect(peakOf(engine.view())).toBe('950')
  })

  test('does not touch a day that began after it, wherever that began', () => {
    const engine = new RiskEngine(limits)
    see(engine, midnight - 30_000, '1000')
    see(engine, midnight - 20_000, '980')
    engine.tick(millis(midnight - 9_000))
    see(engine, midnight - 1_000, '970', '-10')
    const view = engine.apply(
      flow(midnight - 20_000, '-20', 'x', midnight + 1),
      at(midnight + 1, '970', '-10'),
    )
    expect(dayStartOf(view)).toBe('970')
  })

  test('is remembered of the last sixteen', () => {
    const engine = started('100000')
    for (let nth = 0; nth < 17; nth++) {
      see(engine, noon + nth * 20_000 + 1, `${100_000 + (nth + 1) * 100}`)
      engine.tick(millis(noon + nth * 20_000 + 10_001))
    }
    expect(engine.snapshot()['absorbed']).toHaveLength(16)
  })
})

test('a reviewed engine goes on after a restart', () => {
  const engine = started()
  see(engine, noon + 1, '700', '-300')
  engine.review(dec('700'), millis(noon + 2))
  const again = RiskEngine.restore(JSON.parse(JSON.stringify(engine.snapshot())), limits)
  if (!again.ok) throw new Error(again.error)
  expect(see(again.value, noon + 3, '690', '-300')).toMatchObject({ state: 'active' })
  expect(peakOf(again.value.view())).toBe('700')
})

describe('equities that nothing explains, and that the next sight contradicts, are told once', () => {
  test.each([
    ['would have halted', ['0', '0.5'], ['0', '0.5']],
    ['would have lifted the peak by more than 1%', ['1005', '1011'], ['1011']],
    ['would have changed nothing', ['1005', '990'], []],
    ['nothing odd', [], []],
  ])('%s', (_, views, dropped) => {
    const engine = started()
    for (const [index, view] of views.entries()) {
      expect(see(engine, noon + 1 + index, view).dropped).toEqual([])
    }
    const back = see(engine, noon + 50, '1000')
    expect(back.dropped.map(String)).toEqual(dropped)
    expect([back.state, peakOf(back)]).toEqual(['active', '1000'])
    expect(see(engine, noon + 60, '1000').dropped).toEqual([])
    expect(engine.view().dropped).toEqual([])
  })

  test('what a flow explains was right, and is not among them', () => {
    const engine = started()
    see(engine, noon + 1, '500')
    expect(engine.apply(flow(noon + 1, '-500'), at(noon + 2, '500')).dropped).toEqual([])
  })
})

test.each([
  [true, 'active', '1000'],
  [false, 'stopped', '100'],
] as const)('a fall that waits, forgotten for another mode: %s', (isForgotten, state, equity) => {
  const engine = started()
  see(engine, noon + 1, '100')
  if (isForgotten) engine.setAnew()
  const view = engine.tick(millis(noon + 10_002))
  expect([view.state, view.holding, view.equity?.toString()]).toEqual([state, false, equity])
})
