import { describe, expect, test } from 'vitest'
import { address } from '../values/address.ts'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import type { Result } from '../values/result.ts'
import type { Json, JsonObject } from './action.ts'
import {
  decodeActiveAssetData,
  decodeClearinghouseState,
  decodeExtraAgents,
  decodeSpotState,
  decodeUserAbstraction,
  decodeUserFees,
  decodeUserRateLimit,
  decodeUserRole,
} from './decodeInfoAccount.ts'
import { decodeLedgerUpdates, decodeUserFills, decodeUserFundings } from './decodeInfoHistory.ts'
import type { EquityPool } from './decodeInfoHistory.ts'
import { decodeAllMids, decodeFrontendOpenOrders, decodeOrderStatus } from './decodeInfoOrders.ts'
import { decodeMeta, decodeMetaAndAssetCtxs } from './decodeMeta.ts'
import {
  account,
  contextJson,
  fillJson,
  ledgerJson,
  metaJson,
  orderJson,
  positionJson,
  someoneElse,
  stateJson,
} from './venue.fixture.ts'

const d = (text: string): Decimal => Decimal.of(text)

function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.error)
  return result.value
}

describe('meta', () => {
  test('lists every perp by id and by name', () => {
    const markets = value(decodeMeta(metaJson))
    expect([...markets.byAsset.keys()]).toEqual([0, 1, 2, 3, 4])
    expect(markets.byCoin.get(coin('kPEPE'))?.asset).toBe(4)
    expect(markets.byAsset.get(1)).toMatchObject({ isDelisted: true, onlyIsolated: false })
    expect(markets.byAsset.get(2)).toEqual({
      asset: 2,
      coin: 'ISO',
      sizeDecimals: 0,
      maxLeverage: 3,
      tiers: [{ lowerBound: Decimal.zero, maxLeverage: 3 }],
      isDelisted: false,
      onlyIsolated: true,
    })
  })

  test.each([
    [
      'BTC',
      [
        ['0', 40],
        ['150000000', 20],
      ],
    ],
    [
      'ETH',
      [
        ['0', 25],
        ['100000000', 15],
      ],
    ],
    [
      'kPEPE',
      [
        ['0', 10],
        ['3000000', 5],
      ],
    ],
  ])('gives %s its tiers, lowest first', (name, tiers) => {
    const market = value(decodeMeta(metaJson)).byCoin.get(coin(name))
    expect(market?.tiers.map((each) => [each.lowerBound.toString(), each.maxLeverage])).toEqual(
      tiers,
    )
  })

  test.each<[string, JsonObject, string]>([
    [
      'a name twice',
      { ...metaJson, universe: [metaJson.universe[1], metaJson.universe[1]] },
      'universe must be a list of different names',
    ],
    [
      'a table that is not listed',
      { universe: metaJson.universe },
      'marginTableId must be a table in marginTables, not 56',
    ],
    [
      'no leverage',
      { universe: [{ szDecimals: 1, name: 'X' }] },
      'maxLeverage must be a whole number, not missing',
    ],
    [
      'leverage zero',
      { universe: [{ szDecimals: 1, name: 'X', maxLeverage: 0 }] },
      'maxLeverage must be at least 1, not 0',
    ],
    [
      'absurd decimals',
      { universe: [{ szDecimals: 99, name: 'X', maxLeverage: 1 }] },
      'szDecimals must be at most 18, not 99',
    ],
    ['no universe', {}, 'universe must be a list, not missing'],
  ])('with %s is refused', (_what, json, problem) => {
    expect(decodeMeta(json)).toEqual({ ok: false, error: expect.stringContaining(problem) })
  })

  test('an odd name keeps no other market from being read, and its place', () => {
    const { tables: _, ...json } = metaJson as JsonObject
    const odd = { name: '<b>', szDecimals: 1, maxLeverage: 3 }
    const universe = [metaJson.universe[1], odd, { ...odd, name: 'AFTER' }]
    const { byAsset } = value(decodeMeta({ ...json, universe } as JsonObject))
    expect([...byAsset].map(([asset, market]) => [asset, market.coin])).toEqual([
      [0, metaJson.universe[1]?.name],
      [1, '%003cb%003e'],
      [2, 'AFTER'],
    ])
  })

  test('with contexts gives each perp its own', () => {
    const idle = { ...contextJson, midPx: null, markPx: '1.0' }
    const contexts = [contextJson, idle, contextJson, contextJson, contextJson]
    const read = value(decodeMetaAndAssetCtxs([metaJson, contexts]))
    expect(read.contexts.get(coin('BTC'))).toEqual({
      mark: d('14.3161'),
      oracle: d('14.32'),
      openInterest: d('688.11'),
      mid: d('14.314'),
    })
    expect(read.contexts.get(coin('OLD'))).toEqual({
      mark: d('1.0'),
      oracle: d('14.32'),
      openInterest: d('688.11'),
      mid: null,
    })
    expect(read.markets.byAsset.size).toBe(5)
  })
})

describe('clearinghouseState', () => {
  test('is read whole', () => {
    expect(value(decodeClearinghouseState(stateJson))).toEqual({
      accountValue: d('13109.482328'),
      crossValue: d('13109.482328'),
      withdrawable: d('13104.514502'),
      time: 1_791_318_606_000,
      positions: [
        {
          coin: 'ETH',
          size: d('0.0335'),
          entryPrice: d('2986.3'),
          positionValue: d('100.02765'),
          unrealisedPnl: d('-0.0134'),
          leverage: { type: 'isolated', value: 20 },
          liquidationPrice: d('2866.26936529'),
          marginUsed: d('4.967826'),
          maxLeverage: 50,
        },
      ],
    })
  })

  const withPosition = (change: JsonObject): JsonObject => ({
    ...stateJson,
    assetPositions: [{ type: 'oneWay', position: { ...positionJson, ...change } }],
  })

  test('knows a cross position, a short and no liquidation price', () => {
    const change = { szi: '-2.0', leverage: { type: 'cross', value: 3 }, liquidationPx: null }
    const [position] = value(decodeClearinghouseState(withPosition(change))).positions
    expect(position).toMatchObject({
      size: d('-2.0'),
      leverage: { type: 'cross', value: 3 },
      liquidationPrice: null,
    })
  })

  test('leaves out a flat coin', () => {
    const json = withPosition({ szi: '0.0', entryPx: null })
    expect(value(decodeClearinghouseState(json)).positions).toEqual([])
  })

  test.each<[string, Json, string]>([
    [
      'a size as a number',
      withPosition({ szi: 1 }),
      'assetPositions[0].szi must be a plain decimal as a string, not 1',
    ],
    ['an exponent', withPosition({ szi: '1e3' }), 'assetPositions[0].szi must be a plain decimal'],
    [
      'an unknown margin type',
      withPosition({ leverage: { type: 'x', value: 1 } }),
      'assetPositions[0].leverage.type must be "isolated" or "cross", not "x"',
    ],
    [
      'no entry price',
      withPosition({ entryPx: null }),
      'assetPositions[0].entryPx must be a plain decimal',
    ],
    [
      'no summary',
      { ...stateJson, marginSummary: null },
      'marginSummary must be an object, not null',
    ],
    ['no time', { ...stateJson, time: null }, 'time must be a whole number, not null'],
    ['null', null, 'the answer must be an object, not null'],
  ])('with %s is refused', (_what, json, problem) => {
    expect(decodeClearinghouseState(json)).toEqual({
      ok: false,
      error: expect.stringContaining(`clearinghouseState: ${problem}`),
    })
  })
})

test('the spot state is its USDC, zero when there is none', () => {
  const balances = [
    { coin: 'HYPE', token: 150, total: '3.0', hold: '0.0', entryNtl: '90.0' },
    { coin: 'USDC', token: 0, total: '14.625485', hold: '2.5', entryNtl: '0.0' },
  ]
  expect(value(decodeSpotState({ balances }))).toEqual({
    ...{ usdcTotal: d('14.625485'), usdcHold: d('2.5'), shape: 'standard' },
    tokens: new Map([
      [150, { total: d('3.0'), hold: d('0.0') }],
      [0, { total: d('14.625485'), hold: d('2.5') }],
    ]),
  })
  const pooled = { balances, tokenToAvailableAfterMaintenance: [[0, '12.1']] }
  expect(value(decodeSpotState(pooled)).shape).toBe('pooled')
  const portfolio = { ...pooled, portfolioMarginEnabled: true }
  expect(value(decodeSpotState(portfolio))).not.toHaveProperty('portfolioRatio')
  expect(value(decodeSpotState({ ...portfolio, portfolioMarginRatio: '0.146' }))).toMatchObject({
    ...{ shape: 'portfolio', portfolioRatio: d('0.146') },
  })
  expect(value(decodeSpotState({ balances: [] })).usdcTotal.isZero()).toBe(true)
  expect(decodeSpotState({}).ok).toBe(false)
})

describe('open orders', () => {
  const trigger = { isTrigger: true, triggerPx: '2700.0', tif: null }

  test('are read whole', () => {
    const children = [
      { ...orderJson, oid: 7 },
      { ...orderJson, oid: 8 },
    ]
    const [order] = value(decodeFrontendOpenOrders([{ ...orderJson, children }]))
    expect(order).toEqual({
      coin: 'ETH',
      isBuy: false,
      price: d('2821.1'),
      size: d('0.02'),
      originalSize: d('0.05'),
      oid: 62_014_449_551,
      cloid: null,
      at: 1_791_318_606_000,
      isReduceOnly: true,
      trigger: null,
      isPositionTpsl: false,
      children: [7, 8],
    })
  })

  test.each([
    ['Stop Market', { isMarket: true, tpsl: 'sl' }],
    ['Stop Limit', { isMarket: false, tpsl: 'sl' }],
    ['Take Profit Market', { isMarket: true, tpsl: 'tp' }],
    ['Take Profit Limit', { isMarket: false, tpsl: 'tp' }],
    ['Something New', { isMarket: false, tpsl: 'sl' }],
  ])('%s is read as a trigger', (orderType, expected) => {
    const [order] = value(decodeFrontendOpenOrders([{ ...orderJson, ...trigger, orderType }]))
    expect(order?.trigger).toEqual({ price: d('2700.0'), ...expected })
  })

  test('a whole-position stop has size zero', () => {
    const json = {
      ...orderJson,
      ...trigger,
      orderType: 'Stop Market',
      sz: '0.0',
      origSz: '0.0',
      isPositionTpsl: true,
    }
    const [order] = value(decodeFrontendOpenOrders([json]))
    expect(order).toMatchObject({ size: d('0.0'), isPositionTpsl: true })
  })

  test('a side that is none is refused, with its place', () => {
    expect(decodeFrontendOpenOrders([orderJson, { ...orderJson, side: 'X' }])).toEqual({
      ok: false,
      error: 'frontendOpenOrders: orders[1].side must be "B" or "A", not "X"',
    })
  })
})

test('the status of an order, known or not', () => {
  const found = {
    status: 'order',
    order: { order: orderJson, status: 'canceled', statusTimestamp: 5 },
  }
  expect(value(decodeOrderStatus(found))).toMatchObject({
    kind: 'order',
    status: 'canceled',
    at: 5,
    order: { oid: 62_014_449_551 },
  })
  expect(value(decodeOrderStatus({ status: 'unknownOid' }))).toEqual({ kind: 'unknown' })
  expect(decodeOrderStatus({ status: 'other' }).ok).toBe(false)
  expect(decodeOrderStatus(null).ok).toBe(false)
})

test('fills and funding are read', () => {
  expect(value(decodeUserFills([fillJson]))).toEqual([
    {
      coin: 'ETH',
      isBuy: true,
      price: d('2986.3'),
      size: d('0.0335'),
      startPosition: d('0.0'),
      closedPnl: d('0.0'),
      fee: d('0.045012'),
      feeToken: 'USDC',
      oid: 62_014_449_552,
      cloid: `0x${'ab'.repeat(16)}`,
      tid: 118_906_512_037_719,
      at: 1_791_318_606_001,
    },
  ])
  const liquidation = { liquidatedUser: account, markPx: '2980.0', method: 'market' }
  const forced = [
    { ...fillJson, liquidation },
    { ...fillJson, dir: 'Auto-Deleveraging' },
  ]
  expect(value(decodeUserFills(forced))).toMatchObject([
    { liquidated: account },
    { isDeleveraging: true },
  ])
  const delta = {
    type: 'funding',
    coin: 'ETH',
    usdc: '-0.01',
    szi: '1.0',
    fundingRate: '0.0000125',
  }
  const expected = [{ coin: 'ETH', usdc: d('-0.01'), at: 9 }]
  expect(value(decodeUserFundings([{ time: 9, hash: '0x', delta }]))).toEqual(expected)
  expect(value(decodeUserFundings([{ time: 9, ...delta }]))).toEqual(expected)
})

const transfer = { user: account, destination: someoneElse, fee: '1.0' }
const received = { user: someoneElse, destination: account, fee: '1.0' }
const send = {
  type: 'send',
  token: 'USDC',
  amount: '10.0',
  usdcValue: '10.0',
  feeToken: '',
  sourceDex: '',
  destinationDex: '',
}

function lending(operation: string): JsonObject {
  return { type: 'borrowLend', token: 'USDC', operation, amount: '1.5', interestAmount: '0.5' }
}

test.each<[string, JsonObject, string, string]>([
  ['a deposit', { type: 'deposit', usdc: '100.5' }, '100.5', '100.5'],
  [
    'a withdrawal with its fee',
    { type: 'withdraw', usdc: '99.0', nonce: 1, fee: '1.0' },
    '-100',
    '-100',
  ],
  ['to the perps', { type: 'accountClassTransfer', usdc: '5.0', toPerp: true }, '5', '0'],
  ['to the spot side', { type: 'accountClassTransfer', usdc: '5.0', toPerp: false }, '-5', '0'],
  ['a transfer out', { type: 'internalTransfer', usdc: '10.0', ...transfer }, '-11', '-11'],
  ['a transfer in', { type: 'internalTransfer', usdc: '10.0', ...received }, '10', '10'],
  [
    'to a sub-account',
    { type: 'subAccountTransfer', usdc: '3.0', user: account, destination: someoneElse },
    '-3',
    '-3',
  ],
  [
    'from a sub-account',
    {
      type: 'subAccountTransfer',
      usdc: '3.0',
      user: someoneElse,
      destination: account.toUpperCase().replace('X', 'x'),
    },
    '3',
    '3',
  ],
  [
    'a spot transfer out',
    { type: 'spotTransfer', token: 'USDC', amount: '4.0', ...transfer },
    '0',
    '-5',
  ],
  [
    'a spot transfer of something else',
    { type: 'spotTransfer', token: 'HYPE', amount: '4.0', ...transfer },
    '0',
    '0',
  ],
  ['a send from perp to another', { ...send, ...transfer }, '-11', '-11'],
  ['a send from spot to another', { ...send, ...transfer, sourceDex: 'spot' }, '0', '-11'],
  ['a send with a fee in another token', { ...send, ...transfer, feeToken: 'HYPE' }, '-10', '-10'],
  ['a send into the perps', { ...send, ...received, sourceDex: 'spot' }, '10', '10'],
  ['a send into the spot side', { ...send, ...received, destinationDex: 'spot' }, '0', '10'],
  [
    'a send to oneself',
    { ...send, user: account, destination: account, fee: '0.0', destinationDex: 'spot' },
    '-10',
    '0',
  ],
  [
    'a send between dexes of the account',
    { ...send, user: account, destination: account, fee: '0.0', destinationDex: 'xyz' },
    '0',
    '0',
  ],
  [
    'a send from a builder dex to the spot side',
    { ...send, user: account, destination: account, sourceDex: 'xyz', destinationDex: 'spot' },
    '-10',
    '0',
  ],
  [
    'a send of another token to a builder dex, at its face value',
    {
      ...{ ...send, user: account, destination: account, token: 'USDH:0x5', fee: '0.0' },
      ...{ sourceDex: 'spot', destinationDex: 'abc' },
    },
    '10',
    '0',
  ],
  [
    'a send from a builder dex to another',
    { ...send, ...transfer, sourceDex: 'xyz' },
    '-11',
    '-11',
  ],
  ['a send of a token by id', { ...send, ...received, token: 'USDC:0x6d1e' }, '10', '10'],
  ['a send of something else', { ...send, ...transfer, token: 'HYPE:0x1' }, '0', '0'],
  ['into a vault', { type: 'vaultDeposit', vault: someoneElse, usdc: '7.0' }, '-7', '-7'],
  [
    'out of a vault',
    {
      type: 'vaultWithdraw',
      vault: someoneElse,
      user: account,
      requestedUsd: '9.0',
      netWithdrawnUsd: '8.5',
    },
    '8.5',
    '8.5',
  ],
  [
    'a new vault',
    { type: 'vaultCreate', vault: someoneElse, usdc: '100.0', fee: '100.0' },
    '-200',
    '-200',
  ],
  ['into this vault', { type: 'vaultDeposit', vault: account, usdc: '7.0' }, '7', '7'],
  [
    'out of this vault, with its leader’s part',
    {
      ...{ type: 'vaultWithdraw', vault: account, user: someoneElse, requestedUsd: '9.0' },
      ...{ commission: '0.5', closingCost: '0.1', netWithdrawnUsd: '8.4' },
    },
    '-8.9',
    '-8.9',
  ],
  [
    'out of this vault, without one',
    { type: 'vaultWithdraw', vault: account, user: someoneElse, netWithdrawnUsd: '8.0' },
    '-8',
    '-8',
  ],
  [
    'distributed out of this vault',
    { type: 'vaultDistribution', vault: account, usdc: '2.0' },
    '-2',
    '-2',
  ],
  [
    "a vault's distribution",
    { type: 'vaultDistribution', vault: someoneElse, usdc: '2.0' },
    '2',
    '2',
  ],
  [
    'a liquidation, whose fills are counted',
    {
      type: 'liquidation',
      liquidatedNtlPos: '1.0',
      accountValue: '1.0',
      leverageType: 'Cross',
      liquidatedPositions: [],
    },
    '0',
    '0',
  ],
  ['something new', { type: 'newThing', usdc: '1.0' }, '0', '0'],
  ...(['supply', 'withdraw', 'borrow', 'repay'] as const).map(
    (operation): [string, JsonObject, string, string] => [
      ...([`a ${operation} of lending`, lending(operation), '0'] as const),
      operation === 'withdraw' || operation === 'borrow' ? '1.5' : '-1.5',
    ],
  ),
  ['lending of something else', { ...lending('supply'), token: 'HYPE' }, '0', '0'],
  ['rewards', { type: 'rewardsClaim', amount: '3.0', token: 'USDC' }, '0', '3'],
  ['rewards in a token', { type: 'rewardsClaim', amount: '3.0', token: 'HYPE' }, '0', '0'],
  ['the first of a token', { type: 'spotGenesis', token: 'NEW', amount: '3.0' }, '0', '0'],
  ['an auction of gas', { type: 'deployGasAuction', token: 'USDC', amount: '3.0' }, '0', '-3'],
  [
    'staking',
    { type: 'cStakingTransfer', token: 'HYPE', amount: '3.0', isDeposit: true },
    ...(['0', '0'] as const),
  ],
  [
    'money for a builder dex',
    { type: 'activateDexAbstraction', dex: 'xyz', token: 'USDC', amount: '3.0' },
    ...(['0', '0'] as const),
  ],
])('%s changes equity', (_what, delta, perp, unified) => {
  const effect = (pool: EquityPool): string => {
    const [entry] = value(decodeLedgerUpdates([ledgerJson(delta)], address(account), pool))
    expect(entry).toMatchObject({ type: delta['type'], at: 1_791_318_606_000 })
    return entry?.usdc.toString() ?? ''
  }
  expect([effect('perp'), effect('unified')]).toEqual([perp, unified])
})

test.each<[string, JsonObject, EquityPool, string | undefined]>([
  ['USDC', { type: 'newThing', usdc: '-4.5' }, 'perp', '4.5'],
  ['an amount', { type: 'newThing', amount: '4.5' }, 'unified', '4.5'],
  ['an amount of USDC', { type: 'newThing', amount: '4.5', token: 'USDC' }, 'perp', '4.5'],
  ['an amount of a token', { type: 'newThing', amount: '4.5', token: 'HYPE' }, 'perp', '0'],
  ['nothing', { type: 'newThing', usdc: 4.5 }, 'perp', '0'],
  ['lending of a new kind', lending('recall'), 'unified', '1.5'],
  ['rewards to either balance', { type: 'rewardsClaim', amount: '3', token: 'USDC' }, 'perp', '3'],
  ['what is known', { type: 'deposit', usdc: '4.5' }, 'perp', undefined],
])('a row that nobody can account for names %s', (_, delta, pool, named) => {
  const [entry] = value(decodeLedgerUpdates([ledgerJson(delta)], address(account), pool))
  expect(entry?.unknown?.toString()).toBe(named)
})

test.each(['deposit', 'newThing'])('two %s rows of one moment have two ids', (type) => {
  const entries = [
    { type, usdc: '1.0' },
    { type, usdc: '2.0' },
  ].map((each) => ledgerJson(each))
  const ids = value(decodeLedgerUpdates(entries, address(account))).map((each) => each.id)
  expect(new Set(ids).size).toBe(2)
  expect(value(decodeLedgerUpdates(entries, address(account))).map((each) => each.id)).toEqual(ids)
})

test('a deposit without an amount is refused', () => {
  expect(decodeLedgerUpdates([ledgerJson({ type: 'deposit' })], address(account))).toEqual({
    ok: false,
    error:
      'userNonFundingLedgerUpdates: updates[0].usdc must be a plain decimal as a string, not missing',
  })
})

test('mids are read for every market name', () => {
  const mids = value(
    decodeAllMids({ BTC: '84143.5', '@107': '40.98', '#12090': '0.448', 'bad name': '1.0' }),
  )
  expect([...mids].map(([name, mid]) => [name, mid.toString()])).toEqual([
    ['BTC', '84143.5'],
    ['@107', '40.98'],
    ['#12090', '0.448'],
    ['bad%0020name', '1'],
  ])
  expect(decodeAllMids({ BTC: 1 })).toEqual({
    ok: false,
    error: 'allMids: BTC must be a plain decimal as a string, not 1',
  })
})

test('the leverage of a flat coin is read', () => {
  const json = {
    user: account,
    coin: 'ETH',
    leverage: { type: 'cross', value: 20 },
    maxTradeSzs: ['0.0', '0.0'],
    availableToTrade: ['103.239708', '3439.23088'],
    markPx: '3000.5',
  }
  const told = { coin: 'ETH', leverage: { type: 'cross', value: 20 }, mark: d('3000.5') }
  const available = { buy: d('103.239708'), sell: d('3439.23088') }
  expect(value(decodeActiveAssetData(json))).toEqual({ ...told, available })
  for (const availableToTrade of [null, [], ['1.0']]) {
    const less = { ...json, availableToTrade }
    expect(value(decodeActiveAssetData(less))).toEqual({ ...told, available: null })
  }
})

test.each([
  ['default', 'default'],
  ['unifiedAccount', 'unifiedAccount'],
  ['portfolioMargin', 'portfolioMargin'],
  ['disabled', 'disabled'],
  ['dexAbstraction', 'dexAbstraction'],
  ['unknown', 'unknown'],
  ['somethingNew', 'unknown'],
])('account mode %s is %s', (json, mode) => {
  expect(value(decodeUserAbstraction(json))).toBe(mode)
})

test.each<[Json, unknown]>([
  [{ role: 'user' }, { role: 'user' }],
  [{ role: 'missing' }, { role: 'missing' }],
  [
    { role: 'agent', data: { user: account } },
    { role: 'agent', user: account },
  ],
  [
    { role: 'subAccount', data: { master: account } },
    { role: 'subAccount', master: account },
  ],
  [{ role: 'somethingNew' }, { role: 'unknown' }],
])('role %j is read', (json, role) => {
  expect(value(decodeUserRole(json))).toEqual(role)
})

test('agents, rate limits and fees are read', () => {
  const agent = { name: 'bot', address: someoneElse, validUntil: 1_800_000_000_000 }
  expect(value(decodeExtraAgents([agent]))).toEqual([agent])
  const limit = {
    cumVlm: '87197.94',
    nRequestsUsed: 596,
    nRequestsCap: 97_197,
    nRequestsSurplus: 0,
  }
  expect(value(decodeUserRateLimit(limit))).toEqual({ requestsUsed: 596, requestsCap: 97_197 })
  const fees = { userCrossRate: '0.00045', userAddRate: '-0.00003', dailyUserVlm: [] }
  expect(value(decodeUserFees(fees))).toEqual({ takerRate: d('0.00045'), makerRate: d('-0.00003') })
})
