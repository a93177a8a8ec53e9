import type { AccountView } from '../../core/account/accountView.ts'
import type { Json } from '../../core/protocol/action.ts'
import { isObject } from '../../core/protocol/fields.ts'
import { Decimal } from '../../core/values/decimal.ts'
import { QuestionedView } from '../request/recordedView.ts'
import type { RecordedReads } from '../request/recordedView.ts'

/** The account as a decision saw it. A question that was not asked then has no answer now. */
export function replayedView(reads: RecordedReads): AccountView {
  return new QuestionedView(unreadable, <T>(question: string) => {
    const recorded = reads[question]
    if (recorded === undefined) throw new Error(`the record does not answer "${question}"`)
    return unmarked(recorded) as T
  })
}

/** Stands where the live account stood; every answer comes from the record. */
const unreadable = new Proxy({} as AccountView, {
  get: (_, name) => {
    throw new Error(`the record was asked for "${String(name)}" itself`)
  },
})

function unmarked(value: Json): unknown {
  if (Array.isArray(value)) return value.map((each: Json) => unmarked(each))
  if (!isObject(value)) return value
  const { $: decimal } = value
  if (typeof decimal === 'string') return Decimal.of(decimal)
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, unmarked(each)]))
}
