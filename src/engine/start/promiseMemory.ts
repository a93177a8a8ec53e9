import type { PromiseRecord } from '../../core/account/promises.ts'
import type { Json, JsonObject } from '../../core/protocol/action.ts'
import { isObject } from '../../core/protocol/fields.ts'
import type { Millis } from '../../core/values/millis.ts'
import {
  coveringJson,
  isPrice,
  listOf,
  ownStopJson,
  readCovering,
  readOwnStops,
} from '../stopRows.ts'

/** What was promised for positions, as JSON, and read back with whatever cannot be read left out. */

export function promisesJson({ plans, positions, own, covering }: PromiseRecord): JsonObject {
  return {
    ...(own === undefined ? {} : { own: own.map((stop) => [stop.at, ownStopJson(stop)]) }),
    ...(covering === undefined
      ? {}
      : { covering: covering.map((stop) => [stop.at, coveringJson(stop)]) }),
    plans: plans.map((plan) => [...plan]),
    positions: positions.map(({ coin, isLong, covers, lots }) => ({
      ...{ coin, long: isLong, covers: covers.map((cover) => [...cover]) },
      lots: lots.map((lot) => [...lot]),
    })),
  }
}

export function readPromises(json: Json | undefined): PromiseRecord {
  const { plans, positions, own, covering } = isObject(json) ? json : {}
  return {
    ...(own === undefined ? {} : { own: datedRows(own, readOwnStops) }),
    ...(covering === undefined ? {} : { covering: datedRows(covering, readCovering) }),
    plans: readPlans(plans),
    positions: listOf(positions).flatMap(readPosition),
  }
}

/** Rows with the time of the record that had each. */
function datedRows<T>(json: Json, read: (rows: Json, at: Millis) => readonly T[]): readonly T[] {
  return listOf(json).flatMap((each) => {
    const [at, row = null] = listOf(each)
    return typeof at === 'number' ? read([row], at as Millis) : []
  })
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

/** Records of an earlier version told the entries alone: id, coin, side, stop. */
export function earlierPlans(json: Json | undefined): PromiseRecord['plans'] {
  return readPlans(
    listOf(json).map((each) => {
      const [cloid, , , stop] = listOf(each)
      return [cloid ?? null, true, stop ?? null]
    }),
  )
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
