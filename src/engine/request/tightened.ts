import type { PositionView, WatchedAccount } from '../../core/account/accountView.ts'
import type { CoveringStop } from '../../core/account/stopPromise.ts'

export type Promised = Pick<WatchedAccount, 'positions' | 'promise' | 'recordedStop'>

/**
 * Of each position the stop that has covered all of it, where that is tighter than what some part was
 * promised: somebody has placed it since, and what it saves may be spent.
 */
export function tightened(account: Promised): readonly CoveringStop[] {
  return [...account.positions.values()].flatMap((position) => coveringOf(account, position))
}

function coveringOf(account: Promised, { coin, size }: PositionView): readonly CoveringStop[] {
  const trigger = account.recordedStop(coin)
  const promise = account.promise(coin)
  if (trigger === null) return []
  const isLong = size.isPositive()
  const loosest = promise?.rest.isZero() === true ? promise.stops.at(-1) : undefined
  const isPromised =
    loosest !== undefined && (isLong ? loosest.trigger.gte(trigger) : loosest.trigger.lte(trigger))
  return isPromised ? [] : [{ coin, isLong, trigger, size: size.abs() }]
}
