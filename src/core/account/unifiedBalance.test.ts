import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { millis } from '../values/millis.ts'
import type { PositionView } from './accountView.ts'
import { UnifiedBalance } from './unifiedBalance.ts'

interface Held {
  readonly size: number
  readonly entry: number
}

const everyMs = 2_000

/** A unified account on a venue that tells a state and then a balance, every two seconds. */
class Account {
  readonly balance = new UnifiedBalance()
  private readonly reading: 'equity' | 'cash'
  private at = 0
  private cash = 10_000
  private price = 100
  private held: Held = { size: 0, entry: 0 }
  private shown: readonly PositionView[] = []

  constructor(reading: 'equity' | 'cash', size = 0) {
    this.reading = reading
    this.trade(size)
  }

  private get profit(): number {
    return this.held.size * (this.price - this.held.entry)
  }

  move(by: number): this {
    this.price += by
    return this
  }

  pay(usd: number): this {
    this.cash += usd
    return this
  }

  /** Buys or sells at the price, without a fee. */
  trade(size: number): this {
    const { held, price } = this
    const after = held.size + size
    const isLarger = Math.abs(after) > Math.abs(held.size)
    const closed = isLarger ? 0 : -size
    this.cash += closed * (price - held.entry)
    const entry = isLarger ? (held.size * held.entry + size * price) / after : held.entry
    this.held = { size: after, entry }
    return this
  }

  state(): this {
    const { size, entry } = this.held
    const position: PositionView = {
      ...{ coin: coin('ETH'), size: Decimal.of(String(size)), since: millis(0) },
      ...{ entryPrice: exactly(entry), unrealisedPnl: exactly(this.profit) },
      ...{ leverage: { type: 'cross', value: 5 }, liquidationPrice: null },
    }
    this.shown = size === 0 ? [] : [position]
    return this
  }

  spot(): this {
    this.at += everyMs
    const total = this.cash + (this.reading === 'equity' ? this.profit : 0)
    this.balance.seenSpot(exactly(total), this.shown, millis(this.at))
    return this
  }

  /** So many states, each with a balance after it. */
  pass(times: number): string | null {
    for (let told = 0; told < times; told += 1) this.state().spot()
    return this.balance.discrepancy
  }
}

const exactly = (value: number): Decimal => Decimal.of(value.toFixed(6))

describe('a balance that does not follow the profit is told', () => {
  const text =
    "the account's USDC balance moved by 0 while its positions' profit moved by -200: the equity that Guard counts may be without that profit"

  test('once it has stood still for longer than a read may be old', () => {
    const account = new Account('cash', 10)
    expect(account.pass(2)).toBe(null)
    expect(account.move(-20).pass(4)).toBe(null)
    expect(account.pass(1)).toBe(text)
    // The text stays, and is there only while there is a profit that the balance could lack.
    expect(account.move(1).pass(1)).toBe(text)
    expect(account.move(19).pass(1)).toBe(null)
  })

  test('also where the price moves right after the position is opened, and then stands', () => {
    const account = new Account('cash')
    account.pass(1)
    expect(account.pay(-2).trade(10).move(-20).pass(5)).toContain('moved by -2 while')
  })

  test('where the price goes up and down all the time, and around trades', () => {
    const account = new Account('cash', 10)
    account.pass(2)
    for (let round = 0; round < 3; round += 1) {
      account.trade(-1).pass(2)
      account.move(20).pass(1)
      account.move(-19).pass(1)
      account.move(30).pass(1)
    }
    expect(account.balance.discrepancy).not.toBe(null)
    expect(account.trade(2).pass(1)).not.toBe(null)
  })

  test('until it follows, or the mode is another', () => {
    for (const end of ['follows', 'mode'] as const) {
      const account = new Account('cash', 10)
      account.pass(2)
      expect(account.move(-20).pass(5)).not.toBe(null)
      if (end === 'mode') account.balance.restart()
      else account.pay(-200)
      expect(account.pass(1)).toBe(null)
    }
  })

  test('not by a balance of before the profit moved that is told with a clock set back', () => {
    const account = new Account('cash', 10)
    account.pass(2)
    account.move(-20).pass(3)
    account.balance.shift(everyMs)
    expect(account.pass(1)).toBe(null)
    expect(account.pass(1)).toBe(null)
    expect(account.pass(1)).not.toBe(null)
  })

  test('a clock that is set while nothing has parted changes nothing', () => {
    const account = new Account('cash', 10)
    account.pass(2)
    account.balance.shift(-4)
    expect(account.move(-20).pass(5)).not.toBe(null)
  })
})

describe('a balance that follows is never strange', () => {
  const move = fc.integer({ min: -40, max: 40 }).map((by) => (account: Account) => account.move(by))
  const trade = fc.constantFrom(-3, -1, 1, 2, 5).map((size) => (each: Account) => each.trade(size))
  const pay = fc.integer({ min: -500, max: 500 }).map((usd) => (each: Account) => each.pay(usd))
  const some = fc.option(fc.oneof({ arbitrary: move, weight: 3 }, trade, pay), { freq: 3 })
  const rounds = fc.array(fc.record({ what: some, isBetween: fc.boolean() }), { maxLength: 40 })

  test('whatever happens before a state, or between it and the balance', () => {
    fc.assert(
      fc.property(rounds, (list) => {
        const account = new Account('equity', 10)
        for (const { what, isBetween } of list) {
          if (!isBetween) what?.(account)
          account.state()
          if (isBetween) what?.(account)
          account.spot()
          expect(account.balance.discrepancy).toBe(null)
        }
      }),
      { numRuns: 500 },
    )
  })

  test('a price that moves between a state and the first balance, and then stands', () => {
    const account = new Account('equity', 10)
    account.state().move(-20).spot()
    expect(account.pass(8)).toBe(null)
  })

  test('a profit that is realised while the price stands', () => {
    const account = new Account('equity', 10)
    account.move(30).pass(4)
    expect(account.trade(-8).pass(8)).toBe(null)
    expect(account.trade(-2).trade(10).pass(8)).toBe(null)
  })
})
