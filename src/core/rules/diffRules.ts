import type { Rules } from './rules.ts'
import { ruleTable } from './ruleTable.ts'
import { ruleValueText } from './ruleText.ts'
import { tightness } from './tightness.ts'

/** One rule that differs between two sets. */
interface RuleDifference {
  readonly key: string
  readonly from: string
  readonly to: string
  readonly direction: 'tighter' | 'looser' | 'reordered'
  readonly text: string
}

/** What changes from one set of rules to another, in the order of the table; empty when nothing. */
export function diffRules(from: Rules, to: Rules): readonly RuleDifference[] {
  return ruleTable.flatMap((row) => {
    const before = ruleValueText(row, from)
    const after = ruleValueText(row, to)
    if (before === after) return []
    const compared = tightness(row, to[row.field], from[row.field])
    const direction = compared === 'same' ? 'reordered' : compared
    const text = `${row.key}: ${before} -> ${after} (${direction})`
    return [{ key: row.key, from: before, to: after, direction, text }]
  })
}
