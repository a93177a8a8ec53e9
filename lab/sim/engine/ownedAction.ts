import { unreachable } from '../../../src/core/values/unreachable.ts'
import type { Json } from '../../../src/core/protocol/action.ts'
import {
  applyCreateSub,
  applySubModify,
  applySubSpotTransfer,
  applySubTransfer,
} from './subAccounts.ts'
import {
  applyCreateVault,
  applyVaultDistribute,
  applyVaultModify,
  applyVaultTransfer,
} from './vaultAction.ts'
import type { AdminAction } from './venueAction.ts'
import type { Account, World } from './world.ts'

type OwnedAction = Extract<
  AdminAction,
  {
    readonly type:
      | 'createSubAccount'
      | 'subAccountModify'
      | 'subAccountTransfer'
      | 'subAccountSpotTransfer'
      | 'createVault'
      | 'vaultModify'
      | 'vaultTransfer'
      | 'vaultDistribute'
  }
>

/** Executes what an account does with its sub-accounts and with vaults. */
export function applyOwned(world: World, account: Account, action: OwnedAction): Json {
  switch (action.type) {
    case 'createSubAccount':
      return applyCreateSub(world, account, action.name)
    case 'subAccountModify':
      return applySubModify(world, account, action.subAccount, action.name)
    case 'subAccountTransfer':
      return applySubTransfer(world, account, action, action.usdc)
    case 'subAccountSpotTransfer':
      return applySubSpotTransfer(world, account, action, action.token, action.amount)
    case 'createVault':
      return applyCreateVault(world, account, action)
    case 'vaultModify': {
      const { vault, allowDeposits, alwaysCloseOnWithdraw } = action
      return applyVaultModify(world, account, vault, allowDeposits, alwaysCloseOnWithdraw)
    }
    case 'vaultTransfer':
      return applyVaultTransfer(world, account, action.vault, action.isDeposit, action.usdc)
    case 'vaultDistribute':
      return applyVaultDistribute(world, account, action.vault, action.usdc)
    default:
      return unreachable(action)
  }
}
