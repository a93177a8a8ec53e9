import { expect, test } from 'vitest'
import { fixtureNow } from '../account/account.fixture.ts'
import type { Account } from '../account/account.ts'
import { crowdedAccount, crowds } from '../account/crowded.fixture.ts'
import { operations } from '../account/operations.fixture.ts'
import type { Json } from '../protocol/action.ts'
import type { Rules } from '../rules/rules.ts'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { limits } from '../values/limits.ts'
import { actionOf, judgeInput, limitOrder, orderAction, triggerOrder } from './judge.fixture.ts'
import { judge } from './judge.ts'

const eth = coin('ETH')
const rules = { maxOpenOrders: 900, maxPosition: Decimal.of('10'), openRisk: Decimal.of('1') }

const asks: readonly { readonly what: string; readonly action: Json; readonly code: string }[] = [
  { what: 'an entry', action: orderAction([limitOrder(1, true, '0.1', '2480')]), code: 'resized' },
  {
    what: 'an exit',
    action: orderAction([limitOrder(1, false, '0.5', '2470', 'Ioc', true)]),
    code: 'allowed',
  },
  {
    what: 'a stop',
    action: orderAction([triggerOrder(1, false, '1', '2410', '2100')]),
    code: 'allowed',
  },
  {
    what: 'a cancel of an entry',
    action: { type: 'cancel', cancels: [{ a: 1, o: 3 }] },
    code: 'allowed',
  },
  {
    what: 'a cancel of a stop',
    action: { type: 'cancel', cancels: [{ a: 1, o: 1 }] },
    code: 'stop_removed',
  },
  {
    what: 'a modify of an entry',
    action: { type: 'modify', oid: 3, order: limitOrder(1, true, '0.1', '2340') },
    code: 'resized',
  },
  {
    what: 'a modify of a stop',
    action: { type: 'modify', oid: 1, order: triggerOrder(1, false, '1', '2410', '2100') },
    code: 'resized',
  },
]

/** Judges after a price has moved, so that nothing is remembered from before. */
function judging(account: Account, action: Json, more: Partial<Rules> = {}): number {
  const mids = new Map([[eth, Decimal.of('2487')]])
  return operations(() => {
    account.apply({ kind: 'mids', mids, at: fixtureNow })
    judge(judgeInput(actionOf(action), { account, rules: { ...rules, ...more } }))
  })
}

/** Those that may let stops of Guard's own go. */
const triesStops = new Set(['a stop', 'a cancel of a stop', 'a modify of a stop'])

test.each(crowds.flatMap((crowd) => asks.map((ask) => ({ crowd, ...ask }))))(
  '$what costs with 880 $crowd what it costs with 10',
  ({ crowd, what, action, code }) => {
    const [few, many] = [crowdedAccount(crowd, 10), crowdedAccount(crowd, 880)]
    // As many of Guard's stops as one cancel may name give way at once: that many are written down.
    const isReleased = crowd === 'guard stops' && triesStops.has(what)
    const least = isReleased ? crowdedAccount(crowd, limits.flattenBatchMax) : few
    expect(judging(many, action)).toBeLessThanOrEqual(judging(least, action) * 1.2)
    expect(judge(judgeInput(actionOf(action), { account: many, rules })).code).toBe(code)
  },
)

test.each(crowds)('with cross margin an entry costs with 880 %s what it costs with 10', (crowd) => {
  const [few, many] = [crowdedAccount(crowd, 10), crowdedAccount(crowd, 880)]
  const action = orderAction([limitOrder(1, true, '0.1', '2480')])
  const rulesOf = { margin: 'cross', equityCap: null } as const
  // The first question makes the sums that are kept from then on.
  for (const account of [few, many]) judging(account, action, rulesOf)
  const cost = judging(many, action, rulesOf)
  expect(cost).toBeLessThanOrEqual(judging(few, action, rulesOf) * 1.2)
})
