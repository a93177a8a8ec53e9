import type { Json } from '../../../src/core/protocol/action.ts'

const entriesMax = 20_000
/** Characters of JSON that are kept of everything together. */
const totalMax = 33_554_432
/** No action that the venue would take is as long; of a longer one only its length is kept. */
const actionMax = 131_072
const smallMax = 1_000
/** An answer of the control interface holds so many characters, and one entry at least. */
const pageMax = 8_388_608
/** What an entry takes beside what was sent. */
const entrySize = 300

/** One `/exchange` request as the control interface tells it. */
export interface LogEntry {
  readonly n: number
  readonly at_ms: number
  readonly via: 'http' | 'ws'
  signer: string | null
  user: string | null
  readonly action: Json
  readonly nonce: Json
  readonly expiresAfter: Json
  readonly vaultAddress: Json
  reply: Json
  fault: string | null
}

/** The parts of a request that the log keeps. */
type Sent = Pick<LogEntry, 'action' | 'nonce' | 'expiresAfter' | 'vaultAddress'>

/** Every `/exchange` request received, the latest of them kept; `n` never starts over. */
export class RequestLog {
  readonly #entries: LogEntry[] = []
  readonly #sizes = new Map<number, number>()
  #total = 0
  #last = 0

  open(atMs: number, via: 'http' | 'ws', sent: Sent): LogEntry {
    const kept = {
      action: keep(sent.action, actionMax),
      nonce: keep(sent.nonce, smallMax),
      expiresAfter: keep(sent.expiresAfter, smallMax),
      vaultAddress: keep(sent.vaultAddress, smallMax),
    }
    const { action, nonce, expiresAfter, vaultAddress } = kept
    const entry: LogEntry = {
      ...{ n: ++this.#last, at_ms: atMs, via, signer: null, user: null },
      ...{ action: action.json, nonce: nonce.json, expiresAfter: expiresAfter.json },
      ...{ vaultAddress: vaultAddress.json, reply: null, fault: null },
    }
    this.#entries.push(entry)
    this.#grow(
      entry,
      Object.values(kept).reduce((sum, { size }) => sum + size, entrySize),
    )
    return entry
  }

  /** What the request was answered with. */
  answered(entry: LogEntry, reply: Json): void {
    const kept = keep(reply, actionMax)
    entry.reply = kept.json
    if (this.#sizes.has(entry.n)) this.#grow(entry, kept.size)
  }

  /** Those after number `n`, the oldest first, as many as fit into one answer. */
  since(n: number): Json {
    const page: Json[] = []
    let size = 0
    for (const entry of this.#entries) {
      if (entry.n <= n) continue
      size += this.#sizes.get(entry.n) ?? 0
      if (page.length > 0 && size > pageMax) break
      page.push({ ...entry })
    }
    return page
  }

  clear(): void {
    this.#entries.length = 0
    this.#sizes.clear()
    this.#total = 0
  }

  #grow({ n }: LogEntry, size: number): void {
    this.#sizes.set(n, (this.#sizes.get(n) ?? 0) + size)
    this.#total += size
    if (this.#entries.length <= entriesMax && this.#total <= totalMax) return
    // A half goes at once, so that not every request has to move all the others.
    let gone = 0
    while (this.#entries.length - gone > entriesMax / 2 || this.#total > totalMax / 2) {
      const oldest = this.#entries[gone++]
      if (oldest === undefined) break
      this.#total -= this.#sizes.get(oldest.n) ?? 0
      this.#sizes.delete(oldest.n)
    }
    this.#entries.splice(0, gone)
  }
}

/** A copy, for a part of a text that was received holds all of it. */
function keep(json: Json, max: number): { readonly json: Json; readonly size: number } {
  const text = JSON.stringify(json)
  return text.length > max
    ? { json: { cut: true, length: text.length }, size: 0 }
    : { json: JSON.parse(text) as Json, size: text.length }
}
