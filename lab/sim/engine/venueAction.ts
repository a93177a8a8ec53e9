import type { Address } from '../../../src/core/values/address.ts'
import type { Decimal } from '../../../src/core/values/decimal.ts'
import type { TwapOrder } from './twaps.ts'
import type { Action, Modify } from '../../../src/core/protocol/action.ts'

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

/** What an account may set with userSetAbstraction and agentSetAbstraction. */
export type SettableMode = 'disabled' | 'unifiedAccount' | 'portfolioMargin'

/** Actions that Guard does not forward and clients still send. */
export type AdminAction =
  | { readonly type: 'noop' }
  | { readonly type: 'setReferrer'; readonly code: string }
  | { readonly type: 'registerReferrer'; readonly code: string }
  | { readonly type: 'setDisplayName'; readonly displayName: string }
  | { readonly type: 'claimRewards' }
  | { readonly type: 'evmUserModify'; readonly usingBigBlocks: boolean }
  | { readonly type: 'approveBuilderFee'; readonly builder: Address; readonly maxFeeRate: string }
  | {
      readonly type: 'approveAgent'
      readonly agentAddress: Address
      /** As sent; may end in ` valid_until <ms>`. Null or empty: the unnamed agent. */
      readonly agentName: string | null
    }
  | { readonly type: 'usdClassTransfer'; readonly amount: Decimal; readonly toPerp: boolean }
  | { readonly type: 'usdSend'; readonly destination: Address; readonly amount: Decimal }
  | {
      readonly type: 'withdraw3'
      readonly destination: Address
      readonly amount: Decimal
      readonly nonce: number
    }
  | { readonly type: 'setAbstraction'; readonly mode: SettableMode }
  | { readonly type: 'topUpIsolatedOnlyMargin'; readonly asset: number; readonly leverage: Decimal }
  | { readonly type: 'createSubAccount'; readonly name: string }
  | { readonly type: 'reserveRequestWeight'; readonly weight: number }
  | ({ readonly type: 'twapOrder' } & TwapOrder)
  | { readonly type: 'twapCancel'; readonly asset: number; readonly twapId: number }
  /** A known action type without an effect here: answered with an error that names it. */
  | { readonly type: 'other'; readonly name: string }

/** Everything the engine executes, already decoded. */
export type VenueAction =
  | Exclude<Action, { readonly type: 'modify' | 'batchModify' }>
  | AlwaysPlaceModifyAction
  | AlwaysPlaceBatchModifyAction
  | AdminAction
