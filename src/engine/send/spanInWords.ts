const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const

/** A length of time as people say it, in its two largest units: `3 days and 2 hours`, `11 seconds`. */
export function spanInWords(ms: number): string {
  const parts: string[] = []
  let leftMs = Math.round(ms / 1_000) * 1_000
  for (const [name, unitMs] of units) {
    const count = Math.floor(leftMs / unitMs)
    leftMs -= count * unitMs
    if (count > 0) parts.push(`${count} ${name}${count === 1 ? '' : 's'}`)
    // What comes two units below the first says nothing more.
    if (parts.length === 2 || (parts.length === 1 && count === 0)) break
  }
  return parts.length === 0 ? 'less than a second' : parts.join(' and ')
}
