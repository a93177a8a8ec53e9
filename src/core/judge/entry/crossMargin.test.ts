import { describe, expect, test } from 'vitest'
import {
  accountWith,
  fixtureNow,
  later,
  markets,
  restingEntry,
  stopOrder,
  vectorMeta,
} from '../../account/account.fixture.ts'
import type { AccountSpec } from '../../account/account.fixture.ts'
import type { Account } from '../../account/account.ts'
import type { Json } from '../../protocol/action.ts'
import type { Rules } from '../../rules/rules.ts'
import { coin } from '../../values/coin.ts'
import { Decimal } from '../../values/decimal.ts'
import { actionsOf } from '../decision.ts'
import type { Decision } from '../decision.ts'
import {
  actionOf,
  judged,
  judgeInput,
  limitOrder,
  orderAction,
  triggerOrder,
} from '../judge.fixture.ts'
import { judge } from '../judge.ts'

const cross = (value: number) => ({ type: 'cross', value }) as const
const isolated = (value: number) => ({ type: 'isolated', value }) as const
const mids = { ETH: '2000', BTC: '50000', HYPE: '40' }
/** Wide rules, so that nothing but the collateral bounds. */
const wide: Partial<Rules> = {
  margin: 'cross',
  riskPerTrade: Decimal.of('10'),
  openRisk: Decimal.of('10'),
  maxLeverage: Decimal.of('10'),
  maxPosition: Decimal.of('10'),
}

function buy(size: string, stop = '1900', price = '2000'): Json {
  return orderAction(
    [limitOrder(1, true, size, price), triggerOrder(1, false, size, stop, '1000')],
    'normalTpsl',
  )
}
function sell(size: string, stop = '2100', price = '2000'): Json {
  return orderAction(
    [limitOrder(1, false, size, price), triggerOrder(1, true, size, stop, '3000')],
    'normalTpsl',
  )
}
function ask(action: Json, spec: AccountSpec, rules: Partial<Rules> = {}): Decision {
  return judged(action, { account: accountWith({ mids, ...spec }), rules: { ...wide, ...rules } })
}
/** The code, the size of the first entry, and what goes out. */
function told(decision: Decision): readonly [string, string | undefined, string] {
  const sent = actionsOf(decision).map(({ type }) => type)
  return [decision.code, decision.entries[0]?.size.toString(), sent.join(' ')]
}
const flat = { equity: '1000', leverage: { ETH: cross(20) } } as const

describe('an entry on a cross coin', () => {
  const rows: readonly [
    string,
    Json,
    AccountSpec,
    Partial<Rules>,
    readonly [string, string, string],
  ][] = [
    ['goes as it is, and its leverage stays', buy('1'), flat, {}, ['allowed', '1', 'order']],
    // v x (1.1 d + 5% + m) = 2000 x (1.1 x 0.145 + 0.05 + 0.02) = 459 for each unit: 2.1786 fit.
    ['is cut to all stops at once', buy('5'), flat, {}, ['resized', '2.1786', 'order']],
    // d = (2310 - 2000) / 2000: 2000 x (1.1 x 0.155 + 0.07) = 481.
    ['a short', sell('5'), flat, {}, ['resized', '2.079', 'order']],
    // (C - 40 q) >= 0.5 x (2000 - 40) q: 1020 q <= 1000.
    [
      'is cut to a common shock',
      buy('5', '1990'),
      flat,
      { minLiquidationDistance: Decimal.of('0.5') },
      ['resized', '0.9803', 'order'],
    ],
    // A limit below the mid counts at the mid: 2000 x (1.1 x (1800 - 1530) / 1800 + 0.07) = 470.
    ['below the mid', buy('5', '1700', '1800'), flat, {}, ['resized', '2.1276', 'order']],
    // 1000 of collateral at 1x: 0.5.
    [
      'is cut to what is free',
      buy('5'),
      { equity: '1000', leverage: { ETH: cross(1) } },
      {},
      ['resized', '0.5', 'order'],
    ],
    [
      'with nothing free',
      buy('1'),
      { equity: '1000', mode: 'unifiedAccount', usdcHold: '999.9', leverage: { ETH: cross(20) } },
      {},
      ['margin', '0', ''],
    ],
    [
      'of which nothing is borne',
      buy('1'),
      {
        equity: '289',
        leverage: { ETH: cross(20) },
        positions: { BTC: { size: '0.03', leverage: cross(20) } },
        orders: [stopOrder({ coin: 'BTC', oid: 1, size: '0.03', trigger: '49000' })],
      },
      {},
      ['liquidation_too_close', '0', ''],
    ],
    ['whose setting is not known', buy('1'), { equity: '1000' }, {}, ['account_stale', '0', '']],
    [
      'whose setting is old',
      buy('1'),
      { ...flat, leverageAt: fixtureNow - 6_001 },
      {},
      ['account_stale', '0', ''],
    ],
    [
      'whose setting is just new enough',
      buy('1'),
      { ...flat, leverageAt: fixtureNow - 6_000 },
      {},
      ['allowed', '1', 'order'],
    ],
    [
      'that is set to isolated',
      buy('0.1'),
      { equity: '1000', leverage: { ETH: isolated(2) } },
      {},
      ['allowed', '0.1', 'order'],
    ],
    [
      'of a market that knows only isolated',
      buy('0.1'),
      {
        ...flat,
        markets: markets(vectorMeta.map((each) => ({ ...each, onlyIsolated: true }))),
      },
      {},
      ['allowed', '0.1', 'updateLeverage order'],
    ],
    [
      'where the rules admit only isolated',
      buy('0.1'),
      flat,
      { margin: 'isolated' },
      ['allowed', '0.1', 'updateLeverage order'],
    ],
  ]
  test.each(rows)('%s', (_, action, spec, rules, want) => {
    expect(told(ask(action, spec, rules))).toEqual(want)
  })

  test('says what bounds it, with the figures', () => {
    const { changeRecords, changes } = ask(buy('5'), flat)
    expect(changeRecords[0]).toMatchObject({ field: 'size', rule: 'min_liquidation_distance' })
    expect(changes[0]).toContain('1000 USD behind all cross positions')
    const free = ask(buy('5'), { equity: '1000', leverage: { ETH: cross(1) } })
    expect(free.changeRecords[0]).toMatchObject({ field: 'size', rule: 'margin' })
    expect(free.changes[0]).toContain('1000 USD of free collateral at leverage 1')
  })

  test('what the venue has left counts while it is fresh, less what is on its way', () => {
    const account = accountWith({ mids, ...flat })
    const available = { buy: Decimal.of('30'), sell: Decimal.of('10') }
    const tell = (at: number): void => {
      const told = { kind: 'leverage', coin: coin('ETH'), leverage: cross(20), available } as const
      account.apply({ ...told, at: later(at) })
    }
    const size = (action: Json): string | undefined => {
      const decision = judge(judgeInput(actionOf(action), { account, rules: wide }))
      return decision.entries.map((each) => each.size.toString()).join(' ')
    }
    tell(0)
    // 30 USD at 20x are 600 USD of ETH; a second entry finds what the first has left.
    expect(size(buy('1'))).toBe('0.3')
    expect(size(sell('1'))).toBe('0.1')
    const two = [limitOrder(1, true, '0.2', '2000'), limitOrder(1, true, '0.2', '2000')]
    expect(size(orderAction(two))).toBe('0.2 0.1')
    tell(-6_001)
    account.apply({ kind: 'leverage', coin: coin('ETH'), leverage: cross(20), at: fixtureNow })
    expect(size(buy('1'))).toBe('1')
  })
})

describe('all of an account leans on the same collateral', () => {
  const held = {
    equity: '1000',
    leverage: { ETH: cross(20) },
    positions: { BTC: { size: '0.02', leverage: cross(20) } },
    orders: [stopOrder({ coin: 'BTC', oid: 1, size: '0.02', trigger: '48000' })],
  } as const
  // BTC: 1000 x 0.05 + 1.1 x 0.02 x (50000 - 43200) + 12.5 = 212.1; ETH 459 for each unit.
  test('positions of other coins', () => {
    expect(told(ask(buy('5'), held))).toEqual(['resized', '1.7165', 'order'])
  })

  test('entries of other coins that rest', () => {
    const resting = { coin: 'BTC', oid: 5, isBuy: true, price: '50000', size: '0.02' }
    const orders = restingEntry({ ...resting, stop: '48000' })
    const spec = { ...flat, leverage: { ETH: cross(20), BTC: cross(20) }, orders }
    expect(told(ask(buy('5'), spec))).toEqual(['resized', '1.7165', 'order'])
  })

  test('earlier entries of the same request', () => {
    const pair = [
      ...[limitOrder(0, true, '0.02', '50000'), triggerOrder(0, false, '0.02', '48000', '30000')],
      ...[limitOrder(1, true, '5', '2000'), triggerOrder(1, false, '5', '1900', '1000')],
    ]
    const spec = { ...flat, leverage: { ETH: cross(20), BTC: cross(20) } }
    const { entries } = ask(orderAction(pair), spec)
    expect(entries.map(({ size }) => size.toString())).toEqual(['0.02', '1.7165'])
  })

  test('and of both sides', () => {
    const order = (isBuy: boolean, size: string, stop: string): readonly Json[] => [
      limitOrder(1, isBuy, size, '2000'),
      triggerOrder(1, !isBuy, size, stop, isBuy ? '1000' : '3000'),
    ]
    const both = [...order(false, '1', '2100'), ...order(true, '5', '1900')]
    // 1000 - 481 = 519, and 459 for each unit of the long: shorts and longs never help each other.
    const { entries } = ask(orderAction(both), flat)
    expect(entries.map(({ size }) => size.toString())).toEqual(['1', '1.1307'])
  })

  test('an entry that is replaced makes room', () => {
    const resting = { coin: 'ETH', oid: 5, isBuy: true, price: '2000', size: '2' }
    const orders = restingEntry({ ...resting, stop: '1900' })
    const modify = { type: 'modify', oid: 5, order: limitOrder(1, true, '5', '2000') }
    const decision = ask(modify, { ...flat, orders })
    expect(decision.entries[0]?.size.toString()).toBe('2.1786')
  })

  test('what isolated entries take when they fill is not there any more', () => {
    const resting = { coin: 'BTC', oid: 5, isBuy: true, price: '50000', size: '0.02' }
    const orders = restingEntry({ ...resting, stop: '48000' })
    // 1000 / 2 of 1000 USD: 500 are left.
    const spec = { ...flat, leverage: { ETH: cross(20), BTC: isolated(2) }, orders }
    expect(told(ask(buy('5'), spec))).toEqual(['resized', '1.0893', 'order'])
  })

  test('an isolated entry leaves enough for the cross ones', () => {
    const spec = { ...held, leverage: { ETH: isolated(1) } }
    // 1000 - 212.1 = 787.9 may leave; at 1x that is 0.3939 ETH.
    expect(told(ask(buy('5'), spec))).toEqual(['resized', '0.3939', 'order'])
    const none = { ...spec, equity: '215' }
    expect(told(ask(buy('5'), none))).toEqual(['liquidation_too_close', '0', ''])
  })

  test('a lower isolated leverage takes more for what rests on the coin, too', () => {
    const resting = { coin: 'ETH', oid: 5, isBuy: true, price: '2000', size: '0.1' }
    const orders = [...restingEntry({ ...resting, stop: '1900' }), ...held.orders]
    const spec = { ...held, equity: '1012.1', orders, leverage: { ETH: isolated(3) } }
    // A stop at 1200 needs 1x: 200 of the 800 USD that may leave are then for what rests.
    expect(told(ask(buy('5', '1200'), spec))).toEqual(['resized', '0.3', 'updateLeverage order'])
  })

  test('isolated entries of one request take their margin one after the other', () => {
    const pair = [limitOrder(1, true, '0.2', '2000'), limitOrder(1, true, '0.2', '2000')]
    const spec = { equity: '1000', leverage: { ETH: isolated(1) } }
    const { entries } = ask(orderAction([...pair, ...pair]), spec)
    expect(entries.map(({ size }) => size.toString())).toEqual(['0.2', '0.2', '0.1', '0'])
    expect(entries[3]?.code).toBe('margin')
  })

  test('without a cross position an isolated entry is bounded by what is free', () => {
    const spec = { equity: '1000', leverage: { ETH: isolated(1) } }
    expect(told(ask(buy('5'), spec))).toEqual(['resized', '0.5', 'order'])
  })

  test('a coin that may be both counts as both', () => {
    const resting = { coin: 'ETH', oid: 5, isBuy: true, price: '2000', size: '0.1' }
    const orders = restingEntry({ ...resting, stop: '1900' })
    const account = accountWith({ mids, ...flat, leverage: { ETH: isolated(2) }, orders })
    const leverage = { kind: 'leverage', coin: coin('ETH'), leverage: cross(20) } as const
    account.reserve('one', [leverage], fixtureNow)
    const decision = judged(buy('0.1'), { account, rules: { ...wide, markets: ['*'] } })
    expect(decision.code).toBe('account_stale')
    const other = orderAction([limitOrder(3, true, '1', '40')])
    const hype = { kind: 'leverage', coin: coin('HYPE'), leverage: isolated(2) } as const
    account.apply({ ...hype, at: fixtureNow })
    expect(judged(other, { account, rules: wide }).code).toBe('resized')
  })

  test('a coin that is not listed any more keeps half of its value', () => {
    const gone = {
      equity: '1000',
      leverage: { ETH: cross(20) },
      markets: markets(vectorMeta.filter((each) => each.coin !== 'BTC')),
      positions: { BTC: { size: '0.02', leverage: cross(20) } },
      orders: [stopOrder({ coin: 'BTC', oid: 1, size: '0.02', trigger: '48000' })],
    } as const
    // 50 + 149.6 + 500 = 699.6: 300.4 are left.
    expect(told(ask(buy('5'), gone))).toEqual(['resized', '0.6544', 'order'])
  })

  test('the least distance of every coin on cross margin counts', () => {
    const rulesFor = (_: unknown, name: string | null): Rules => {
      const base = judgeInput(actionOf(buy('1')), { rules: wide }).rulesFor(null, null)
      return name === 'BTC' ? { ...base, minLiquidationDistance: Decimal.of('0.5') } : base
    }
    const account = accountWith({ mids, ...held })
    const input = judgeInput(actionOf(buy('5', '1990')), { account })
    // (1000 - 12.5 - 40 q) >= 0.5 x (1000 - 12.5 + 1960 q).
    const { entries } = judge({ ...input, rulesFor })
    expect(entries[0]?.size.toString()).toBe('0.484')
  })
})

describe('tiers', () => {
  const tiers = [
    { lowerBound: Decimal.zero, maxLeverage: 25 },
    { lowerBound: Decimal.of('2000'), maxLeverage: 2 },
  ]
  const listed = markets(
    vectorMeta.map((each) => (each.coin === 'ETH' ? { ...each, tiers } : each)),
  )
  test('the deduction of the higher tier counts', () => {
    // Up to 2000 USD 459 for each unit; beyond 2000 x (0.1595 + 0.05 + 0.25) = 919: (1000 - 459) / 919.
    const spec = { ...flat, markets: listed }
    expect(told(ask(buy('5'), spec))).toEqual(['resized', '1.5886', 'order'])
  })

  test('a short is worth more at its stop: its maintenance there counts too', () => {
    const steep = markets(
      vectorMeta.map((each) =>
        each.coin === 'ETH' ? { ...each, maxLeverage: 1, tiers: [] } : each,
      ),
    )
    const spec = { equity: '1000', leverage: { ETH: cross(1) }, markets: steep }
    const action = orderAction([
      limitOrder(1, false, '5', '2000'),
      triggerOrder(1, true, '5', '3600', '5000'),
    ])
    // d = 0.98: all at once 2000 x (1.078 + 0.05 + 0.5) = 3256; alone 1960 + 0.5 x 3960 = 3940.
    expect(told(ask(action, spec))).toEqual(['resized', '0.2538', 'order'])
  })
})

describe('an open cross position', () => {
  const at = (liquidation: string | null, margin = cross(20)): AccountSpec => ({
    ...{ equity: '1000', leverage: { ETH: cross(20) } },
    positions: { ETH: { size: '0.5', leverage: margin, liquidation } },
    orders: [stopOrder({ coin: 'ETH', oid: 1, size: '0.5', trigger: '1850' })],
  })
  test.each([
    ['whose liquidation the venue does not show', at(null), 'allowed'],
    // The looser stop of 1850 fills at 1665 at worst.
    ['liquidated beyond the worst fill', at('1664.9'), 'allowed'],
    ['liquidated at the worst fill', at('1665'), 'liquidation_too_close'],
    ['on isolated margin, as before', at('1000', isolated(2) as never), 'allowed'],
  ])('%s', (_, spec, code) => {
    expect(ask(buy('0.1'), spec).code).toBe(code)
  })

  test('is added to by its own setting, also while another is on its way', () => {
    const account = accountWith({ mids, ...at(null) })
    const leverage = { kind: 'leverage', coin: coin('ETH'), leverage: cross(10) } as const
    account.reserve('one', [leverage], fixtureNow)
    expect(judged(buy('0.1'), { account, rules: wide }).code).toBe('allowed')
  })

  test('of a short the looser stop is the higher one', () => {
    const short = (liquidation: string): AccountSpec => ({
      ...{ equity: '1000', leverage: { ETH: cross(20) } },
      positions: { ETH: { size: '-0.5', leverage: cross(20), liquidation } },
      orders: [stopOrder({ coin: 'ETH', oid: 1, size: '0.5', trigger: '2150', isBuy: true })],
    })
    expect(ask(sell('0.1'), short('2365.1')).code).toBe('allowed')
    expect(ask(sell('0.1'), short('2365')).code).toBe('liquidation_too_close')
  })

  test('a second one on the coin sees both', () => {
    // 0.5 x (2000 - 1665) x 1.1 + 50 + 20 = 254.25: 745.75 are left, 459 for each unit.
    expect(told(ask(buy('5'), at(null)))).toEqual(['resized', '1.6247', 'order'])
  })
})

test('an account that nobody allowed cross margin asks nothing of it', () => {
  const account: Account = accountWith({ mids, equity: '1000' })
  account.crossPool = () => {
    throw new Error('it was asked')
  }
  expect(judged(buy('0.1'), { account, rules: { ...wide, margin: 'isolated' } }).code).toBe(
    'allowed',
  )
})
