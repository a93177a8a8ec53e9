import { expect } from 'vitest'
import { defaultRules } from '../../../src/core/rules/rules.ts'
import { coin } from '../../../src/core/values/coin.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import { user } from '../keys.ts'
import { arrival, entry, fillOf, long, order, stopAt, venueWith } from '../oracleParts.fixture.ts'
import { checkStopFirst } from '../poolOracle.ts'
import type { RuleName } from '../ruleNames.ts'
import { everyOrder, everyPosition } from '../wholeAccount.ts'
import { LossOracle } from './lossOracle.ts'

/** Breaks each rule of accounts once. One ETH is held, worth 4,000 USD. */

/** It is liquidated where the mark is there; its stop waits for 3,800 USD. */
function liquidatedAt(mark: string, isExcused: boolean): void {
  const { venue } = venueWith({ ...long('1'), orders: [stopAt('3800')] })
  const before = { orders: everyOrder(venue, user), positions: everyPosition(venue, user) }
  const markPrice = Decimal.of(mark)
  const liquidation = { liquidatedUser: user, markPrice, method: 'market' } as const
  const fills = [{ ...fillOf('1', '1', false), liquidation }]
  const excuses = { isolated: isExcused, cross: false }
  checkStopFirst({ ...arrival(order(entry), fills), before }, user, excuses)
}

/** A day's halt after this price, and after a withdrawal of 700 USD. */
function haltedAt(price: string): void {
  const { venue } = venueWith(long('1'))
  const losses = new LossOracle(venue, user)
  losses.look()
  venue.setPrice(coin('ETH'), { mid: Decimal.of(price) })
  expect(venue.flow(user, Decimal.of('-700')).ok).toBe(true)
  const halt = { seq: 1, kind: 'risk', state: 'halted_for_day' }
  losses.onDisk(halt, defaultRules, { isTraded: false, recent: new Map() })
}

type AccountRule = Extract<RuleName, 'stop_first' | 'flow_no_loss'>

export const accountBreaks: { readonly [Rule in AccountRule]: () => void } = {
  stop_first: () => {
    liquidatedAt('3700', false)
    liquidatedAt('3900', true)
    liquidatedAt('3900', false)
  },
  flow_no_loss: () => {
    haltedAt('3300')
    haltedAt('3990')
  },
}
