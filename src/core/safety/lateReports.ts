import { Decimal } from '../values/decimal.ts'
import { explainedAt } from './absorbed.ts'
import type { Absorbed } from './absorbed.ts'
import type { CashChange } from './cashBook.ts'
import { withFlow } from './loss.ts'
import type { HeldView, RiskBases, RiskMemory } from './riskSnapshot.ts'

/** An equity that counts, with the change in USD that nothing explains and that it is the first to show. */
export interface CountedView {
  readonly equity: Decimal
  readonly found?: Decimal
}

/** Of the looks at a unified account a smaller change is noted with the next: prices move between them. */
const noiseTimes = Decimal.of('10')

/** Parts what no report explains after the hold into its changes; `unexplained` is that of one view, in USD. */
export function countedViews(
  views: readonly HeldView[],
  unexplained: (view: HeldView) => Decimal | null,
): readonly CountedView[] {
  let noted = Decimal.zero
  return views.map((view, place) => {
    const { equity, seen } = view
    const found = unexplained(view)?.minus(noted)
    if (found === undefined || seen === null) return { equity }
    const isRough = seen.otherCash !== null && place < views.length - 1
    const least = isRough ? seen.tolerance.times(noiseTimes) : seen.tolerance
    if (found.abs().lte(least)) return { equity }
    noted = noted.plus(found)
    return { equity, found }
  })
}

/** The unexplained change, counted as profit or loss by now, that is nearest to this late report. */
export function nearestTo(
  { absorbed }: RiskMemory,
  { usdc, at }: CashChange,
): Absorbed | undefined {
  const apart = (each: Absorbed): Decimal => each.usdc.minus(usdc).abs()
  const [first, ...others] = absorbed.filter((each) => at <= each.at)
  return others.reduce((best, each) => (best && apart(each).lt(apart(best)) ? each : best), first)
}

/**
 * A late report explains a change, or a part of it. What of it was a `flow`, in USD, is taken out of
 * profit and loss again; a halt stays.
 */
export function explainedLate(
  memory: RiskMemory,
  bases: RiskBases,
  late: Absorbed,
  { usdc, flow, tolerance }: Record<'usdc' | 'flow' | 'tolerance', Decimal>,
): RiskMemory {
  const moved = (base: Decimal): Decimal => withFlow(base, late.equity, flow)
  const rest = { usdc: late.usdc.minus(usdc), equity: late.equity.minus(flow) }
  const left = rest.usdc.abs().gt(tolerance) ? rest : null
  const { kept, peak } = explainedAt(memory.absorbed, memory.absorbed.indexOf(late), left, moved)
  const dayStart = late.day === bases.day ? moved(bases.dayStart) : bases.dayStart
  return { ...memory, absorbed: kept, bases: { ...bases, peak, dayStart } }
}
