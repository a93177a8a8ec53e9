import type { Address } from '../../../src/core/values/address.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import { unreachable } from '../../../src/core/values/unreachable.ts'
import type { Json } from '../../../src/core/protocol/action.ts'
import { applyAgent } from './agents.ts'
import { crossMargin, isolatedEquity } from './accountMargin.ts'
import { applyLending } from './lending.ts'
import { accountFor, addLedger, freeToWithdraw } from './money.ts'
import { changeMode } from './changeMode.ts'
import { cutPools } from './cutPools.ts'
import { applyMultiSig } from './multiSigUsers.ts'
import { applyOwned } from './ownedAction.ts'
import { refusalOf } from './refusals.ts'
import { applyTopUp } from './riskAction.ts'
import { sum } from './scaled.ts'
import { applyDelegate, applyStakeDeposit, applyStakeWithdraw } from './staking.ts'
import { replyDefault, replyError, texts, volumeGateText } from './texts.ts'
import { ownedBy } from './subAccounts.ts'
import { applyEvmSend, applySendAsset, applySpotSend } from './tokens.ts'
import { applyTwapCancel, applyTwapOrder } from './twaps.ts'
import type { AdminAction, SettableMode } from './venueAction.ts'
import type { Account, World } from './world.ts'

type TokenAction = Extract<
  AdminAction,
  {
    readonly type:
      | 'spotSend'
      | 'sendAsset'
      | 'sendToEvm'
      | 'cDeposit'
      | 'cWithdraw'
      | 'tokenDelegate'
      | 'borrowLend'
  }
>

const referrerVolume = Decimal.of('10000')
const portfolioValue = Decimal.of('10000')
const portfolioVolume = Decimal.of('5000000')
const withdrawalFee = Decimal.one
const requestPrice = Decimal.of('0.0005')
const buildersMax = 10
/** Perp builder fees are at most a tenth of a percent. */
const builderTenthsMax = 100
const rateText = /^(0|[1-9][0-9]*)(?:\.([0-9]+))?%$/

/** Executes everything around trading. */
export function applyAdmin(world: World, account: Account, action: AdminAction): Json {
  switch (action.type) {
    case 'noop':
    case 'evmUserModify':
    case 'setDisplayName':
      return replyDefault
    case 'spotUser':
      account.keepsDust = action.optOut
      return replyDefault
    case 'registerReferrer':
      return registerReferrer(account, action.code)
    case 'setReferrer':
      return setReferrer(account, action.code)
    case 'approveBuilderFee':
      return approveBuilder(account, action.builder, action.maxFeeRate)
    case 'approveAgent':
      return applyAgent(world, account, action.agentAddress, action.agentName)
    case 'usdClassTransfer':
      return classTransfer(world, account, action)
    case 'usdSend':
      return usdSend(world, account, action.destination, action.amount)
    case 'withdraw3':
      return withdraw(world, account, action.amount, action.nonce)
    case 'setAbstraction':
      return setAbstraction(world, account, action)
    case 'setDexAbstraction':
      return setDexAbstraction(world, account, action.user)
    case 'convertToMultiSigUser':
      return applyMultiSig(world, account, action.signers)
    case 'topUpIsolatedOnlyMargin':
      return applyTopUp(world, account, action.asset, action.leverage)
    case 'createSubAccount':
    case 'subAccountModify':
    case 'subAccountTransfer':
    case 'subAccountSpotTransfer':
    case 'createVault':
    case 'vaultModify':
    case 'vaultTransfer':
    case 'vaultDistribute':
      return applyOwned(world, account, action)
    case 'reserveRequestWeight':
      return reserveWeight(world, account, action.weight)
    case 'twapOrder':
      return applyTwapOrder(world, account, action)
    case 'twapCancel':
      return applyTwapCancel(world, account, action.asset, action.twapId)
    case 'refused':
      return replyError(action.text)
    case 'other':
      return replyError(refusalOf(world, account, action.name, action.action ?? {}))
    default:
      return applyTokens(world, account, action)
  }
}

/** Executes what moves tokens beside the perps. */
function applyTokens(world: World, account: Account, action: TokenAction): Json {
  switch (action.type) {
    case 'spotSend':
      return applySpotSend(world, account, action)
    case 'sendAsset':
      return sendAsset(world, account, action)
    case 'sendToEvm':
      return applyEvmSend(world, account, action)
    case 'cDeposit':
      return applyStakeDeposit(world, account, action.wei)
    case 'cWithdraw':
      return applyStakeWithdraw(world, account, action.wei)
    case 'tokenDelegate':
      return applyDelegate(world, account, action.validator, action.wei, action.isUndelegate)
    case 'borrowLend':
      return applyLending(world, account, action.operation, action.token, action.amount)
    default:
      return unreachable(action)
  }
}

function sendAsset(
  world: World,
  account: Account,
  action: Extract<AdminAction, { readonly type: 'sendAsset' }>,
): Json {
  const source = spokenFor(world, account, action.subAccount)
  if (typeof source === 'string') return replyError(source)
  const { destination } = action
  const isOwn =
    destination === account.address || ownedBy(world, account.address, destination) !== null
  return action.isByAgent && !isOwn
    ? replyError(texts.agentSend)
    : applySendAsset(world, source, action)
}

/** The account itself or the sub-account it speaks for; the venue's words where it has no such one. */
function spokenFor(world: World, account: Account, user: Address | null): Account | string {
  if (user === null || user === account.address) return account
  const sub = ownedBy(world, account.address, user)
  return sub?.owner?.kind === 'sub'
    ? sub
    : `Sub-account ${user} is not registered to ${account.address}`
}

function registerReferrer(account: Account, code: string): Json {
  if (account.volume.lt(referrerVolume)) {
    return replyError(volumeGateText('generate referral code', referrerVolume, account.volume))
  }
  account.referralCode = code
  return replyDefault
}

function setDexAbstraction(world: World, account: Account, user: Address | null): Json {
  const target = spokenFor(world, account, user)
  return replyError(typeof target === 'string' ? target : texts.transition)
}

function setAbstraction(
  world: World,
  master: Account,
  action: Extract<AdminAction, { readonly type: 'setAbstraction' }>,
): Json {
  const { mode, isByAgent = false, user = null } = action
  const account = spokenFor(world, master, user)
  if (typeof account === 'string') return replyError(account)
  const isFree = account.mode === 'disabled' && !account.isModeSet
  if (isByAgent && (mode !== 'unifiedAccount' || !isFree)) return replyError(texts.transition)
  if (mode === 'portfolioMargin' && account.mode !== mode && !reachesPortfolio(account)) {
    return replyError(texts.portfolioBar)
  }
  return setMode(world, account, mode)
}

function reachesPortfolio(account: Account): boolean {
  const isolated = [...account.positions.values()].filter(({ isIsolated }) => isIsolated)
  const value = crossMargin(account).value.plus(sum(isolated.map(isolatedEquity)))
  const reached = value.plus(account.mode === 'disabled' ? account.spotCash : Decimal.zero)
  return reached.gte(portfolioValue) || account.volume.gte(portfolioVolume)
}

/** Any code counts as registered except none; a referrer is set once. */
function setReferrer(account: Account, code: string): Json {
  if (code === '') return replyError(texts.referralUnknown)
  if (account.referrer !== null) return replyError(texts.referralSet)
  account.referrer = code
  return replyDefault
}

function approveBuilder(account: Account, builder: Address, rate: string): Json {
  const match = rateText.exec(rate)
  const percent = match === null ? null : Decimal.of(rate.slice(0, -1))
  if (percent === null) return replyError(texts.badBuilderFee)
  const tenths = percent.times(Decimal.whole(1000))
  if (!tenths.eq(tenths.rounded(0, 'down')) || tenths.gt(Decimal.whole(builderTenthsMax))) {
    return replyError(texts.badBuilderFee)
  }
  const fee = Number(tenths.rounded(0, 'down').units)
  if (fee === 0) account.builders.delete(builder)
  else if (!account.builders.has(builder) && account.builders.size >= buildersMax) {
    return replyError(texts.tooManyBuilders)
  } else account.builders.set(builder, fee)
  return replyDefault
}

function classTransfer(
  world: World,
  master: Account,
  {
    amount,
    toPerp,
    subAccount = null,
  }: Extract<AdminAction, { readonly type: 'usdClassTransfer' }>,
): Json {
  const account = spokenFor(world, master, subAccount)
  if (typeof account === 'string') return replyError(account)
  if (account.mode !== 'disabled') return replyError(texts.unified)
  if (!amount.isPositive() || amount.scale > 6) return replyError(texts.invalidSend)
  const from = toPerp ? account.spotCash : freeToWithdraw(world, account)
  if (from.lt(amount)) return replyError(texts.transfer)
  account.spotCash = toPerp ? account.spotCash.minus(amount) : account.spotCash.plus(amount)
  account.cash = toPerp ? account.cash.plus(amount) : account.cash.minus(amount)
  addLedger(world, account, { type: 'accountClassTransfer', usdc: amount, toPerp })
  world.events.push({ kind: 'account', user: account.address })
  return replyDefault
}

function usdSend(world: World, account: Account, destination: Address, amount: Decimal): Json {
  if (account.mode !== 'disabled') return replyError(texts.unified)
  if (!amount.isPositive() || amount.scale > 6) return replyError(texts.invalidSend)
  if (freeToWithdraw(world, account).lt(amount)) return replyError(texts.withdrawal)
  const target = accountFor(world, destination)
  account.cash = account.cash.minus(amount)
  target.cash = target.cash.plus(amount)
  const delta = {
    type: 'internalTransfer' as const,
    usdc: amount,
    user: account.address,
    destination,
    fee: Decimal.zero,
  }
  for (const each of new Set([account, target])) {
    addLedger(world, each, delta)
    world.events.push({ kind: 'account', user: each.address })
  }
  return replyDefault
}

function withdraw(world: World, account: Account, amount: Decimal, nonce: number): Json {
  if (amount.lte(withdrawalFee) || freeToWithdraw(world, account).lt(amount)) {
    return replyError(texts.withdrawal)
  }
  account.cash = account.cash.minus(amount)
  world.deposited = world.deposited.minus(amount)
  const usdc = amount.minus(withdrawalFee)
  addLedger(world, account, { type: 'withdraw', usdc, nonce, fee: withdrawalFee })
  world.events.push({ kind: 'account', user: account.address })
  return replyDefault
}

/** By its owner, as far as the readings allow it. */
function setMode(world: World, account: Account, mode: SettableMode): Json {
  if (mode === account.mode) {
    account.isModeSet = true
    cutPools(world, account)
    return replyDefault
  }
  const { unifiedToStandard, modeChangeWithPositions } = world.options
  if (mode === 'disabled' && unifiedToStandard === 'refuse') return replyError(texts.transition)
  const isInUse = account.positions.size + account.orders.size + account.spotOrders.size > 0
  if (isInUse && modeChangeWithPositions === 'refuse') return replyError(texts.openPositions)
  changeMode(world, account, mode)
  return replyDefault
}

function reserveWeight(world: World, account: Account, weight: number): Json {
  const price = requestPrice.times(Decimal.whole(weight))
  if (freeToWithdraw(world, account).lt(price)) return replyError(texts.withdrawal)
  account.cash = account.cash.minus(price)
  world.feesCollected = world.feesCollected.plus(price)
  world.events.push({ kind: 'account', user: account.address })
  return replyDefault
}
