import type { TwapPlanRecord, TwapRecord } from '../../core/account/twapRecord.ts'
import type { Json, JsonObject } from '../../core/protocol/action.ts'
import { decodeReply } from '../../core/protocol/exchangeReply.ts'
import { isObject } from '../../core/protocol/fields.ts'
import { Decimal } from '../../core/values/decimal.ts'

/** TWAPs that went through Guard, as JSON, and read back with whatever cannot be read left out. */

export function twapsJson(twaps: readonly TwapRecord[]): readonly Json[] {
  return twaps.map((twap): JsonObject => ({ ...twap, plan: planJson(twap.plan) }))
}

function planJson(plan: TwapPlanRecord): JsonObject {
  return { ...plan, opens: plan.opens === null ? null : [...plan.opens] }
}

export function readTwaps(json: Json | undefined): readonly TwapRecord[] {
  return listOf(json).flatMap((each) => {
    const { action, at, id, played, plan: planned } = isObject(each) ? each : {}
    const plan = readPlan(planned)
    if (plan === null || typeof action !== 'string' || typeof at !== 'number') return []
    const isKnown = typeof id === 'number'
    const size = isAmount(played) ? played : '0'
    return [{ action, at, id: isKnown ? id : null, played: size, plan }]
  })
}

/** What the record of a decision tells of its TWAPs, by the place of their actions. */
export function readPlannedTwaps(
  json: Json | undefined,
): readonly (readonly [number, TwapPlanRecord])[] {
  return listOf(json).flatMap((each) => {
    const [place, planned] = listOf(each)
    const plan = readPlan(planned)
    return typeof place !== 'number' || plan === null ? [] : [[place, plan] as const]
  })
}

/** What became of a TWAP by the answer that was recorded: its number, or that it is none. */
export function twapFate(reply: Json): { readonly id: number } | 'refused' | 'unknown' {
  const answer = decodeReply(reply)
  if (answer.kind === 'twapRunning') return { id: answer.twapId }
  if (answer.kind === 'twapError' || answer.kind === 'err') return 'refused'
  return isObject(reply) && reply['may_have_arrived'] === false ? 'refused' : 'unknown'
}

function readPlan(json: Json | undefined): TwapPlanRecord | null {
  if (!isObject(json)) return null
  const { coin, size, minutes, trigger, end, opens } = json
  if (typeof coin !== 'string' || typeof minutes !== 'number' || !isAmount(size)) return null
  const prices = listOf(opens)
  const [price, stop, worth] = prices
  const mayOpen = isAmount(price) && isAmount(stop) && isAmount(worth)
  if (prices.length > 0 && !mayOpen) return null
  return {
    ...{ coin, size, minutes, is_buy: json['is_buy'] === true },
    is_randomized: json['is_randomized'] === true,
    trigger: isAmount(trigger) ? trigger : null,
    end: isAmount(end) ? end : null,
    opens: mayOpen ? [price, stop, worth] : null,
  }
}

function isAmount(json: Json | undefined): json is string {
  return typeof json === 'string' && Decimal.parse(json).ok
}

function listOf(json: Json | undefined): readonly Json[] {
  return Array.isArray(json) ? (json as readonly Json[]) : []
}
