import type { OrderLife } from './orderLife.ts'
import type { SnapshotTimes } from './snapshotTimes.ts'

/**
 * Whether the positions include all fills that were told of an order. Both moments are the venue's
 * where it tells them: however late its messages are, a state shows what was before it.
 */
export function areFillsShown(life: OrderLife, times: SnapshotTimes): boolean {
  const { ended, filledTold, plan } = life
  const [stateTime, stateTakenAt] = [times.stateTime(life.coin), times.stateTakenAt(life.coin)]
  if (ended !== null) {
    // In doubt an entry counts once more, and a close once less: one more stop does no harm.
    return plan?.kind === 'entry' ? stateTime > ended.time : stateTime >= ended.time
  }
  if (filledTold === null) return false
  const isAfter = filledTold.venue !== null && stateTime > filledTold.venue
  return isAfter || stateTakenAt > filledTold.local
}

/**
 * Whether the account shows all that became of an order so far. One that the venue has not shown is
 * over once snapshots lack it that were taken after it could arrive; of an entry a list that was read
 * must tell so first, and then a state that was taken after that list: it may have filled in between.
 */
export function isSettled(life: OrderLife, times: SnapshotTimes): boolean {
  const { plan, shownFrom } = life
  if (life.ended !== null) return life.unplayed.isZero()
  const stateTakenAt = times.stateTakenAt(life.coin)
  const isListedSince = times.ordersTakenAt(life.coin) > shownFrom
  switch (plan?.kind) {
    case undefined:
      return life.unplayed.isZero()
    case 'entry':
      if (life.shown !== null) return life.isListed && life.unplayed.isZero()
      return life.played.gte(plan.size) || (life.isGone && stateTakenAt > shownFrom)
    case 'reduce':
      if (life.shown !== null || life.played.gte(plan.size)) return true
      // What cannot rest is in no list, whatever became of it.
      return stateTakenAt > shownFrom && (isListedSince || !plan.mayRest)
    case 'stop':
      return life.shown !== null || isListedSince
  }
}
