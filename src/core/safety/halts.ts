import type { Decimal } from '../values/decimal.ts'
import type { Millis } from '../values/millis.ts'
import { movedAbsorbed } from './absorbed.ts'
import { dayDetail, drawdownDetail } from './haltDetail.ts'
import { lossOf, withFlow } from './loss.ts'
import { unknownDay } from './riskDay.ts'
import type { RiskBases, RiskMemory } from './riskSnapshot.ts'

/** The rules the risk engine keeps; `Rules` has them all. */
export interface RiskLimits {
  readonly dailyLossStop: Decimal
  readonly drawdownHalt: Decimal
  readonly equityCap: Decimal | null
}

/**
 * The memory after this equity was judged, with a halt in it where the loss is too large; the drawdown
 * is looked at first. `bases` are what the loss is measured from: the remembered ones or, where the
 * equity already includes a flow that these do not, the remembered ones moved by that flow.
 */
export function halted(
  memory: RiskMemory,
  bases: RiskBases,
  equity: Decimal,
  { at, isTimeKnown, limits }: { at: Millis; isTimeKnown: boolean; limits: RiskLimits },
): RiskMemory {
  const { state } = memory
  if (state === 'stopped') return memory
  const { drawdownHalt, dailyLossStop, equityCap } = limits
  if (lossOf(bases.peak, equity, drawdownHalt, equityCap)) {
    return { ...memory, state: 'stopped', detail: drawdownDetail(equity, bases.peak, drawdownHalt) }
  }
  if (state === 'halted_for_day') return memory
  if (!lossOf(bases.dayStart, equity, dailyLossStop, equityCap)) return memory
  const detail = dayDetail(equity, bases.dayStart, dailyLossStop, at)
  // While nobody knows which day it is, the halt is kept for the day that it turns out to be.
  const day = isTimeKnown ? bases.day : unknownDay
  const kept = { ...(memory.bases as RiskBases), day }
  return { ...memory, state: 'halted_for_day', isClosing: true, detail, bases: kept }
}

/** Whether this equity would change the state, judged by these bases. */
export function breaches(
  { state }: RiskMemory,
  { peak, dayStart }: RiskBases,
  equity: Decimal,
  { drawdownHalt, dailyLossStop, equityCap }: RiskLimits,
): boolean {
  if (state === 'stopped') return false
  if (lossOf(peak, equity, drawdownHalt, equityCap)) return true
  return state === 'active' && lossOf(dayStart, equity, dailyLossStop, equityCap)
}

/** The memory after a flow that this equity includes: losses keep their share of it. */
export function withFlowMoved(
  memory: RiskMemory,
  bases: RiskBases,
  equity: Decimal,
  flow: Decimal,
): RiskMemory {
  const absorbed = movedAbsorbed(memory.absorbed, (base) => withFlow(base, equity, flow))
  return { ...memory, absorbed, bases: movedBases(bases, equity, flow) }
}

/** Peak and start of the day, scaled by a flow that this equity includes, so that losses keep their share. */
export function movedBases(bases: RiskBases, equity: Decimal, flow: Decimal): RiskBases {
  const [peak, dayStart] = [bases.peak, bases.dayStart].map((base) => withFlow(base, equity, flow))
  return { ...bases, peak: peak as Decimal, dayStart: dayStart as Decimal }
}
