import type { Rules } from './rules.ts'
import { ruleTable } from './ruleTable.ts'
import type { RuleRow } from './ruleTable.ts'
import { ruleValueText } from './ruleText.ts'
import { tightness } from './tightness.ts'

/** One rule that differs between two sets. */
interface RuleDifference {
  readonly key: string
  readonly from: string
  readonly to: string
  readonly direction: 'tighter' | 'looser' | 'reordered' | 'by market'
  readonly text: string
}

/** What changes from one set of rules to another, in the order of the table; empty when nothing. */
export function diffRules(from: Rules, to: Rules): readonly RuleDifference[] {
  return ruleTable.flatMap((row) => {
    const before = ruleValueText(row, from)
    const after = ruleValueText(row, to)
    if (before === after) return []
    const direction = directionOf(row, from, to)
    const text = `${row.key}: ${before} -> ${after} (${direction})`
    return [{ key: row.key, from: before, to: after, direction, text }]
  })
}

function directionOf(row: RuleRow, from: Rules, to: Rules): RuleDifference['direction'] {
  // What holds while nothing is set is each market's own figure, above the other or below it.
  const isOwn = from[row.field] === null || to[row.field] === null
  if (isOwn && row.unset !== undefined) return 'by market'
  const compared = tightness(row, to[row.field], from[row.field])
  return compared === 'same' ? 'reordered' : compared
}
