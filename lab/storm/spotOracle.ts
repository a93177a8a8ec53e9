import type { Json, JsonObject } from '../../src/core/protocol/action.ts'
import { isObject } from '../../src/core/protocol/fields.ts'
import type { Address } from '../../src/core/values/address.ts'
import { Decimal } from '../../src/core/values/decimal.ts'
import type { Venue } from '../sim/engine/venue.ts'
import { listOf, ordersIn } from './actionChecks.ts'
import { Violation } from './violation.ts'

/** Assets of this range are spot pairs. */
const [firstAsset, endAsset] = [10_000, 100_000]

/**
 * What leaves for a spot pair only sells, and no more than the venue has free of it for the account.
 * The amounts are looked at only where Guard can know them (`isKnown`): nobody trades past it, and it
 * sees what the venue has.
 */
export function checkSpot(venue: Venue, user: Address, action: Json, isKnown: boolean): void {
  const sells = ordersIn(action).filter(isOnSpot)
  for (const order of sells) {
    const { limit } = (order['t'] ?? {}) as JsonObject
    if (order['b'] === false && order['r'] === false && limit !== undefined) continue
    throw new Violation('spot_sells', `this left for a spot pair: ${JSON.stringify(order)}`)
  }
  if (!isKnown) return
  const asked = new Map<string, Decimal>()
  for (const order of sells) {
    const base = baseOf(venue, order)
    asked.set(base, (asked.get(base) ?? Decimal.zero).plus(Decimal.of(String(order['s']))))
  }
  for (const [base, size] of asked) {
    const free = freeOf(venue, user, base).plus(givenBack(venue, user, action, base))
    if (size.lte(free)) continue
    const text = `${size.toString()} ${base} are to be sold, ${free.toString()} are free`
    throw new Violation('spot_sells', text)
  }
}

function isOnSpot({ a }: JsonObject): boolean {
  return Number(a) >= firstAsset && Number(a) < endAsset
}

function baseOf(venue: Venue, { a }: JsonObject): string {
  const found = venue.spotPairs().find(({ pair }) => firstAsset + pair.index === a)
  if (found === undefined) throw new Violation('spot_sells', `asset ${String(a)} is no spot pair`)
  return found.pair.base
}

function freeOf(venue: Venue, user: Address, base: string): Decimal {
  const { tokens, holds } = venue.spotState(user)
  const amount = (of: ReadonlyMap<string, Decimal>): Decimal => of.get(base) ?? Decimal.zero
  return amount(tokens).minus(amount(holds))
}

/** What the orders that a modify takes away hold of a token. */
function givenBack(venue: Venue, user: Address, action: Json, base: string): Decimal {
  if (!isObject(action)) return Decimal.zero
  const modifies = action['type'] === 'modify' ? [action] : listOf(action['modifies'])
  const gone = new Set(modifies.map((each) => (isObject(each) ? each['oid'] : null)))
  const coins = new Set(
    venue.spotPairs().flatMap(({ pair }) => (pair.base === base ? [pair.name] : [])),
  )
  return venue
    .openOrders(user)
    .filter(({ coin, oid, cloid }) => coins.has(coin) && (gone.has(oid) || gone.has(cloid ?? '')))
    .reduce((sum, { size }) => sum.plus(size), Decimal.zero)
}
