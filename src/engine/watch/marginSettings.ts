import type { Account } from '../../core/account/account.ts'
import type { RulesFor } from '../../core/rules/rules.ts'
import type { Coin } from '../../core/values/coin.ts'
import { limits } from '../../core/values/limits.ts'
import type { AccountReads } from './accountReads.ts'
import type { Clock } from '../ports.ts'

interface MarginSettingsDeps {
  readonly clock: Clock
  readonly account: Account
  readonly reads: Pick<AccountReads, 'setting'>
  readonly rulesFor: RulesFor
}

/** The read costs as much as ten orders: a coin's is asked for at most this often. */
const everyMs = 1_000
const untoldAtOnce = 4

/**
 * Reads what margin coins are set to, where the rules admit cross margin: a coin that nobody has
 * touched is on cross margin, and an entry on it goes with what is set. The stream tells of it too;
 * a position tells of its own.
 */
export class MarginSettings {
  private readonly deps: MarginSettingsDeps
  private readonly asking = new Map<Coin, Promise<unknown>>()
  /** When each coin was last asked for, by the monotonic clock. */
  private readonly askedMs = new Map<Coin, number>()

  constructor(deps: MarginSettingsDeps) {
    this.deps = deps
  }

  /** Reads what is not fresh of these coins; null when nothing has to be read. */
  freshen(coins: readonly Coin[]): Promise<unknown> | null {
    const wanted = [...new Set([...coins, ...this.untold()])].filter((coin) => this.isWanted(coin))
    if (wanted.length === 0) return null
    return Promise.all(wanted.map((coin) => this.ask(coin)))
  }

  /** Coins with entries, as after a restart, of which nobody knows what is set: some at a time. */
  private untold(): readonly Coin[] {
    const { account, rulesFor } = this.deps
    if (rulesFor(null, null).margin !== 'cross') return []
    const rows = account.crossPools().flatMap((pool) => pool.rows)
    const untold = rows.filter(({ coin }) => account.leverage(coin) === null)
    return untold.slice(0, untoldAtOnce).map(({ coin }) => coin)
  }

  private isWanted(coin: Coin): boolean {
    const { account, clock, rulesFor } = this.deps
    if (rulesFor(null, coin).margin !== 'cross' || account.positions.has(coin)) return false
    if (account.market(coin)?.onlyIsolated !== false) return false
    // While a change is on its way a read says nothing about what will be set.
    if (account.leveragesInFlight(coin).length > 0) return false
    const known = account.leverage(coin)
    return known === null || clock.now() - known.at > limits.accountAgeMsMax
  }

  private ask(coin: Coin): Promise<unknown> {
    const nowMs = this.deps.clock.monotonicMs()
    const asking = this.asking.get(coin)
    if (asking !== undefined) return asking
    if (nowMs - (this.askedMs.get(coin) ?? -Infinity) < everyMs) return Promise.resolve()
    this.askedMs.set(coin, nowMs)
    const answer = this.deps.reads.setting(coin, 'entry').finally(() => this.asking.delete(coin))
    this.asking.set(coin, answer)
    return answer
  }
}
