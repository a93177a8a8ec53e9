import { defaultRules } from '../../core/rules/rules.ts'
import type { Rules } from '../../core/rules/rules.ts'
import { decodeRules } from '../../core/rules/rulesCode.ts'
import type { Decimal } from '../../core/values/decimal.ts'
import { refused } from '../cliError.ts'

interface RuleFlags {
  readonly rules?: string
  readonly equityCap?: Decimal
}

/** The rules that the flags name: a code, an equity cap, else the defaults. */
export function rulesOf(options: RuleFlags): Rules {
  const decoded = options.rules === undefined ? null : decodeRules(options.rules)
  if (decoded !== null && !decoded.ok) {
    throw refused(
      '--rules is not a rules code Guard takes',
      decoded.error.map(({ text }) => text),
    )
  }
  const rules = decoded?.value ?? defaultRules
  return options.equityCap === undefined ? rules : { ...rules, equityCap: options.equityCap }
}
