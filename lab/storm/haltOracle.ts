import { dayMs } from '../../src/core/values/millis.ts'
import { Violation } from './violation.ts'
import type { DiskRecord } from './watchedDisk.ts'

/** How far Guard's clock may be from the venue's where a day ends. */
const nearMs = 3_000

/** Follows the halts on disk: each ends by the venue's time, or by a person, and by nothing else. */
export class HaltOracle {
  /** The venue's time. */
  readonly #now: () => number
  readonly #known = new Set<string>()
  #halt: { readonly state: string; readonly day: number; readonly at: number } | null = null

  constructor(now: () => number) {
    this.#now = now
  }

  onDisk({ kind, state, at_ms, what }: DiskRecord): void {
    if (kind === 'reviewed' && what === 'stopped') this.#halt = null
    if (kind !== 'risk') return
    const now = this.#now()
    const at = typeof at_ms === 'number' ? at_ms : now
    // One that was in the emergency file joins the journal later, under another number.
    const name = `${at} ${String(state)}`
    if (this.#known.has(name)) return
    this.#known.add(name)
    // A record may come to the disk long after it was made, and after later ones.
    if (this.#halt !== null && at < this.#halt.at) return
    if (state === 'active') this.#checkIsOver(now)
    if (this.#halt?.state === state) return
    const day = dayOf(Math.min(now, at))
    this.#halt = state === 'active' ? null : { state: String(state), day, at }
  }

  #checkIsOver(now: number): void {
    if (this.#halt === null) return
    const { state, day } = this.#halt
    const isOver = state === 'halted_for_day' && dayOf(now + nearMs) > day
    if (!isOver) throw new Violation('halt_stays', `${state} since day ${day} has ended at ${now}`)
  }
}

const dayOf = (at: number): number => Math.floor(at / dayMs)
