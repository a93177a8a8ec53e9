import { signedSize } from '../../core/account/fillChain.ts'
import type { AccountEvent } from '../../core/account/accountEvent.ts'
import type { PositionView } from '../../core/account/accountView.ts'
import { dexOf } from '../../core/protocol/coinKind.ts'
import type { SizeChange } from '../../core/safety/oddSights.ts'
import type { Coin } from '../../core/values/coin.ts'
import { Decimal } from '../../core/values/decimal.ts'

/** A fill that has not come after this long is more than a message on its way. */
const doubtMs = 2_000
/** How long the fill of a position that changed may come after it. */
const fillWaitMs = 10_000
/** How long the stops of a position that was gone without a fill stay: what told it may have been wrong. */
const stopsKeptMs = 600_000

interface Waiting {
  readonly change: SizeChange
  /** When it was noticed, by the monotonic clock. */
  readonly sinceMs: number
  /** The venue's time at which the position was last seen as it was before. */
  readonly knownAt: number
  readonly isDoubted: boolean
}

/**
 * Positions that the venue shows in another size than they had, though no fill has told how: kept
 * until their fill comes, or until it has been missing for so long that people must be told.
 */
export class ChangedPositions {
  readonly #waiting = new Map<Coin, Waiting>()
  /** When people were told that a position is smaller or gone, and nothing has explained it since. */
  readonly #unexplained = new Map<Coin, { readonly toldMs: number; readonly knownAt: number }>()

  /** `knownAt` is the venue's time at which the positions were last seen as they were. */
  note(changes: readonly SizeChange[], nowMs: number, knownAt: number): void {
    for (const change of changes) {
      this.#unexplained.delete(change.coin)
      const first = { change, sinceMs: nowMs, knownAt, isDoubted: false }
      const earlier = this.#waiting.get(change.coin) ?? first
      const { was } = earlier.change
      if (was.eq(change.left)) this.#waiting.delete(change.coin)
      else this.#waiting.set(change.coin, { ...earlier, change: { ...change, was } })
    }
  }

  /**
   * A fill that changes such a position in the same direction explains it. On a builder dex it explains
   * no more than it did: what is gone beside it was settled, and nothing else would tell of that.
   */
  explainBy(event: AccountEvent): void {
    if (event.kind !== 'fills') return
    for (const fill of event.fills) {
      const unexplained = this.#unexplained.get(fill.coin)
      if (unexplained !== undefined && fill.at >= unexplained.knownAt) this.explain(fill.coin)
      const waiting = this.#waiting.get(fill.coin)
      // A stream that begins anew repeats old fills.
      if (waiting === undefined || fill.at < waiting.knownAt) continue
      const { was, left } = waiting.change
      const isMore = left.gt(was)
      if (signedSize(fill).isPositive() !== isMore) continue
      const end = fill.startPosition.plus(signedSize(fill))
      const isAll = isMore ? end.gte(left) : end.lte(left)
      const isPart = isMore ? end.gt(was) : end.lt(was)
      if (dexOf(fill.coin) === '' || isAll) this.#waiting.delete(fill.coin)
      else if (isPart) this.#explainPart(waiting, end)
    }
  }

  #explainPart(waiting: Waiting, end: Decimal): void {
    const change = { ...waiting.change, was: end }
    this.#waiting.set(change.coin, { ...waiting, change })
  }

  /** Those whose fill is late; each is given once. */
  doubtful(nowMs: number): readonly SizeChange[] {
    const late: SizeChange[] = []
    for (const [coin, waiting] of this.#waiting) {
      if (waiting.isDoubted || nowMs - waiting.sinceMs < doubtMs) continue
      this.#waiting.set(coin, { ...waiting, isDoubted: true })
      late.push(waiting.change)
    }
    return late
  }

  /** Those whose fill has not come in time; each is given once. */
  due(nowMs: number): readonly SizeChange[] {
    const due: SizeChange[] = []
    for (const [coin, { change, sinceMs, knownAt }] of this.#waiting) {
      if (nowMs - sinceMs < fillWaitMs) continue
      this.#waiting.delete(coin)
      const isLess = change.left.abs().lt(change.was.abs())
      if (isLess) this.#unexplained.set(coin, { toldMs: nowMs, knownAt })
      due.push(change)
    }
    return due
  }

  /** Something else than a fill tells why a position is gone. */
  explain(coin: Coin): void {
    this.#unexplained.delete(coin)
  }

  /** Nothing has told yet why a position is not what it was: whoever told it may have been wrong. */
  isUnexplained(coin: Coin, nowMs: number): boolean {
    if (this.#waiting.has(coin)) return true
    const unexplained = this.#unexplained.get(coin)
    return unexplained !== undefined && nowMs - unexplained.toldMs < stopsKeptMs
  }
}

/** The positions that are not what they were; sizes are negative when short. */
export function sizeChanges(
  before: ReadonlyMap<Coin, Pick<PositionView, 'size'>>,
  after: ReadonlyMap<Coin, Pick<PositionView, 'size'>>,
): readonly SizeChange[] {
  const changes: SizeChange[] = []
  for (const coin of new Set([...before.keys(), ...after.keys()])) {
    const was = before.get(coin)?.size ?? Decimal.zero
    const left = after.get(coin)?.size ?? Decimal.zero
    if (!was.eq(left)) changes.push({ coin, was, left })
  }
  return changes
}
