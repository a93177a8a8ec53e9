import type { Json, JsonObject } from './action.ts'

/** Answers of our own making, in the venue's field names, types and number formats. */

export const account = '0x2b5ad5c4795c026514f8317c7a215e218dccd6cf'
export const someoneElse = '0x00000000000000000000000000000000000000ee'
const zeroHash = `0x${'0'.repeat(64)}`

export const metaJson = {
  universe: [
    { szDecimals: 5, name: 'BTC', maxLeverage: 40, marginTableId: 56 },
    { szDecimals: 1, name: 'OLD', maxLeverage: 3, marginTableId: 3, isDelisted: true },
    {
      szDecimals: 0,
      name: 'ISO',
      maxLeverage: 3,
      marginTableId: 3,
      onlyIsolated: true,
      marginMode: 'strictIsolated',
    },
    { szDecimals: 4, name: 'ETH', maxLeverage: 25, marginTableId: 55 },
    { szDecimals: 0, name: 'kPEPE', maxLeverage: 10, marginTableId: 52 },
  ],
  marginTables: [
    [
      56,
      {
        description: 'tiered 40x',
        marginTiers: [
          { lowerBound: '0.0', maxLeverage: 40 },
          { lowerBound: '150000000.0', maxLeverage: 20 },
        ],
      },
    ],
    [
      55,
      {
        description: 'tiered 25x, listed from the top',
        marginTiers: [
          { lowerBound: '100000000.0', maxLeverage: 15 },
          { lowerBound: '0.0', maxLeverage: 25 },
        ],
      },
    ],
    [
      52,
      { description: 'no first tier', marginTiers: [{ lowerBound: '3000000.0', maxLeverage: 5 }] },
    ],
  ],
  collateralToken: 0,
} as const satisfies JsonObject

export const positionJson = {
  coin: 'ETH',
  szi: '0.0335',
  leverage: { type: 'isolated', value: 20, rawUsd: '-95.059824' },
  entryPx: '2986.3',
  positionValue: '100.02765',
  unrealizedPnl: '-0.0134',
  returnOnEquity: '-0.0026789',
  liquidationPx: '2866.26936529',
  marginUsed: '4.967826',
  maxLeverage: 50,
  cumFunding: { allTime: '514.085417', sinceOpen: '0.0', sinceChange: '0.0' },
} as const satisfies JsonObject

const summary = {
  accountValue: '13109.482328',
  totalNtlPos: '100.02765',
  totalRawUsd: '13009.454678',
  totalMarginUsed: '4.967826',
}

export const stateJson: JsonObject = {
  marginSummary: summary,
  crossMarginSummary: summary,
  crossMaintenanceMarginUsed: '0.0',
  withdrawable: '13104.514502',
  assetPositions: [{ type: 'oneWay', position: positionJson }],
  time: 1_791_318_606_000,
}

export const orderJson = {
  coin: 'ETH',
  side: 'A',
  limitPx: '2821.1',
  sz: '0.02',
  oid: 62_014_449_551,
  timestamp: 1_791_318_606_000,
  triggerCondition: 'N/A',
  isTrigger: false,
  triggerPx: '0.0',
  children: [],
  isPositionTpsl: false,
  reduceOnly: true,
  orderType: 'Limit',
  origSz: '0.05',
  tif: 'Gtc',
  cloid: null,
} as const satisfies JsonObject

export const fillJson = {
  coin: 'ETH',
  px: '2986.3',
  sz: '0.0335',
  side: 'B',
  time: 1_791_318_606_001,
  startPosition: '0.0',
  dir: 'Open Long',
  closedPnl: '0.0',
  hash: zeroHash,
  oid: 62_014_449_552,
  crossed: true,
  fee: '0.045012',
  tid: 118_906_512_037_719,
  cloid: `0x${'ab'.repeat(16)}`,
  feeToken: 'USDC',
  twapId: null,
} as const satisfies JsonObject

export const updateJson = {
  order: {
    coin: 'ETH',
    side: 'B',
    limitPx: '2986.3',
    sz: '0.0',
    oid: 62_014_449_552,
    timestamp: 1_791_318_606_000,
    origSz: '0.0335',
  },
  status: 'filled',
  statusTimestamp: 1_791_318_606_001,
} as const satisfies JsonObject

export const contextJson = {
  funding: '0.0000125',
  openInterest: '688.11',
  prevDayPx: '15.322',
  dayNtlVlm: '1169046.29406',
  premium: null,
  oraclePx: '14.32',
  markPx: '14.3161',
  midPx: '14.314',
  impactPxs: ['14.3047', '14.3444'],
  dayBaseVlm: '1000.0',
} as const satisfies JsonObject

export function ledgerJson(delta: JsonObject, time = 1_791_318_606_000): Json {
  return { time, hash: zeroHash, delta }
}
