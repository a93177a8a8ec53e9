import { expect, test } from 'vitest'
import { Decimal } from '../values/decimal.ts'
import { decodeMeta } from './decodeMeta.ts'
import { maxLeverageAt } from './marginTiers.ts'
import type { Market } from './market.ts'
import { metaJson } from './venue.fixture.ts'
import { coin } from '../values/coin.ts'

function market(name: string): Market {
  const meta = decodeMeta(metaJson)
  const found = meta.ok ? meta.value.byCoin.get(coin(name)) : undefined
  if (found === undefined) throw new Error(`no ${name}`)
  return found
}

test.each([
  ['BTC', '0', 40],
  ['BTC', '149999999.99', 40],
  ['BTC', '150000000', 20],
  ['BTC', '900000000', 20],
  ['ISO', '0', 3],
  ['ISO', '1000000000', 3],
])('%s at %s USD allows %d', (name, notional, expected) => {
  expect(maxLeverageAt(market(name), Decimal.of(notional))).toBe(expected)
})
