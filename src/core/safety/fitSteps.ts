import type { WatchedAccount } from '../account/accountView.ts'
import type { CloidMint } from '../protocol/guardCloid.ts'
import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { limits } from '../values/limits.ts'
import { isCrowded, ordersToClear } from '../venueLimits/openOrders.ts'
import { piecesOf } from '../venueLimits/piecesOf.ts'
import { venueLimits } from '../venueLimits/venueLimits.ts'
import { closeOrders, stopPieces } from './closeOrder.ts'
import type { SplitOrders } from './closeOrder.ts'
import type { ProtectStep } from './planProtect.ts'
import { coverlessOrders } from './planRoom.ts'
import type { RefusedTries } from './refusedTries.ts'

export interface FitInput {
  readonly account: WatchedAccount
  readonly mint: CloidMint
  /** What the venue refused of Guard's stops and of its closes so far. */
  readonly stopTries: RefusedTries
  readonly closeTries: RefusedTries
}

export interface FittedStep {
  readonly step: ProtectStep
  /** A sentence where the venue's limits leave some of it open; null otherwise. */
  readonly problem: string | null
}

/** A step of a protect plan as the venue takes it: in pieces, inside the band, by what it taught. */
export function fitStep(input: FitInput, step: ProtectStep): FittedStep {
  if (step.kind !== 'stop' && step.kind !== 'close') return { step, problem: null }
  const split = splitOf(input, step)
  if (split === null) return { step, problem: null }
  const { orders, left } = split
  const [order = step.order] = orders
  const fitted = {
    ...{ ...step, order },
    action: { type: 'order', orders, grouping: 'na', builder: null },
  } as const
  const what = step.kind === 'stop' ? 'covered' : 'closed'
  const problem = `${step.coin}: ${left.toString()} of it cannot be ${what} with ten orders`
  return { step: fitted, problem: left.isPositive() ? problem : null }
}

type OrderStep = Extract<ProtectStep, { readonly kind: 'stop' | 'close' }>

function splitOf(input: FitInput, { kind, coin, order }: OrderStep): SplitOrders | null {
  const { account, mint } = input
  const market = account.market(coin)
  if (market === null) return null
  const mark = account.mark(coin)
  if (kind === 'stop') return stopPieces(market, order, mark, mint, input.stopTries.mannerOf(coin))
  const price = account.mid(coin)?.price ?? mark
  if (price === null) return null
  const size = order.isBuy ? order.size.negated() : order.size
  return closeOrders(market, size, { price, mark }, mint, input.closeTries.mannerOf(coin))
}

/**
 * Cancels of reduce-only orders that cover nothing, where the venue would refuse the stops that are
 * planned and no entry makes room already. `isWanted`: the venue has refused a stop for it.
 */
export function roomForStops(
  account: WatchedAccount,
  steps: readonly ProtectStep[],
  isWanted: boolean,
): readonly ProtectStep[] {
  const wanted = steps.reduce((sum, step) => sum + stopOrdersIn(account, step), 0)
  const isMade = steps.some(({ why }) => why === makesRoom)
  if (wanted === 0 || isMade) return []
  if (!isWanted && !isCrowded(account.openOrderCount, wanted)) return []
  const counted = isWanted ? venueLimits.openOrders : 0
  const toClear = ordersToClear(Math.max(account.openOrderCount, counted), wanted)
  const chosen = coverlessOrders(account, Math.min(toClear, limits.flattenBatchMax))
  const oidsOf = new Map<Coin, number[]>()
  for (const { coin, oid } of chosen) oidsOf.set(coin, [...(oidsOf.get(coin) ?? []), oid])
  return [...oidsOf].flatMap(([coin, oids]): ProtectStep[] => {
    const asset = account.market(coin)?.asset
    if (asset === undefined) return []
    const cancels = oids.map((oid) => ({ asset, oid }))
    const action = { type: 'cancel', cancels } as const
    return [{ kind: 'cancel_entry', coin, oids, action, why: makesRoom }]
  })
}

const makesRoom = 'makes room for a stop'

/** How many orders a step adds that rest as stops. */
function stopOrdersIn(account: WatchedAccount, step: ProtectStep): number {
  const market = account.market(step.coin)
  if (step.kind !== 'stop' || market === null) return 0
  const dearest = Decimal.max(step.order.price, step.trigger)
  return piecesOf(step.order.size, dearest, market).pieces.length
}
