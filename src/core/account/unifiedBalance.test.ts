import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Decimal } from '../values/decimal.ts'
import { millis } from '../values/millis.ts'
import { UnifiedBalance } from './unifiedBalance.ts'

const start = 10_000

/** A venue that tells a state and then a balance for each profit. */
class Told {
  readonly balance = new UnifiedBalance()
  private readonly totalAt: (profit: number) => number
  private at = 0

  constructor(totalAt: (profit: number) => number) {
    this.totalAt = totalAt
  }

  tell(...profits: readonly number[]): string | null {
    for (const profit of profits) {
      this.state(profit)
      const total = Decimal.of(String(this.totalAt(profit)))
      this.balance.seenSpot(total, Decimal.of(String(profit)), this.next())
    }
    return this.balance.discrepancy
  }

  state(profit: number): void {
    this.balance.seenState(Decimal.of(String(profit)), this.next())
  }

  private next() {
    this.at += 1
    return millis(this.at)
  }
}

const following = (): Told => new Told((profit) => start + profit)
const settledOnly = (): Told => new Told(() => start)

describe('the balance of a unified account', () => {
  test('that follows the profit is never strange', () => {
    const profits = fc.array(fc.integer({ min: -9_000, max: 50_000 }), { maxLength: 30 })
    fc.assert(
      fc.property(profits, (list) => {
        const told = following()
        expect(told.tell(...list)).toBe(null)
      }),
    )
  })

  test('that does not follow is told with both numbers, and no longer once it has', () => {
    const told = settledOnly()
    expect(told.tell(0, 0, -40)).toBe(null)
    expect(told.tell(-600)).toBe(
      "the account's USDC balance moved by 0 while its positions' profit moved by -600: the equity that Guard counts may be without that profit",
    )
    expect(told.tell(-610)).toContain('-610')
    expect(told.tell(-10)).toBe(null)
  })

  test('is strange only once it was told after the profit had moved', () => {
    const told = settledOnly()
    told.tell(0, 0)
    told.state(-600)
    expect(told.balance.discrepancy).toBe(null)
    told.state(-600)
    expect(told.balance.discrepancy).toBe(null)
    expect(told.tell(-600)).not.toBe(null)
  })

  test('is compared anew after cash has moved, and an old movement is no news', () => {
    const told = settledOnly()
    told.balance.moved(5)
    expect(told.tell(0, 0, -600)).not.toBe(null)
    told.balance.moved(5)
    expect(told.balance.discrepancy).not.toBe(null)
    told.balance.moved(6)
    expect(told.balance.discrepancy).toBe(null)
    // Two of each are the new base: the first may have been written before the movement.
    expect(told.tell(-600, -600)).toBe(null)
    expect(told.tell(-1_300)).toContain('-700')
  })
})

describe('how far the two may be apart', () => {
  const rows: { profit: number; total: number; isStrange: boolean }[] = [
    // Half a percent of the balance is noise, whatever the profit did.
    { profit: 50, total: 10_000, isStrange: false },
    { profit: 51, total: 10_000, isStrange: true },
    { profit: -50, total: 10_000, isStrange: false },
    { profit: -51, total: 10_000, isStrange: true },
    // A part of the way is following: up to half of what the profit moved by.
    { profit: 1_000, total: 10_500, isStrange: false },
    { profit: 1_000, total: 10_499, isStrange: true },
    { profit: 1_000, total: 11_500, isStrange: false },
    { profit: 1_000, total: 11_501, isStrange: true },
  ]
  test.each(rows)('$profit and $total: $isStrange', ({ profit, total, isStrange }) => {
    const balance = new UnifiedBalance()
    const tell = (each: number, sum: number, at: number): void => {
      balance.seenState(Decimal.whole(each), millis(at))
      balance.seenSpot(Decimal.whole(sum), Decimal.whole(each), millis(at + 1))
    }
    tell(0, 10_000, 1)
    tell(0, 10_000, 3)
    tell(profit, total, 5)
    tell(profit, total, 7)
    expect(balance.discrepancy !== null).toBe(isStrange)
  })
})

describe('the base that is compared with', () => {
  // Two states and two balances after cash moved; the first of each may have been written before it.
  const rows: { what: string; told: readonly ('state' | 'spot')[]; isBase: boolean }[] = [
    { what: 'two of each', told: ['state', 'spot', 'state', 'spot'], isBase: true },
    { what: 'two states and one balance', told: ['state', 'state', 'spot'], isBase: false },
    { what: 'two balances and one state', told: ['spot', 'spot', 'state'], isBase: false },
    { what: 'balances alone', told: ['spot', 'spot', 'spot'], isBase: false },
  ]
  test.each(rows)('$what: $isBase', ({ told, isBase }) => {
    const balance = new UnifiedBalance()
    const spot = (profit: number, at: number): void =>
      balance.seenSpot(Decimal.whole(10_000), Decimal.whole(profit), millis(at))
    told.forEach((what, at) => {
      if (what === 'spot') spot(0, at)
      else balance.seenState(Decimal.zero, millis(at))
    })
    // The one balance that may still make the base, and two that do not follow.
    for (const at of [11, 12]) spot(-600, at)
    expect(balance.discrepancy !== null).toBe(isBase)
  })
})

test('a balance that was told before the two parted does not confirm it when the clock is set back', () => {
  const told = settledOnly()
  told.tell(0, 0)
  told.state(-600)
  // The two parted at 5, which is 1 now: what comes at 1 came at the same moment.
  told.balance.shift(-4)
  told.balance.seenSpot(Decimal.whole(start), Decimal.whole(-600), millis(1))
  expect(told.balance.discrepancy).toBe(null)
  told.balance.seenSpot(Decimal.whole(start), Decimal.whole(-600), millis(2))
  expect(told.balance.discrepancy).not.toBe(null)
})

test('a clock that is set while nothing has parted changes nothing', () => {
  const told = settledOnly()
  told.balance.shift(-4)
  expect(told.tell(0, 0, -600)).not.toBe(null)
})
