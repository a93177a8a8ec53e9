import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { demoUser, marketBuy, order, stopChild, TestVenue } from './simulator.fixture.ts'

/**
 * A shape is the fields in their order and the form of each value: `n` a number as text with at
 * least one decimal, `i` a whole number, `s` other text, `b` a flag, `0` null. Lists show their
 * first element; `?` is a list without any.
 */
function shape(json: any): any {
  if (json === null) return '0'
  if (Array.isArray(json)) return json.length === 0 ? '?' : [shape(json[0])]
  if (typeof json === 'object') {
    return Object.entries(json).map(([key, value]) => [key, shape(value)])
  }
  if (typeof json === 'number') return Number.isInteger(json) ? 'i' : 'float'
  if (typeof json === 'boolean') return 'b'
  return /^-?\d+\.\d{1,10}$/.test(json) ? 'n' : 's'
}

/** Written as `field:form` in one line. */
const fields = (text: string): [string, string][] =>
  text.split(' ').map((each) => each.split(':') as [string, string])

const cloid = '0x1234567890abcdef1234567890abcdef'
const frontendOrder = fields(
  'coin:s side:s limitPx:n sz:n oid:i timestamp:i triggerCondition:s isTrigger:b triggerPx:n ' +
    'children:? isPositionTpsl:b reduceOnly:b orderType:s origSz:n tif:s cloid:s',
)
const fill = fields(
  'coin:s px:n sz:n side:s time:i startPosition:n dir:s closedPnl:n hash:s oid:i crossed:b ' +
    'fee:n tid:i feeToken:s twapId:0',
)
const context = [
  ...fields(
    'funding:n openInterest:n prevDayPx:n dayNtlVlm:n premium:n oraclePx:n markPx:n midPx:n',
  ),
  ['impactPxs', ['n']],
  ['dayBaseVlm', 'n'],
]
const summary = fields('accountValue:n totalNtlPos:n totalRawUsd:n totalMarginUsed:n')
const clearinghouse = [
  ['marginSummary', summary],
  ['crossMarginSummary', summary],
  ...fields('crossMaintenanceMarginUsed:n withdrawable:n'),
  [
    'assetPositions',
    [
      [
        ['type', 's'],
        [
          'position',
          [
            ...fields('coin:s szi:n'),
            ['leverage', fields('type:s value:i rawUsd:n')],
            ...fields(
              'entryPx:n positionValue:n unrealizedPnl:n returnOnEquity:n liquidationPx:n ' +
                'marginUsed:n maxLeverage:i',
            ),
            ['cumFunding', fields('allTime:n sinceOpen:n sinceChange:n')],
          ],
        ],
      ],
    ],
  ],
  ['time', 'i'],
]
const level = fields('px:n sz:n n:i')
const candle = fields('t:i T:i s:s i:s o:n c:n h:n l:n v:n n:i')
const trade = [...fields('coin:s side:s px:n sz:n time:i hash:s tid:i'), ['users', ['s']]]
const funding = fields('coin:s usdc:n szi:n fundingRate:n nSamples:0')

let venue: TestVenue
beforeAll(async () => {
  venue = await TestVenue.start()
  await venue.freeze({ leverage: { ETH: { type: 'isolated', value: 3 } } })
  await venue.exchange(marketBuy)
  await venue.exchange(order({ p: '2400', c: cloid }))
  await venue.control('flow', { user: demoUser, amount: '25' })
  await venue.control('clock', { advance_ms: 3_600_000 })
})
afterAll(() => venue.close())

const user = demoUser
const rows: readonly (readonly [request: any, expected: any])[] = [
  [{ type: 'clearinghouseState', user }, clearinghouse],
  [{ type: 'frontendOpenOrders', user }, [frontendOrder.map(([key, form]) => [key, form])]],
  [
    { type: 'openOrders', user },
    [fields('coin:s side:s limitPx:n sz:n oid:i timestamp:i origSz:n cloid:s')],
  ],
  [
    { type: 'orderStatus', user, oid: cloid },
    [
      ['status', 's'],
      ['order', [['order', frontendOrder], ...fields('status:s statusTimestamp:i')]],
    ],
  ],
  [
    { type: 'historicalOrders', user },
    [[['order', frontendOrder], ...fields('status:s statusTimestamp:i')]],
  ],
  [{ type: 'userFills', user }, [fill]],
  [{ type: 'userFillsByTime', user, startTime: 0 }, [fill]],
  [
    { type: 'userFunding', user, startTime: 0 },
    [[...fields('time:i hash:s'), ['delta', [['type', 's'], ...funding]]]],
  ],
  [
    { type: 'userNonFundingLedgerUpdates', user, startTime: 0 },
    [[...fields('time:i hash:s'), ['delta', fields('type:s usdc:n')]]],
  ],
  [
    { type: 'userRateLimit', user },
    fields('cumVlm:n nRequestsUsed:i nRequestsCap:i nRequestsSurplus:i'),
  ],
  [{ type: 'userRole', user }, [['role', 's']]],
  [{ type: 'userAbstraction', user }, 's'],
  [
    { type: 'activeAssetData', user, coin: 'ETH' },
    [
      ...fields('user:s coin:s'),
      ['leverage', fields('type:s value:i rawUsd:n')],
      ['maxTradeSzs', ['n']],
      ['availableToTrade', ['n']],
      ['markPx', 'n'],
    ],
  ],
  [{ type: 'spotClearinghouseState', user }, [['balances', '?']]],
  [{ type: 'exchangeStatus' }, fields('time:i specialStatuses:0')],
  [{ type: 'l2Book', coin: 'ETH' }, [...fields('coin:s time:i'), ['levels', [[level]]]]],
  [
    { type: 'meta' },
    [
      ['universe', [fields('szDecimals:i name:s maxLeverage:i marginTableId:i')]],
      ['marginTables', [['i']]],
      ['collateralToken', 'i'],
    ],
  ],
  [{ type: 'recentTrades', coin: 'ETH' }, [trade]],
  [
    { type: 'candleSnapshot', req: { coin: 'ETH', interval: '1h', startTime: 0, endTime: 9e12 } },
    [candle],
  ],
  [
    { type: 'fundingHistory', coin: 'ETH', startTime: 0 },
    [fields('coin:s fundingRate:n premium:n time:i')],
  ],
  [
    { type: 'marginTable', id: 51 },
    [
      ['description', 's'],
      ['marginTiers', [fields('lowerBound:n maxLeverage:i')]],
    ],
  ],
]

test.each(rows)('%j has the venue’s shape', async (request, expected) => {
  expect(shape(await venue.info(request))).toEqual(expected)
})

test('contexts', async () => {
  const [, contexts] = await venue.info({ type: 'metaAndAssetCtxs' })
  expect(shape(contexts)).toEqual([context])
})

test('a trigger order has no tif, a trigger price and its condition', async () => {
  await venue.exchange({ type: 'order', orders: [stopChild], grouping: 'positionTpsl' })
  const orders = await venue.info({ type: 'frontendOpenOrders', user })
  const stop = orders.find((each: any) => each.isTrigger)
  expect(shape(stop).map(([key]: [string]) => key)).toEqual(frontendOrder.map(([key]) => key))
  expect(stop).toMatchObject({
    ...{ tif: null, triggerPx: '2300.0', triggerCondition: 'Price below 2300' },
    ...{ orderType: 'Stop Market', isPositionTpsl: true },
  })
})

test.each([
  [{ type: 'clearinghouseState', user, dex: 'xyz' }, 500, 'null'],
  [{ type: 'fundingHistory', coin: 'NONE', startTime: 0 }, 500, 'null'],
  [{ type: 'l2Book', coin: 'NONE' }, 200, 'null'],
  [{ type: 'userRole', user: `0x${'9'.repeat(40)}` }, 200, '{"role":"missing"}'],
  [{ type: 'noSuchInfoType' }, 422, 'Failed to deserialize the JSON body into the target type'],
  [{ type: 'openOrders' }, 422, 'Failed to deserialize the JSON body into the target type'],
])('%j', async (request, status, text) => {
  const answer = await venue.send('POST', '/info', request)
  expect([answer.status, answer.text]).toEqual([status, text])
})

/** The recordings are not part of this repository; where they lie beside it they are walked. */
const vectors = resolve(import.meta.dirname, '..', '..', '..', 'shared', 'vectors')
const isRecorded = existsSync(join(vectors, 'responses'))
const recorded = (name: string): any => JSON.parse(readFileSync(join(vectors, name), 'utf8'))

/** Fields that answers of older years have or lack. */
const changed = new Set(['maxTradeSzs', 'cloid', 'nRequestsSurplus', 'cumFunding', 'maxLeverage'])
const ours: { readonly [file: string]: any } = {
  py_extra_agents: null,
  py_get_frontend_open_orders: { type: 'frontendOpenOrders', user },
  py_get_l2_snapshot_1: { type: 'l2Book', coin: 'ETH' },
  py_historical_orders: { type: 'historicalOrders', user },
  py_portfolio: { type: 'portfolio', user },
  py_user_rate_limit: { type: 'userRateLimit', user },
  py_user_role: { type: 'userRole', user },
  py_user_non_funding_ledger_updates_without_end_time: {
    type: 'userNonFundingLedgerUpdates',
    user,
    startTime: 0,
  },
  py_get_candles_snapshot_1: {
    type: 'candleSnapshot',
    req: { coin: 'ETH', interval: '1h', startTime: 0, endTime: 9e12 },
  },
  py_get_funding_history_None_1: { type: 'fundingHistory', coin: 'ETH', startTime: 0 },
  py_user_funding_history_with_end_time: { type: 'userFunding', user, startTime: 0 },
  py_get_user_state: { type: 'clearinghouseState', user },
  nautilus_http_user_fills_dust_conversion: { type: 'userFills', user },
}

/** Every field of a recorded answer is in ours with the same form, in any order of older years. */
function missing(recordedJson: any, own: any, path = ''): string[] {
  if (Array.isArray(recordedJson)) {
    if (!Array.isArray(own)) return [`${path} is no list`]
    if (recordedJson.length === 0 || own.length === 0) return []
    return missing(recordedJson[0], own[0], `${path}[]`)
  }
  if (recordedJson !== null && typeof recordedJson === 'object') {
    return Object.entries(recordedJson).flatMap(([key, value]) => {
      if (changed.has(key)) return []
      if (own === null || typeof own !== 'object' || !(key in own)) return [`${path}.${key}`]
      return missing(value, own[key], `${path}.${key}`)
    })
  }
  const [first, second] = [shape(recordedJson), shape(own)]
  // Null is a form of every optional value; a sample count was once a number.
  return first === second || first === '0' || second === '0' ? [] : [`${path}: ${first} ${second}`]
}

describe.runIf(isRecorded)('recorded answers', () => {
  test.each(Object.entries(ours).filter(([, request]) => request !== null))(
    '%s',
    async (file, request) => {
      const { response } = recorded(`responses/${file}.json`)
      expect(missing(response, await venue.info(request))).toEqual([])
    },
  )

  test('key order of the recent ones', async () => {
    const history = recorded('responses/py_historical_orders.json').response[0]
    const [own] = await venue.info({ type: 'historicalOrders', user })
    expect(Object.keys(own)).toEqual(Object.keys(history))
    expect(Object.keys(own.order)).toEqual(Object.keys(history.order))
    const fills = recorded('responses/nautilus_http_user_fills_dust_conversion.json').response
    const [ownFill] = await venue.info({ type: 'userFills', user })
    expect(Object.keys(ownFill)).toEqual(Object.keys(fills[0]))
  })

  test('every file is either walked here or has nothing of ours to compare', () => {
    const known = [
      ...['py_delegator_history', 'py_user_twap_slice_fills', 'py_user_vault_equities'],
      ...['py_get_all_mids', 'py_get_info', 'py_get_open_orders', 'py_get_user_fills'],
      ...['py_get_user_fills_by_time', 'py_get_funding_history_1684811870000_1'],
      ...['py_user_funding_history_without_end_time', 'nautilus_ws_all_dexs_asset_ctxs'],
      ...['py_user_non_funding_ledger_updates_with_end_time', 'nautilus_ws_user_fill_liquidation'],
    ]
    const files = readdirSync(join(vectors, 'responses')).map((each) => each.replace('.json', ''))
    expect(files.filter((each) => !known.includes(each) && !(each in ours))).toEqual([])
  })

  test('frames of the socket', async () => {
    const socket = await venue.open()
    for (const type of ['l2Book', 'bbo', 'activeAssetCtx', 'trades']) {
      socket.subscribe({ type, coin: 'ETH' })
    }
    socket.subscribe({ type: 'candle', coin: 'ETH', interval: '1m' })
    socket.subscribe({ type: 'activeAssetData', user, coin: 'ETH' })
    socket.subscribe({ type: 'openOrders', user })
    await socket.settled()
    const frames: any[] = recorded('ws_frames.json').frames
    for (const { dir, frame } of frames) {
      if (dir !== 'in' || frame.channel === undefined) continue
      const own = socket.frames.find((each) => each.channel === frame.channel)
      const isOurs = [
        'l2Book',
        'bbo',
        'activeAssetCtx',
        'trades',
        'candle',
        'openOrders',
        'activeAssetData',
      ]
      if (!isOurs.includes(frame.channel)) continue
      expect(own, frame.channel).toBeDefined()
      expect(missing(frame, own), frame.channel).toEqual([])
      expect(Object.keys(own?.data[0] ?? own?.data)).toEqual(
        Object.keys(frame.data[0] ?? frame.data),
      )
    }
  })

  test('exchange answers', async () => {
    const pairs: any[] = recorded('exchange_pairs.json').pairs
    const shapes = new Set(pairs.flatMap(({ response }) => exchangeShapes(response)))
    const asked = [
      marketBuy,
      order({ p: '2400' }),
      order({ p: '2600', tif: 'Alo' }),
      order({ p: '2600', tif: 'Ioc' }, stopChild),
      { type: 'cancel', cancels: [{ a: 1, o: 5 }] },
      { type: 'updateLeverage', asset: 1, isCross: false, leverage: 4 },
      { type: 'updateLeverage', asset: 1, isCross: true, leverage: 4 },
      { type: 'twapCancel', a: 1, t: 5 },
    ]
    for (const action of asked) {
      const { json } = await venue.exchange(action as any)
      for (const each of exchangeShapes(json)) expect(shapes, JSON.stringify(json)).toContain(each)
    }
  })
})

/** The carrier of an answer, once for each status it holds. */
function exchangeShapes(reply: any): string[] {
  if (reply.status !== 'ok') return [JSON.stringify(shape(reply))]
  const { type, data } = reply.response
  if (data === undefined) return [`ok ${type}`]
  const statuses: any[] = data.statuses ?? [data.status]
  return statuses.map(
    (each) => `ok ${type} ${typeof each === 'string' ? 'text' : String(Object.keys(each)[0])}`,
  )
}
