import type { Account } from '../../core/account/account.ts'
import type { Result } from '../../core/values/result.ts'
import { Backoff } from '../backoff.ts'
import type { Clock, Log } from '../ports.ts'

interface RecheckDeps {
  readonly clock: Clock
  readonly log: Log
  readonly account: Pick<Account, 'sumAnew'>
  /** Reads every part of the account anew; null while there is too little request weight for it. */
  readonly readWhole: () => Promise<Result<null>> | null
  /** Whether all that was told of the account is believed. */
  readonly isBelieved: () => boolean
  /** All agrees: every stop is looked at anew. */
  readonly agreed: () => void
}

/** The read is dear: where it fails, or shows something else, the next one waits so long. */
const firstWaitMs = 1_000
const longestWaitMs = 15_000

/**
 * Nothing opens from the moment at which something happened to the account that Guard did not do,
 * until a read of the whole account, asked for after it, shows what Guard holds to be true.
 */
export class Recheck {
  private readonly deps: RecheckDeps
  private readonly backoff: Backoff
  /** What happened, for people; null while nothing has. */
  private why: string | null = null
  /** How often it was asked for: a read that was asked for before says nothing of what came since. */
  private demands = 0
  private isReading = false
  /** The read that is under way has shown positions that were not known. */
  private isNews = false

  constructor(deps: RecheckDeps) {
    this.deps = deps
    this.backoff = new Backoff(deps.clock, longestWaitMs, firstWaitMs)
  }

  /** Why nothing opens now, for people; null when nothing is to be checked. */
  get doubt(): string | null {
    return this.why === null ? null : `${this.why}; the whole account is being read anew`
  }

  demand(why: string): void {
    this.why = why
    this.demands += 1
    this.deps.log.log('warn', 'the whole account is read anew', { why })
    this.read()
  }

  /** A read has told the positions: whether it told others than were known. */
  seen(isNews: boolean): void {
    if (isNews) this.isNews = true
  }

  tick(): void {
    if (this.why !== null) this.read()
  }

  private read(): void {
    if (this.isReading || !this.backoff.mayTry('whole')) return
    this.isNews = false
    const reading = this.deps.readWhole()
    // Nothing was asked, so that nothing failed: it goes as soon as there is weight for it.
    if (reading === null) return
    this.isReading = true
    const { demands } = this
    reading.then(
      ({ ok }) => {
        this.done(ok && demands === this.demands)
      },
      () => {
        this.done(false)
      },
    )
  }

  private done(isWhole: boolean): void {
    this.isReading = false
    if (!isWhole || this.isNews || !this.deps.isBelieved()) {
      this.backoff.failed('whole')
      return
    }
    this.backoff.reset('whole')
    this.why = null
    this.deps.log.log('info', 'the whole account was read anew, and agrees', {})
    this.deps.account.sumAnew()
    this.deps.agreed()
  }
}
