import type { Json } from '../../../src/core/protocol/action.ts'

const entriesMax = 20_000

/** One `/exchange` request as the control interface tells it. */
export interface LogEntry {
  readonly n: number
  readonly at_ms: number
  readonly via: 'http' | 'ws'
  signer: string | null
  user: string | null
  action: Json
  nonce: Json
  expiresAfter: Json
  vaultAddress: Json
  reply: Json
  fault: string | null
}

/** Every `/exchange` request received, the latest of them kept; `n` never starts over. */
export class RequestLog {
  readonly #entries: LogEntry[] = []
  #last = 0

  open(atMs: number, via: 'http' | 'ws'): LogEntry {
    const entry: LogEntry = {
      n: ++this.#last,
      at_ms: atMs,
      via,
      signer: null,
      user: null,
      action: null,
      nonce: null,
      expiresAfter: null,
      vaultAddress: null,
      reply: null,
      fault: null,
    }
    this.#entries.push(entry)
    if (this.#entries.length > entriesMax) this.#entries.splice(0, entriesMax / 2)
    return entry
  }

  since(n: number): Json {
    return this.#entries.filter((entry) => entry.n > n).map((entry) => ({ ...entry }))
  }

  clear(): void {
    this.#entries.length = 0
  }
}
