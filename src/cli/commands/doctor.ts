import { Option } from 'commander'
import type { Command } from 'commander'
import { failed, failedAsTold } from '../cliError.ts'
import { teach, withHome, withJson } from '../commonOptions.ts'
import type { CommonOptions } from '../commonOptions.ts'
import { examine } from '../doctor/examine.ts'
import type { Finding } from '../doctor/finding.ts'
import { reportText } from '../doctor/venue/reportText.ts'
import { configOf } from '../homeConfig.ts'
import { limits } from '../../core/values/limits.ts'
import { paint, printJson } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'

export function doctorCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('doctor')
    .description('check node, disk, clock, permissions, key, venue, account and API wallet')
    .addOption(
      new Option(
        '--venue',
        `instead: read what the venue shows of everything Guard assumes of it, for a report. Reads alone, of at most ${limits.examinedWeightMax} request weight; nothing is signed, no key is opened`,
      ),
    )
    .action(async (options: DoctorOptions) => {
      await (options.venue === true ? venueDoctor(options, terminal) : doctor(options, terminal))
    })
  teach(
    withJson(withHome(command)),
    ['guard doctor', 'guard doctor --venue --json > venue-report.json'],
    'guard run, once every line says ok',
  )
}

interface DoctorOptions extends CommonOptions {
  readonly venue?: boolean
}

/** What the venue shows of what is assumed of it. */
async function venueDoctor(options: DoctorOptions, terminal: Terminal): Promise<void> {
  // A file of its own, `dist/doctorVenue.mjs`: nobody else loads it.
  const { venueReport } = await import('../doctor/venue/venueReport.ts')
  const read = await venueReport(configOf(options, terminal))
  if (!read.ok) {
    throw failed(read.error, ['check the network and venue.url; nothing was examined'])
  }
  const report = read.value
  const refuted = report.points.filter(({ state }) => state === 'refuted').length
  if (options.json === true) printJson(terminal, { ok: refuted === 0, ...report })
  else terminal.out(reportText(report))
  if (refuted > 0) throw failedAsTold(`${refuted} of ${report.points.length} points are refuted`)
}

async function doctor(options: CommonOptions, terminal: Terminal): Promise<void> {
  const findings: Finding[] = []
  for await (const finding of examine(options, terminal)) {
    findings.push(finding)
    if (options.json !== true) terminal.out(line(finding))
  }
  const bad = findings.filter((finding) => finding.state === 'bad').length
  if (options.json === true) printJson(terminal, { ok: bad === 0, findings })
  if (bad > 0) throw failedAsTold(`${bad} of ${findings.length} checks need attention`)
}

const marks = {
  ok: paint('green', 'ok  '),
  warn: paint('yellow', 'look'),
  bad: paint('red', 'BAD '),
}

function line({ name, state, text, remedy }: Finding): string {
  const advice = remedy === null ? '' : `\n                      ${paint('gray', remedy)}`
  return `${marks[state]} ${name.padEnd(16)} ${text}${advice}\n`
}
