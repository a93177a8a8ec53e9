import type { Account } from '../../core/account/account.ts'
import { limits } from '../../core/values/limits.ts'
import type { Millis } from '../../core/values/millis.ts'
import { Backoff } from '../backoff.ts'
import type { Clock } from '../ports.ts'
import type { AccountReads } from './accountReads.ts'

interface TwapWatchDeps {
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly account: Pick<Account, 'twaps'>
  readonly reads: Pick<AccountReads, 'twaps' | 'twapHistory'>
}

/** TWAPs that nobody has listed for this long are read: the stream lists them every five seconds. */
const listedMs = 20_000
/** A dex whose TWAPs the stream lists no more is looked for in the history so often. */
const historyEveryMs = 30_000
/** After a start the stream is given this long to list them. */
const firstListMs = 2_000
/** Reads for the sake of one that may be over, or still to come, are at least this far apart. */
const doubtMs = 6_000
/** A read that fails is tried again after so long, and then ever later: the answer is dear. */
const retryMs = 2_000
const retryMsMax = 16_000
/** A number that is missing while everything is closed is asked for at once, and then ever later. */
const findMs = 500
const name = 'twaps'

/** Sees to it that the TWAPs are listed: no list of orders has them, and an answer that does is dear. */
export class TwapWatch {
  private readonly deps: TwapWatchDeps
  /** When they were last listed or asked for, as far as this timer knows. */
  private listed: number | null = null
  private asked = -Infinity
  private historyAsked = -Infinity
  /** The last read failed: the next one does not wait as long as one that follows an answer. */
  private isFailing = false
  private readonly backoff: Backoff
  private readonly finding: Backoff

  constructor(deps: TwapWatchDeps) {
    this.deps = deps
    this.backoff = new Backoff(deps.clock, retryMsMax, retryMs)
    this.finding = new Backoff(deps.clock, retryMsMax, findMs)
  }

  tick(now: Millis): void {
    const { account, clock } = this.deps
    const nowMs = clock.monotonicMs()
    const { toldAt, doubtfulSince, isNumberMissing, isReturning } = account.twaps
    if (!isNumberMissing) this.finding.clear()
    const isFresh = toldAt !== null && now - toldAt <= listedMs
    if (isFresh || this.listed === null) this.listed = nowMs
    // A read shows them as they were at most so long ago: an earlier one says nothing.
    const isDoubted =
      isReturning || (doubtfulSince !== null && now - doubtfulSince > limits.accountAgeMsMax)
    if (isFresh && !isDoubted) this.isFailing = false
    const patienceMs = toldAt === null && this.asked === -Infinity ? firstListMs : listedMs
    const isDue = isDoubted ? nowMs - this.asked >= doubtMs : nowMs - this.listed >= patienceMs
    const isRetried = this.isFailing && this.backoff.mayTry(name)
    const { silentSince } = account.twaps
    const isSilent = silentSince !== null && now - silentSince > listedMs
    // No other read has the TWAPs of a builder dex, and that of the main dex may be wrong like its list.
    const isHistoryDue = isSilent && nowMs - this.historyAsked >= historyEveryMs
    if (isDue || isRetried) this.read(nowMs, isHistoryDue || account.twaps.isHistoryWanted)
    else if (isHistoryDue) this.readHistory(nowMs)
  }

  /** A TWAP was cancelled: reads the venue's list, which alone shows that it has ended. */
  listAgain(): void {
    const { account, clock } = this.deps
    this.read(clock.monotonicMs(), account.twaps.isHistoryWanted)
  }

  /**
   * A TWAP is to be cancelled and its number is not known, or all of them are to be: reads list and
   * history, either may have what no stream has told.
   */
  find(): void {
    if (!this.finding.mayTry(name)) return
    this.finding.failed(name)
    this.read(this.deps.clock.monotonicMs(), true)
  }

  private readHistory(nowMs: number): void {
    this.historyAsked = nowMs
    this.deps.reads.twapHistory('watch').catch(() => undefined)
  }

  private read(nowMs: number, isHistoryWanted: boolean): void {
    if (isHistoryWanted) this.readHistory(nowMs)
    this.listed = nowMs
    this.asked = nowMs
    this.isFailing = false
    const failed = (): void => {
      this.isFailing = true
      this.backoff.failed(name)
    }
    this.deps.reads.twaps('watch').then((read) => {
      if (read.ok) this.backoff.reset(name)
      else failed()
    }, failed)
  }
}
