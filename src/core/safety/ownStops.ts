import type { PositionView } from '../account/accountView.ts'
import type { OwnStop } from '../account/stopPromise.ts'
import type { StopPromise } from '../account/stopPromise.ts'
import type { Action } from '../protocol/action.ts'
import type { Coin } from '../values/coin.ts'
import type { Decimal } from '../values/decimal.ts'
import type { ProtectStep } from './planProtect.ts'

interface Held {
  readonly positions: ReadonlyMap<Coin, PositionView>
  promise(coin: Coin): StopPromise | null
}

/**
 * The stops among these steps that are the first ones for what they protect: a position that was
 * opened elsewhere, or what was added to one there. Each is what was promised from now on, though
 * the venue may refuse it.
 */
export function ownStops(account: Held, steps: readonly ProtectStep[]): readonly OwnStop[] {
  return steps.flatMap((step) => {
    if (step.kind !== 'stop') return []
    const { coin, trigger } = step
    // A stop is planned only for what is held.
    const position = account.positions.get(coin) as PositionView
    const { stops, rest } = account.promise(coin) as StopPromise
    if (rest.isZero()) return []
    const isLong = position.size.isPositive()
    return [{ coin, isLong, trigger, size: rest, isWhole: stops.length === 0 }]
  })
}

/** The ids of the orders that close a part in place of a stop, each with that stop's trigger. */
export function closesInPlace(
  steps: readonly ProtectStep[],
): readonly (readonly [string, Decimal])[] {
  return steps.flatMap((step) => {
    if (step.kind !== 'close' || step.inPlaceOf === null) return []
    const { inPlaceOf } = step
    // A close is made of orders, and Guard gives each of its own an id.
    const { orders } = step.action as Extract<Action, { type: 'order' }>
    return orders.map(({ cloid }) => [cloid as string, inPlaceOf] as const)
  })
}
