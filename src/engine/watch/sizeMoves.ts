import type { Decimal } from '../../core/values/decimal.ts'

/** The way of a position from one size to another; sizes are negative when short. */
export interface Move {
  readonly from: Decimal
  readonly to: Decimal
}

export function isUp({ from, to }: Move): boolean {
  return to.gt(from)
}

/** Whether a move goes on where another ended, the same way; none goes on from nothing. */
export function goesOn(move: Move, next: Move): boolean {
  return !move.to.isZero() && move.to.eq(next.from) && isUp(move) === isUp(next)
}

/**
 * What a fill leaves unexplained of a move: the parts of the way that it did not go itself. Of a move
 * the other way it explains only the last step, where it ended at what was seen.
 */
export function movesLeft(move: Move, fill: Move): readonly Move[] {
  if (isUp(move) !== isUp(fill)) {
    return fill.to.eq(move.to) ? [{ from: move.from, to: fill.from }] : [move]
  }
  const isBefore = (one: Decimal, other: Decimal): boolean =>
    isUp(move) ? one.lt(other) : one.gt(other)
  if (!isBefore(fill.from, move.to) || !isBefore(move.from, fill.to)) return [move]
  return [
    ...(isBefore(move.from, fill.from) ? [{ from: move.from, to: fill.from }] : []),
    ...(isBefore(fill.to, move.to) ? [{ from: fill.to, to: move.to }] : []),
  ]
}
