import { defaultRules } from './rules.ts'
import { ruleTable } from './ruleTable.ts'
import type { RuleRow } from './ruleTable.ts'
import { boundsText, relativeText, ruleValueText } from './ruleText.ts'

/** The rules as a page of the documentation, made from the table. */
export function rulesMarkdown(): string {
  return [
    '# Rules',
    '',
    'Made from the rule table in the code. A rule stands in `[rules]` of `guard.toml`; where the last',
    'column says so, it may be set tighter for one market (`[market.BTC]`) or one client',
    '(`[client."0x.."]`), and the tightest of all that apply holds.',
    '',
    'Ratios are quoted: `"0.02"` or `"2%"`. Money and plain numbers are quoted decimals: `"5"`. Counts',
    'are integers. A value out of bounds is refused, never clamped.',
    '',
    '| Rule | Default | Bounds | Tighter is | Sections | Meaning |',
    '|---|---|---|---|---|---|',
    ...ruleTable.map(rowText),
    '',
  ].join('\n')
}

const tighterText = {
  smaller: 'smaller',
  larger: 'larger',
  refuse: '`refuse`',
  isolated: '`isolated`',
  fewer: 'fewer',
} as const

function rowText(row: RuleRow): string {
  const relative = relativeText(row)
  const bounds = `${boundsText(row)}${relative === '' ? '' : `; ${relative}`}`
  const sections = row.sections === 'none' ? '' : row.sections
  const value = ruleValueText(row, defaultRules)
  return `| \`${row.key}\` | ${value} | ${bounds} | ${tighterText[row.tighter]} | ${sections} | ${row.text} |`
}
