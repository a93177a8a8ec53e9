import { limits } from '../core/values/limits.ts'
import { shownText } from '../core/values/shownText.ts'

/** What a tool gives: one plain line of Guard's own words, and the same as data. */
export interface ToolAnswer<Output> {
  readonly text: string
  readonly data: Output
}

/** One line without anything that steers, and without anything that looks like a private key. */
export function plainLine(text: string): string {
  return shownText(text).replace(/(?:0x)?[0-9a-fA-F]{64}/g, '[64 hex digits]')
}

/** How many of something, in words: `1 order`, `2 orders`. */
export function counted(count: number, name: string): string {
  return `${String(count)} ${name}${count === 1 ? '' : 's'}`
}

/** A text that others chose, cut, for an `untrusted` object. */
export function quoted(text: string): string {
  return shownText(text, limits.agentUntrustedCharsMax).replace(
    /(?:0x)?[0-9a-fA-F]{64}/g,
    '[64 hex digits]',
  )
}

export function isFitting({ text, data }: ToolAnswer<unknown>, charsMax: number): boolean {
  return text.length + JSON.stringify(data).length <= charsMax
}

/**
 * Takes rows from the end of a list until the answer fits, and says how many were left out. The
 * largest risks come first, so that what is left out matters least.
 */
export function fitted<Row, Answer>(
  rows: readonly Row[],
  charsMax: number,
  make: (shown: readonly Row[], more: number) => ToolAnswer<Answer>,
): ToolAnswer<Answer> {
  for (let count = rows.length; ; count -= 1) {
    const answer = make(rows.slice(0, count), rows.length - count)
    if (isFitting(answer, charsMax) || count === 0) return answer
  }
}
