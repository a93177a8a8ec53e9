import type { Address } from '../../../src/core/values/address.ts'
import type { Venue } from '../engine/venue.ts'
import type { TwapView } from '../engine/views.ts'
import { fillTold } from './engineViews.ts'
import { fillSaid } from './modelViews.ts'
import type { ModelAccount, ModelState, ModelTwap } from './state.ts'

/** What the model and the engine have to say of an account's TWAPs, in the same words. */

/** Rows of the history and slices that are compared: the newest. */
const newest = 5

function twapSaid({ id, market, executed, value, ...twap }: ModelTwap): unknown {
  const { isBuy, size, minutes, isReduceOnly, isRandom, time, trigger, stopPrice } = twap
  return {
    ...{ id, coin: market.coin, isBuy, size, executed, value, minutes, isReduceOnly, isRandom },
    ...{ time, trigger, stopPrice },
  }
}

function twapTold(twap: TwapView, idOf: (twapId: number) => number): unknown {
  const { isBuy, size, minutes, isReduceOnly, trigger, stopPrice } = twap
  return {
    ...{ id: idOf(twap.twapId), coin: twap.coin, isBuy, size, executed: twap.executedSize },
    ...{ value: twap.executedValue, minutes, isReduceOnly, isRandom: twap.randomize },
    ...{ time: twap.timestamp, trigger, stopPrice },
  }
}

export function twapsSaid(
  state: ModelState,
  account: ModelAccount,
  dexes: readonly string[],
): unknown {
  const { rules } = state
  const listed = account.twaps.filter(({ plan }) => plan !== null || rules.waitingTwapListed)
  const onDex = (dex: string): ModelTwap[] => listed.filter(({ market }) => market.dex === dex)
  return {
    listed: dexes.map((dex) => onDex(dex).map(twapSaid)),
    webData: (rules.webDataTwaps === 'every dex' ? listed : onDex('')).map(twapSaid),
    rows: account.twapRows.slice(-newest).map(({ time, twap, status }) => {
      return { time, status, hasReason: status === 'error', twap: twapSaid(twap) }
    }),
    fills: account.sliceFills.slice(-newest).map(({ fill, twap }) => {
      return { fill: fillSaid(fill), twap }
    }),
  }
}

export function twapsTold(
  venue: Venue,
  user: Address,
  dexes: readonly string[],
  idOf: (twapId: number) => number,
): unknown {
  const told = (twaps: readonly TwapView[]): unknown[] => twaps.map((each) => twapTold(each, idOf))
  return {
    listed: dexes.map((dex) => told(venue.listedTwaps(user, dex))),
    webData: told(venue.webDataTwaps(user)),
    rows: venue
      .twapHistory(user)
      .slice(0, newest)
      .toReversed()
      .map(({ time, status, description, view }) => {
        return { time, status, hasReason: description !== null, twap: twapTold(view, idOf) }
      }),
    fills: venue
      .sliceFills(user)
      .slice(0, newest)
      .toReversed()
      .map(({ fill, twapId }) => ({ fill: fillTold(fill, () => -1), twap: idOf(twapId) })),
  }
}
