import type { Json } from '../../../../src/core/protocol/action.ts'
import type { SliceFillView, TwapRow, TwapView } from '../../engine/views.ts'
import { renderFill } from './renderAccount.ts'
import { wireNumber, wireNumberOrNull } from './wireNumber.ts'

export function renderTwap(twap: TwapView): Json {
  const { trigger } = twap
  return {
    coin: twap.coin,
    user: twap.user,
    side: twap.isBuy ? 'B' : 'A',
    sz: wireNumber(twap.size),
    executedSz: wireNumber(twap.executedSize),
    executedNtl: wireNumber(twap.executedValue),
    minutes: twap.minutes,
    reduceOnly: twap.isReduceOnly,
    randomize: twap.randomize,
    timestamp: twap.timestamp,
    trigger: trigger === null ? null : { px: wireNumber(trigger.price), above: trigger.isAbove },
    stopPx: wireNumberOrNull(twap.stopPrice),
  }
}

/** Running ones, each with its number. */
export function renderTwapStates(twaps: readonly TwapView[]): Json {
  return twaps.map((twap) => [twap.twapId, renderTwap(twap)])
}

/** The time of a row is in seconds. */
export function renderTwapRow({ time, view, status, description }: TwapRow): Json {
  const told = description === null ? { status } : { status, description }
  return { time, state: renderTwap(view), status: told, twapId: view.twapId }
}

/** The fill itself does not name its TWAP. */
export function renderSliceFill({ fill, twapId }: SliceFillView): Json {
  return { fill: renderFill(fill), twapId }
}
