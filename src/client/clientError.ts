/** Guard answered with an error: what it said. */
export class GuardHttpError extends Error {
  override readonly name = 'GuardHttpError'
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, text: string) {
    super(`Guard answered ${String(status)} ${code}: ${text}`)
    this.status = status
    this.code = code
  }
}

/**
 * Events are missing, or the numbering went back: this is another journal than before. Following
 * can go on from `received`, once whoever reads has decided what the gap means.
 */
export class GapError extends Error {
  override readonly name = 'GapError'
  readonly expected: number
  readonly received: number

  constructor(expected: number, received: number) {
    super(`expected event ${String(expected)}, and Guard is at ${String(received)}`)
    this.expected = expected
    this.received = received
  }
}
