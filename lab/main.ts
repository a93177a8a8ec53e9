import { runAsProcess } from '../src/cli/runAsProcess.ts'
import { labCommands } from './commands/labCommands.ts'

// All commands: `guard completion` is answered by this program and must know every one of them.
await runAsProcess(labCommands)
