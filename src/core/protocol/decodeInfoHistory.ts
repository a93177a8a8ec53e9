import type { Address } from '../values/address.ts'
import { Decimal } from '../values/decimal.ts'
import type { Result } from '../values/result.ts'
import type { Json, JsonObject } from './action.ts'
import { isObject } from './fields.ts'
import {
  addressOf,
  cloidOrNull,
  coinOf,
  decimalOf,
  decimalOrNull,
  decoding,
  eachOf,
  flagOf,
  isAbsent,
  isBuyOf,
  objectOf,
  textOf,
  timeOf,
  wholeOf,
} from './readJson.ts'
import type { Fill, FundingPayment, LedgerEntry } from './venueState.ts'

/** What happened to the account's money: fills, funding, and everything that is neither. */

export function decodeUserFills(json: Json): Result<readonly Fill[]> {
  return decoding('userFills', () => readFills(json))
}

export function readFills(json: Json | undefined): readonly Fill[] {
  return eachOf(json, 'fills', (each) => {
    const from = objectOf(each, 'fill')
    return {
      coin: coinOf(from, 'coin'),
      isBuy: isBuyOf(from),
      price: decimalOf(from, 'px'),
      size: decimalOf(from, 'sz'),
      startPosition: decimalOf(from, 'startPosition'),
      closedPnl: decimalOf(from, 'closedPnl'),
      fee: decimalOf(from, 'fee'),
      ...(typeof from['feeToken'] === 'string' ? { feeToken: from['feeToken'] } : {}),
      oid: wholeOf(from, 'oid'),
      cloid: cloidOrNull(from, 'cloid'),
      tid: wholeOf(from, 'tid'),
      at: timeOf(from, 'time'),
      ...readForce(from),
    }
  })
}

/** What made a fill, where it was no order. */
function readForce(from: JsonObject): Pick<Fill, 'liquidated' | 'isDeleveraging' | 'isSettlement'> {
  const liquidation = from['liquidation']
  if (!isAbsent(liquidation)) {
    return { liquidated: addressOf(objectOf(liquidation, 'liquidation'), 'liquidatedUser') }
  }
  if (from['dir'] === 'Settlement') return { isSettlement: true }
  return from['dir'] === 'Auto-Deleveraging' ? { isDeleveraging: true } : {}
}

export function decodeUserFundings(json: Json): Result<readonly FundingPayment[]> {
  return decoding('userFunding', () => readFundings(json))
}

/** `/info` nests a payment in `delta`, the stream does not. */
export function readFundings(json: Json | undefined): readonly FundingPayment[] {
  return eachOf(json, 'fundings', (each) => readFunding(objectOf(each, 'funding')))
}

export function readFunding(from: JsonObject): FundingPayment {
  const delta = isObject(from['delta']) ? from['delta'] : from
  return { coin: coinOf(delta, 'coin'), usdc: decimalOf(delta, 'usdc'), at: timeOf(from, 'time') }
}

/** Where the account's equity is counted: the perp balance, or the one USDC balance of a unified account. */
export type EquityPool = 'perp' | 'unified'

/** Reads ledger updates into what each added to the equity of `account`. */
export function decodeLedgerUpdates(
  json: Json,
  account: Address,
  pool: EquityPool = 'perp',
): Result<readonly LedgerEntry[]> {
  return decoding('userNonFundingLedgerUpdates', () => readLedger(json, account, pool))
}

export function readLedger(
  json: Json | undefined,
  account: Address,
  pool: EquityPool,
): readonly LedgerEntry[] {
  return eachOf(json, 'updates', (each) => {
    const from = objectOf(each, 'update')
    const delta = objectOf(from['delta'], 'delta')
    const type = textOf(delta, 'type')
    const at = timeOf(from, 'time')
    const effect = ledgerEffect(type, delta, account, pool)
    const named = effect ?? mayHaveMoved(delta)
    // One transaction may have several rows of a type: the amount tells them apart.
    const id = `${at}:${textOf(from, 'hash')}:${type}:${named.toString()}`
    if (effect === null) return { id, type, usdc: Decimal.zero, unknown: named, at }
    return { id, type, usdc: effect, at }
  })
}

/** Null where nobody can tell what it did: above all for a type that is not known. */
function ledgerEffect(
  type: string,
  delta: JsonObject,
  account: Address,
  pool: EquityPool,
): Decimal | null {
  switch (type) {
    case 'deposit':
    case 'vaultLeaderCommission':
      return decimalOf(delta, 'usdc')
    case 'withdraw':
    case 'vaultCreate':
      return decimalOf(delta, 'usdc').plus(feeOf(delta)).negated()
    case 'vaultDeposit':
    case 'vaultDistribution':
    case 'vaultWithdraw':
      return vaultEffect(type, delta, account)
    case 'internalTransfer':
    case 'subAccountTransfer':
      return transferEffect(delta, account, decimalOf(delta, 'usdc'), feeOf(delta))
    case 'accountClassTransfer': {
      if (pool === 'unified') return Decimal.zero
      const usdc = decimalOf(delta, 'usdc')
      return flagOf(delta, 'toPerp') ? usdc : usdc.negated()
    }
    case 'spotTransfer':
      return pool === 'unified' && isUsdc(delta, 'token')
        ? transferEffect(delta, account, decimalOf(delta, 'amount'), usdcFeeOf(delta))
        : Decimal.zero
    case 'send':
      return sendEffect(delta, account, pool)
    case 'rewardsClaim':
      // To which of the balances of a standard account they go is not known.
      return pool === 'perp' && isUsdc(delta, 'token') ? null : spotEffect(delta, pool)
    case 'spotGenesis':
      return spotEffect(delta, pool)
    case 'deployGasAuction':
      return spotEffect(delta, pool).negated()
    case 'borrowLend':
      return lendingEffect(delta, pool)
    // Fills tell what a liquidation cost; HYPE is staked; what goes to a builder dex stays in the account.
    case 'liquidation':
    case 'cStakingTransfer':
    case 'activateDexAbstraction':
      return Decimal.zero
    default:
      return null
  }
}

/** What came to the spot balance, which a unified account's equity is. */
function spotEffect(delta: JsonObject, pool: EquityPool): Decimal {
  return pool === 'unified' && isUsdc(delta, 'token') ? decimalOf(delta, 'amount') : Decimal.zero
}

/** What is lent to others leaves the balance, what is borrowed joins it; interest is in the amount. */
function lendingEffect(delta: JsonObject, pool: EquityPool): Decimal | null {
  const usdc = spotEffect(delta, pool)
  switch (delta['operation']) {
    case 'withdraw':
    case 'borrow':
      return usdc
    case 'supply':
    case 'repay':
      return usdc.negated()
    default:
      return null
  }
}

/** The USDC that a row names, whichever way it went; none where it is about another token. */
function mayHaveMoved(delta: JsonObject): Decimal {
  const isOther = typeof delta['token'] === 'string' && !isUsdc(delta, 'token')
  const named = Decimal.parse(delta['usdc'] ?? delta['amount'])
  return isOther || !named.ok ? Decimal.zero : named.value.abs()
}

/**
 * What moves between a vault and its followers: the vault's own ledger tells the same row with the
 * other sign. What a withdrawal's closing cost, fills have told; the leader's part leaves the vault.
 */
function vaultEffect(
  type: 'vaultDeposit' | 'vaultDistribution' | 'vaultWithdraw',
  delta: JsonObject,
  account: Address,
): Decimal {
  const isVault = names(delta, 'vault', account)
  if (type === 'vaultWithdraw') {
    const net = decimalOf(delta, 'netWithdrawnUsd')
    return isVault ? net.plus(decimalOrNull(delta, 'commission') ?? Decimal.zero).negated() : net
  }
  const usdc = decimalOf(delta, 'usdc')
  return isVault === (type === 'vaultDeposit') ? usdc : usdc.negated()
}

function transferEffect(
  delta: JsonObject,
  account: Address,
  amount: Decimal,
  fee: Decimal,
): Decimal {
  let effect = Decimal.zero
  if (names(delta, 'user', account)) effect = effect.minus(amount).minus(fee)
  if (names(delta, 'destination', account)) effect = effect.plus(amount)
  return effect
}

/**
 * A send names the balance on both sides: `""` is the main dex, `"spot"` the spot balance, every other
 * name a builder dex. The dexes' balances are one equity, another token than USDC at its face value.
 */
function sendEffect(delta: JsonObject, account: Address, pool: EquityPool): Decimal {
  const isPaidInUsdc = isUsdc(delta, 'token')
  const amount = decimalOf(delta, 'amount')
  if (pool === 'unified') {
    return isPaidInUsdc ? transferEffect(delta, account, amount, usdcFeeOf(delta)) : Decimal.zero
  }
  // Only builder dexes have balances of other tokens.
  const isCounted = (dex: Json | undefined): boolean =>
    typeof dex === 'string' && dex !== 'spot' && (isPaidInUsdc || dex !== '')
  let effect = Decimal.zero
  if (names(delta, 'user', account) && isCounted(delta['sourceDex'])) {
    effect = effect.minus(amount).minus(isPaidInUsdc ? usdcFeeOf(delta) : Decimal.zero)
  }
  if (names(delta, 'destination', account) && isCounted(delta['destinationDex'])) {
    effect = effect.plus(amount)
  }
  return effect
}

function names(delta: JsonObject, key: string, account: Address): boolean {
  const value = delta[key]
  return typeof value === 'string' && value.toLowerCase() === account
}

/** Tokens are named plainly or with their id: `USDC`, `USDC:0x6d1e...`. */
function isUsdc(delta: JsonObject, key: string): boolean {
  const value = delta[key]
  return typeof value === 'string' && (value === 'USDC' || value.startsWith('USDC:'))
}

function feeOf(delta: JsonObject): Decimal {
  return decimalOrNull(delta, 'fee') ?? Decimal.zero
}

/** The fee as far as it is taken in USDC; without a token named it is. */
function usdcFeeOf(delta: JsonObject): Decimal {
  const feeToken = delta['feeToken']
  const isOther = typeof feeToken === 'string' && feeToken !== '' && !isUsdc(delta, 'feeToken')
  return isOther ? Decimal.zero : feeOf(delta)
}
