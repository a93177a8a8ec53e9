import { limits } from '../values/limits.ts'
import { Decimal } from '../values/decimal.ts'
import { err, ok } from '../values/result.ts'
import type { Result } from '../values/result.ts'
import { besideProblem, nameProblem } from './marketNames.ts'
import { defaultRules } from './rules.ts'
import type { Rules } from './rules.ts'
import { asPercent, boundsText, keyOf, relativeText, ruleValueText } from './ruleText.ts'
import { ruleTable } from './ruleTable.ts'
import type { RuleRow } from './ruleTable.ts'

/** One thing that is wrong: where, and what would be right. */
export interface Problem {
  readonly path: readonly string[]
  readonly text: string
}

export type RuleValue = Rules[keyof Rules]

/** Reads a `[rules]` table over the defaults: every violation at once, nothing clamped. */
export function readRules(
  section: unknown,
  path: readonly string[] = ['rules'],
): Result<Rules, Problem[]> {
  const problems: Problem[] = []
  const rules = { ...defaultRules, ...readSection(section, path, ruleTable, problems) }
  problems.push(...relativeProblems(rules, path, problems))
  return problems.length === 0 ? ok(rules) : err(problems)
}

/** Reads the rules a section sets, and adds to `problems` what is wrong with it. */
export function readSection(
  section: unknown,
  path: readonly string[],
  rows: readonly RuleRow[],
  problems: Problem[],
): Partial<Rules> {
  if (!isTable(section)) {
    problems.push({ path, text: `must be a table of rules, not ${shown(section)}` })
    return {}
  }
  const found: { [field: string]: RuleValue } = {}
  for (const [key, value] of Object.entries(section)) {
    const row = rows.find((each) => each.key === key)
    if (row === undefined) {
      problems.push({ path: [...path, key], text: unknownText(key, rows) })
      continue
    }
    const read = readValue(row, value)
    if (read.ok) found[row.field] = read.value
    else problems.push({ path: [...path, key], text: read.error })
  }
  return found
}

function unknownText(key: string, rows: readonly RuleRow[]): string {
  const known = rows.map((each) => each.key).join(', ')
  return ruleTable.some((each) => each.key === key)
    ? `can only be set in [rules]; here: ${known}`
    : `is no rule; rules are: ${known}`
}

/** Rules that are bounded by another rule; only where both could be read. */
function relativeProblems(
  rules: Rules,
  path: readonly string[],
  found: readonly Problem[],
): Problem[] {
  const broken = new Set(found.map((each) => each.path.at(-1)))
  return ruleTable.flatMap((row) => {
    if (row.relative === null || broken.has(row.key)) return []
    const other = keyOf(row.relative.to)
    const value = rules[row.field]
    const limit = rules[row.relative.to]
    if (broken.has(other) || !(value instanceof Decimal) || !(limit instanceof Decimal)) return []
    const { must } = row.relative
    const isMet =
      must === 'be at least'
        ? value.gte(limit)
        : must === 'be at most'
          ? value.lte(limit)
          : value.lt(limit)
    if (isMet) return []
    const text = `${relativeText(row)}, which is ${asSame(row, limit)}; it is ${ruleValueText(row, rules)}`
    return [{ path: [...path, row.key], text }]
  })
}

function asSame(row: RuleRow, value: Decimal): string {
  return row.kind === 'ratio' ? asPercent(value) : value.toString()
}

/** Reads one value by its row of the table. */
function readValue(row: RuleRow, value: unknown): Result<RuleValue> {
  switch (row.kind) {
    case 'ratio':
    case 'number':
    case 'usd':
      return readDecimal(row, value)
    case 'count':
      return readCount(row, value)
    case 'policy':
      return readWord(row, value)
    case 'markets':
      return readMarkets(value)
  }
}

function readWord(row: RuleRow, value: unknown): Result<RuleValue> {
  const words = row.words ?? []
  const word = words.find((each) => each === value)
  if (word !== undefined) return ok(word as RuleValue)
  const named = words.map((each) => `"${each}"`).join(' or ')
  return err(`must be ${named}, not ${shown(value)}`)
}

function readDecimal(row: RuleRow, value: unknown): Result<Decimal> {
  const example = row.kind === 'ratio' ? '"0.02" or "2%"' : '"5"'
  const wanted = `must be a quoted decimal such as ${example}, ${boundsText(row)}`
  if (typeof value !== 'string') return err(`${wanted}; not ${shown(value)}`)
  const isPercent = row.kind === 'ratio' && value.endsWith('%')
  const parsed = Decimal.parse(isPercent ? value.slice(0, -1) : value)
  if (!parsed.ok) return err(`${wanted}; not ${shown(value)}`)
  const { units, scale } = parsed.value
  const number = (isPercent ? new Decimal(units, scale + 2) : parsed.value).normalised()
  if (isWithin(row, number)) return ok(number)
  return err(`must be ${boundsText(row)}; not ${shown(value)}`)
}

function readCount(row: RuleRow, value: unknown): Result<number> {
  const text = `must be an integer, ${boundsText(row)}; not ${shown(value)}`
  if (typeof value === 'bigint' || typeof value === 'number') {
    if (typeof value === 'number' && !Number.isSafeInteger(value)) return err(text)
    const number = Decimal.whole(value)
    if (isWithin(row, number)) return ok(parseInt(number.toString(), 10))
  }
  return err(text)
}

function isWithin(row: RuleRow, value: Decimal): boolean {
  const { above, min, max, below } = row.bounds
  return (
    (above === undefined || value.gt(Decimal.of(above))) &&
    (min === undefined || value.gte(Decimal.of(min))) &&
    (max === undefined || value.lte(Decimal.of(max))) &&
    (below === undefined || value.lt(Decimal.of(below)))
  )
}

const marketsMax = limits.ruleMarketsMax

function readMarkets(value: unknown): Result<readonly string[]> {
  if (!Array.isArray(value) || value.length < 1 || value.length > marketsMax) {
    return err(
      `must be a list of 1 to ${marketsMax} market names such as ["BTC", "ETH"] or ["*", "xyz:*"]`,
    )
  }
  const names: string[] = []
  for (const name of value as readonly unknown[]) {
    const problem = nameProblem(name)
    if (problem !== null) return err(`${shown(name)} ${problem}`)
    if (names.includes(name as string)) return err(`names ${shown(name)} twice`)
    names.push(name as string)
  }
  for (const name of names) {
    const problem = besideProblem(name, names)
    if (problem !== null) return err(problem)
  }
  return ok(names)
}

function isTable(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A received value for a message, never long. */
function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (typeof value === 'object' && value !== null)
    return Array.isArray(value) ? 'a list' : 'a table'
  const text = typeof value === 'string' ? `"${value}"` : String(value)
  return text.length > 60 ? `${text.slice(0, 57)}...` : text
}
