import { failed } from '../../src/cli/cliError.ts'
import type { CliError } from '../../src/cli/cliError.ts'

/** An answer that the benchmark cannot go on with, most often the word of a disk that stood still. */
export function unexpected(what: string, answer: string): CliError {
  return failed(`${what} was answered with ${answer}`, [
    'Nothing else should run on the machine meanwhile; then try again.',
  ])
}
