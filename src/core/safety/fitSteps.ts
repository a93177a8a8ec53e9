import type { WatchedAccount } from '../account/accountView.ts'
import type { CloidMint } from '../protocol/guardCloid.ts'
import type { Market } from '../protocol/market.ts'
import { Decimal } from '../values/decimal.ts'
import { limits } from '../values/limits.ts'
import { isCrowded, ordersToClear } from '../venueLimits/openOrders.ts'
import { piecesOf } from '../venueLimits/piecesOf.ts'
import { venueLimits } from '../venueLimits/venueLimits.ts'
import { closeOrders, stopPieces } from './closeOrder.ts'
import type { SplitOrders } from './closeOrder.ts'
import { freshPrices } from './freshPrice.ts'
import type { ProtectStep } from './planProtect.ts'
import { coverlessOrders } from './planRoom.ts'
import type { RefusedTries } from './refusedTries.ts'

interface FitInput {
  readonly account: WatchedAccount
  readonly mint: CloidMint
  /** What the venue refused of Guard's stops and of its closes so far. */
  readonly stopTries: RefusedTries
  readonly closeTries: RefusedTries
}

interface FittedStep {
  readonly step: ProtectStep
  /** A sentence where the venue's limits leave some of it open; null otherwise. */
  readonly problem: string | null
}

/** A step of a protect plan as the venue takes it: in pieces, inside the band, by what it taught. */
export function fitStep(input: FitInput, step: ProtectStep): FittedStep {
  if (step.kind !== 'stop' && step.kind !== 'close') return { step, problem: null }
  const { orders, left } = splitOf(input, step)
  const fitted = {
    ...step,
    action: { type: 'order', orders, grouping: 'na', builder: null },
  } as const
  const what = step.kind === 'stop' ? 'covered' : 'closed'
  const problem = `${step.coin}: ${left.toString()} of it cannot be ${what} with ten orders`
  return { step: fitted, problem: left.isPositive() ? problem : null }
}

type OrderStep = Extract<ProtectStep, { readonly kind: 'stop' | 'close' }>

function splitOf(input: FitInput, step: OrderStep): SplitOrders {
  const { account, mint } = input
  const { coin, order } = step
  // A stop or a close is planned only on a listed market, a close only where there is a price.
  const market = account.market(coin) as Market
  const [mark, oracle] = [account.mark(coin), account.oracle(coin)]
  if (step.kind === 'stop') {
    return stopPieces(market, step, { mark, oracle }, mint, input.stopTries.mannerOf(coin))
  }
  const price = freshPrices(account, coin).price as Decimal
  const size = order.isBuy ? order.size.negated() : order.size
  return closeOrders(market, size, { price, mark, oracle }, mint, input.closeTries.mannerOf(coin))
}

/**
 * Cancels of reduce-only orders that cover nothing, where the venue would refuse the stops and closes
 * that are planned and no entry makes room already. `isWanted`: the venue has refused one for it.
 */
export function roomForStops(
  account: WatchedAccount,
  steps: readonly ProtectStep[],
  isWanted: boolean,
): readonly ProtectStep[] {
  const wanted = steps.reduce((sum, step) => sum + ordersIn(account, step), 0)
  const isMade = steps.some(({ why }) => why === makesRoom)
  if (wanted === 0 || isMade) return []
  if (!isWanted && !isCrowded(account.openOrderCount, wanted)) return []
  const counted = isWanted ? venueLimits.openOrders : 0
  const toClear = ordersToClear(Math.max(account.openOrderCount, counted), wanted)
  const chosen = coverlessOrders(account, Math.min(toClear, limits.flattenBatchMax))
  return [...new Set(chosen.map(({ coin }) => coin))].map((coin) => {
    const cancels = chosen
      .filter((each) => each.coin === coin)
      .map(({ asset, oid }) => ({ asset, oid }))
    return {
      ...{ kind: 'cancel_entry', coin, why: makesRoom },
      oids: cancels.map(({ oid }) => oid),
      action: { type: 'cancel', cancels },
    }
  })
}

const makesRoom = 'makes room for a stop'

/** How many orders a step adds: one that closes at once needs a place as well. */
function ordersIn(account: WatchedAccount, step: ProtectStep): number {
  if (step.kind !== 'stop' && step.kind !== 'close') return 0
  const market = account.market(step.coin) as Market
  const { price } = step.order
  const dearest = step.kind === 'stop' ? Decimal.max(price, step.trigger) : price
  return piecesOf(step.order.size, dearest, market).pieces.length
}
