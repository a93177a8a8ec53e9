import type { Account } from '../core/account/account.ts'
import { limits } from '../core/values/limits.ts'
import type { AccountReads } from './accountReads.ts'
import type { Timers } from './ports.ts'

export interface ToldEndsDeps {
  readonly timers: Timers
  readonly account: Pick<Account, 'fillingOf'>
  readonly reads: Pick<AccountReads, 'orderEnd'>
}

/** In milliseconds. The stream tells an end about when the answer to the cancel comes; after this it is asked for. */
const askAfterMs = 100
const askAgainMs = 250

/**
 * Waits for the venue's word on how cancelled orders ended. The answer to a cancel does not say how
 * much had filled before it came: the stream tells that, or else a read.
 */
export class ToldEnds {
  private readonly deps: ToldEndsDeps
  private readonly waiting = new Set<() => void>()

  constructor(deps: ToldEndsDeps) {
    this.deps = deps
  }

  /** Resolves once the ends of all these orders are told, or after `endToldMsMax`. */
  wait(oids: readonly number[]): Promise<void> {
    const { timers } = this.deps
    return new Promise((resolve) => {
      let cancelAsk = timers.after(askAfterMs, ask)
      const cancelLast = timers.after(limits.endToldMsMax, end)
      const look = (): void => {
        if (this.untold(oids).length === 0) end()
      }
      const { waiting } = this
      const askAll = (): void => this.ask(oids)
      waiting.add(look)

      function ask(): void {
        askAll()
        cancelAsk = timers.after(askAgainMs, ask)
      }
      function end(): void {
        waiting.delete(look)
        cancelAsk()
        cancelLast()
        resolve()
      }
    })
  }

  /** Something was told of the account. */
  told(): void {
    for (const look of [...this.waiting]) look()
  }

  private untold(oids: readonly number[]): readonly number[] {
    return oids.filter((oid) => !this.deps.account.fillingOf(oid).isFinal)
  }

  private ask(oids: readonly number[]): void {
    for (const oid of this.untold(oids)) {
      this.deps.reads.orderEnd(oid, 'entry').catch(() => undefined)
    }
  }
}
