import type { ChangeRecord } from '../events/guardEvent.ts'
import type { Decimal } from '../values/decimal.ts'

/** One thing Guard changed: the sentence, and the same for machines. */
export interface Change {
  readonly text: string
  readonly record: ChangeRecord
}

type Shown = Decimal | string | null

/** A change of one field by one rule. */
export function change(text: string, field: string, from: Shown, to: Shown, rule: string): Change {
  return { text, record: { field, from: shown(from), to: shown(to), rule } }
}

function shown(value: Shown): string | null {
  return value === null ? null : value.toString()
}
