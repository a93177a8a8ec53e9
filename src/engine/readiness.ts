export type Readiness = { readonly ok: true } | { readonly ok: false; readonly reason: string }

export interface ReadinessInput {
  readonly isStopping: boolean
  readonly isRecovering: boolean
  /** The account has been seen since the start. */
  readonly isSeen: boolean
  /** Neither the stream nor a read brings news of the venue. */
  readonly isBlind: boolean
}

/** Whether bots are served, and if not, why, for a person. */
export function readiness(input: ReadinessInput): Readiness {
  if (input.isStopping) return { ok: false, reason: 'Guard is stopping' }
  if (input.isRecovering) {
    const reason = 'recovering: Guard is finding out what became of earlier sends'
    return { ok: false, reason }
  }
  if (!input.isSeen) return { ok: false, reason: 'the account has not been seen yet' }
  return input.isBlind ? { ok: false, reason: 'the venue cannot be seen' } : { ok: true }
}
