import { expect, test } from 'vitest'
import { accountWith, markets, restingEntry } from '../../account/account.fixture.ts'
import type { AccountView } from '../../account/accountView.ts'
import { defaultRules } from '../../rules/rules.ts'
import { coin } from '../../values/coin.ts'
import { Decimal } from '../../values/decimal.ts'
import { AccountWithRequest } from '../accountWithRequest.ts'
import { actionOf, judgeInput, limitOrder, orderAction } from '../judge.fixture.ts'
import { entryLeverage } from './entryLeverage.ts'
import { bearableLeverage } from './liquidation.ts'

const eth = markets().byCoin.get(coin('ETH'))!
const entry = {
  isBuy: true,
  size: Decimal.of('0.1'),
  worst: Decimal.of('2486.4'),
  stop: Decimal.of('2440'),
  firing: Decimal.of('2486.35'),
  worth: Decimal.of('2486.4'),
}

/** The account with some of its answers replaced. */
function seen(account: AccountView, answers: Partial<AccountView>): AccountView {
  return new Proxy(account, {
    get(target, name: keyof AccountView) {
      const answer = answers[name] ?? target[name]
      return typeof answer === 'function' ? answer.bind(target) : answer
    },
  })
}

function leverageOf(account: AccountView): number | null {
  const input = judgeInput(actionOf(orderAction([limitOrder(1, true, '1', '1')])), { account })
  const found = entryLeverage(input, new AccountWithRequest(account), eth, defaultRules, entry)
  return found.ok ? found.value.leverage : null
}

test('a position whose cover is not known is judged by the stop of the new entry', () => {
  const held = accountWith({
    positions: { ETH: { size: '1', leverage: { type: 'isolated', value: 3 } } },
  })
  expect(leverageOf(seen(held, { cover: () => null }))).toBe(3)
})

test('what a resting entry bears is asked again when the rules change', () => {
  // d = (2400 - 1980) / 2400 = 0.175, so 0.2425 is needed: L = 3 at m = 0.02; at L = 1 and m = 0.02
  // or 0.5 the distance is (1 - m) / (1 - m) = 1.
  const [resting] = accountWith({
    orders: restingEntry({
      coin: 'ETH',
      oid: 7,
      isBuy: true,
      price: '2400',
      size: '1',
      stop: '2200',
    }),
  }).extremeEntries(coin('ETH'), [])
  const least = Decimal.of('0.1')
  for (const cap of [5, 5, 2])
    expect(bearableLeverage(resting!, cap, 25, least)).toBe(Math.min(cap, 3))
  expect(bearableLeverage(resting!, 2, 1, least)).toBe(1)
  expect(bearableLeverage(resting!, 2, 1, Decimal.of('0.9'))).toBe(1)
  expect(bearableLeverage(resting!, 5, 25, Decimal.of('0.9'))).toBe(1)
  expect(bearableLeverage(resting!, 5, 25, Decimal.one)).toBe(1)
  expect(bearableLeverage(resting!, 5, 25, Decimal.of('1.1'))).toBe(0)
})
