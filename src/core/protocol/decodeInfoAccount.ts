import type { Address } from '../values/address.ts'
import { Decimal } from '../values/decimal.ts'
import type { Result } from '../values/result.ts'
import type { Json, JsonObject } from './action.ts'
import {
  addressOf,
  coinOf,
  decimalOf,
  decimalOrNull,
  decoding,
  eachOf,
  isAbsent,
  listOf,
  misfit,
  objectOf,
  textOf,
  timeOf,
  wholeOf,
} from './readJson.ts'
import type {
  AccountMode,
  Agent,
  ClearinghouseState,
  Leverage,
  SpotState,
  VenuePosition,
} from './venueState.ts'
import type { Coin } from '../values/coin.ts'

/** The account's own state, as `/info` and the stream show it. */

export function decodeClearinghouseState(json: Json): Result<ClearinghouseState> {
  return decoding('clearinghouseState', () => readClearinghouseState(json))
}

export function readClearinghouseState(json: Json | undefined): ClearinghouseState {
  const from = objectOf(json)
  const positions = eachOf(from['assetPositions'], 'assetPositions', (each) =>
    readPosition(objectOf(objectOf(each, 'element')['position'], 'position')),
  )
  const cross = from['crossMarginSummary']
  return {
    accountValue: decimalOf(objectOf(from['marginSummary'], 'marginSummary'), 'accountValue'),
    ...(isAbsent(cross)
      ? {}
      : { crossValue: decimalOf(objectOf(cross, 'crossMarginSummary'), 'accountValue') }),
    withdrawable: decimalOf(from, 'withdrawable'),
    positions: positions.filter((each) => each !== null),
    time: timeOf(from, 'time'),
  }
}

/** Null for a row without a size: the venue leaves flat coins out, and old answers did not. */
function readPosition(from: JsonObject): VenuePosition | null {
  const size = decimalOf(from, 'szi')
  if (size.isZero()) return null
  return {
    coin: coinOf(from, 'coin'),
    size,
    entryPrice: decimalOf(from, 'entryPx'),
    positionValue: decimalOf(from, 'positionValue'),
    unrealisedPnl: decimalOf(from, 'unrealizedPnl'),
    leverage: readLeverage(from['leverage']),
    liquidationPrice: decimalOrNull(from, 'liquidationPx'),
    marginUsed: decimalOf(from, 'marginUsed'),
    maxLeverage: isAbsent(from['maxLeverage']) ? 1 : wholeOf(from, 'maxLeverage'),
  }
}

export function readLeverage(json: Json | undefined): Leverage {
  const from = objectOf(json, 'leverage')
  const type = from['type']
  if (type !== 'isolated' && type !== 'cross') {
    return misfit('leverage.type', '"isolated" or "cross"', type)
  }
  return { type, value: wholeOf(from, 'value') }
}

export function decodeSpotState(json: Json): Result<SpotState> {
  return decoding('spotClearinghouseState', () => readSpotState(json))
}

export function readSpotState(json: Json | undefined): SpotState {
  const from = objectOf(json)
  const balances = eachOf(from['balances'], 'balances', (each) => objectOf(each, 'balance'))
  const usdc = balances.find((each) => each['coin'] === 'USDC')
  const form = { ...readTokens(balances), ...readSpotForm(from) }
  if (usdc === undefined) return { usdcTotal: Decimal.zero, usdcHold: Decimal.zero, ...form }
  return { usdcTotal: decimalOf(usdc, 'total'), usdcHold: decimalOf(usdc, 'hold'), ...form }
}

/** The contracts of an outcome have no number; they are no token that a pair trades. */
function readTokens(balances: readonly JsonObject[]): Pick<SpotState, 'tokens'> {
  const rows = balances.filter((each) => !isAbsent(each['token']))
  if (rows.length === 0) return {}
  return {
    tokens: new Map(
      rows.map((each) => [
        wholeOf(each, 'token'),
        { total: decimalOf(each, 'total'), hold: decimalOf(each, 'hold') },
      ]),
    ),
  }
}

/** A pooled account has what is left after maintenance, one on portfolio margin says so. */
function readSpotForm(from: JsonObject): Pick<SpotState, 'shape' | 'portfolioRatio'> {
  if (from['portfolioMarginEnabled'] === true) {
    const ratio = decimalOrNull(from, 'portfolioMarginRatio')
    return { shape: 'portfolio', ...(ratio === null ? {} : { portfolioRatio: ratio }) }
  }
  return { shape: isAbsent(from['tokenToAvailableAfterMaintenance']) ? 'standard' : 'pooled' }
}

/** The stored leverage of a coin, position or not, and the coin's mark. */
export interface ActiveAssetData {
  readonly coin: Coin
  readonly leverage: Leverage
  readonly mark: Decimal | null
  /** USD of margin left for a buy and for a sell; null where the venue did not tell it. */
  readonly available: { readonly buy: Decimal; readonly sell: Decimal } | null
}

export function decodeActiveAssetData(json: Json): Result<ActiveAssetData> {
  return decoding('activeAssetData', () => readActiveAssetData(json))
}

export function readActiveAssetData(json: Json | undefined): ActiveAssetData {
  const from = objectOf(json)
  return {
    coin: coinOf(from, 'coin'),
    leverage: readLeverage(from['leverage']),
    mark: decimalOrNull(from, 'markPx'),
    available: readAvailable(from['availableToTrade']),
  }
}

function readAvailable(json: Json | undefined): ActiveAssetData['available'] {
  if (isAbsent(json)) return null
  const [buy, sell] = listOf(json, 'availableToTrade')
  if (buy === undefined || sell === undefined) return null
  return { buy: decimalOf({ buy }, 'buy'), sell: decimalOf({ sell }, 'sell') }
}

const modes: readonly AccountMode[] = [
  'default',
  'disabled',
  'unifiedAccount',
  'portfolioMargin',
  'dexAbstraction',
]

/**
 * A mode that is not known is read as `unknown`: nothing is sized in it. By one reading of the venue an
 * account that never set its mode has none.
 */
export function decodeUserAbstraction(json: Json): Result<AccountMode> {
  return decoding('userAbstraction', () => {
    if (json === null) return 'unknown'
    if (typeof json !== 'string') return misfit('the answer', 'a text', json)
    return modes.find((mode) => mode === json) ?? 'unknown'
  })
}

export type UserRole =
  | { readonly role: 'user' | 'vault' | 'missing' | 'unknown' }
  | { readonly role: 'agent'; readonly user: Address }
  | { readonly role: 'subAccount'; readonly master: Address }

export function decodeUserRole(json: Json): Result<UserRole> {
  return decoding('userRole', () => {
    const from = objectOf(json)
    const role = textOf(from, 'role')
    if (role === 'agent') return { role, user: addressOf(objectOf(from['data'], 'data'), 'user') }
    if (role === 'subAccount') {
      return { role, master: addressOf(objectOf(from['data'], 'data'), 'master') }
    }
    return role === 'user' || role === 'vault' || role === 'missing'
      ? { role }
      : { role: 'unknown' }
  })
}

/** `leadingVaults` of an account: the addresses of the vaults whose leader it is. */
export function decodeLeadingVaults(json: Json): Result<readonly Address[]> {
  return decoding('leadingVaults', () =>
    eachOf(json, 'vaults', (each) => addressOf(objectOf(each, 'vault'), 'address')),
  )
}

/** Named agents only: the unnamed one shows in no list. */
export function decodeExtraAgents(json: Json): Result<readonly Agent[]> {
  return decoding('extraAgents', () =>
    eachOf(json, 'agents', (each) => {
      const from = objectOf(each, 'agent')
      return {
        address: addressOf(from, 'address'),
        name: textOf(from, 'name'),
        validUntil: timeOf(from, 'validUntil'),
      }
    }),
  )
}

export interface UserRateLimit {
  readonly requestsUsed: number
  readonly requestsCap: number
}

export function decodeUserRateLimit(json: Json): Result<UserRateLimit> {
  return decoding('userRateLimit', () => {
    const from = objectOf(json)
    return {
      requestsUsed: wholeOf(from, 'nRequestsUsed'),
      requestsCap: wholeOf(from, 'nRequestsCap'),
    }
  })
}

/** Perp rates as fractions of the value; a negative maker rate is a rebate. */
interface UserFees {
  readonly takerRate: Decimal
  readonly makerRate: Decimal
}

export function decodeUserFees(json: Json): Result<UserFees> {
  return decoding('userFees', () => {
    const from = objectOf(json)
    return {
      takerRate: decimalOf(from, 'userCrossRate'),
      makerRate: decimalOf(from, 'userAddRate'),
    }
  })
}
