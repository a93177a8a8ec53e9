import type { Json, Order, OrderAction } from '../../../../src/core/protocol/action.ts'
import { texts } from '../texts.ts'
import type { Account, SpotOrder, World } from '../world.ts'
import { spotBandError } from './placeSpot.ts'
import { endSpot, openSpotOrder } from './spotLife.ts'
import { isSpotAsset } from './spotMarket.ts'

/** `spot` or `perp` where all orders are of one class; an action may not mix them. */
export function classOf(orders: readonly Order[]): 'spot' | 'perp' | 'mixed' {
  const spot = orders.filter(({ asset }) => isSpotAsset(asset)).length
  return spot === 0 ? 'perp' : spot === orders.length ? 'spot' : 'mixed'
}

/** Why an action of spot orders is refused whole; null where each stands for itself. */
export function spotEarlyError(world: World, account: Account, action: OrderAction): string | null {
  if (account.owner?.kind === 'vault') return texts.vaultAction
  if (action.grouping !== 'na') return texts.badTrigger
  for (const order of action.orders) {
    const band = spotBandError(world, order)
    if (band !== null) return band
  }
  return null
}

/** Ends the open spot order that is named on this asset; null where there is none. */
export function cancelSpot(
  world: World,
  account: Account,
  ref: Parameters<typeof openSpotOrder>[1] & { readonly asset: number },
): Json {
  const order: SpotOrder | undefined = openSpotOrder(account, ref)
  if (order?.market.asset !== ref.asset) return null
  endSpot(world, order, 'canceled')
  return 'success'
}
