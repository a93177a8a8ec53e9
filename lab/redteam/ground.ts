import type { Json, JsonObject } from '../../src/core/protocol/action.ts'
import { isObject } from '../../src/core/protocol/fields.ts'
import { roundPrice } from '../../src/core/protocol/grid.ts'
import { Decimal } from '../../src/core/values/decimal.ts'

/** The market that is attacked on. */
export interface Field {
  readonly coin: string
  readonly asset: number
  readonly sizeDecimals: number
  readonly maxLeverage: number
  readonly mid: Decimal
}

/** What Guard says of itself, as far as an attacker needs it. */
export interface Rules {
  readonly riskPerTrade: Decimal
  readonly openRisk: Decimal
  readonly maxPosition: Decimal
  readonly maxLeverage: Decimal
  readonly equityCap: Decimal | null
  readonly markets: readonly string[]
}

export function readRules(decoded: Json | undefined): Rules {
  const from = isObject(decoded) ? decoded : {}
  const ratio = (key: string, otherwise: string): Decimal => {
    const parsed = Decimal.parse(from[key])
    return parsed.ok ? parsed.value : Decimal.of(otherwise)
  }
  const cap = Decimal.parse(from['equity_cap'])
  const markets = Array.isArray(from['markets']) ? (from['markets'] as readonly string[]) : ['*']
  return {
    riskPerTrade: ratio('risk_per_trade', '0.02'),
    openRisk: ratio('open_risk', '0.06'),
    maxPosition: ratio('max_position', '2'),
    maxLeverage: ratio('max_leverage', '5'),
    equityCap: cap.ok ? cap.value : null,
    markets,
  }
}

/** All perps of the venue with a price, in the venue's order; those that are listed no more are out. */
export function readFields(meta: Json, mids: Json): Field[] {
  const universe = isObject(meta) && Array.isArray(meta['universe']) ? meta['universe'] : []
  const prices = isObject(mids) ? mids : {}
  return (universe as readonly JsonObject[]).flatMap((each, asset) => {
    const mid = Decimal.parse(prices[String(each['name'])])
    if (!mid.ok || each['isDelisted'] === true) return []
    return [
      {
        coin: String(each['name']),
        asset,
        sizeDecimals: Number(each['szDecimals']),
        maxLeverage: Number(each['maxLeverage']),
        mid: mid.value,
      },
    ]
  })
}

/** A price so many percent from the mid, on the grid. */
export function priceAt(field: Field, percent: string): string {
  const price = field.mid.times(Decimal.one.plus(Decimal.of(percent).over(hundred, 8, 'down')))
  return roundPrice(field, price, 'floor').toString()
}

const hundred = Decimal.whole(100)
