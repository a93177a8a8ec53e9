import type { Account } from '../../core/account/account.ts'
import type { Result } from '../../core/values/result.ts'
import { Backoff } from '../backoff.ts'
import type { Clock } from '../ports.ts'

interface UnreadFillsDeps {
  readonly clock: Clock
  readonly account: Pick<Account, 'areFillsTold' | 'positions'>
  readonly read: () => Promise<Result<null>>
}

/** The stream lists the recent fills when it begins: it is given this long to. */
const patienceMs = 3_000
/** The answer is long and dear: where it fails it is asked for ever more rarely. */
const retryMsMax = 60_000

/** Reads the recent fills once, where positions are held and the stream has not listed them. */
export class UnreadFills {
  private readonly deps: UnreadFillsDeps
  private readonly backoff: Backoff
  private isAsking = false
  /** By the monotonic clock. */
  private sinceMs: number | null = null

  constructor(deps: UnreadFillsDeps) {
    this.deps = deps
    this.backoff = new Backoff(deps.clock, retryMsMax)
  }

  tick(): void {
    const { account, clock, read } = this.deps
    if (account.areFillsTold || account.positions.size === 0 || this.isAsking) return
    const nowMs = clock.monotonicMs()
    this.sinceMs ??= nowMs
    if (nowMs - this.sinceMs < patienceMs || !this.backoff.mayTry('fills')) return
    this.isAsking = true
    const done = (): void => {
      this.isAsking = false
      this.backoff.failed('fills')
    }
    read().then(done, done)
  }
}
