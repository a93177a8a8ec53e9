import type { LabCommands } from './laboratory.ts'
import { runProgram } from './program.ts'
import { ignoreDebugSignal } from './safeProcess.ts'
import { processTerminal } from './terminal.ts'

/** Runs this process's command line, and ends the process with the exit code of the command. */
export async function runAsProcess(lab: LabCommands): Promise<void> {
  // Early: by default SIGUSR1 opens a debugger, and `guard run` refuses a process that has one.
  ignoreDebugSignal()
  // Arguments are nobody else's business: `ps` shows the name alone.
  process.title = 'guard'
  // A reader that has seen enough (`guard events | head`) is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? 0 : 1)
  })
  // Where nobody reads standard error any more, log lines are lost and Guard goes on.
  process.stderr.on('error', () => undefined)
  const code = await runProgram(process.argv.slice(2), processTerminal, lab)
  // Ends once all was printed, even where a failed start has left timers or sockets open.
  process.stdout.write('', () => {
    process.exit(code)
  })
}
