import type { Account } from '../../core/account/account.ts'
import { limits } from '../../core/values/limits.ts'
import type { Timers } from '../ports.ts'
import type { OrderEnds } from './orderEnds.ts'

interface VenueWaitsDeps {
  readonly timers: Timers
  readonly account: Pick<Account, 'fillingOf'>
  readonly ends: Pick<OrderEnds, 'ask'>
}

/** In milliseconds. The stream tells an end about when the answer to the cancel comes; after this it is asked for. */
const askAfterMs = 100
const askAgainMs = 250

/**
 * Waits of entries for what only the venue can tell, above all how the orders ended that they
 * replace. The answer to a cancel does not say how much had filled before it came: the stream tells
 * that, or else a read.
 */
export class VenueWaits {
  private readonly deps: VenueWaitsDeps
  private readonly waiting = new Set<() => void>()

  constructor(deps: VenueWaitsDeps) {
    this.deps = deps
  }

  /** Resolves once the ends of all these orders are told, or after `endToldMsMax`. */
  untilEnded(oids: readonly number[]): Promise<void> {
    return this.until(
      () => this.untold(oids).length === 0,
      () => {
        this.deps.ends.ask(this.untold(oids))
      },
    )
  }

  /** Resolves once something is so, or after `endToldMsMax`; `ask` is called while it is not. */
  until(isSo: () => boolean, ask: () => void = () => undefined): Promise<void> {
    const { timers } = this.deps
    const { waiting } = this
    return new Promise((resolve) => {
      let cancelAsk = timers.after(askAfterMs, askAgain)
      const cancelLast = timers.after(limits.endToldMsMax, end)
      waiting.add(look)

      function look(): void {
        if (isSo()) end()
      }
      function askAgain(): void {
        ask()
        cancelAsk = timers.after(askAgainMs, askAgain)
      }
      function end(): void {
        waiting.delete(look)
        cancelAsk()
        cancelLast()
        resolve()
      }
    })
  }

  /** To be called after any news of the account or of an action: those who wait look again. */
  lookAgain(): void {
    for (const look of [...this.waiting]) look()
  }

  private untold(oids: readonly number[]): readonly number[] {
    return oids.filter((oid) => !this.deps.account.fillingOf(oid).isFinal)
  }
}
