import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Command } from 'commander'
import { failed } from './cliError.ts'
import type { Terminal } from './terminal.ts'

/** A function that adds one command to the command line. */
export type AddCommand = (program: Command, terminal: Terminal) => void

/**
 * The commands that live in a program of their own, `dist/lab.mjs`, with what the help says of
 * them: the simulator and all that plays with it, none of which runs beside the key of a venue.
 */
export const labCommandTexts = {
  demo: 'see Guard at work: simulator, Guard and a sample bot; needs no network and no key',
  sim: 'a Hyperliquid on your own machine, for bots and for Guard',
  redteam: 'attacks a running Guard and prints what was refused, and how',
  bench: 'measure Guard on this machine, beside what the machine itself can do',
} as const

/** The one that stands beside Guard's own, as `guard fleet demo`. */
export const fleetDemoText =
  'see a fleet at work: PostgreSQL, simulator, three Guards, their page, and a kill over all of it'

type LabCommandName = keyof typeof labCommandTexts
export type LabCommands = Readonly<Record<LabCommandName | 'fleetDemo', AddCommand>>

/** What Guard's own program has of these commands: a line in the help; run, they say what is missing. */
export const labCommandStubs: LabCommands = {
  demo: named('demo'),
  sim: named('sim'),
  redteam: named('redteam'),
  bench: named('bench'),
  fleetDemo: stub('demo', fleetDemoText, 'fleet demo'),
}

function named(name: LabCommandName): AddCommand {
  return stub(name, labCommandTexts[name], name)
}

function stub(name: string, text: string, path: string): AddCommand {
  return (program) => {
    program
      .command(name)
      .description(text)
      .allowExcessArguments()
      .allowUnknownOption()
      .action(() => {
        throw failed(`guard ${path} is in Guard's laboratory, and dist/lab.mjs is not there`, [
          'in a clone: npm run build',
        ])
      })
  }
}

/**
 * The file URL of `lab.mjs` beside this bundle where the command line is the laboratory's. Null for
 * Guard's own commands, and where that file does not exist, as when Guard runs from its sources.
 */
export function labBundleUrl(arguments_: readonly string[]): string | null {
  const file = join(dirname(fileURLToPath(import.meta.url)), 'lab.mjs')
  return isForLab(arguments_) && existsSync(file) ? pathToFileURL(file).href : null
}

/**
 * Whether `lab.mjs` answers: its own commands, `help` for one of them, and `completion`, since only
 * it has the flags of all commands.
 */
function isForLab(words: readonly string[]): boolean {
  const [first = '', second = ''] = words[0] === 'help' ? words.slice(1) : words
  if (first === 'fleet') return second === 'demo'
  return Object.hasOwn(labCommandTexts, first) || words[0] === 'completion'
}
