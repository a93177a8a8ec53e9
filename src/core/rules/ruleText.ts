import { Decimal } from '../values/decimal.ts'
import type { RuleField, Rules } from './rules.ts'
import { ruleTable } from './ruleTable.ts'
import type { RuleRow } from './ruleTable.ts'

/** Rules in words, for messages, the documentation and a diff. */

const hundred = Decimal.whole(100)

/** 0.02 is 2%. */
export function asPercent(value: Decimal): string {
  return `${value.times(hundred).toString()}%`
}

/** The bounds of a rule, as they stand in messages and in the documentation. */
export function boundsText(row: RuleRow): string {
  if (row.kind === 'policy') return (row.words ?? []).join(' or ')
  if (row.kind === 'markets') return '1 to 64 market names, `*`, `xyz:*`'
  const { above, min, max, below } = row.bounds
  const shown = (bound: string): string =>
    row.kind === 'ratio' ? asPercent(Decimal.of(bound)) : bound
  const parts: string[] = []
  if (above !== undefined) parts.push(`above ${shown(above)}`)
  if (min !== undefined) parts.push(`at least ${shown(min)}`)
  if (max !== undefined) parts.push(`at most ${shown(max)}`)
  if (below !== undefined) parts.push(`below ${shown(below)}`)
  return parts.join(' and ')
}

/** A relation to another rule, in words; empty when there is none. */
export function relativeText(row: RuleRow): string {
  return row.relative === null ? '' : `must ${row.relative.must} ${keyOf(row.relative.to)}`
}

export function keyOf(field: RuleField): string {
  return ruleTable.find((each) => each.field === field)?.key ?? field
}

/** The value of a rule, for a person. */
export function ruleValueText(row: RuleRow, rules: Rules): string {
  const value = rules[row.field]
  if (value === null) return row.unset ?? 'none'
  if (value instanceof Decimal) {
    if (row.kind === 'ratio') return asPercent(value)
    return row.kind === 'usd' ? `${value.toString()} USD` : value.toString()
  }
  return typeof value === 'object' ? value.join(', ') : `${value}`
}
