import type { DecisionBody, Internal, RiskDetail } from '../../core/events/guardEvent.ts'
import type { Decision } from '../../core/judge/decision.ts'
import { judge } from '../../core/judge/judge.ts'
import type { Refusal } from '../../core/judge/refusal.ts'
import type { Json } from '../../core/protocol/action.ts'
import { decodeAction } from '../../core/protocol/decodeAction.ts'
import { isObject } from '../../core/protocol/fields.ts'
import { defaultRules } from '../../core/rules/rules.ts'
import type { Rules } from '../../core/rules/rules.ts'
import { ruleTable } from '../../core/rules/ruleTable.ts'
import type { Address } from '../../core/values/address.ts'
import type { Cloid } from '../../core/values/cloid.ts'
import { Decimal } from '../../core/values/decimal.ts'
import type { Millis } from '../../core/values/millis.ts'
import { replayedLease } from '../request/recordedLease.ts'
import { replayedView } from './replayedView.ts'
import type { RecordedReads } from '../request/recordedView.ts'

/**
 * Judges a recorded decision again from nothing but its record: the storm does so with every one,
 * to show that the record is complete. Null for a request that was refused
 * before it could be judged: those have no inputs.
 */
export function replayDecision(record: DecisionBody & Internal): Decision | null {
  const inputs = record._?.['in']
  if (!isObject(inputs)) return null
  const decoded = decodeAction(record.request)
  if (!decoded.ok) throw new Error(`the recorded request cannot be read: ${decoded.error.join()}`)
  const cloids = [...listOf(inputs['cloids'])]
  const rules = isObject(inputs['rules']) ? inputs['rules'] : {}
  const risk = isObject(inputs['risk']) ? inputs['risk'] : {}
  const lastEquity = risk['lastEquity']
  const { withheld } = inputs
  return judge({
    ...(isObject(withheld) ? { withheld: withheld as unknown as Refusal } : {}),
    ...(isObject(inputs['lease']) ? { lease: replayedLease(inputs['lease']) } : {}),
    account: replayedView(inputs['reads'] as RecordedReads),
    rulesFor: (client, coin) => readRules(rules[`${client ?? ''}|${coin ?? ''}`] ?? null),
    risk: {
      state: risk['state'] as 'active' | 'halted_for_day' | 'stopped',
      holding: risk['holding'] === true,
      lastEquity: typeof lastEquity === 'string' ? Decimal.of(lastEquity) : null,
      ...(typeof risk['doubt'] === 'string' ? { doubt: risk['doubt'] } : {}),
      ...(typeof risk['unseen'] === 'string' ? { unseen: risk['unseen'] } : {}),
      ...(isObject(risk['detail']) ? { detail: risk['detail'] as unknown as RiskDetail } : {}),
    },
    latched: inputs['latched'] === true,
    builders: new Set(listOf(inputs['builders']) as readonly Address[]),
    now: inputs['now'] as Millis,
    client: record.client as Address | null,
    action: decoded.value,
    mint: () => cloids.shift() as Cloid,
    entriesLastMinute: inputs['entries_last_minute'] as number,
  })
}

/** Rules whose value is a word; every other text is a decimal. */
const wordRules: ReadonlySet<string> = new Set(
  ruleTable.flatMap(({ kind, field }) => (kind === 'policy' ? [field] : [])),
)

/** The defaults with what the record says was different. */
function readRules(changed: Json): Rules {
  if (!isObject(changed)) return defaultRules
  const read = Object.entries(changed).map(([field, value]) => {
    const isDecimal = typeof value === 'string' && !wordRules.has(field)
    return [field, isDecimal ? Decimal.of(value) : value]
  })
  return { ...defaultRules, ...(Object.fromEntries(read) as Partial<Rules>) }
}

function listOf(json: Json | undefined): readonly Json[] {
  return Array.isArray(json) ? (json as readonly Json[]) : []
}
