import { defaultRules } from '../../core/rules/rules.ts'
import type { Rules } from '../../core/rules/rules.ts'
import { ruleTable } from '../../core/rules/ruleTable.ts'
import { decodedRules } from '../../core/rules/rulesCode.ts'

/** The lines of `[rules]` for what differs from the defaults. */
export function rulesToml(rules: Rules): string[] {
  const values = decodedRules(rules)
  const defaults = decodedRules(defaultRules)
  return ruleTable
    .map(({ key }) => key)
    .filter((key) => JSON.stringify(values[key]) !== JSON.stringify(defaults[key]))
    .map((key) => `${key} = ${JSON.stringify(values[key])}`)
}
