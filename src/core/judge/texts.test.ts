import { expect, test } from 'vitest'
import {
  accountWith,
  botCloid,
  fixtureNow,
  later,
  markets,
  openOrder,
  restingEntry,
  stopOrder,
  vectorMeta,
} from '../account/account.fixture.ts'
import type { Json } from '../protocol/action.ts'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { millis } from '../values/millis.ts'
import { judged, limitOrder, orderAction, triggerOrder } from './judge.fixture.ts'
import type { JudgeSpec } from './judge.fixture.ts'

const guardStop = '0x67756172010000000000000000000001'
const buy = (size = '0.5', price = '2486.4'): Json => limitOrder(1, true, size, price, 'Ioc')
const sell = (size = '0.5', price = '2486'): Json => limitOrder(1, false, size, price, 'Ioc')
const one = (order: Json, ...others: readonly Json[]): Json => orderAction([order, ...others])
const cancel = (...oids: readonly number[]): Json => ({
  type: 'cancel',
  cancels: oids.map((o) => ({ a: 1, o })),
})
const modify = (oid: number | string, order: Json): Json => ({ type: 'modify', oid, order })
const batch = (...items: readonly [number, Json][]): Json => ({
  type: 'batchModify',
  modifies: items.map(([oid, order]) => ({ oid, order })),
})
const update = (leverage: number): Json => ({
  type: 'updateLeverage',
  asset: 1,
  isCross: false,
  leverage,
})
const long = (size = '1', trigger = '2440', equity = '7350.25', extra = {}) =>
  accountWith({
    equity,
    positions: { ETH: { size } },
    orders: [stopOrder({ oid: 21, coin: 'ETH', size, trigger, ...extra })],
  })
/** Its stop was told after the position: it may be that of a fill which no state shows yet. */
const longWithYoungStop = (): ReturnType<typeof long> => {
  return toldOfStop(accountWith({ positions: { ETH: { size: '1' } } }))
}
function toldOfStop(account: ReturnType<typeof long>): ReturnType<typeof long> {
  const stop = stopOrder({ oid: 21, coin: 'ETH', size: '1', trigger: '2440' })
  account.apply({ kind: 'orders', orders: [stop], source: 'read', at: later(1) })
  return account
}
const levered = (value: number, liquidation: string | null = null) =>
  accountWith({
    positions: { ETH: { size: '1', leverage: { type: 'isolated', value }, liquidation } },
    orders: [stopOrder({ oid: 21, coin: 'ETH', size: '1', trigger: '2440' })],
  })
const resting = (stop?: string) =>
  accountWith({
    orders: restingEntry({
      oid: 7,
      coin: 'ETH',
      isBuy: true,
      price: '2400',
      size: '1',
      ...(stop === undefined ? {} : { stop }),
    }),
  })
/** Two whole stops, and where the entry was judged to have one. */
const two = (promised: string) =>
  accountWith({
    positions: { ETH: { size: '1' } },
    equity: '1400',
    orders: [
      stopOrder({ oid: 1, coin: 'ETH', size: '1', trigger: '2400' }),
      stopOrder({ oid: 2, coin: 'ETH', size: '1', trigger: '2450' }),
    ],
    promised: { ETH: [{ trigger: promised, size: '1' }] },
  })
/** 20 x (137.42 - 118) = 388.4 at risk. */
const sol = accountWith({
  positions: { SOL: { size: '20' } },
  orders: [stopOrder({ oid: 11, coin: 'SOL', size: '20', trigger: '118' })],
})
const delisted = accountWith({
  markets: markets([
    ...vectorMeta,
    { coin: 'OLD', asset: 6, sizeDecimals: 1, maxLeverage: 3, isDelisted: true },
  ]),
})
const slow = { now: millis(fixtureNow + 7_999) }
const reduce = limitOrder(1, false, '1', '2480', 'Ioc', true)
const D = (text: string): Decimal => Decimal.of(text)

/** The price is fresh, the account is not. */
function late() {
  const account = accountWith()
  account.apply({ kind: 'stream', state: 'down', at: fixtureNow })
  const at = millis(fixtureNow + 7_999)
  account.apply({ kind: 'mids', mids: new Map([[coin('ETH'), D('2486.35')]]), at })
  return account
}

/** A long position with an entry resting against it. */
function against() {
  return accountWith({
    positions: { ETH: { size: '1' } },
    orders: [
      stopOrder({ oid: 21, coin: 'ETH', size: '1', trigger: '2440' }),
      ...restingEntry({
        oid: 7,
        coin: 'ETH',
        isBuy: false,
        price: '2600',
        size: '1',
        stop: '2650',
      }),
    ],
  })
}

/** Two exits that rest. */
function exit() {
  const order = { coin: 'ETH', isBuy: false, price: '2600', size: '1', isReduceOnly: true }
  return accountWith({ orders: [openOrder({ ...order, oid: 5 }), openOrder({ ...order, oid: 6 })] })
}

/** What a person reads, with the numbers in it: one row for each sentence the judge can say. */
const rows: readonly (readonly [string, Json, JudgeSpec, string])[] = [
  ['one exit', one(reduce), {}, 'one order that can only reduce: forwarded as sent'],
  ['two exits', one(reduce, reduce), {}, '2 orders that can only reduce: forwarded as sent'],
  [
    'an exit, unseen',
    one(reduce),
    slow,
    'one order that can only reduce: forwarded as sent, though the account could not be read recently enough',
  ],
  [
    'two exits, unseen',
    one(reduce, reduce),
    slow,
    '2 orders that can only reduce: forwarded as sent, though the account could not be read recently enough',
  ],
  [
    'an entry',
    orderAction(
      [limitOrder(1, false, '0.5', '2486.4'), triggerOrder(1, true, '0.5', '2530', '2783')],
      'normalTpsl',
    ),
    {},
    'sell 0.5 ETH with its stop at 2530: within every rule',
  ],
  [
    'a buy changed',
    one(buy('9', '2600')),
    {},
    'the limit of the ETH buy pulled in from 2600 to 2498.7, 0.5% from the mid 2486.35 (max_distance_from_mid); a stop at 2436.7 attached to the ETH buy, 2% from 2486.35 (stop_distance); the size of the ETH buy cut from 9 to 2.2703 by a loss of 147 USD at the stop (risk_per_trade 2% of 7350.25 USD)',
  ],
  [
    'a sell changed',
    one(sell('9', '2300')),
    {},
    'the limit of the ETH sell pulled in from 2300 to 2474, 0.5% from the mid 2486.35 (max_distance_from_mid); a stop at 2536 attached to the ETH sell, 2% from 2486.35 (stop_distance); the size of the ETH sell cut from 9 to 2.2713 by a loss of 147 USD at the stop (risk_per_trade 2% of 7350.25 USD)',
  ],
  [
    'a buy off the grid',
    one(limitOrder(1, true, '0.5', '2480.77')),
    {},
    "the limit of the ETH buy rounded from 2480.77 to 2480.7, the next price on the venue's grid; a stop at 2431.1 attached to the ETH buy, 2% from 2480.7 (stop_distance)",
  ],
  [
    'a sell off the grid',
    one(limitOrder(1, false, '0.5', '2490.01')),
    {},
    "the limit of the ETH sell rounded from 2490.01 to 2490.1, the next price on the venue's grid; a stop at 2539.9 attached to the ETH sell, 2% from 2490.1 (stop_distance)",
  ],
  [
    'a size off the lot',
    one(limitOrder(2, true, '1.239', '137.4')),
    {},
    "a stop at 134.66 attached to the SOL buy, 2% from 137.4 (stop_distance); the size of the SOL buy cut from 1.239 to 1.23 by the venue's lot of 2 decimals",
  ],
  [
    'a size by max_leverage',
    one(buy('9')),
    { rules: { maxLeverage: D('0.1') } },
    'a stop at 2436.7 attached to the ETH buy, 2% from 2486.35 (stop_distance); the size of the ETH buy cut from 9 to 0.2956 by the 735.02 USD left of 735.02 USD (max_leverage 0.1 x 7350.25 USD)',
  ],
  [
    'a size by max_position',
    one(sell('9')),
    { rules: { maxPosition: D('0.1') } },
    'a stop at 2536 attached to the ETH sell, 2% from 2486.35 (stop_distance); the size of the ETH sell cut from 9 to 0.2956 by the 735.02 USD left of 735.02 USD (max_position 10% of 7350.25 USD)',
  ],
  [
    'a size by max_order_value',
    one(buy('9')),
    { rules: { maxOrderValue: D('1000') } },
    'a stop at 2436.7 attached to the ETH buy, 2% from 2486.35 (stop_distance); the size of the ETH buy cut from 9 to 0.4021 by max_order_value 1000 USD',
  ],
  [
    'a size by its stop',
    one(buy('0.5'), triggerOrder(1, false, '0.2', '2440', '2196')),
    {},
    'the size of the ETH buy cut from 0.5 to 0.2 by the size of its own stop, 0.2; orders[0] goes as one group with its own stop',
  ],
  [
    'a size by what is left of open_risk',
    one(buy('9')),
    { account: sol },
    'a stop at 2436.7 attached to the ETH buy, 2% from 2486.35 (stop_distance); the size of the ETH buy cut from 9 to 1.0034 by the 52.62 USD left of open_risk (388.4 USD of 441.02 USD is used)',
  ],
  [
    'a stop changed',
    one(buy(), triggerOrder(1, false, '0.5', '2440.01', '2440', 'sl', false)),
    {},
    "the stop-limit at 2440.1 made a market stop: a stop-limit may trigger and not fill; the stop's trigger rounded from 2440.01 to 2440.1, toward the price; the stop's limit moved from 2440 to 2196, 10% beyond its trigger, so that it fills; orders[0] goes as one group with its own stop",
  ],
  [
    'a stop limit off the grid',
    one(sell(), triggerOrder(1, true, '0.5', '2530.09', '2900.01')),
    {},
    "the stop's trigger rounded from 2530.09 to 2530, toward the price; the stop's limit moved from 2900.01 to 2900.1, outward to the venue's grid; orders[0] goes as one group with its own stop",
  ],
  [
    'children cut',
    one(
      buy('0.5'),
      triggerOrder(1, false, '9', '2440', '2196'),
      triggerOrder(1, false, '7', '2600', '2500', 'tp'),
    ),
    {},
    'the size of the stop cut from 9 to 0.5, the size of its entry; the size of the take profit cut from 7 to 0.5, the size of its entry; orders[0] goes as one group with its own stop',
  ],
  [
    'an exit cut',
    one(limitOrder(1, false, '5', '2480', 'Ioc', true)),
    { account: long() },
    'orders[0] cut from 5 to 1, the size of the ETH position',
  ],
  [
    'a close',
    one(sell('0.5')),
    { account: long() },
    'orders[0] closes a position and goes as reduce-only, so that it can never open one',
  ],
  [
    'exits beside an entry',
    one(reduce, limitOrder(2, true, '1', '137.4'), triggerOrder(2, false, '1', '135', '121')),
    {},
    'orders[1] goes as one group with its own stop; sent as 2 actions: exits first, then each entry with its own stop',
  ],
  [
    'an entry of two refused',
    one(buy(), limitOrder(6, true, '1', '5')),
    {},
    'a stop at 2436.7 attached to the ETH buy, 2% from 2486.35 (stop_distance); buy asset 6 not sent [unknown_market]: asset 6 is no perp that the venue lists',
  ],
  [
    'a builder',
    {
      type: 'order',
      orders: [reduce],
      grouping: 'na',
      builder: { b: `0x${'b0'.repeat(20)}`, f: 1 },
    },
    {},
    'the builder 0xb0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0 removed: the configuration does not name it',
  ],
  [
    'a priority fee',
    orderAction([buy()], { p: 5 }),
    {},
    'the priority fee (grouping {"p": 5}) removed: nothing is paid for it; a stop at 2436.7 attached to the ETH buy, 2% from 2486.35 (stop_distance)',
  ],
  [
    'a trigger that opens',
    one({ ...triggerOrder(1, true, '1', '2600', '2700'), r: false }),
    {},
    'orders[0]: a trigger order that is not reduce-only would open a position; Guard opens only with limit orders (trigger_entries = "refuse"); if it is to close a position, its reduce-only flag is missing',
  ],
  [
    'an order larger than the position it is against',
    one(sell('1.5')),
    { account: long() },
    'orders[0] cut from 1.5 to 1, the size of the ETH position; orders[0] closes a position and goes as reduce-only, so that it can never open one',
  ],
  [
    'a flip',
    one(sell('1.5')),
    { account: long(), rules: { flip: 'refuse' } },
    'orders[0]: 1.5 against a ETH position of 1 would turn it around; close it first, with at most 1',
  ],
  [
    'an id of Guard',
    one({ ...limitOrder(1, true, '1', '2486'), c: guardStop }),
    {},
    "orders[0]: client order ids of this kind are Guard's own",
  ],
  [
    'two stops',
    one(
      buy(),
      triggerOrder(1, false, '1', '2440', '2196'),
      triggerOrder(1, false, '1', '2430', '2187'),
    ),
    {},
    'orders[2]: a second stop for orders[0]',
  ],
  [
    'two take profits',
    one(
      buy(),
      triggerOrder(1, false, '1', '2600', '2500', 'tp'),
      triggerOrder(1, false, '1', '2610', '2500', 'tp'),
    ),
    {},
    'orders[2]: a second take profit for orders[0]',
  ],
  [
    'two take profits beside a stop',
    one(
      buy(),
      triggerOrder(1, false, '1', '2440', '2196'),
      triggerOrder(1, false, '1', '2600', '2500', 'tp'),
      triggerOrder(1, false, '1', '2610', '2500', 'tp'),
    ),
    {},
    'orders[3]: a second take profit for orders[0]',
  ],
  [
    'an entry that is not first',
    orderAction([triggerOrder(1, false, '1', '2440', '2196'), buy()], 'normalTpsl'),
    {},
    'orders[0]: must be the entry of its normalTpsl group',
  ],
  [
    'two entries in a group',
    orderAction([buy(), buy()], 'normalTpsl'),
    {},
    'orders[1]: a normalTpsl group has one entry; send several with grouping na',
  ],
  [
    'a stray order in a group',
    orderAction([buy(), reduce], 'normalTpsl'),
    {},
    'orders[1]: does not belong to the entry of its normalTpsl group',
  ],
  [
    'a number of 0',
    one(limitOrder(1, true, '0', '2486')),
    {},
    'orders[0]: price, size and trigger must be above 0',
  ],
  [
    'a price below the least',
    one(limitOrder(1, true, '1', '0.001')),
    {},
    'the limit 0.001 is below the smallest price ETH can have',
  ],
  [
    'spot',
    one(limitOrder(10_107, true, '1', '20')),
    {},
    'asset 10107 is a spot market; Guard opens only perps',
  ],
  [
    'an outcome',
    one(limitOrder(100_000_010, true, '1', '20')),
    {},
    'asset 100000010 is an outcome market; Guard opens only perps',
  ],
  [
    'a builder dex',
    one(limitOrder(110_000, true, '1', '20')),
    {},
    'asset 110000 belongs to a builder dex, and the rules name none; the name of the dex in markets ("xyz:*") would allow it',
  ],
  [
    'a market that is not listed',
    one(limitOrder(9, true, '1', '20')),
    {},
    'asset 9 is no perp that the venue lists',
  ],
  [
    'a market that is delisted',
    one(limitOrder(6, true, '20', '1')),
    { account: delisted },
    'OLD (asset 6) is delisted',
  ],
  [
    'a market that is not allowed',
    one(buy()),
    { rules: { markets: ['BTC', 'SOL'] } },
    'ETH is not among the markets allowed here: BTC, SOL',
  ],
  [
    'a mode Guard cannot size for',
    one(buy()),
    { account: accountWith({ mode: 'portfolioMargin' }) },
    'the account is in mode portfolioMargin, which Guard cannot size for; default, disabled and unifiedAccount can be sized',
  ],
  [
    'no equity',
    one(buy()),
    { account: accountWith({ equity: '-3.5' }) },
    'the equity is -3.5 USD; it must be above 0',
  ],
  [
    'no price',
    one(buy()),
    { account: accountWith({ mids: { BTC: '84213.5' } }) },
    'no mid of ETH was seen within the last 3 s',
  ],
  [
    'an account seen long ago',
    one(buy()),
    { now: millis(fixtureNow + 7_999), account: late() },
    'the account was last confirmed 7 s ago; entries need it within 6 s',
  ],
  [
    'no stop on a buy',
    one(buy()),
    { rules: { stop: 'refuse' } },
    'the ETH buy has no stop; the rules refuse an entry without a reduce-only market stop loss in the same action (stop = "refuse")',
  ],
  [
    'no stop on a sell',
    one(sell()),
    { rules: { stop: 'refuse' } },
    'the ETH sell has no stop; the rules refuse an entry without a reduce-only market stop loss in the same action (stop = "refuse")',
  ],
  [
    'a stop above a buy',
    one(buy('0.5', '2400'), triggerOrder(1, false, '0.5', '2410', '2100')),
    {},
    'the stop at 2410 must be below 2400, the lowest of limit, mid and mark',
  ],
  [
    'a stop below a sell',
    one(sell('0.5', '2600'), triggerOrder(1, true, '0.5', '2590', '2900')),
    {},
    'the stop at 2590 must be above 2600, the highest of limit, mid and mark',
  ],
  [
    'an uncovered position',
    one(buy()),
    { account: accountWith({ positions: { SOL: { size: '3' }, BTC: { size: '1' } } }) },
    'the position in BTC, SOL is not covered in full by market stops; nothing opens until it is',
  ],
  [
    'an uncovered order',
    one(buy()),
    { account: resting() },
    'an entry rests on ETH without its stop; nothing opens until it is covered or cancelled',
  ],
  [
    'no open risk left',
    one(buy()),
    { account: long('1', '2045') },
    'open risk is 441.35 USD of 441.02 USD (open_risk 6% of 7350.25 USD); nothing is left for another entry',
  ],
  [
    'no leverage left',
    one(limitOrder(2, true, '1', '137.4')),
    { account: long('1', '2480'), rules: { maxLeverage: D('0.3') } },
    'positions and resting entries are worth 2486.35 USD of 2205.08 USD (max_leverage 0.3 x 7350.25 USD); nothing is left for another entry',
  ],
  [
    'no room in the coin',
    one(buy()),
    { account: long('1', '2480'), rules: { maxPosition: D('0.3') } },
    'ETH held and resting on that side is worth 2486.35 USD of 2205.08 USD (max_position 30% of 7350.25 USD); nothing can be added',
  ],
  [
    'a liquidation too close',
    one(limitOrder(3, false, '2', '41.8'), triggerOrder(3, true, '2', '80', '90')),
    {},
    'no leverage from 1 to 5 keeps the liquidation of HYPE far enough: at leverage 1 it is 90.47% from 41.8, and the stop at 80 needs 126.58% (1.1 times the way to its fill with 10% slippage, and 5%; at least 10%, min_liquidation_distance); a tighter stop would pass',
  ],
  [
    'a position on cross',
    one(buy()),
    {
      account: accountWith({
        positions: { ETH: { size: '1', leverage: { type: 'cross', value: 3 } } },
        orders: [stopOrder({ oid: 21, coin: 'ETH', size: '1', trigger: '2440' })],
      }),
    },
    'the ETH position is on cross margin; Guard adds only to isolated positions',
  ],
  [
    'a position above the cap',
    one(buy()),
    { account: levered(6) },
    'the ETH position has leverage 6, above 5 (max_leverage 5); lower it first',
  ],
  [
    'a position with too much leverage',
    one(buy()),
    { account: levered(5), rules: { stopDistance: D('0.09') } },
    'leverage 5 of the open ETH position does not keep its liquidation far enough: at leverage 5 it is 18.36% from 2486.4, and the stop at 2262.6 needs 24.92% (1.1 times the way to its fill with 10% slippage, and 5%; at least 10%, min_liquidation_distance); a tighter stop or a lower leverage would pass',
  ],
  [
    'a position liquidated too early',
    one(buy()),
    { account: levered(1, '2200') },
    'ETH would be liquidated at 2200; it must lie beyond 2193.03 (the stop at 2436.7 with 10% slippage) and at least 10% from the price 2486.35 (min_liquidation_distance)',
  ],
  [
    'an order below the minimum',
    one(buy('0.0045')),
    {},
    "0.0045 ETH is worth 9.87 USD at the lower of its limit and its stop's limit; the venue takes 10 USD or more: 0.0046 ETH at that price",
  ],
  [
    'an order cut below the minimum',
    one(buy()),
    { rules: { maxOrderValue: D('9') } },
    "0.0036 ETH, bound by max_order_value 9 USD, is worth 7.89 USD at the lower of its limit and its stop's limit; the venue takes 10 USD or more: 0.0046 ETH at that price",
  ],
  [
    'too many entries a minute',
    one(buy()),
    { entriesLastMinute: 600 },
    'this client sent 600 entries within a minute; max_orders_per_minute is 600',
  ],
  [
    'too many open orders',
    one(buy()),
    { account: long(), rules: { maxOpenOrders: 1 } },
    'the account has 1 orders open or on their way, and this would add 2; max_open_orders is 1',
  ],
  [
    'too many open orders for an exit that rests',
    one(limitOrder(1, false, '1', '2590', 'Gtc', true)),
    { account: long(), rules: { maxOpenOrders: 1 } },
    'the account has 1 orders open or on their way; max_open_orders is 1, and only what fills at once or a stop that adds cover still goes',
  ],
  ['one cancel', cancel(9), { now: later(7_000) }, 'one cancel: every position stays covered'],
  ['two cancels', cancel(8, 9), { now: later(7_000) }, '2 cancels: every position stays covered'],
  [
    'two cancels of what is not open',
    cancel(8, 9),
    {},
    '2 cancels: every position stays covered; 2 cancels of orders that are not open answered by Guard',
  ],
  [
    'a fast cancel',
    { ...(cancel(9) as object), f: true },
    {},
    'the flag f removed from the cancel',
  ],
  [
    'a cancel of the only stop',
    cancel(21),
    { account: long() },
    '1 of the ETH position would be without a market stop that it reaches before it is liquidated; place the other stop first, or close the position',
  ],
  [
    'a cancel of a stop that was told after the position',
    cancel(21),
    { account: longWithYoungStop() },
    '2 of the ETH position, with what may have filled and is not shown yet, would be without a market stop that it reaches before it is liquidated; place the other stop first, or close the position',
  ],
  [
    'a cancel of a stop that is told before its position',
    cancel(21),
    { account: toldOfStop(accountWith({})) },
    '1 of the ETH position, with what may have filled and is not shown yet, would be without a market stop that it reaches before it is liquidated; place the other stop first, or close the position',
  ],
  [
    "a cancel of Guard's own stop",
    cancel(21),
    { account: long('-1', '2530', '7350.25', { isBuy: true, size: '1', cloid: guardStop }) },
    "order 21 is Guard's own stop for the open ETH position; a tighter stop of yours over all 1, or closing the position, makes Guard remove it",
  ],
  [
    'a cancel of the stop of an entry',
    cancel(8),
    { account: resting('2380') },
    'order 8 is the stop of the ETH entry 7, which would rest without it; cancel the entry, and its stop goes with it',
  ],
  [
    'a cancel that loosens',
    cancel(2),
    { account: two('2400') },
    'the stops that are left lose 50 USD more: open risk would be 86.35 USD, beyond the 84 USD of open_risk',
  ],
  [
    'a cancel of what was promised',
    cancel(2),
    { account: two('2450') },
    'less of the ETH position would be stopped out at 2450 or earlier than was promised when it was opened; a stop may be replaced by one that is at least as tight and as large',
  ],
  [
    'a modify of an order that is not seen',
    modify(8, limitOrder(1, true, '1', '2400')),
    {},
    'the modify: no open order 8 is seen on the account',
  ],
  [
    'a modify by an id that is not seen',
    modify(botCloid(8), limitOrder(1, true, '1', '2400')),
    {},
    'the modify: no open order 0x00000000000000000000000000000008 is seen on the account',
  ],
  [
    'modifies, one of an order that is not seen',
    batch([7, limitOrder(1, true, '1', '2400')], [9, limitOrder(1, true, '1', '2400')]),
    { account: resting('2380') },
    'modifies[1]: no open order 9 is seen on the account',
  ],
  [
    'a modify twice',
    batch([7, limitOrder(1, true, '1', '2400')], [7, limitOrder(1, true, '1', '2400')]),
    { account: resting('2380') },
    'modifies[1]: order 7 is modified twice',
  ],
  [
    'a modify to another market',
    modify(7, limitOrder(2, true, '1', '2400')),
    { account: resting('2380') },
    'the modify: order 7 is on ETH; a modify keeps the market',
  ],
  [
    'a modify to the other side',
    modify(7, limitOrder(1, false, '1', '2400')),
    { account: resting('2380') },
    'the modify: a modify keeps the side; place a new order instead',
  ],
  [
    'a modify to reduce-only',
    modify(7, limitOrder(1, true, '1', '2400', 'Gtc', true)),
    { account: resting('2380') },
    'the modify: a modify keeps reduce-only false',
  ],
  [
    "a modify to an id of Guard's",
    modify(7, { ...limitOrder(1, true, '1', '2400'), c: guardStop }),
    { account: resting('2380') },
    "the modify: client order ids of this kind are Guard's own",
  ],
  [
    'a modify of a resting entry',
    modify(7, limitOrder(1, true, '1', '2410')),
    { account: resting('2380') },
    "order 7 cancelled and placed again with its stop: the venue's modify would lose it",
  ],
  [
    'a modify of an entry to a trigger',
    modify(7, { ...triggerOrder(1, true, '1', '2500', '2700'), r: false }),
    { account: resting('2380') },
    'order 7 would become a trigger that opens a position; Guard opens only with limit orders',
  ],
  [
    'a modify of the stop of an entry',
    modify(8, triggerOrder(1, false, '1', '2390', '2100')),
    { account: resting('2380') },
    'order 8 waits for its ETH entry and cannot be modified on its own; cancel the entry and place it again with the new stop or take profit',
  ],
  [
    'a modify that loosens',
    modify(21, triggerOrder(1, false, '1', '2430', '2187')),
    { account: long() },
    'the stops of the ETH position would cover less at 2440 or tighter than they do now; a stop may only be tightened, stays a reduce-only market stop with 5% of room, and never gets smaller',
  ],
  [
    'a modify that tightens',
    modify(21, triggerOrder(1, false, '1', '2450.01', '2450')),
    { account: long() },
    "the stop's trigger rounded from 2450.01 to 2450.1, toward the price; the stop's limit moved from 2450 to 2205, 10% beyond its trigger, so that it fills; order 21 replaced by a new order and then cancelled: the venue modifies neither triggers nor into an order that is taken at once",
  ],
  [
    'a modify that is larger than the position it is against',
    modify(7, limitOrder(1, false, '3', '2590')),
    { account: against() },
    'the order that replaces 7 cut from 3 to 1, the size of the ETH position; order 7 cancelled and placed again as reduce-only: it closes a position',
  ],
  [
    'a modify that flips',
    modify(7, limitOrder(1, false, '3', '2590')),
    { account: against(), rules: { flip: 'refuse' } },
    'the modify: 3 against a ETH position of 1 would turn it around; close it first, with at most 1',
  ],
  [
    'a modify that closes',
    modify(7, limitOrder(1, false, '1', '2590')),
    { account: against() },
    'order 7 cancelled and placed again as reduce-only: it closes a position',
  ],
  [
    'a modify of an exit',
    modify(5, limitOrder(1, false, '1', '2590', 'Gtc', true)),
    { account: exit() },
    'the modify: within every rule',
  ],
  [
    'two modifies of exits',
    batch(
      [5, limitOrder(1, false, '1', '2590', 'Gtc', true)],
      [6, limitOrder(1, false, '1', '2590', 'Gtc', true)],
    ),
    { account: exit() },
    '2 modifies: within every rule',
  ],
  [
    'a modify with the flag a',
    { type: 'modify', oid: 5, order: limitOrder(1, false, '1', '2590', 'Gtc', true), a: true },
    { account: exit() },
    'the modify: within every rule',
  ],
  [
    'a modify of an entry with the flag a',
    { type: 'modify', oid: 7, order: limitOrder(1, false, '1', '2590'), a: true },
    { account: against() },
    'the flag a removed from the modify; order 7 cancelled and placed again as reduce-only: it closes a position',
  ],
  ['a leverage', update(3), {}, 'isolated leverage 3 on ETH is within every rule'],
  ['a leverage above the cap', update(6), {}, 'leverage 6 on ETH is above 5 (max_leverage 5)'],
  [
    'a leverage raised',
    update(5),
    { account: levered(4) },
    "leverage 5 on ETH would raise an open position's 4; it may only go down",
  ],
  [
    'a leverage on an account not seen',
    update(3),
    slow,
    'the account could not be seen recently enough to raise the leverage of ETH',
  ],
  [
    'a leverage an entry cannot bear',
    update(4),
    { account: resting('2200') },
    'the liquidation of the ETH entry resting at 2400 would not stay far enough: at leverage 4 it is 23.46% from 2400, and the stop at 2200 needs 24.25% (1.1 times the way to its fill with 10% slippage, and 5%; at least 10%, min_liquidation_distance); a lower leverage would pass',
  ],
  [
    'a cross leverage',
    { type: 'updateLeverage', asset: 1, isCross: true, leverage: 2 },
    {},
    'cross margin on ETH would put the whole account behind it; only isolated margin is forwarded',
  ],
  [
    'margin added',
    { type: 'updateIsolatedMargin', asset: 1, isBuy: true, ntli: 5_250_000 },
    {},
    '5.25 USD of isolated margin added to ETH',
  ],
  [
    'margin taken',
    { type: 'updateIsolatedMargin', asset: 1, isBuy: true, ntli: -1 },
    {},
    '0 USD of isolated margin on ETH adds nothing; only more than 0 is forwarded',
  ],
  [
    'a scheduled cancel',
    { type: 'scheduleCancel', time: 5 },
    {},
    'a scheduled cancel at 5 would cancel the stops too; it may only be cleared',
  ],
  ['a scheduled cancel cleared', { type: 'scheduleCancel' }, {}, 'the scheduled cancel is cleared'],
  [
    'the kill switch',
    one(buy()),
    { latched: true },
    'the kill switch is latched: nothing opens until a person releases it at the machine; exits and cancels pass',
  ],
  [
    'the daily loss stop',
    one(buy()),
    { risk: { state: 'halted_for_day', holding: false, lastEquity: null } },
    'the daily loss stop was reached: nothing opens until 00:00 UTC; exits and cancels pass',
  ],
  [
    'the drawdown halt',
    one(buy()),
    { risk: { state: 'stopped', holding: false, lastEquity: null } },
    'the drawdown halt was reached: nothing opens until a person reviews it and runs `guard resume`; exits and cancels pass',
  ],
  [
    'the daily loss stop with its figures',
    one(buy()),
    {
      risk: {
        state: 'halted_for_day',
        holding: false,
        lastEquity: null,
        detail: { until_ms: 86_400_000, equity: '9400', day_start: '10000', limit: '0.06' },
      },
    },
    'the daily loss stop was reached at 9400 USD, from a day start of 10000 USD (daily_loss_stop 6%): nothing opens until 00:00 UTC; exits and cancels pass',
  ],
  [
    'the drawdown halt with its figures',
    one(buy()),
    {
      risk: {
        state: 'stopped',
        holding: false,
        lastEquity: null,
        detail: { equity: '7499.999', peak: '10000', limit: '0.25' },
      },
    },
    'the drawdown halt was reached at 7500 USD, from a peak of 10000 USD (drawdown_halt 25%): nothing opens until a person reviews it and runs `guard resume`; exits and cancels pass',
  ],
  [
    'a drop being explained',
    one(buy()),
    { risk: { state: 'active', holding: true, lastEquity: null } },
    'a drop of the equity is being explained: nothing opens for up to 10 s',
  ],
]

test.each(rows)('%s', (_, json, spec, text) => {
  expect(judged(json, spec).text).toBe(text)
})
