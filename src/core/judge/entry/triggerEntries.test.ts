import { describe, expect, test } from 'vitest'
import {
  accountWith,
  botCloid,
  fixtureNow,
  openOrder,
  restingEntry,
  stopOrder,
} from '../../account/account.fixture.ts'
import type { Account } from '../../account/account.ts'
import type { ReservedOrder } from '../../account/reservation.ts'
import type { Json } from '../../protocol/action.ts'
import { defaultRules } from '../../rules/rules.ts'
import type { Rules } from '../../rules/rules.ts'
import { coin } from '../../values/coin.ts'
import { Decimal } from '../../values/decimal.ts'
import type { Decision } from '../decision.ts'
import { judged, limitOrder, orderAction, triggerOrder, wire } from '../judge.fixture.ts'
import type { JudgeSpec } from '../judge.fixture.ts'

const dec = (text: string): Decimal => Decimal.of(text)
const eth = coin('ETH')
const mids = { ETH: '4000', BTC: '60000' }
const watched: Partial<Rules> = { triggerEntries: 'watched' }
/** Room for all that these tables ask for, but where one of them bounds it. */
const roomy: Partial<Rules> = {
  ...{ ...watched, riskPerTrade: dec('0.05'), openRisk: dec('0.2'), dailyLossStop: dec('0.15') },
  ...{ maxLeverage: dec('10'), maxPosition: dec('10') },
}

/** An order on ETH that waits for a trigger and may open. */
function entry(
  isBuy: boolean,
  size: string,
  trigger: string,
  price: string,
  { tpsl = 'sl' as 'sl' | 'tp', isMarket = true, c = undefined as string | undefined } = {},
) {
  const order = triggerOrder(1, isBuy, size, trigger, price, tpsl, isMarket)
  return { ...order, r: false, ...(c === undefined ? {} : { c }) }
}

function account(spec: Parameters<typeof accountWith>[0] = {}, mark?: string): Account {
  const made = accountWith({ equity: '10000', mids, ...spec })
  if (mark !== undefined) {
    made.apply({ kind: 'mark', coin: eth, mark: dec(mark), at: fixtureNow })
  }
  return made
}

function ask(orders: readonly Json[], spec: JudgeSpec = {}, grouping: Json = 'na'): Decision {
  const given = { account: account(), ...spec, rules: { ...roomy, ...spec.rules } }
  return judged(orderAction(orders, grouping), given)
}

/** The order that goes out, as [limit, trigger], with where its stop is kept. */
function sent(decision: Decision) {
  const forward = decision.forward === null ? null : wire(decision.forward)
  const [first] = (forward?.['orders'] ?? []) as {
    p: string
    t: { trigger: { triggerPx: string } }
  }[]
  const kept = decision.reservations.flat().find((each) => each.kind === 'entry')
  return {
    price: first?.p,
    trigger: first?.t.trigger.triggerPx,
    stop: kept?.stop.toString(),
    worth: kept?.watched?.worth.toString(),
  }
}

describe('the prices that an entry which waits for a trigger is judged at', () => {
  test.each([
    // A far trigger: the limit is no further beyond it than 0.5%, and the stop is 2% from the limit.
    ['a stop-buy as sent', entry(true, '1', '4200', '4210'), '4210', '4200', '4125.8', '4210'],
    ['a stop-buy pulled in', entry(true, '1', '4200', '4600'), '4221', '4200', '4136.6', '4221'],
    ['a stop-sell', entry(false, '1', '3800', '3790'), '3790', '3800', '3865.8', '4000'],
    ['a stop-sell pulled in', entry(false, '1', '3800', '3000'), '3781', '3800', '3856.6', '4000'],
    [
      'a buy of the dip',
      entry(true, '1', '3800', '3900', { tpsl: 'tp' }),
      ...['3819', '3800', '3742.7', '4000'],
    ],
    [
      'a sell of the rally',
      entry(false, '1', '4200', '4100', { tpsl: 'tp' }),
      ...['4179', '4200', '4262.5', '4200'],
    ],
    // One that may rest once it has fired keeps a limit on the passive side.
    [
      'a stop-limit below its trigger',
      entry(true, '1', '4200', '4100', { isMarket: false }),
      ...['4100', '4200', '4018', '4200'],
    ],
    // Near the mark: a market order, whose limit is measured from the mid and reaches the trigger.
    ['a near one', entry(true, '1', '4015', '4600'), '4020', '4015', '3920', '4020'],
    ['a near sell', entry(false, '1', '3985', '3000'), '3980', '3985', '4080', '4000'],
    ['one that is past', entry(true, '1', '3700', '4600'), '4020', '3700', '3920', '4020'],
    ['a past sell', entry(false, '1', '4300', '3000'), '3980', '4300', '4080', '4300'],
    [
      'a past buy of the dip',
      entry(true, '1', '4100', '4600', { tpsl: 'tp' }),
      ...['4020', '4100', '3920', '4100'],
    ],
    [
      'off the grid',
      entry(true, '1', '4200.123', '4210.456'),
      '4210.4',
      '4200.1',
      '4126.2',
      '4210.4',
    ],
  ])('%s', (_, order, price, trigger, stop, worth) => {
    expect(sent(ask([order]))).toEqual({ price, trigger, stop, worth })
  })

  test.each([
    ['a mark above the mid', true, '4019', '4035', '4035', '4035'],
    ['a mark below the mid', false, '3981', '3965', '3965', '4000'],
  ])(
    'a near one reaches its trigger though the mid is far: %s',
    (_, isBuy, mark, trigger, price, worth) => {
      const seen = account({}, mark)
      const decision = ask([entry(isBuy, '1', trigger, isBuy ? '4600' : '3000')], { account: seen })
      expect(sent(decision)).toMatchObject({ price, trigger, worth })
    },
  )

  test('what it is worth is the mark where that is highest', () => {
    const seen = account({}, '4500')
    expect(sent(ask([entry(false, '1', '3800', '3790')], { account: seen })).worth).toBe('4500')
  })

  test.each([
    ['a trigger that is no price', entry(true, '1', '0.00000001', '4200')],
    ['a limit that is no price', entry(true, '1', '3800', '0.00000001', { isMarket: false })],
  ])('%s is refused', (_, order) => {
    expect(ask([order]).code).toBe('invalid')
  })
})

describe('its stop', () => {
  const buy = entry(true, '1', '4200', '4221')

  test.each([
    ['none', [buy], '4136.6', 'guard'],
    ["the bot's", [buy, triggerOrder(1, false, '1', '4000', '3600')], '4000', 'bot'],
    [
      'a stop-limit',
      [buy, triggerOrder(1, false, '1', '4000', '3990', 'sl', false)],
      '4000',
      'bot',
    ],
  ] as const)('is kept by Guard and goes nowhere: %s', (_, orders, stop, stopBy) => {
    for (const grouping of orders.length > 1 ? ['na', 'normalTpsl'] : ['na']) {
      const decision = ask([...orders], {}, grouping)
      expect(decision.forward).toMatchObject({ grouping: 'na', orders: [{ isReduceOnly: false }] })
      expect(decision.forwardMore).toEqual([])
      const [kept] = decision.reservations.flat().filter((each) => each.kind === 'entry')
      expect(kept).toMatchObject({ watched: { stopBy } })
      expect(kept?.stop.toString()).toBe(stop)
    }
  })

  test('the reply shows it as waiting for the fill', () => {
    const decision = ask([buy, triggerOrder(1, false, '1', '4000', '3600')])
    const action = decision.pre.length
    expect(decision.reply.slots).toEqual([
      { kind: 'status', action, index: 0 },
      { kind: 'waiting', action, index: 0 },
    ])
    expect(decision.changes.join('; ')).toContain('is kept by Guard and placed once it fills')
  })

  test('a group is told to be taken apart, and its take profit waits for the fill', () => {
    const stop = triggerOrder(1, false, '1', '4000', '3600')
    const profit = triggerOrder(1, false, '1', '4500', '4400', 'tp')
    const decision = ask([buy, stop, profit], {}, 'normalTpsl')
    expect(decision.reply.slots[2]).toMatchObject({ kind: 'veto' })
    expect(decision.text).toContain('orders[0] goes without its group')
    expect(decision.text).toContain('send it once the entry has filled')
  })

  test('is refused on the wrong side of the limit, and required where the rules say so', () => {
    expect(ask([buy, triggerOrder(1, false, '1', '4221', '3600')])).toMatchObject({
      code: 'stop_wrong_side',
      text: 'the stop at 4221 must be below 4221, the limit',
    })
    expect(ask([buy], { rules: { stop: 'refuse' } }).code).toBe('stop_required')
  })

  test('bounds the size: the entry is cut to it', () => {
    const decision = ask([buy, triggerOrder(1, false, '0.5', '4000', '3600')])
    expect(decision.entries[0]?.size.toString()).toBe('0.5')
  })
})

describe('how large it may be', () => {
  /** An entry on ETH that waits already. */
  function waiting(size: string): Account {
    const made = account()
    const plan: ReservedOrder = {
      ...{ kind: 'entry', index: 0, coin: eth, isBuy: true, size: dec(size), price: dec('4221') },
      ...{ stop: dec('4200'), cloid: botCloid(9), parent: null, mayRest: true },
      watched: {
        trigger: { price: dec('4200'), isMarket: true, tpsl: 'sl' },
        stopBy: 'bot',
        worth: dec('4221'),
      },
    }
    made.reserve('1:0', [plan], fixtureNow)
    return made
  }
  const buy = entry(true, '9', '4200', '4221')
  /** A stop so near that risk bounds nothing. */
  const near = triggerOrder(1, false, '9', '4220', '3700')

  test.each([
    // E = 10,000, daily_loss_stop 15%: 1,500 over 422.1 a unit.
    ['what could be lost while Guard is away', account(), '3.5536', 'daily_loss_stop'],
    // 2 x 4221 x 10% = 844.2 are taken: 655.8 over 422.1.
    ['with one that waits already', waiting('2'), '1.5536', 'daily_loss_stop'],
  ])('is bounded by %s', (_, seen, size, rule) => {
    const decision = ask([buy, near], { account: seen })
    expect(decision.entries[0]?.size.toString()).toBe(size)
    expect(decision.changeRecords.map((each) => each.rule)).toContain(rule)
  })

  test('nothing is left where those that wait could lose a whole day', () => {
    const decision = ask([buy, near], { account: waiting('3.5537') })
    expect(decision.code).toBe('open_risk')
    expect(decision.text).toContain('could lose 1500.02 USD of 1500 USD')
  })

  test.each([
    // 1,500 - 3.5512 x 422.1 = 1.04 USD are left: 0.0024 over 422.1, worth 10.13 USD.
    ['3.5512', 'below_minimum'],
    // 0.0023 would be worth 9.71 USD.
    ['3.5513', 'open_risk'],
  ])('it is cut to what is left beside %s, or refused for it', (size, code) => {
    // The stop's own worst fill is below the entry: the least order is a little more there.
    expect(ask([buy, near], { account: waiting(size) }).code).toBe(code)
  })

  test('those of one request see each other, on either side', () => {
    const sell = entry(false, '9', '3800', '3781')
    const nearSell = triggerOrder(1, true, '9', '3782', '4200')
    const decision = ask([buy, near, sell, nearSell])
    expect(decision.entries.map((each) => each.size.toString())).toEqual(['3.5536', '0'])
    expect(decision.entries[1]?.code).toBe('open_risk')
  })

  test.each([
    ['risk', { riskPerTrade: dec('0.01') }, 'risk_per_trade'],
    ['a position', { maxPosition: dec('0.5'), maxLeverage: dec('1') }, 'max_position'],
    ['leverage', { maxPosition: dec('1'), maxLeverage: dec('1') }, 'max_leverage'],
  ])('is bounded by %s as every entry is', (_, rules, rule) => {
    const decision = ask([buy], { rules })
    expect(decision.changeRecords.map((each) => each.rule)).toContain(rule)
  })

  test('it takes two places: its own and that of its stop', () => {
    const resting = [...Array(4).keys()].map((each) =>
      openOrder({
        coin: 'BTC',
        oid: each + 1,
        isBuy: false,
        price: '70000',
        size: '0.01',
        isReduceOnly: true,
      }),
    )
    const seen = account({ orders: resting })
    expect(ask([buy], { account: seen, rules: { maxOpenOrders: 6 } }).verdict).not.toBe('veto')
    expect(ask([buy], { account: seen, rules: { maxOpenOrders: 5 } }).code).toBe('too_many_orders')
  })

  test('on cross margin it counts at what it is worth', () => {
    const leverage = { ETH: { type: 'cross', value: 10 } } as const
    const seen = account({ leverage })
    const rules = { margin: 'cross' } as const
    const [one, two] = ['0.5', '0.4'].map((size) => entry(true, size, '4200', '4221'))
    const decision = ask([one!, two!], { account: seen, rules })
    expect(decision.entries.map((each) => each.verdict)).toEqual(['resize', 'resize'])
  })
})

describe('against a position', () => {
  const stop = stopOrder({ coin: 'ETH', oid: 20, size: '1', trigger: '3900' })
  const held = (leverage: { type: 'isolated' | 'cross'; value: number }, liquidation = '3000') =>
    account({
      positions: { ETH: { size: '1', leverage, liquidation } },
      orders: [stop],
      leverage: { ETH: leverage },
    })
  const sell = entry(false, '2', '3800', '3790')
  const isolated = { type: 'isolated', value: 3 } as const

  test('it counts in full, is never netted and keeps the leverage of the position', () => {
    const decision = ask([sell], { account: held(isolated) })
    expect(decision.entries[0]).toMatchObject({ verdict: 'resize', leverage: 3 })
    expect(decision.entries[0]?.size.toString()).toBe('2')
    expect(decision.pre).toEqual([])
  })

  test('that leverage must suit it', () => {
    const ten = { type: 'isolated', value: 10 } as const
    expect(ask([sell], { account: held(ten) }).code).toBe('liquidation_too_close')
  })

  test('on cross margin the liquidation of the position says nothing of it', () => {
    const cross = { type: 'cross', value: 10 } as const
    const rules = { margin: 'cross' } as const
    expect(ask([sell], { account: held(cross), rules }).verdict).toBe('resize')
  })

  test('larger than it: vetoed where the rules refuse to turn around', () => {
    expect(ask([sell], { account: held(isolated), rules: { flip: 'refuse' } }).code).toBe('flip')
    const small = entry(false, '1', '3800', '3790')
    const decision = ask([small], { account: held(isolated), rules: { flip: 'refuse' } })
    expect(decision.verdict).toBe('resize')
  })

  test('on its side it is added to it', () => {
    const decision = ask([entry(true, '0.2', '4200', '4210')], { account: held(isolated) })
    expect(decision.entries[0]).toMatchObject({ verdict: 'resize', leverage: 3 })
  })
})

describe('where the rules refuse', () => {
  test.each(['sl', 'tp'] as const)('a %s without the reduce-only flag is told so', (tpsl) => {
    const order = entry(false, '1', '3800', '3700', { tpsl })
    const decision = ask([order], { rules: { triggerEntries: 'refuse' } })
    expect(decision.code).toBe('unsupported_order')
    expect(decision.text).toContain('its reduce-only flag is missing')
  })

  test('one market may be refused, and one that nobody lists is judged by the account', () => {
    const btc = { ...triggerOrder(0, true, '0.1', '63000', '63100'), r: false }
    const rulesFor = (_: unknown, name: unknown) => ({
      ...{ ...defaultRules, ...roomy },
      triggerEntries: name === 'BTC' ? ('refuse' as const) : ('watched' as const),
    })
    const given = { account: account(), rulesFor } as never
    expect(judged(orderAction([btc]), given).code).toBe('unsupported_order')
    const unknown = { ...triggerOrder(999, true, '0.1', '63000', '63100'), r: false }
    expect(judged(orderAction([unknown]), given).code).toBe('unknown_market')
  })

  test('an id that another order has is refused', () => {
    const orders = restingEntry({
      ...{ coin: 'ETH', oid: 7, isBuy: true, price: '3900', size: '0.1', stop: '3800' },
      cloid: botCloid(4),
    })
    const taken = entry(true, '1', '4200', '4221', { c: botCloid(4) })
    expect(ask([taken], { account: account({ orders }) }).code).toBe('invalid')
  })
})

describe('a modify', () => {
  /** A stop-buy of 0.4 that waits at 4200, with its stop in Guard's record. */
  function waits(stopBy: 'bot' | 'guard'): Account {
    const record = {
      plans: [[botCloid(1), true, '4100', stopBy]],
      positions: [],
    } as const
    const made = accountWith({ equity: '10000', mids })
    made.restoreRecord({ sizes: {}, cloids: [botCloid(1)], promises: record })
    const order = openOrder({
      ...{ coin: 'ETH', oid: 7, isBuy: true, price: '4221', size: '0.4', cloid: botCloid(1) },
      trigger: { price: '4200' },
    })
    made.apply({ kind: 'orders', orders: [order], source: 'read', at: fixtureNow })
    return made
  }
  const modify = (order: Json) => ({ type: 'modify', oid: 7, order })
  const change = (order: Json, seen: Account, rules: Partial<Rules> = {}) =>
    judged(modify(order), { account: seen, rules: { ...roomy, ...rules } })
  const moved = entry(true, '0.4', '4300', '4310', { c: botCloid(1) })

  test.each([
    ["keeps the bot's stop", 'bot', {}, '4100'],
    ["moves Guard's own along", 'guard', {}, '4223.8'],
    [
      'keeps what there is where the rules attach none',
      'guard',
      { stop: 'refuse' as const },
      '4100',
    ],
  ] as const)('of one that waits %s', (_, stopBy, rules, stop) => {
    const decision = change(moved, waits(stopBy), rules)
    expect(decision.verdict).toBe('resize')
    const kept = decision.reservations.flat().find((each) => each.kind === 'entry')
    expect(kept?.stop.toString()).toBe(stop)
    expect(kept?.watched?.trigger.price.toString()).toBe('4300')
  })

  test('takes the old one out of what could be lost while Guard is away', () => {
    const rules = { dailyLossStop: dec('0.018') }
    // 0.4 x 4221 x 10% = 168.84 of 180 are taken by the one that goes.
    const decision = change(moved, waits('bot'), rules)
    expect(decision.entries[0]?.size.toString()).toBe('0.4')
    const another = entry(true, '0.4', '4300', '4310')
    const beside = judged(orderAction([another]), {
      account: waits('bot'),
      rules: { ...roomy, ...rules },
    })
    expect(beside.entries[0]?.size.toString()).toBe('0.0258')
  })

  test('into a limit order carries the stop over as one of its own', () => {
    const decision = change({ ...limitOrder(1, true, '0.4', '3990') }, waits('guard'))
    expect(decision.verdict).toBe('resize')
    expect(decision.forwardMore[0]).toMatchObject({ grouping: 'normalTpsl' })
  })

  test('is refused where the rules refuse triggers, also against a position', () => {
    const refuse = { triggerEntries: 'refuse' } as const
    expect(change(moved, waits('bot'), refuse).code).toBe('unsupported_order')
  })

  test.each([
    ['cut', 'resize'],
    ['refuse', 'flip'],
    ['none', 'unsupported_order'],
  ] as const)('into one against a position, %s', (flip, code) => {
    const short = stopOrder({ coin: 'ETH', oid: 20, size: '0.1', trigger: '4100', isBuy: true })
    const seen = accountWith({
      ...{ equity: '10000', mids },
      positions: { ETH: { size: '-0.1', leverage: { type: 'isolated', value: 3 } } },
      orders: [
        ...restingEntry({
          ...{ coin: 'ETH', oid: 7, isBuy: true, price: '3900', size: '0.4', stop: '3800' },
        }),
        short,
      ],
    })
    const rules =
      flip === 'none' ? { triggerEntries: 'refuse' as const } : { flip: flip as Rules['flip'] }
    const decision = change(entry(true, '0.4', '4300', '4310'), seen, rules)
    expect([decision.verdict, decision.code]).toContain(code)
  })
})
