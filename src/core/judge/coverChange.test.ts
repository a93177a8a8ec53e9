import { expect, test } from 'vitest'
import { accountWith, restingEntry, stopOrder } from '../account/account.fixture.ts'
import { judged, triggerOrder } from './judge.fixture.ts'

/**
 * 1 ETH at 2486.35 with an entry of 1 beside it, which may take the tightest of its stops; 100 SOL at
 * 137.42. They risk 46.35, 40 and 442 USD, and 6% of 9,000 may be at risk.
 */
const account = accountWith({
  equity: '9000',
  positions: { ETH: { size: '1' }, SOL: { size: '100' } },
  orders: [
    stopOrder({ coin: 'ETH', oid: 1, size: '1', trigger: '2450' }),
    stopOrder({ coin: 'ETH', oid: 2, size: '1', trigger: '2440' }),
    ...restingEntry({
      ...{ coin: 'ETH', oid: 5, isBuy: true, price: '2480', size: '1', stop: '2440' },
    }),
    stopOrder({ coin: 'SOL', oid: 9, size: '100', trigger: '133' }),
  ],
})
const to = (trigger: string) => ({
  ...{ oid: 2, order: triggerOrder(1, false, '1', trigger, '2100') },
})
const tighter = { oid: 9, order: triggerOrder(2, false, '100', '136', '122.4') }

test.each([
  // 528.35 USD are at risk of the 540 that may be: 10 USD more fit in.
  ['that fits', [to('2430')], 'resized'],
  // 20 USD more do not.
  ['that does not', [to('2420')], 'stop_loosened'],
  ['that risks less', [tighter], 'resized'],
  // The tighter one is not there before the venue has taken it.
  ['that waits for another coin to risk less', [to('2420'), tighter], 'stop_loosened'],
])('a change of stops %s', (_, modifies, code) => {
  const decision = judged({ type: 'batchModify', modifies }, { account })
  expect(decision.code, decision.text).toBe(code)
})
