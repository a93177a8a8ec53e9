import type { NameRow } from '../../core/account/keptNames.ts'
import type { AccountRecord } from '../../core/account/ownRecord.ts'
import type { Json, JsonObject, WireAction } from '../../core/protocol/action.ts'
import { isObject } from '../../core/protocol/fields.ts'
import type { Millis } from '../../core/values/millis.ts'
import { listOf } from '../stopRows.ts'
import type { Obeyed } from '../watch/latch.ts'
import { promisesJson, readPromises, textsOf } from './promiseMemory.ts'
import { readTwaps, twapsJson } from './twapMemory.ts'

export const snapshotName = 'engine'

/** What the engine remembers over a restart beside the records themselves. */
export interface EngineMemory {
  readonly risk: Json
  readonly account: AccountRecord
  readonly nonces: Json
  readonly latch: { readonly reason: string; readonly at: Millis } | null
  /** The last kill of the fleet that was obeyed. */
  readonly obeyed: Obeyed | null
  /** The highest nonce Guard itself has signed with. */
  readonly lastNonce: number
  /** What was spent of the venue's request weight in the minute before; the venue remembers it. */
  readonly weight: SpentWeight
  /** The venue's time as it was known, and the machine's at that moment; null while it was not. */
  readonly clock: Json
  /** The last record there was when this was written: it may be later than the snapshot's own. */
  readonly asOf: number
  /** What the Guard before this one had on record without an outcome, where this one took over. */
  readonly inherited?: readonly OpenIntent[]
}

/** An action that was on disk and has no outcome there. */
export interface OpenIntent {
  readonly of: number
  readonly index: number
  readonly at: Millis
  readonly action: WireAction
  /** By which epoch another Guard recorded it, in its own journal; missing: it is in this one. */
  readonly by?: number
}

interface SpentWeight {
  /** In each second before `at`, the last one first. */
  readonly history: readonly number[]
  /** Actions in each hour before `at`, the last one first. */
  readonly day: readonly number[]
  readonly at: Millis
}

export function writeMemory(memory: EngineMemory): JsonObject {
  return {
    version: 1,
    risk: memory.risk,
    account: accountJson(memory.account),
    nonces: memory.nonces,
    latch: latchJson(memory.latch),
    obeyed: obeyedJson(memory.obeyed),
    last_nonce: memory.lastNonce,
    weight: {
      history: [...memory.weight.history],
      day: [...memory.weight.day],
      at: memory.weight.at,
    },
    clock: memory.clock,
    as_of: memory.asOf,
    ...(memory.inherited === undefined
      ? {}
      : { inherited: memory.inherited.map((intent): JsonObject => ({ ...intent })) }),
  }
}

export function latchJson(latch: EngineMemory['latch']): Json {
  return latch === null ? null : { reason: latch.reason, at: latch.at }
}

export function obeyedJson(obeyed: Obeyed | null): Json {
  return obeyed === null ? null : { epoch: obeyed.epoch, at: obeyed.at }
}

function accountJson(record: AccountRecord): JsonObject {
  const { sizes, held, cloids, until, fills, promises } = record
  return {
    ...{ sizes, held: held ?? {}, cloids, until: until ?? -1, fills: fills ?? [] },
    names: record.names?.map((row) => [...row]) ?? [],
    promises: promises === undefined ? null : promisesJson(promises),
    twaps: twapsJson(record.twaps ?? []),
  }
}

/** Null for what this version did not write: the records alone then say what was. */
export function readMemory(json: Json): EngineMemory | null {
  if (!isObject(json) || json['version'] !== 1) return null
  const { risk, nonces } = json
  const lastNonce = json['last_nonce']
  const asOf = json['as_of']
  return {
    risk: risk ?? null,
    account: readRecord(json['account'] ?? null),
    nonces: nonces ?? null,
    latch: readLatch(json['latch'] ?? null),
    obeyed: readObeyed(json['obeyed'] ?? null),
    lastNonce: typeof lastNonce === 'number' ? lastNonce : 0,
    weight: readWeight(json['weight'] ?? null),
    clock: json['clock'] ?? null,
    asOf: typeof asOf === 'number' ? asOf : 0,
    inherited: readInherited(json['inherited']),
  }
}

function readInherited(json: Json | undefined): readonly OpenIntent[] {
  return listOf(json).flatMap((each) => {
    const { of, index, at, action, by } = isObject(each) ? each : {}
    if (typeof of !== 'number' || typeof index !== 'number' || typeof at !== 'number') return []
    if (typeof by !== 'number' || !isObject(action) || typeof action['type'] !== 'string') return []
    return [{ of, index, at: at as Millis, action: action as WireAction, by }]
  })
}

/** Snapshots of earlier versions do not tell it. */
function readWeight(json: Json): SpentWeight {
  const { history, day, at } = isObject(json) ? json : {}
  return {
    history: countsIn(history),
    day: countsIn(day),
    at: (typeof at === 'number' ? at : 0) as Millis,
  }
}

/** Counts, none below zero; what is no list is empty. */
export function countsIn(json: Json | undefined): readonly number[] {
  const counts: readonly Json[] = Array.isArray(json) ? json : []
  return counts.map((count) => (typeof count === 'number' && count > 0 ? count : 0))
}

function readRecord(json: Json): AccountRecord {
  const record = isObject(json) ? json : {}
  const { until } = record
  return {
    sizes: readSizes(record['sizes']),
    held: readSizes(record['held']),
    cloids: textsOf(record['cloids']),
    names: readNames(record['names']),
    until: typeof until === 'number' ? until : -1,
    fills: textsOf(record['fills']),
    promises: readPromises(record['promises']),
    twaps: readTwaps(record['twaps']),
  }
}

/** Rows as they were saved, whatever cannot be read left out. */
export function readNames(json: Json | undefined): readonly NameRow[] {
  return listOf(json).flatMap((row): readonly NameRow[] => {
    const [id, name, state] = listOf(row)
    const isRead = typeof id === 'string' && typeof name === 'string'
    return isRead && isNameState(state) ? [[id, name, state]] : []
  })
}

function isNameState(state: Json | undefined): state is NameRow[2] {
  return state === 'waiting' || state === 'current' || state === 'past'
}

function readSizes(json: Json | undefined): { readonly [coin: string]: string } {
  const sizes: Record<string, string> = {}
  for (const [coin, size] of Object.entries(isObject(json) ? json : {})) {
    if (typeof size === 'string') sizes[coin] = size
  }
  return sizes
}

export function readObeyed(json: Json): Obeyed | null {
  if (!isObject(json)) return null
  const { epoch, at } = json
  return typeof epoch === 'number' && typeof at === 'number' ? { epoch, at: at as Millis } : null
}

export function readLatch(json: Json): EngineMemory['latch'] {
  if (!isObject(json)) return null
  const { reason, at } = json
  return typeof reason === 'string' && typeof at === 'number' ? { reason, at: at as Millis } : null
}
