import type { Fill } from '../protocol/venueState.ts'
import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import type { PositionView } from './accountView.ts'
import type { Cover } from './stop.ts'
import { coverOf, covering, upTo } from './coverRecord.ts'
import { EarlierStops } from './earlierStops.ts'
import type { EarlierRecord } from './earlierStops.ts'
import { signedSize } from './fillChain.ts'
import type { KeptStop, OrderLife } from './orderLife.ts'
import { fit, isTighter, lotsOf, shrunk, sumOf, tightness } from './promisedLots.ts'
import type { LotKind, Promised } from './promisedLots.ts'
import { RecentMap } from './recentMap.ts'
import type { PerpReservation, StopChooser, TwapExposure } from './reservation.ts'
import type { ClosedPart, OwnStop, PromisedStop, StopPromise } from './stopPromise.ts'
import type { StopRow } from './stopRow.ts'

/** The stop that an order of Guard's stands for: the one an entry was judged with, or the stop itself. */
interface PlannedStop {
  readonly isEntry: boolean
  readonly trigger: Decimal
  /** Whose stop Guard keeps, of an entry that waits for a trigger; null for any other order. */
  readonly keptFor: StopChooser | null
}

const guards: LotKind = { isGuards: true, isKept: false }

/** Which price of a coin is known, and the venue's time that a state shows it as of. */
interface SeenAt {
  priceOf(coin: Coin): Decimal | null
  timeOf(coin: Coin): number
}

/** Orders whose fill may still come; beyond it the oldest are forgotten. */
const plansMax = 4_096
/** Entries that wait for a trigger may rest for weeks: other orders do not push them out. */
const keptMax = 2_048
/** Stops that have ended and whose fills are still to be told; beyond it the oldest are forgotten. */
const closedMax = 1_024
/** A position that was built from more stops than this keeps the tightest of them. */
const lotsMax = 64

/** What was promised, for the next start, as plain JSON. */
export interface PromiseRecord extends EarlierRecord {
  /**
   * By client order id: whether it is an entry, and the trigger; of an entry that waits for a
   * trigger also whose stop it is.
   */
  readonly plans: readonly (
    readonly [string, boolean, string] | readonly [string, boolean, string, StopChooser]
  )[]
  readonly positions: readonly {
    readonly coin: string
    readonly isLong: boolean
    /** Trigger and size of the stops that have covered all of it. */
    readonly covers: readonly (readonly [string, string])[]
    /** Trigger, size, whether it is Guard's own, and whether Guard alone keeps it. */
    readonly lots: readonly (
      readonly [string, string, boolean] | readonly [string, string, boolean, boolean]
    )[]
  }[]
}

/**
 * The stops that every position was promised: those that its entries were judged with, each over
 * what that entry filled, and Guard's own where a position was opened elsewhere, from the moment it is
 * decided on: the venue may refuse it for as long as it likes. No request and no tidying may leave a
 * position with less; where somebody at the venue does, Guard puts it back.
 */
export class Promises {
  readonly #positions = new Map<Coin, Promised>()
  readonly #plans = new RecentMap<string, PlannedStop>(plansMax)
  readonly #kept = new RecentMap<string, PlannedStop>(keptMax)
  readonly #earlier = new EarlierStops()
  /** By order, how much its told end has taken from the promises: its fill does not take it again. */
  readonly #closed = new RecentMap<number, Decimal>(closedMax)
  /** When a position began that came in place of another, by the venue's clock. */
  readonly #begun = new Map<Coin, number>()

  /** Guard is about to send an order that opens, or that stops. */
  plan(item: PerpReservation): void {
    if (item.kind === 'entry') {
      this.#note(item.cloid, true, item.stop, item.watched?.stopBy ?? null)
    } else if (item.kind === 'stop') this.#note(item.cloid, false, item.trigger, null)
  }

  /** Guard is about to close, by an order of this id, what was promised a stop at `trigger`. */
  closeFor(cloid: string, trigger: Decimal): void {
    this.#note(cloid, false, trigger, null)
  }

  /** The trigger that is noted of an entry, or of what stops or closes in place of a stop; null for none. */
  notedOf(cloid: string, isEntry: boolean): Decimal | null {
    const plan = this.#plans.get(cloid)
    return plan?.isEntry === isEntry ? plan.trigger : null
  }

  #note(cloid: string, isEntry: boolean, trigger: Decimal, keptFor: StopChooser | null): void {
    // An id that is used again names another order: what was kept under it is over.
    const [noted, other] = keptFor === null ? [this.#plans, this.#kept] : [this.#kept, this.#plans]
    other.delete(cloid)
    noted.set(cloid, { isEntry, trigger, keptFor })
  }

  /** The stop that Guard keeps for an entry that waits for a trigger; null when it keeps none. */
  keptStop(cloid: string): KeptStop | null {
    const plan = this.#kept.get(cloid)
    if (plan === undefined || plan.keptFor === null) return null
    return { stop: plan.trigger, stopBy: plan.keptFor }
  }

  /** Whether it keeps the stop of any entry that waits for a trigger. */
  get hasKept(): boolean {
    return this.#kept.size > 0
  }

  /** A fill opens a position in place of one that has ended unseen: older stops promise nothing to it. */
  beginAnew({ coin, at }: Fill): void {
    this.#begun.set(coin, at)
  }

  /** A fill that was not counted before, with the order or the TWAP it belongs to where that is known. */
  applyFill(
    fill: Fill,
    life: OrderLife | null,
    cloid: string | null,
    twap: TwapExposure | null = null,
  ): void {
    const start = fill.startPosition
    const end = start.plus(signedSize(fill))
    const untaken = this.#untakenBy(fill)
    const isNew = start.isZero() || start.isNegative() !== end.isNegative()
    if (isNew || end.isZero()) {
      this.#positions.delete(fill.coin)
      this.#earlier.renewed(fill)
    }
    if (end.isZero()) return
    const from = isNew ? Decimal.zero : start.abs()
    const plan = twap === null ? this.#planOf(life, cloid) : planOfTwap(twap)
    const grown = end.abs().minus(from)
    const promised = this.#of(fill.coin, end.isPositive())
    this.#goBeyond(promised, fill, from)
    if (grown.isPositive()) {
      if (plan?.isEntry === true) {
        this.#add(promised, plan.trigger, grown, { isGuards: false, isKept: plan.keptFor !== null })
      }
    } else {
      const stop = plan?.isEntry === false ? plan.trigger : null
      promised.told = shrunk(promised, untaken, stop)
    }
    fit(promised, end.abs())
  }

  /**
   * An order that stops, or closes in place of a stop, has ended, and so much of what it closed is still to be
   * told by fills: the promise that it kept is over at once, whatever else fills in the same moment.
   */
  closedBy({ coin, isLong, oid, cloid, trigger, size }: ClosedPart): void {
    const stop = trigger ?? (cloid === null ? null : this.notedOf(cloid, false))
    const promised = this.#positions.get(coin)
    if (stop === null || promised?.isLong !== isLong || oid === null) return
    // The venue may tell an end twice.
    const news = size.minus(this.#closed.get(oid) ?? Decimal.zero)
    if (!news.isPositive()) return
    promised.told = shrunk(promised, news, stop)
    this.#closed.set(oid, size)
  }

  /** How much of a fill no told end of its order has taken from the promises already. */
  #untakenBy({ oid, size }: Fill): Decimal {
    const taken = this.#closed.get(oid)
    if (taken === undefined) return size
    const left = taken.minus(size)
    if (left.isPositive()) this.#closed.set(oid, left)
    else this.#closed.delete(oid)
    return Decimal.max(size.minus(taken), Decimal.zero)
  }

  /** A fill that came after the last state; where it starts from less than was told, no fill tells why. */
  #goBeyond(promised: Promised, { at }: Fill, from: Decimal): void {
    const { shown } = promised
    if (shown === null) return
    if (sumOf(promised.told).gt(from)) promised.told = lotsOf(promised)
    if (at > shown.at) promised.shown = null
  }

  /** The order itself knows what Guard planned; its id tells it only for orders of an earlier run. */
  #planOf(life: OrderLife | null, cloid: string | null): PlannedStop | null {
    const plan = life?.plan
    if (plan?.kind === 'entry') {
      return { isEntry: true, trigger: plan.stop, keptFor: plan.watched?.stopBy ?? null }
    }
    const trigger = life?.firesAt ?? null
    if (trigger !== null) return { isEntry: false, trigger, keptFor: null }
    return cloid === null ? null : (this.#kept.get(cloid) ?? this.#plans.get(cloid) ?? null)
  }

  /**
   * The positions as a state shows them: what is flat or turned around has no promise. Where one is
   * smaller, what closed it may be told later, by the end of a stop or by a fill, or never.
   */
  settle(positions: ReadonlyMap<Coin, PositionView>, { priceOf, timeOf }: SeenAt): void {
    for (const [coin, promised] of [...this.#positions]) {
      const size = positions.get(coin)?.size
      if (size === undefined || size.isPositive() !== promised.isLong) this.#positions.delete(coin)
      else {
        const held = size.abs()
        promised.shown = { size: held, price: priceOf(coin), at: timeOf(coin) }
        promised.covers = upTo(promised.covers, held)
      }
    }
    for (const coin of [...this.#begun.keys()]) if (!positions.has(coin)) this.#begun.delete(coin)
    this.#earlier.settle(positions)
  }

  /**
   * Guard is about to place its own stop for a part that nothing was promised for. As much of it as a
   * tighter stop has covered before, when the position was smaller, is promised at that tighter one.
   */
  promiseOwn({ coin, isLong, trigger, size }: OwnStop): void {
    const promised = this.#of(coin, isLong)
    promised.told = lotsOf(promised)
    let left = size
    for (const cover of promised.covers) {
      if (!isTighter(promised, cover.trigger, trigger)) break
      const part = Decimal.min(left, cover.size.minus(sumOf(promised.told)))
      if (!part.isPositive()) continue
      this.#add(promised, cover.trigger, part, guards)
      left = left.minus(part)
    }
    if (left.isPositive()) this.#add(promised, trigger, left, guards)
  }

  /**
   * Notes the stops that cover a position now; `covered` is its size as they see it, in units of the
   * coin. Where nothing was promised, Guard's own stop is a promise from now on.
   */
  follow({ coin, size }: PositionView, covered: Decimal, row: StopRow, cover: Cover): void {
    const isLong = size.isPositive()
    const begun = this.#begun.get(coin)
    // One is older than the position: the venue ended it with the one before, and has not told it yet.
    if (begun !== undefined && row.list().some(({ placedAt }) => placedAt < begun)) return
    const { loosest } = cover
    if (cover.isFull && loosest !== null) {
      const promised = this.#of(coin, isLong)
      const by = { trigger: loosest, size: covered }
      promised.covers = covering(promised.covers, isLong, by)
    }
    const own = row.tightestOfGuard
    const earlier = this.#earlier.of(coin, isLong)
    for (const stop of earlier?.covers ?? []) {
      const promised = this.#of(coin, isLong)
      promised.covers = covering(promised.covers, isLong, stop)
    }
    if (own !== null) this.#promiseRest(coin, size, { trigger: own.trigger, size: size.abs() })
    else for (const stop of earlier?.stops ?? []) this.#promiseRest(coin, size, stop)
  }

  /** Promises this stop to what has no promise yet, and to no more than it is for. */
  #promiseRest(coin: Coin, held: Decimal, stop: PromisedStop): void {
    const promised = this.#of(coin, held.isPositive())
    const lots = lotsOf(promised)
    const rest = Decimal.min(held.abs().minus(sumOf(lots)), stop.size)
    if (!rest.isPositive()) return
    promised.told = lots
    this.#add(promised, stop.trigger, rest, guards)
  }

  /** What is promised for a position of which so much is `left` once all that was told has closed. */
  of({ coin, size }: PositionView, left = size.abs()): StopPromise {
    const promised = this.#positions.get(coin)
    if (promised?.isLong !== size.isPositive()) return { stops: [], rest: left }
    const stops = lotsOf(promised)
    return { stops, rest: Decimal.max(left.minus(sumOf(stops)), Decimal.zero) }
  }

  /** The tightest stop that has covered all of a position of this size; null when unknown. */
  coverOf({ coin, size }: PositionView): Decimal | null {
    const promised = this.#positions.get(coin)
    return promised?.isLong === size.isPositive() ? coverOf(promised.covers, size.abs()) : null
  }

  record(): PromiseRecord {
    const plans = [...planRows(this.#plans), ...planRows(this.#kept)]
    const positions = [...this.#positions].map(([coin, promised]) => ({
      coin,
      isLong: promised.isLong,
      covers: promised.covers.map(
        ({ trigger, size }) => [trigger.toString(), size.toString()] as const,
      ),
      lots: lotsOf(promised).map(({ trigger, size, isGuards, isKept }) =>
        isKept
          ? ([trigger.toString(), size.toString(), isGuards, true] as const)
          : ([trigger.toString(), size.toString(), isGuards] as const),
      ),
    }))
    return { plans, positions, ...this.#earlier.record() }
  }

  restore({ plans, positions, own = [], covering: covers = [] }: PromiseRecord): void {
    for (const [cloid, isEntry, trigger, keptFor] of plans) {
      this.#note(cloid, isEntry, Decimal.of(trigger), keptFor ?? null)
    }
    for (const { coin, isLong, covers, lots } of positions) {
      const promised = this.#of(coin as Coin, isLong)
      promised.covers = covers.map(([trigger, size]) => {
        return { trigger: Decimal.of(trigger), size: Decimal.of(size) }
      })
      for (const [trigger, size, isGuards, isKept = false] of lots) {
        this.#add(promised, Decimal.of(trigger), Decimal.of(size), { isGuards, isKept })
      }
    }
    this.#earlier.note(own, covers)
  }

  #of(coin: Coin, isLong: boolean): Promised {
    const known = this.#positions.get(coin)
    if (known?.isLong === isLong) return known
    const promised: Promised = { isLong, told: [], shown: null, covers: [] }
    this.#positions.set(coin, promised)
    return promised
  }

  #add(promised: Promised, trigger: Decimal, size: Decimal, { isGuards, isKept }: LotKind): void {
    const { told } = promised
    const same = told.find(
      (lot) => lot.trigger.eq(trigger) && lot.isGuards === isGuards && lot.isKept === isKept,
    )
    const others = told.filter((lot) => lot !== same)
    const whole = same === undefined ? size : same.size.plus(size)
    const lot = { trigger, size: whole, isGuards, isKept }
    const lots = [...others, lot].sort((one, other) => tightness(promised, one, other))
    const [loose, ...rest] = lots.slice(lotsMax - 1)
    if (loose === undefined) promised.told = lots
    // The loosest of too many are promised the tightest of them.
    else
      promised.told = [...lots.slice(0, lotsMax - 1), { ...loose, size: sumOf([loose, ...rest]) }]
  }
}

/** A slice opens for the stop that all of its TWAP was judged with, which Guard places. */
function planOfTwap({ stop }: TwapExposure): PlannedStop {
  return { isEntry: true, trigger: stop, keptFor: 'guard' }
}

/** What was noted, oldest first, as plain JSON. */
function planRows(noted: RecentMap<string, PlannedStop>): PromiseRecord['plans'] {
  return [...noted.keys()].flatMap((cloid): PromiseRecord['plans'] => {
    const plan = noted.get(cloid)
    if (plan === undefined) return []
    const { isEntry, trigger, keptFor } = plan
    const row = [cloid, isEntry, trigger.toString()] as const
    return [keptFor === null ? row : [...row, keptFor]]
  })
}
