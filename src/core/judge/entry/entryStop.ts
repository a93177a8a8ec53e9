import { roundPrice } from '../../protocol/grid.ts'
import type { Market } from '../../protocol/market.ts'
import type { Rules } from '../../rules/rules.ts'
import { Decimal } from '../../values/decimal.ts'
import { ok } from '../../values/result.ts'
import type { Result } from '../../values/result.ts'
import { change } from '../changes.ts'
import type { Change } from '../changes.ts'
import { refuse } from '../refusal.ts'
import type { Refusal } from '../refusal.ts'
import { percent } from '../text.ts'
import type { EntryGroup, PlacedTrigger } from './entryGroup.ts'

export interface EntryStop {
  readonly trigger: Decimal
  /** The stop order's own limit, which caps its fill. */
  readonly limit: Decimal
  readonly changes: readonly Change[]
}

/** How far beyond its trigger a market stop may fill: a tenth. */
const slippageBelow = Decimal.of('0.9')
const slippageAbove = Decimal.of('1.1')

/** The worst price a market stop fills at: a tenth beyond its trigger. */
export function worstFill(trigger: Decimal, isLong: boolean): Decimal {
  return trigger.times(isLong ? slippageBelow : slippageAbove)
}

/** The limit of a market stop with this trigger: a tenth beyond it, rounded outward. */
export function stopLimit(market: Market, trigger: Decimal, isLong: boolean): Decimal {
  return roundPrice(market, worstFill(trigger, isLong), isLong ? 'floor' : 'ceil')
}

/** The entry's stop: its own, the one carried over, or Guard's; strictly on the losing side. */
export function entryStop(
  market: Market,
  rules: Rules,
  group: EntryGroup,
  worst: Decimal,
  mid: Decimal,
): Result<EntryStop, Refusal> {
  const { isBuy } = group.entry.order
  const reference = isBuy ? Decimal.min(worst, mid) : Decimal.max(worst, mid)
  const stop = chosenStop(market, rules, group, reference)
  if (stop === null) {
    return refuse(
      'stop_required',
      `the ${market.coin} ${isBuy ? 'buy' : 'sell'} has no stop; the rules refuse an entry without a reduce-only market stop loss in the same action (stop = "refuse")`,
    )
  }
  const isLosing = isBuy ? stop.trigger.lt(reference) : stop.trigger.gt(reference)
  if (isLosing) return ok(stop)
  return refuse(
    'stop_wrong_side',
    `the stop at ${stop.trigger.toString()} must be ${isBuy ? 'below' : 'above'} ${reference.toString()}, the ${isBuy ? 'lower' : 'higher'} of the limit and the mid`,
  )
}

function chosenStop(
  market: Market,
  rules: Rules,
  group: EntryGroup,
  reference: Decimal,
): EntryStop | null {
  const { isBuy } = group.entry.order
  if (group.stop !== null) return ownStop(market, group.stop.order, isBuy)
  if (group.carriedStop !== null) {
    const trigger = group.carriedStop
    return { trigger, limit: stopLimit(market, trigger, isBuy), changes: [] }
  }
  if (rules.stop === 'refuse') return null
  const distance = reference.times(rules.stopDistance)
  const exact = isBuy ? reference.minus(distance) : reference.plus(distance)
  const trigger = roundPrice(market, exact, isBuy ? 'ceil' : 'floor')
  const attached = change(
    `a stop at ${trigger.toString()} attached to the ${market.coin} ${isBuy ? 'buy' : 'sell'}, ${percent(rules.stopDistance)} from ${reference.toString()} (stop_distance)`,
    'stop',
    null,
    trigger,
    'stop_distance',
  )
  return { trigger, limit: stopLimit(market, trigger, isBuy), changes: [attached] }
}

/** The bot's stop: on the grid, a market stop, with at least a tenth of room to fill. */
function ownStop(market: Market, order: PlacedTrigger['order'], isLong: boolean): EntryStop {
  const asked = order.type.triggerPrice
  const trigger = roundPrice(market, asked, isLong ? 'ceil' : 'floor')
  const changes: Change[] = []
  if (!trigger.eq(asked)) {
    changes.push(
      change(
        `the stop's trigger rounded from ${asked.toString()} to ${trigger.toString()}, toward the price`,
        'stop.trigger',
        asked,
        trigger,
        'grid',
      ),
    )
  }
  if (!order.type.isMarket) {
    changes.push(
      change(
        `the stop-limit at ${trigger.toString()} made a market stop: a stop-limit may trigger and not fill`,
        'stop.isMarket',
        'false',
        'true',
        'market_stop',
      ),
    )
  }
  const outward = roundPrice(market, order.price, isLong ? 'floor' : 'ceil')
  const bound = worstFill(trigger, isLong)
  const isTooClose = isLong ? outward.gt(bound) : outward.lt(bound)
  const limit = isTooClose ? stopLimit(market, trigger, isLong) : outward
  if (!limit.eq(order.price)) {
    changes.push(
      change(
        `the stop's limit moved from ${order.price.toString()} to ${limit.toString()}${isTooClose ? ', 10% beyond its trigger, so that it fills' : ", outward to the venue's grid"}`,
        'stop.price',
        order.price,
        limit,
        isTooClose ? 'stop_room' : 'grid',
      ),
    )
  }
  return { trigger, limit, changes }
}
