import type { OpenOrder, OpenTrigger, OrderUpdate } from '../protocol/venueState.ts'
import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { shifted } from '../values/millis.ts'
import type { Millis } from '../values/millis.ts'
import type { Source } from './accountEvent.ts'
import type { RestingEntry, Stop } from './accountView.ts'
import { CoinOrders } from './coinOrders.ts'
import { stopOf } from './cover.ts'
import { OrderParents } from './orderParents.ts'
import { Recent } from './recent.ts'
import { isSameOrder } from './sameOrder.ts'

/** What Guard itself sent for an order, known before the venue lists it in full. */
export interface SentOrder {
  /** The stop that goes with an entry. */
  readonly entryStop: Decimal | null
  /** The trigger of a stop that was sent on its own or as a child. */
  readonly trigger: OpenTrigger | null
  /** The id of the entry that a child waits for, or of the child that waits for an entry. */
  readonly kin: string | null
}

const goneMax = 4096
/** A snapshot taken this long after an order's end, and still listing it, is believed. */
const goneBelievedMs = 10_000

interface Listed {
  order: OpenOrder
  /** When the venue last showed it, by Guard's clock. */
  seenAt: Millis
  /** A snapshot listed it, with trigger and children. */
  isConfirmed: boolean
  /** Since when the stream's lists have lacked it, though nothing has told its end. */
  missingSince: Millis | null
}

/** Orders open on the venue, and per coin what of them counts: entries, working stops, their sums. */
export class OrderBook {
  readonly #sent: (cloid: string | null) => SentOrder | null
  readonly #onChange: (coin: Coin) => void
  readonly #orders = new Map<number, Listed>()
  readonly #byCloid = new Map<string, number>()
  readonly #coins = new Map<Coin, CoinOrders>()
  readonly #parents = new OrderParents()
  /** Parents that lost a child since the last list, and count with it until the next one. */
  readonly #bereaved = new Set<number>()
  readonly #gone = new Recent<number, Millis>(goneMax)
  readonly #filled = new Recent<number, Decimal>(goneMax)
  readonly #cloids = new Recent<number, string>(goneMax)
  #entryRisk = Decimal.zero
  #entryValue = Decimal.zero
  readonly #withoutStop = new Set<Coin>()

  constructor(sent: (cloid: string | null) => SentOrder | null, onChange: (coin: Coin) => void) {
    this.#sent = sent
    this.#onChange = onChange
  }

  get count(): number {
    return this.#orders.size
  }
  get entryRisk(): Decimal {
    return this.#entryRisk
  }
  get entryValue(): Decimal {
    return this.#entryValue
  }
  get coinsWithoutStop(): ReadonlySet<Coin> {
    return this.#withoutStop
  }

  coin(coin: Coin): CoinOrders | null {
    return this.#coins.get(coin) ?? null
  }
  coins(): Iterable<Coin> {
    return this.#coins.keys()
  }
  oids(): Iterable<number> {
    return this.#orders.keys()
  }
  get(oid: number): OpenOrder | null {
    return this.#orders.get(oid)?.order ?? null
  }
  byCloid(cloid: string): OpenOrder | null {
    const oid = this.#byCloid.get(cloid)
    return oid === undefined ? null : this.get(oid)
  }
  isConfirmed(oid: number): boolean {
    return this.#orders.get(oid)?.isConfirmed ?? false
  }
  isWaiting(oid: number): boolean {
    return this.#parents.isWaiting(oid)
  }
  /** The entry that a child waits for, or waited for until its own end. */
  parentOf(oid: number): number | null {
    return this.#parents.lastOf(oid) ?? null
  }
  /** The client order id an oid had, also after its end. */
  cloidOf(oid: number): string | null {
    return this.#orders.get(oid)?.order.cloid ?? this.#cloids.get(oid) ?? null
  }

  numbered(cloid: string, oid: number): void {
    this.#cloids.set(oid, cloid)
  }

  /** Since when the stream's lists have lacked an entry that nothing has ended. */
  get missingSince(): Millis | null {
    let since: Millis | null = null
    for (const { missingSince } of this.#orders.values()) {
      if (missingSince !== null && (since === null || missingSince < since)) since = missingSince
    }
    return since
  }

  /** How much of an order its fills have shown, also after its end. */
  playedOf(oid: number): Decimal {
    return this.#filled.get(oid) ?? Decimal.zero
  }

  /** The clock was set by so much. */
  shift(ms: number): void {
    for (const listed of this.#orders.values()) {
      listed.seenAt = shifted(listed.seenAt, ms)
      if (listed.missingSince !== null) listed.missingSince = shifted(listed.missingSince, ms)
    }
    for (const oid of [...this.#gone.keys()]) {
      const at = this.#gone.get(oid)
      if (at !== undefined) this.#gone.set(oid, shifted(at, ms))
    }
  }

  /**
   * A full list: what it lacks is gone, unless it was seen after the list was taken. Answers when
   * that was at the latest: a list with an order that has ended is older than that end.
   */
  applySnapshot(orders: readonly OpenOrder[], source: Source, at: Millis, takenAt: number): number {
    const listed = new Map<number, OpenOrder>()
    let taken = takenAt
    for (const order of orders) {
      const goneAt = this.#gone.get(order.oid)
      if (goneAt === undefined || takenAt > goneAt + goneBelievedMs) listed.set(order.oid, order)
      else taken = Math.min(taken, goneAt - 1)
    }
    // Most of a list is as it was, and with a thousand orders there is a list for every change.
    const changed = new Set<number>()
    this.#dropUnlisted(listed, source, at, taken, changed)
    for (const oid of this.#bereaved) changed.add(oid)
    this.#bereaved.clear()
    for (const oid of this.#parents.take(listed)) changed.add(oid)
    for (const order of listed.values()) if (this.#list(order, at)) changed.add(order.oid)
    for (const oid of changed) this.#refresh(oid)
    return taken
  }

  /** Returns how much of the order was filled when it ended, or null while it lives. */
  applyUpdate(update: OrderUpdate, at: Millis): Decimal | null {
    const { oid, cloid } = update
    if (cloid !== null) this.#cloids.set(oid, cloid)
    if (update.status !== 'open' && update.status !== 'triggered') {
      const known = this.#orders.get(oid)?.order
      this.#end(oid, update.status === 'filled', at)
      const left = update.status === 'filled' ? Decimal.zero : update.size
      return Decimal.max(this.#wholeOf(update, known).minus(left), Decimal.zero)
    }
    if (this.#gone.get(oid) !== undefined) return null
    const known = this.#orders.get(oid)
    if (known !== undefined) {
      known.seenAt = at
      known.missingSince = null
      known.order = { ...known.order, size: this.#sizeLeft(known.order, update.size) }
    } else {
      const sent = this.#sent(cloid)
      this.#parents.rejoin(oid)
      this.#insert(this.#fromUpdate(update, sent), at, false)
      if (sent !== null) this.#linkKin(oid, sent)
    }
    this.#refresh(oid)
    return null
  }

  /** A fill of an order; sizes only ever fall, whichever of fill and update came first. */
  applyFill(oid: number, size: Decimal, at: Millis): void {
    this.#filled.set(oid, (this.#filled.get(oid) ?? Decimal.zero).plus(size))
    const known = this.#orders.get(oid)
    if (known === undefined || known.order.originalSize.isZero()) return
    const left = this.#sizeLeft(known.order, known.order.size)
    if (left.isZero()) return this.#end(oid, true, at)
    known.order = { ...known.order, size: left }
    this.#refresh(oid)
  }

  /** Looks again at an order whose sent record changed. */
  refreshCloid(cloid: string): void {
    const oid = this.#byCloid.get(cloid)
    if (oid !== undefined) this.#refresh(oid)
  }

  /**
   * What an order that ended could have filled at most. The venue cuts an order that only reduces to
   * the position that is left: what was cut off is no fill, and none of it is on its way. Of an order
   * that no list has shown, and that was cancelled, only an entry of Guard's own is known to be none.
   */
  #wholeOf(update: OrderUpdate, known: OpenOrder | undefined): Decimal {
    const { oid, cloid, status, originalSize } = update
    if (known !== undefined) {
      return known.isReduceOnly ? known.size.plus(this.playedOf(oid)) : known.originalSize
    }
    const isWhole = status === 'filled' || (this.#sent(cloid)?.entryStop ?? null) !== null
    return isWhole ? originalSize : update.size.plus(this.playedOf(oid))
  }

  #sizeLeft(order: OpenOrder, size: Decimal): Decimal {
    const filled = this.#filled.get(order.oid) ?? Decimal.zero
    const left = Decimal.min(order.size, size, order.originalSize.minus(filled))
    return left.isNegative() ? Decimal.zero : left
  }

  /**
   * The stream does not date its lists, and one that has come to stand still looks like any other:
   * an entry that it lacks, with the children that wait for it, is gone only by its told end or by
   * a read. Everything else protects, and is worth no trust that is not renewed. Notes in `changed`
   * what is kept so.
   */
  #dropUnlisted(
    listed: ReadonlyMap<number, OpenOrder>,
    source: Source,
    at: Millis,
    taken: number,
    changed: Set<number>,
  ): void {
    for (const [oid, known] of this.#orders) {
      if (listed.has(oid) || known.seenAt > taken) continue
      const parent = this.#parents.of(oid) ?? oid
      const entry = listed.has(parent) ? undefined : this.#orders.get(parent)
      if (source === 'read' || (entry ?? known).order.isReduceOnly) this.#drop(oid)
      else {
        known.missingSince ??= at
        changed.add(oid)
      }
    }
  }

  /** Parent and child that Guard sent together, and that updates show one by one. */
  #linkKin(oid: number, { kin, trigger }: SentOrder): void {
    const other = kin === null ? undefined : this.#byCloid.get(kin)
    if (other === undefined) return
    const [parent, child] = trigger === null ? [oid, other] : [other, oid]
    const listed = this.#orders.get(parent)
    if (listed === undefined || listed.isConfirmed) return
    this.#parents.link(child, parent)
    listed.order = { ...listed.order, children: [child] }
    this.#refresh(child)
  }

  #fromUpdate(update: OrderUpdate, sent: SentOrder | null): OpenOrder {
    const { coin, isBuy, price, originalSize, oid, cloid, at } = update
    const isReduceOnly = update.isReduceOnly ?? (sent !== null && sent.trigger !== null)
    const order: OpenOrder = {
      coin,
      isBuy,
      price,
      size: update.size,
      originalSize,
      oid,
      cloid,
      at,
      isReduceOnly,
      trigger: sent?.trigger ?? null,
      isPositionTpsl: false,
      children: [],
    }
    return { ...order, size: this.#sizeLeft(order, update.size) }
  }

  /** Puts a listed order in; false when nothing of it changed. */
  #list(order: OpenOrder, at: Millis): boolean {
    const known = this.#orders.get(order.oid)
    if (known === undefined) {
      const size = order.isPositionTpsl ? order.size : this.#sizeLeft(order, order.size)
      this.#insert(size.eq(order.size) ? order : { ...order, size }, at, true)
      return true
    }
    known.seenAt = at
    known.missingSince = null
    const isLarger = order.size.gt(known.order.size)
    const left = isLarger ? { ...order, size: known.order.size } : order
    if (known.isConfirmed && isSameOrder(known.order, left)) return false
    known.order = left
    known.isConfirmed = true
    if (left.cloid !== null) this.#byCloid.set(left.cloid, left.oid)
    return true
  }

  #insert(order: OpenOrder, at: Millis, isConfirmed: boolean): void {
    this.#orders.set(order.oid, { order, seenAt: at, isConfirmed, missingSince: null })
    if (order.cloid !== null) this.#byCloid.set(order.cloid, order.oid)
  }

  #end(oid: number, isFilled: boolean, at: Millis): void {
    this.#gone.set(oid, at)
    const children = this.#orders.get(oid)?.order.children ?? []
    this.#drop(oid)
    // A child that no list shows was kept for its parent's sake alone.
    for (const child of children) {
      if ((this.#orders.get(child)?.missingSince ?? null) !== null) this.#drop(child)
    }
    if (!isFilled) return
    // Children of a filled parent work from now on; those of a cancelled one go with it.
    for (const child of children) {
      this.#parents.free(child)
      this.#refresh(child)
    }
  }

  #drop(oid: number): void {
    const known = this.#orders.get(oid)
    if (known === undefined) return
    const { coin, cloid, children } = known.order
    this.#orders.delete(oid)
    if (cloid !== null) this.#cloids.set(oid, cloid)
    if (cloid !== null && this.#byCloid.get(cloid) === oid) this.#byCloid.delete(cloid)
    this.#bereaved.delete(oid)
    const parent = this.#parents.part(oid)
    if (parent !== undefined && this.#orders.has(parent)) this.#bereaved.add(parent)
    for (const child of children) if (!this.#orders.has(child)) this.#parents.part(child)
    this.#replace(coin, oid, null)
  }

  #refresh(oid: number): void {
    const known = this.#orders.get(oid)
    if (known !== undefined) this.#replace(known.order.coin, oid, known)
    const parent = this.#parents.of(oid)
    const listedParent = parent === undefined ? undefined : this.#orders.get(parent)
    if (listedParent !== undefined && parent !== undefined) {
      this.#replace(listedParent.order.coin, parent, listedParent)
    }
  }

  #replace(coin: Coin, oid: number, listed: Listed | null): void {
    const orders = this.#coins.get(coin) ?? new CoinOrders()
    this.#entryRisk = this.#entryRisk.minus(orders.entryRisk)
    this.#entryValue = this.#entryValue.minus(orders.entryValue)
    if (listed === null) orders.remove(oid)
    else orders.put(listed.order, this.#entryOf(listed), this.#stopOf(listed.order))
    this.#entryRisk = this.#entryRisk.plus(orders.entryRisk)
    this.#entryValue = this.#entryValue.plus(orders.entryValue)
    if (orders.withoutStop > 0) this.#withoutStop.add(coin)
    else this.#withoutStop.delete(coin)
    if (orders.isEmpty) this.#coins.delete(coin)
    else this.#coins.set(coin, orders)
    this.#onChange(coin)
  }

  #stopOf(order: OpenOrder): Stop | null {
    return this.#parents.isWaiting(order.oid) ? null : stopOf(order)
  }

  /** The order as an entry: anything that could open a position. */
  #entryOf({ order, isConfirmed }: Listed): RestingEntry | null {
    if (order.isReduceOnly) return null
    const { coin, isBuy, price, size, oid, cloid } = order
    const own = this.#childStop(order)
    const stop = isConfirmed ? own : (own ?? this.#sent(cloid)?.entryStop ?? null)
    return { coin, isBuy, price, size, stop, oid, cloid, isConfirmed }
  }

  #childStop(order: OpenOrder): Decimal | null {
    for (const child of order.children) {
      const listed = this.#orders.get(child)?.order
      const stop = listed === undefined ? null : stopOf(listed)
      if (stop !== null && stop.isBuy !== order.isBuy && stop.size.gte(order.size)) {
        return stop.trigger
      }
    }
    return null
  }
}
