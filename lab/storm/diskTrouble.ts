import type { DiskFault, DiskOp, FakeDisk, FakeDiskOptions } from '../fakes/fakeDisk.ts'
import type { Chance } from './chance.ts'
import type { DiskFaultKind } from './faultKinds.ts'
import { secondDirectory } from './guardProcess.ts'
import type { VirtualTime } from './virtualTime.ts'

interface Trouble {
  readonly kind: DiskFaultKind
  readonly untilMs: number
  left: number
}

/** What is wrong with the fake disk, and until when. */
export class DiskTrouble {
  readonly #time: VirtualTime
  readonly #chance: Chance
  #troubles: Trouble[] = []
  #crashIn: { ops: number; readonly when: 'crash_before' | 'crash_after' } | null = null
  #hangs = false
  /** Whether the disks have been full at any time; what was written then may have found no room. */
  wasFull = false

  constructor(time: VirtualTime, chance: Chance) {
    this.#time = time
    this.#chance = chance
  }

  get isCalm(): boolean {
    return this.#troubles.length === 0 && this.#crashIn === null && !this.#hangs
  }

  options(): FakeDiskOptions {
    const syncMs = this.#chance.pick([0, 1, 3])
    return {
      plan: (op) => this.#fault(op),
      latency: {
        timers: {
          after: (ms, task) => {
            if (ms === 0) task()
            else this.#time.after(ms, task)
            return () => undefined
          },
          every: () => () => undefined,
        },
        ms: (op) => this.#delay(op, syncMs),
      },
    }
  }

  arm(disk: FakeDisk, kind: DiskFaultKind, count: number, forMs: number): void {
    const untilMs = this.#time.elapsed + forMs
    const trouble = { kind, untilMs, left: kind === 'disk_slow' ? Infinity : count }
    this.#troubles.push(trouble)
    if (kind === 'disk_full') {
      disk.capacityBytes = 0
      this.wasFull = true
    }
    if (kind === 'disk_hangs') this.#hangs = true
    this.#time.after(forMs, () => {
      this.#troubles = this.#troubles.filter((each) => each !== trouble)
      if (kind === 'disk_full') disk.capacityBytes = Infinity
      if (kind !== 'disk_hangs') return
      this.#hangs = false
      disk.release()
    })
  }

  /** The process stops at the disk operation this many further on. */
  crashAfter(ops: number, when: 'crash_before' | 'crash_after'): void {
    this.#crashIn = { ops, when }
  }

  heal(disk: FakeDisk): void {
    this.#troubles = []
    this.#crashIn = null
    this.#hangs = false
    disk.capacityBytes = Infinity
    disk.release()
  }

  #delay(op: DiskOp, syncMs: number): number {
    const isSlow = !isSecond(op) && this.#troubles.some(({ kind }) => kind === 'disk_slow')
    if (isSlow && (op.kind === 'sync' || op.kind === 'write')) return this.#chance.whole(50, 1_200)
    return op.kind === 'sync' ? syncMs : 0
  }

  #fault(op: DiskOp): DiskFault | null {
    if (this.#crashIn !== null) {
      this.#crashIn.ops -= 1
      if (this.#crashIn.ops <= 0) {
        const { when } = this.#crashIn
        this.#crashIn = null
        return { kind: when }
      }
    }
    if (isSecond(op)) return null
    if (this.#hangs && (op.kind === 'sync' || op.kind === 'write')) return { kind: 'hang' }
    for (const trouble of this.#troubles) {
      const fault = trouble.left > 0 ? faultFor(trouble.kind, op) : null
      if (fault === null) continue
      trouble.left -= 1
      return fault
    }
    return null
  }
}

/** The second disk is another one: it works while the first does not. */
function isSecond({ path }: DiskOp): boolean {
  return path.startsWith(`${secondDirectory}/`)
}

function faultFor(kind: DiskFaultKind, op: DiskOp): DiskFault | null {
  if (kind === 'write_error' && op.kind === 'write') return { kind: 'error', code: 'EIO' }
  if (kind === 'sync_error' && op.kind === 'sync') return { kind: 'error', code: 'EIO' }
  if (kind === 'short_write' && op.kind === 'write' && op.bytes > 1) {
    return { kind: 'short', bytes: Math.ceil(op.bytes / 3) }
  }
  if (kind === 'open_error' && op.kind === 'open') return { kind: 'error', code: 'EMFILE' }
  if (kind === 'rename_error' && op.kind === 'rename') return { kind: 'error', code: 'EIO' }
  return null
}
