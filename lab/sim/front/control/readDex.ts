import type { Json } from '../../../../src/core/protocol/action.ts'
import { coin } from '../../../../src/core/values/coin.ts'
import type { Coin } from '../../../../src/core/values/coin.ts'
import type { Decimal } from '../../../../src/core/values/decimal.ts'
import { spotTokens } from '../../engine/spotPairs.ts'
import type { DexMarketSpec, DexSpec } from '../../engine/venueConfig.ts'
import {
  ControlProblem,
  onlyFields,
  readAddress,
  readChoice,
  readCoinName,
  readFields,
  readList,
  readOptionalDecimal,
  readOptionalText,
} from './problems.ts'
import type { Fields } from './problems.ts'
import { marketFields, readMarketFields } from './readMarket.ts'

export const marginModes = ['normal', 'noCross', 'strictIsolated'] as const

/** The list of builder dexes as `/sim/reset` and a file have it. */
export function readDexes(json: Json | undefined, path: string): readonly DexSpec[] {
  return readList(json, path).map((each, at) => readDex(each, `${path}[${String(at)}]`))
}

/** `{"name","collateral"?,"markets":[...],...}`; a market may be named with or without its dex. */
export function readDex(json: Json | undefined, path: string): DexSpec {
  const fields = readFields(json, path)
  onlyFields(fields, path, [
    ...['name', 'fullName', 'deployer', 'feeRecipient', 'collateral', 'markets'],
    ...['totalOiCap', 'oiSzCapPerPerp', 'maxTransferNtl'],
  ])
  const name = readOptionalText(fields['name'], `${path}.name`) ?? ''
  const fullName = readOptionalText(fields['fullName'], `${path}.fullName`)
  const who = (field: string) =>
    fields[field] === undefined ? {} : { [field]: readAddress(fields[field], `${path}.${field}`) }
  return {
    name,
    ...(fullName === null ? {} : { fullName }),
    ...who('deployer'),
    ...who('feeRecipient'),
    collateral: readChoice(fields['collateral'] ?? 'USDC', `${path}.collateral`, spotTokens),
    ...given('totalCap', readOptionalDecimal(fields['totalOiCap'], `${path}.totalOiCap`)),
    ...given('sizeCap', readOptionalDecimal(fields['oiSzCapPerPerp'], `${path}.oiSzCapPerPerp`)),
    ...given(
      'transferMax',
      readOptionalDecimal(fields['maxTransferNtl'], `${path}.maxTransferNtl`),
    ),
    markets: readList(fields['markets'], `${path}.markets`).map((each, at) =>
      readDexMarket(each, `${path}.markets[${String(at)}]`, name),
    ),
  }
}

export function readDexMarket(json: Json, path: string, dex: string): DexMarketSpec {
  const fields = readFields(json, path)
  onlyFields(fields, path, [
    ...marketFields,
    ...['marginMode', 'growthMode', 'deployerFeeScale', 'lastFeeScaleChangeTime'],
    ...['fundingMultiplier', 'fundingInterestRate', 'cap'],
  ])
  const decimal = (name: string): Decimal | null =>
    readOptionalDecimal(fields[name], `${path}.${name}`)
  const changed = readOptionalText(
    fields['lastFeeScaleChangeTime'],
    `${path}.lastFeeScaleChangeTime`,
  )
  return {
    ...readMarketFields(fields, path),
    coin: prefixed(readCoinName(fields['name'], `${path}.name`), dex),
    ...(fields['marginMode'] === undefined
      ? {}
      : { marginMode: readChoice(fields['marginMode'], `${path}.marginMode`, marginModes) }),
    hasGrowthMode: readGrowth(fields, path),
    ...(changed === null ? {} : { feeScaleChanged: changed }),
    ...given('feeScale', decimal('deployerFeeScale')),
    ...given('fundingMultiplier', decimal('fundingMultiplier')),
    ...given('fundingInterest', decimal('fundingInterestRate')),
    ...given('cap', decimal('cap')),
  }
}

function prefixed(name: Coin, dex: string): Coin {
  return name.includes(':') ? name : coin(`${dex}:${name}`)
}

/** On or off, or as the venue says it. */
function readGrowth(fields: Fields, path: string): boolean {
  const growth = fields['growthMode'] ?? false
  if (typeof growth === 'boolean') return growth
  if (growth === 'enabled' || growth === 'disabled') return growth === 'enabled'
  throw new ControlProblem(
    `${path}.growthMode must be true, false, "enabled" or "disabled", got ${JSON.stringify(growth)}`,
  )
}

function given<Name extends string>(
  name: Name,
  value: Decimal | null,
): { readonly [Each in Name]?: Decimal } {
  return value === null ? {} : ({ [name]: value } as { readonly [Each in Name]: Decimal })
}
