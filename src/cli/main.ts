import { runProgram } from './program.ts'
import { processTerminal } from './terminal.ts'

// Arguments are nobody else's business: `ps` shows the name alone.
process.title = 'guard'
// A reader that has seen enough (`guard events | head`) is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 1)
})
// A log that nobody reads any more is nothing to say anywhere, and no reason to end.
process.stderr.on('error', () => undefined)
const code = await runProgram(process.argv.slice(2), processTerminal)
// A command that is done ends, whatever a failed start may have left waiting.
process.stdout.write('', () => {
  process.exit(code)
})
