import type { Address } from '../../../src/core/values/address.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import type { Json } from '../../../src/core/protocol/action.ts'
import { accountFor, addLedger, freeToWithdraw } from './money.ts'
import { dexNamed } from './dex/dexReads.ts'
import { addCash, dexPool, mainPool } from './pools.ts'
import type { Pool } from './pools.ts'
import { spotHold } from './spot/spotHold.ts'
import { usdcValue } from './spotPairs.ts'
import type { SpotToken } from './spotPairs.ts'
import { replyDefault, replyError, texts } from './texts.ts'
import type { Account, World } from './world.ts'

/** Spot balances: who has how much of which token, and what it means to send some. */

/** Tokens have at most so many decimals; USDC on the perp side has fewer. */
const tokenScale = 8
const cashScale = 6

export interface TokenSend {
  readonly destination: Address
  readonly token: SpotToken
  readonly amount: Decimal
  readonly nonce: number
}

/** A place where money can lie: a dex by its name, empty for the main one, or the spot balances. */
export type Place = string

const spotPlace: Place = 'spot'

export interface AssetSend extends TokenSend {
  readonly from: Place
  readonly to: Place
}

/** How much of a token may leave the spot side now. */
export function freeSpot(world: World, account: Account, token: SpotToken): Decimal {
  if (token === 'USDC') {
    if (account.mode !== 'disabled') return freeToWithdraw(world, account)
  } else if (account.sharesPools && isCollateral(world, token)) {
    return freeToWithdraw(world, account, token)
  }
  const held = token === 'USDC' ? account.spotCash : (account.tokens.get(token) ?? Decimal.zero)
  return held.minus(spotHold(world, account, token))
}

/** Whether positions of an account that shares its pools lean on its balance of this token. */
function isCollateral(world: World, token: SpotToken): boolean {
  return world.dexes.some((dex) => dex?.collateral === token)
}

/** Adds to (or, negative, takes from) the spot balance of a token. */
export function addSpot(account: Account, token: SpotToken, amount: Decimal): void {
  if (token !== 'USDC') {
    account.tokens.set(token, (account.tokens.get(token) ?? Decimal.zero).plus(amount))
  } else if (account.mode === 'disabled') account.spotCash = account.spotCash.plus(amount)
  else account.cash = account.cash.plus(amount)
}

export function applySpotSend(world: World, account: Account, sent: TokenSend): Json {
  if (account.mode !== 'disabled') return replyError(texts.unified)
  const { token, amount, destination } = sent
  if (!amount.isPositive() || amount.scale > tokenScale) return replyError(texts.invalidSend)
  if (freeSpot(world, account, token).lt(amount)) return replyError(texts.transfer)
  const target = accountFor(world, destination)
  addSpot(account, token, amount.negated())
  addSpot(target, token, amount)
  const delta = {
    ...{ type: 'spotTransfer' as const, token, amount, usdcValue: usdcValue(token, amount) },
    ...{ user: account.address, destination, nonce: sent.nonce },
  }
  for (const each of new Set([account, target])) addLedger(world, each, delta)
  tellBoth(world, account, target)
  return replyDefault
}

/** Leaves for the other chain: nobody here has it afterwards. */
export function applyEvmSend(
  world: World,
  account: Account,
  sent: Omit<TokenSend, 'destination'> & { readonly from: Place },
): Json {
  const { token, amount, from, nonce } = sent
  if (!amount.isPositive() || !holds(world, from, token)) return replyError(texts.invalidSend)
  if (freeAt(world, account, from, token).lt(amount)) return replyError(texts.transfer)
  addAt(world, account, from, token, amount.negated())
  if (token === 'USDC') world.deposited = world.deposited.minus(amount)
  const value = usdcValue(token, amount)
  const user = account.address
  addLedger(world, account, {
    ...{ type: 'spotTransfer', token, amount, usdcValue: value, user, destination: systemAddress },
    nonce,
  })
  world.events.push({ kind: 'account', user })
  return replyDefault
}
/** To whom a ledger says that tokens for the other chain went. */
const systemAddress = '0x2000000000000000000000000000000000000000' as Address

/** Between any two balances, of one account or of two; a dex takes its own token alone. */
export function applySendAsset(world: World, account: Account, sent: AssetSend): Json {
  const { token, amount, destination, from, to } = sent
  const scale = from === spotPlace && to === spotPlace ? tokenScale : cashScale
  const isNothing = destination === account.address && from === to
  const isForeign = !holds(world, from, token) || !holds(world, to, token)
  if (!amount.isPositive() || amount.scale > scale || isNothing || isForeign) {
    return replyError(texts.invalidSend)
  }
  const target = accountFor(world, destination)
  // A unified account has one balance: what goes from one side of it to the other stays where it is.
  if (target === account && account.mode !== 'disabled') return replyError(texts.unified)
  if (freeAt(world, account, from, token).lt(amount)) return replyError(texts.transfer)
  addAt(world, account, from, token, amount.negated())
  addAt(world, target, to, token, amount)
  const delta = {
    ...{ type: 'send' as const, token, amount, usdcValue: usdcValue(token, amount) },
    ...{
      user: account.address,
      destination,
      sourceDex: from,
      destinationDex: to,
    },
    nonce: sent.nonce,
  }
  for (const each of new Set([account, target])) addLedger(world, each, delta)
  tellBoth(world, account, target)
  return replyDefault
}

/** Whether there is such a place and it takes this token. */
function holds(world: World, place: Place, token: SpotToken): boolean {
  if (place === spotPlace) return true
  return place === '' ? token === 'USDC' : dexNamed(world, place)?.collateral === token
}

function freeAt(world: World, account: Account, place: Place, token: SpotToken): Decimal {
  if (place === spotPlace) return freeSpot(world, account, token)
  return freeToWithdraw(world, account, poolAt(world, account, place))
}

function addAt(
  world: World,
  account: Account,
  place: Place,
  token: SpotToken,
  amount: Decimal,
): void {
  if (place === spotPlace) {
    addSpot(account, token, amount)
    return
  }
  const dex = dexNamed(world, place)
  if (dex !== null) dex.netDeposit = dex.netDeposit.plus(amount)
  addCash(account, poolAt(world, account, place), amount)
}

function poolAt(world: World, account: Account, place: Place): Pool {
  const dex = dexNamed(world, place)
  return dex === null ? mainPool : dexPool(account, dex)
}

function tellBoth(world: World, first: Account, second: Account): void {
  for (const { address } of new Set([first, second])) {
    world.events.push({ kind: 'account', user: address })
  }
}
