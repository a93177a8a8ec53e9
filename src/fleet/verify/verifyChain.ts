import type { Identity } from '../../journal/identity.ts'
import { genesis, readSeal } from '../../journal/record.ts'
import type { Seal } from '../../journal/record.ts'

/** A record as the store keeps it. */
export interface KeptRow {
  readonly seq: number
  readonly atMs: number
  readonly month: string
  readonly kind: string
  readonly hash: string
  readonly line: string
}

/** What is said of a chain elsewhere than in its own rows. */
export interface ChainWords {
  readonly identity: Identity
  /** Where the store said that its copy ends, before the rows were read. */
  readonly last: { readonly seq: number; readonly hash: string } | null
  /** Where the Guard says that its journal ends, and how much it was told is kept. */
  readonly head: { readonly seq: number; readonly hash: string } | null
  readonly copied: number | null
  /** Numbers that a journal had removed for their age before they could be copied. */
  readonly gaps: readonly { readonly after: number; readonly next: number }[]
  /** Records of months before this one, such as `2026-02`, were dropped on purpose; null: none were. */
  readonly keptFrom: string | null
}

type Damage = 'changed' | 'removed' | 'added' | 'cut_off'

export interface ChainFault {
  readonly what: Damage
  readonly seq: number
  readonly text: string
}

export interface ChainReport {
  readonly records: number
  readonly first: number | null
  readonly last: number | null
  readonly lastHash: string | null
  /** Numbers that are missing with a reason on record. */
  readonly missing: number
  /** Records that carry a proof by the Guard's key; whether it holds only that key can tell. */
  readonly proven: number
  readonly fault: ChainFault | null
}

/**
 * Walks one chain in the order of its numbers, row by row, and stops at the first thing that is wrong:
 * what comes behind it hangs on it. It holds one row at a time.
 */
export class ChainWalk {
  readonly #words: ChainWords
  #before: Seal | null = null
  #first: number | null = null
  #records = 0
  #missing = 0
  #proven = 0
  #fault: ChainFault | null = null

  constructor(words: ChainWords) {
    this.#words = words
  }

  get fault(): ChainFault | null {
    return this.#fault
  }

  get records(): number {
    return this.#records
  }

  take(row: KeptRow): void {
    if (this.#fault !== null) return
    const seal = readSeal(Buffer.from(row.line, 'utf8'))
    this.#fault = seal === null ? unsealed(row) : this.#check(row, seal)
    if (this.#fault !== null || seal === null) return
    this.#before = seal
    this.#first ??= seal.seq
    this.#records += 1
    if (seal.proof !== null) this.#proven += 1
  }

  /** Once every row was taken; `last`: where the store says by then that its copy ends. */
  end(last: ChainWords['last']): ChainReport {
    this.#fault ??= this.#checkEnd(last)
    return {
      ...{ records: this.#records, first: this.#first, last: this.#before?.seq ?? null },
      ...{ lastHash: this.#before?.hash ?? null, missing: this.#missing, proven: this.#proven },
      fault: this.#fault,
    }
  }

  #check(row: KeptRow, seal: Seal): ChainFault | null {
    const { seq } = row
    const month = new Date(seal.atMs).toISOString().slice(0, 7)
    const isItself =
      seal.seq === seq && seal.hash === row.hash && seal.kind === row.kind && seal.atMs === row.atMs
    if (!isItself || !row.month.startsWith(month)) {
      return fault('changed', seq, 'its columns are not what its line says')
    }
    return this.#checkPlace(seal) ?? this.#checkWords(seal)
  }

  /** Behind the one whose hash it names, or behind a hole that is on record. */
  #checkPlace({ seq, prev, proof, atMs }: Seal): ChainFault | null {
    const before = this.#before
    const after = before?.seq ?? 0
    if (seq <= after) return fault('added', seq, 'it is there twice')
    if (seq === after + 1) {
      const wanted = before?.hash ?? genesis(this.#words.identity)
      if (prev !== wanted) {
        return fault('changed', seq, `it follows another record than the one before it (${after})`)
      }
    } else if (!this.#isKnownHole(after, seq, atMs)) {
      const which = seq - after === 2 ? `${after + 1}` : `${after + 1} to ${seq - 1}`
      return fault('removed', after + 1, `missing: ${which}`)
    } else {
      this.#missing += seq - after - 1
    }
    if (before?.proof != null && proof === null) {
      return fault('added', seq, 'it has no proof by the Guard’s key, and those before it do')
    }
    return null
  }

  #isKnownHole(after: number, next: number, atMs: number): boolean {
    if (this.#words.gaps.some((gap) => gap.after === after && gap.next === next)) return true
    const { keptFrom } = this.#words
    const month = new Date(atMs).toISOString().slice(0, 7)
    return after === 0 && keptFrom !== null && month >= keptFrom
  }

  #checkWords({ seq, hash }: Seal): ChainFault | null {
    const { last, head } = this.#words
    if (last !== null && seq === last.seq && hash !== last.hash) {
      return fault('changed', seq, 'it is another one than the store has taken')
    }
    if (head !== null && seq === head.seq && hash !== head.hash) {
      return fault('changed', seq, 'the Guard’s own journal has another record of this number')
    }
    return null
  }

  #checkEnd(now: ChainWords['last']): ChainFault | null {
    const { last, copied, keptFrom } = this.#words
    const seq = this.#before?.seq ?? 0
    const taken = now?.seq ?? 0
    if (seq > taken) {
      return fault('added', taken + 1, `the store has taken ${taken} records of it, and no more`)
    }
    const isDropped = seq === 0 && keptFrom !== null
    const most = Math.max(last?.seq ?? 0, copied ?? 0)
    if (seq >= most || isDropped) return null
    const who = (last?.seq ?? 0) >= most ? 'the store has taken' : 'the Guard was told that it kept'
    return fault('cut_off', seq + 1, `${who} ${most} records, and it ends with ${seq}`)
  }
}

function unsealed({ seq }: KeptRow): ChainFault {
  return fault('changed', seq, 'it is not what its own hash says')
}

function fault(what: Damage, seq: number, text: string): ChainFault {
  return { what, seq, text }
}
