import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { codeOf } from '../../config/secretFile.ts'
import { refused } from '../cliError.ts'
import { digestOf, filesBelow, writeNew } from './copyFiles.ts'

/** The list of what a backup holds; written last, so that a backup without it is not whole. */
const manifestName = 'backup.json'

/** Only below `home` and `state`, and never out of them again. */
const path = z.string().regex(/^(home|state)\/(?!.*(^|\/)\.\.?(\/|$))[^\0]+$/)

const manifest = z.strictObject({
  format: z.literal(1),
  made_at_ms: z.int().nonnegative(),
  version: z.string(),
  account: z.string(),
  network: z.string(),
  /** Where the copied journal ends; null for a home that never ran. */
  journal: z.strictObject({ last_seq: z.int().nonnegative(), last_hash: z.string() }).nullable(),
  /** What the home uses and the backup does not hold, each with the reason. */
  left_out: z.array(z.string()),
  files: z.array(
    z.strictObject({ path, bytes: z.int().nonnegative(), sha256: z.string().length(64) }),
  ),
})

export type Manifest = z.infer<typeof manifest>

/** Lists what was written into a backup, from the disk, and closes it. */
export function writeManifest(
  directory: string,
  facts: Omit<Manifest, 'format' | 'files'>,
): Manifest {
  const files = filesBelow(directory).map((file) => ({
    ...file,
    sha256: digestOf(join(directory, file.path)),
  }))
  const whole: Manifest = { format: 1, ...facts, files }
  writeNew(join(directory, manifestName), `${JSON.stringify(whole, null, 2)}\n`)
  return whole
}

/** The list of a backup whose files are all there and unchanged; anything else is refused. */
export function readManifest(directory: string): Manifest {
  const read = manifest.safeParse(parsed(directory))
  if (!read.success) throw notWhole(directory, `${manifestName} is not one of this version`)
  const found = new Map(filesBelow(directory).map(({ path: name, bytes }) => [name, bytes]))
  for (const { path: name, bytes, sha256 } of read.data.files) {
    if (!found.has(name)) throw notWhole(directory, `${name} is missing`)
    if (found.get(name) !== bytes || digestOf(join(directory, name)) !== sha256) {
      throw notWhole(directory, `${name} is not what was backed up`)
    }
  }
  return read.data
}

function parsed(directory: string): unknown {
  try {
    return JSON.parse(readFileSync(join(directory, manifestName), 'utf8'))
  } catch (error) {
    throw notWhole(directory, `${manifestName} cannot be read (${codeOf(error)})`)
  }
}

function notWhole(directory: string, why: string): Error {
  return refused(`${directory} is no whole backup: ${why}`, [
    'guard backup makes one; a copy by other means is not taken',
  ])
}
