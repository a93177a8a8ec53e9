import { expect, test } from 'vitest'
import { fixtureNow } from '../account/account.fixture.ts'
import type { Account } from '../account/account.ts'
import { crowdedAccount, crowds, heldByMany } from '../account/crowded.fixture.ts'
import { operations } from '../account/operations.fixture.ts'
import type { Json } from '../protocol/action.ts'
import type { Rules } from '../rules/rules.ts'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
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

test.each(crowds.flatMap((crowd) => asks.map((ask) => ({ crowd, ...ask }))))(
  '$what costs with 880 $crowd what it costs with 10',
  ({ crowd, action, code }) => {
    const [few, many] = [crowdedAccount(crowd, 10), crowdedAccount(crowd, 880)]
    expect(judging(many, action)).toBeLessThanOrEqual(judging(few, action) * 1.2)
    expect(judge(judgeInput(actionOf(action), { account: many, rules })).code).toBe(code)
  },
)

/** Each of them asks where the position is held, and what would hold it, in the middle of a long row. */
const triedOnMany: readonly {
  readonly what: string
  readonly action: (stops: number) => Json
  readonly code: string
}[] = [
  {
    what: 'an entry',
    action: () =>
      orderAction(
        [limitOrder(1, true, '0.1', '2480'), triggerOrder(1, false, '0.1', '2410', '2100')],
        'normalTpsl',
      ),
    code: 'allowed',
  },
  {
    what: 'a stop over all of it',
    action: (stops) => orderAction([triggerOrder(1, false, `${stops}`, '2470', '2100')]),
    code: 'allowed',
  },
  {
    what: 'a cancel of the tightest',
    action: () => ({ type: 'cancel', cancels: [{ a: 1, o: 1_000 }] }),
    code: 'allowed',
  },
  {
    what: 'a cancel of one in the middle',
    action: (stops) => ({ type: 'cancel', cancels: [{ a: 1, o: 1_000 + stops / 5 }] }),
    code: 'allowed',
  },
  {
    what: 'a cancel of one that is to spare',
    action: (stops) => ({ type: 'cancel', cancels: [{ a: 1, o: 998 + stops }] }),
    code: 'allowed',
  },
  {
    what: 'a modify that tightens',
    action: (stops) => ({
      ...{ type: 'modify', oid: 1_000 + stops / 5 },
      order: triggerOrder(1, false, '1', '2460', '2100'),
    }),
    code: 'resized',
  },
  {
    what: 'a modify that loosens one to spare',
    action: (stops) => ({
      ...{ type: 'modify', oid: 998 + stops },
      order: triggerOrder(1, false, '1', '2200', '1900'),
    }),
    code: 'resized',
  },
]

test.each(
  [false, true].flatMap((areGuards) => triedOnMany.map((each) => ({ areGuards, ...each }))),
)(
  '$what costs with 880 stops that hold the position what it costs with 10; some of them Guard’s: $areGuards',
  ({ areGuards, action, code }) => {
    const [few, many] = [heldByMany(10, areGuards), heldByMany(880, areGuards)]
    const more = { maxPosition: Decimal.of('1000') }
    const cost = judging(many, action(880), more)
    expect(cost).toBeLessThanOrEqual(judging(few, action(10), more) * 1.2)
    const again = judgeInput(actionOf(action(880)), { account: many, rules: { ...rules, ...more } })
    expect(judge(again).code).toBe(code)
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
