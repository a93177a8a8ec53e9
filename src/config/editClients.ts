import type { Address } from '../core/values/address.ts'

/**
 * Adds and removes clients in the text of guard.toml: a person's comments and order stay as they
 * are, and only the lines of that client change.
 */

export function addClient(text: string, address: Address, name: string): string {
  const line = `"${address}" = { name = ${JSON.stringify(name)} }`
  const lines = text.replace(/\n*$/, '\n').split('\n')
  const header = lines.findIndex((each) => /^\s*\[clients\]\s*(#.*)?$/.test(each))
  if (header < 0) return `${lines.join('\n')}\n[clients]\n${line}\n`
  lines.splice(endOfTable(lines, header), 0, line)
  return lines.join('\n')
}

/** Removes the client's line and its `[client."0x.."]` section; null when it has no line. */
export function removeClient(text: string, address: Address): string | null {
  const lines = text.split('\n')
  const at = clientLine(lines, ownLine(address))
  if (at < 0) return null
  lines.splice(at, 1)
  const section = lines.findIndex((each) =>
    new RegExp(`^\\s*\\[client\\.["']${address}["']\\]`, 'i').test(each),
  )
  if (section >= 0) lines.splice(section, endOfTable(lines, section) - section)
  return lines.join('\n')
}

/** Where the line of a client begins in the text, behind its blanks; null when it has none. */
export function clientLineAt(text: string, address: Address): number | null {
  const lines = text.split('\n')
  const at = clientLine(lines, ownLine(address))
  if (at < 0) return null
  const blanks = /^\s*/.exec(lines[at] ?? '')?.[0].length ?? 0
  return lines.slice(0, at).reduce((sum, { length }) => sum + length + 1, 0) + blanks
}

function ownLine(address: Address): RegExp {
  return new RegExp(`^\\s*["']?${address}["']?\\s*=`, 'i')
}

function clientLine(lines: readonly string[], own: RegExp): number {
  const header = lines.findIndex((each) => /^\s*\[clients\]/.test(each))
  if (header < 0) return -1
  const end = endOfTable(lines, header)
  return lines.findIndex((each, index) => index > header && index < end && own.test(each))
}

/** The line after a table's last entry, before the blank lines that part it from the next. */
function endOfTable(lines: readonly string[], header: number): number {
  let end = header + 1
  while (end < lines.length && !/^\s*\[/.test(lines[end] ?? '')) end += 1
  while (end > header + 1 && (lines[end - 1] ?? '').trim() === '') end -= 1
  return end
}
