import { dexOf } from '../protocol/coinKind.ts'
import type { AccountMode } from '../protocol/venueState.ts'
import type { Coin } from '../values/coin.ts'
import type { CrossPool, WatchedAccount } from './accountView.ts'

/**
 * The collateral that a dex's cross positions lean on. Each dex of a plain account has its own, called
 * as the venue calls the dex (the main one is empty); of any other account all is one: null.
 */
export function poolOf(mode: AccountMode, dex: string): CrossPool['dex'] {
  return mode === 'default' || mode === 'disabled' ? dex : null
}

/**
 * Whether a coin's profit and loss are in no equity: a unified account's has USDC alone, and the coin's dex
 * has another token.
 */
export function isUncounted(account: Pick<WatchedAccount, 'mode' | 'market'>, coin: Coin): boolean {
  const isPaidInUsdc = account.market(coin)?.builder?.isPaidInUsdc
  return account.mode === 'unifiedAccount' && isPaidInUsdc === false
}

/** Whether a coin leans on this collateral: every coin does where it is null, or left out by an old record. */
export function leansOn({ dex }: Pick<CrossPool, 'dex'>, coin: Coin): boolean {
  return (dex ?? dexOf(coin)) === dexOf(coin)
}
