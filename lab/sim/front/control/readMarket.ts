import type { Json } from '../../../../src/core/protocol/action.ts'
import type { MarginTier } from '../../../../src/core/protocol/market.ts'
import type { MarketSpec } from '../../engine/venueConfig.ts'
import {
  onlyFields,
  readCoinName,
  readCount,
  readDecimal,
  readFields,
  readFlag,
  readList,
  readOptionalDecimal,
} from './problems.ts'
import type { Fields } from './problems.ts'

/** What a market may be described by, on any dex. */
export const marketFields = [
  ...['name', 'szDecimals', 'maxLeverage', 'mid', 'mark', 'oracle'],
  ...['onlyIsolated', 'isDelisted', 'marginTiers'],
]

export function readMarket(json: Json, path: string): MarketSpec {
  const fields = readFields(json, path)
  onlyFields(fields, path, marketFields)
  return readMarketFields(fields, path)
}

export function readMarketFields(fields: Fields, path: string): MarketSpec {
  const mark = readOptionalDecimal(fields['mark'], `${path}.mark`)
  const oracle = readOptionalDecimal(fields['oracle'], `${path}.oracle`)
  const tiers = readList(fields['marginTiers'], `${path}.marginTiers`).map((each, at) =>
    readTier(each, `${path}.marginTiers[${String(at)}]`),
  )
  return {
    coin: readCoinName(fields['name'], `${path}.name`),
    sizeDecimals: readCount(fields['szDecimals'], `${path}.szDecimals`),
    maxLeverage: readCount(fields['maxLeverage'], `${path}.maxLeverage`),
    mid: readDecimal(fields['mid'], `${path}.mid`),
    ...(mark === null ? {} : { mark }),
    ...(oracle === null ? {} : { oracle }),
    onlyIsolated: readFlag(fields['onlyIsolated'], `${path}.onlyIsolated`),
    isDelisted: readFlag(fields['isDelisted'], `${path}.isDelisted`),
    ...(tiers.length === 0 ? {} : { tiers }),
  }
}

function readTier(json: Json, path: string): MarginTier {
  const fields = readFields(json, path)
  return {
    lowerBound: readDecimal(fields['lowerBound'], `${path}.lowerBound`),
    maxLeverage: readCount(fields['maxLeverage'], `${path}.maxLeverage`),
  }
}
