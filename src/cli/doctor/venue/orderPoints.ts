import { Decimal } from '../../../core/values/decimal.ts'
import { orderMargins, orderReadings, reserved } from './orderMargin.ts'
import type { OrderReading } from './orderMargin.ts'
import { confirmed, isNear, notSeen, refuted, untold } from './point.ts'
import type { Point, Sight } from './point.ts'
import { marginOf, poolOf } from './pool.ts'
import type { Pool } from './pool.ts'
import type { Told } from './told.ts'

/** What a pooled balance holds back for orders, as a share of their margin. */
const heldShare = Decimal.of('1.01')
const tenth = Decimal.of('0.1')

/** Points about the margin of open orders, seen by what the venue says is left or held. */
export const orderPoints: readonly Point[] = [
  {
    name: 'both-sides',
    assumed: 'buys and sells that rest in one market reserve margin together',
    option: 'bothSides',
    look: (told) => lookAt(told, 'bothSides', ['together', 'by the larger side alone']),
  },
  {
    name: 'opposite-excess',
    assumed: 'the part of an order that exceeds the position it closes reserves margin',
    option: 'oppositeExcess',
    look: (told) => lookAt(told, 'excess', ['they reserve', 'they reserve nothing']),
  },
  {
    name: 'trigger-margin',
    assumed: 'an entry that waits for its trigger reserves no margin',
    option: 'trigger_reserve',
    look: (told) => lookAt(told, 'triggersFree', ['none is reserved', 'margin is reserved']),
  },
  {
    name: 'withdrawable',
    assumed:
      'what may be withdrawn is the cross value less the larger of margin with orders and a tenth of the value held',
    option: 'withdrawableExtra',
    look: lookAtWithdrawable,
  },
  {
    name: 'hold',
    assumed: 'a unified balance holds the margin of positions and 1.01 times that of orders',
    option: null,
    look: lookAtHold,
  },
]

/** The venue's own figure, and what it would be with that margin for orders. */
function figure({ state, spot, cross, isolated, collateral }: Pool): {
  readonly seen: Decimal
  readonly by: (orders: Decimal) => Decimal
} {
  if (spot !== null) {
    const held = marginOf(cross).plus(marginOf(isolated))
    return { seen: spot.hold, by: (orders) => held.plus(orders.times(heldShare)) }
  }
  const value = cross.reduce((sum, each) => sum.plus(each.positionValue), Decimal.zero)
  const floor = value.times(tenth)
  return {
    seen: state.withdrawable,
    by: (orders) => {
      const kept = Decimal.max(marginOf(cross).plus(orders), floor)
      return Decimal.max(Decimal.zero, collateral.minus(kept))
    },
  }
}

interface Fit {
  readonly reading: OrderReading
  readonly figure: Decimal
  readonly fits: boolean
}

/** What each reading makes of the figure; null where that cannot be told. */
function fitsOf(told: Told, pool: Pool): readonly Fit[] | null {
  if (told.orders === null) return null
  const { seen, by } = figure(pool)
  const fits: Fit[] = []
  for (const reading of orderReadings) {
    const margins = orderMargins(told, reading)
    if (margins === null) return null
    const value = by(reserved(margins, reading))
    fits.push({ reading, figure: value, fits: isNear(value, seen, pool.room) })
  }
  return fits
}

function lookAt(
  told: Told,
  what: keyof OrderReading,
  [assumed, other]: readonly [string, string],
): Sight {
  const pool = poolOf(told)
  if (pool === null) return untold('what the account has')
  const fits = fitsOf(told, pool)
  if (fits === null) return notSeen('the open orders changed meanwhile, or were not told')
  const good = fits.filter((each) => each.fits)
  const isAssumed = good.some(({ reading }) => reading[what])
  const isOther = good.some(({ reading }) => !reading[what])
  if (isAssumed && isOther) return notSeen('no open orders that would show it')
  if (!isAssumed && !isOther)
    return notSeen('the venue’s figure fits no reading', shown(pool, fits))
  return isAssumed ? confirmed(assumed, shown(pool, good)) : refuted(other, shown(pool, fits))
}

function lookAtWithdrawable(told: Told): Sight {
  const pool = poolOf(told)
  if (pool === null) return untold('what the account has')
  if (pool.spot !== null) return notSeen('the account is unified: it has no such figure')
  const fits = fitsOf(told, pool)
  if (fits === null) return notSeen('the open orders changed meanwhile, or were not told')
  if (pool.cross.length < 2) return notSeen('fewer than two cross positions')
  const good = fits.filter((each) => each.fits)
  if (good.length === 0) return refuted('another figure', shown(pool, fits))
  if (pool.state.withdrawable.isZero()) return notSeen('nothing may be withdrawn either way')
  return confirmed('that figure', shown(pool, good))
}

function lookAtHold(told: Told): Sight {
  const pool = poolOf(told)
  if (pool === null) return untold('what the account has')
  if (pool.spot === null) return notSeen('the account is not unified')
  const fits = fitsOf(told, pool)
  if (fits === null) return notSeen('the open orders changed meanwhile, or were not told')
  const good = fits.filter((each) => each.fits)
  if (good.length === 0) return refuted('another figure', shown(pool, fits))
  return pool.spot.hold.isZero()
    ? notSeen('nothing is held')
    : confirmed('that figure', shown(pool, good))
}

function shown(pool: Pool, fits: readonly Fit[]): Sight['values'] {
  const computed = [...new Set(fits.map((each) => each.figure.rounded(6, 'half-even').toString()))]
  return {
    [pool.spot === null ? 'withdrawable' : 'hold']: figure(pool).seen.toString(),
    computed,
    collateral: pool.collateral.toString(),
    margin_used: marginOf(pool.cross).plus(marginOf(pool.isolated)).toString(),
  }
}
