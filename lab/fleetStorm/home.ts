import { createHash } from 'node:crypto'
import type { JournalHead } from '../../src/engine/ports.ts'
import type { CopiedJournal } from '../../src/fleet/outbox.ts'

/** What is on one disk: a journal and the latch. It outlives every run. */
export class Home {
  readonly instance: string
  readonly hashes: string[] = []
  isLatched = false
  obeyed: { readonly epoch: number; readonly at: number } | null = null
  #copied: number | null = null

  constructor(instance: string) {
    this.instance = instance
  }

  append(text: string): void {
    const hash = createHash('sha256')
    this.hashes.push(hash.update(`${this.#last} ${this.instance} ${text}`).digest('hex'))
  }

  get #last(): string {
    return this.hashes.at(-1) ?? '00'.repeat(32)
  }

  /** The journal as a member of a fleet sees it. */
  get journal(): CopiedJournal & { readonly journal: { readonly head: JournalHead } } {
    const { hashes } = this
    const head = (): JournalHead => ({ seq: hashes.length, hash: this.#last })
    return {
      journal: {
        get head() {
          return head()
        },
      },
      reader: {
        get lastSeq() {
          return hashes.length
        },
      },
      lines: (since: number) => this.#lines(since),
      saveSnapshot: (_name: string, seq: number) => {
        this.#copied = seq
        return Promise.resolve()
      },
      loadSnapshot: () =>
        Promise.resolve(this.#copied === null ? null : { seq: this.#copied, state: {} }),
    } as unknown as CopiedJournal & { readonly journal: { readonly head: JournalHead } }
  }

  async *#lines(since: number): AsyncGenerator<readonly unknown[]> {
    const lines = this.hashes.slice(since).map((hash, index) => {
      const seq = since + index + 1
      const prev = this.hashes[seq - 2] ?? '00'.repeat(32)
      return { seal: { seq, atMs: 0, kind: 'decision', hash, prev }, bytes: Buffer.from('') }
    })
    if (lines.length > 0) yield await Promise.resolve(lines)
  }
}
