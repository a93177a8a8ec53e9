import { describe, expect, test } from 'vitest'
import {
  accountWith,
  market as marketOfSpec,
  restingEntry,
  stopOrder,
} from '../../account/account.fixture.ts'
import type { Json } from '../../protocol/action.ts'
import { Decimal } from '../../values/decimal.ts'
import { judged, limitOrder, orderAction, triggerOrder } from '../judge.fixture.ts'
import { closableLimits } from './closableLimit.ts'

/** HYPE at 40 with a maximum leverage of 10: a market order may be worth 2,000,000 USD. */
const hype = (isBuy: boolean, size: string, price = '40'): Json =>
  orderAction(
    [
      limitOrder(3, isBuy, size, price),
      isBuy
        ? triggerOrder(3, false, size, '39', '35.1')
        : triggerOrder(3, true, size, '41', '45.1'),
    ],
    'normalTpsl',
  )
const rules = {
  ...{ riskPerTrade: Decimal.of('1'), openRisk: Decimal.of('1') },
  ...{ maxLeverage: Decimal.whole(10), maxPosition: Decimal.whole(10) },
}
const rich = { equity: '100000000', mids: { HYPE: '40' } }
const decide = (json: Json, account = accountWith(rich)): ReturnType<typeof judged> =>
  judged(json, { account, rules })

describe('an entry is no larger than what the venue lets out again', () => {
  test('its own stop is one market order', () => {
    expect(decide(hype(true, '50000')).code).toBe('allowed')
    const long = decide(hype(true, '50000.01'))
    expect(long.changeRecords).toEqual([
      { field: 'size', from: '50000.01', to: '50000', rule: 'largest_order' },
    ])
    expect(long.text).toContain(
      "cut from 50000.01 to 50000 by the venue's largest market order on HYPE, 2000000 USD, which its stop must fit into",
    )
  })

  test('the stop of a short is valued at its limit, which is dearer', () => {
    // 2,000,000 / 45.1
    expect(decide(hype(false, '50000')).changeRecords).toEqual([
      { field: 'size', from: '50000', to: '44345.89', rule: 'largest_order' },
    ])
  })

  const held = (size: string, resting = '0') =>
    accountWith({
      ...rich,
      positions: { HYPE: { size, leverage: { type: 'isolated', value: 2 }, liquidation: '22' } },
      orders: [
        stopOrder({ coin: 'HYPE', oid: 1, size, trigger: '39' }),
        ...(resting === '0'
          ? []
          : restingEntry({
              ...{ coin: 'HYPE', oid: 10, isBuy: true, price: '40', size: resting, stop: '39' },
            })),
      ],
    })

  test('all that is held on its side is closed with ten orders', () => {
    const more = decide(hype(true, '20000'), held('470000', '20000'))
    expect(more.changeRecords).toEqual([
      { field: 'size', from: '20000', to: '10000', rule: 'largest_order' },
    ])
    expect(more.text).toContain(
      "what can be closed with 10 orders of the venue's largest market order on HYPE, 2000000 USD",
    )
    const full = decide(hype(true, '20000'), held('500000'))
    expect(full).toMatchObject({
      code: 'position_cap',
      text: "HYPE held and resting on that side is worth 20000000 USD, and more could not be closed with 10 orders of the venue's largest market order on HYPE, 2000000 USD",
    })
  })
})

describe('what may be added is rounded down, and what is held up', () => {
  const market = marketOfSpec({ coin: 'HYPE', asset: 3, sizeDecimals: 2, maxLeverage: 10 })
  test.each([
    // 20,000,000 / 3 = 6,666,666.66..., 2,000,000 / 3 = 666,666.66...
    {
      what: 'nothing held',
      used: '0',
      worth: '3',
      stopLimit: '3',
      one: '666666.66',
      all: '6666666.66',
    },
    // 100 / 3 = 33.33...: 33.34 of it are held.
    {
      what: 'a part held',
      used: '100',
      worth: '3',
      stopLimit: '3',
      one: '666666.66',
      all: '6666633.32',
    },
    // 100 / 2 = 50 are held; the stop is valued at 3.
    {
      what: 'a dearer stop',
      used: '100',
      worth: '2',
      stopLimit: '3',
      one: '666666.66',
      all: '6666616.66',
    },
    {
      what: 'a cheaper stop',
      used: '99',
      worth: '3',
      stopLimit: '2',
      one: '666666.66',
      all: '6666633.66',
    },
    {
      what: 'a lot less than all held',
      used: '19999999.96',
      worth: '3',
      stopLimit: '3',
      one: null,
      all: null,
    },
    {
      what: 'two lots less',
      used: '19999999.94',
      worth: '3',
      stopLimit: '3',
      one: '666666.66',
      all: '0.01',
    },
  ])('$what', ({ used, worth, stopLimit, one, all }) => {
    const [a, b, c] = [used, worth, stopLimit].map((each) => Decimal.of(each))
    const found = closableLimits(market, { used: a!, worth: b!, stopLimit: c! })
    const sizes = found.ok ? found.value.map(({ size }) => size.toString()) : [null, null]
    expect(sizes).toEqual([one, all])
  })
})
