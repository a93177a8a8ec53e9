import { describe, expect, test } from 'vitest'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { millis } from '../values/millis.ts'
import { fill, openOrder, orderUpdate } from './account.fixture.ts'
import { LateFills } from './lateFills.ts'

const eth = coin('ETH')
const zero = Decimal.zero

/** An order of this number ended at a moment, so much of it filled, so much of that told. */
function announced(
  late: LateFills,
  oid: number,
  spec: { isBuy?: boolean; filled: string; played?: string; at: number },
): void {
  const { isBuy = false, filled, played = '0', at } = spec
  const order = openOrder({ coin: 'ETH', oid, isBuy, price: '2500', size: filled })
  late.announce(orderUpdate(order, 'filled', millis(at)), Decimal.of(filled), Decimal.of(played))
}

function came(late: LateFills, oid: number, size: string, at: number): void {
  late.play(fill({ coin: 'ETH', isBuy: false, price: '2500', size, start: '9', oid, tid: oid, at }))
}

const left = (late: LateFills, size = '10'): string => late.leaves(eth, Decimal.of(size)).toString()

describe('fills that were announced', () => {
  test('take off a position of the other side what has not come yet, of all orders together', () => {
    const late = new LateFills()
    announced(late, 1, { filled: '3', played: '1', at: 100 })
    announced(late, 2, { filled: '4', at: 100 })
    expect([left(late), left(late, '-10')]).toEqual(['4', '-10'])
    announced(late, 3, { isBuy: true, filled: '5', at: 100 })
    expect([left(late), left(late, '-10')]).toEqual(['4', '-5'])
    expect(late.leaves(coin('BTC'), Decimal.one).toString()).toBe('1')
  })

  test('never turn it around', () => {
    const late = new LateFills()
    announced(late, 1, { filled: '12', at: 100 })
    expect([left(late), left(late, '12'), left(late, '12.5')]).toEqual(['0', '0', '0.5'])
  })

  test.each([
    ['all of it', '3'],
    ['more, as it was cut', '4'],
  ])('are none where %s was told before the end', (_, played) => {
    const late = new LateFills()
    announced(late, 1, { filled: '3', played, at: 100 })
    expect(left(late)).toBe('10')
  })

  test('are fewer by each that comes, of that order alone', () => {
    const late = new LateFills()
    announced(late, 1, { filled: '3', at: 100 })
    announced(late, 2, { filled: '4', at: 100 })
    came(late, 1, '1', 100)
    expect(left(late)).toBe('4')
    came(late, 1, '2', 100)
    expect(left(late)).toBe('6')
    came(late, 2, '4', 100)
    expect(left(late)).toBe('10')
    expect(late.leaves(eth, zero).toString()).toBe('0')
  })

  test('are shown by a fill that is later than the end, and by a state that is not earlier', () => {
    const at = (end: number, told: (late: LateFills) => void): string => {
      const late = new LateFills()
      announced(late, 1, { filled: '3', at: end })
      told(late)
      return left(late)
    }
    const byFill = (late: LateFills): void => came(late, 9, '1', 100)
    expect([at(99, byFill), at(100, byFill), at(101, byFill)]).toEqual(['10', '7', '7'])
    const byState = (late: LateFills): void => late.shownUntil(millis(100))
    expect([at(99, byState), at(100, byState), at(101, byState)]).toEqual(['10', '10', '7'])
  })
})
