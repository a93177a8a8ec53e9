import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { limits } from '../core/values/limits.ts'
import { isSameGuard, readRow } from './ledgerRow.ts'
import type { GuardKey, LedgerRow } from './ledgerRow.ts'

/**
 * Every Guard that this host has had, one file each beside the ledger: who is broken or removed with
 * the ledger must still be found when all are to be latched.
 */
const folder = 'guards'

/** Writes down who this Guard is and where it listens; what is there is replaced in one step. */
export async function noteGuard(directory: string, row: LedgerRow): Promise<void> {
  const path = join(directory, folder)
  await mkdir(path, { recursive: true, mode: 0o700 })
  const file = join(path, `${nameOf(row)}.json`)
  const draft = `${file}.${String(row.pid)}`
  await writeFile(draft, `${JSON.stringify(row)}\n`, { mode: 0o600 })
  await rename(draft, file)
}

/** The Guards that were written down; what cannot be read is left out. */
export async function notedGuards(directory: string): Promise<readonly LedgerRow[]> {
  const path = join(directory, folder)
  const names = await readdir(path).catch(() => [])
  const files = names.filter((name) => name.endsWith('.json')).map((name) => join(path, name))
  const rows = (await Promise.all(files.map(readNoted))).flat()
  // Beyond so many, those that have run last.
  return rows
    .sort((one, other) => other.last_seen_ms - one.last_seen_ms)
    .slice(0, limits.hostGuardsMax)
}

async function readNoted(file: string): Promise<readonly LedgerRow[]> {
  try {
    const found = await stat(file)
    if (!found.isFile() || found.size > limits.hostNoteBytesMax) return []
    return [readRow(JSON.parse(await readFile(file, 'utf8')))]
  } catch {
    return []
  }
}

/** The ledger's rows, and those of Guards that it does not know. */
export function withNoted(
  rows: readonly LedgerRow[],
  noted: readonly LedgerRow[],
): readonly LedgerRow[] {
  return [...rows, ...noted.filter((each) => !rows.some((row) => isSameGuard(row, each)))]
}

function nameOf({ home, network, account }: GuardKey): string {
  return createHash('sha256')
    .update(JSON.stringify([home, network, account]))
    .digest('hex')
}
