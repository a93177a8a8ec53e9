import { join } from 'node:path'
import type { EventBody, Internal } from '../core/events/guardEvent.ts'
import type { Json } from '../core/protocol/action.ts'
import { limits } from '../core/values/limits.ts'
import type { Appended, Durable, Journal, JournalHead, JournalStats } from '../engine/ports.ts'
import { within } from '../engine/within.ts'
import { readBase, removeBelow } from './base.ts'
import type { Base } from './base.ts'
import { joinedNumber } from './emergency.ts'
import { Holding } from './holding.ts'
import { JournalError, causeText } from './journalError.ts'
import type { JournalIo } from './journalIo.ts'
import { journalDefaults } from './journalDefaults.ts'
import { makeParts } from './journalParts.ts'
import type { JournalParts } from './journalParts.ts'
import { fileNames, parseObject } from './layout.ts'
import { readMark } from './markFile.ts'
import { moveTorn } from './moveTorn.ts'
import type { UnrecordedTear } from './moveTorn.ts'
import type { JournalOptions, OpenedJournal, Snapshot, TornTail } from './opened.ts'
import type { Identity } from './identity.ts'
import { prune } from './prune.ts'
import { eventOf, genesis } from './record.ts'
import { readSmallFile, replaceFile } from './segments.ts'
import { recordStanding, recordTear, takeIn, tried } from './startOnDisk.ts'
import { readTail } from './tail.ts'
import type { Standing } from './tailProof.ts'
import type { Tail } from './tail.ts'
import { writeAgain } from './writeAgain.ts'

/**
 * Opens the journal of a directory for this process alone, or makes it. Verifies its end, moves a
 * torn tail aside, takes in what an earlier run left in the emergency file. Throws `JournalError`
 * when another process has it, when it is another account's, or when it is damaged.
 */
export async function openJournal(options: JournalOptions): Promise<OpenedJournal> {
  const { io, directory, log } = options
  await io.makeDirectory(directory)
  const lock = await io.lock(directory)
  if (!lock.held) {
    throw new JournalError('locked', `${directory} is in use by ${lock.owner}`)
  }
  if (lock.stale !== null) log.log('warn', `a lock was left behind by ${lock.stale}`)
  const { timers, bounds, onLockLost } = options
  const everyMs = bounds?.lockMs ?? journalDefaults.lockMs
  const onLost = onLockLost ?? (() => undefined)
  const holding = new Holding({ directory, lock, timers, log, everyMs, onLost })
  try {
    return await openLocked(options, holding)
  } catch (error) {
    await holding.release()
    throw error
  }
}

async function openLocked(options: JournalOptions, holding: Holding): Promise<OpenedJournal> {
  const { io, directory, identity } = options
  await checkIdentity(io, directory, identity)
  const mark = await readMark(io, directory)
  const base = await readBase(io, directory, genesis(identity))
  await removeBelow(io, directory, base)
  const { key = null, isRekeying = false } = options
  const tail = await readTail(io, directory, base, mark, limits.eventsInMemory, key, isRekeying)
  const mendEnd = async (): Promise<UnrecordedTear | null> => {
    const found = await moveTorn(io, directory, tail)
    await writeAgain(io, directory, tail, mark)
    return found
  }
  const [tear, refusal] = await tried(mendEnd)
  const parts = await makeParts(options, tail, base, holding, refusal === null ? null : mendEnd)
  try {
    await parts.emergency.open()
    await parts.repair.forgetTaken(tail.records.map(({ record }) => record))
    parts.emergency.refuseUnproven()
    if (refusal !== null) parts.commit.breakOff(refusal)
    await takeIn(options, parts)
    if (tear !== null) await recordTear(options, parts, tail, tear)
    if (await parts.snapshots.proveAll()) await recordStanding(options, parts, tail)
    await parts.indexer.start()
  } catch (error) {
    await closeParts(parts)
    throw error
  }
  // What was taken in or recorded just now is counted as written.
  const opened = new Opened(options, parts, holding, tear, tail.found.standing)
  void opened.measure(tail)
  return opened
}

/** A journal is made for one account on one network; the first record's hash holds it to that. */
async function checkIdentity(io: JournalIo, directory: string, wanted: Identity): Promise<void> {
  const bytes = await readSmallFile(io, join(directory, fileNames.identity))
  if (bytes === null) {
    const { network, account } = wanted
    const text = `${JSON.stringify({ format: 1, network, account })}\n`
    await replaceFile(io, directory, fileNames.identity, Buffer.from(text))
    return
  }
  const found = parseObject(bytes.toString('utf8'))
  if (found === null) throw new JournalError('damaged', `${fileNames.identity} cannot be read`)
  for (const field of ['network', 'account'] as const) {
    if (found[field] !== wanted[field]) {
      const text = `its ${field} is ${String(found[field])}, not ${wanted[field]}`
      throw new JournalError('identity', `${directory} belongs to another ${field}: ${text}`)
    }
  }
  if (found['format'] !== 1) {
    throw new JournalError('identity', `format 1 was expected, ${String(found['format'])} found`)
  }
}

async function closeParts(parts: JournalParts): Promise<void> {
  parts.space.close()
  parts.repair.close()
  parts.emergency.close()
  await parts.commit.drain()
  parts.commit.close()
  await parts.mark.close()
  await parts.file.abandon()
  await parts.indexer.close()
}

class Opened implements OpenedJournal, Journal {
  readonly tornTail: TornTail | null
  readonly standing: Standing
  readonly #options: JournalOptions
  readonly #parts: JournalParts
  readonly #holding: Holding
  #bytesBefore = 0
  #closing: Promise<void> | null = null
  /** How far the snapshots reach that a start would use, by name. */
  readonly #snapshotSeqs = new Map<string, number>()
  /** Where the last loaded snapshot's record lies, so that replaying after it starts there. */
  #snapshotAt = new Map<number, { readonly segment: number; readonly offset: number }>()

  constructor(
    options: JournalOptions,
    parts: JournalParts,
    holding: Holding,
    tear: TornTail | null,
    standing: Standing,
  ) {
    this.standing = standing
    this.#options = options
    this.#parts = parts
    this.#holding = holding
    this.tornTail =
      tear === null ? null : { afterSeq: tear.afterSeq, bytes: tear.bytes, file: tear.file }
  }

  get journal(): Journal {
    return this
  }

  get reader() {
    return this.#parts.reader
  }

  get error(): string | null {
    return this.#parts.repair.error
  }

  get warning(): string | null {
    return this.#parts.emergency.trouble
  }

  get shortOfSpace(): string | null {
    return this.#parts.space.text
  }

  get lastSeq(): number {
    return this.#parts.commit.lastSeq
  }

  get head(): JournalHead {
    const { seq, hash } = this.#parts.commit.point
    return { seq, hash }
  }

  get stats(): JournalStats {
    const { commit, written } = this.#parts
    return {
      path: this.#options.directory,
      events: commit.point.seq,
      bytes: this.#bytesBefore + written.bytes,
      lastSyncMs: commit.lastSyncMs,
    }
  }

  append(body: EventBody & Internal, flush: 'now' | 'ride'): Appended {
    const { repair, commit, references } = this.#parts
    if (repair.error !== null) {
      throw new JournalError('disk', repair.error.replace(/^journal: /, ''))
    }
    return commit.append(references.resolveQueued(body), flush)
  }

  /** Through the journal while it works, whatever its queue; otherwise through the emergency files. */
  async appendEmergency(body: EventBody & Internal, late: Appended | null): Promise<Durable> {
    if (late !== null) return await this.#copy(body, late)
    const urgent = this.#urgent(body)
    if (urgent === null) return await this.#copy(body, null)
    const lateMs = this.#options.bounds?.lateMs ?? journalDefaults.lateMs
    const written = await within(this.#options.timers, urgent.durable, lateMs)
    if (written.kind === 'done') return written.value
    return await this.#copy(body, written.kind === 'late' ? urgent : null)
  }

  /** Queued, whatever waits already; null when the journal takes nothing. */
  #urgent(body: EventBody & Internal): Appended | null {
    const { commit, references } = this.#parts
    if (commit.broken !== null || this.#closing !== null) return null
    try {
      return commit.append(references.resolveQueued(body), 'urgent')
    } catch (error) {
      this.#options.log.log('warn', `a record goes to the emergency file: ${causeText(error)}`)
      return null
    }
  }

  /** Into the emergency files; the journal's own record of it makes it needless, if it comes. */
  #copy(body: EventBody & Internal, late: Appended | null): Promise<Durable> {
    const { commit, emergency, references } = this.#parts
    const { number, proof } = emergency.append(references.resolve(body), commit.point.seq, late)
    if (late !== null) {
      references.expect(number, late.seq)
      late.durable.then(
        () => {
          references.set(number, late.seq)
          emergency.drop(number)
          if (commit.broken === null) emergency.clearIfDone()
        },
        () => {
          references.forget(number)
        },
      )
    }
    return proof
  }

  /** Behind the journal's own records come those that wait for it in the emergency files. */
  async *replay(since = 0) {
    const hint = this.#snapshotAt.get(since)
    const { store, indexer, emergency } = this.#parts
    const position =
      hint === undefined ? await indexer.position(since) : { ...hint, seq: since, length: 0 }
    // Some may join the journal meanwhile, and are told of once.
    const waiting = new Map([...emergency.records()].map((each) => [each.number, each]))
    for await (const record of store.records(since, position)) {
      const joined = joinedNumber(record.body)
      if (joined !== null) waiting.delete(joined)
      yield record
    }
    for (const { number: seq, atMs, body, hash, prev } of waiting.values()) {
      yield { seq, at_ms: atMs, event: eventOf(seq, atMs, body), body, hash, prev }
    }
  }

  async *lines(since: number) {
    const { store, indexer } = this.#parts
    yield* store.after(since, await indexer.position(since))
  }

  async saveSnapshot(name: string, seq: number, state: Json): Promise<void> {
    const { anchors, store, indexer, snapshots, commit } = this.#parts
    if (seq < 1 || seq > commit.point.seq) {
      throw new JournalError('invalid', `a snapshot needs a record on disk; ${seq} is not`)
    }
    const lost = this.#holding.check()
    if (lost !== null) throw lost
    await snapshots.save(name, await anchors.of(seq, store, indexer), state)
    this.#snapshotSeqs.set(name, seq)
    await this.#prune()
  }

  /** What is too old goes, but nothing that a start would read: a snapshot reaches beyond it. */
  async #prune(): Promise<void> {
    const { io, directory, identity, clock, log, keepDays } = this.#options
    if (keepDays == null || this.#closing !== null) return
    const neededFrom = Math.min(...this.#snapshotSeqs.values())
    const onBase = (base: Base): void => {
      this.#parts.base.current = base
      void this.#parts.indexer.forget(base.seq)
      log.log('info', `records up to ${base.seq} are older than ${keepDays} days and are removed`)
    }
    const genesisHash = genesis(identity)
    try {
      await prune({
        ...{ io, directory, genesisHash, keepDays, neededFrom, onBase },
        now: clock.now(),
      })
    } catch (error) {
      log.log('warn', `old segments could not be removed: ${causeText(error)}`)
    }
  }

  async loadSnapshot(name: string): Promise<Snapshot | 'unreadable' | null> {
    const loaded = await this.#parts.snapshots.load(name)
    if (loaded === null || loaded === 'unreadable') {
      // Whoever asks for it needs every record until it is saved.
      this.#snapshotSeqs.set(name, 0)
      return loaded
    }
    const { seq, segment, offset } = loaded.at
    this.#snapshotAt.set(seq, { segment, offset })
    this.#snapshotSeqs.set(name, seq)
    return loaded.snapshot
  }

  indexed(): Promise<void> {
    return this.#parts.indexer.caughtUp()
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  /** Sums up the segments that were there before, for the figures only. */
  async measure({ segments, segment, end }: Tail): Promise<void> {
    const { io, directory, log } = this.#options
    this.#bytesBefore = end
    try {
      for (const { name } of segments.filter(({ first }) => first < (segment?.first ?? 0))) {
        const file = await io.open(join(directory, name), 'read')
        this.#bytesBefore += await file.size()
        await file.close()
      }
    } catch (error) {
      log.log('warn', `the journal's size is not known: ${causeText(error)}`)
    }
  }

  async #close(): Promise<void> {
    await closeParts(this.#parts)
    await this.#holding.release()
  }
}
