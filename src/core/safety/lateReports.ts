import type { Decimal } from '../values/decimal.ts'
import { released } from './absorbed.ts'
import type { Absorbed } from './absorbed.ts'
import { cents } from './cashBook.ts'
import type { CashChange } from './cashBook.ts'
import { withFlow } from './loss.ts'
import type { RiskBases, RiskMemory } from './riskSnapshot.ts'

/** The unexplained change, counted as profit or loss by now, that this late report explains. */
export function lateFor({ absorbed }: RiskMemory, { usdc, at }: CashChange): Absorbed | undefined {
  return absorbed.find((each) => at <= each.at && each.usdc.minus(usdc).abs().lte(cents))
}

/** The late report is of a fill or of funding: it was rightly counted, and need not be kept. */
export function forgotten(memory: RiskMemory, late: Absorbed): RiskMemory {
  return { ...memory, absorbed: released(memory.absorbed, late, (base) => base).kept }
}

/** A flow that was counted as profit or loss is taken out of it again; a halt stays. */
export function corrected(
  memory: RiskMemory,
  bases: RiskBases,
  late: Absorbed,
  flow: Decimal,
): RiskMemory {
  const moved = (base: Decimal): Decimal => withFlow(base, late.equity, flow)
  const { kept, peak } = released(memory.absorbed, late, moved)
  const dayStart = late.day === bases.day ? moved(bases.dayStart) : bases.dayStart
  return { ...memory, absorbed: kept, bases: { ...bases, peak, dayStart } }
}
