import type { OwnStop, PromiseRecord } from '../../core/account/promises.ts'
import type { Json, JsonObject } from '../../core/protocol/action.ts'
import { isObject } from '../../core/protocol/fields.ts'
import type { Coin } from '../../core/values/coin.ts'
import { Decimal } from '../../core/values/decimal.ts'
import type { Millis } from '../../core/values/millis.ts'

/** What was promised for positions, as JSON, and read back with whatever cannot be read left out. */

export function promisesJson({ plans, positions }: PromiseRecord): JsonObject {
  return {
    plans: plans.map((plan) => [...plan]),
    positions: positions.map(({ coin, isLong, covers, lots }) => ({
      ...{ coin, long: isLong, covers: covers.map((cover) => [...cover]) },
      lots: lots.map((lot) => [...lot]),
    })),
  }
}

export function readPromises(json: Json | undefined): PromiseRecord {
  const { plans, positions } = isObject(json) ? json : {}
  return { plans: readPlans(plans), positions: listOf(positions).flatMap(readPosition) }
}

/** Client order ids with whether it is an entry, its stop and, where Guard keeps that, whose it is. */
export function readPlans(json: Json | undefined): PromiseRecord['plans'] {
  return listOf(json).flatMap((each) => {
    const [cloid, isEntry, trigger, keptFor] = listOf(each)
    if (typeof cloid !== 'string' || typeof trigger !== 'string' || !isPrice(trigger)) return []
    const plan = [cloid, isEntry === true, trigger] as const
    return [keptFor === 'bot' || keptFor === 'guard' ? ([...plan, keptFor] as const) : plan]
  })
}

/** Guard's own stops as the record of an event of this time keeps them. */
export function readOwnStops(
  json: Json | undefined,
  at: Millis,
): readonly (OwnStop & { readonly at: Millis })[] {
  return listOf(json).flatMap((each) => {
    const [coin, isLong, trigger, size, isWhole] = listOf(each)
    if (typeof coin !== 'string' || typeof trigger !== 'string' || typeof size !== 'string')
      return []
    if (!isPrice(trigger) || !isPrice(size)) return []
    const stop = { trigger: Decimal.of(trigger), size: Decimal.of(size) }
    return [{ coin: coin as Coin, isLong: isLong === true, ...stop, isWhole: isWhole === true, at }]
  })
}

function readPosition(json: Json): PromiseRecord['positions'] {
  if (!isObject(json)) return []
  const { coin, long, covered, covers, lots } = json
  if (typeof coin !== 'string') return []
  return [
    {
      coin,
      isLong: long === true,
      covers: [...listOf(covers).flatMap(readCover), ...earlierCover(covered)],
      lots: listOf(lots).flatMap(readLot),
    },
  ]
}

function readCover(json: Json): readonly (readonly [string, string])[] {
  const [trigger, size] = listOf(json)
  if (typeof trigger !== 'string' || typeof size !== 'string') return []
  return isPrice(trigger) && isPrice(size) ? [[trigger, size]] : []
}

/** An earlier version kept no size: what is more than is held is cut to it once that is told. */
function earlierCover(json: Json | undefined): readonly (readonly [string, string])[] {
  return readCover([json ?? null, '1000000000000'])
}

function readLot(json: Json): PromiseRecord['positions'][number]['lots'] {
  const [trigger, size, isGuards, isKept] = listOf(json)
  if (typeof trigger !== 'string' || typeof size !== 'string') return []
  if (!isPrice(trigger) || !isPrice(size)) return []
  const lot = [trigger, size, isGuards === true] as const
  return [isKept === true ? [...lot, true] : lot]
}

export function textsOf(json: Json | undefined): readonly string[] {
  return listOf(json).filter((each) => typeof each === 'string')
}

function isPrice(text: string): boolean {
  const parsed = Decimal.parse(text)
  return parsed.ok && parsed.value.isPositive()
}

function listOf(json: Json | undefined): readonly Json[] {
  return Array.isArray(json) ? (json as readonly Json[]) : []
}
