import type { LabCommands } from '../../src/cli/laboratory.ts'
import { benchCommand } from './bench.ts'
import { demoCommand } from './demo.ts'
import { fleetDemoCommand } from './fleetDemo.ts'
import { redteamCommand } from './redteam.ts'
import { simCommand } from './sim.ts'

/** The laboratory's commands, as its own program runs them. */
export const labCommands: LabCommands = {
  demo: demoCommand,
  sim: simCommand,
  redteam: redteamCommand,
  bench: benchCommand,
  fleetDemo: fleetDemoCommand,
}
