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
