import { InvalidArgumentError, Option } from 'commander'
import type { Command } from 'commander'

export interface CommonOptions {
  readonly home?: string
  readonly json?: boolean
}

/** `--home` on every command. */
export function withHome(command: Command): Command {
  return command.addOption(
    new Option(
      '--home <dir>',
      'where this Guard lives (or GUARD_HOME; default ~/.guard)',
    ).argParser(readHome),
  )
}

/** A script whose variable is empty must not reach another Guard than the one it meant. */
function readHome(value: string): string {
  if (value === '') throw new InvalidArgumentError('It must name a directory.')
  return value
}

/** Taken and not used, so that a script may give the same flags to every command. */
export function withUnused(command: Command, ...flags: readonly string[]): Command {
  for (const flag of flags) command.addOption(new Option(flag).hideHelp())
  return command
}

/** `--json` where a command prints something. */
export function withJson(command: Command): Command {
  return command.addOption(new Option('--json', 'print JSON instead of text'))
}

/** What a command's help teaches beyond its flags. */
export function teach(command: Command, examples: readonly string[], next: string): Command {
  const lines = examples.map((example) => `  ${example}`).join('\n')
  return command.addHelpText('after', `\nExamples:\n${lines}\n\nNext: ${next}\n`)
}
