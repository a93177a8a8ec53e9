import { labProgram, namedLabCommands } from './laboratory.ts'
import { runAsProcess } from './runAsProcess.ts'

const lab = labProgram(process.argv.slice(2))
if (lab === null) await runAsProcess(namedLabCommands)
// The laboratory is a whole program: to load it is to run it.
else await import(lab)
