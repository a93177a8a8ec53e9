import { err } from '../../../core/values/result.ts'
import type { Result } from '../../../core/values/result.ts'

interface Question<Told> {
  ask(): Promise<Result<Told>>
  /** Whether orders would go by other ids or sizes than they do now. */
  isOther(told: Told): boolean
  /** What orders go by, to tell two answers apart. */
  written(told: Told): string
}

/**
 * What the venue tells. Where that changes what orders go by it is asked once more, and both answers must
 * say the same: one that is wrong would send every stop and close to another perp.
 */
export async function toldTwice<Told>(question: Question<Told>): Promise<Result<Told>> {
  const first = await question.ask()
  if (!first.ok || !question.isOther(first.value)) return first
  const second = await question.ask()
  if (!second.ok || !question.isOther(second.value)) return second
  return question.written(first.value) === question.written(second.value)
    ? second
    : err('two answers in a row name different ids')
}
