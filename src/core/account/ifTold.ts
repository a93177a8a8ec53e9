import type { AccountMode } from '../protocol/venueState.ts'
import type { Coin } from '../values/coin.ts'
import type { Decimal } from '../values/decimal.ts'
import type { AccountEvent } from './accountEvent.ts'
import type { PositionView } from './accountView.ts'
import type { Cash, CashView } from './cash.ts'
import type { OwnRecord } from './ownRecord.ts'
import type { Positions } from './positions.ts'

/** Whatever tells the account's money or its positions as a whole. */
export type SightEvent = Extract<AccountEvent, { kind: 'state' | 'spot' | 'mode' }>

/** The account's money and positions, as an event would make them. */
export interface Sight {
  /** Null in a mode that Guard cannot size for, or before the balance was seen. */
  readonly cash: CashView | null
  readonly positions: ReadonlyMap<Coin, PositionView>
  /** The sizes that are held by what was known before it; at a start by the run before this one. */
  readonly held: ReadonlyMap<Coin, Decimal>
  /** The venue's time up to which fills are counted in it. */
  readonly heldUntil: number
}

interface Known {
  readonly mode: AccountMode
  readonly positions: Positions
  readonly cash: Cash
  readonly own: Pick<OwnRecord, 'heldBefore' | 'heldUntil'>
}

/** What the account would show if it were told this; nothing is changed. */
export function ifTold(event: SightEvent, known: Known): Sight {
  const { mode, positions, cash } = known
  const held = heldNow(event, known)
  if (event.kind === 'mode') {
    return { cash: cash.view(event.mode, positions), positions: positions.views, ...held }
  }
  if (event.kind === 'spot') {
    const told = cash.copy()
    told.applySpot(event)
    return { cash: told.view(mode, positions), positions: positions.views, ...held }
  }
  const told = positions.copy()
  told.applyState(event.state, event.at)
  return { cash: cash.view(mode, told), positions: told.views, ...held }
}

/** Before the first state nothing but a state tells positions: nothing else can lack one. */
function heldNow(event: SightEvent, { positions, own }: Known): Pick<Sight, 'held' | 'heldUntil'> {
  if (positions.time === null && event.kind === 'state') {
    return { held: own.heldBefore, heldUntil: own.heldUntil }
  }
  return { held: sizesOf(positions.views), heldUntil: positions.time ?? 0 }
}

function sizesOf(views: ReadonlyMap<Coin, PositionView>): ReadonlyMap<Coin, Decimal> {
  return new Map([...views].map(([coin, { size }]) => [coin, size]))
}
