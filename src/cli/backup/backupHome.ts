import { lstatSync, readdirSync, rmSync, statSync } from 'node:fs'
import { isAbsolute, join, relative, resolve } from 'node:path'
import type { Home } from '../../config/home.ts'
import { namedFiles } from '../../config/namedFiles.ts'
import { readOwnerFile } from '../../system/ownerFile.ts'
import type { GuardConfigFile } from '../../config/readConfig.ts'
import { killFileIn } from '../../system/killFile.ts'
import { copyJournal } from '../../journal/copyJournal.ts'
import { refused } from '../cliError.ts'
import { provenMark } from '../roleProof.ts'
import { version } from '../version.ts'
import { copyFile, filesBelow, makeEmpty, refuseWithoutRoom, writeNew } from './copyFiles.ts'
import { writeManifest } from './manifest.ts'
import type { Manifest } from './manifest.ts'

/** Beside the journal, what a start goes on with; it is no loss where one is missing. */
const stateFiles = ['alerts.json', 'equity']

/** Copies a home into a new directory, also while Guard runs on it. */
export async function backupHome(
  home: Home,
  config: GuardConfigFile,
  to: string,
  nowMs: number,
): Promise<Manifest> {
  const target = resolve(to)
  refuseInside(target, config.stateDir)
  await refuseWithoutRoom(target, sizeOf(config.stateDir))
  const wasThere = statSync(target, { throwIfNoEntry: false }) !== undefined
  makeEmpty(target, 'the directory')
  try {
    const left_out = copyHome(home, config, join(target, 'home'))
    const journal = await copyState(config, join(target, 'state'))
    const { account, venue } = config
    const facts = { made_at_ms: nowMs, version, account, network: venue.network }
    return writeManifest(target, { ...facts, journal, left_out })
  } catch (error) {
    // Half a backup is none: what was there before stays, and it was empty.
    for (const name of readdirSync(target)) {
      rmSync(join(target, name), { recursive: true, force: true })
    }
    if (!wasThere) rmSync(target, { recursive: true, force: true })
    throw error
  }
}

/** `guard.toml` and the files it names in the home, but never the passphrase. */
function copyHome(home: Home, config: GuardConfigFile, to: string): string[] {
  const leftOut: string[] = []
  copyFile(home.configFile, join(to, 'guard.toml'))
  const named = [
    ...(config.mode === 'paper' ? [] : [{ key: 'key.file', path: config.keyFile }]),
    ...namedFiles(readOwnerFile(home.configFile), home.path),
  ]
  const paths = new Map(named.map(({ key, path }) => [path, key]))
  for (const [path, key] of paths) {
    const inside = pathInside(home.path, path)
    if (key === 'key.passphrase_file') leftOut.push(`${path}: a backup never holds the passphrase`)
    else if (inside === null) leftOut.push(`${path} (${key}): it is outside the home`)
    else if (!isFile(path)) leftOut.push(`${path} (${key}): there is no such file`)
    else copyFile(path, join(to, inside))
  }
  return leftOut
}

async function copyState(config: GuardConfigFile, to: string): Promise<Manifest['journal']> {
  const from = config.stateDir
  makeEmpty(to, 'the directory')
  const kill = killFileIn(from).seen()
  if (kill !== null) writeNew(join(to, 'kill'), `${kill.firstLine}\n`)
  for (const name of [...stateFiles, provenMark(config)]) {
    if (isFile(join(from, name))) copyFile(join(from, name), join(to, name))
  }
  if (!isFile(join(from, 'journal', 'journal.json'))) return null
  const { lastSeq, lastHash } = await copyJournal(join(from, 'journal'), join(to, 'journal'))
  return { last_seq: lastSeq, last_hash: lastHash }
}

function refuseInside(target: string, stateDir: string): void {
  if (pathInside(stateDir, target) === null && target !== stateDir) return
  throw refused(`${target} is inside Guard's own state; name a directory elsewhere`, [
    'best on another disk, or on another machine',
  ])
}

/** The path relative to a directory; null where it is not inside it. */
function pathInside(directory: string, path: string): string | null {
  const found = relative(directory, path)
  return found === '' || found.startsWith('..') || isAbsolute(found) ? null : found
}

function sizeOf(directory: string): number {
  if (statSync(directory, { throwIfNoEntry: false }) === undefined) return 0
  return filesBelow(directory).reduce((sum, { bytes }) => sum + bytes, 0)
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true
}
