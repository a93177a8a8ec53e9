import type { ScheduleCancelAction } from '../protocol/action.ts'
import type { Decision } from './decision.ts'
import { passed } from './passed.ts'
import { vetoed } from './plan.ts'

/** A scheduled cancel takes the stops with it, so it may only be cleared. */
export function judgeSchedule(action: ScheduleCancelAction): Decision {
  if (action.time === null) return passed(action, [], 'cancel', 'the scheduled cancel is cleared')
  return vetoed({
    code: 'schedule_cancel',
    text: `a scheduled cancel at ${action.time} would cancel the stops too; it may only be cleared`,
  })
}
