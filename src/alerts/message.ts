import type { Severity } from './severity.ts'

/** What a channel is given: a title for the lock screen and a few lines. */
export interface Message {
  /** The same for the same content, so that a receiver can drop a second copy. */
  readonly id: string
  readonly severity: Severity
  /** Delivered without a sound: it only says that something is over, or is not urgent. */
  readonly isSilent: boolean
  readonly title: string
  readonly body: string
  readonly at: number
  /** For programs: what the lines were made of. */
  readonly lines: readonly MessageLine[]
}

interface MessageLine {
  readonly kind: string
  readonly severity: Severity
  readonly phase: 'happened' | 'began' | 'still' | 'over' | 'was'
  readonly text: string
  readonly count: number
  readonly first_at_ms: number
  readonly last_at_ms: number
}
