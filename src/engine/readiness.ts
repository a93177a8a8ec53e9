export type Readiness = { readonly ok: true } | { readonly ok: false; readonly reason: string }

interface ReadinessInput {
  readonly isStopping: boolean
  readonly isRecovering: boolean
  /** What of the account and the venue nobody has told yet. */
  readonly missing: readonly string[]
  /** The account has been seen since the start, and what was seen is believed. */
  readonly isSeen: boolean
  /** Neither the stream nor a read brings news of the venue. */
  readonly isBlind: boolean
}

/** Whether bots are served, and if not, why, for a person. */
export function readiness(input: ReadinessInput): Readiness {
  if (input.isStopping) return { ok: false, reason: 'Guard is stopping' }
  if (input.isRecovering) {
    const why =
      input.missing.length > 0
        ? `the venue has not told yet: ${input.missing.join(', ')}`
        : 'Guard is finding out what became of earlier sends'
    return { ok: false, reason: `recovering: ${why}` }
  }
  if (!input.isSeen) return { ok: false, reason: 'the account has not been seen yet, or only once' }
  return input.isBlind ? { ok: false, reason: 'the venue cannot be seen' } : { ok: true }
}
