import { millis } from '../../src/core/values/millis.ts'
import type { Clock, Timers } from '../../src/engine/ports.ts'
import type { JournalIo } from '../../src/journal/journalIo.ts'
import { nodeIo } from '../../src/journal/nodeIo.ts'
import { systemClock } from '../../src/system/systemClock.ts'
import { systemTimers } from '../../src/system/systemTimers.ts'

/** Timers that do nothing any more once their process is dead; `every` is told of repeated tasks. */
export function mortal(
  isDead: { readonly value: boolean },
  every: (ms: number, task: () => void) => void = () => undefined,
): Timers {
  const alive = (task: () => void) => () => {
    if (!isDead.value) task()
  }
  return {
    after: (ms, task) => systemTimers.after(ms, alive(task)),
    every: (ms, task) => {
      every(ms, alive(task))
      return systemTimers.every(ms, alive(task))
    },
  }
}

/** The clock of a machine, wrong by as much as a test says; its monotonic clock is nobody's to set. */
export class MachineClock implements Clock {
  /** How far it is ahead of the true time, which the venue goes by; behind it is negative. */
  aheadMs = 0
  /** Time that has passed for Guard beside the true time: whatever waits has waited so much longer. */
  passedMs = 0

  now() {
    return millis(systemClock.now() + this.aheadMs + this.passedMs)
  }

  monotonicMs(): number {
    return systemClock.monotonicMs() + this.passedMs
  }
}

/** What a test does to the disk under the journal's own segments. */
export class Disk {
  /** Every write fails as on a full disk. */
  breaks = false
  private held: Promise<void> | null = null

  /** Keeps every write from now on until it is let go. */
  hold(): () => void {
    let letGo = (): void => undefined
    this.held = new Promise((resolve) => (letGo = resolve))
    return () => {
      this.held = null
      letGo()
    }
  }

  /** Resolves once writes are not held. */
  async free(): Promise<void> {
    while (this.held !== null) await this.held
  }
}

/** A real disk whose segments can be made to fail; the emergency file has its own space. */
export function breakable(disk: Disk): JournalIo {
  const isSegment = (path: string): boolean => /\d{16}-[^/]*\.ndjson$/.test(path)
  const full = (): never => {
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  }
  return {
    ...nodeIo,
    open: async (path, mode) => {
      if (disk.breaks && isSegment(path) && mode === 'create') full()
      const file = await nodeIo.open(path, mode)
      return {
        isInPlace: () => file.isInPlace(),
        size: () => file.size(),
        read: (into, position) => file.read(into, position),
        write: async (bytes, position) => {
          if (isSegment(path)) await disk.free()
          return disk.breaks && isSegment(path) ? full() : await file.write(bytes, position)
        },
        sync: () => file.sync(),
        truncate: (size) => file.truncate(size),
        close: () => file.close(),
      }
    },
  }
}
