import type { Fill, Twap, TwapNews } from '../protocol/venueState.ts'
import { dexOf, isPerp } from '../protocol/coinKind.ts'
import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { limits } from '../values/limits.ts'
import { shifted } from '../values/millis.ts'
import type { Millis } from '../values/millis.ts'
import type { AccountEvent, Source } from './accountEvent.ts'
import type { RestingEntry, TwapView, WatchedTwaps } from './accountView.ts'
import { FoundTwaps } from './foundTwaps.ts'
import { RecentMap } from './recentMap.ts'
import type { Reservation, ReservationId, ReservedTwap, Settlement } from './reservation.ts'
import type { SnapshotTimes } from './snapshotTimes.ts'
import { strangerText, strangerView } from './strangeTwap.ts'
import { TwapLife } from './twapLife.ts'
import { recordedAt, restoredPlan, twapRecord } from './twapRecord.ts'
import type { TwapRecord } from './twapRecord.ts'

type TwapsTold = Extract<AccountEvent, { kind: 'twaps' }>

interface TwapsDeps {
  /** Counts what a TWAP may still open, in place of what it counted as; null: nothing. */
  readonly count: (life: TwapLife, entry: RestingEntry | null) => void
  readonly isHeld: (coin: Coin) => boolean
}

/**
 * The TWAPs of the account: those that went through Guard, each with one life, and those that the venue
 * runs beside them. A TWAP has no id of Guard's: until the venue tells its number it is known by what
 * was asked for.
 */
export class Twaps implements WatchedTwaps {
  readonly #deps: TwapsDeps
  readonly #lives = new Map<ReservationId, TwapLife>()
  /** By number, those that were let go of too: their last slices may be told late. */
  readonly #own = new RecentMap<number, TwapLife>(limits.twapsRemembered)
  /** What slices filled of TWAPs that nobody knew by then. */
  readonly #strays = new RecentMap<number, Decimal>(limits.twapsRemembered)
  readonly #cancels = new Map<ReservationId, number>()
  #running: readonly Twap[] = []
  readonly #found = new FoundTwaps()
  #toldAt: Millis | null = null
  /** Since when lists show one that was let go of, which only a read can settle; null when none does. */
  #returningSince: Millis | null = null
  #hasRestored = false

  constructor(deps: TwapsDeps) {
    this.#deps = deps
  }

  /** When they were last listed; null before the first time. */
  get toldAt(): Millis | null {
    return this.#toldAt
  }
  /** How many are on their way, and nobody knows whether the venue has taken them. */
  get inFlight(): number {
    return [...this.#lives.values()].filter(({ isUnsettled }) => isUnsettled).length
  }
  /** The coins of those that went through Guard and are not over, or whose end is not shown yet. */
  coins(): readonly Coin[] {
    return Array.from(this.#lives.values(), ({ plan }) => plan.coin)
  }
  /** How many run, wait or are on their way. */
  get count(): number {
    return this.views().filter(({ isOver }) => !isOver).length
  }
  /** Whether any runs, or has not long ago: only its own list has what its slices filled. */
  get mayHaveFilled(): boolean {
    return this.#own.size > 0 || this.#strays.size > 0 || this.views().length > 0
  }
  /** Since when one may be over, or still to come, though only a read can tell; null when none may. */
  get doubtfulSince(): number | null {
    let since: number = this.#returningSince ?? Infinity
    for (const {
      isUnsettled,
      outcome,
      missingSince,
      shownFrom,
      overSince,
    } of this.#lives.values()) {
      if (overSince !== null) continue
      if (missingSince !== null) since = Math.min(since, missingSince)
      else if (isUnsettled && outcome === 'unknown') since = Math.min(since, shownFrom)
    }
    return since === Infinity ? null : since
  }
  /** Whether one may be there whose number nobody has told: without it none can be cancelled. */
  get isNumberMissing(): boolean {
    return this.#unnumbered().some(({ overSince }) => overSince === null)
  }
  /** Since when, by Guard's time, nothing has told of the TWAPs of some dex; null where none was ever listed. */
  get silentSince(): Millis | null {
    return this.#found.silentSince
  }
  /** Whether lists show one that was let go of: the sooner it is read, the better. */
  get isReturning(): boolean {
    return this.#returningSince !== null
  }
  /**
   * Whether only the venue's history tells the end of one: it waits for a price, which no list shows, or
   * it is on a builder dex, whose TWAPs no list has that can be read. Where that dex is gone the stream
   * lists none of its TWAPs either, so that one whose answer was lost is never missed in a list.
   */
  get isHistoryWanted(): boolean {
    if (this.#found.all.length > 0) return true
    return [...this.#lives.values()].some((life) => {
      if (life.overSince !== null) return false
      const isOnMain = dexOf(life.plan.coin) === ''
      if (life.missingSince !== null) return life.mayWaitUnlisted || !isOnMain
      return !isOnMain && life.isUnsettled && life.outcome === 'unknown'
    })
  }

  // ------------------------------------------------------------------------------- Guard's own doing

  reserve(action: ReservationId, items: readonly Reservation[], at: Millis): void {
    for (const item of items) {
      if (item.kind === 'twap_cancel') this.#cancels.set(action, item.twapId)
      if (item.kind !== 'twap') continue
      // One that can only reduce is no exposure: beyond so many they are not followed.
      if (item.opens === null && this.#lives.size >= limits.twapsRemembered) continue
      this.#begin(new TwapLife(action, item, at, at + limits.mayArriveMs))
    }
  }

  sent(action: ReservationId): void {
    const life = this.#lives.get(action)
    if (life !== undefined) life.hasLeft = true
  }

  /** What the answer to an action said. */
  settle(action: ReservationId, { outcome }: Settlement, at: Millis): void {
    this.#settleCancel(action, outcome, at)
    const life = this.#lives.get(action)
    if (life === undefined) return
    if (outcome !== 'refused') life.settle(outcome, at, limits.expiresAfterMsMax)
    else if (life.outcome !== 'unknown') this.#forget(life)
    // It was looked for in vain: it may have run and ended meanwhile, which a later state shows.
    else if (life.id === null) life.overSince ??= at
  }

  /** An answer to its cancel alone ends no TWAP, whatever it says: a list without it does. */
  #settleCancel(action: ReservationId, outcome: Settlement['outcome'], at: Millis): void {
    const twapId = this.#cancels.get(action)
    if (twapId === undefined || outcome === 'unknown') return
    this.#cancels.delete(action)
    const life = this.#byId(twapId)
    if (outcome === 'accepted') life?.cancelled(at)
    if (life !== null) this.#refresh(life)
  }

  /** The answer told the number. */
  numbered(action: ReservationId, twapId: number): void {
    const life = this.#lives.get(action)
    if (life !== undefined && life.id !== twapId) this.#number(life, twapId)
  }

  #number(life: TwapLife, twapId: number): void {
    // What was told under a number that is not its own was another's.
    if (life.id !== null) {
      this.#own.delete(life.id)
      life.executed = null
      life.inState = Decimal.zero
    }
    life.id = twapId
    life.played = this.#strays.get(twapId) ?? Decimal.zero
    this.#own.set(twapId, life)
    this.#refresh(life)
  }

  // ------------------------------------------------------------------------------ the venue's word

  /** A list tells all of one dex's. */
  told({ twaps, source, at, dex = '' }: TwapsTold, takenAt: number): void {
    const listed = new Map(twaps.map((twap) => [twap.id, twap]))
    const others = this.#running.filter(({ id, coin }) => dexOf(coin) !== dex && !listed.has(id))
    this.#running = [...others, ...twaps]
    if (dex === '') this.#toldAt = at
    this.#found.listed(dex, source === 'read', at)
    for (const twap of this.#strangers()) this.#adopt(twap.id, twap)
    for (const life of this.#lives.values()) {
      if (dexOf(life.plan.coin) !== dex) continue
      const shown = life.id === null ? undefined : listed.get(life.id)
      if (shown === undefined) life.miss(source, at, takenAt)
      else life.show(shown, source, at)
      this.#refresh(life)
    }
    this.#takeUpAgain(source === 'read' ? twaps : this.#running, source, at)
  }

  /**
   * Those that were let go of, and that the venue still runs: a list lacked them, and was wrong. What
   * the stream lists may be old; a read is not.
   */
  #takeUpAgain(twaps: readonly Twap[], source: Source, at: Millis): void {
    const returning = twaps.filter(({ id }) => this.#own.has(id) && this.#byId(id) === null)
    if (source !== 'read') {
      this.#returningSince = returning.length === 0 ? null : (this.#returningSince ?? at)
      return
    }
    this.#returningSince = null
    for (const twap of returning) {
      const life = this.#own.get(twap.id)
      if (life === undefined) continue
      life.show(twap, source, at)
      this.#begin(life)
    }
  }

  /** The venue's history, which also has those that wait for a price. */
  toldHistory(news: readonly TwapNews[], at: Millis): void {
    this.#found.told(news, at)
    for (const { id, twap } of news) if (id !== null) this.#adopt(id, twap)
    for (const { id, twap, isOver } of news) {
      if (!isOver) continue
      const like = [...this.#lives.values()].filter((life) =>
        id === null || life.id === null ? life.isLike(twap) : life.id === id,
      )
      const [only, second] = like
      const isRunning = this.#running.some((each) => each.id === only?.id)
      if (only !== undefined && second === undefined && !isRunning) only.overSince ??= at
    }
    this.#missInHistory(news, at)
  }

  /** One whose answer never came, and that the history would have by now, never came to be. */
  #missInHistory(news: readonly TwapNews[], at: Millis): void {
    for (const life of this.#unnumbered()) {
      const isLate = at - limits.accountAgeMsMax > life.shownFrom
      if (life.outcome !== 'unknown' || !isLate) continue
      if (!news.some(({ twap }) => life.isLike(twap))) this.#forget(life)
    }
  }

  /** One that nobody knows may be the one whose number was never told. */
  #adopt(id: number, told: Omit<Twap, 'id'>): void {
    if (this.#own.has(id)) return
    const life = this.#unnumbered().find((each) => each.isLike(told))
    if (life !== undefined) this.#number(life, id)
  }

  /** The slice's TWAP as Guard had decided on it; null where it is none of Guard's. */
  applyFill(fill: Fill, isNew: boolean): ReservedTwap | null {
    const { twapId, coin, isBuy, size } = fill
    if (isNew) for (const life of this.#lives.values()) life.sawFill(fill)
    if (twapId === undefined) return null
    if (!this.#own.has(twapId)) {
      // The first slice may be told before the answer.
      const [only, second] = this.#unnumbered().filter(
        ({ plan }) => plan.coin === coin && plan.isBuy === isBuy,
      )
      if (only !== undefined && second === undefined) this.#number(only, twapId)
    }
    const life = this.#byId(twapId)
    if (isNew) this.#strays.set(twapId, (this.#strays.get(twapId) ?? Decimal.zero).plus(size))
    if (life !== null && isNew) {
      life.played = life.played.plus(size)
      this.#refresh(life)
    }
    return this.#own.get(twapId)?.plan ?? null
  }

  /** A state of these times is now in the positions. */
  applyState(times: Pick<SnapshotTimes, 'stateTakenAt'>): void {
    for (const life of [...this.#lives.values()]) {
      const takenAt = times.stateTakenAt(life.plan.coin)
      life.showState(takenAt, !this.#deps.isHeld(life.plan.coin))
      const { overSince, cancelledAt } = life
      if (overSince !== null && takenAt > (cancelledAt ?? overSince)) this.#forget(life)
      else this.#refresh(life)
    }
  }

  /** The clock was set by so much. */
  shift(ms: number): void {
    for (const life of this.#lives.values()) life.shift(ms)
    this.#found.shift(Math.min(ms, 0))
    if (this.#toldAt !== null) this.#toldAt = shifted(this.#toldAt, Math.min(ms, 0))
  }

  // -------------------------------------------------------------------------------------- questions

  coinOf(id: number): Coin | null {
    return this.#byId(id)?.plan.coin ?? this.#told().find((twap) => twap.id === id)?.coin ?? null
  }

  /** Coins on which one that was made elsewhere may open a position; nobody has judged it. */
  get opensElsewhere(): readonly Coin[] {
    const coins = this.#strangers().flatMap(({ coin, isReduceOnly }) =>
      isReduceOnly || !isPerp(coin) ? [] : [coin],
    )
    return [...new Set(coins)]
  }

  leftOf(coin: Coin, isBuy: boolean): Decimal {
    let sum = Decimal.zero
    // After a start the stop of an earlier run rests for them: until they are listed nobody knows more.
    if (this.#hasRestored && this.#toldAt === null) return sum
    for (const { plan, left, hasStarted, executed, overSince } of this.#lives.values()) {
      const isMeant = plan.opens !== null && plan.coin === coin && plan.isBuy === isBuy
      if (!isMeant || !hasStarted || overSince !== null) continue
      // What a list shows as filled is in the position, or comes to it in a moment.
      const listed = plan.size.minus(executed?.size ?? Decimal.zero)
      sum = sum.plus(Decimal.min(left, Decimal.max(listed, Decimal.zero)))
    }
    return sum
  }

  views(): readonly TwapView[] {
    const own = [...this.#lives.values()].map((life): TwapView => {
      const { id, plan, hasStarted, isIdle, played, inState, overSince } = life
      const { coin, isBuy, size, minutes, opens } = plan
      const executed = Decimal.max(played, inState, life.executed?.size ?? Decimal.zero)
      const isOver = overSince !== null
      return {
        ...{ id, coin, isBuy, size, executed, minutes, hasStarted, isIdle, isOver },
        ...{ mayOpen: opens !== null, judged: opens, owner: 'bot' },
      }
    })
    return [...own, ...this.#strangers().map(strangerView)]
  }

  /** For people, each by its coin. */
  discrepancies(): readonly string[] {
    return this.#strangers().map((twap) => `${twap.coin}: ${strangerText(twap)}`)
  }

  // ------------------------------------------------------------------------------------------ memory

  record(): readonly TwapRecord[] {
    return [...this.#lives.values()].map(twapRecord)
  }

  /** Takes up TWAPs of an earlier run; one that is known already stays as it is. */
  restore(records: readonly TwapRecord[]): void {
    for (const record of records) {
      const { action, id, played, plan } = record
      const known = this.#lives.get(action)
      if (known?.id === null && id !== null) this.#answered(known, id)
      if (known !== undefined) continue
      const at = recordedAt(record)
      const shownFrom = id === null ? at + limits.expiresAfterMsMax : at
      const life = new TwapLife(action, restoredPlan(plan), at, shownFrom)
      life.kept = 'both'
      life.hasLeft = true
      this.#hasRestored = true
      life.outcome = id === null ? 'unknown' : 'accepted'
      this.#begin(life)
      if (id === null) continue
      this.#strays.set(id, Decimal.of(played))
      this.#number(life, id)
    }
  }

  /** The answer was recorded, though the memory was written before it came. */
  #answered(life: TwapLife, id: number): void {
    life.outcome = 'accepted'
    this.#number(life, id)
  }

  #begin(life: TwapLife): void {
    this.#lives.set(life.action, life)
    this.#refresh(life)
  }

  #forget(life: TwapLife): void {
    this.#lives.delete(life.action)
    this.#deps.count(life, null)
  }

  #refresh(life: TwapLife): void {
    if (this.#lives.has(life.action)) this.#deps.count(life, life.entry())
  }

  #byId(id: number): TwapLife | null {
    for (const life of this.#lives.values()) if (life.id === id) return life
    return null
  }

  /** Those that have left and whose number nobody has told. */
  #unnumbered(): readonly TwapLife[] {
    return [...this.#lives.values()].filter(({ id, hasLeft }) => id === null && hasLeft)
  }

  /** Those that the venue runs, by its lists or by its history alone. */
  #told(): readonly Twap[] {
    const listed = new Set(this.#running.map(({ id }) => id))
    return [...this.#running, ...this.#found.all.filter(({ id }) => !listed.has(id))]
  }

  /** Those that the venue runs and that did not go through Guard, or were let go of long ago. */
  #strangers(): readonly Twap[] {
    return this.#told().filter(({ id }) => {
      const own = this.#own.get(id)
      if (own === undefined) return true
      const goneFor = (this.#toldAt ?? 0) - (own.overSince ?? Infinity)
      return goneFor > limits.twapListedLateMs && this.#byId(id) === null
    })
  }
}
