import { shownName } from './plainNames.ts'

/** What an agent is told in place of a result: what happened, and what it can do next. */
export class AgentError extends Error {
  override readonly name = 'AgentError'

  constructor(what: string, next: string) {
    super(`${what}. ${next}`)
  }
}

/** Guard does not answer now. That says nothing about what was sent to it before. */
export class GuardAway extends AgentError {
  /** `what` alone, for an answer that knows more about what to do. */
  readonly what: string

  constructor(what: string, next: string) {
    super(what, next)
    this.what = what
  }
}

/** Its client gave the call up before anything was sent. */
export class CallCancelled extends AgentError {
  constructor() {
    super('This call was cancelled before it was sent', 'Nothing was sent now.')
  }
}

/** For an idempotency key whose order may have been sent by an earlier call. */
export function stillUnknown(what: string): AgentError {
  return new AgentError(
    `${what}. An order of this idempotency_key may have been sent before, and its outcome is still unknown`,
    'Do not send it as a new order: call again with the same idempotency_key in some seconds. open_orders and fills show what the venue has.',
  )
}

/** For an idempotency key that comes again with other arguments; `first` says what it was used for. */
export function usedBefore(first: string): AgentError {
  const shown = first.replace(/"coin":("(?:[^"\\]|\\.)*")/, (_, coin: string) => {
    return `"coin":"${shownName(JSON.parse(coin) as string)}"`
  })
  return new AgentError(
    `This idempotency_key was used before with other arguments: ${shown}`,
    'Nothing was sent. Use the same arguments to get the first answer, or a new key for a new order.',
  )
}
