/** Exit codes of every command (0 is done). */
export const exitCodes = { failed: 1, refused: 2, noAnswer: 3 } as const

/** Why a command ends without having done its work; the text is for the person at the terminal. */
export class CliError extends Error {
  readonly exitCode: number
  /** More lines: each violation of a configuration, or what to do next. */
  readonly details: readonly string[]
  /** With `--json` the command has printed its own document already. */
  isTold = false

  constructor(exitCode: number, message: string, details: readonly string[] = []) {
    super(message)
    this.name = 'CliError'
    this.exitCode = exitCode
    this.details = details
  }
}

/** Bad flag, bad configuration: nothing was done. */
export const refused = (message: string, details?: readonly string[]): CliError =>
  new CliError(exitCodes.refused, message, details)

export const failed = (message: string, details?: readonly string[]): CliError =>
  new CliError(exitCodes.failed, message, details)

export const noAnswer = (message: string, details?: readonly string[]): CliError =>
  new CliError(exitCodes.noAnswer, message, details)

/** It failed, and what it printed says all of it. */
export function failedAsTold(message: string): CliError {
  const error = failed(message)
  error.isTold = true
  return error
}
