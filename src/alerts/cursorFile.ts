import { open, readFile, rename, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import * as z from 'zod'
import { alertKindNames } from './alertFacts.ts'
import type { AlertKind } from './alertFacts.ts'
import type { Lasting } from './lastingAlerts.ts'
import type { Line } from './waitingLines.ts'

/** What has been read, what lasts and what is still to be told: whole, in one small file. */
export interface Cursor {
  readonly seq: number
  readonly lasting: readonly Lasting[]
  readonly waiting: readonly Line[]
  readonly sentAt: readonly number[]
}

const count = z.int().nonnegative()
const kind = z.enum(alertKindNames as [AlertKind, ...AlertKind[]])

const schema = z.object({
  version: z.literal(1),
  seq: count,
  lasting: z.array(
    z.object({
      key: z.string(),
      kind,
      text: z.string(),
      since: count,
      told: count,
      toldAt: count.nullable(),
      absentSince: count.nullable(),
    }),
  ),
  waiting: z.array(
    z.object({
      key: z.string(),
      kind,
      severity: z.enum(['critical', 'warning', 'info']),
      phase: z.enum(['happened', 'began', 'still', 'over', 'was']),
      text: z.string(),
      firstAt: count,
      lastAt: count,
      count,
    }),
  ),
  sentAt: z.array(count),
})

export function cursorPath(stateDir: string): string {
  return join(stateDir, 'alerts.json')
}

/** Null when there is none yet; `damaged` when there is one that cannot be used. */
export async function loadCursor(path: string): Promise<Cursor | 'damaged' | null> {
  let text: string
  try {
    // To open a pipe would wait for its other end.
    if (!(await stat(path)).isFile()) return 'damaged'
    text = await readFile(path, 'utf8')
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    return isMissing ? null : 'damaged'
  }
  try {
    const read = schema.safeParse(JSON.parse(text))
    return read.success ? read.data : 'damaged'
  } catch {
    return 'damaged'
  }
}

/** Replaces the file in one step, synced: after a crash it is the old or the new one. */
export async function saveCursor(path: string, cursor: Cursor): Promise<void> {
  const next = `${path}.new`
  const file = await open(next, 'w', 0o600)
  try {
    await file.writeFile(`${JSON.stringify({ version: 1, ...cursor })}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(next, path)
  const directory = await open(dirname(path), 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}
