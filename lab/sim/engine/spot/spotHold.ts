import { Decimal } from '../../../../src/core/values/decimal.ts'
import { mainPool } from '../pools.ts'
import type { Pool } from '../pools.ts'
import { pairNamed } from '../spotPairs.ts'
import type { SpotToken } from '../spotPairs.ts'
import type { Account, SpotOrder, World } from '../world.ts'

/** What resting spot orders hold back of a balance. */

export const spotTakerRate = Decimal.of('0.0007')
export const spotMakerRate = Decimal.of('0.0004')

/** The token that an order pays with: a buy the quote, a sell the base. */
export function givenToken({ market, isBuy }: Pick<SpotOrder, 'market' | 'isBuy'>): SpotToken {
  return isBuy ? market.pair.quote : market.pair.base
}

/** How much of it an order of this size needs at its worst. */
export function neededFor(
  world: World,
  order: Pick<SpotOrder, 'isBuy' | 'price'>,
  size: Decimal,
): Decimal {
  if (!order.isBuy) return size
  const value = size.times(order.price)
  return world.options.spot_hold_fee ? value.times(Decimal.one.plus(spotTakerRate)) : value
}

/** What the orders that rest hold of a token; one that waits for a price holds nothing. */
export function spotHold(world: World, account: Account, token: SpotToken): Decimal {
  let hold = Decimal.zero
  for (const order of account.spotOrders.values()) {
    if (order.phase !== 'resting' || givenToken(order) !== token) continue
    hold = hold.plus(neededFor(world, order, order.size))
  }
  for (const { coin, isBuy, limitPrice: price, size } of account.elsewhere.values()) {
    const pair = pairNamed(coin)
    if (pair === null || (isBuy ? pair.quote : pair.base) !== token) continue
    hold = hold.plus(neededFor(world, { isBuy, price }, size))
  }
  return hold
}

/** Balances that pools share are margin too: what spot orders hold is free for neither. */
export function spotReserve(world: World, account: Account, pool: Pool): Decimal {
  const count = account.spotOrders.size + account.elsewhere.size
  if (!account.sharesPools || count === 0) return Decimal.zero
  // Unless it is unified, its USDC for spot orders lies apart.
  if (account.mode === 'disabled' && pool === mainPool) return Decimal.zero
  return spotHold(world, account, pool === mainPool ? 'USDC' : (pool as SpotToken))
}
