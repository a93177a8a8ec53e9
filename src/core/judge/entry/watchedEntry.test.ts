import { describe, expect, test } from 'vitest'
import {
  accountWith,
  botCloid,
  fixtureNow,
  openOrder,
  stopOrder,
} from '../../account/account.fixture.ts'
import type { AccountSpec } from '../../account/account.fixture.ts'
import { Decimal } from '../../values/decimal.ts'
import type { Json } from '../../protocol/action.ts'
import type { Rules } from '../../rules/rules.ts'
import type { Decision } from '../decision.ts'
import { judged, limitOrder, orderAction, triggerOrder } from '../judge.fixture.ts'

const mids = { ETH: '4000', BTC: '60000' }
const watched: Partial<Rules> = {
  ...{
    triggerEntries: 'watched',
    dailyLossStop: Decimal.of('0.15'),
    maxLeverage: Decimal.of('10'),
  },
  ...{ riskPerTrade: Decimal.of('0.05'), openRisk: Decimal.of('0.2') },
}
const account = (spec: AccountSpec = {}) => accountWith({ equity: '10000', mids, ...spec })
const ask = (orders: readonly Json[], rules: Partial<Rules> = {}, spec: AccountSpec = {}) =>
  judged(orderAction(orders), { account: account(spec), rules: { ...watched, ...rules } })
const fields = ({ changeRecords }: Decision) => changeRecords.map(({ field }) => field)
/** A buy once the price has risen to 4200. */
const buy = { ...triggerOrder(1, true, '0.1', '4200', '4221'), r: false }
const stop = triggerOrder(1, false, '0.1', '4120', '3700')
const profit = triggerOrder(1, false, '0.1', '4500', '4400', 'tp')

describe('an entry that waits for a trigger', () => {
  test('goes alone, as the first of its action, and out of no group', () => {
    const decision = ask([buy, stop])
    const held = decision.reservations.flat().filter(({ kind }) => kind === 'entry')
    expect(held).toMatchObject([{ index: 0, parent: null }])
    expect(fields(decision)).toEqual(['stop'])
  })

  test('needs no place for a take profit that is sent later', () => {
    const decision = ask([buy, stop, profit], { maxOpenOrders: 2 })
    expect(decision.entries[0]?.code, decision.text).toBe('resized')
    expect(ask([buy, stop, profit], { maxOpenOrders: 1 }).code).toBe('too_many_orders')
  })

  // 0.01% of 10,000 may be lost while Guard is away: 10% of 10 USD, which the venue takes of a sell that
  // counts at 4000; but 0.0025 are worth 9.50 at its limit.
  test.each([
    ['0.0001', 'below_minimum'],
    ['0.00009999', 'open_risk'],
  ])('has the venue’s least left, or nothing, by a daily_loss_stop of %s', (share, code) => {
    const sell = { ...triggerOrder(1, false, '0.1', '3810', '3800'), r: false }
    expect(ask([sell], { dailyLossStop: Decimal.of(share) }).code).toBe(code)
  })

  test('against a position is judged by its own stop alone', () => {
    // Its stop fills at 3888 at worst: 1.1 x 512 / 4400 + 5% = 0.178, and 5x bears (0.2 - 0.02) / 0.98 = 0.1837.
    // The short's stop at 4080 would ask for 1.1 x 728 / 4400 + 5% = 0.232.
    const up = { ...triggerOrder(1, true, '0.1', '4400', '4400'), r: false }
    const own = triggerOrder(1, false, '0.1', '4320', '3800')
    const leverage = { type: 'isolated', value: 5 } as const
    const spec = {
      positions: { ETH: { size: '-0.1', leverage, liquidation: '4700' } },
      orders: [stopOrder({ coin: 'ETH', oid: 20, isBuy: true, size: '0.1', trigger: '4080' })],
    }
    const decision = ask([up, own], {}, spec)
    expect(decision.entries[0], decision.text).toMatchObject({ code: 'resized', leverage: 5 })
  })
})

describe('a modify of one that waits into a limit order', () => {
  // Guard's record has a stop of the bot's at 3800; 2% below the new limit are 3910.2.
  test.each([
    ['keeps the stop that the bot gave it', 'watched', '3800'],
    ['gets one of Guard’s where the rules let none wait any more', 'refuse', '3910.2'],
  ] as const)('%s', (_, triggerEntries, trigger) => {
    const made = account()
    const plans = [[botCloid(1), true, '3800', 'bot']] as const
    made.restoreRecord({ sizes: {}, cloids: [botCloid(1)], promises: { plans, positions: [] } })
    const order = openOrder({
      ...{ coin: 'ETH', oid: 7, isBuy: true, price: '4221', size: '0.1', cloid: botCloid(1) },
      trigger: { price: '4200' },
    })
    made.apply({ kind: 'orders', orders: [order], source: 'read', at: fixtureNow })
    const modify: Json = { type: 'modify', oid: 7, order: limitOrder(1, true, '0.1', '3990') }
    const decision = judged(modify, { account: made, rules: { ...watched, triggerEntries } })
    expect(decision.entries[0]?.stop?.toString(), decision.text).toBe(trigger)
  })
})
