import { hash as digest } from 'node:crypto'
import type { EventBody, EventKind, Internal } from '../core/events/guardEvent.ts'
import type { Json } from '../core/protocol/action.ts'
import type { Appended, Clock, Durable, Log, Timers } from '../engine/ports.ts'
import { within } from '../engine/within.ts'
import type { ChainKey } from './chainKey.ts'
import { mintDurable, mintInMemory } from './durable.ts'
import type { EmergencyLine, EmergencyPlace, WaitingLine } from './emergencyPlace.ts'
import { JournalError, causeText } from './journalError.ts'
import { mergeLines } from './mergeLines.ts'
import { eventOf, isProven, openLine, readRecord, readSeal, seal } from './record.ts'

/** A record of the emergency files: numbered -1, -2, ... and chained among themselves. */
export interface EmergencyRecord {
  readonly number: number
  readonly hash: string
  readonly prev: string
  readonly atMs: number
  readonly body: EventBody & Internal
  /** The record of the journal that this one is a copy of, should the journal have taken it. */
  readonly copyOf: CopyOf | null
}

/** A record of the journal by its number and the SHA-256 of what stands before its seal. */
export interface CopyOf {
  readonly seq: number
  readonly sum: string
}

interface EmergencyOptions {
  /** Beside the journal first, then any others. */
  readonly places: readonly [EmergencyPlace, ...EmergencyPlace[]]
  readonly clock: Clock
  readonly timers: Timers
  readonly log: Log
  readonly genesisHash: string
  /** Proves each record; null where there is none. */
  readonly key: ChainKey | null
  /** Whether what earlier runs left has to be proven by it. */
  readonly needsProof: boolean
  /** How long a record waits for a disk. */
  readonly waitMs: number
  /** How long a start waits for a place that is not beside the journal. */
  readonly openMs: number
  /** Of the records that wait for a disk memory holds at most so many bytes. */
  readonly bytesMax: number
  /** False once another process may write the files beside the journal. */
  readonly mayWrite: () => boolean
}

interface Held extends WaitingLine {
  /** On a disk, or in the journal. */
  readonly kept: () => void
}

/**
 * Where what lowers risk is recorded while the journal cannot, in every place at once: on disk as
 * soon as one has it. A disk that does not answer delays nobody for longer than the wait, and once
 * none is known to answer, nobody at all.
 */
export class Emergency {
  readonly #options: EmergencyOptions
  #places: readonly EmergencyPlace[]
  /** Everything not yet taken into the journal, oldest first. */
  #held: Held[] = []
  #heldBytes = 0
  #lost = 0
  #missing: string | null = null
  #last: { readonly number: number; readonly hash: string }

  constructor(options: EmergencyOptions) {
    this.#options = options
    this.#places = options.places
    this.#last = { number: 0, hash: options.genesisHash }
  }

  /** The oldest record that has not been taken into the journal yet. */
  get first(): EmergencyRecord | null {
    const line = this.#held[0]
    return line === undefined ? null : recordOf(line)
  }

  /** Every record that has not been taken into the journal yet, oldest first. */
  *records(): Generator<EmergencyRecord> {
    for (const line of [...this.#held]) yield recordOf(line)
  }

  /** Whether the files hold no line at all, taken in or not. */
  get isEmpty(): boolean {
    return this.#held.length === 0 && this.#places.every(({ isEmpty }) => isEmpty)
  }

  /** What a person should read about a place that cannot be used; null when there is none. */
  get trouble(): string | null {
    return this.#missing ?? this.#places.find(({ trouble }) => trouble !== null)?.trouble ?? null
  }

  /** How many records memory had no room for since this was last asked. */
  takeLost(): number {
    const lost = this.#lost
    this.#lost = 0
    return lost
  }

  /** Reads what earlier runs left in every place; one that is not beside the journal may be missing. */
  async open(): Promise<void> {
    const [beside, ...others] = this.#options.places
    const found = [await beside.open()]
    const usable = [beside]
    for (const place of others) {
      const opened = await within(this.#options.timers, place.open(), this.#options.openMs)
      if (opened.kind === 'done') {
        found.push(opened.value)
        usable.push(place)
      } else {
        const why = opened.kind === 'late' ? 'it does not answer' : causeText(opened.error)
        this.#missing = `${place.directory} cannot be used until the next start: ${why}`
        this.#options.log.log('error', `emergency records: ${this.#missing}`)
      }
    }
    this.#places = usable
    for (const line of found.reduce(mergeLines)) {
      this.#hold({ ...line, isTaken: false, ...nobodyWaits })
      this.#last = { number: Math.min(this.#last.number, line.number), hash: line.hash }
    }
  }

  /**
   * A record that anybody could have written might release a latch: none without a proof may join
   * the journal. Those that the journal has already do not matter.
   */
  refuseUnproven(): void {
    const { key, needsProof } = this.#options
    if (key === null || !needsProof) return
    for (const { number, bytes } of this.#held) {
      const line = bytes.subarray(0, -1)
      const sealed = readSeal(line)
      if (sealed !== null && isProven(line, sealed, key)) continue
      throw new JournalError('damaged', `emergency record ${number} was not written with this key`)
    }
  }

  /**
   * Resolves once a place has the line, or when no disk has taken it in time. `late` is its record
   * in the journal's queue, which may still reach the disk: then this one is a copy of it.
   */
  append(body: EventBody & Internal, synced: number, late: Appended | null): Appending {
    const line = this.#seal(body, synced, late)
    const { number } = line
    if (!this.#options.mayWrite()) {
      this.#tell('an emergency record is in the log alone', line)
      return { number, proof: Promise.resolve(mintInMemory(number, never)) }
    }
    if (this.#heldBytes + line.bytes.length > this.#options.bytesMax && !isVital(body.kind)) {
      this.#lost += 1
      this.#tell('an emergency record found no room in memory and is in the log alone', line)
      return { number, proof: Promise.resolve(mintInMemory(number, never)) }
    }
    this.#last = { number, hash: line.hash }
    return { number, proof: this.#wait(line) }
  }

  /** The record is in the journal now. */
  drop(number: number): void {
    const at = this.#held.findIndex((line) => line.number === number)
    const line = this.#held[at]
    if (line === undefined) return
    this.#held.splice(at, 1)
    this.#heldBytes -= line.bytes.length
    line.isTaken = true
    line.kept()
  }

  /** Begins the files anew where the journal has taken every record by itself. */
  clearIfDone(): void {
    if (this.#held.length === 0) for (const place of this.#places) place.clear()
  }

  close(): void {
    for (const place of this.#places) place.close()
  }

  /** Tries again to write what is only in memory; returns whether all of it is beside the journal. */
  async flush(): Promise<boolean> {
    const [beside, ...others] = this.#places
    for (const place of others) void place.flush()
    return (await beside?.flush()) === true
  }

  /** Every record has joined the journal: the files are kept under another name and begun anew. */
  async archive(lastSeq: number): Promise<void> {
    const [beside, ...others] = this.#places
    // Another disk than the journal's must not hold up the journal: it does so when it answers.
    for (const place of others) place.archive(lastSeq).catch(() => undefined)
    await beside?.archive(lastSeq)
  }

  #seal(body: EventBody & Internal, synced: number, late: Appended | null): EmergencyLine {
    const number = this.#last.number - 1
    const atMs = late?.event.at_ms ?? this.#options.clock.now()
    const copyOf = late === null ? null : { seq: late.seq, sum: sumOf(late.event, body._) }
    const internal = copyOf === null ? body._ : { ...body._, copy_of: copyOf }
    const opened = openLine(eventOf(number, atMs, body), internal)
    const { line, hash } = seal(opened, synced, this.#last.hash, this.#options.key)
    return { number, hash, atMs, bytes: Buffer.from(line) }
  }

  #wait(sealed: EmergencyLine): Promise<Durable> {
    const { timers, waitMs } = this.#options
    const { number } = sealed
    return new Promise((resolve) => {
      let kept = (): void => undefined
      const later = new Promise<void>((done) => (kept = done))
      const asked = new Set(this.#places)
      let isOver = false
      const settle = (onDisk: boolean): void => {
        if (onDisk) kept()
        if (isOver) return
        isOver = true
        cancel()
        if (!onDisk) this.#tell('an emergency record is only in memory', sealed)
        resolve(onDisk ? mintDurable(number, true) : mintInMemory(number, later))
      }
      const cancel = timers.after(waitMs, () => {
        for (const place of this.#places) place.giveUp()
        settle(false)
      })
      const isTaken = false
      const line: Held = { ...sealed, isTaken, kept, written: () => settle(true), failed: nothing }
      this.#hold(line)
      const areStuck = this.#places.every(({ isStuck }) => isStuck)
      for (const place of this.#places) {
        const failed = (): void => {
          asked.delete(place)
          if (asked.size === 0) settle(false)
        }
        place.append(this.#shared(line, failed))
      }
      if (areStuck) settle(false)
    })
  }

  /** The line as one place has it: whether it was taken is the same for all. */
  #shared(line: Held, failed: () => void): WaitingLine {
    return {
      ...line,
      failed,
      get isTaken() {
        return line.isTaken
      },
    }
  }

  #hold(line: Held): void {
    this.#held.push(line)
    this.#heldBytes += line.bytes.length
  }

  #tell(what: string, { bytes }: EmergencyLine): void {
    this.#options.log.log('error', what, { record: bytes.toString('utf8').trimEnd() })
  }
}

/** An emergency record on its way to the disks. */
interface Appending {
  readonly number: number
  readonly proof: Promise<Durable>
}

/** The SHA-256 of a journal's record up to its seal: what tells it from any other. */
export function sumOf(event: Appended['event'], internal: Internal['_']): string {
  return digest('sha256', openLine(event, internal))
}

function recordOf({ number, hash, atMs, bytes }: EmergencyLine): EmergencyRecord {
  const read = readRecord(bytes.subarray(0, -1))
  if (read === null) throw new Error(`emergency record ${number} cannot be read back`)
  const { _, ...event } = read.body
  const { copy_of: copy, ...internal } = _ ?? {}
  const body = (Object.keys(internal).length === 0 ? event : { ...event, _: internal }) as EventBody
  return { number, hash, prev: read.prev, atMs, body, copyOf: copyOfIn(copy) }
}

/** Under which number a record of the journal waited in the emergency files; null if it did not. */
export function joinedNumber({ _ }: EventBody & Internal): number | null {
  const emergency = _?.['emergency']
  if (typeof emergency !== 'object' || emergency === null || Array.isArray(emergency)) return null
  const { number } = emergency as { readonly [key: string]: Json }
  return typeof number === 'number' ? number : null
}

function copyOfIn(json: Json | undefined): CopyOf | null {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return null
  const { seq, sum } = json as { readonly [key: string]: Json }
  return typeof seq === 'number' && typeof sum === 'string' ? { seq, sum } : null
}

/** What a restart must know is kept whatever the bound: there are few of them. */
function isVital(kind: EventKind): boolean {
  return kind === 'kill' || kind === 'risk'
}

const nothing = (): void => undefined
const never = new Promise<void>(nothing)
const nobodyWaits = { kept: nothing, written: nothing, failed: nothing } as const
