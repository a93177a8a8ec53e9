import type { LabCommands } from './laboratory.ts'
import { runProgram } from './program.ts'
import { ignoreDebugSignal } from './safeProcess.ts'
import { processTerminal } from './terminal.ts'

/** Runs this process's command line, and ends the process with the exit code of the command. */
export async function runAsProcess(lab: LabCommands): Promise<void> {
  // First of all: until this line a signal would open a debugger, and a start with one is refused.
  ignoreDebugSignal()
  // Arguments are nobody else's business: `ps` shows the name alone.
  process.title = 'guard'
  // A reader that has seen enough (`guard events | head`) is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? 0 : 1)
  })
  // A log that nobody reads any more is nothing to say anywhere, and no reason to end.
  process.stderr.on('error', () => undefined)
  const code = await runProgram(process.argv.slice(2), processTerminal, lab)
  // A command that is done ends, whatever a failed start may have left waiting.
  process.stdout.write('', () => {
    process.exit(code)
  })
}
