import { limits } from '../values/limits.ts'
import { Decimal } from '../values/decimal.ts'
import { err } from '../values/result.ts'
import type { Result } from '../values/result.ts'
import { decodeBase64url, encodeBase64url } from './base64url.ts'
import { readRules } from './readRules.ts'
import type { Problem, RuleValue } from './readRules.ts'
import { defaultRules } from './rules.ts'
import type { Rules } from './rules.ts'
import { ruleTable } from './ruleTable.ts'

type PlainValue = string | number | null | readonly string[]

/** Every rule by its key: decimals as text, counts as numbers, no limit as null. */
type DecodedRules = { readonly [key: string]: PlainValue }

const prefix = 'gr1_'
const codeCharsMax = limits.rulesCodeCharsMax

/** The rules as one word: what differs from the defaults, canonical, so that equal rules are equal text. */
export function encodeRules(rules: Rules): string {
  const values = ruleTable
    .map(({ key, field }) => [key, plain(rules[field]), plain(defaultRules[field])] as const)
    .filter(([, value, standard]) => JSON.stringify(value) !== JSON.stringify(standard))
    .map(([key, value]) => [key, value])
  return `${prefix}${encodeBase64url(JSON.stringify(Object.fromEntries(values)))}`
}

/** Reads a rules code; refuses unknown fields, values out of bounds and any other spelling. */
export function decodeRules(code: string): Result<Rules, Problem[]> {
  const problem = (text: string): Result<Rules, Problem[]> => err([{ path: ['rules code'], text }])
  if (!code.startsWith(prefix)) return problem(`must start with ${prefix}`)
  if (code.length > codeCharsMax) return problem(`must have at most ${codeCharsMax} characters`)
  const json = decodeBase64url(code.slice(prefix.length))
  if (json === null) return problem(`must be ${prefix} and base64url without padding`)
  const section = parsedJson(json)
  if (section === null) return problem('holds no JSON object')
  const rules = readRules(section, ['rules code'])
  if (!rules.ok) return rules
  const canonical = encodeRules(rules.value)
  return canonical === code ? rules : problem(`is not canonical; the same rules are ${canonical}`)
}

/** Every rule with its value, for the status. */
export function decodedRules(rules: Rules): DecodedRules {
  return Object.fromEntries(ruleTable.map(({ key, field }) => [key, plain(rules[field])]))
}

function plain(value: RuleValue): PlainValue {
  return value instanceof Decimal ? value.toString() : value
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return null
  }
}
