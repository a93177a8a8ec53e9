import type { Markets } from '../core/protocol/market.ts'
import type { Clock, Journal } from '../engine/ports.ts'
import { StoreError } from './storeSession.ts'
import type { StoreSession } from './storeSession.ts'

interface TellerDeps {
  readonly identity: { readonly instance: string; readonly host: string }
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly journal: { readonly journal: Pick<Journal, 'head'> }
  /** What the venue lists; missing where this Guard does not say. */
  readonly markets?: () => Markets | undefined
}

const everyMs = 5_000

/**
 * Tells the store where the journal of this home ends, whether the store keeps it or another's, and which
 * coins there are. A store that takes none of it, as one of an earlier version, is told no more of it until
 * the next connection.
 */
export class HomeTeller {
  readonly #deps: TellerDeps
  #toldMs = -Infinity
  #coins = ''
  #markets: Markets | undefined = undefined
  #isRefused = false

  constructor(deps: TellerDeps) {
    this.#deps = deps
  }

  /** The connection is a new one: the store may have lost what it was told, or take what it did not. */
  begin(): void {
    this.#toldMs = -Infinity
    this.#coins = ''
    this.#markets = undefined
    this.#isRefused = false
  }

  /** Rejects as the session does, but not where the store refuses. */
  async tell(session: StoreSession): Promise<void> {
    const nowMs = this.#deps.clock.monotonicMs()
    if (this.#isRefused || nowMs - this.#toldMs < everyMs) return
    this.#toldMs = nowMs
    try {
      const { instance, host } = this.#deps.identity
      const { seq, hash } = this.#deps.journal.journal.head
      await session.query(tellHead, [instance, host, seq, hash])
      await this.#tellCoins(session)
    } catch (error) {
      if (!(error instanceof StoreError) || error.kind !== 'refused') throw error
      this.#isRefused = true
    }
  }

  /** Once, and again where the venue lists others. */
  async #tellCoins(session: StoreSession): Promise<void> {
    const markets = this.#deps.markets?.()
    if (markets === undefined || markets === this.#markets || markets.byCoin.size === 0) return
    this.#markets = markets
    const coins = JSON.stringify([...markets.byCoin.keys()].sort())
    if (coins === this.#coins) return
    await session.query(tellCoins, [coins])
    this.#coins = coins
  }
}

const tellHead = 'select guard.tell_head($1, $2, $3, $4)'
const tellCoins = 'select guard.tell_coins($1)'
