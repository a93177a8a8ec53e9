import { expect, test } from 'vitest'
import { market } from '../../account/account.fixture.ts'
import { defaultRules } from '../../rules/rules.ts'
import { Decimal } from '../../values/decimal.ts'
import { actionOf, limitOrder, orderAction } from '../judge.fixture.ts'
import { worstPrice } from './worstPrice.ts'

// ETH at 100, no entry further than 2% from it: 98 to 102, in steps of a hundredth around there.
const eth = market({ coin: 'ETH', asset: 1, sizeDecimals: 4, maxLeverage: 25 })
const rules = { ...defaultRules, maxDistanceFromMid: Decimal.of('0.02') }

test.each([
  { what: 'on the grid', isBuy: true, price: '101', is: '101', rule: null },
  { what: 'passive, however far', isBuy: true, price: '50', is: '50', rule: null },
  { what: 'off the grid', isBuy: true, price: '101.005', is: '101', rule: 'grid' },
  { what: 'at the bound', isBuy: true, price: '102', is: '102', rule: null },
  { what: 'at the bound once on the grid', isBuy: true, price: '102.001', is: '102', rule: 'grid' },
  {
    what: 'beyond the bound',
    ...{ isBuy: true, price: '102.01', is: '102', rule: 'max_distance_from_mid' },
  },
  { what: 'a sale on the grid', isBuy: false, price: '99', is: '99', rule: null },
  { what: 'a passive sale', isBuy: false, price: '150', is: '150', rule: null },
  { what: 'a sale off the grid', isBuy: false, price: '98.995', is: '99', rule: 'grid' },
  { what: 'a sale at the bound', isBuy: false, price: '98', is: '98', rule: null },
  {
    what: 'a sale at the bound once on the grid',
    ...{ isBuy: false, price: '97.9999', is: '98', rule: 'grid' },
  },
  {
    what: 'a sale beyond the bound',
    ...{ isBuy: false, price: '97.99', is: '98', rule: 'max_distance_from_mid' },
  },
  { what: 'below the smallest price', isBuy: true, price: '0.001', is: null, rule: null },
])('$what', ({ isBuy, price, is, rule }) => {
  const action = actionOf(orderAction([limitOrder(1, isBuy, '1', price)]))
  const [order] = action.type === 'order' ? action.orders : []
  if (order === undefined) throw new Error('no order')
  const mid = Decimal.of('100')
  const found = worstPrice(eth, rules, order, { mid, firing: mid })
  expect(found.ok ? found.value.price.toString() : null).toBe(is)
  const changes = found.ok ? found.value.changes.map((each) => each.record.rule) : []
  expect(changes).toEqual(rule === null ? [] : [rule])
})
