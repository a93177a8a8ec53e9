import { expect, test } from 'vitest'
import { market } from '../../account/account.fixture.ts'
import { defaultRules } from '../../rules/rules.ts'
import { Decimal } from '../../values/decimal.ts'
import { triggerPrice } from './triggerPrice.ts'

const eth = market({ coin: 'ETH', asset: 1, sizeDecimals: 4, maxLeverage: 25 })
const dec = Decimal.of
const rules = { ...defaultRules, maxDistanceFromMid: dec('0.01') }

function priceOf(
  isBuy: boolean,
  [trigger, limit]: readonly [string, string],
  [mid, mark]: readonly [string, string],
) {
  const type = { kind: 'trigger', isMarket: true, triggerPrice: dec(trigger), tpsl: 'sl' } as const
  const order = { asset: 1, isBuy, price: dec(limit), size: Decimal.one, type }
  const seen = { mid: dec(mid), mark: dec(mark), firing: dec(mid) }
  const found = triggerPrice(eth, rules, { ...order, isReduceOnly: false, cloid: null }, seen)
  if (!found.ok) throw new Error(found.error.text)
  const { price, trigger: waitsFor, changes } = found.value
  const fields = changes.map(({ record }) => record.field).join(' ')
  return [price.toString(), waitsFor?.price.toString(), fields]
}

// A limit is no further than 1% beyond the trigger, or beyond the mid where the trigger is near the mark.
test.each<
  [
    string,
    boolean,
    readonly [string, string],
    readonly [string, string],
    readonly [string, string, string],
  ]
>([
  ['on the grid', true, ['4200', '4210'], ['4000', '4000'], ['4210', '4200', '']],
  [
    'off it, down for a buy',
    true,
    ['4200.06', '4210'],
    ['4000', '4000'],
    ['4210', '4200', 'trigger'],
  ],
  // 1% below 3700.1 is 3663.099, and the next price towards the trigger is 3663.1.
  [
    'off it, up for a sell',
    false,
    ['3700.04', '3600'],
    ['4000', '4000'],
    ['3663.1', '3700.1', 'trigger price'],
  ],
  // At the mark it fires at once: a limit of 1% from the mid need not reach it.
  ['a buy at the mark', true, ['4100', '4600'], ['4000', '4100'], ['4040', '4100', 'price']],
  ['a sell at the mark', false, ['3900', '3000'], ['4000', '3900'], ['3960', '3900', 'price']],
  // 40 from the mark is 1%, and near; 3990 and 1% are 4029.9, which would not reach it.
  ['as far as is near', true, ['4040', '4600'], ['3990', '4000'], ['4040', '4040', 'price']],
  ['further', true, ['4040.1', '4600'], ['3990', '4000'], ['4080.5', '4040.1', 'price']],
])('a trigger %s', (_, isBuy, asked, seen, want) => {
  expect(priceOf(isBuy, asked, seen)).toEqual(want)
})
