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

  decision(nonce: number, client: string | null): Position | null {
    const rows = this.#byNonce.get(nonce) ?? []
    return rows.findLast((row) => isDecisionOf(row, nonce, client)) ?? null
  }

  sends(decision: number): readonly Position[] {
    return this.#byDecision.get(decision) ?? []
  }

  position(seq: number): Position | null {
    return this.#rows[seq - 1] ?? null
  }

  page(since: number, limit: number, filter: IndexFilter): readonly Position[] {
    const found: Position[] = []
    for (let seq = since + 1; seq <= this.#rows.length && found.length < limit; seq += 1) {
      const row = this.#rows[seq - 1]
      if (row !== undefined && matchesFilter(row, filter)) found.push(row)
    }
    return found
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
