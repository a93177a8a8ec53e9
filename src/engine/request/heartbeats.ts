import type { Address } from '../../core/values/address.ts'
import { limits } from '../../core/values/limits.ts'
import type { Reply, Via } from '../guard.ts'
import type { Observer } from '../observer.ts'
import type { Clock } from '../ports.ts'
import type { Recorder } from '../recorder.ts'
import type { Asker } from './authenticate.ts'
import { unjudgedBody } from './judgement.ts'

interface HeartbeatDeps {
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly recorder: Pick<Recorder, 'recordRefusal' | 'waitBriefly'>
  readonly observer: Pick<Observer, 'decided'>
}

interface Row {
  recordedAtMs: number
  unrecorded: number
}

const text = 'a sign of life; nothing is forwarded'

/** What a heartbeat would be answered, and is. */
export const heartbeat = { verdict: 'allow', code: 'heartbeat', text } as const

/** Answers `noop`, the venue's own action that does nothing: an unbroken row is one record a minute. */
export class Heartbeats {
  private readonly deps: HeartbeatDeps
  private readonly rows = new Map<Address, Row>()

  constructor(deps: HeartbeatDeps) {
    this.deps = deps
  }

  async answer(asker: Asker, via: Via): Promise<Reply> {
    const { recorder, observer } = this.deps
    const heartbeats = this.toRecord(asker.client)
    observer.decided(heartbeat.verdict, heartbeat.code, via)
    if (heartbeats !== null) {
      const body = unjudgedBody(asker, via, heartbeat.code, text)
      const appended = recorder.recordRefusal({ ...body, verdict: heartbeat.verdict, heartbeats })
      await recorder.waitBriefly(appended)
    }
    const { code, verdict } = heartbeat
    return {
      status: 200,
      body: { status: 'ok', response: { type: 'default' }, code, verdict },
    }
  }

  /** Anything else of a client ends its row: the next heartbeat is recorded at once. */
  end(client: Address | null): void {
    const row = client === null ? undefined : this.rows.get(client)
    if (row !== undefined) row.recordedAtMs = -Infinity
  }

  /** How many a record of this one stands for; null where it is only counted. */
  private toRecord(client: Address | null): number | null {
    if (client === null) return 1
    const now = this.deps.clock.monotonicMs()
    const row = this.rows.get(client) ?? { recordedAtMs: -Infinity, unrecorded: 0 }
    this.rows.set(client, row)
    row.unrecorded += 1
    if (now - row.recordedAtMs < limits.heartbeatRecordMs) return null
    const count = row.unrecorded
    row.recordedAtMs = now
    row.unrecorded = 0
    return count
  }
}
