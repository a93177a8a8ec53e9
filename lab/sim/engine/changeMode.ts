import { Decimal } from '../../../src/core/values/decimal.ts'
import { cutPools } from './cutPools.ts'
import type { SettableMode } from './venueAction.ts'
import type { Account, World } from './world.ts'

/** The mode of an account changes; its total stays, and all USDC is margin afterwards. */
export function changeMode(world: World, account: Account, mode: SettableMode | 'default'): void {
  account.cash = account.cash.plus(account.spotCash)
  account.spotCash = Decimal.zero
  account.mode = mode === 'default' ? 'disabled' : mode
  account.isModeSet = mode !== 'default'
  cutPools(world, account)
  world.events.push({ kind: 'account', user: account.address })
}
