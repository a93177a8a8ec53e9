import type { Address } from '../../../src/core/values/address.ts'
import type { Decimal } from '../../../src/core/values/decimal.ts'
import type { Json } from '../../../src/core/protocol/action.ts'
import { wireNumber } from './scaled.ts'

/** The venue's words. Per-order texts get their ` asset=N` where they are answered. */
export const texts = {
  tick: 'Price must be divisible by tick size.',
  minimum: 'Order must have minimum value of $10.',
  margin: 'Insufficient margin to place order.',
  reduceOnly: 'Reduce only order would increase position.',
  noMatch: 'Order could not immediately match against any resting orders.',
  badTrigger: 'Invalid TP/SL price.',
  noLiquidity: 'No liquidity available for market order.',
  tierLimit: 'Order would cause position to exceed margin tier limit at current leverage',
  tooManyOrders: 'Too many open orders',
  notOpen: 'Order was never placed, already canceled, or filled.',
  badSize: 'Order has invalid size.',
  zeroSize: 'Order has zero size.',
  badPrice: 'Order has invalid price.',
  badAsset: 'Invalid asset.',
  halted: 'Trading is halted',
  duplicateCloid: 'Client order id is already used by an open order.',
  tooLarge: 'Order value exceeds the maximum for this asset.',
  builderNotApproved: 'Builder fee has not been approved.',
  emptyBatch: 'Orders are empty',
  mainIsTrigger: 'Main order cannot be trigger order.',
  triggerCount: 'Unexpected number of trigger orders',
  childNotReduceOnly: 'Trigger order is not reduce only.',
  childSide: 'Trigger order has unexpected side.',
  modifyDead: 'Cannot modify canceled or filled order',
  modifyRule: 'Modify requires a post-only or non-crossing Gtc order unless always_place is set.',
  postOnlyPeriod: 'Only post-only orders allowed immediately after a network upgrade',
  overWeight: 'Signed action over weight limit of 200.',
  switchLeverage: 'Cannot switch leverage type with open position.',
  badLeverage: 'Invalid leverage value',
  onlyIsolated: 'Cross margin is not allowed for this asset.',
  crossTooLow:
    'Cross position does not have sufficient margin available to decrease leverage. To decrease leverage, deposit more collateral.',
  isolatedTooLow:
    'Isolated position does not have sufficient margin available to decrease leverage. To decrease leverage, add margin to the position.',
  strictIsolated:
    'Cannot remove isolated margin for this asset. To remove margin, reduce the position.',
  crossReduceOnly: 'Cross margin currently only supports reduce-only orders',
  notIsolated: 'Position does not use isolated margin.',
  marginZero: 'Update to isolated margin cannot be zero.',
  marginEmpty: 'Cannot update margin for empty position.',
  marginIncrease: 'Account does not have sufficient margin available for increase.',
  marginReduction: 'Position does not have sufficient margin for reduction.',
  notStrictIsolated: 'Asset not strict isolated',
  badSchedule: 'Scheduled cancel time must be at least 5 seconds in the future.',
  scheduleDayLimit: 'Too many scheduled cancels triggered for the day. Limit is 10',
  referralUnknown: 'Referral code not registered',
  referralSet: 'Referrer already set.',
  withdrawal: 'Insufficient balance for withdrawal',
  transfer: 'Insufficient balance for token transfer',
  invalidSend: 'Invalid send',
  agentSend: 'Agent can only send asset to same user or their sub-accounts.',
  unified: 'Action disabled when unified account is active',
  agentPending: 'User has pending agent removal',
  agentUsed: 'Extra agent already used.',
  agentExpired: 'Agent valid_until already expired.',
  badBuilderFee: 'Invalid builder fee.',
  tooManyBuilders: 'Too many approved builders.',
  twapMissing: 'TWAP was never placed, already canceled, or filled.',
  twapTooSmall: 'TWAP order value too small. Min is $100.',
  twapReduceOnly: 'Reduce-only TWAP order would increase position.',
  transition: 'Abstraction transition not allowed',
  fastCancel: 'Fast cancel is not supported for trigger orders.',
  stake: 'Insufficient stake',
  noOutcomeDeployer: 'Error deploying outcome: not an outcome deployer',
  signerInactive: 'Signer invalid or inactive for current epoch',
  unknownValidator: 'Unknown validator',
  stakingLink: 'Staking link error',
  stakingBalance: 'Insufficient staking balance',
  badPriority: 'Priority orders must be all IOC or all non-reduce-only ALO',
  priorityStake: 'Insufficient delegatable balance for priority order',
  tooManyUnstakes: 'Too many pending staking withdrawals',
  delegationLocked: 'Delegation is locked up',
  badToken: 'Invalid token',
  noBorrowing: 'Borrowing is not available',
  badSigners: 'Invalid multi-sig signers',
  portfolioBar: 'Portfolio margin requires account value of $10000 or total volume of $5000000.',
  tooManySubs: 'Too many sub-accounts.',
  badSubName: 'Invalid sub-account name.',
  vaultBalance: 'Insufficient balance to create vault',
  vaultLeader: 'Only leader can perform this vault action',
  vaultClosed: 'Vault does not allow deposits.',
  vaultLocked: 'Cannot withdraw from vault during lockup period after depositing.',
  vaultLeaderShare: 'Vault leader must own at least 5% of the vault.',
  spotBalance: 'Insufficient spot balance',
  spotBalanceLong: 'Order has insufficient spot balance to trade',
  mixedClasses: 'Order action has different asset classes',
  vaultAction: 'Vault may not perform this action.',
  openPositions: 'Cannot change abstraction with open positions or orders.',
} as const

/** Refusals at the cap of open interest, in the two wordings that are known. */
export const capTexts = {
  docs: {
    increase: 'Order would increase open interest while open interest is capped',
    flip: 'Order would increase open interest while open interest is capped',
    aggressive:
      'Order rejected due to price more aggressive than oracle while at open interest cap',
  },
  node: {
    increase: 'Cannot increase position when open interest is at cap.',
    flip: 'Cannot flip position when open interest is at cap.',
    aggressive: 'Asset open interest is at cap.',
  },
} as const

export function postOnlyText(bid: Decimal | null, ask: Decimal | null): string {
  const shown = (price: Decimal | null): string => (price === null ? '0.0' : price.toString())
  return `Post only order would have immediately matched, bbo was ${shown(bid)}@${shown(ask)}.`
}

export function agentLimitText(most: number): string {
  return `Too many extra agents for cumulative volume traded. Current limit is ${most}`
}

/** The least value of a spot order is in what it is paid with. */
export function spotMinimumText(quote: string): string {
  return `Order must have minimum value of 10 ${quote}.`
}

export function bandText(percent: number): string {
  return `Order price cannot be more than ${percent}% away from the reference price`
}

export function mustDepositText(user: Address): string {
  return `Must deposit before performing actions. User: ${user}`
}

/** `Required: $1000000. Traded: $12066.75.` */
export function volumeGateText(what: string, required: Decimal, traded: Decimal): string {
  const shown = traded.rounded(2, 'down').toString()
  return `Cannot ${what} until enough volume traded. Required: $${required.toString()}. Traded: $${shown}.`
}

export function withAsset(text: string, asset: number): string {
  return `${text} asset=${asset}`
}

export const replyDefault: Json = { status: 'ok', response: { type: 'default' } }

/** The answer to a new sub-account or vault: its address. */
export function replyCreated(type: 'createSubAccount' | 'createVault', made: Address): Json {
  return { status: 'ok', response: { type, data: made } }
}

export function replyError(text: string): Json {
  return { status: 'err', response: text }
}

export function replyStatuses(type: 'order' | 'cancel', statuses: readonly Json[]): Json {
  return { status: 'ok', response: { type, data: { statuses } } }
}

export function restingStatus(oid: number, cloid: string | null): Json {
  return { resting: cloid === null ? { oid } : { oid, cloid } }
}

export function filledStatus(
  size: Decimal,
  price: Decimal,
  oid: number,
  cloid: string | null,
): Json {
  const filled = { totalSz: wireNumber(size), avgPx: wireNumber(price), oid }
  return { filled: cloid === null ? filled : { ...filled, cloid } }
}
