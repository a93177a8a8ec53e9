import type { Command } from 'commander'
import { failedAsTold } from '../cliError.ts'
import { teach, withHome, withJson } from '../commonOptions.ts'
import type { CommonOptions } from '../commonOptions.ts'
import { examine } from '../doctor/examine.ts'
import type { Finding } from '../doctor/finding.ts'
import { paint, printJson } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'

export function doctorCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('doctor')
    .description('check node, disk, clock, permissions, key, venue, account and API wallet')
    .action(async (options: CommonOptions) => {
      await doctor(options, terminal)
    })
  teach(withJson(withHome(command)), ['guard doctor'], 'guard run, once every line says ok')
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
