import type { Json } from '../../core/protocol/action.ts'
import { isObject } from '../../core/protocol/fields.ts'
import { diffRules } from '../../core/rules/diffRules.ts'
import { decodeRules } from '../../core/rules/rulesCode.ts'

/** What a Guard of a fleet and its standby have to have in common, as codes that can be compared. */
export interface StandbySetup {
  /** The API wallet's address. */
  readonly wallet: string | null
  readonly rules: string
  /** By a market's name and by a client's key: the rules that hold there, all together. */
  readonly markets: { readonly [name: string]: string }
  readonly clients: { readonly [key: string]: string }
  /** The keys of bots, and the builders to whom fees may go; null: an earlier version, which does not say. */
  readonly keys: readonly string[] | null
  readonly builders: readonly string[] | null
}

/** What keeps a standby from standing in for the first, in sentences; empty where nothing does. */
export function unlike(first: Json, own: StandbySetup): readonly string[] {
  const other = readSetup(first)
  if (other === null) return ['what the first said of its rules cannot be read']
  const sections = [
    ['rules', other.rules, own.rules] as const,
    ...pairs('market', other, own, 'markets'),
    ...pairs('client', other, own, 'clients'),
  ]
  return [
    ...(own.wallet !== null && own.wallet === other.wallet
      ? [`the API wallet ${own.wallet} is the first's: a standby has one of its own`]
      : []),
    ...sections.flatMap(([name, theirs, ours]) => looser(name, theirs, ours)),
    ...unknownTo(other.keys, own.keys).map(
      (key) => `[clients] has the bot key ${key}, which the first does not take`,
    ),
    ...unknownTo(other.builders, own.builders).map(
      (builder) => `[venue] builders has ${builder}, whom the first pays nothing`,
    ),
  ]
}

/** What would be refused by a standby though the first takes it: no danger, and worth a word. */
export function lacking(first: Json, own: StandbySetup): readonly string[] {
  const other = readSetup(first)
  return [
    ...unknownTo(own.keys, other?.keys ?? null).map((key) => `the bot key ${key}`),
    ...unknownTo(own.builders, other?.builders ?? null).map((builder) => `the builder ${builder}`),
  ]
}

/** What only the second list has; nothing where one of them is not known. */
function unknownTo(
  first: readonly string[] | null,
  second: readonly string[] | null,
): readonly string[] {
  const known = first === null ? null : new Set(first.map((each) => each.toLowerCase()))
  return (second ?? []).filter((each) => known?.has(each.toLowerCase()) === false)
}

function pairs(
  kind: string,
  other: StandbySetup,
  own: StandbySetup,
  of: 'markets' | 'clients',
): readonly (readonly [string, string, string])[] {
  const names = new Set([...Object.keys(other[of]), ...Object.keys(own[of])])
  return [...names].map((name) => [
    `${kind} ${name}`,
    other[of][name] ?? other.rules,
    own[of][name] ?? own.rules,
  ])
}

/** What a rule does while it is not set depends on the market: that is not known to be as tight. */
function looser(section: string, theirs: string, ours: string): readonly string[] {
  if (theirs === ours) return []
  const [first, own] = [decodeRules(theirs), decodeRules(ours)]
  if (!first.ok || !own.ok) return [`[${section}] of the first cannot be read by this version`]
  return diffRules(first.value, own.value)
    .filter(({ direction }) => direction === 'looser' || direction === 'by market')
    .map(({ text }) => `[${section}] is looser here: ${text}`)
}

function readSetup(json: Json): StandbySetup | null {
  if (!isObject(json)) return null
  const { wallet, rules, markets, clients, keys, builders } = json
  if (typeof rules !== 'string') return null
  return {
    ...{ rules, wallet: typeof wallet === 'string' ? wallet : null },
    ...{ markets: textsIn(markets), clients: textsIn(clients) },
    ...{ keys: listIn(keys), builders: listIn(builders) },
  }
}

function textsIn(json: Json | undefined): { readonly [name: string]: string } {
  const entries = Object.entries(isObject(json) ? json : {})
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}

function listIn(json: Json | undefined): readonly string[] | null {
  if (!Array.isArray(json)) return null
  return (json as readonly Json[]).filter((each): each is string => typeof each === 'string')
}
