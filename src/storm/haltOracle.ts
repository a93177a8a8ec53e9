import { dayMs } from '../core/values/millis.ts'
import { Violation } from './violation.ts'
import type { DiskRecord } from './watchedDisk.ts'

/** How far Guard's clock may be from the venue's where a day ends. */
const nearMs = 3_000

/** Follows the halts on disk: each ends by the venue's time, or by a person, and by nothing else. */
export class HaltOracle {
  /** The venue's time. */
  readonly #now: () => number
  #halt: { readonly state: string; readonly day: number } | null = null

  constructor(now: () => number) {
    this.#now = now
  }

  onDisk({ kind, state, at_ms: at, what }: DiskRecord): void {
    if (kind === 'reviewed' && what === 'stopped') this.#halt = null
    if (kind !== 'risk') return
    const now = this.#now()
    if (state === 'active') this.#checkIsOver(now)
    // A record may come to the disk long after it was made; a day once named stays.
    const day = dayOf(typeof at === 'number' ? Math.min(now, at) : now)
    const isSame = this.#halt !== null && this.#halt.state === state
    if (!isSame) this.#halt = state === 'active' ? null : { state: String(state), day }
  }

  #checkIsOver(now: number): void {
    if (this.#halt === null) return
    const { state, day } = this.#halt
    const isOver = state === 'halted_for_day' && dayOf(now + nearMs) > day
    if (!isOver) throw new Violation('halt_stays', `${state} since day ${day} has ended at ${now}`)
  }
}

const dayOf = (at: number): number => Math.floor(at / dayMs)
