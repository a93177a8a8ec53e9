import type { RiskView } from '../../core/safety/riskView.ts'
import type { Latched } from '../watch/latch.ts'
import type { Readiness } from '../guard.ts'

export interface ReadinessInput {
  readonly isStopping: boolean
  /** Why a standby serves nobody yet; null where it is none. */
  readonly standby: string | null
  readonly isRecovering: boolean
  /** What of the account and the venue nobody has told yet. */
  readonly missing: readonly string[]
  /** The account has been seen since the start, and what was seen is believed. */
  readonly isSeen: boolean
  /** Neither the stream nor a read brings news of the venue. */
  readonly isBlind: boolean
  /** Why the journal takes nothing; null while it works. */
  readonly journalError: string | null
}

/** Whether bots are served, and if not, why, for a person. */
export function readiness(input: ReadinessInput): Readiness {
  if (input.isStopping) return { ok: false, reason: 'Guard is stopping' }
  if (input.standby !== null) return { ok: false, reason: input.standby }
  if (input.isRecovering) {
    const why =
      input.missing.length > 0
        ? `the venue has not told yet: ${input.missing.join(', ')}`
        : 'Guard is finding out what became of earlier sends'
    return { ok: false, reason: `recovering: ${why}` }
  }
  if (!input.isSeen) return { ok: false, reason: 'the account has not been seen yet, or only once' }
  if (input.isBlind) return { ok: false, reason: 'the venue cannot be seen' }
  const { journalError: error } = input
  return error === null ? { ok: true } : { ok: false, reason: `the journal is broken: ${error}` }
}

export interface OpeningInput {
  readonly latched: Latched | null
  readonly risk: Pick<RiskView, 'state' | 'holding'>
  readonly ready: Readiness
  /** Why what was told of the account is not believed; null while it is. */
  readonly doubt: string | null
  /** What of it was not seen recently enough; null while all of it was. */
  readonly unseen: string | null
  /** Why nothing opens for the sake of the fleet; null while it does, and where there is none. */
  readonly ended?: string | null
}

/** Why nothing opens now, whatever is asked, for a person; null where entries within the rules pass. */
export function whyNothingOpens(input: OpeningInput): string | null {
  const { latched, risk, ready, doubt, unseen, ended = null } = input
  if (latched !== null) return `the kill switch is latched: ${latched.reason}`
  if (risk.state === 'stopped') return 'drawdown halt: a person has to run guard resume'
  if (risk.state === 'halted_for_day') return 'daily loss stop, until 00:00 UTC'
  if (!ready.ok) return ready.reason
  if (doubt !== null) return doubt
  if (unseen !== null) return unseen
  return risk.holding ? 'a fall of the equity waits for what explains it' : ended
}
