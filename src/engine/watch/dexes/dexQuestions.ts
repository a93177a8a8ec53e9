import type { Account } from '../../../core/account/account.ts'
import { dexOf } from '../../../core/protocol/coinKind.ts'
import type { Coin } from '../../../core/values/coin.ts'
import { limits } from '../../../core/values/limits.ts'
import type { Millis } from '../../../core/values/millis.ts'
import type { Clock, Urgency } from '../../ports.ts'
import type { AccountReads } from '../accountReads.ts'
import type { BuilderDexes } from './builderDexes.ts'

interface DexQuestionsDeps {
  readonly clock: Clock
  readonly account: Pick<
    Account,
    'stream' | 'dexOrdersAt' | 'doubtfulSince' | 'coinsWithOrders' | 'positions' | 'builderMarket'
  >
  readonly dexes: Pick<BuilderDexes, 'named' | 'inUse'>
  readonly reads: Pick<AccountReads, 'orders' | 'capped' | 'mids' | 'dexPrices'>
}

/** Each of these questions costs as much as ten states: in quiet times one is asked so rarely. */
const everyMs = 60_000
/** Orders that the stream does not tell are read at most this often. */
const silentMs = 20_000
/** The stream tells the orders of a dex within this time, or they are read. */
const firstListMs = 2_000
/** Reads for the sake of an entry that may be gone are at least this far apart. */
const doubtMs = 6_000
/** Marks and oracle prices that an entry is judged by may be so old before they are read. */
const pricesAgeMs = 10_000
/** What is at its cap, as far as is known, is asked about so often while somebody wants to open there. */
const cappedAgeMs = 10_000

/**
 * What is asked about builder dexes beside the states: their orders, which perps are at their cap, and
 * prices that the stream does not tell. With all of it the request weight stays near that of the main
 * dex alone, because only what is in use or named is asked about, and in quiet times one at a time.
 */
export class DexQuestions {
  readonly #deps: DexQuestionsDeps
  /** When each was last asked, by the monotonic clock. */
  readonly #asked = new Map<string, number>()
  #lastMs = -Infinity

  constructor(deps: DexQuestionsDeps) {
    this.#deps = deps
  }

  tick(now: Millis): void {
    const { dexes } = this.#deps
    const inUse = dexes.inUse
    for (const dex of inUse) if (this.#areOrdersDue(dex, now)) this.#askOrders(dex)
    for (const dex of dexes.named) if (!this.#asked.has(`capped ${dex}`)) void this.#askCapped(dex)
    this.#askOldest(inUse)
  }

  /** What an entry on these coins needs: marks and oracle prices, and room below the cap. Null when all is there already. */
  freshen(coins: readonly Coin[], now: Millis): Promise<unknown> | null {
    const stale = coins.filter((coin) => {
      const at = dexOf(coin) === '' ? now : (this.#deps.account.builderMarket(coin)?.at ?? null)
      return at === null || now - at > pricesAgeMs
    })
    const full = coins.filter((coin) => this.#deps.account.builderMarket(coin)?.isAtCap === true)
    const due = (what: string, of: readonly Coin[], ms: number): readonly string[] =>
      [...new Set(of.map(dexOf))].filter((dex) => this.#isDue(`${what} ${dex}`, ms))
    const reads = [
      ...due('prices', stale, pricesAgeMs).map((dex) => this.#askPrices(dex, 'entry')),
      ...due('capped', full, cappedAgeMs).map((dex) => this.#askCapped(dex)),
    ]
    return reads.length === 0 ? null : Promise.all(reads)
  }

  /** The mids of builder dexes on which something is held. */
  async mids(lane: Urgency): Promise<void> {
    const held = new Set([...this.#deps.account.positions.keys()].map(dexOf))
    held.delete('')
    await Promise.all([...held].map((dex) => this.#deps.reads.mids(lane, dex)))
  }

  #areOrdersDue(dex: string, now: Millis): boolean {
    const { account } = this.#deps
    const at = account.dexOrdersAt(dex)
    const ageMs = at === null ? Infinity : now - at
    if (account.stream !== 'live') return ageMs > silentMs && this.#isDue(`orders ${dex}`, silentMs)
    if (at === null) return this.#isDue(`orders ${dex}`, firstListMs) && this.#isLate(dex)
    return this.#isInDoubt(dex, now) && this.#isDue(`orders ${dex}`, doubtMs)
  }

  /** The stream has had its time to list the orders of a dex. */
  #isLate(dex: string): boolean {
    const nowMs = this.#deps.clock.monotonicMs()
    const sinceMs = this.#asked.get(`seen ${dex}`)
    if (sinceMs === undefined) this.#asked.set(`seen ${dex}`, nowMs)
    return sinceMs !== undefined && nowMs - sinceMs >= firstListMs
  }

  /** An entry that the stream's lists lack holds its room until a read says what became of it. */
  #isInDoubt(dex: string, now: Millis): boolean {
    const { account } = this.#deps
    const since = account.doubtfulSince
    if (since === null || now - since <= limits.accountAgeMsMax) return false
    return [...account.coinsWithOrders()].some((coin) => dexOf(coin) === dex)
  }

  /** In quiet times: what was asked longest ago, so that what the stream has missed is found. */
  #askOldest(inUse: readonly string[]): void {
    const nowMs = this.#deps.clock.monotonicMs()
    if (nowMs - this.#lastMs < everyMs) return
    const isFirst = this.#lastMs === -Infinity
    this.#lastMs = nowMs
    // At the start the stream tells everything.
    if (isFirst) return
    const asks = [
      ...inUse.map((dex) => [`orders ${dex}`, () => this.#askOrders(dex)] as const),
      ...this.#deps.dexes.named.map(
        (dex) => [`capped ${dex}`, () => void this.#askCapped(dex)] as const,
      ),
    ]
    const ageOf = (name: string): number => this.#asked.get(name) ?? 0
    const [oldest] = asks.toSorted(([left], [right]) => ageOf(left) - ageOf(right))
    oldest?.[1]()
  }

  #isDue(name: string, afterMs: number): boolean {
    return this.#deps.clock.monotonicMs() - (this.#asked.get(name) ?? -Infinity) >= afterMs
  }

  #askOrders(dex: string): void {
    this.#asked.set(`orders ${dex}`, this.#deps.clock.monotonicMs())
    this.#deps.reads.orders('watch', dex).catch(() => undefined)
  }

  async #askCapped(dex: string): Promise<void> {
    this.#asked.set(`capped ${dex}`, this.#deps.clock.monotonicMs())
    await this.#deps.reads.capped(dex, 'entry').catch(() => undefined)
  }

  async #askPrices(dex: string, lane: Urgency): Promise<void> {
    this.#asked.set(`prices ${dex}`, this.#deps.clock.monotonicMs())
    await this.#deps.reads.dexPrices(dex, lane)
  }
}
