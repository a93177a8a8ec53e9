import type { Json, JsonObject } from '../core/protocol/action.ts'
import { isObject } from '../core/protocol/fields.ts'
import type { Rules } from '../core/rules/rules.ts'
import type { Address } from '../core/values/address.ts'
import { Decimal } from '../core/values/decimal.ts'
import type { Venue } from '../sim/engine/venue.ts'
import type { OrderView, PositionView } from '../sim/engine/views.ts'
import { Violation } from './violation.ts'

/**
 * The limits, worked out from the venue's own account and nothing of Guard's. They are measured
 * against the most the account was ever worth, because that is the most Guard can have seen.
 */
export class BudgetOracle {
  readonly #venue: Venue
  readonly #user: Address
  #equityMax = Decimal.zero

  constructor(venue: Venue, user: Address) {
    this.#venue = venue
    this.#user = user
  }

  /** The account as it is now counts into what it was ever worth. */
  look(): void {
    const isUnified = this.#venue.mode(this.#user) === 'unifiedAccount'
    const equity = isUnified
      ? this.#venue.spotState(this.#user).usdcTotal
      : this.#venue.perpState(this.#user).margin.accountValue
    if (equity.gt(this.#equityMax)) this.#equityMax = equity
  }

  /** No entry that leaves can lose more at its stop than one trade may. */
  checkEntry(action: Json, rules: Rules): void {
    if (!isObject(action) || action['type'] !== 'order') return
    this.look()
    const orders = action['orders'] as readonly JsonObject[]
    const entry = orders.find((order) => order['r'] === false)
    if (entry === undefined) return
    const price = Decimal.of(String(entry['p']))
    const losses = orders
      .filter((order) => order['r'] === true && order['b'] !== entry['b'])
      .map((order) => (order['t'] as { trigger?: { triggerPx: string; tpsl: string } }).trigger)
      .filter((trigger) => trigger?.tpsl === 'sl')
      .map((trigger) => price.minus(Decimal.of(trigger?.triggerPx ?? '0')).abs())
    const least = losses.reduce<Decimal | null>(
      (found, each) => (found === null || each.lt(found) ? each : found),
      null,
    )
    const text = JSON.stringify(action)
    if (least === null) throw new Violation('entry_stop', `an entry left without a stop: ${text}`)
    const loss = least.times(Decimal.of(String(entry['s'])))
    if (loss.gt(this.#equityMax.times(rules.riskPerTrade))) {
      throw new Violation('risk_per_trade', `${loss.toString()} USD may be lost by ${text}`)
    }
  }

  /** In a world where only Guard trades and no price moves, the sums hold at every moment. */
  checkSums(rules: Rules): void {
    this.look()
    const { positions } = this.#venue.perpState(this.#user)
    const open = this.#venue.openOrders(this.#user)
    const entries = open.filter(({ isReduceOnly }) => !isReduceOnly)
    const sum = (values: readonly Decimal[]): Decimal =>
      values.reduce((total, each) => total.plus(each), Decimal.zero)
    const risk = sum([
      ...positions.map((each) => this.#riskOf(each, open)),
      ...entries.map((each) => restingRisk(each)),
    ])
    const budget = this.#equityMax.times(rules.openRisk)
    if (risk.gt(budget)) {
      const text = `${risk.toString()} USD are at risk, ${budget.toString()} may be`
      throw new Violation('open_risk', text)
    }
    const valueOf = ({ size, limitPrice }: OrderView): Decimal => size.times(limitPrice)
    const value = sum([
      ...positions.map(({ positionValue }) => positionValue),
      ...entries.map(valueOf),
    ])
    if (value.gt(this.#equityMax.times(rules.maxLeverage))) {
      throw new Violation('leverage', `positions and entries of ${value.toString()} USD`)
    }
    for (const { coin, positionValue, size } of positions) {
      const same = entries.filter((each) => each.coin === coin && each.isBuy === size.isPositive())
      const held = sum([positionValue, ...same.map(valueOf)])
      if (held.gt(this.#equityMax.times(rules.maxPosition))) {
        throw new Violation('position_cap', `${coin} of ${held.toString()} USD`)
      }
    }
  }

  /** What is lost at the tightest stop; a position without one is another rule's matter. */
  #riskOf({ coin, size }: PositionView, open: readonly OrderView[]): Decimal {
    const mid = this.#venue.mids().get(coin)
    const isLong = size.isPositive()
    const distances = open
      .filter((order) => order.coin === coin && order.isReduceOnly && order.isBuy !== isLong)
      .flatMap(({ trigger }) => (trigger?.tpsl === 'sl' ? [trigger.price] : []))
      .map((stop) => (isLong ? mid?.minus(stop) : stop.minus(mid ?? stop)) ?? Decimal.zero)
      .filter((distance) => distance.isPositive())
    const least = distances.reduce<Decimal | null>(
      (found, each) => (found === null || each.lt(found) ? each : found),
      null,
    )
    return least === null ? Decimal.zero : least.times(size.abs())
  }
}

function restingRisk({ size, limitPrice, children }: OrderView): Decimal {
  const stops = children.flatMap(({ trigger }) => (trigger?.tpsl === 'sl' ? [trigger.price] : []))
  const distances = stops.map((stop) => limitPrice.minus(stop).abs())
  const least = distances.reduce<Decimal | null>(
    (found, each) => (found === null || each.lt(found) ? each : found),
    null,
  )
  return least === null ? Decimal.zero : least.times(size)
}
