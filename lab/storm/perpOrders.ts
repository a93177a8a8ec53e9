import type { Address } from '../../src/core/values/address.ts'
import type { Venue } from '../sim/engine/venue.ts'
import type { OrderView } from '../sim/engine/views.ts'

/** The open orders on perps; the venue lists those on spot pairs among them. */
export function perpOrders(venue: Venue, user: Address): OrderView[] {
  return venue.openOrders(user).filter(({ coin }) => venue.market(coin) !== null)
}
