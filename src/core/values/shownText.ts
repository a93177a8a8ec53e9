import { limits } from './limits.ts'

/**
 * Texts that others chose, on their way to a terminal, an alert, a log or a page. What steers a
 * terminal, begins a line, turns the direction of reading or cannot be seen is shown as an escape, so
 * that nothing in such a text can look like Guard's own words.
 */
export function shownText(text: string, charsMax: number = limits.shownCharsMax): string {
  const cut = text.length <= charsMax ? text : `${text.slice(0, charsMax)}…`
  return cut.replace(unseen, escapeOf)
}

/** A name or a key that others chose, in quotation marks, so that it has a beginning and an end. */
export function quotedText(text: string, charsMax: number = limits.shownNameCharsMax): string {
  return `"${shownText(text.replace(/["\\]/g, '\\$&'), charsMax)}"`
}

/** The same for every text within a value; what is no text stays as it is. */
export function shownValue<T>(value: T): T {
  return deep(value) as T
}

/** JSON that means the same, and in which nothing steers a terminal or hides. */
export function shownJsonText(json: string): string {
  return json.replace(unseenInJson, (char) =>
    [...Array(char.length).keys()]
      .map((at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}

/** Addresses that a chat would make links of, told so that nobody can follow them by a touch. */
export function withoutLinks(text: string): string {
  return text
    .replace(/:\/\//g, '[:]//')
    .replace(
      /([\p{L}\p{N}_-])\.(?=(\p{L}{2,})(?![\p{L}\p{N}_]))/gu,
      (found, before: string, ...rest) =>
        ownEndings.has(String(rest[0])) ? found : `${before}[.]`,
    )
}

function deep(value: unknown): unknown {
  if (typeof value === 'string') return shownText(value)
  if (Array.isArray(value)) return value.map(deep)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      shownText(name, limits.shownNameCharsMax),
      deep(item),
    ]),
  )
}

function escapeOf(char: string): string {
  const known = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }[char]
  return known ?? `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`
}

/** Both ranges of control characters, marks of direction and other formats, line ends, half pairs. */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu
/** A line end between two JSON values is no part of a text. */
const unseenInJson = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu
/** Names of files that Guard's own texts mention. */
const ownEndings = new Set(['toml', 'ndjson', 'json', 'key', 'sqlite'])
