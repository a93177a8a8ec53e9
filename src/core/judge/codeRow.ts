import type { Verdict } from '../events/guardEvent.ts'

/** Who says it: the judge, the request line around it, or a reply about a delivery. */
type ProducedBy = 'judge' | 'decode' | 'authenticate' | 'engine' | 'reply'

/** One reason code: when it is said, and what to do then. */
export interface CodeRow {
  readonly code: string
  /** Null where the code only appears in a reply. */
  readonly verdict: Verdict | null
  readonly by: ProducedBy
  readonly when: string
  readonly remedy: string
}
