import { actionsOf } from '../../core/judge/decision.ts'
import type { Decision } from '../../core/judge/decision.ts'
import type { Action } from '../../core/protocol/action.ts'
import { isAcceptedWhole } from '../../core/protocol/actionReply.ts'
import type { Markets } from '../../core/protocol/market.ts'
import type { Coin } from '../../core/values/coin.ts'
import type { ActionResult } from '../send/dispatcher.ts'
import { closeEntriesWithoutStop } from './closeEntriesWithoutStop.ts'
import type { Protector } from '../watch/protector.ts'
import { answeredBy } from '../send/itemOutcomes.ts'
import type { Answered } from '../send/itemOutcomes.ts'

/** In the venue's words. */
const haltedText = /trading is halted/i
const atCapText = /open interest\b.*\bcap/i

interface MarketRefusal {
  readonly kind: 'halted' | 'at_cap'
  readonly coin: Coin
}

/**
 * What Guard makes of the answers to a bot's request: an entry without its stop is closed, a person
 * is told where the venue refused an exit as a whole, and a builder's market that is halted, or at its cap, is known.
 */
export function learnFromAnswers(
  decision: Decision,
  results: readonly ActionResult[],
  markets: Markets,
  protector: Pick<Protector, 'entryWithoutStop' | 'exitRefused' | 'exitTaken'>,
  refusedBy: (market: MarketRefusal) => void,
): void {
  closeEntriesWithoutStop(decision, results, markets, protector)
  actionsOf(decision).forEach((action, place) => {
    for (const each of marketRefusals(action, results[place], markets)) refusedBy(each)
    const coins = exitCoins(action, markets)
    const result = results[place]
    if (coins.length === 0 || result?.kind !== 'answered') return
    const answered = answeredBy(action, result)
    if (answered.kind === 'whole') protector.exitRefused(coins, answered.text)
    else if (isAcceptedWhole(result.reply)) protector.exitTaken(coins)
  })
}

/** The coins of an action that only reduces; none where it places anything else. */
function exitCoins(action: Action, markets: Markets): readonly Coin[] {
  if (action.type !== 'order' || !action.orders.every(({ isReduceOnly }) => isReduceOnly)) return []
  const coins = action.orders.map(({ asset }) => markets.byAsset.get(asset)?.coin ?? null)
  return [...new Set(coins.filter((coin) => coin !== null))]
}

/** The builders' markets on which an order was refused for what the market is now. */
function marketRefusals(
  action: Action,
  result: ActionResult | undefined,
  markets: Markets,
): readonly MarketRefusal[] {
  if (action.type !== 'order') return []
  const answered = answeredBy(action, result)
  return action.orders.flatMap(({ asset }, place): MarketRefusal[] => {
    const text = refusalAt(answered, place) ?? ''
    const market = markets.byAsset.get(asset)
    if (market?.builder === undefined) return []
    if (haltedText.test(text)) return [{ kind: 'halted', coin: market.coin }]
    return atCapText.test(text) ? [{ kind: 'at_cap', coin: market.coin }] : []
  })
}

function refusalAt(answered: Answered, place: number): string | null {
  if (answered.kind === 'lost') return null
  if (answered.kind === 'whole') return answered.text
  const outcome = answered.outcomes[place]
  return outcome?.kind === 'refused' ? outcome.text : null
}
