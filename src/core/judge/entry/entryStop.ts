import { roundPrice } from '../../protocol/grid.ts'
import { stopLimit } from '../../protocol/marketStop.ts'
import type { Market } from '../../protocol/market.ts'
import type { Rules } from '../../rules/rules.ts'
import type { Decimal } from '../../values/decimal.ts'
import { ok } from '../../values/result.ts'
import type { Result } from '../../values/result.ts'
import { change } from '../changes.ts'
import { fitStop } from '../fitStop.ts'
import type { FittedStop } from '../fitStop.ts'
import { refuse } from '../refusal.ts'
import type { Refusal } from '../refusal.ts'
import { percent } from '../text.ts'
import type { EntryGroup, PlacedTrigger } from './entryGroup.ts'
import type { WorstPrice } from './worstPrice.ts'

/** The entry's stop: its own, the one carried over, or Guard's; strictly on the losing side. */
export function entryStop(
  market: Market,
  rules: Rules,
  group: EntryGroup,
  { price: reference, text: called }: WorstPrice['stopFrom'],
): Result<FittedStop, Refusal> {
  const { isBuy } = group.entry.order
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
    `the stop at ${stop.trigger.toString()} must be ${isBuy ? 'below' : 'above'} ${reference.toString()}, ${called}`,
  )
}

function chosenStop(
  market: Market,
  rules: Rules,
  group: EntryGroup,
  reference: Decimal,
): FittedStop | null {
  const { isBuy } = group.entry.order
  if (group.stop !== null) return ownStop(market, group.stop.order)
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
function ownStop(market: Market, order: PlacedTrigger['order']): FittedStop {
  const fitted = fitStop(market, order)
  if (order.type.isMarket) return fitted
  const text = `the stop-limit at ${fitted.trigger.toString()} made a market stop: a stop-limit may trigger and not fill`
  const made = change(text, 'stop.isMarket', 'false', 'true', 'market_stop')
  return { ...fitted, changes: [made, ...fitted.changes] }
}
