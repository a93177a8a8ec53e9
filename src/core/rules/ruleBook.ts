import { parseAddress } from '../values/address.ts'
import type { Address } from '../values/address.ts'
import type { Coin } from '../values/coin.ts'
import { err, ok } from '../values/result.ts'
import type { Result } from '../values/result.ts'
import { nameProblem } from './marketNames.ts'
import { readRules, readSection } from './readRules.ts'
import type { Problem } from './readRules.ts'
import { defaultRules } from './rules.ts'
import type { Rules, RulesFor } from './rules.ts'
import { ruleTable } from './ruleTable.ts'
import { boundsText, ruleValueText } from './ruleText.ts'
import { tightness } from './tightness.ts'

/** The rules of an account with what is tighter for a market or a client. */
export interface RuleBook {
  readonly rules: Rules
  readonly markets: ReadonlyMap<Coin, Partial<Rules>>
  readonly clients: ReadonlyMap<Address, Partial<Rules>>
  /** The tightest of all that apply. */
  readonly rulesFor: RulesFor
}

/** Reads `[rules]`, `[market.X]` and `[client."0x.."]`; every violation at once. */
export function readRuleBook(
  rulesSection: unknown,
  marketSections: unknown,
  clientSections: unknown,
): Result<RuleBook, Problem[]> {
  const rules = readRules(rulesSection, ['rules'])
  const problems: Problem[] = rules.ok ? [] : [...rules.error]
  const base = { ...defaultRules, ...readSection(rulesSection, ['rules'], ruleTable, []) }
  const markets = readTighter(marketSections, 'market', parseMarket, base, problems)
  const clients = readTighter(clientSections, 'client', parseAddress, base, problems)
  if (!rules.ok || problems.length > 0) return err(problems)
  return ok(ruleBook(rules.value, markets, clients))
}

/** The rules that hold for each client and market: the tightest of all that apply. */
export function ruleBook(
  rules: Rules,
  markets: ReadonlyMap<Coin, Partial<Rules>> = new Map(),
  clients: ReadonlyMap<Address, Partial<Rules>> = new Map(),
): RuleBook {
  const known = new Map<string, Rules>()
  const rulesFor: RulesFor = (client, coin) => {
    const forClient = client === null ? undefined : clients.get(client)
    const forMarket = coin === null ? undefined : markets.get(coin)
    if (forClient === undefined && forMarket === undefined) return rules
    const key = `${forClient === undefined ? '' : client} ${forMarket === undefined ? '' : coin}`
    const found = known.get(key) ?? tightest(rules, [forClient ?? {}, forMarket ?? {}])
    known.set(key, found)
    return found
  }
  return { rules, markets, clients, rulesFor }
}

function tightest(rules: Rules, sections: readonly Partial<Rules>[]): Rules {
  return sections.reduce<Rules>((merged, section) => {
    const tighter = ruleTable.filter(({ field, ...row }) => {
      const value = section[field]
      return value !== undefined && tightness({ field, ...row }, value, merged[field]) === 'tighter'
    })
    return { ...merged, ...Object.fromEntries(tighter.map(({ field }) => [field, section[field]])) }
  }, rules)
}

function parseMarket(name: string): Result<Coin> {
  const problem = nameProblem(name)
  if (problem !== null) return err(problem)
  return name.endsWith('*')
    ? err('must name one market; what holds for all of them stands in [rules]')
    : ok(name as Coin)
}

function readTighter<Name extends string>(
  sections: unknown,
  kind: 'market' | 'client',
  parse: (name: string) => Result<Name>,
  base: Rules,
  problems: Problem[],
): ReadonlyMap<Name, Partial<Rules>> {
  const found = new Map<Name, Partial<Rules>>()
  if (sections === undefined) return found
  if (typeof sections !== 'object' || sections === null || Array.isArray(sections)) {
    problems.push({ path: [kind], text: `must be tables, one for each ${kind}` })
    return found
  }
  const rows = ruleTable.filter(
    ({ sections: where }) => where === 'market and client' || where === kind,
  )
  const broken = new Set(problems.map((each) => each.path.join('.')))
  for (const [name, section] of Object.entries(sections)) {
    const path = [kind, name]
    const parsed = parse(name)
    if (!parsed.ok) {
      problems.push({ path, text: parsed.error })
      continue
    }
    const values = readSection(section, path, rows, problems)
    problems.push(...looserProblems(base, values, path, broken))
    if (found.has(parsed.value)) problems.push({ path, text: `is set twice` })
    found.set(parsed.value, values)
  }
  return found
}

function looserProblems(
  base: Rules,
  values: Partial<Rules>,
  path: readonly string[],
  broken: ReadonlySet<string>,
): readonly Problem[] {
  return ruleTable.flatMap((row) => {
    if (broken.has(`rules.${row.key}`)) return []
    const value = values[row.field]
    if (value === undefined || tightness(row, value, base[row.field]) !== 'looser') return []
    const here = ruleValueText(row, { ...base, ...values })
    const there = ruleValueText(row, base)
    const text = `is looser (${here}) than [rules] (${there}); a section may only tighten (${boundsText(row)})`
    return [{ path: [...path, row.key], text }]
  })
}
