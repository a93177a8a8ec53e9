import type { Json } from '../../../../src/core/protocol/action.ts'
import { isObject } from '../exchange/schema.ts'

/** What a frame about several dexes tells of one of them, for faults that meet a single dex. */

/** The dex of a coin's name; the main one has an empty name. */
export function dexIn(coin: Json | undefined): string {
  if (typeof coin !== 'string') return ''
  const at = coin.indexOf(':')
  return at < 0 ? '' : coin.slice(0, at)
}

/** The state of one dex in a frame of all; null where it is none, or has no such dex. */
export function partOf(data: Json, dex: string): Json {
  const found = partsOf(data)?.find(([name]) => name === dex)
  return found === undefined ? null : found[1]
}

/** The frame with this in the place of what it tells of one dex. */
export function withPart(data: Json, dex: string, part: Json): Json {
  const parts = partsOf(data)
  if (parts === null) return data
  const clearinghouseStates = parts.map(([name, state]) => [name, name === dex ? part : state])
  return { ...(data as object), clearinghouseStates }
}

/** The frame without its rows of these dexes; null where nothing else is in it. */
export function withoutRows(data: Json, dexes: readonly string[]): Json {
  if (dexes.length === 0) return data
  const keep = (rows: readonly Json[]): readonly Json[] =>
    rows.filter((row) => !dexes.includes(dexOfRow(row)))
  if (Array.isArray(data)) return data.length === 0 ? data : orNull(keep(data as readonly Json[]))
  if (!isObject(data)) return data
  for (const list of ['fills', 'twapSliceFills', 'orderHistory', 'history'] as const) {
    const rows = data[list]
    if (!Array.isArray(rows) || rows.length === 0) continue
    const kept = keep(rows as readonly Json[])
    return kept.length === 0 ? null : { ...data, [list]: kept }
  }
  return data
}

function orNull(rows: readonly Json[]): Json {
  return rows.length === 0 ? null : rows
}

function partsOf(data: Json): readonly [string, Json][] | null {
  const parts = isObject(data) ? data['clearinghouseStates'] : undefined
  return Array.isArray(parts) ? (parts as [string, Json][]) : null
}

function dexOfRow(row: Json): string {
  if (!isObject(row)) return ''
  const inner = [row['order'], row['fill'], row['state']].find((each) => isObject(each))
  const { coin } = isObject(inner) ? inner : row
  return dexIn(coin)
}
