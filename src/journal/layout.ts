import { hash as digest } from 'node:crypto'
import type { Millis } from '../core/values/millis.ts'
import { utcDay } from '../core/values/millis.ts'

/** The names in a journal's directory, and the small files beside the segments. */
export const fileNames = {
  identity: 'journal.json',
  mark: 'durable',
  base: 'base.json',
  emergency: 'emergency.ndjson',
  index: 'index.sqlite',
} as const

/** Where a journal's emergency records are in a directory that several Guards may share. */
export function emergencyFolder(identity: {
  readonly account: string
  readonly network: string
}): string {
  return `guard-${identity.network}-${identity.account}`
}

/** Emergency records that have joined the journal, put aside beside it. */
export const archivePattern = /^emergency-\d{16}\.ndjson$/

/** A segment is named after its first record and the day it was begun. */
export interface SegmentName {
  readonly first: number
  readonly day: string
  readonly name: string
}

export function segmentName(first: number, at: Millis): SegmentName {
  const day = utcDay(at)
  return { first, day, name: `${String(first).padStart(16, '0')}-${day}.ndjson` }
}

/** The segments among some file names, in order. */
export function segmentNames(names: readonly string[]): readonly SegmentName[] {
  return names
    .flatMap((name) => {
      const match = segmentPattern.exec(name)
      if (match === null) return []
      return [{ first: Number(match[1]), day: match[2] ?? '', name }]
    })
    .sort((a, b) => a.first - b.first || (a.name < b.name ? -1 : 1))
}

/** The last durable point: rewritten in place after each sync, itself synced only on closing. */
export interface Mark {
  readonly seq: number
  readonly hash: string
  readonly segment: string
  /** The byte after the record's line. */
  readonly end: number
  /** That its writer had the key; missing where there is none. */
  readonly proof?: string
}

export function markText(mark: Mark): string {
  const { seq, hash, segment, end, proof } = mark
  const text = JSON.stringify({ seq, hash, segment, end, sum: markSum(mark), proof })
  return `${text.padEnd(markBytes - 1)}\n`
}

/** Null for a mark that is missing, torn or altered: then nothing is known of the durable point. */
export function parseMark(text: string): Mark | null {
  const read = parseObject(text)
  if (read === null) return null
  const { seq, hash, segment, end, sum, proof } = read
  if (typeof seq !== 'number' || typeof hash !== 'string') return null
  if (typeof segment !== 'string' || typeof end !== 'number') return null
  const mark = { seq, hash, segment, end, ...(typeof proof === 'string' ? { proof } : {}) }
  return sum === markSum(mark) ? mark : null
}

/** A JSON object, or null for any other text. */
export function parseObject(text: string): { readonly [key: string]: unknown } | null {
  try {
    const read: unknown = JSON.parse(text)
    return typeof read === 'object' && read !== null && !Array.isArray(read)
      ? (read as { readonly [key: string]: unknown })
      : null
  } catch {
    return null
  }
}

/** What a mark says, as its sum and its proof are made from it. */
export function markParts(mark: Mark): string {
  return `${mark.seq} ${mark.hash} ${mark.segment} ${mark.end}`
}

function markSum(mark: Mark): string {
  return digest('sha256', markParts(mark))
}

const segmentPattern = /^(\d{16})-(\d{4}-\d{2}-\d{2})\.ndjson$/
const markBytes = 384
