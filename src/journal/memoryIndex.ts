import type { EventIndex, IndexFilter, IndexHead, IndexRow, Position } from './eventIndex.ts'
import { isDecisionOf, matchesFilter } from './indexRow.ts'

/** An index that lives as long as the process; for tests and for worlds without files. */
export class MemoryIndex implements EventIndex {
  #rows: IndexRow[] = []
  #byNonce = new Map<number, IndexRow[]>()
  #byDecision = new Map<number, IndexRow[]>()
  #head: IndexHead = { seq: 0, hash: '' }

  get head(): IndexHead {
    return this.#head
  }

  add(rows: readonly IndexRow[], head: IndexHead): void {
    for (const row of rows) {
      this.#rows.push(row)
      if (row.nonce !== null) push(this.#byNonce, row.nonce, row)
      if (row.decision !== null) push(this.#byDecision, row.decision, row)
    }
    this.#head = head
  }

  /** The number of the first row. */
  get #first(): number {
    return this.#rows[0]?.seq ?? 1
  }

  decision(nonce: number, client: string | null): Position | null {
    const rows = this.#byNonce.get(nonce) ?? []
    return rows.findLast((row) => isDecisionOf(row, nonce, client)) ?? null
  }

  sends(decision: number): readonly Position[] {
    return this.#byDecision.get(decision) ?? []
  }

  position(seq: number): Position | null {
    return this.#rows[seq - this.#first] ?? null
  }

  page(since: number, limit: number, filter: IndexFilter): readonly Position[] {
    const found: Position[] = []
    const from = Math.max(0, since + 1 - this.#first)
    for (let at = from; at < this.#rows.length && found.length < limit; at += 1) {
      const row = this.#rows[at]
      if (row !== undefined && matchesFilter(row, filter)) found.push(row)
    }
    return found
  }

  forget(upTo: number): void {
    const kept = this.#rows.filter(({ seq }) => seq > upTo)
    const head = this.#head
    this.clear()
    this.add(kept, head)
  }

  clear(): void {
    this.#rows = []
    this.#byNonce.clear()
    this.#byDecision.clear()
    this.#head = { seq: 0, hash: '' }
  }

  close(): void {
    this.clear()
  }
}

function push(map: Map<number, IndexRow[]>, key: number, row: IndexRow): void {
  const rows = map.get(key)
  if (rows === undefined) map.set(key, [row])
  else rows.push(row)
}
