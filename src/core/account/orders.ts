import { dexOf } from '../protocol/coinKind.ts'
import { isLiveStatus } from '../protocol/liveStatus.ts'
import type { ClearinghouseState, Fill, OpenOrder, OrderUpdate } from '../protocol/venueState.ts'
import type { Coin } from '../values/coin.ts'
import type { Decimal } from '../values/decimal.ts'
import type { Millis } from '../values/millis.ts'
import type { AccountEvent } from './accountEvent.ts'
import { believedList } from './believedList.ts'
import { Intents, isIntended } from './intents.ts'
import type { OrderLife, ToldSoFar } from './orderLife.ts'
import type { OrderRecords } from './orderRecords.ts'
import { isOrder } from './reservation.ts'
import type { PerpReservation, ReservationId, Settlement } from './reservation.ts'
import { isSameOrder } from './sameOrder.ts'
import { areFillsShown, isSettled } from './settling.ts'
import { SnapshotTimes } from './snapshotTimes.ts'
import { filledAtEnd, fromUpdate, sizeLeft } from './toldOrder.ts'

/** Where and when a list was taken, and of which dex. */
type ListTaken = Pick<Extract<AccountEvent, { kind: 'orders' }>, 'source' | 'at' | 'dex'>

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
      (name) => this.#records.isOpen(name),
      (name) => {
        const target = this.#records.named(name)
        if (target !== null) this.#refresh(target)
      },
    )
  }

  /** How many are on their way: orders whose effect is not shown yet, cancels, changes of leverage, added margin. */
  get inFlight(): number {
    return this.#records.unsettled.size + this.intents.count
  }

  /** Holds items at their worst case from this tick on. */
  reserve(id: ReservationId, items: readonly PerpReservation[], at: Millis): void {
    for (const item of items) {
      if (isOrder(item)) this.#refresh(this.#records.expect(id, item, at))
      else if (isIntended(item)) this.intents.begin(id, item, at)
    }
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
      life.answer(outcome, at)
      this.#touch(life)
    }
  }

  /** The answer told the number of the order at a place of its action, and how much of it is filled. */
  numbered(id: ReservationId, index: number, oid: number, filled: Decimal): void {
    const life = this.#records.groups.at(id, index)
    if (life !== null) life.answered = filled
    if (life === null || life.oid === oid || this.#records.index.endedAt(oid) !== null) return
    const other = this.#records.index.get(oid)
    if (other !== null && other.coin !== life.coin) return this.#forget(life)
    // Whatever was taken for it by its client order id alone is another order, and stays one.
    const { oid: mistaken } = life
    const toldOfOther = mistaken === null ? null : this.#untell(life)
    const told = other === null ? null : this.#untell(other)
    this.#records.index.number(life, oid)
    if (told !== null) life.tell(told)
    this.#records.index.opened(life)
    this.#touch(life)
    if (mistaken === null || toldOfOther === null) return
    this.#keepStranger(mistaken, toldOfOther)
  }

  /** Parts an order from a number that is not its own; one that was made elsewhere is no more. */
  #untell(life: OrderLife): ToldSoFar {
    const told = life.untell()
    this.#records.missing.delete(life)
    this.#records.index.unnumber(life)
    if (life.plan === null) this.#forget(life)
    else {
      this.#records.unsettled.add(life)
      this.#refresh(life)
    }
    return told
  }

  /** What was told under a number that is none of Guard's orders. */
  #keepStranger(oid: number, told: ToldSoFar): void {
    if (told.shown === null) return this.#records.index.playPast(oid, told.played, null)
    const stranger = this.#records.elsewhere(told.shown, told.seenAt)
    stranger.tell(told)
    this.#records.index.opened(stranger)
    this.#touch(stranger)
  }

  // ------------------------------------------------------------------------------ the venue's word

  /** A full list of one dex's orders: what it lacks is gone, unless it was seen after it was taken. */
  applySnapshot(
    orders: readonly OpenOrder[],
    { source, at, dex = '' }: ListTaken,
    takenAt: number,
  ): void {
    const endedAt = (oid: number): Millis | null => this.#records.index.endedAt(oid)
    const { listed, taken } = believedList(orders, takenAt, endedAt)
    // Most of a list is as it was, and with a thousand orders there is a list for every change.
    const changed = new Set<OrderLife>()
    this.#records.followFired(listed, at)
    this.#dropUnlisted(listed, { source, at, dex }, taken, changed)
    const rewired = this.#records.families.take(listed)
    for (const order of listed.values()) {
      const life = this.#list(order, at)
      if (life !== null) changed.add(life)
    }
    for (const life of rewired) changed.add(life)
    for (const life of changed) this.#refreshFamily(life)
    this.times.tookOrders(taken, dex)
    if (source === 'read') this.#dropUnseen(at, taken, dex)
    // A list may be the first to tell of a fill.
    for (const life of changed) this.#review(life)
    this.#reviewAll()
  }

  applyUpdate(update: OrderUpdate, at: Millis): void {
    const { oid, cloid } = update
    const life = this.#onMarket(this.#records.find(update, at), update.coin)
    if (life !== null && update.status === 'triggered') life.hasFired = true
    if (life === null && cloid !== null) this.#records.index.noteCloid(oid, cloid)
    if (!isLiveStatus(update.status)) return this.#applyEnd(update, life, at)
    if (this.#records.index.endedAt(oid) !== null) return
    const known = life ?? this.#records.elsewhere(update, at)
    if (known.shown === null) {
      this.#records.families.rejoin(oid)
      this.#records.show(known, fromUpdate(update, known, known.played), at)
      this.#linkKin(known)
    } else {
      const size = sizeLeft(known.shown, update.size, known.played)
      if (size.lt(known.shown.size)) known.filledTold = { venue: update.at, local: at }
      known.shown = { ...known.shown, size }
      this.#records.seen(known, at)
    }
    this.#refreshFamily(known)
    this.#review(known)
  }

  /** A fill; each is told here once. `time` of the venue: what ended before it is in its start position. */
  applyFill(fill: Fill, at: Millis): OrderLife | null {
    const { oid, coin, size, cloid } = fill
    const life = this.#onMarket(this.#records.index.get(oid), coin)
    if (life === null) this.#records.index.playPast(oid, size, cloid)
    else this.#play(life, fill, at)
    this.#records.outlived.filled(fill, life)
    this.#showEndedBefore(coin, fill.at)
    return life
  }

  /** Positions that were known from before these moments of the venue have ended. */
  outlive(ended: ReadonlyMap<Coin, number>): void {
    for (const life of this.#records.outlive(ended)) this.#touch(life)
  }

  /** A state of this moment of the venue is now in the positions. */
  applyState({ time, dexTimes }: ClearinghouseState, takenAt: number): void {
    this.times.tookState(time, takenAt, dexTimes)
    for (const coin of this.#records.counts.stateTaken(this.times)) this.#onChange(coin)
    this.#reviewAll()
  }

  /** The clock was set by so much: everything keeps its age. */
  shift(ms: number): void {
    this.#records.shift(ms)
    this.intents.shift(ms)
    this.times.shift(ms)
  }

  /** The order that a number tells, if it is its market: an old id may have become another one's. */
  #onMarket(life: OrderLife | null, coin: Coin): OrderLife | null {
    if (life === null || life.coin === coin) return life
    this.#forget(life)
    return null
  }

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
    const stranger = this.#records.elsewhere(update, at)
    stranger.ended = ended
    this.#records.ended(stranger, at)
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
    this.#records.ended(life, at)
    this.#refresh(life)
    this.intents.ended(life)
    for (const child of children) this.#orphan(child, isFilled)
    this.#refreshChildren(life)
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
   * than the list is surely from may be younger, or gone and never listed again: a read has to tell.
   */
  #dropUnlisted(
    listed: ReadonlyMap<number, OpenOrder>,
    { source, at, dex }: Required<ListTaken>,
    taken: number,
    changed: Set<OrderLife>,
  ): void {
    for (const life of this.#records.lives) {
      const { oid } = life
      if (!life.isOpen || oid === null || listed.has(oid) || dexOf(life.coin) !== dex) continue
      const parent = this.#records.families.parentOf(oid) ?? oid
      const entry = (listed.has(parent) ? null : this.#records.index.get(parent)) ?? life
      const isOlder = life.seenAt <= taken
      if (isOlder && source === 'read' && life.plan?.kind === 'entry') this.#vanish(life, at)
      else if (isOlder && (source === 'read' || entry.isReduceOnly)) {
        if (this.intents.cancellingSince(life) === null) this.#records.lost(life, at)
        this.#forget(life)
      } else if (isOlder || source === 'read' || entry.isReduceOnly || entry === life) {
        life.missingSince ??= isOlder ? at : life.seenAt
        this.#records.missing.add(life)
        changed.add(life)
      }
    }
  }

  /** When a list was taken is certain only where it was read: entries that it lacks are not there. */
  #dropUnseen(at: Millis, taken: number, dex: string): void {
    for (const life of this.#records.unsettled) {
      const { plan, shown, ended, isGone, shownFrom } = life
      if (dexOf(life.coin) !== dex) continue
      const isUnseen = plan?.kind === 'entry' && shown === null && ended === null && !isGone
      if (isUnseen && taken > shownFrom) this.#vanish(life, at)
    }
  }

  /** An entry is not there any more, or never was; what it may have filled is still to be told. */
  #vanish(life: OrderLife, at: Millis): void {
    this.#records.vanish(life, at)
    this.#refresh(life)
    this.intents.ended(life)
  }

  /** Takes an order as a list has it; null when nothing of it changed. */
  #list(order: OpenOrder, at: Millis): OrderLife | null {
    const found = this.#onMarket(this.#records.find(order, at), order.coin)
    const life = found ?? this.#records.elsewhere(order, at)
    const { shown } = life
    if (shown === null) {
      const size = order.isPositionTpsl ? order.size : sizeLeft(order, order.size, life.played)
      life.isListed = true
      this.#records.show(life, size.eq(order.size) ? order : { ...order, size }, at)
      return life
    }
    this.#records.seen(life, at)
    const left = order.size.gt(shown.size) ? { ...order, size: shown.size } : order
    if (life.isListed && isSameOrder(shown, left)) return null
    if (left.size.lt(shown.size)) life.filledTold = { venue: null, local: at }
    life.shown = left
    life.isListed = true
    return life
  }

  /** Parent and child that Guard sent together, and that updates show one by one. */
  #linkKin(life: OrderLife): void {
    for (const { parent, child } of this.#records.groups.pairsOf(life)) {
      if (this.#records.families.link(parent, child)) this.#refreshFamily(child)
    }
  }

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
    const wasOpen = life.isOpen
    this.#records.forget(life)
    this.#onChange(life.coin)
    if (wasOpen) this.intents.ended(life)
    this.#refreshChildren(life)
  }

  // -------------------------------------------------------------------------------------- counting

  #refreshFamily(life: OrderLife): void {
    this.#refresh(life)
    const mother = this.#records.families.motherOf(life)
    if (mother !== null) this.#refresh(mother)
  }

  /** Those that were sent with an order, and wait for its fill. */
  #refreshChildren(life: OrderLife): void {
    for (const child of this.#records.groups.childrenOf(life)) this.#refresh(child)
  }

  #refresh(life: OrderLife): void {
    if (!this.#records.lives.has(life)) return
    life.isWaiting = this.#records.isWaiting(life)
    if (life.isEntry && life.ended === null) {
      life.childStop = this.#records.families.childStop(life)
    }
    // A stop whose cancel is on its way is worth no trust any more.
    const isGoing = this.intents.cancellingSince(life) !== null
    const stop = isGoing ? null : life.workingStop
    this.#records.counts.put(life, stop, this.times.stateTakenAt(life.coin))
    this.#onChange(life.coin)
  }
}
