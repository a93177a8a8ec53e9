import { Decimal } from '../../../../src/core/values/decimal.ts'
import type { Coin } from '../../../../src/core/values/coin.ts'
import { spotPairs, tokenDecimals } from '../spotPairs.ts'
import type { SpotPair } from '../spotPairs.ts'
import { addSpot } from '../tokens.ts'
import type { Account, World } from '../world.ts'
import { spotPrice } from './spotMarket.ts'

const dayMs = 86_400_000
const zeroHash = `0x${'0'.repeat(64)}`

/** At midnight what is less than a lot and worth at most a dollar is sold, unless its owner objects. */
export function sellDust(world: World): void {
  if (world.nowMs % dayMs !== 0) return
  for (const account of world.accounts.values()) {
    if (account.keepsDust) continue
    for (const pair of spotPairs) if (pair.quote === 'USDC') sellRest(world, account, pair)
  }
}

function sellRest(world: World, account: Account, pair: SpotPair): void {
  const size = account.tokens.get(pair.base) ?? Decimal.zero
  const price = spotPrice(world, pair)
  const value = size.times(price)
  const isLess = size.lt(new Decimal(1n, tokenDecimals[pair.base])) && value.lte(Decimal.one)
  if (!size.isPositive() || !isLess) return
  for (const [who, sold, paid] of [
    [account, size, value],
    [world.maker, size.negated(), value.negated()],
  ] as const) {
    addSpot(who, pair.base, sold.negated())
    addSpot(who, 'USDC', paid)
  }
  account.tokenCosts.delete(pair.base)
  const fill = {
    ...{ coin: pair.name as Coin, price, size, isBuy: false, time: world.nowMs },
    ...{ startPosition: size, dir: 'Spot Dust Conversion', closedPnl: Decimal.zero },
    ...{ hash: zeroHash, oid: world.nextOid++, crossed: true, fee: Decimal.zero, tid: 0 },
    ...{ cloid: null, feeToken: 'USDC', builderFee: null, liquidation: null },
  }
  account.fills.push(fill)
  const user = account.address
  world.events.push({ kind: 'fill', user, fill }, { kind: 'account', user })
}
