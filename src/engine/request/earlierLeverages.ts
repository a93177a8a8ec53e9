import type { Account } from '../../core/account/account.ts'
import { openingOf } from '../../core/account/reservation.ts'
import type { ReservationId } from '../../core/account/reservation.ts'
import { opensAnything } from './judgement.ts'
import type { Decision } from '../../core/judge/decision.ts'
import type { Coin } from '../../core/values/coin.ts'

/**
 * A change of leverage that was on its way when a decision was made. Two that travel side by side
 * land in any order: what the decision relies on leaves once the earlier one is answered.
 */
export interface EarlierLeverage {
  readonly coin: Coin
  readonly id: ReservationId
}

/** Asked before anything of the decision is reserved; none where it opens nothing. */
export function earlierLeverages(decision: Decision, account: Account): readonly EarlierLeverage[] {
  if (!opensAnything(decision)) return []
  const coins = new Set<Coin>()
  for (const item of decision.reservations.flat()) {
    const opening = openingOf(item)
    if (opening !== null) coins.add(opening.coin)
  }
  return [...coins].flatMap((coin) => account.leveragesInFlight(coin).map((id) => ({ coin, id })))
}

/** Whether one of them is not answered yet that the action at a place must come after. */
export function mustComeAfter(
  earlier: readonly EarlierLeverage[],
  decision: Decision,
  place: number,
  account: Account,
): boolean {
  if (earlier.length === 0) return false
  const coins = (decision.reservations[place] ?? []).flatMap((item) => {
    const opening = item.kind === 'leverage' ? item : openingOf(item)
    return opening === null ? [] : [opening.coin]
  })
  return earlier.some(
    ({ coin, id }) => coins.includes(coin) && account.leveragesInFlight(coin).includes(id),
  )
}
