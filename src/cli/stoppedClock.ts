import { millis } from '../core/values/millis.ts'
import type { Millis } from '../core/values/millis.ts'
import type { Clock } from '../engine/ports.ts'
import { readMemory, snapshotName } from '../engine/start/engineMemory.ts'
import { VenueClock } from '../engine/venueClock.ts'
import type { OpenedJournal } from '../journal/opened.ts'

/**
 * What a command dates its records by: the venue's time as the last run of Guard knew it, and never
 * before the last record. The machine's clock may be hours away from both.
 */
export class StoppedClock implements Clock {
  private readonly venue: VenueClock
  private writtenAt = 0

  constructor(machine: Clock) {
    this.venue = new VenueClock(machine)
  }

  now(): Millis {
    return millis(Math.max(this.venue.now(), this.writtenAt))
  }

  monotonicMs(): number {
    return this.venue.monotonicMs()
  }

  async recall(opened: Pick<OpenedJournal, 'loadSnapshot' | 'reader'>): Promise<void> {
    const { reader } = opened
    const snapshot = await opened.loadSnapshot(snapshotName)
    const memory =
      snapshot === null || snapshot === 'unreadable' ? null : readMemory(snapshot.state)
    this.venue.recall(memory?.clock ?? null)
    this.writtenAt = reader.since(reader.lastSeq - 1)[0]?.at_ms ?? 0
  }
}
