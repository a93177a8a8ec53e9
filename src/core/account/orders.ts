import type { Fill, OpenOrder, OrderUpdate } from '../protocol/venueState.ts'
import type { Coin } from '../values/coin.ts'
import { limits } from '../values/limits.ts'
import { shifted } from '../values/millis.ts'
import type { Millis } from '../values/millis.ts'
import type { Source } from './accountEvent.ts'
import { Intents } from './intents.ts'
import { OrderLife, stopOf } from './orderLife.ts'
import type { OrderRecords } from './orderRecords.ts'
import { isOrder } from './reservation.ts'
import type { Reservation, ReservationId, ReservedOrder, Settlement } from './reservation.ts'
import { isSameOrder } from './sameOrder.ts'
import { areFillsShown, isSettled } from './settling.ts'
import { SnapshotTimes } from './snapshotTimes.ts'
import { describedBy, filledAtEnd, fromUpdate, sizeLeft } from './toldOrder.ts'

/** A snapshot taken this long after an order's end, and still listing it, is believed. */
const endBelievedMs = 10_000

/**
 * Every order of the account, each with one life: from the tick Guard decides on it, or the venue
 * first shows it, until its end is told and its fills are in the positions. Nothing is let go of
 * without proof: an answer that refuses it, its told end, or a snapshot taken after it could arrive.
 */
export class Orders {
  readonly #onChange: (coin: Coin) => void
  readonly #records: OrderRecords
  readonly times = new SnapshotTimes()
  readonly intents: Intents

  constructor(records: OrderRecords, onChange: (coin: Coin) => void) {
    this.#records = records
    this.#onChange = onChange
    this.intents = new Intents(
      this.times,
      ({ oid, cloid }) =>
        (oid !== null && this.#records.open(oid) !== null) ||
        (cloid !== null && this.#records.index.openBy(cloid) !== null),
      ({ oid, cloid }) => {
        const life = oid === null ? null : this.#records.index.get(oid)
        const target = life ?? (cloid === null ? null : this.#records.index.openBy(cloid))
        if (target !== null) this.#refresh(target)
      },
    )
  }

  /** How much is on its way: orders whose effect is not shown yet, cancels, changes of leverage. */
  get inFlight(): number {
    return this.#records.unsettled.size + this.intents.count
  }

  // ------------------------------------------------------------------------------- Guard's own doing

  /** Holds items at their worst case from this tick on. */
  reserve(id: ReservationId, items: readonly Reservation[], at: Millis): void {
    for (const item of items) {
      if (isOrder(item)) this.#expect(id, item, at)
      else this.intents.begin(id, item, at)
    }
  }

  #expect(id: ReservationId, plan: ReservedOrder, at: Millis): void {
    const life = new OrderLife({ action: id, plan }, at, at + limits.mayArriveMs)
    this.#records.lives.add(life)
    this.#records.unsettled.add(life)
    this.#records.groups.add(id, life)
    this.#records.index.expect(life)
    this.#refresh(life)
  }

  /** The action leaves for the venue. */
  sent(id: ReservationId): void {
    for (const life of this.#records.groups.of(id)) life.hasLeft = true
  }

  /** What the answer to an action said of its orders: of all, or of the one at `index`. */
  settle(id: ReservationId, { outcome }: Settlement, at: Millis, index: number | null): void {
    for (const life of [...this.#records.groups.of(id)]) {
      if (index !== null && life.plan?.index !== index) continue
      if (outcome === 'refused') {
        // An order that the venue has shown is there, whatever an answer says.
        if (life.oid === null) this.#forget(life)
        continue
      }
      life.outcome = outcome
      life.shownFrom = outcome === 'accepted' ? at : at + limits.expiresAfterMsMax
      this.#touch(life)
    }
  }

  /** The answer told the number of the order at a place of its action. */
  numbered(id: ReservationId, index: number, oid: number): void {
    const life = this.#records.groups.at(id, index)
    if (life === null || life.oid === oid || this.#records.index.endedAt(oid) !== null) return
    // Whatever was taken for it by its client order id alone was another order.
    const other = this.#records.index.get(oid)
    const { shown } = other ?? { shown: null }
    if (other !== null) this.#forget(other)
    this.#records.index.number(life, oid)
    if (shown !== null && life.shown === null) this.#show(life, shown, life.seenAt)
    this.#touch(life)
  }

  // ------------------------------------------------------------------------------ the venue's word

  /** A full list: what it lacks is gone, unless it was seen after the list was taken. */
  applySnapshot(orders: readonly OpenOrder[], source: Source, at: Millis, takenAt: number): void {
    const listed = new Map<number, OpenOrder>()
    let taken = takenAt
    for (const order of orders) {
      const endedAt = this.#records.index.endedAt(order.oid)
      if (endedAt === null || takenAt > endedAt + endBelievedMs) listed.set(order.oid, order)
      // A list with an order that has ended is older than that end.
      else taken = Math.min(taken, endedAt - 1)
    }
    // Most of a list is as it was, and with a thousand orders there is a list for every change.
    const changed = new Set<OrderLife>()
    this.#dropUnlisted(listed, source, at, taken, changed)
    const rewired = this.#records.families.take(listed)
    for (const order of listed.values()) {
      const life = this.#list(order, at)
      if (life !== null) changed.add(life)
    }
    for (const life of rewired) changed.add(life)
    for (const life of changed) this.#refreshFamily(life)
    this.times.tookOrders(source, taken)
    this.#reviewAll()
  }

  applyUpdate(update: OrderUpdate, at: Millis): void {
    const { oid, cloid } = update
    const life = this.#records.index.find(describedBy(update))
    if (life === null && cloid !== null) this.#records.index.noteCloid(oid, cloid)
    if (update.status !== 'open' && update.status !== 'triggered') {
      return this.#applyEnd(update, life, at)
    }
    if (this.#records.index.endedAt(oid) !== null) return
    const known = life ?? this.#elsewhere(update, at)
    if (known.shown === null) {
      this.#records.families.rejoin(oid)
      this.#show(known, fromUpdate(update, known, known.played), at)
      this.#linkKin(known)
    } else {
      const size = sizeLeft(known.shown, update.size, known.played)
      if (size.lt(known.shown.size)) known.filledTold = { venue: update.at, local: at }
      known.shown = { ...known.shown, size }
      this.#seen(known, at)
    }
    this.#refreshFamily(known)
    this.#review(known)
  }

  /** A fill; each is told here once. `time` of the venue: what ended before it is in its start position. */
  applyFill(fill: Fill, at: Millis): OrderLife | null {
    const { oid, coin, isBuy, size } = fill
    const cloid = fill.cloid ?? this.#records.index.cloidOf(oid)
    const life = this.#records.index.find({ oid, cloid, coin, isBuy, size, isWhole: false })
    if (life === null) this.#records.index.playPast(oid, size, cloid)
    else this.#play(life, fill, at)
    this.#showEndedBefore(coin, fill.at)
    return life
  }

  /** A state of this moment of the venue is now in the positions. */
  applyState(time: Millis, takenAt: number): void {
    this.times.tookState(time, takenAt)
    this.#reviewAll()
  }

  /** The clock was set by so much: everything keeps its age. */
  shift(ms: number): void {
    for (const life of this.#records.lives) {
      life.at = shifted(life.at, ms)
      life.seenAt = shifted(life.seenAt, ms)
      life.shownFrom += ms
      if (life.missingSince !== null) life.missingSince = shifted(life.missingSince, ms)
      if (life.filledTold !== null) {
        life.filledTold = { ...life.filledTold, local: shifted(life.filledTold.local, ms) }
      }
    }
    this.#records.index.shift(ms)
    this.intents.shift(ms)
    this.times.shift(ms)
  }

  // ----------------------------------------------------------------------------------- transitions

  #play(life: OrderLife, { size }: Fill, at: Millis): void {
    life.played = life.played.plus(size)
    const { shown } = life
    if (shown !== null && life.ended === null && !shown.originalSize.isZero()) {
      const left = sizeLeft(shown, shown.size, life.played)
      // Nothing is left of it, so that it is over: its fills are all in the positions.
      if (left.isZero()) return this.#end(life, true, at, null)
      life.shown = { ...shown, size: left }
    }
    this.#touch(life)
  }

  #applyEnd(update: OrderUpdate, life: OrderLife | null, at: Millis): void {
    const { oid, cloid } = update
    const isFilled = update.status === 'filled'
    const filled = filledAtEnd(update, life, this.#records.index.playedOf(oid))
    const ended = { filled, time: update.at }
    if (life !== null) return this.#end(life, isFilled, at, ended)
    this.#records.index.ended(oid, cloid, at)
    const unplayed = filled.minus(this.#records.index.playedOf(oid))
    if (!unplayed.isPositive()) return
    // Nobody knew of it, and what it filled is still to be told.
    const stranger = this.#elsewhere(update, at)
    stranger.ended = ended
    this.#touch(stranger)
  }

  /** `ended` is null where the fills alone tell the end. */
  #end(life: OrderLife, isFilled: boolean, at: Millis, ended: OrderLife['ended']): void {
    if (life.ended !== null) return
    const oid = life.oid ?? 0
    this.#records.index.ended(oid, life.cloid, at)
    const children = life.shown?.children ?? []
    this.#records.families.part(oid)
    life.ended = ended ?? { filled: life.played, time: 0 as Millis }
    this.#records.missing.delete(life)
    this.#records.families.leave(life)
    this.#records.index.closed(life)
    this.#refresh(life)
    this.intents.ended(life)
    for (const child of children) this.#orphan(child, isFilled)
    this.#review(life)
  }

  /** The parent of a child has ended. */
  #orphan(child: number, isFilled: boolean): void {
    const life = this.#records.index.get(child)
    // A child that no list shows was kept for its parent's sake alone.
    if (life?.missingSince != null) return this.#forget(life)
    // Children of a filled parent work from now on; those of a cancelled one go with it.
    if (life === null || !isFilled) return
    this.#records.families.free(child)
    this.#refresh(life)
  }

  /**
   * The stream does not date its lists, and one that has come to stand still looks like any other:
   * an entry that it lacks, with the children that wait for it, is gone only by its told end or by
   * a read. Everything else protects, and is worth no trust that is not renewed. What was seen later
   * than the list is surely from may be younger than it, or gone: the next read tells.
   */
  #dropUnlisted(
    listed: ReadonlyMap<number, OpenOrder>,
    source: Source,
    at: Millis,
    taken: number,
    changed: Set<OrderLife>,
  ): void {
    for (const life of this.#records.lives) {
      const { oid } = life
      if (!life.isOpen || oid === null || listed.has(oid)) continue
      const parent = this.#records.families.parentOf(oid) ?? oid
      const entry = (listed.has(parent) ? null : this.#records.index.get(parent)) ?? life
      const isOlder = life.seenAt <= taken
      if (isOlder && (source === 'read' || entry.isReduceOnly)) this.#forget(life)
      else if (isOlder || source === 'read') {
        life.missingSince ??= isOlder ? at : life.seenAt
        this.#records.missing.add(life)
        changed.add(life)
      }
    }
  }

  /** Takes an order as a list has it; null when nothing of it changed. */
  #list(order: OpenOrder, at: Millis): OrderLife | null {
    const life = this.#records.index.find(describedBy(order)) ?? this.#elsewhere(order, at)
    const { shown } = life
    if (shown === null) {
      const size = order.isPositionTpsl ? order.size : sizeLeft(order, order.size, life.played)
      life.isListed = true
      this.#show(life, size.eq(order.size) ? order : { ...order, size }, at)
      return life
    }
    this.#seen(life, at)
    const left = order.size.gt(shown.size) ? { ...order, size: shown.size } : order
    if (life.isListed && isSameOrder(shown, left)) return null
    if (left.size.lt(shown.size)) life.filledTold = { venue: null, local: at }
    life.shown = left
    life.isListed = true
    return life
  }

  /** The venue shows an order open for the first time. */
  #show(life: OrderLife, order: OpenOrder, at: Millis): void {
    life.shown = order
    life.filledTold = { venue: null, local: at }
    this.#records.index.opened(life)
    this.#seen(life, at)
  }

  #seen(life: OrderLife, at: Millis): void {
    life.seenAt = at
    life.missingSince = null
    this.#records.missing.delete(life)
  }

  /** An order that was made elsewhere. */
  #elsewhere(told: OrderUpdate | OpenOrder, at: Millis): OrderLife {
    const { coin, isBuy, oid, cloid } = told
    const isReduceOnly = told.isReduceOnly ?? false
    const origin = { action: null, plan: null, coin, isBuy, isReduceOnly, cloid } as const
    const life = new OrderLife(origin, at, 0)
    this.#records.lives.add(life)
    this.#records.index.number(life, oid)
    return life
  }

  /** Parent and child that Guard sent together, and that updates show one by one. */
  #linkKin(life: OrderLife): void {
    const parent = this.#records.groups.parentOf(life)
    const pairs = parent === null ? [] : [{ parent, child: life }]
    for (const child of this.#records.groups.childrenOf(life)) pairs.push({ parent: life, child })
    for (const each of pairs) {
      if (this.#records.families.link(each.parent, each.child)) this.#refreshFamily(each.child)
    }
  }

  // -------------------------------------------------------------------------------------- settling

  /** A fill tells the position as all that was before it made it. */
  #showEndedBefore(coin: Coin, time: Millis): void {
    for (const life of [...this.#records.unsettled]) {
      if (life.coin !== coin || life.ended === null || life.ended.time >= time) continue
      life.showFills()
      this.#touch(life)
    }
  }

  #reviewAll(): void {
    for (const life of [...this.#records.unsettled]) this.#review(life)
    this.intents.review()
  }

  /** Counts the order as it is now, and lets go of it when nothing more is to come. */
  #touch(life: OrderLife): void {
    this.#refresh(life)
    this.#review(life)
  }

  #review(life: OrderLife): void {
    if (!this.#records.lives.has(life)) return
    if (areFillsShown(life, this.times) && life.unplayed.isPositive()) {
      life.showFills()
      this.#refresh(life)
    }
    if (!isSettled(life, this.times)) this.#records.unsettled.add(life)
    else if (life.isOpen) this.#records.unsettled.delete(life)
    else this.#forget(life)
  }

  #forget(life: OrderLife): void {
    this.#records.lives.delete(life)
    this.#records.unsettled.delete(life)
    this.#records.missing.delete(life)
    this.#records.index.forget(life)
    if (life.oid !== null) this.#records.families.part(life.oid)
    this.#records.families.leave(life)
    this.#records.groups.leave(life, (each) => this.#records.lives.has(each))
    const wasOpen = life.isOpen
    life.ended ??= { filled: life.played, time: 0 as Millis }
    this.#records.counts.remove(life)
    this.#onChange(life.coin)
    if (wasOpen) this.intents.ended(life)
  }

  // -------------------------------------------------------------------------------------- counting

  #refreshFamily(life: OrderLife): void {
    this.#refresh(life)
    const mother = this.#records.families.motherOf(life)
    if (mother !== null) this.#refresh(mother)
  }

  #refresh(life: OrderLife): void {
    if (!this.#records.lives.has(life)) return
    life.isWaiting = life.oid !== null && this.#records.families.parentOf(life.oid) !== null
    life.childStop = life.isEntry ? this.#records.families.childStop(life) : null
    this.#records.counts.put(life, this.#stopOf(life))
    this.#onChange(life.coin)
  }

  /** The order as a stop that works: not one that waits, nor one whose cancel is on its way. */
  #stopOf(life: OrderLife): ReturnType<typeof stopOf> {
    if (!life.isOpen || life.isWaiting || life.shown === null) return null
    const stop = stopOf(life.shown)
    return stop === null || this.intents.cancellingSince(life) !== null ? null : stop
  }
}
