import type { JsonObject } from '../../src/core/protocol/action.ts'
import type { Request, VenueRequest } from './oracle.ts'
import type { VirtualTime } from './virtualTime.ts'
import type { DiskRecord } from './watchedDisk.ts'

const linesMax = 20_000

/**
 * What happened, in a line each, for whoever has to understand a failing seed. A world that fails
 * untraced is run again with a trace: it is the same world.
 */
export class Trace {
  readonly #time: VirtualTime
  readonly #isKept: boolean
  readonly #lines: string[] = []

  constructor(time: VirtualTime, isKept: boolean) {
    this.#time = time
    this.#isKept = isKept
  }

  say(line: string | (() => string)): void {
    if (!this.#isKept) return
    if (this.#lines.length >= linesMax) this.#lines.splice(0, linesMax / 2)
    const text = typeof line === 'string' ? line : line()
    this.#lines.push(`${String(this.#time.elapsed).padStart(8)}  ${text.slice(0, 400)}`)
  }

  sent({ action, nonce }: VenueRequest, fault: string | null): void {
    this.say(
      () => `-> venue ${nonce} ${JSON.stringify(action)}${fault === null ? '' : ` [${fault}]`}`,
    )
  }

  answered({ id, answer }: Request): void {
    this.say(() => `bot ${id} <- ${JSON.stringify(answer?.body).slice(0, 200)}`)
  }

  record(record: DiskRecord): void {
    this.say(() => {
      const { seq, kind, ...fields } = record
      const shown: JsonObject = Object.fromEntries(
        Object.entries(fields).filter(([name]) => shownFields.has(name)),
      ) as JsonObject
      return `disk ${seq} ${kind} ${JSON.stringify(shown)}`
    })
  }

  get all(): readonly string[] {
    return this.#lines
  }
}

const shownFields = new Set([
  ...['code', 'state', 'actions', 'problems', 'reason', 'text', 'ok', 'decision', 'index', 'nonce'],
  ...['outcome', 'of', 'evidence', 'reply', 'coins', 'client', 'equity'],
])
