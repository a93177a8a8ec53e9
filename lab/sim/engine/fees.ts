import { Decimal } from '../../../src/core/values/decimal.ts'

export const takerRate = Decimal.of('0.00045')
export const makerRate = Decimal.of('0.00015')
/** What a referred account pays of the exchange fee. */
export const referredFactor = Decimal.of('0.96')

const feeDecimals = 6
/** Builder fees count in tenths of a basis point. */
const builderUnit = Decimal.of('0.00001')

interface Fee {
  /** What the account pays, the builder's part included. */
  readonly total: Decimal
  readonly builder: Decimal | null
}

/** Exchange fee and builder fee are each truncated to six decimals and then added. */
export function feeOf(
  notional: Decimal,
  rate: Decimal,
  discountFactor: Decimal,
  builderTenths: number | null,
): Fee {
  const exchange = notional.times(rate).times(discountFactor).rounded(feeDecimals, 'down')
  if (builderTenths === null) return { total: exchange, builder: null }
  const builder = notional
    .times(builderUnit)
    .times(Decimal.whole(builderTenths))
    .rounded(feeDecimals, 'down')
  return { total: exchange.plus(builder), builder }
}
