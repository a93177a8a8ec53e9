import { expect, test } from 'vitest'
import { markets } from '../../core/account/account.fixture.ts'
import type { PositionView } from '../../core/account/accountView.ts'
import type { Action, Order } from '../../core/protocol/action.ts'
import { Decimal } from '../../core/values/decimal.ts'
import { openedCoins } from './openedCoins.ts'

const listed = markets()
const [asset = 0, other = 1] = [...listed.byAsset.keys()]
const coin = listed.byAsset.get(asset)?.coin ?? ''
const otherCoin = listed.byAsset.get(other)?.coin ?? ''

const order = (fields: Partial<Order>): Order => ({
  ...{ asset, isBuy: true, price: Decimal.one, size: Decimal.of('5'), isReduceOnly: false },
  ...{ type: { kind: 'limit', tif: 'Gtc' }, cloid: null },
  ...fields,
})
const orders = (...list: readonly Order[]): Action => ({
  ...{ type: 'order', grouping: 'na', builder: null },
  orders: list,
})
const buy = order({})
const sell = order({ isBuy: false })

test.each<[string, string | null, Action, readonly string[]]>([
  ['a buy without a position', null, orders(buy), [coin]],
  ['a buy where a position was', '0', orders(buy), [coin]],
  ['a buy beside a long position', '1', orders(buy), [coin]],
  ['a sell against a long position, also a larger one', '1', orders(sell), []],
  ['a buy against a short position', '-9', orders(buy), []],
  ['a sell beside a short position', '-9', orders(sell), [coin]],
  ['reduce-only', null, orders(order({ isReduceOnly: true })), []],
  ['two orders of one coin', null, orders(buy, sell), [coin]],
  ['a close and an entry elsewhere', '9', orders(sell, order({ asset: other })), [otherCoin]],
  ['a market that nobody lists', null, orders(order({ asset: 999_999 })), []],
  [
    'a modify of an entry',
    null,
    { type: 'modify', modify: { ref: { oid: 1 }, order: buy } },
    [coin],
  ],
  [
    'a modify of a stop',
    '9',
    {
      type: 'modify',
      modify: { ref: { oid: 1 }, order: order({ isBuy: false, isReduceOnly: true }) },
    },
    [],
  ],
  ['a cancel', '9', { type: 'cancel', cancels: [{ asset, oid: 1 }] }, []],
  ['leverage', null, { type: 'updateLeverage', asset, isCross: false, leverage: 3 }, [coin]],
])('%s', (_, held, action, expected) => {
  const position = { coin, size: Decimal.of(held ?? '0') } as unknown as PositionView
  const positions = new Map(held === null ? [] : [[position.coin, position]])
  expect(openedCoins(action, { markets: listed, positions })).toEqual(expected)
})
