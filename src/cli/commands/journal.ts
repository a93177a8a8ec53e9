import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { findPassphrase } from '../../config/passphrase.ts'
import type { ChainKey } from '../../journal/chainKey.ts'
import { exportJournal, journalStats, verifyJournal } from '../../journal/inspect.ts'
import type { Removed, StoredStats, VerifyProgress, VerifyReport } from '../../journal/inspect.ts'
import { JournalError } from '../../journal/journalError.ts'
import { nodeIo } from '../../journal/nodeIo.ts'
import { CliError, failed, failedAsTold, refused } from '../cliError.ts'
import { teach, withHome, withJson, withUnused } from '../commonOptions.ts'
import type { CommonOptions } from '../commonOptions.ts'
import { configOf, findStateDir, homeOf } from '../homeConfig.ts'
import { journalKey } from '../journalKey.ts'
import { countOption } from '../readOption.ts'
import { paint, printJson } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'
import { rekeyCommand } from './journalRekey.ts'

interface ExportOptions extends CommonOptions {
  readonly since?: number
  readonly until?: number
}

export function journalCommand(program: Command, terminal: Terminal): void {
  const journal = program
    .command('journal')
    .description('the record on disk; every command also works while Guard runs')
  teach(
    withJson(
      withHome(
        journal.command('verify').description('check the whole hash chain, record by record'),
      ),
    ),
    ['guard journal verify', 'GUARD_KEY_PASSPHRASE=... guard journal verify'],
    'with the passphrase at hand it also checks that this Guard wrote the records; docs/journal-format.md says how',
  ).action((options: CommonOptions) => guarded(() => verify(options, terminal)))
  rekeyCommand(journal, terminal)
  teach(
    withJson(
      withHome(
        journal.command('stats').description('how much there is, since when, of which kinds'),
      ),
    ),
    ['guard journal stats'],
    'guard journal export writes it out',
  ).action((options: CommonOptions) => guarded(() => stats(options, terminal)))
  teach(
    withUnused(
      withHome(
        journal
          .command('export')
          .description('events as NDJSON on standard output')
          .addOption(countOption('--since <seq>', 'from this event on', 0))
          .addOption(countOption('--until <seq>', 'up to this event', 1)),
      ),
      '--json',
    ),
    [
      'guard journal export --since 100 --until 200 > part.ndjson',
      'guard journal export | jq .kind',
    ],
    'the journal itself can be read with tail and jq as well',
  ).action((options: ExportOptions) => guarded(() => exportAll(options, terminal)))
}

/** What the journal's reader refuses is told in its own words, with the place. */
async function guarded(task: () => Promise<void>): Promise<void> {
  try {
    await task()
  } catch (error) {
    if (error instanceof JournalError) throw failed(error.message)
    throw error
  }
}

function directoryOf(options: CommonOptions, terminal: Terminal): string {
  const home = homeOf(options, terminal)
  const directory = join(findStateDir(home), 'journal')
  if (!existsSync(directory)) {
    // Where no Guard is set up the home is what is wrong, as for every other command.
    const wrong = existsSync(home.configFile) ? failed : refused
    throw wrong(`there is no journal at ${directory}`, [
      'guard run writes it; look at another home with: --home DIR',
    ])
  }
  return directory
}

async function verify(options: CommonOptions, terminal: Terminal): Promise<void> {
  const directory = directoryOf(options, terminal)
  const onProgress = (progress: VerifyProgress): void => {
    if (options.json !== true && terminal.isInteractive) {
      terminal.err(
        `\r${progress.records} records, segment ${progress.segmentsDone} of ${progress.segments}`,
      )
    }
  }
  const key = await givenKey(options, terminal)
  const report = await verifyJournal(directory, onProgress, nodeIo, key)
  if (options.json !== true && terminal.isInteractive) terminal.err('\n')
  if (options.json === true) printJson(terminal, verifyJson(report))
  if (report.problem !== null) {
    const { place, text } = report.problem
    const where = place === null ? '' : ` (${JSON.stringify(place)})`
    throw failedAsTold(`the journal does not verify: ${text}${where}`)
  }
  if (options.json === true) return
  terminal.out(
    `${paint('green', 'The whole chain verifies:')} ${report.records} records in ${report.segments} segments, ${report.bytes} bytes.\n${removedWords(report.removed)}Last hash ${report.lastHash}\n${proofWords(report)}\n`,
  )
}

/** The key of the home, where its passphrase is given by a file, a credential or the environment. */
async function givenKey(options: CommonOptions, terminal: Terminal): Promise<ChainKey | null> {
  if (!existsSync(homeOf(options, terminal).configFile)) return null
  const config = configOf(options, terminal)
  const { passphraseFile: file } = config
  const found = findPassphrase({ file, environment: terminal.environment })
  if (config.mode === 'paper' || (found.ok && found.value === null)) return null
  return await journalKey(config, terminal)
}

/** A line about what is not there any more, and so was not checked; nothing where all is there. */
function removedWords(removed: Removed | null): string {
  if (removed === null) return ''
  const { from, to } = removed
  return `${to - from + 1} older ones (${from} to ${to}) were removed after keep_days.\n`
}

function proofWords({ proofs }: VerifyReport): string {
  if (proofs === null)
    return 'No record is proven by a key: who can write the files can change them.'
  const { from, records, checked } = proofs
  const what = `${records} records from ${from} on are proven by a key`
  if (checked === records) return `${what}, and it is this Guard's.`
  if (checked === 0) return `${what}; give the passphrase to check whose.`
  return `${what}; ${checked} of them by this Guard's, the others by an earlier one.`
}

function verifyJson(report: VerifyReport): object {
  return {
    ok: report.problem === null,
    records: report.records,
    removed: report.removed,
    segments: report.segments,
    bytes: report.bytes,
    last_hash: report.lastHash,
    unfinished_bytes: report.unfinishedBytes,
    proofs: report.proofs,
    problem: report.problem,
  }
}

async function stats(options: CommonOptions, terminal: Terminal): Promise<void> {
  const second = emergencyDirOf(options, terminal)
  const found = await journalStats(directoryOf(options, terminal), nodeIo, second)
  if (options.json === true) printJson(terminal, statsJson(found))
  else terminal.out(readable(found))
}

/** Null also where the configuration cannot be read: the journal is there all the same. */
function emergencyDirOf(options: CommonOptions, terminal: Terminal): string | null {
  try {
    return configOf(options, terminal).emergencyDir
  } catch (error) {
    if (error instanceof CliError) return null
    throw error
  }
}

function statsJson(found: StoredStats): object {
  return {
    ...found.identity,
    events: found.events,
    removed: found.removed,
    bytes: found.bytes,
    segments: found.segments,
    first_at_ms: found.firstAtMs,
    last_at_ms: found.lastAtMs,
    kinds: found.kinds,
    bytes_per_event: found.bytesPerEvent,
    emergency: found.emergency,
  }
}

function readable(found: StoredStats): string {
  const time = (ms: number | null): string => (ms === null ? 'never' : new Date(ms).toISOString())
  const kinds = Object.entries(found.kinds).map(([kind, count]) => `  ${kind.padEnd(10)} ${count}`)
  return [
    `account ${found.identity.account}, ${found.identity.network}`,
    `${found.events} events, ${found.bytes} bytes in ${found.segments.length} segments (${found.bytesPerEvent ?? 0} bytes an event)`,
    ...(found.removed === null ? [] : [removedWords(found.removed).trimEnd()]),
    `from ${time(found.firstAtMs)} to ${time(found.lastAtMs)}`,
    ...kinds,
    ...(found.emergency === 0 ? [] : [waitingText(found.emergency)]),
    '',
  ].join('\n')
}

function waitingText(count: number): string {
  const records = count === 1 ? '1 emergency record waits' : `${count} emergency records wait`
  return `${records} for the journal: the next start takes them in`
}

async function exportAll(options: ExportOptions, terminal: Terminal): Promise<void> {
  const { since = 1, until = Infinity } = options
  if (since > until) throw refused(`--since ${since} is after --until ${until}`)
  const lines = exportJournal(directoryOf(options, terminal), Math.max(since, 1), until)
  for await (const line of lines) {
    terminal.out(line.endsWith('\n') ? line : `${line}\n`)
    await terminal.drained()
  }
}
