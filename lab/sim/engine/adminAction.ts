import type { Address } from '../../../src/core/values/address.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import { unreachable } from '../../../src/core/values/unreachable.ts'
import type { Json } from '../../../src/core/protocol/action.ts'
import { applyAgent } from './agents.ts'
import { accountFor, addLedger, freeToWithdraw } from './money.ts'
import { applyTopUp } from './riskAction.ts'
import { replyDefault, replyError, texts, volumeGateText } from './texts.ts'
import { applyTwapCancel, applyTwapOrder } from './twaps.ts'
import type { AdminAction, SettableMode } from './venueAction.ts'
import type { Account, World } from './world.ts'

const subAccountVolume = Decimal.of('100000')
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
    case 'registerReferrer':
    case 'claimRewards':
      return replyDefault
    case 'setReferrer':
      return setReferrer(account, action.code)
    case 'approveBuilderFee':
      return approveBuilder(account, action.builder, action.maxFeeRate)
    case 'approveAgent':
      return applyAgent(world, account, action.agentAddress, action.agentName)
    case 'usdClassTransfer':
      return classTransfer(world, account, action.amount, action.toPerp)
    case 'usdSend':
      return usdSend(world, account, action.destination, action.amount)
    case 'withdraw3':
      return withdraw(world, account, action.amount, action.nonce)
    case 'setAbstraction':
      return setMode(world, account, action.mode)
    case 'topUpIsolatedOnlyMargin':
      return applyTopUp(world, account, action.asset, action.leverage)
    case 'createSubAccount':
      return replyError(volumeGateText('create sub-accounts', subAccountVolume, account.volume))
    case 'reserveRequestWeight':
      return reserveWeight(world, account, action.weight)
    case 'twapOrder':
      return applyTwapOrder(world, account, action)
    case 'twapCancel':
      return applyTwapCancel(world, account, action.asset, action.twapId)
    case 'other':
      return replyError(`Action ${action.name} is not supported by the simulator.`)
    default:
      return unreachable(action)
  }
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

function classTransfer(world: World, account: Account, amount: Decimal, toPerp: boolean): Json {
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

/** A unified account has one balance: what was on the spot side joins the rest. */
function setMode(world: World, account: Account, mode: SettableMode): Json {
  if (mode === account.mode) return replyDefault
  if (account.positions.size > 0 || account.orders.size > 0) {
    return replyError(texts.openPositions)
  }
  account.cash = account.cash.plus(account.spotCash)
  account.spotCash = Decimal.zero
  account.mode = mode
  world.events.push({ kind: 'account', user: account.address })
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
