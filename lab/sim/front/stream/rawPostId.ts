const quote = '"'
const backslash = '\\'

/**
 * The text of the number under the top-level key `id`, exactly as it stands: ids have up to 64
 * bits, and a double would change them. Null when there is no whole number there. The text is
 * known to be JSON.
 */
export function rawPostId(text: string): string | null {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === quote) {
      const end = endOfString(text, at)
      if (depth === 1 && text.slice(at, end) === '"id"') {
        const found = /^\s*:\s*(\d{1,20})\s*[,}]/.exec(text.slice(end, end + valueMax))
        if (found !== null) return found[1] ?? null
      }
      at = end - 1
    } else if (char === '{' || char === '[') depth += 1
    else if (char === '}' || char === ']') depth -= 1
  }
  return null
}

/** Room for white space, a colon and twenty digits. */
const valueMax = 64

/** The place behind the closing quote. */
function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text[at] !== quote) at += text[at] === backslash ? 2 : 1
  return at + 1
}
