import type { Json } from '../core/protocol/action.ts'
import type { Address } from '../core/values/address.ts'
import type { Coin } from '../core/values/coin.ts'
import type { FollowedDex } from '../engine/ports.ts'

/** The state of the main dex alone. */
export function mainState(user: Address): Json {
  return { type: 'clearinghouseState', user }
}

/** The states of all dexes in one frame. */
export function allStates(user: Address): Json {
  return { type: 'allDexsClearinghouseState', user }
}

/** What tells of every change of positions and orders. */
export function tellingSubscriptions(user: Address, state: Json): Json[] {
  return [
    state,
    { type: 'openOrders', user },
    { type: 'orderUpdates', user },
    { type: 'userFills', user },
  ]
}

export function accountSubscriptions(user: Address, state: Json): Json[] {
  return [
    ...tellingSubscriptions(user, state),
    { type: 'userFundings', user },
    { type: 'userNonFundingLedgerUpdates', user },
    { type: 'spotState', user },
    { type: 'twapStates', user },
    { type: 'userTwapSliceFills', user },
    { type: 'allMids' },
  ]
}

export function coinSubscriptions(user: Address, coin: Coin): Json[] {
  return [
    { type: 'activeAssetCtx', coin },
    { type: 'activeAssetData', user, coin },
  ]
}

/** Orders and TWAPs are told for each dex by itself; fills and updates of orders are not. */
export function dexSubscriptions(user: Address, { name: dex, withPrices }: FollowedDex): Json[] {
  return [
    { type: 'openOrders', user, dex },
    { type: 'twapStates', user, dex },
    ...(withPrices ? [{ type: 'assetCtxs', dex }] : []),
  ]
}
