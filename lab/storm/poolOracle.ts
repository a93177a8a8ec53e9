import type { Rules } from '../../src/core/rules/rules.ts'
import type { Address } from '../../src/core/values/address.ts'
import type { Coin } from '../../src/core/values/coin.ts'
import { Decimal } from '../../src/core/values/decimal.ts'
import { maintenanceMargin } from '../sim/engine/marginMath.ts'
import type { Venue } from '../sim/engine/venue.ts'
import { dexFaults, elsewhereFaults, limitFaults } from './faultKinds.ts'
import type { Plan } from './plan.ts'
import { isCovered, workingStops } from './stopCover.ts'
import type { Happening } from './venueWatch.ts'
import { Violation } from './violation.ts'

/** A position or an entry: what it is worth, and what it loses down to the triggers of its stops. */
interface Leaning {
  readonly coin: Coin
  readonly isBuy: boolean
  readonly value: Decimal
  readonly risk: Decimal
}

const tenth = Decimal.of('0.1')
const slack = Decimal.of('1.1')
const gap = Decimal.of('0.05')

/**
 * What stands behind the cross positions bears every stop at once, each filled a tenth beyond its
 * trigger, and a move of all marks against them. Worked out from the venue's own account; `equity` is
 * the most that Guard can have gone by.
 */
export function checkPool(
  venue: Venue,
  user: Address,
  rules: Rules,
  all: readonly Leaning[],
  equity: Decimal,
): void {
  if (rules.margin !== 'cross') return
  const cross = all.filter(({ coin }) => venue.leverage(user, coin)?.type === 'cross')
  const [value, loss] = [total(cross.map((each) => each.value)), total(cross.map(worstLoss))]
  if (value.isZero()) return
  const coins = [...new Set(cross.map(({ coin }) => coin))]
  const kept = total(
    coins.map((coin) => {
      const worth = total(cross.filter((each) => each.coin === coin).map((each) => each.value))
      const market = venue.markets().find((each) => each.coin === coin)
      return market === undefined ? Decimal.zero : maintenanceMargin(market.tiers, worth)
    }),
  )
  const isolated = venue
    .perpState(user)
    .positions.filter(({ leverage }) => leverage.type !== 'cross')
  const behind = equity.minus(total(isolated.map(({ marginUsed }) => marginUsed)))
  const atStops = loss.times(slack).plus(value.times(gap)).plus(kept)
  const x = rules.minLiquidationDistance
  const atShock = kept.times(Decimal.one.minus(x)).plus(value.times(x))
  if (atStops.lte(behind) && atShock.lte(behind)) return
  const text = `${behind.toString()} USD stand behind cross positions that need ${atStops.toString()} when every stop is hit and ${atShock.toString()} when all marks move`
  throw new Violation('cross_pool', text)
}

const beyondStops: ReadonlySet<string> = new Set([
  ...['price_gap', 'withdrawal', 'ledger_late', 'agent_revoked', 'stop_refused'],
  ...['margin_gone', 'vault_withdrawal', 'mode_changed', 'venue_upgrade'],
  ...elsewhereFaults,
  ...dexFaults,
])
const withoutStops: ReadonlySet<string> = new Set([
  ...['agent_revoked', 'stop_refused', 'error_in_200', 'venue_upgrade'],
  ...limitFaults,
])

/** What a world knows of what was done to it. */
export interface Sufferer {
  readonly isTraded: boolean
  readonly isAgentRevoked: boolean
  readonly plan: Pick<Plan, 'seed' | 'habits' | 'isOfAccounts'>
  /** The faults that struck, by name. */
  readonly recent: ReadonlyMap<string, number>
}

/** Something has happened against which no stop helps: a gap, a person, money that was taken away. */
export function isBeyondStops({ isTraded, isAgentRevoked, plan, recent }: Sufferer): boolean {
  if (isTraded || isAgentRevoked) return true
  if (plan.habits.length > 0 && !plan.isOfAccounts) return true
  return [...recent.keys()].some((fault) => beyondStops.has(fault))
}

/** The venue takes no stops, or nothing of Guard's. */
export function isStopless({ isAgentRevoked, recent }: Sufferer): boolean {
  return isAgentRevoked || [...recent.keys()].some((fault) => withoutStops.has(fault))
}

/** Nothing but what stops cannot help against liquidates the account. */
export function checkNotLiquidated({ fills }: Happening, user: Address, excuse: boolean): void {
  const taken = fills.find(({ liquidation }) => liquidation?.liquidatedUser === user)
  if (taken === undefined || excuse) return
  const { coin, size, price } = taken
  const text = `the venue liquidated ${size.toString()} of ${coin} at ${price.toString()}`
  throw new Violation('liquidated', text)
}

/** Whether something has happened that takes away what stands behind positions of each kind. */
interface Excuses {
  readonly isolated: boolean
  readonly cross: boolean
}

/** No position is liquidated while stops that cover all of it have not been reached. */
export function checkStopFirst(
  { before, fills }: Happening,
  user: Address,
  excuses: Excuses,
): void {
  for (const { liquidation, coin } of fills) {
    const held = before.positions.find((each) => each.coin === coin)
    if (liquidation?.liquidatedUser !== user || held === undefined) continue
    if (excuses[held.leverage.type]) continue
    const isLong = held.size.isPositive()
    const { markPrice } = liquidation
    const waiting = workingStops(before.orders, held).filter(({ trigger }) =>
      isLong ? markPrice.gt(trigger) : markPrice.lt(trigger),
    )
    if (!isCovered(waiting, held)) continue
    const stop = waiting[0]?.trigger.toString() ?? ''
    const text = `the venue liquidated ${coin} at ${markPrice.toString()}, before its stop at ${stop}`
    throw new Violation('stop_first', text)
  }
}

function worstLoss({ isBuy, value, risk }: Leaning): Decimal {
  const atTrigger = isBuy ? value.minus(risk) : value.plus(risk)
  return risk.plus(atTrigger.times(tenth))
}

function total(values: readonly Decimal[]): Decimal {
  return values.reduce((sum, each) => sum.plus(each), Decimal.zero)
}
