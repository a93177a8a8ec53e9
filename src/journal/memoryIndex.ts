import type { EventIndex, IndexFilter, IndexHead, IndexRow } from './eventIndex.ts'
import type { OrderDecision, Position } from './eventIndex.ts'
import { cameFrom, isDecisionOf, matchesFilter } from './indexRow.ts'

/** An index that lives as long as the process; for tests and for worlds without files. */
export class MemoryIndex implements EventIndex {
  #rows: IndexRow[] = []
  #byNonce = new Map<number, IndexRow[]>()
  #byDecision = new Map<number, IndexRow[]>()
  #byCloid = new Map<string, IndexRow>()
  #head: IndexHead = { seq: 0, hash: '' }

  get head(): IndexHead {
    return this.#head
  }

  add(rows: readonly IndexRow[], head: IndexHead): Promise<void> {
    for (const row of rows) {
      this.#rows.push(row)
      if (row.nonce !== null) push(this.#byNonce, row.nonce, row)
      if (row.decision !== null) push(this.#byDecision, row.decision, row)
      for (const cloid of row.cloids) {
        this.#byCloid.set(cloid, cameFrom(this.#byCloid.get(cloid) ?? null, row) ?? row)
      }
    }
    this.#head = head
    return Promise.resolve()
  }

  /** The number of the first row. */
  get #first(): number {
    return this.#rows[0]?.seq ?? 1
  }

  decision(nonce: number, client: string | null): Promise<Position | null> {
    const rows = this.#byNonce.get(nonce) ?? []
    const found = rows.findLast((row) => isDecisionOf(row, nonce, client))
    return Promise.resolve(found ?? null)
  }

  decisionOn(cloid: string): Promise<OrderDecision | null> {
    return Promise.resolve(this.#byCloid.get(cloid) ?? null)
  }

  sends(decision: number): Promise<readonly Position[]> {
    return Promise.resolve(this.#byDecision.get(decision) ?? [])
  }

  position(seq: number): Promise<Position | null> {
    return Promise.resolve(this.#rows[seq - this.#first] ?? null)
  }

  page(since: number, limit: number, filter: IndexFilter): Promise<readonly Position[]> {
    const found: Position[] = []
    const from = Math.max(0, since + 1 - this.#first)
    for (let at = from; at < this.#rows.length && found.length < limit; at += 1) {
      const row = this.#rows[at]
      if (row !== undefined && matchesFilter(row, filter)) found.push(row)
    }
    return Promise.resolve(found)
  }

  async forget(upTo: number): Promise<void> {
    const kept = this.#rows.filter(({ seq }) => seq > upTo)
    const head = this.#head
    const cleared = this.clear()
    await this.add(kept, head)
    await cleared
  }

  clear(): Promise<void> {
    this.#rows = []
    this.#byNonce.clear()
    this.#byDecision.clear()
    this.#byCloid.clear()
    this.#head = { seq: 0, hash: '' }
    return Promise.resolve()
  }

  close(): Promise<void> {
    return this.clear()
  }
}

function push(map: Map<number, IndexRow[]>, key: number, row: IndexRow): void {
  const rows = map.get(key)
  if (rows === undefined) map.set(key, [row])
  else rows.push(row)
}
