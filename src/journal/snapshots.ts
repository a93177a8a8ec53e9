import { hash as digest } from 'node:crypto'
import { join } from 'node:path'
import type { Json } from '../core/protocol/action.ts'
import type { Log } from '../engine/ports.ts'
import type { ChainKey } from './chainKey.ts'
import type { Position } from './eventIndex.ts'
import { JournalError, causeText } from './journalError.ts'
import type { JournalIo } from './journalIo.ts'
import { parseObject } from './layout.ts'
import type { Snapshot } from './opened.ts'
import type { RecordStore } from './recordStore.ts'
import { readSmallFile, replaceFile } from './segments.ts'

/** A record's hash and place, which a snapshot is bound to. */
export interface Anchor extends Position {
  readonly hash: string
}

/**
 * State derived from the journal, kept so that a start need not read it all. A snapshot names the
 * record it reaches to by number, place and hash; if the journal does not hold that record there,
 * the snapshot loses.
 */
export class Snapshots {
  readonly #io: JournalIo
  readonly #directory: string
  readonly #store: RecordStore
  readonly #log: Log

  readonly #proof: SnapshotProof

  constructor(
    io: JournalIo,
    directory: string,
    store: RecordStore,
    log: Log,
    proof: SnapshotProof = { key: null, isNeeded: false },
  ) {
    this.#io = io
    this.#directory = directory
    this.#store = store
    this.#log = log
    this.#proof = proof
  }

  async save(name: string, anchor: Anchor, state: Json): Promise<void> {
    const { seq, segment, offset, length, hash } = anchor
    const text = JSON.stringify({ name, seq, hash, segment, offset, length, state })
    await replaceFile(this.#io, this.#directory, snapshotName(name), this.#fileOf(text))
  }

  /** The snapshot and the place of its record; one that is of no use, with a line in the log that says why. */
  async load(name: string): Promise<{ snapshot: Snapshot; at: Position } | 'unreadable' | null> {
    const path = join(this.#directory, snapshotName(name))
    const bytes = await readSmallFile(this.#io, path)
    if (bytes === null) return null
    const read = parseSnapshot(bytes.toString('utf8'), name)
    if (read === null) return this.#lose(name, 'it is damaged')
    if (!this.#isProven(read)) return this.#lose(name, 'it was not written with this key')
    const record = await this.#store.at(read.at)
    if (record?.hash !== read.hash) {
      return this.#lose(name, `the journal has another record ${read.at.seq}`)
    }
    return { snapshot: { seq: read.at.seq, state: read.state }, at: read.at }
  }

  /**
   * A start that gives the journal its key, or another one, takes the snapshots as they are, and
   * proves them by that key: the next start would not read them otherwise. False where the disk
   * did not take one: that is no reason not to start, and the next start tries again.
   */
  async proveAll(): Promise<boolean> {
    const { key, isNeeded } = this.#proof
    if (key === null || isNeeded) return true
    try {
      await this.#proveBy(key)
      return true
    } catch (error) {
      this.#log.log('error', `the snapshots are not proven by the new key: ${causeText(error)}`)
      return false
    }
  }

  async #proveBy(key: ChainKey): Promise<void> {
    for (const file of await this.#io.list(this.#directory)) {
      const name = snapshotPattern.exec(file)?.[1]
      if (name === undefined) continue
      const bytes = await readSmallFile(this.#io, join(this.#directory, file))
      const read = bytes === null ? null : parseSnapshot(bytes.toString('utf8'), name)
      if (read === null || key.proves(read.proof ?? '', 'snapshot', read.text)) continue
      await replaceFile(this.#io, this.#directory, file, this.#fileOf(read.text))
    }
  }

  #fileOf(text: string): Buffer {
    const proof = this.#proof.key?.prove('snapshot', text)
    const head = JSON.stringify({ sum: digest('sha256', text), proof })
    return Buffer.from(`${head}\n${text}\n`)
  }

  /** What a snapshot says of latches and halts counts as much as the records. */
  #isProven({ proof, text }: ReadSnapshot): boolean {
    const { key, isNeeded } = this.#proof
    if (key === null || !isNeeded) return true
    return proof !== null && key.proves(proof, 'snapshot', text)
  }

  #lose(name: string, why: string): 'unreadable' {
    this.#log.log('warn', `the snapshot "${name}" is not used: ${why}`)
    return 'unreadable'
  }
}

const snapshotPattern = /^snapshot-([a-z][a-z0-9_]{0,31})\.json$/

function snapshotName(name: string): string {
  if (!/^[a-z][a-z0-9_]{0,31}$/.test(name)) {
    throw new JournalError('invalid', `"${name}" is no name for a snapshot: a-z, 0-9, _`)
  }
  return `snapshot-${name}.json`
}

/** The key that proves snapshots, and whether one without such a proof is of no use. */
interface SnapshotProof {
  readonly key: ChainKey | null
  readonly isNeeded: boolean
}

interface ReadSnapshot {
  readonly text: string
  readonly proof: string | null
  readonly at: Position
  readonly hash: string
  readonly state: Json
}

function parseSnapshot(file: string, name: string): ReadSnapshot | null {
  const [head = '', text = ''] = file.split('\n')
  const { sum, proof } = parseObject(head) ?? {}
  if (sum !== digest('sha256', text)) return null
  const read = parseObject(text)
  if (read?.['name'] !== name) return null
  const { seq, segment, offset, length } = read as { readonly [key: string]: number }
  const at = {
    seq: Number(seq),
    segment: Number(segment),
    offset: Number(offset),
    length: Number(length),
  }
  if (!Object.values(at).every(Number.isSafeInteger)) return null
  const hash = String(read['hash'])
  const given = typeof proof === 'string' ? proof : null
  return { at, hash, state: read['state'] as Json, text, proof: given }
}
