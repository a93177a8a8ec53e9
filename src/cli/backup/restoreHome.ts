import { existsSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Home } from '../../config/home.ts'
import { readOwnerFile } from '../../system/ownerFile.ts'
import { stateDirOf } from '../../config/stateDir.ts'
import { limits } from '../../core/values/limits.ts'
import { killFileIn } from '../../system/killFile.ts'
import { verifyJournal } from '../../journal/inspect.ts'
import { failed, refused } from '../cliError.ts'
import { copyFile, makeEmpty, refuseWithoutRoom } from './copyFiles.ts'
import { readManifest } from './manifest.ts'
import type { Manifest } from './manifest.ts'

export interface Restored {
  readonly manifest: Manifest
  readonly stateDir: string
  /** Why the restored home is latched. */
  readonly reason: string
}

/**
 * Puts a backup into a new home. It is latched before anything else is there: what Guard and the
 * venue did after the backup is not in it, so a person looks at the account first.
 */
export async function restoreHome(from: string, home: Home): Promise<Restored> {
  const source = resolve(from)
  if (!existsSync(source)) throw refused(`there is no backup at ${source}`)
  const manifest = readManifest(source)
  const stateDir = stateDirOf(readOwnerFile(join(source, 'home', 'guard.toml')), home.path)
  const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0)
  await refuseWithoutRoom(home.path, bytes)
  const isNew = [home.path, stateDir].filter((each) => !isThere(each))
  makeEmpty(home.path, 'the home')
  makeEmpty(stateDir, 'the state directory')
  try {
    const reason = reasonOf(manifest, killFileIn(join(source, 'state')).seen()?.firstLine ?? null)
    await killFileIn(stateDir).write(reason)
    for (const { path } of manifest.files) {
      if (path === 'state/kill') continue
      const [root = '', ...parts] = path.split('/')
      copyFile(join(source, path), join(root === 'home' ? home.path : stateDir, ...parts))
    }
    await verified(manifest, stateDir)
    return { manifest, stateDir, reason }
  } catch (error) {
    for (const each of isNew) rmSync(each, { recursive: true, force: true })
    throw error
  }
}

async function verified({ journal }: Manifest, stateDir: string): Promise<void> {
  if (journal === null) return
  const report = await verifyJournal(join(stateDir, 'journal'))
  if (report.problem === null && report.lastHash === journal.last_hash) return
  throw failed(`the restored journal does not verify: ${report.problem?.text ?? 'another end'}`)
}

function reasonOf({ made_at_ms, journal }: Manifest, before: string | null): string {
  const made = new Date(made_at_ms).toISOString().slice(0, 16).replace('T', ' ')
  const upTo = journal === null ? '' : `, up to event ${journal.last_seq}`
  const was = before === null ? '' : `; it was latched: ${before}`
  const characters = [...`restored from a backup of ${made} UTC${upTo}${was}`]
  return characters.slice(0, limits.killReasonCharsMax).join('')
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}
