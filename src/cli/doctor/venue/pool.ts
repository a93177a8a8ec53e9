import type { VenuePosition } from '../../../core/protocol/venueState.ts'
import { Decimal } from '../../../core/values/decimal.ts'
import type { PerpSight, SpotSight, Told } from './told.ts'

const cent = Decimal.of('0.02')
const millionth = Decimal.of('0.000001')

/** What stands behind the account's cross positions, and how exactly figures of it can agree. */
export interface Pool {
  readonly state: PerpSight
  /** The account's one balance where it has one; null on a standard account. */
  readonly spot: SpotSight | null
  readonly cross: readonly VenuePosition[]
  readonly isolated: readonly VenuePosition[]
  /** USD behind the cross positions. */
  readonly collateral: Decimal
  /** What figures may differ by: rounding, and what prices moved between two answers. */
  readonly room: Decimal
}

/** Null where the account was not told, or is in a mode that Guard does not size for. */
export function poolOf({ mode, states, spot }: Told): Pool | null {
  if (states === null || mode === null) return null
  const state = states[1]
  const cross = state.positions.filter(({ leverage }) => leverage.type === 'cross')
  const isolated = state.positions.filter(({ leverage }) => leverage.type === 'isolated')
  const parts = { state, cross, isolated }
  if (mode === 'default' || mode === 'disabled') {
    const collateral = state.crossValue ?? null
    if (collateral === null) return null
    return { ...parts, spot: null, collateral, room: roomFor(collateral) }
  }
  if (mode !== 'unifiedAccount' || spot?.available == null) return null
  const collateral = spot.total.minus(marginOf(isolated))
  const room = roomFor(spot.total).plus(movedBetween(states))
  return { ...parts, spot, collateral, room }
}

export function marginOf(positions: readonly VenuePosition[]): Decimal {
  return positions.reduce((sum, { marginUsed }) => sum.plus(marginUsed), Decimal.zero)
}

export function roomFor(amount: Decimal): Decimal {
  return cent.plus(amount.abs().times(millionth))
}

/** By how much the values of positions changed between two looks at them. */
function movedBetween([before, after]: readonly [PerpSight, PerpSight]): Decimal {
  return after.positions.reduce((sum, each) => {
    const earlier = before.positions.find(({ coin }) => coin === each.coin)
    const was = earlier?.positionValue ?? Decimal.zero
    return sum.plus(each.positionValue.minus(was).abs())
  }, Decimal.zero)
}
