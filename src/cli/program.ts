import { Command, CommanderError } from 'commander'
import { shownText } from '../core/values/shownText.ts'
import { withoutKeys } from '../system/streamLog.ts'
import { CliError, exitCodes, failed, refused } from './cliError.ts'
import { commandsWith } from './commandTable.ts'
import type { LabCommands } from './laboratory.ts'
import { paint, printJson } from './terminal.ts'
import type { Terminal } from './terminal.ts'
import { version } from './version.ts'

const epilogue = `
Start here:
  guard demo            see Guard at work: simulator, Guard and a sample bot, nothing to set up
  guard init            set up a Guard of your own
  guard run             run it; then point your bot at http://127.0.0.1:8547

Exit codes: 0 done, 1 failed, 2 refused (bad flag or configuration), 3 no Guard answers.
`

/** The whole command line, with the laboratory's commands as they are in this program. */
export function createProgram(terminal: Terminal, lab: LabCommands): Command {
  const program = new Command('guard')
    .description('A local risk-control proxy between a trading bot and Hyperliquid.')
    .version(version, '-V, --version', 'print the version')
    .addHelpText('after', epilogue)
    .configureOutput({
      writeOut: terminal.out,
      writeErr: terminal.err,
      // What commander refuses is told below, in the words and the form of every other refusal.
      outputError: () => undefined,
    })
    .exitOverride()
  for (const add of commandsWith(lab)) add(program, terminal)
  return program
}

/** Runs one command line and returns its exit code; nothing escapes as a stack trace. */
export async function runProgram(
  arguments_: readonly string[],
  terminal: Terminal,
  lab: LabCommands,
): Promise<number> {
  const program = createProgram(terminal, lab)
  if (arguments_.length === 0) {
    program.outputHelp()
    return 0
  }
  try {
    await program.parseAsync([...arguments_], { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return 0
      // A command that only has subcommands, named alone, was told its help.
      if (error.code === 'commander.help') return exitCodes.refused
      return report(usageError(error, arguments_), arguments_, terminal)
    }
    if (error instanceof CliError) return report(error, arguments_, terminal)
    if (isRefusedBySystem(error)) return report(failed(error.message), arguments_, terminal)
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return report(failed('this is a bug in Guard, please report it', [stack]), arguments_, terminal)
  }
}

/** A full disk or a missing permission is told in the system's words; it is no bug. */
function isRefusedBySystem(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error && 'code' in error
}

/** What commander refuses, with the field's own name first and the way on. */
function usageError(error: CommanderError, arguments_: readonly string[]): CliError {
  const [first = '', ...more] = error.message.replace(/^error: /, '').split('\n')
  const text = first.replace(
    /^command-argument value '(.*)' is invalid for argument '(.*)'\. /,
    "$2 '$1' is invalid. ",
  )
  const isBeforeCommand =
    error.code === 'commander.unknownOption' && arguments_[0]?.startsWith('-') === true
  const hint = isBeforeCommand
    ? 'flags come after the command, such as: guard status --home DIR'
    : 'add --help for what this command takes'
  return refused(text, [...more, hint])
}

/** What a store, a file or another program said may be in it: only its line ends are taken as they are. */
function shownLines(text: string): string {
  return text
    .split('\n')
    .map((line) => shownText(line))
    .join('\n')
}

/** Tells why a command ended; whatever was typed where, no private key is shown again. */
function report(error: CliError, arguments_: readonly string[], terminal: Terminal): number {
  const text = withoutKeys(error.message)
  const details = error.details.map(withoutKeys)
  if (arguments_.includes('--json') && !error.isTold) {
    printJson(terminal, { error: { code: error.exitCode, text, details } })
  }
  terminal.err(`${paint('red', 'guard:')} ${shownLines(text)}\n`)
  for (const detail of details) terminal.err(`  ${shownLines(detail)}\n`)
  return error.exitCode
}
