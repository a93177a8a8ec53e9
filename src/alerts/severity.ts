/** How loudly a person is told: `critical` at any hour, `warning` and `info` not in quiet hours. */
export type Severity = 'critical' | 'warning' | 'info'

/** What is said to people of one kind of alert. */
export interface KindFacts {
  readonly severity: Severity | 'off'
  readonly title: string
  /** What is said when it is over; only for what lasts. */
  readonly over?: string
  /** It has to last this long before a person is told. */
  readonly afterMs?: number
  /** What a person does about it; null when there is nothing to do. */
  readonly advice: string | null
}

const ranks = { critical: 3, warning: 2, info: 1, off: 0 } as const

export function rankOf(severity: Severity | 'off'): number {
  return ranks[severity]
}
