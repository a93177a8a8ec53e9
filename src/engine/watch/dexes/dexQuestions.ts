import type { Account } from '../../../core/account/account.ts'
import { dexOf } from '../../../core/protocol/coinKind.ts'
import type { Coin } from '../../../core/values/coin.ts'
import { limits } from '../../../core/values/limits.ts'
import type { Millis } from '../../../core/values/millis.ts'
import type { Clock, Urgency, WeightBudget } from '../../ports.ts'
import type { AccountReads } from '../accountReads.ts'
import { listWeight } from '../coverSight.ts'
import type { BuilderDexes } from './builderDexes.ts'

interface DexQuestionsDeps {
  readonly clock: Clock
  readonly account: Pick<
    Account,
    | 'stream'
    | 'dexOrdersAt'
    | 'doubtfulCoins'
    | 'unlistedCoins'
    | 'coinsWithOrders'
    | 'ordersOf'
    | 'positions'
    | 'builderMarket'
  >
  readonly dexes: Pick<
    BuilderDexes,
    'named' | 'inUse' | 'unfollowed' | 'unlisted' | 'lists' | 'isGone' | 'letGo'
  >
  readonly reads: Pick<AccountReads, 'orders' | 'capped' | 'mids' | 'dexPrices'>
  readonly budget: Pick<WeightBudget, 'roomInMs'>
}

/** Each of these questions costs as much as ten states: in quiet times one is asked so rarely. */
const everyMs = 60_000
/** Orders that the stream does not tell are read at most this often. */
const silentMs = 20_000
/** The stream tells the orders of a dex within this time, or they are read. */
const firstListMs = 2_000
/** Orders that nobody has listed since the start are read at most this often: nothing opens meanwhile. */
const unlistedMs = 3_000
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
  /** Since when each dex shows orders that can reduce nothing, by the monotonic clock. */
  readonly #straySince = new Map<string, number>()
  /** By dex, the read of its orders that has been asked for and is not answered yet. */
  readonly #listing = new Map<string, Promise<unknown>>()
  #lastMs = -Infinity
  /** When the stream was seen last not to be live, by the venue's time, and since when it is live again. */
  #stream: { readonly downAt: Millis; readonly liveMs: number | null } | null = null

  constructor(deps: DexQuestionsDeps) {
    this.#deps = deps
  }

  tick(now: Millis): void {
    const { account, clock, dexes } = this.#deps
    if (account.stream !== 'live') this.#stream = { downAt: now, liveMs: null }
    else if (this.#stream?.liveMs === null) {
      this.#stream = { ...this.#stream, liveMs: clock.monotonicMs() }
    }
    const inUse = dexes.inUse
    const doubtful = this.#doubtful(now)
    for (const dex of this.#unlisted()) {
      if (this.#isDue(`orders ${dex}`, unlistedMs)) this.#askOrders(dex)
    }
    for (const dex of new Set([...inUse, ...doubtful])) {
      if (this.#areOrdersDue(dex, now, doubtful.has(dex))) this.#askOrders(dex)
    }
    for (const dex of this.#withStrays()) {
      if (this.#isDue(`orders ${dex}`, silentMs)) this.#askOrders(dex)
    }
    for (const dex of dexes.named) if (!this.#asked.has(`capped ${dex}`)) void this.#askCapped(dex)
    this.#askOldest(inUse)
  }

  /**
   * What an entry on these coins needs: marks and oracle prices, room below the cap, and the orders that
   * rest on any dex. Null when all is there already.
   */
  freshen(coins: readonly Coin[], now: Millis): Promise<unknown> | null {
    const stale = coins.filter((coin) => {
      const at = dexOf(coin) === '' ? now : (this.#deps.account.builderMarket(coin)?.at ?? null)
      return at === null || now - at > pricesAgeMs
    })
    const full = coins.filter((coin) => this.#deps.account.builderMarket(coin)?.isAtCap === true)
    const due = (what: string, of: readonly Coin[], ms: number): readonly string[] =>
      [...new Set(of.map(dexOf))].filter((dex) => this.#isDue(`${what} ${dex}`, ms))
    const unlisted = this.#unlisted()
    for (const dex of unlisted) {
      if (this.#isDue(`orders ${dex}`, unlistedMs)) this.#askOrders(dex, 'entry')
    }
    const reads = [
      ...unlisted.flatMap((dex) => this.#listing.get(dex) ?? []),
      ...due('prices', stale, pricesAgeMs).map((dex) => this.#askPrices(dex, 'entry')),
      ...due('capped', full, cappedAgeMs).map((dex) => this.#askCapped(dex)),
    ]
    return reads.length === 0 ? null : Promise.all(reads)
  }

  /** The dexes in use whose orders nobody has listed since a moment: they are asked for. */
  unlistedSince(moment: Millis): readonly string[] {
    const { account, dexes } = this.#deps
    const unlisted = dexes.inUse.filter((dex) => (account.dexOrdersAt(dex) ?? -Infinity) < moment)
    for (const dex of unlisted) {
      if (this.#isDue(`orders ${dex}`, doubtMs)) this.#askOrders(dex)
    }
    return unlisted
  }

  /** The mids of builder dexes on which something is held. */
  async mids(lane: Urgency): Promise<void> {
    const held = new Set([...this.#deps.account.positions.keys()].map(dexOf))
    held.delete('')
    await Promise.all([...held].map((dex) => this.#deps.reads.mids(lane, dex)))
  }

  /** Those whose orders nobody has listed since the start: first those that the stream cannot tell. */
  #unlisted(): readonly string[] {
    const { unlisted, unfollowed } = this.#deps.dexes
    const isLeft = (dex: string): boolean => unfollowed.includes(dex)
    return [...unlisted.filter(isLeft), ...unlisted.filter((dex) => !isLeft(dex))]
  }

  #areOrdersDue(dex: string, now: Millis, isInDoubt: boolean): boolean {
    const { account } = this.#deps
    const at = account.dexOrdersAt(dex)
    const ageMs = at === null ? Infinity : now - at
    // Also while the stream comes and goes: its lists leave it open what became of an entry.
    if (isInDoubt && this.#isDue(`orders ${dex}`, doubtMs)) return true
    if (account.stream !== 'live') return ageMs > silentMs && this.#isDue(`orders ${dex}`, silentMs)
    if (!this.#isDue(`orders ${dex}`, firstListMs)) return false
    return at === null ? this.#isLate(dex) : this.#isFromBefore(at)
  }

  /** The stream came back, has had its time to list the orders anew, and what is known of them is older. */
  #isFromBefore(at: Millis): boolean {
    const { downAt, liveMs } = this.#stream ?? { downAt: null, liveMs: null }
    if (downAt === null || liveMs === null || at > downAt) return false
    return this.#deps.clock.monotonicMs() - liveMs >= firstListMs
  }

  /** The stream has had its time to list the orders of a dex. */
  #isLate(dex: string): boolean {
    const nowMs = this.#deps.clock.monotonicMs()
    const sinceMs = this.#asked.get(`seen ${dex}`)
    if (sinceMs === undefined) this.#asked.set(`seen ${dex}`, nowMs)
    return sinceMs !== undefined && nowMs - sinceMs >= firstListMs
  }

  /**
   * Dexes with an entry that the stream's lists lack: it holds its room until a read says what became of
   * it. Of one that came and went while the stream was silent nothing else was ever told. So with an exit
   * or a stop of which no list has come since: a list comes only when something changes.
   */
  #doubtful(now: Millis): ReadonlySet<string> {
    const { account } = this.#deps
    const before = now - limits.accountAgeMsMax
    const coins = [...account.doubtfulCoins(before), ...account.unlistedCoins(before)]
    const dexes = new Set(coins.map(dexOf))
    dexes.delete('')
    return dexes
  }

  /**
   * Dexes that have shown, for a while, orders which can only reduce and nothing to be reduced: the venue
   * ends them with their position, and the stream may not have told.
   */
  #withStrays(): readonly string[] {
    const { account, clock } = this.#deps
    const isStray = (coin: Coin): boolean =>
      dexOf(coin) !== '' &&
      !account.positions.has(coin) &&
      account.ordersOf(coin).every(({ isReduceOnly }) => isReduceOnly)
    const strays = new Set([...account.coinsWithOrders()].filter(isStray).map(dexOf))
    const nowMs = clock.monotonicMs()
    for (const dex of this.#straySince.keys()) if (!strays.has(dex)) this.#straySince.delete(dex)
    for (const dex of strays) {
      if (!this.#straySince.has(dex)) this.#straySince.set(dex, nowMs)
    }
    return [...this.#straySince].flatMap(([dex, sinceMs]) =>
      nowMs - sinceMs >= limits.accountAgeMsMax ? dex : [],
    )
  }

  /** In quiet times: what was asked longest ago, so that what the stream has missed is found. */
  #askOldest(inUse: readonly string[]): void {
    const nowMs = this.#deps.clock.monotonicMs()
    if (nowMs - this.#lastMs < everyMs) return
    const isFirst = this.#lastMs === -Infinity
    this.#lastMs = nowMs
    // At the start the stream tells everything.
    if (isFirst) return
    // Of a dex that the stream has no room for, nothing else tells what rested there before.
    const listed = new Set([...inUse, ...this.#deps.dexes.unfollowed])
    const asks = [
      ...[...listed].map((dex) => [`orders ${dex}`, () => this.#askOrders(dex)] as const),
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

  #askOrders(dex: string, lane: Urgency = 'watch'): void {
    const { budget, clock, dexes, reads } = this.#deps
    const isGone = dexes.isGone(dex)
    // What cannot be paid for was not asked: it is as soon as it can be.
    if (!isGone && budget.roomInMs(lane, listWeight) > 0) {
      dexes.lists.failed(dex)
      return
    }
    this.#asked.set(`orders ${dex}`, clock.monotonicMs())
    // Of a dex that is no more nobody can be asked.
    if (isGone) {
      dexes.letGo(dex)
      return
    }
    const done = (isRead: boolean): void => {
      if (!isRead) dexes.lists.failed(dex)
      this.#listing.delete(dex)
    }
    const listing = reads.orders(lane, dex).then(
      ({ ok }) => {
        done(ok)
      },
      () => {
        done(false)
      },
    )
    this.#listing.set(dex, listing)
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
