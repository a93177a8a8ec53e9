import type { Indexer } from './indexer.ts'
import { JournalError } from './journalError.ts'
import { LastFew } from './lastFew.ts'
import type { RecordStore } from './recordStore.ts'
import type { Anchor } from './snapshots.ts'

/** The hashes and places of the last records, which snapshots are bound to. */
export class Anchors {
  readonly #anchors: LastFew<Anchor>

  constructor(capacity: number) {
    this.#anchors = new LastFew(capacity)
  }

  add(anchor: Anchor): void {
    this.#anchors.add(anchor)
  }

  /** The anchor of any record on disk; an old one is read from there. */
  async of(seq: number, store: RecordStore, indexer: Indexer): Promise<Anchor> {
    const recent = this.#anchors.back((this.#anchors.back(0)?.seq ?? 0) - seq)
    if (recent !== undefined) return recent
    for await (const [line] of store.after(seq - 1, await indexer.position(seq))) {
      if (line?.seq !== seq) break
      const { segment, offset, length, seal } = line
      return { seq, segment, offset, length, hash: seal.hash }
    }
    throw new JournalError('invalid', `a snapshot needs a record on disk; ${seq} is not`)
  }
}
