import { Decimal } from '../../../src/core/values/decimal.ts'
import type { Json, OrderAction } from '../../../src/core/protocol/action.ts'
import { sum } from './scaled.ts'
import { usdcValue } from './spotPairs.ts'
import { texts } from './texts.ts'
import type { Account } from './world.ts'

/** A fee of one is this part of an order's value. */
const unit = Decimal.of('0.00000001')
const hypeScale = 8

/** What a value pays to be early in its block, in HYPE. */
function feeOf(value: Decimal, rate: number): Decimal {
  const usdc = value.times(unit).times(Decimal.whole(rate))
  return usdc.over(usdcValue('HYPE', Decimal.one), hypeScale, 'up')
}

/** Why an action with a priority fee is refused, for each of its orders; null where it is not. */
export function priorityRefusal(account: Account, action: OrderAction): string | null {
  const { orders, priorityFee = 0 } = action
  if (priorityFee === 0) return null
  const tifs = orders.map(({ type }) => (type.kind === 'limit' ? type.tif : 'trigger'))
  const areIoc = tifs.every((tif) => tif === 'Ioc')
  const areAlo = tifs.every((tif) => tif === 'Alo') && orders.every((each) => !each.isReduceOnly)
  if (!areIoc && !areAlo) return texts.badPriority
  const total = sum(orders.map(({ price, size }) => feeOf(price.times(size), priorityFee)))
  return account.staking.free.lt(total) ? texts.priorityStake : null
}

/** Takes the fees out of staking: of what has filled, or of all of an order that rests. */
export function payPriority(
  account: Account,
  action: OrderAction,
  statuses: readonly Json[],
): void {
  const { orders, priorityFee = 0 } = action
  if (priorityFee === 0) return
  for (const [at, status] of statuses.entries()) {
    const order = orders[at]
    const { filled, resting } = status as { filled?: Filled; resting?: Json }
    if (order === undefined || (filled === undefined && resting === undefined)) continue
    const value =
      filled === undefined
        ? order.price.times(order.size)
        : Decimal.of(filled.totalSz).times(Decimal.of(filled.avgPx))
    account.staking.free = account.staking.free.minus(feeOf(value, priorityFee))
  }
}

interface Filled {
  readonly totalSz: string
  readonly avgPx: string
}
