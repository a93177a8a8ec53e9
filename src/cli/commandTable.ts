import type { Command } from 'commander'
import { alertsCommand } from './commands/alerts.ts'
import { backupCommand, restoreCommand } from './commands/backup.ts'
import { benchCommand } from './commands/bench.ts'
import { clientCommand } from './commands/client.ts'
import { completionCommand } from './commands/completion.ts'
import { decisionCommand } from './commands/decision.ts'
import { demoCommand } from './commands/demo.ts'
import { doctorCommand } from './commands/doctor.ts'
import { eventsCommand } from './commands/events.ts'
import { initCommand } from './commands/init.ts'
import { journalCommand } from './commands/journal.ts'
import { keyCommand } from './commands/keyReplace.ts'
import { killCommand } from './commands/kill.ts'
import { previewCommand } from './commands/preview.ts'
import { redteamCommand } from './commands/redteam.ts'
import { resumeCommand } from './commands/resume.ts'
import { rulesCommand } from './commands/rules.ts'
import { runCommand } from './commands/run.ts'
import { simCommand } from './commands/sim.ts'
import { statusCommand } from './commands/status.ts'
import type { Terminal } from './terminal.ts'

/** Every command, in the order the help shows them. */
export const commands: readonly ((program: Command, terminal: Terminal) => void)[] = [
  demoCommand,
  initCommand,
  runCommand,
  statusCommand,
  eventsCommand,
  decisionCommand,
  previewCommand,
  killCommand,
  resumeCommand,
  clientCommand,
  keyCommand,
  rulesCommand,
  journalCommand,
  backupCommand,
  restoreCommand,
  alertsCommand,
  doctorCommand,
  simCommand,
  redteamCommand,
  benchCommand,
  completionCommand,
]
