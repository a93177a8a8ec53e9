import { describe, expect, test } from 'vitest'
import {
  accountWith,
  fixtureNow,
  later,
  openOrder,
  orderUpdate,
  stopOrder,
} from '../../account/account.fixture.ts'
import type { OpenOrder } from '../../protocol/venueState.ts'
import { coin } from '../../values/coin.ts'
import { Decimal } from '../../values/decimal.ts'
import { judged, limitOrder, orderAction } from '../judge.fixture.ts'

/** A position of 0.1 ETH, long or short, with stops over all of it and other orders; the mid is 2486.35. */
const held = (isLong: boolean, others: readonly OpenOrder[], ...triggers: readonly string[]) =>
  accountWith({
    positions: { ETH: { size: isLong ? '0.1' : '-0.1' } },
    orders: [
      ...others,
      ...triggers.map((trigger, at) =>
        stopOrder({ coin: 'ETH', oid: 50 + at, isBuy: !isLong, size: '0.1', trigger }),
      ),
    ],
  })
const entry = (asset: number, isBuy: boolean) =>
  orderAction([limitOrder(asset, isBuy, '0.02', asset === 1 ? '2486' : '84000')])

describe('an entry on a coin whose stops the price has passed', () => {
  test.each([
    { isLong: true, triggers: ['2490'], is: 'unprotected_position' },
    { isLong: true, triggers: ['2486.35'], is: 'unprotected_position' },
    { isLong: true, triggers: ['2480'], is: 'allow' },
    { isLong: false, triggers: ['2480'], is: 'unprotected_position' },
    { isLong: false, triggers: ['2486.35'], is: 'unprotected_position' },
    { isLong: false, triggers: ['2490'], is: 'allow' },
  ])('long $isLong, $triggers: $is', ({ isLong, triggers, is }) => {
    const { verdict, code, text } = judged(entry(1, isLong), {
      account: held(isLong, [], ...triggers),
    })
    expect(verdict === 'veto' ? code : 'allow').toBe(is)
    if (verdict === 'veto')
      expect(text).toContain(`past every stop of the position (${triggers[0]})`)
  })

  test.each([{ stops: [] }, { stops: ['2480'] }])(
    'one whose closing fill is told by its order alone is no such position: $stops',
    ({ stops }) => {
      const spec = { coin: 'ETH', oid: 70, isBuy: false, price: '2486', size: '0.1' }
      const close = openOrder({ ...spec, isReduceOnly: true })
      const account = held(true, [close], ...stops)
      const filled = { ...orderUpdate(close, 'filled', fixtureNow + 10), size: Decimal.zero }
      account.apply({ kind: 'order_updates', updates: [filled], at: later(10) })
      expect(account.cover(coin('ETH'))?.loosest).toBeNull()
      const { text, code } = judged(entry(1, true), { account })
      expect(text).not.toContain('failed to judge')
      expect(code).not.toBe('unprotected_position')
    },
  )

  test('what reduces it, and what is on another coin, passes', () => {
    const account = held(true, [], '2490')
    expect(judged(entry(1, false), { account }).verdict).not.toBe('veto')
    expect(judged(entry(0, true), { account }).code).not.toBe('unprotected_position')
  })
})
