import type { Json, JsonObject } from '../core/protocol/action.ts'
import type { Request } from './oracle.ts'
import type { VirtualTime } from './virtualTime.ts'
import type { DiskRecord } from './watchedDisk.ts'

const linesMax = 20_000

/** What happened, in a line each, for whoever has to understand a failing seed. */
export class Trace {
  readonly #time: VirtualTime
  readonly #lines: string[] = []

  constructor(time: VirtualTime) {
    this.#time = time
  }

  say(text: string): void {
    if (this.#lines.length >= linesMax) this.#lines.splice(0, linesMax / 2)
    this.#lines.push(`${String(this.#time.elapsed).padStart(8)}  ${text.slice(0, 400)}`)
  }

  sent(body: string, fault: string | null): void {
    const { action, nonce } = JSON.parse(body) as { action: Json; nonce: number }
    this.say(`-> venue ${nonce} ${JSON.stringify(action)}${fault === null ? '' : ` [${fault}]`}`)
  }

  answered({ id, answer }: Request): void {
    this.say(`bot ${id} <- ${JSON.stringify(answer?.body).slice(0, 200)}`)
  }

  record(record: DiskRecord): void {
    const { seq, kind, ...fields } = record
    const shown: JsonObject = Object.fromEntries(
      Object.entries(fields).filter(([name]) => shownFields.has(name)),
    ) as JsonObject
    this.say(`disk ${seq} ${kind} ${JSON.stringify(shown)}`)
  }

  last(count: number): readonly string[] {
    return this.#lines.slice(-count)
  }

  get all(): readonly string[] {
    return this.#lines
  }
}

const shownFields = new Set([
  ...['code', 'state', 'actions', 'problems', 'reason', 'text', 'ok', 'decision', 'index', 'nonce'],
  ...['outcome', 'of', 'evidence', 'reply', 'coins', 'client', 'equity'],
])
