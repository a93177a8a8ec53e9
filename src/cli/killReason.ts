import { limits } from '../core/values/limits.ts'
import { refused } from './cliError.ts'

/** Counted as Guard counts them: an emoji is one, though JavaScript's `length` has it as two. */
const reasonPattern = new RegExp(
  `^[\\x20-\\x7e\\u00a0-\\u{10ffff}]{1,${limits.killReasonCharsMax}}$`,
  'u',
)

/** Checks a person's reason; the same words hold for kill, release and resume. */
export function checkedReason(reason: string | undefined): string {
  if (reason === undefined) {
    throw refused('a reason is needed: --reason "..."', ['it is recorded, 1 to 200 characters'])
  }
  const text = reason.trim()
  if (!reasonPattern.test(text)) {
    throw refused(`--reason must have 1 to ${limits.killReasonCharsMax} printable characters`)
  }
  return text
}
