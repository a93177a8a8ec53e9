import { hash as digest } from 'node:crypto'
import type { EventBody, EventKind, GuardEvent, Internal } from '../core/events/guardEvent.ts'
import { proofPattern } from './chainKey.ts'
import type { ChainKey } from './chainKey.ts'
import type { Identity } from './identity.ts'

/** A record as it is on disk: the event, what only Guard may see, and its place in the chain. */
export interface StoredRecord {
  readonly seq: number
  readonly at_ms: number
  readonly event: GuardEvent
  readonly body: EventBody & Internal
  readonly prev: string
  readonly hash: string
}

/** The stored form: one line of JSON, sealed by its own hash and the hash of the line before. */

/** What can be told from a line without reading all of it; its hash has been checked. */
export interface Seal {
  readonly seq: number
  readonly atMs: number
  readonly kind: EventKind
  /** The last number that was on disk before this line was written. */
  readonly synced: number
  readonly prev: string
  readonly hash: string
  /** That its writer had the key; null for a record without. */
  readonly proof: string | null
}

/** What the first record holds as the hash before it: a journal cannot change its owner. */
export function genesis(identity: Identity): string {
  return digest('sha256', `guard-journal-1\n${identity.network}\n${identity.account}\n`)
}

/** The event as readers have it: numbered, and without what is internal. */
export function eventOf(seq: number, atMs: number, body: EventBody & Internal): GuardEvent {
  const event: { [name: string]: unknown } = { seq, at_ms: atMs, kind: body.kind }
  const fields = body as unknown as { readonly [name: string]: unknown }
  // Field by field: leaving one out of a spread costs more than writing the record.
  for (const name of Object.keys(fields)) {
    if (name === '_' || name === 'kind') continue
    if (reserved.has(name)) throw new TypeError(`an event must not have a field "${name}"`)
    event[name] = fields[name]
  }
  return event as unknown as GuardEvent
}

/** The record up to its seal; fixed once, so that later changes to the body cannot matter. */
export function openLine(event: GuardEvent, internal: Internal['_']): string {
  const text = JSON.stringify(event).slice(0, -1)
  return internal === undefined ? text : `${text},"_":${JSON.stringify(internal)}`
}

/** Closes what was opened into a line, newline included; `added` is how many bytes that made. */
export function seal(
  opened: string,
  synced: number,
  prev: string,
  key: ChainKey | null = null,
): { readonly line: string; readonly hash: string; readonly added: number } {
  const proof = key === null ? '' : `,"proof":"${key.prove('record', prev, opened)}"`
  const chain = `${proof},"synced":${String(synced)},"prev":"${prev}"`
  const sealed = opened + chain
  const hash = digest('sha256', sealed)
  return { line: `${sealed},"hash":"${hash}"}\n`, hash, added: chain.length + hashSuffix + 1 }
}

/** How many bytes sealing adds at most. */
export const sealBytesMax = 300

/** Checks a line, without its newline, against its own hash; null when it does not verify. */
export function readSeal(line: Buffer): Seal | null {
  if (line.length < hashSuffix || line[0] !== 0x7b) return null
  const tail = tailPattern.exec(line.toString('latin1', Math.max(0, line.length - tailBytes)))
  if (tail === null) return null
  const [, proof = null, synced = '', prev = '', hash = ''] = tail
  if (digest('sha256', line.subarray(0, line.length - hashSuffix)) !== hash) return null
  const head = headPattern.exec(line.toString('latin1', 0, headBytes))
  if (head === null) return null
  const [, seq = '', atMs = '', kind = ''] = head
  return {
    seq: Number(seq),
    atMs: Number(atMs),
    kind: kind as EventKind,
    synced: Number(synced),
    prev,
    hash,
    proof,
  }
}

/** Whether a line, whose seal was read, was written with this key. */
export function isProven(line: Buffer, { proof, prev }: Seal, key: ChainKey): boolean {
  const end = line.lastIndexOf(',"proof":"')
  return proof !== null && end > 0 && key.proves(proof, 'record', prev, line.subarray(0, end))
}

/** Reads a whole line, without its newline; null when it does not verify. */
export function readRecord(line: Buffer): StoredRecord | null {
  const sealed = readSeal(line)
  return sealed === null ? null : openRecord(line, sealed)
}

/** The record of a line whose seal was read. */
export function openRecord(line: Buffer, sealed: Seal): StoredRecord {
  const { _, proof, synced, prev, hash, ...event } = JSON.parse(line.toString('utf8')) as StoredLine
  const { seq, at_ms, ...body } = event
  return {
    seq: sealed.seq,
    at_ms: sealed.atMs,
    event: event as GuardEvent,
    body: (_ === undefined ? body : { ...body, _ }) as EventBody & Internal,
    prev: sealed.prev,
    hash: sealed.hash,
  }
}

/** The line as readers may have it, in the order it was written. */
export function publicText(line: Buffer): string {
  const { _, proof, synced, prev, hash, ...event } = JSON.parse(line.toString('utf8')) as StoredLine
  return JSON.stringify(event)
}

type StoredLine = { readonly seq: number; readonly at_ms: number } & Internal & {
    readonly proof?: string
    readonly synced: number
    readonly prev: string
    readonly hash: string
  }

const reserved: ReadonlySet<string> = new Set(['seq', 'at_ms', 'proof', 'synced', 'prev', 'hash'])
/** `,"hash":"` and 64 digits and `"}`. */
const hashSuffix = 75
const tailBytes = 300
const headBytes = 96
const tailPattern = new RegExp(
  `(?:,"proof":"(${proofPattern})")?,"synced":(\\d{1,16}),"prev":"([0-9a-f]{64})","hash":"([0-9a-f]{64})"\\}$`,
)
const headPattern = /^\{"seq":(-?\d{1,16}),"at_ms":(\d{1,16}),"kind":"([a-z_]{1,32})"/
