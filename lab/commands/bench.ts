import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { InvalidArgumentError, Option } from 'commander'
import type { Command } from 'commander'
import type { Size } from '../bench/counts.ts'
import { brokenBounds, reportMarkdown } from '../bench/report.ts'
import { roleNames, serveRole, startApart } from '../bench/roles/startRole.ts'
import type { RoleName } from '../bench/roles/startRole.ts'
import { parts, runBench } from '../bench/runBench.ts'
import { failed, failedAsTold } from '../../src/cli/cliError.ts'
import type { CliError } from '../../src/cli/cliError.ts'
import { teach, withJson, withUnused } from '../../src/cli/commonOptions.ts'
import { labCommandTexts } from '../../src/cli/laboratory.ts'
import { printJson } from '../../src/cli/terminal.ts'
import type { Terminal } from '../../src/cli/terminal.ts'

interface BenchFlags {
  readonly json?: boolean
  readonly only?: string
  readonly quick?: boolean
  readonly full?: boolean
  readonly requests?: number
  readonly rate?: number
  readonly markdown?: string
  readonly flame?: string
  readonly role?: RoleName
}

/** With fewer there is no turn in which every kind of request comes up. */
const requestsMin = 1_000

export function benchCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('bench')
    .description(labCommandTexts.bench)
    .addOption(new Option('--only <part>', 'one part alone').choices(Object.keys(parts)))
    .option('--quick', 'few rounds: a first look in about a minute')
    .option('--full', 'a million requests and events, a soak of ten million; takes some hours')
    .addOption(
      new Option('--requests <count>', 'how many requests the soak sends').argParser(readCount),
    )
    .addOption(
      new Option('--rate <count>', 'how many hostile requests a second').argParser(readRate),
    )
    .option('--markdown <file>', 'also write the tables to this file')
    .option('--flame <file>', 'also draw where the processor time goes, as SVG')
    .addOption(new Option('--role <name>').choices(roleNames).hideHelp())
    .action(async (flags: BenchFlags) => {
      // The benchmark starts this program again for each part of its world.
      if (flags.role === undefined) await bench(flags, terminal)
      else await serveRole(flags.role)
    })
  teach(
    withUnused(withJson(command), '--home <dir>'),
    ['guard bench', 'guard bench --quick', 'guard bench --only soak --requests 200000'],
    'docs/benchmarks.md has a run and what the figures mean',
  )
}

async function bench(flags: BenchFlags, terminal: Terminal): Promise<void> {
  const size = sizeOf(flags)
  const report = await runBench({
    size,
    only: flags.only ?? null,
    requests: flags.requests ?? null,
    perSecond: flags.rate ?? null,
    command: ['guard bench', ...(size === 'usual' ? [] : [`--${size}`])].join(' '),
    startRole: startApart,
    picture: (svg) => {
      if (flags.flame !== undefined) write(flags.flame, svg)
    },
    progress: (text) => {
      if (flags.json === true) terminal.err(`${text}\n`)
      else terminal.out(`${text}\n`)
    },
  })
  if (flags.markdown !== undefined) write(flags.markdown, reportMarkdown(report))
  if (flags.json === true) printJson(terminal, report)
  const broken = brokenBounds(report)
  const count = broken.length === 1 ? 'a bound is' : `${broken.length} bounds are`
  if (broken.length > 0) throw failedWith(flags, `${count} broken`, broken)
}

/** With `--json` the report is the whole answer. */
function failedWith({ json }: BenchFlags, message: string, broken: readonly string[]): CliError {
  return json === true ? failedAsTold(message) : failed(message, broken)
}

function readCount(text: string): number {
  return wholeFrom(requestsMin, text)
}

function readRate(text: string): number {
  return wholeFrom(1, text)
}

function wholeFrom(least: number, text: string): number {
  const count = /^[1-9][0-9]{0,8}$/.test(text) ? Number(text) : 0
  if (count < least) throw new InvalidArgumentError(`It must be a whole number from ${least} on.`)
  return count
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

function sizeOf({ quick, full }: BenchFlags): Size {
  if (full === true) return 'full'
  return quick === true ? 'quick' : 'usual'
}
