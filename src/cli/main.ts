import { labBundleUrl, labCommandStubs } from './laboratory.ts'
import { runAsProcess } from './runAsProcess.ts'

const lab = labBundleUrl(process.argv.slice(2))
if (lab === null) await runAsProcess(labCommandStubs)
// The laboratory is a whole program: to load it is to run it.
else await import(lab)
