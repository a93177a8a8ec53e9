import type { JsonObject } from '../core/protocol/action.ts'
import { limits } from '../core/values/limits.ts'
import type { Handover } from '../engine/fleetView.ts'
import type { Clock, Log } from '../engine/ports.ts'
import type { StoreSession } from './storeSession.ts'
import type { WriterKeeper } from './writerKeeper.ts'

interface TellerDeps {
  readonly handover: Handover
  /** What a standby compares itself with. */
  readonly setup: () => JsonObject
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly log: Log
}

const everyMs = 5_000

/**
 * Leaves with the store, every few seconds, what a next run would remember: a standby that takes over
 * begins with it, and with the records that were copied since.
 */
export class HandoverTeller {
  readonly #deps: TellerDeps
  #toldMs = -Infinity
  #isTooLarge = false

  constructor(deps: TellerDeps) {
    this.#deps = deps
  }

  /** Rejects as the session does. */
  async tell(session: StoreSession, writer: WriterKeeper, isLast = false): Promise<void> {
    const { handover, setup, clock, log } = this.#deps
    const nowMs = clock.monotonicMs()
    const whole = handover.whole()
    if (whole === null || (!isLast && nowMs - this.#toldMs < everyMs)) return
    this.#toldMs = nowMs
    const body = JSON.stringify({ ...whole, setup: setup() })
    if (Buffer.byteLength(body) <= limits.fleetHandoverBytesMax) {
      await writer.handOver(session, body)
      return
    }
    // A standby begins with the last that was small enough, and reads more records.
    if (!this.#isTooLarge) log.log('warn', 'what a standby would carry over is too large to keep')
    this.#isTooLarge = true
  }
}
