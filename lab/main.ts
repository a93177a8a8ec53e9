import { runAsProcess } from '../src/cli/runAsProcess.ts'
import { labCommands } from './commands/labCommands.ts'

// The whole command line, Guard's own commands included: `guard demo` runs a Guard as well.
await runAsProcess(labCommands)
