import { resolve } from 'node:path'
import type { Command } from 'commander'
import { findHome } from '../../config/home.ts'
import { JournalError } from '../../journal/journalError.ts'
import { systemClock } from '../../system/systemClock.ts'
import { backupHome } from '../backup/backupHome.ts'
import type { Manifest } from '../backup/manifest.ts'
import { restoreHome } from '../backup/restoreHome.ts'
import { failed } from '../cliError.ts'
import { teach, withHome, withJson } from '../commonOptions.ts'
import type { CommonOptions } from '../commonOptions.ts'
import { configOf, homeOf } from '../homeConfig.ts'
import { paint, printJson } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'

export function backupCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('backup')
    .description('copy the home into a new directory, also while Guard runs, and check the copy')
    .argument('<to>', 'a directory that does not exist yet, or is empty')
    .action(async (to: string, options: CommonOptions) => {
      await guarded(() => backup(to, options, terminal))
    })
  teach(
    withJson(withHome(command)),
    ['guard backup /mnt/backups/guard-$(date +%F)'],
    'guard restore FROM --home DIR puts it back; the keystore in it is encrypted, the passphrase is never in it',
  )
}

export function restoreCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('restore')
    .description('put a backup into a new home, which starts latched until a person releases it')
    .argument('<from>', 'a directory that guard backup made')
    .action(async (from: string, options: CommonOptions) => {
      await guarded(() => restore(from, options, terminal))
    })
  teach(
    withJson(withHome(command)),
    ['guard restore /mnt/backups/guard-2026-11-16 --home /var/lib/guard-new'],
    'look at the account; guard kill release --reason "..."; guard run. Started without the release, Guard closes every position',
  )
}

async function guarded(task: () => Promise<void>): Promise<void> {
  try {
    await task()
  } catch (error) {
    if (error instanceof JournalError) throw failed(error.message)
    throw error
  }
}

async function backup(to: string, options: CommonOptions, terminal: Terminal): Promise<void> {
  const config = configOf(options, terminal)
  const made = await backupHome(homeOf(options, terminal), config, to, systemClock.now())
  const path = resolve(to)
  if (options.json === true) {
    printJson(terminal, { path, ...factsOf(made) })
    return
  }
  terminal.out(`${paint('green', 'Backed up and checked:')} ${figures(made)} in ${path}\n`)
  for (const each of made.left_out) terminal.out(`Not in it: ${each}\n`)
}

async function restore(from: string, options: CommonOptions, terminal: Terminal): Promise<void> {
  const home = findHome(options.home, terminal.environment)
  const { manifest, stateDir, reason } = await restoreHome(from, home)
  if (options.json === true) {
    const latched = { reason }
    printJson(terminal, { home: home.path, state_dir: stateDir, latched, ...factsOf(manifest) })
    return
  }
  terminal.out(
    [
      `${paint('green', 'Restored and checked:')} ${figures(manifest)} in ${home.path}`,
      ...manifest.left_out.map((each) => `Not in the backup: ${each}`),
      `It is latched: ${reason}.`,
      'What happened after the backup is not in it. Look at the account at the venue, then:',
      `  guard kill release --reason "..." --home ${home.path}`,
      'Started without that, Guard closes every position. Never run it beside the Guard it came from.',
      '',
    ].join('\n'),
  )
}

function factsOf({ made_at_ms, account, network, journal, left_out, files }: Manifest): object {
  return { made_at_ms, account, network, journal, left_out, files: files.length, bytes: sum(files) }
}

function figures({ journal, files }: Manifest): string {
  const records = journal === null ? 'no journal yet' : `events up to ${journal.last_seq}`
  return `${files.length} files, ${sum(files)} bytes, ${records}`
}

function sum(files: Manifest['files']): number {
  return files.reduce((total, { bytes }) => total + bytes, 0)
}
