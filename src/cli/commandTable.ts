import { accountsCommand } from './commands/accounts.ts'
import { alertsCommand } from './commands/alerts.ts'
import { backupCommand, restoreCommand } from './commands/backup.ts'
import { clientCommand } from './commands/client.ts'
import { completionCommand } from './commands/completion.ts'
import { decisionCommand } from './commands/decision.ts'
import { doctorCommand } from './commands/doctor.ts'
import { eventsCommand } from './commands/events.ts'
import { fleetCommand } from './commands/fleet.ts'
import { initCommand } from './commands/init.ts'
import { journalCommand } from './commands/journal.ts'
import { keyCommand } from './commands/keyReplace.ts'
import { killCommand } from './commands/kill.ts'
import { mcpCommand } from './commands/mcp.ts'
import { previewCommand } from './commands/preview.ts'
import { actionsCommand } from './commands/actionsBuy.ts'
import { resumeCommand } from './commands/resume.ts'
import { rulesCommand } from './commands/rules.ts'
import { runCommand } from './commands/run.ts'
import { statusCommand } from './commands/status.ts'
import type { AddCommand, LabCommands } from './laboratory.ts'

/** Every command, in the order the help shows them. */
export function commandsWith(lab: LabCommands): readonly AddCommand[] {
  return [
    lab.demo,
    initCommand,
    runCommand,
    statusCommand,
    accountsCommand,
    eventsCommand,
    decisionCommand,
    previewCommand,
    mcpCommand,
    killCommand,
    (program, terminal) => {
      fleetCommand(program, terminal, lab.fleetDemo)
    },
    resumeCommand,
    actionsCommand,
    clientCommand,
    keyCommand,
    rulesCommand,
    journalCommand,
    backupCommand,
    restoreCommand,
    alertsCommand,
    doctorCommand,
    lab.sim,
    lab.redteam,
    lab.bench,
    completionCommand,
  ]
}
