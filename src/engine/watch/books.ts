import type { AccountView } from '../../core/account/accountView.ts'
import type { Action } from '../../core/protocol/action.ts'
import type { RulesFor } from '../../core/rules/rules.ts'
import type { Coin } from '../../core/values/coin.ts'
import { limits } from '../../core/values/limits.ts'
import type { Clock } from '../ports.ts'
import type { AccountReads } from './accountReads.ts'
import { openedCoins } from './openedCoins.ts'

interface BooksDeps {
  readonly clock: Clock
  readonly account: Pick<AccountView, 'markets' | 'positions'>
  readonly rulesFor: RulesFor
  /** What comes of a read is delivered as an event. */
  readonly reads: Pick<AccountReads, 'book'>
}

/** A book that was asked for is not asked for again for so long: half of how old it may be. */
const askEveryMs = limits.bookAgeMsMax / 2

/**
 * The books of builder dexes' perps, read where an entry is to be measured against one
 * (`max_book_share`): at most one read of a coin at a time, and one a second.
 */
export class Books {
  private readonly deps: BooksDeps
  /** When a coin's book was last asked for, by the monotonic clock, and the read while it runs. */
  private readonly asked = new Map<Coin, { readonly atMs: number; read: Promise<void> | null }>()

  constructor(deps: BooksDeps) {
    this.deps = deps
  }

  /** What a request has to wait for; null where no book is needed, or it was read just now. */
  wanted(action: Action): Promise<void> | null {
    const { account, rulesFor } = this.deps
    if (action.type === 'updateLeverage') return null
    const coins = openedCoins(action, account).filter(
      (coin) =>
        account.markets.byCoin.get(coin)?.builder !== undefined &&
        rulesFor(null, coin).maxBookShare !== null,
    )
    const reads = coins.flatMap((coin) => this.ask(coin) ?? [])
    return reads.length === 0 ? null : Promise.all(reads).then(() => undefined)
  }

  private ask(coin: Coin): Promise<void> | null {
    const nowMs = this.deps.clock.monotonicMs()
    const known = this.asked.get(coin)
    if (known !== undefined && (known.read !== null || nowMs - known.atMs < askEveryMs)) {
      return known.read
    }
    const asking: { readonly atMs: number; read: Promise<void> | null } = {
      atMs: nowMs,
      read: null,
    }
    const done = (): void => {
      asking.read = null
    }
    asking.read = this.deps.reads.book(coin, 'entry').then(done, done)
    this.asked.set(coin, asking)
    return asking.read
  }
}
