import { describe, expect, test } from 'vitest'
import { accountWith, stopOrder } from '../../account/account.fixture.ts'
import { judged, limitOrder, orderAction } from '../judge.fixture.ts'

/** A position of 0.1 ETH, long or short, with stops over all of it; the mid is 2486.35. */
const held = (isLong: boolean, ...triggers: readonly string[]) =>
  accountWith({
    positions: { ETH: { size: isLong ? '0.1' : '-0.1' } },
    orders: triggers.map((trigger, at) =>
      stopOrder({ coin: 'ETH', oid: 50 + at, isBuy: !isLong, size: '0.1', trigger }),
    ),
  })
const entry = (asset: number, isBuy: boolean) =>
  orderAction([limitOrder(asset, isBuy, '0.02', asset === 1 ? '2486' : '84000')])

describe('an entry on a coin whose stops the price has passed', () => {
  test.each([
    { isLong: true, triggers: ['2490'], is: 'unprotected_position' },
    { isLong: true, triggers: ['2486.35'], is: 'unprotected_position' },
    { isLong: true, triggers: ['2480'], is: 'allow' },
    { isLong: false, triggers: ['2480'], is: 'unprotected_position' },
    { isLong: false, triggers: ['2490'], is: 'allow' },
  ])('long $isLong, $triggers: $is', ({ isLong, triggers, is }) => {
    const { verdict, code, text } = judged(entry(1, isLong), { account: held(isLong, ...triggers) })
    expect(verdict === 'veto' ? code : 'allow').toBe(is)
    if (verdict === 'veto')
      expect(text).toContain(`past every stop of the position (${triggers[0]})`)
  })

  test('what reduces it, and what is on another coin, passes', () => {
    const account = held(true, '2490')
    expect(judged(entry(1, false), { account }).verdict).not.toBe('veto')
    expect(judged(entry(0, true), { account }).code).not.toBe('unprotected_position')
  })
})
