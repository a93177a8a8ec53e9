import type { Json } from '../../../core/protocol/action.ts'
import { readClearinghouseState } from '../../../core/protocol/decodeInfoAccount.ts'
import {
  addressOf,
  coinOf,
  decimalOf,
  decoding,
  eachOf,
  isAbsent,
  isBuyOf,
  listOf,
  objectOf,
  textOf,
  timeOf,
  wholeOf,
} from '../../../core/protocol/readJson.ts'
import type { Address } from '../../../core/values/address.ts'
import { Decimal } from '../../../core/values/decimal.ts'
import type { Millis } from '../../../core/values/millis.ts'
import type { Result } from '../../../core/values/result.ts'
import type { FillRow, LiquidationRow, MarginTables, PerpSight, SpotSight } from './told.ts'

/** What the examination reads of answers beyond what Guard itself reads of them. */

export function readTime(json: Json): Result<Millis> {
  return decoding('exchangeStatus', () => timeOf(objectOf(json), 'time'))
}

export function readTables(json: Json): Result<MarginTables> {
  return decoding('metaAndAssetCtxs', () => {
    const meta = objectOf(listOf(json)[0], 'meta')
    const markets = eachOf(meta['universe'], 'universe', (each) => {
      const from = objectOf(each, 'market')
      const maxLeverage = wholeOf(from, 'maxLeverage')
      const table = isAbsent(from['marginTableId']) ? maxLeverage : wholeOf(from, 'marginTableId')
      return { coin: coinOf(from, 'name'), maxLeverage, table }
    })
    const listed = eachOf(meta['marginTables'] ?? [], 'marginTables', (each) => {
      const [id, table] = listOf(each, 'table')
      const tiers = eachOf(objectOf(table, 'table')['marginTiers'], 'marginTiers', (tier) => {
        const from = objectOf(tier, 'tier')
        return { from: decimalOf(from, 'lowerBound'), maxLeverage: wholeOf(from, 'maxLeverage') }
      })
      return [wholeOf({ id: id ?? null }, 'id'), tiers] as const
    })
    return { markets, listed: new Map(listed) }
  })
}

export function readPerp(json: Json): Result<PerpSight> {
  return decoding('clearinghouseState', () => ({
    ...readClearinghouseState(json),
    crossMaintenance: decimalOf(objectOf(json), 'crossMaintenanceMarginUsed'),
  }))
}

export function readSpot(json: Json): Result<SpotSight> {
  return decoding('spotClearinghouseState', () => {
    const from = objectOf(json)
    const usdc = eachOf(from['balances'], 'balances', (each) => objectOf(each, 'balance')).find(
      (each) => each['coin'] === 'USDC',
    )
    const left = from['tokenToAvailableAfterMaintenance']
    const rows = isAbsent(left) ? [] : listOf(left, 'tokenToAvailableAfterMaintenance')
    const own = rows.map((row) => listOf(row, 'row')).find(([token]) => token === 0)
    return {
      total: usdc === undefined ? Decimal.zero : decimalOf(usdc, 'total'),
      hold: usdc === undefined ? Decimal.zero : decimalOf(usdc, 'hold'),
      available: own === undefined ? null : decimalOf({ left: own[1] ?? null }, 'left'),
    }
  })
}

export function readFillRows(json: Json, account: Address): Result<readonly FillRow[]> {
  return decoding('userFills', () => eachOf(json, 'fills', (each) => readFill(each, account)))
}

export function readSlices(json: Json, account: Address): Result<readonly FillRow[]> {
  return decoding('userTwapSliceFills', () =>
    eachOf(json, 'slices', (each) => readFill(objectOf(each, 'slice')['fill'], account)),
  )
}

function readFill(json: Json | undefined, account: Address): FillRow {
  const from = objectOf(json, 'fill')
  const forced = from['liquidation']
  const liquidation = isAbsent(forced) ? null : objectOf(forced, 'liquidation')
  const isOwn = liquidation !== null && addressOf(liquidation, 'liquidatedUser') === account
  return {
    coin: coinOf(from, 'coin'),
    isBuy: isBuyOf(from),
    price: decimalOf(from, 'px'),
    fee: decimalOf(from, 'fee'),
    oid: wholeOf(from, 'oid'),
    tid: wholeOf(from, 'tid'),
    at: timeOf(from, 'time'),
    liquidation: isOwn
      ? { mark: decimalOf(liquidation, 'markPx'), method: textOf(liquidation, 'method') }
      : null,
  }
}

/** The last liquidation among ledger rows; null where there is none. */
export function readLiquidation(json: Json): Result<LiquidationRow | null> {
  return decoding('userNonFundingLedgerUpdates', () => {
    const rows = eachOf(json, 'updates', (each) => objectOf(each, 'update'))
    const found = rows.findLast((row) => objectOf(row['delta'], 'delta')['type'] === 'liquidation')
    if (found === undefined) return null
    const delta = objectOf(found['delta'], 'delta')
    const coins = eachOf(delta['liquidatedPositions'], 'liquidatedPositions', (each) =>
      coinOf(objectOf(each, 'position'), 'coin'),
    )
    return {
      at: timeOf(found, 'time'),
      isCross: delta['leverageType'] === 'Cross',
      coins: new Set(coins),
    }
  })
}

export function readAllowance(
  json: Json,
): Result<{ readonly cap: Decimal; readonly volume: Decimal }> {
  return decoding('userRateLimit', () => {
    const from = objectOf(json)
    return {
      cap: Decimal.whole(wholeOf(from, 'nRequestsCap')),
      volume: decimalOf(from, 'cumVlm'),
    }
  })
}
