import { describe, expect, test } from 'vitest'
import { fill, later } from '../account/account.fixture.ts'
import { Decimal } from '../values/decimal.ts'
import { millis } from '../values/millis.ts'
import { CashBook } from './cashBook.ts'
import type { RiskLimits } from './halts.ts'
import { RiskEngine } from './riskEngine.ts'
import type { RiskAccount, RiskView } from './riskView.ts'
import { untoldLoss } from './untoldLoss.ts'

const dec = (text: string): Decimal => Decimal.of(text)
const limits: RiskLimits = {
  dailyLossStop: dec('0.03'),
  drawdownHalt: dec('0.25'),
  equityCap: null,
}

describe('what fills lost and no balance shows', () => {
  // 0.2% of 1,000 USD is noise.
  const rows: { what: string; moved: string; at?: number; isFlow?: boolean; is: string | null }[] =
    [
      { what: 'a loss', moved: '-2.01', is: '2.01' },
      { what: 'noise', moved: '-2', is: null },
      { what: 'a profit', moved: '50', is: null },
      { what: 'a spot trade', moved: '-50', isFlow: true, is: null },
      { what: 'the last moment that counts', moved: '-50', at: 200, is: '50' },
      { what: 'a later loss', moved: '-50', at: 201, is: null },
      { what: 'a loss of before the first look', moved: '-50', at: 100, is: null },
    ]
  test.each(rows)('$what: $is', ({ moved, at = 150, isFlow, is }) => {
    const book = new CashBook()
    const flow = isFlow === undefined ? {} : { isFlow }
    book.start({ cash: dec('1000'), otherCash: dec('1000') }, 100)
    book.addMovement({ id: 'a', usdc: dec(moved), at, ...flow })
    expect(untoldLoss(book, dec('1000'), 200)?.toString() ?? null).toBe(is)
  })
})

/** A unified account of 1,000 USD whose balance is told as it was before a trade that lost. */
class Scene {
  readonly engine = new RiskEngine(limits)
  isUnified = true

  look(ms: number, equity = '1000'): RiskView {
    return this.engine.observe(this.account(ms, equity), later(ms))
  }

  lose(usd: string, ms: number): RiskView {
    const spec = {
      coin: 'ETH',
      isBuy: false,
      price: '2400',
      size: '1',
      start: '1',
      oid: 7,
      tid: ms,
    }
    const told = fill({ ...spec, closedPnl: `-${usd}`, at: later(ms) })
    const event = { kind: 'fills', fills: [told], isSnapshot: false, at: later(ms) } as const
    return this.engine.apply(event, this.account(ms, '1000'))
  }

  account(ms: number, equity: string): RiskAccount {
    const { isUnified } = this
    const cash = { equity: dec(equity), cash: dec(equity), unrealised: Decimal.zero, isUnified }
    return { cash, venueTime: millis(later(ms)), unrealised: Decimal.zero }
  }
}

describe('a unified balance that lacks what a fill has lost', () => {
  test('is no equity after six seconds, and the loss counts after ten', () => {
    const scene = new Scene()
    scene.look(0)
    expect(scene.lose('40', 1)).toMatchObject({ isBlind: false, untold: null })
    expect(scene.look(6_000)).toMatchObject({ isBlind: false, untold: null, state: 'active' })
    const late = scene.look(6_001)
    expect(late).toMatchObject({ isBlind: true, state: 'active', dailyLoss: null })
    expect(late.untold?.toString()).toBe('40')
    expect(scene.look(10_000).state).toBe('active')
    expect(scene.look(10_001)).toMatchObject({ state: 'halted_for_day' })
    // 40 of 1,000 USD are above the 3% of the rules.
    expect(scene.engine.view().detail).toMatchObject({ equity: '960', day_start: '1000' })
  })

  test('is one again once it shows the loss', () => {
    const scene = new Scene()
    scene.look(0)
    scene.lose('20', 1)
    expect(scene.look(7_000).isBlind).toBe(true)
    expect(scene.look(7_500, '980')).toMatchObject({ isBlind: false, untold: null })
    expect(scene.look(20_000, '980')).toMatchObject({ isBlind: false, state: 'active' })
    expect(scene.engine.view().dailyLoss?.toString()).toBe('0.02')
  })

  test('and below the limit of the day halts nothing, however long it lasts', () => {
    const scene = new Scene()
    scene.look(0)
    scene.lose('20', 1)
    expect(scene.look(60_000)).toMatchObject({ isBlind: true, state: 'active' })
  })

  test('waits with a balance that nothing explains, and then counts as that does', () => {
    const scene = new Scene()
    scene.look(0)
    scene.lose('40', 1)
    // 10 USD of the loss are shown: 30 more came, of which nothing was reported.
    expect(scene.look(2, '990')).toMatchObject({ isBlind: false, state: 'active' })
    expect(scene.look(9_000, '990')).toMatchObject({ isBlind: false, untold: null })
    expect(scene.look(10_002, '990')).toMatchObject({ state: 'active' })
    expect(scene.engine.view().dailyLoss?.toString()).toBe('0.01')
  })

  test('a plain account holds what its fills made in its positions, and is not asked', () => {
    const scene = new Scene()
    scene.isUnified = false
    scene.look(0)
    scene.lose('40', 1)
    expect(scene.look(20_000)).toMatchObject({ isBlind: false, untold: null, state: 'active' })
  })
})
