import type { AccountMode } from '../protocol/venueState.ts'
import type { Coin } from '../values/coin.ts'
import type { AccountEvent } from './accountEvent.ts'
import type { PositionView } from './accountView.ts'
import type { Cash, CashView } from './cash.ts'
import type { Positions } from './positions.ts'

/** Whatever tells the account's money or its positions as a whole. */
export type SightEvent = Extract<AccountEvent, { kind: 'state' | 'spot' | 'mode' }>

/** The account's money and positions, as an event would make them. */
export interface Sight {
  /** Null in a mode that Guard cannot size for, or before the balance was seen. */
  readonly cash: CashView | null
  readonly positions: ReadonlyMap<Coin, PositionView>
}

/** What the account would show if it were told this; nothing is changed. */
export function ifTold(
  event: SightEvent,
  mode: AccountMode,
  positions: Positions,
  cash: Cash,
): Sight {
  if (event.kind === 'mode') {
    return { cash: cash.view(event.mode, positions), positions: positions.views }
  }
  if (event.kind === 'spot') {
    const told = cash.copy()
    told.applySpot(event.spot, event.at)
    return { cash: told.view(mode, positions), positions: positions.views }
  }
  const told = positions.copy()
  told.applyState(event.state, event.at)
  return { cash: cash.view(mode, told), positions: told.views }
}
