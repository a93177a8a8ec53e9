import { signedSize } from '../../core/account/fillChain.ts'
import type { Account } from '../../core/account/account.ts'
import type { AccountEvent } from '../../core/account/accountEvent.ts'
import type { PositionView } from '../../core/account/accountView.ts'
import { dexOf } from '../../core/protocol/coinKind.ts'
import type { ClearinghouseState } from '../../core/protocol/venueState.ts'
import type { SizeChange } from '../../core/safety/oddSights.ts'
import type { Coin } from '../../core/values/coin.ts'
import { Decimal } from '../../core/values/decimal.ts'
import { limits } from '../../core/values/limits.ts'
import { apartMsMax } from './dexes/joinedStates.ts'
import { goesOn, isUp, movesLeft } from './sizeMoves.ts'
import type { Move } from './sizeMoves.ts'

/** A fill that has not come after this long is more than a message on its way. */
const doubtMs = 2_000
/** How long the fill of a position that changed may come after it. */
const fillWaitMs = 10_000
/** How long the stops of a position that was gone without a fill stay: what told it may have been wrong. */
const stopsKeptMs = 600_000

/** The fill that changed a position may be on its way, or has not come though it had the time. */
export type LackingFill = 'awaited' | 'late'

/** A change of a position that nothing has explained yet. */
interface Waiting extends Move {
  /** When it was noticed, by the monotonic clock. */
  readonly sinceMs: number
  /** The venue's time at which the position was last seen as it was before. */
  readonly knownAt: number
  /** The venue's time at which it was first seen as it is: only an earlier fill can explain the change. */
  readonly seenAt: number
  readonly isDoubted: boolean
}

interface Unexplained extends Move {
  /** When people were told, by the monotonic clock. */
  readonly toldMs: number
  readonly knownAt: number
}

/**
 * Positions that the venue shows in another size than they had, though no fill has told how: kept
 * until their fill comes, or until it has been missing for so long that people must be told.
 */
export class ChangedPositions {
  /** In the order they were seen; at least one of a coin. */
  readonly #waiting = new Map<Coin, readonly Waiting[]>()
  /** Positions that people were told are smaller or gone, and that nothing has explained since. */
  readonly #unexplained = new Map<Coin, Unexplained>()
  /** The builder dexes that some state since the start had. */
  readonly #seenDexes = new Set<string>()

  /**
   * The positions that have another size in the account now that it was told `state` than they had before.
   * What is on a builder dex that is seen for the first time was there before: it is no change.
   */
  since(
    before: Account['positions'],
    { positions, venueTime }: Pick<Account, 'positions' | 'venueTime'>,
    { time, dexes = [] }: ClearinghouseState,
  ): readonly SizeChange[] {
    // One that is older than what the account has is not taken.
    const first = time === venueTime ? dexes.filter((dex) => !this.#seenDexes.has(dex)) : []
    for (const dex of first) this.#seenDexes.add(dex)
    return sizeChanges(before, positions).filter(({ coin }) => !first.includes(dexOf(coin)))
  }

  /**
   * `knownAt` is the venue's time at which the positions were last seen as they were, `seenAt` that at
   * which they were seen as they are.
   */
  note(changes: readonly SizeChange[], nowMs: number, knownAt: number, seenAt: number): void {
    for (const { coin, was, left } of changes) {
      this.#unexplained.delete(coin)
      const next = { from: was, to: left, sinceMs: nowMs, knownAt, seenAt, isDoubted: false }
      const all = [...(this.#waiting.get(coin) ?? []), next]
      // What is again what it was needs no fill; but on a builder dex what was there is gone, and not by one.
      const isBack = all[0]?.from.eq(left) === true && (isOnMain(coin) || !left.isZero())
      this.#keep(coin, isBack ? [] : all)
    }
  }

  /**
   * A fill that changes such a position in the same direction explains it. On a builder dex it explains
   * no more than it did, and nothing that was seen before it: what is gone beside it was settled, and
   * nothing else would tell of that.
   */
  explainBy(event: AccountEvent): void {
    if (event.kind !== 'fills') return
    for (const fill of event.fills) {
      const { coin, at, startPosition: from } = fill
      const told = { from, to: from.plus(signedSize(fill)) }
      const unexplained = this.#unexplained.get(coin)
      if (unexplained !== undefined && at >= unexplained.knownAt) {
        // The fill that opened it may be younger than the last look at it, and is repeated.
        if (isUp(told) === isUp(unexplained)) this.explain(coin)
      }
      const waiting = this.#waiting.get(coin)
      if (waiting === undefined) continue
      const left = waiting.flatMap((each) => {
        // A stream that begins anew repeats old fills.
        if (at < each.knownAt || (!isOnMain(coin) && at > each.seenAt + apartMsMax)) return [each]
        const moves = isOnMain(coin) ? unlessAlong(each, told) : movesLeft(each, told)
        return moves.map((move) => ({ ...each, ...move }))
      })
      this.#keep(coin, left)
    }
  }

  #keep(coin: Coin, waiting: readonly Waiting[]): void {
    if (waiting.length === 0) this.#waiting.delete(coin)
    else this.#waiting.set(coin, joined(waiting, isOnMain(coin)))
  }

  /** The changes of size that no fill has explained in time; each is given once. */
  doubtful(nowMs: number): readonly SizeChange[] {
    const late: SizeChange[] = []
    for (const [coin, waiting] of this.#waiting) {
      const isLate = (each: Waiting): boolean => !each.isDoubted && nowMs - each.sinceMs >= doubtMs
      late.push(...waiting.filter(isLate).map((each) => changeOf(coin, each)))
      const doubted = waiting.map((each) => (isLate(each) ? { ...each, isDoubted: true } : each))
      this.#waiting.set(coin, doubted)
    }
    return late
  }

  /** Those whose fill has not come in time; each is given once. */
  due(nowMs: number): readonly SizeChange[] {
    const due: SizeChange[] = []
    for (const [coin, waiting] of this.#waiting) {
      const isDue = ({ sinceMs }: Waiting): boolean => nowMs - sinceMs >= fillWaitMs
      for (const each of waiting.filter(isDue)) {
        const { knownAt, from, to } = each
        if (to.abs().lt(from.abs()))
          this.#unexplained.set(coin, { toldMs: nowMs, knownAt, from, to })
        due.push(changeOf(coin, each))
      }
      this.#keep(
        coin,
        waiting.filter((each) => !isDue(each)),
      )
    }
    return due
  }

  /** Something else than a fill tells why a position is gone. */
  explain(coin: Coin): void {
    this.#unexplained.delete(coin)
  }

  /** Whether nothing has told yet why a position is not what it was: whoever told it may have been wrong. */
  lacksFill(coin: Coin, nowMs: number): LackingFill | null {
    if (this.#waiting.has(coin)) return 'awaited'
    const unexplained = this.#unexplained.get(coin)
    return unexplained !== undefined && nowMs - unexplained.toldMs < stopsKeptMs ? 'late' : null
  }
}

function isOnMain(coin: Coin): boolean {
  return dexOf(coin) === ''
}

function changeOf(coin: Coin, { from, to }: Move): SizeChange {
  return { coin, was: from, left: to }
}

/**
 * Joins the changes of one coin as people are told of them. On the main dex they are one. On a builder
 * dex only changes in one direction are joined, and none across zero: that the position was settled has
 * to be told, whatever came before and after it.
 */
function joined(waiting: readonly Waiting[], isMain: boolean): readonly Waiting[] {
  const result: Waiting[] = []
  for (const each of waiting) {
    const last = result.at(-1)
    const isOne = last !== undefined && (isMain || goesOn(last, each))
    if (isOne) result[result.length - 1] = { ...last, to: each.to, seenAt: each.seenAt }
    else result.push(each)
  }
  // More than this nobody would read: the oldest are joined into one.
  const spare = Math.max(0, result.length - limits.positionPartsMax)
  const [oldest, until] = [result[0], result[spare]]
  if (oldest === undefined || until === undefined) return result
  return [{ ...oldest, to: until.to, seenAt: until.seenAt }, ...result.slice(spare + 1)]
}

/** On the main dex any fill the same way explains all of a change. */
function unlessAlong(move: Move, fill: Move): readonly Move[] {
  return isUp(fill) === isUp(move) ? [] : [move]
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
