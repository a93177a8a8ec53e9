import type { Address } from '../../../src/core/values/address.ts'
import type { Decimal } from '../../../src/core/values/decimal.ts'
import type { TwapOrder } from './twaps.ts'
import type {
  Action,
  CancelAction,
  CancelByCloidAction,
  Json,
  Modify,
} from '../../../src/core/protocol/action.ts'
import type { SpotToken } from './spotPairs.ts'
import type { SubTransfer } from './subAccounts.ts'
import type { AssetSend, Place, TokenSend } from './tokens.ts'
import type { MultiSigView } from './views.ts'

/** Modifies with the venue's `a` flag: place the new order even if the old one is gone. */
export interface AlwaysPlaceModifyAction {
  readonly type: 'modify'
  readonly modify: Modify
  readonly alwaysPlace?: boolean
}
export interface AlwaysPlaceBatchModifyAction {
  readonly type: 'batchModify'
  readonly modifies: readonly Modify[]
  readonly alwaysPlace?: boolean
}

/** Cancels with the venue's `f` flag: fast, which triggers do not take. */
export type FastCancelAction = (CancelAction | CancelByCloidAction) & { readonly fast?: boolean }

/** What an account may set with userSetAbstraction and agentSetAbstraction. */
export type SettableMode = 'disabled' | 'unifiedAccount' | 'portfolioMargin'

/** Actions that Guard does not forward and clients still send. */
export type AdminAction =
  | { readonly type: 'noop' }
  | { readonly type: 'setReferrer'; readonly code: string }
  | { readonly type: 'registerReferrer'; readonly code: string }
  | { readonly type: 'setDisplayName'; readonly displayName: string }
  | { readonly type: 'evmUserModify'; readonly usingBigBlocks: boolean }
  | { readonly type: 'approveBuilderFee'; readonly builder: Address; readonly maxFeeRate: string }
  | {
      readonly type: 'approveAgent'
      readonly agentAddress: Address
      /** As sent; may end in ` valid_until <ms>`. Null or empty: the unnamed agent. */
      readonly agentName: string | null
    }
  | {
      readonly type: 'usdClassTransfer'
      readonly amount: Decimal
      readonly toPerp: boolean
      /** Its own balances, or those of the sub-account named. */
      readonly subAccount?: Address | null
    }
  /** An action that the venue refuses for its own fields, whoever signs it; `text` is the refusal. */
  | { readonly type: 'refused'; readonly text: string }
  | { readonly type: 'usdSend'; readonly destination: Address; readonly amount: Decimal }
  | {
      readonly type: 'withdraw3'
      readonly destination: Address
      readonly amount: Decimal
      readonly nonce: number
    }
  | {
      readonly type: 'setAbstraction'
      readonly mode: SettableMode
      /** An agent may only join the balances of an account that never chose. */
      readonly isByAgent?: boolean
      /** Its own, or the sub-account it is for. */
      readonly user?: Address | null
    }
  | { readonly type: 'setDexAbstraction'; readonly user: Address | null }
  | ({ readonly type: 'spotSend' } & TokenSend)
  | ({
      readonly type: 'sendAsset'
      readonly isByAgent: boolean
      readonly subAccount: Address | null
    } & AssetSend)
  | ({ readonly type: 'sendToEvm'; readonly from: Place } & Omit<TokenSend, 'destination'>)
  | { readonly type: 'cDeposit'; readonly wei: number }
  | { readonly type: 'cWithdraw'; readonly wei: number }
  | {
      readonly type: 'tokenDelegate'
      readonly validator: Address
      readonly wei: number
      readonly isUndelegate: boolean
    }
  | {
      readonly type: 'borrowLend'
      readonly operation: 'supply' | 'withdraw' | 'borrow' | 'repay'
      readonly token: number
      readonly amount: Decimal | null
    }
  | { readonly type: 'convertToMultiSigUser'; readonly signers: MultiSigView | null }
  | { readonly type: 'spotUser'; readonly optOut: boolean }
  | { readonly type: 'topUpIsolatedOnlyMargin'; readonly asset: number; readonly leverage: Decimal }
  | { readonly type: 'createSubAccount'; readonly name: string }
  | { readonly type: 'subAccountModify'; readonly subAccount: Address; readonly name: string }
  | ({ readonly type: 'subAccountTransfer'; readonly usdc: Decimal } & SubTransfer)
  | ({
      readonly type: 'subAccountSpotTransfer'
      readonly token: SpotToken
      readonly amount: Decimal
    } & SubTransfer)
  | {
      readonly type: 'createVault'
      readonly name: string
      readonly description?: string
      readonly usdc: Decimal
    }
  | {
      readonly type: 'vaultModify'
      readonly vault: Address
      readonly allowDeposits: boolean | null
      readonly alwaysCloseOnWithdraw: boolean | null
    }
  | {
      readonly type: 'vaultTransfer'
      readonly vault: Address
      readonly isDeposit: boolean
      readonly usdc: Decimal
    }
  | { readonly type: 'vaultDistribute'; readonly vault: Address; readonly usdc: Decimal }
  | { readonly type: 'reserveRequestWeight'; readonly weight: number }
  | ({ readonly type: 'twapOrder' } & TwapOrder)
  | { readonly type: 'twapCancel'; readonly asset: number; readonly twapId: number }
  /** A known action type without an effect here: answered with the refusal that fits the account. */
  | { readonly type: 'other'; readonly name: string; readonly action?: Json }

/** What the engine has shapes of its own for. */
type RetoldType = 'modify' | 'batchModify' | 'cancel' | 'cancelByCloid' | 'twapOrder' | 'twapCancel'

/** Everything the engine executes, already decoded. */
export type VenueAction =
  | Exclude<Action, { readonly type: RetoldType }>
  | FastCancelAction
  | AlwaysPlaceModifyAction
  | AlwaysPlaceBatchModifyAction
  | AdminAction
