import { describe, expect, test } from 'vitest'
import type { AccountEvent } from '../account/accountEvent.ts'
import { fill } from '../account/account.fixture.ts'
import { Decimal } from '../values/decimal.ts'
import { dayMs, millis } from '../values/millis.ts'
import type { RiskLimits } from './halts.ts'
import { RiskEngine } from './riskEngine.ts'
import type { RiskAccount, RiskView } from './riskView.ts'

/** An account that somebody sets up anew: its equity is another one, or nobody can tell it. */

const dec = (text: string): Decimal => Decimal.of(text)
const noon = 19_676 * dayMs + dayMs / 2
const limits: RiskLimits = {
  dailyLossStop: dec('0.06'),
  drawdownHalt: dec('0.25'),
  equityCap: null,
}

function seen(ms: number, equity: string, unrealised = '0', isUnified = false): RiskAccount {
  const [value, profit] = [dec(equity), dec(unrealised)]
  const cash = { equity: value, cash: value.minus(profit), unrealised: profit, isUnified }
  return { cash, venueTime: millis(noon + ms) }
}

function blind(unrealised: string | null, ms: number | null = null, missing?: string): RiskAccount {
  const profit = unrealised === null ? null : dec(unrealised)
  const venueTime = ms === null ? null : millis(noon + ms)
  return {
    cash: null,
    venueTime,
    unrealised: profit,
    ...(missing === undefined ? {} : { missing }),
  }
}

function look(engine: RiskEngine, ms: number, account: RiskAccount): RiskView {
  return engine.observe(account, millis(noon + ms))
}

function fills(ms: number, closedPnl: string): AccountEvent {
  const spec = { coin: 'ETH', isBuy: false, price: '1', size: '1', start: '1', oid: ms, tid: ms }
  const told = [fill({ ...spec, at: noon + ms, closedPnl, fee: '0' })]
  return { kind: 'fills', fills: told, isSnapshot: false, at: millis(noon + ms) }
}

function deposit(ms: number, usdc: string): AccountEvent {
  const entries = [{ id: `${ms}`, type: 'deposit', usdc: dec(usdc), at: millis(noon + ms) }]
  return { kind: 'ledger', entries, isSnapshot: false, at: millis(noon + ms) }
}

function started(equity = '10000', unrealised = '0'): RiskEngine {
  const engine = new RiskEngine(limits)
  look(engine, 0, seen(0, equity, unrealised))
  return engine
}

function restarted(engine: RiskEngine): RiskEngine {
  const again = RiskEngine.restore(JSON.parse(JSON.stringify(engine.snapshot())), limits)
  if (!again.ok) throw new Error(again.error)
  return again.value
}

const figures = ({ state, equity, dayStart, peak, dailyLoss }: RiskView): string =>
  [state, equity, dayStart, peak, dailyLoss].map(String).join(' ')

describe('the first view since', () => {
  test.each<[string, string, string]>([
    ['has more', '15000', 'active 15000 15000 15000 0'],
    ['has less', '2000', 'active 2000 2000 2000 0'],
    ['has as much', '10000', 'active 10000 10000 10000 0'],
  ])('%s: neither profit nor loss', (_, equity, expected) => {
    for (const isRestarted of [false, true]) {
      const engine = started()
      engine.setAnew()
      const going = isRestarted ? restarted(engine) : engine
      const after = seen(5, equity, '0', true)
      expect(going.doubts(after.cash as never, true)).toBeNull()
      expect(figures(look(going, 5, after))).toBe(expected)
      expect(going.isAnew).toBe(false)
      // The one after it is compared with it again.
      expect(look(going, 6, seen(6, '100', '0', true)).holding).toBe(true)
    }
  })

  test('keeps what was lost until then as a share, and what trading has brought since', () => {
    const engine = started()
    look(engine, 1, seen(1, '9800', '-200'))
    engine.setAnew()
    engine.apply(fills(3, '-100'), blind('-200'))
    // 10,000 less 300 lost, and 4,850 that came with the new form: half as much again.
    expect(figures(look(engine, 5, seen(5, '14550', '-200', true)))).toBe(
      'active 14550 15000 15000 0.03',
    )
  })

  test('a loss within it that halts, halts', () => {
    const engine = started()
    engine.setAnew()
    engine.apply(fills(3, '-700'), blind('0'))
    expect(look(engine, 5, seen(5, '14300', '0', true)).state).toBe('halted_for_day')
  })

  test('a deposit that is told after it comes on top', () => {
    const engine = started()
    engine.setAnew()
    engine.apply(deposit(9, '1000'), blind('0'))
    look(engine, 5, seen(5, '15000', '0', true))
    expect(figures(look(engine, 10, seen(10, '16000', '0', true)))).toBe(
      'active 16000 16000 16000 0',
    )
  })

  test('before the account was seen nothing is anew', () => {
    const engine = new RiskEngine(limits)
    engine.setAnew()
    expect(engine.isAnew).toBe(false)
  })
})

describe('while nobody can tell the equity', () => {
  test('no loss is told, and none that is within the limits halts', () => {
    const engine = started()
    for (const ms of [1, 20_000, 60_000]) {
      const view = look(engine, ms, blind('-500'))
      expect([view.state, view.dailyLoss, view.drawdown, view.isBlind]).toEqual([
        ...['active', null, null, true],
      ])
    }
    const { dailyLoss, isBlind } = look(engine, 60_001, seen(60_001, '9500', '-500'))
    expect([dailyLoss?.toString(), isBlind]).toEqual(['0.05', false])
  })

  test('a loss counts also where a thousand reports followed it', () => {
    const engine = started()
    engine.apply(fills(1, '-600'), blind('0'))
    for (let ms = 2; ms <= 1_001; ms++) engine.apply(fills(ms, '-0.01'), blind('0'))
    expect(look(engine, 10_001, blind('0')).state).toBe('halted_for_day')
  })

  test.each<[string, readonly AccountEvent[], string, string]>([
    ['a position', [], '-600', 'halted_for_day'],
    ['a position with a fill', [fills(1, '-300')], '-300', 'halted_for_day'],
    ['a position that loses far too much', [], '-2500', 'stopped'],
    ['what a withdrawal leaves', [deposit(1, '-5000')], '-300', 'halted_for_day'],
    ['what a deposit has made', [deposit(1, '5000')], '-600', 'active'],
  ])('what %s loses counts when it has stood for the whole hold', (_, told, unrealised, state) => {
    const engine = started()
    for (const event of told) engine.apply(event, blind('0'))
    expect(look(engine, 100, blind(unrealised)).state).toBe('active')
    expect(look(engine, 10_099, blind(unrealised)).state).toBe('active')
    const view = look(engine, 10_100, blind(unrealised))
    expect([view.state, view.dayStart?.toString()]).toEqual([state, '10000'])
  })

  test('a loss that goes by within the hold is none, and a clock that is set back waits anew', () => {
    const engine = started()
    for (const ms of [0, 5_000, 9_999]) look(engine, ms, blind('-700'))
    look(engine, 10_000, blind('-100'))
    expect(look(engine, 10_001, blind('-700')).state).toBe('active')
    look(engine, 9_000, blind('-700'))
    expect(look(engine, 18_999, blind('-700')).state).toBe('active')
    expect(look(engine, 19_000, blind('-700')).state).toBe('halted_for_day')
  })

  test.each<[string, () => RiskEngine, string | null]>([
    ['nothing is known of the positions', () => started(), null],
    ['no position was told since the start', () => restarted(started()), '-900'],
    ['it was never seen', () => new RiskEngine(limits), '-900'],
    ['a person has reviewed it since', () => reviewed(), '-900'],
  ])('%s: nothing counts', (_, make, unrealised) => {
    const engine = make()
    for (const ms of [1, 20_000]) {
      expect(look(engine, ms, blind(unrealised)).state).toBe('active')
    }
  })
})

describe('while nobody has told the equity since the start', () => {
  const after = (...looks: readonly RiskAccount[]): string => {
    const engine = restarted(started())
    for (const [index, each] of looks.entries()) look(engine, index, each)
    return look(engine, 20_000, looks.at(-1) as RiskAccount).state
  }

  test.each<[string, readonly RiskAccount[], string]>([
    ['what positions had lost before', [blind('-900', 0), blind('-900', 5)], 'active'],
    ['what they lose since, within the limits', [blind('-900', 0), blind('-1499', 5)], 'active'],
    ['what they lose since', [blind('-900', 0), blind('-1500', 5)], 'halted_for_day'],
    ['far too much', [blind('900', 0), blind('-1600', 5)], 'stopped'],
    [
      'what others have lost that were not known',
      [blind('0', 0, 'xyz'), blind('-900', 5, ''), blind('-1000', 6, '')],
      'active',
    ],
    [
      'what is lost before and after others are known',
      [blind('0', 0, 'xyz'), blind('-300', 1, 'xyz'), blind('-900', 5, ''), blind('-1200', 6, '')],
      'halted_for_day',
    ],
  ])('%s', (_, looks, state) => {
    expect(after(...looks)).toBe(state)
  })

  test.each<[string, AccountEvent, string]>([
    ['a fill since', fills(5, '-700'), 'halted_for_day'],
    ['a fill of before it, told late', fills(4, '-700'), 'active'],
    ['a deposit that is gone again', deposit(5, '-700'), 'active'],
  ])('%s', (_, event, state) => {
    const engine = restarted(started())
    look(engine, 4, blind('0', 4))
    engine.apply(event, blind('0', 6))
    look(engine, 7, blind('0', 7))
    expect(look(engine, 20_000, blind('0', 20_000)).state).toBe(state)
  })

  test('a trade on a spot pair is neither profit nor loss', () => {
    const engine = restarted(started())
    look(engine, 4, blind('0', 4))
    const changes = [{ id: '1', usdc: dec('-900'), at: millis(noon + 5), isFlow: true }]
    engine.apply(
      { kind: 'elsewhere', changes, at: millis(noon + 5) } as AccountEvent,
      blind('0', 6),
    )
    expect(look(engine, 20_000, blind('0', 20_000)).state).toBe('active')
  })
})

function reviewed(): RiskEngine {
  const engine = started()
  engine.review(dec('10000'), millis(noon + 1))
  return engine
}

describe('an equity that no report explains, and that the next one contradicts', () => {
  const odd = (told: AccountEvent, equity: string): RiskView => {
    const engine = started()
    look(engine, 1, seen(1, '2000'))
    return restarted(engine).apply(told, seen(2, equity))
  }

  test('counts for nothing where a fill makes the next one', () => {
    const view = odd(fills(2, '-5'), '9995')
    expect([view.state, view.dropped.map(String)]).toEqual(['active', ['2000']])
  })

  test('counts where a memory does not tell its cash', () => {
    const engine = started()
    look(engine, 1, seen(1, '2000'))
    const { suspense, ...rest } = engine.snapshot() as { readonly suspense: object }
    const older = { ...rest, suspense: { ...suspense, sights: undefined } }
    const again = RiskEngine.restore(JSON.parse(JSON.stringify(older)), limits)
    if (!again.ok) throw new Error(again.error)
    const once = restarted(again.value)
    expect(once.apply(fills(2, '-5'), seen(2, '9995')).state).toBe('stopped')
  })

  test('counts where its fill is told late, after it has recovered', () => {
    const engine = started()
    look(engine, 1, seen(1, '9300'))
    look(engine, 2, seen(2, '9900'))
    engine.apply(fills(1, '-700'), seen(2, '9900'))
    expect(engine.apply(fills(2, '600'), seen(2, '9900')).state).toBe('halted_for_day')
  })
})
