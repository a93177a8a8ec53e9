import { isDeepStrictEqual } from 'node:util'
import { parse } from 'smol-toml'
import type { TomlTable } from 'smol-toml'
import type { Address } from '../core/values/address.ts'
import { tomlLines } from './tomlLines.ts'

/**
 * Puts another address at `venue.api_wallet` in the text of guard.toml, and changes nothing else of
 * it: comments, order and every other value stay. A text without that key is returned as it is; null
 * where the key is written in a way that cannot be changed by its line alone.
 */
export function editApiWallet(text: string, wallet: Address): string | null {
  const before = parse(text)
  if (walletIn(before) === undefined) return text
  const lines = text.split('\n')
  const at = tomlLines(text).lineOf(['venue', 'api_wallet']) - 1
  lines[at] = (lines[at] ?? '').replace(valuePattern, `$1$2${wallet}$2`)
  const changed = lines.join('\n')
  return isOnlyChange(before, changed, wallet) ? changed : null
}

/** The key, and its value in either kind of quotes. */
const valuePattern = /(\bapi_wallet["']?\s*=\s*)(["'])0x[0-9a-f]{40}\2/i

/** Read as a whole, the new text differs from the old one by the address alone. */
function isOnlyChange(before: TomlTable, changed: string, wallet: Address): boolean {
  const after = parse(changed)
  if (walletIn(after) !== wallet) return false
  return isDeepStrictEqual(withWallet(before, wallet), withWallet(after, wallet))
}

function walletIn({ venue }: TomlTable): unknown {
  return isTable(venue) ? venue['api_wallet'] : undefined
}

function withWallet(table: TomlTable, wallet: Address): object {
  const { venue } = table
  return { ...table, venue: { ...(isTable(venue) ? venue : {}), api_wallet: wallet } }
}

function isTable(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
