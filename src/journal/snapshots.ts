import { hash as digest } from 'node:crypto'
import { join } from 'node:path'
import type { Json } from '../core/protocol/action.ts'
import type { Log } from '../engine/ports.ts'
import type { Position } from './eventIndex.ts'
import { JournalError } from './journalError.ts'
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

  constructor(io: JournalIo, directory: string, store: RecordStore, log: Log) {
    this.#io = io
    this.#directory = directory
    this.#store = store
    this.#log = log
  }

  async save(name: string, anchor: Anchor, state: Json): Promise<void> {
    const { seq, segment, offset, length, hash } = anchor
    const text = JSON.stringify({ name, seq, hash, segment, offset, length, state })
    const bytes = Buffer.from(`${JSON.stringify({ sum: digest('sha256', text) })}\n${text}\n`)
    await replaceFile(this.#io, this.#directory, snapshotName(name), bytes)
  }

  /** The snapshot and the place of its record; one that is of no use, with a line in the log that says why. */
  async load(name: string): Promise<{ snapshot: Snapshot; at: Position } | 'unreadable' | null> {
    const path = join(this.#directory, snapshotName(name))
    const bytes = await readSmallFile(this.#io, path)
    if (bytes === null) return null
    const read = parseSnapshot(bytes.toString('utf8'), name)
    if (read === null) return this.#lose(name, 'it is damaged')
    const record = await this.#store.at(read.at)
    if (record?.hash !== read.hash) {
      return this.#lose(name, `the journal has another record ${read.at.seq}`)
    }
    return { snapshot: { seq: read.at.seq, state: read.state }, at: read.at }
  }

  #lose(name: string, why: string): 'unreadable' {
    this.#log.log('warn', `the snapshot "${name}" is not used: ${why}`)
    return 'unreadable'
  }
}

function snapshotName(name: string): string {
  if (!/^[a-z][a-z0-9_]{0,31}$/.test(name)) {
    throw new JournalError('invalid', `"${name}" is no name for a snapshot: a-z, 0-9, _`)
  }
  return `snapshot-${name}.json`
}

interface ReadSnapshot {
  readonly at: Position
  readonly hash: string
  readonly state: Json
}

function parseSnapshot(file: string, name: string): ReadSnapshot | null {
  const [head = '', text = ''] = file.split('\n')
  if (parseObject(head)?.['sum'] !== digest('sha256', text)) return null
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
  return { at, hash: String(read['hash']), state: read['state'] as Json }
}
