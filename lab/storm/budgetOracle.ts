import type { Json, JsonObject } from '../../src/core/protocol/action.ts'
import { isObject } from '../../src/core/protocol/fields.ts'
import type { Rules } from '../../src/core/rules/rules.ts'
import type { Address } from '../../src/core/values/address.ts'
import type { Coin } from '../../src/core/values/coin.ts'
import { Decimal } from '../../src/core/values/decimal.ts'
import type { Venue } from '../sim/engine/venue.ts'
import type { OrderView, PositionView } from '../sim/engine/views.ts'
import { isEntry, listOf, openingTwapIn, ordersIn } from './actionChecks.ts'
import { checkPool } from './poolOracle.ts'
import { PriceWindow } from './priceWindow.ts'
import { repairMsMax } from './promiseOracle.ts'
import { lossAt, workingStops } from './stopCover.ts'
import { stillToCome } from './venueOracle.ts'
import type { Happening } from './venueWatch.ts'
import { Violation } from './violation.ts'
import { equityOf, everyMid, perpOrders, shownOf } from './wholeAccount.ts'
import type { Shown } from './wholeAccount.ts'

/** Guard may go by what it saw this long ago: prices, equity and a decision that waited for a disk. */
export const seenMsMax = 20_000

/** What an entry would add, and the order it takes the place of. */
interface Added {
  readonly coin: Coin
  readonly isBuy: boolean
  readonly value: Decimal
  readonly risk: Decimal
  /** It waits for a trigger, and the venue holds no stop for it. */
  readonly isWaiting: boolean
  /** By its number or its client order id. */
  readonly replaces: number | string | null
}

/**
 * The limits, worked out from the venue's own account and nothing of Guard's. Where prices move
 * they are measured by the best that Guard can have seen: what fails here fails at any price it had.
 */
export class BudgetOracle {
  readonly #venue: Venue
  readonly #user: Address
  readonly #seen = new PriceWindow(seenMsMax)
  /** The most it was ever worth: fees are paid after an entry was measured. */
  #equityMax = Decimal.zero
  #pushedOut: { readonly order: OrderView; readonly at: number }[] = []

  /** By one reading the venue looks at triggers only now and then: a price may come back before it does. */
  readonly #looksNowAndThen: boolean

  constructor(venue: Venue, user: Address, looksNowAndThen = false) {
    this.#venue = venue
    this.#user = user
    this.#looksNowAndThen = looksNowAndThen
  }

  /** The most that Guard can have gone by. */
  get equity(): Decimal {
    return this.#seen.equity
  }

  /** The account and the prices as they are now are something that Guard may go by. */
  look(): void {
    const equity = equityOf(this.#venue, this.#user)
    this.#equityMax = Decimal.max(this.#equityMax, equity)
    this.#seen.add(this.#venue.nowMs, everyMid(this.#venue), equity)
  }

  /** Keeps what the venue itself took away: newer orders that only reduce may push a stop out. */
  hear({ ended }: Pick<Happening, 'ended'>): void {
    const at = this.#venue.nowMs
    this.#pushedOut = this.#pushedOut.filter((each) => each.at >= at - seenMsMax)
    for (const { order, status } of ended) {
      if (status === 'reduceOnlyCanceled') this.#pushedOut.push({ order, at })
    }
  }

  /**
   * Entries that leave have their stops, lose no more at them than one trade may, and fit into the
   * budgets beside all that the venue holds and all that is on its way there. Where others trade
   * too (`isAlone` is false), Guard cannot know of everything yet, and only the entry itself is
   * measured. `since` is the moment, by the venue's clock, that Guard may have judged it by: the
   * stops that stood then count, since Guard puts back what the venue pushes out later.
   */
  checkEntry(
    action: Json,
    rules: Rules,
    isAlone: boolean,
    onItsWay: readonly Json[] = [],
    since = Infinity,
  ): void {
    if (!ordersIn(action).some(isEntry) && openingTwapIn(action) === null) return
    this.look()
    const added = this.#addedBy(action)
    const allows = openingTwapIn(action) === null ? rules.triggerEntries : rules.twap
    if (added.some(({ isWaiting }) => isWaiting) && allows !== 'watched') {
      throw new Violation('entry_stop', `an entry left to wait: ${JSON.stringify(action)}`)
    }
    if (openingTwapIn(action) !== null && rules.twap !== 'watched') {
      throw new Violation('entry_stop', `a TWAP left: ${JSON.stringify(action)}`)
    }
    for (const { risk } of added) {
      if (risk.gt(this.#seen.equity.times(rules.riskPerTrade))) {
        const text = `${risk.toString()} USD may be lost by ${JSON.stringify(action)}`
        throw new Violation('risk_per_trade', text)
      }
    }
    const all = [...added, ...onItsWay.flatMap((each) => this.#addedBy(each))]
    if (!isAlone) return
    const stood = this.#asStoodSince(since, shownOf(this.#venue, this.#user))
    this.#checkSums(rules, all, this.#seen.equity, stood)
  }

  /**
   * In a world where only Guard trades and no price moves, the sums hold at every moment. A stop that
   * the venue pushed out counts for as long as Guard has to hear of it and to put it back.
   */
  checkSums(rules: Rules, shown: Shown = shownOf(this.#venue, this.#user)): void {
    this.look()
    const stood = this.#asStoodSince(this.#venue.nowMs - repairMsMax, shown)
    this.#checkSums(rules, [], this.#equityMax, stood)
  }

  /** With the stops that the venue has pushed out since. */
  #asStoodSince(since: number, { positions, orders }: Shown): Shown {
    const gone = this.#pushedOut.flatMap(({ order, at }) => (at >= since ? [order] : []))
    return { positions, orders: [...orders, ...gone] }
  }

  #checkSums(
    rules: Rules,
    added: readonly Added[],
    equity: Decimal,
    { positions, orders }: Shown,
  ): void {
    const gone = new Set(added.flatMap(({ replaces }) => replaces ?? []))
    const open = perpOrders(this.#venue, this.#user, orders).filter(
      ({ oid, cloid }) => !gone.has(oid) && !gone.has(cloid ?? ''),
    )
    const entries = open.filter(({ isReduceOnly }) => !isReduceOnly)
    const values = [
      ...positions.map((each) => ({
        ...{ ...sideOf(each), value: this.#valueOf(each), risk: this.#riskOf(each, open) },
      })),
      ...entries.map((each) => ({
        ...{ coin: each.coin, isBuy: each.isBuy, value: each.size.times(worthOf(each)) },
        risk: restingRisk(each),
      })),
      ...this.#running(),
      ...added,
    ]
    const risk = sum(values.map((each) => each.risk))
    const budget = equity.times(rules.openRisk)
    if (risk.gt(budget)) {
      const text = `${risk.toString()} USD are at risk, ${budget.toString()} may be`
      throw new Violation('open_risk', text)
    }
    checkPool(this.#venue, this.#user, rules, values, equity)
    this.#checkWaiting(rules, [...entries.filter(isWaiting).map(waitingValue), ...added], equity)
    const value = sum(values.map((each) => each.value))
    if (value.gt(equity.times(rules.maxLeverage))) {
      throw new Violation('leverage', `positions and entries of ${value.toString()} USD`)
    }
    // Fees lower the cap of what is held already: an entry must fit where it goes.
    for (const { coin, isBuy } of added.length === 0 ? values : added) {
      const same = values.filter((each) => each.coin === coin && each.isBuy === isBuy)
      const held = sum(same.map((each) => each.value))
      if (held.gt(equity.times(rules.maxPosition))) {
        throw new Violation('position_cap', `${coin} of ${held.toString()} USD`)
      }
    }
  }

  /** Should all that wait fire while Guard is away, each loses down to where it may be liquidated. */
  #checkWaiting(
    rules: Rules,
    waiting: readonly Pick<Added, 'value' | 'isWaiting'>[],
    equity: Decimal,
  ): void {
    const value = sum(waiting.filter((each) => each.isWaiting).map((each) => each.value))
    const loss = value.times(rules.minLiquidationDistance)
    if (loss.lte(equity.times(rules.dailyLossStop))) return
    throw new Violation('waiting_loss', `entries that wait could lose ${loss.toString()} USD`)
  }

  #addedBy(action: Json): readonly Added[] {
    if (!isObject(action)) return []
    const twap = openingTwapIn(action)
    if (twap !== null) return this.#addedByTwap(twap, action)
    const orders = ordersIn(action)
    const replaced = replacedBy(action)
    return orders.flatMap((order, at) => {
      if (!isEntry(order)) return []
      const coin = this.#coinOf(order)
      if (coin === undefined) return []
      const trigger = triggerOf(order)
      const worth = Decimal.max(priceOf(order), trigger ?? priceOf(order))
      const side = { coin, isBuy: order['b'] === true, value: sizeOf(order).times(worth) }
      const rest = { ...side, replaces: replaced[at] ?? null, isWaiting: trigger !== null }
      // What a stop costs that Guard alone knows is seen when it is placed.
      if (trigger !== null) return [{ ...rest, risk: Decimal.zero }]
      // A modified entry keeps the stop it has on the venue.
      if (action['type'] !== 'order') return [{ ...rest, risk: Decimal.zero }]
      return [{ ...rest, risk: lossAtStop(order, orders) }]
    })
  }

  /**
   * A TWAP must end by itself somewhere, and may fill all of its size until there. What its stop costs
   * that Guard alone knows is seen when it is placed.
   */
  #addedByTwap(twap: JsonObject, action: JsonObject): readonly Added[] {
    const coin = this.#coinOf(twap)
    const { s: end = null, t: start = null } = (action['details'] ?? {}) as JsonObject
    if (coin === undefined || end === null) {
      throw new Violation('entry_stop', `a TWAP left without an end: ${JSON.stringify(action)}`)
    }
    const price = Decimal.max(Decimal.of(String(end)), this.#seen.lowest(coin))
    const side = { coin, isBuy: twap['b'] === true, value: sizeOf(twap).times(price) }
    return [
      {
        ...side,
        replaces: null,
        risk: Decimal.zero,
        isWaiting: start !== null && this.#isAhead(start, coin),
      },
    ]
  }

  #coinOf({ a: asset }: JsonObject): Coin | undefined {
    return this.#venue.marketById(Number(asset))?.coin
  }

  /** Whether a price is still to come, at every price that Guard may have seen. */
  #isAhead(start: Json, coin: Coin): boolean {
    const { p, a } = start as JsonObject
    const at = Decimal.of(String(p))
    return this.#seen.prices(coin).every((mid) => (a === true ? mid.lt(at) : mid.gt(at)))
  }

  /** What is left of TWAPs that may open, at the price that is best for it. */
  #running(): readonly Pick<Added, 'coin' | 'isBuy' | 'value' | 'risk'>[] {
    return this.#venue
      .twaps(this.#user)
      .filter(({ isReduceOnly }) => !isReduceOnly)
      .map(({ coin, isBuy, size, executedSize }) => ({
        ...{ coin, isBuy, risk: Decimal.zero },
        value: size.minus(executedSize).times(this.#seen.lowest(coin)),
      }))
  }

  /** What a position is worth at the price that is best for it. */
  #valueOf({ coin, size }: PositionView): Decimal {
    return size.abs().times(this.#seen.lowest(coin))
  }

  /**
   * What is lost at the tightest stops, by what TWAPs are still to add as well: their stop rests for all
   * of it. A position without stops is another rule's matter.
   */
  #riskOf({ coin, size }: PositionView, open: readonly OrderView[]): Decimal {
    const held = { coin, size: size.plus(stillToCome(this.#venue, this.#user, coin, size)) }
    const stops = workingStops(open, held)
    // At the price that is best for Guard; where no stop lies beyond it, nothing is lost there.
    const isLate = this.#looksNowAndThen
    const losses = this.#seen.prices(held.coin).map((mid) => lossAt(stops, held, mid, isLate))
    // Past its stops nothing is lost at them, though they have not fired.
    if (isLate && losses.some((loss) => loss.isZero())) return Decimal.zero
    return least(losses.filter((loss) => loss.isPositive())) ?? Decimal.zero
  }
}

/** What one entry of an action loses at the nearest of its stops. */
function lossAtStop(entry: JsonObject, orders: readonly JsonObject[]): Decimal {
  const stops = orders
    .filter((order) => order['r'] === true && order['b'] !== entry['b'])
    .map((order) => (order['t'] as { trigger?: { triggerPx: string; tpsl: string } }).trigger)
    .flatMap((trigger) => (trigger?.tpsl === 'sl' ? [Decimal.of(trigger.triggerPx)] : []))
  const distance = least(stops.map((stop) => priceOf(entry).minus(stop).abs()))
  if (distance === null) {
    throw new Violation('entry_stop', `an entry left without a stop: ${JSON.stringify(entry)}`)
  }
  return distance.times(sizeOf(entry))
}

/** The price that an order waits for; null for a limit order. */
function triggerOf({ t }: JsonObject): Decimal | null {
  const { trigger } = t as { trigger?: { triggerPx: string } }
  return trigger === undefined ? null : Decimal.of(trigger.triggerPx)
}

function isWaiting({ trigger }: OrderView): boolean {
  return trigger !== null
}

function waitingValue(order: OrderView): Pick<Added, 'value' | 'isWaiting'> {
  return { value: order.size.times(worthOf(order)), isWaiting: true }
}

/** What a unit of an entry is worth at least: one that waits fills at its trigger or its limit. */
function worthOf({ limitPrice, trigger }: OrderView): Decimal {
  return trigger === null ? limitPrice : Decimal.max(limitPrice, trigger.price)
}

/** The orders that give way, in the order of those that take their place. */
function replacedBy(action: JsonObject): readonly (number | string | null)[] {
  const modifies = action['type'] === 'modify' ? [action] : listOf(action['modifies'])
  return modifies.map((each) => {
    const oid = isObject(each) ? each['oid'] : null
    return typeof oid === 'number' || typeof oid === 'string' ? oid : null
  })
}

function restingRisk({ size, limitPrice, children }: OrderView): Decimal {
  const stops = children.flatMap(({ trigger }) => (trigger?.tpsl === 'sl' ? [trigger.price] : []))
  const distance = least(stops.map((stop) => limitPrice.minus(stop).abs()))
  return (distance ?? Decimal.zero).times(size)
}

function sideOf({ coin, size }: PositionView): { readonly coin: Coin; readonly isBuy: boolean } {
  return { coin, isBuy: size.isPositive() }
}

function sizeOf(order: JsonObject): Decimal {
  return Decimal.of(String(order['s']))
}

function priceOf(order: JsonObject): Decimal {
  return Decimal.of(String(order['p']))
}

function sum(values: readonly Decimal[]): Decimal {
  return values.reduce((total, each) => total.plus(each), Decimal.zero)
}

function least(values: readonly Decimal[]): Decimal | null {
  return values.reduce<Decimal | null>(
    (found, each) => (found === null || each.lt(found) ? each : found),
    null,
  )
}
