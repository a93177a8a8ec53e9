import { killFileIn } from './killFile.ts'

/** A process of its own that pulls the switch in the directory it is given. */
const [stateDir = ''] = process.argv.slice(2)
await killFileIn(stateDir).write('no room left (command line)')
