import type { AccountEvent } from '../../core/account/accountEvent.ts'
import { cashElsewhere, isQuoteKnown } from '../../core/account/tradesElsewhere.ts'
import { coinKind, dexOf } from '../../core/protocol/coinKind.ts'
import type { SpotQuotes } from '../../core/protocol/decodeSpotMeta.ts'
import type { AccountMode, Fill } from '../../core/protocol/venueState.ts'
import { isOddCoin } from '../../core/values/coin.ts'
import type { Coin } from '../../core/values/coin.ts'
import { limits } from '../../core/values/limits.ts'
import type { Millis } from '../../core/values/millis.ts'
import type { Result } from '../../core/values/result.ts'
import { Backoff } from '../backoff.ts'
import type { BuilderDexes } from './dexes/builderDexes.ts'
import type { Clock, Log, Timers } from '../ports.ts'

interface OtherMarketsDeps {
  readonly clock: Clock
  readonly timers: Timers
  readonly log: Log
  readonly readQuotes: () => Promise<Result<SpotQuotes>>
  readonly deliver: (event: AccountEvent) => void
  /** Whether what is told of a builder dex is watched: a dex that is not known yet is not. */
  readonly dexes: Pick<BuilderDexes, 'isKnown'>
  readonly isStopped: () => boolean
}

/** A pair that the last answer did not have is asked for again after so long. */
const freshMs = 60_000
const retryMsMax = 5_000

/**
 * The venue tells an account's orders and fills of all markets together: spot pairs and outcomes too.
 * None of them is a perp, which is all that Guard holds stops for; nor is what is told of a builder dex
 * before it is known. Their orders are counted, and what their trades do to a unified account's USDC is
 * told by itself.
 */
export class OtherMarkets {
  readonly #deps: OtherMarketsDeps
  readonly #backoff: Backoff
  #mode: AccountMode = 'unknown'
  #quotes: SpotQuotes = new Map()
  #readMs = -Infinity
  #isAsking = false
  /** The odd names that the log told last, so that the same ones are told once. */
  #odd = ''
  /** Fills whose effect is not known yet: the account's mode or a pair's money is not. */
  #waiting: Fill[] = []

  constructor(deps: OtherMarketsDeps) {
    this.#deps = deps
    this.#backoff = new Backoff(deps.clock, retryMsMax)
  }

  /** The event as far as it tells of watched perps, then what it tells of other markets. */
  separate(event: AccountEvent): readonly AccountEvent[] {
    switch (event.kind) {
      case 'mode':
        this.#mode = event.mode
        return [event, ...this.#told(event.at)]
      case 'orders': {
        const orders = this.#watched(event.orders)
        const elsewhere = event.orders.length - orders.length
        if (elsewhere === 0) return [event]
        const spot = event.orders.filter(({ coin }) => coinKind(coin) === 'spot')
        return [{ ...event, orders, elsewhere, ...(spot.length === 0 ? {} : { spot }) }]
      }
      case 'order_updates':
        return [{ ...event, updates: this.#watched(event.updates) }]
      case 'funding':
        if (this.#mode === 'unifiedAccount') return [event]
        return [{ ...event, payments: this.#watched(event.payments) }]
      case 'fills': {
        const fills = this.#watched(event.fills)
        if (fills.length === event.fills.length) return [event]
        this.#wait(event.fills.filter((fill) => !this.#isWatched(fill)))
        return [{ ...event, fills }, ...this.#told(event.at)]
      }
      case 'markets':
        this.#tellOdd([...event.markets.byCoin.keys()].filter(isOddCoin))
        return [event]
      default:
        return [event]
    }
  }

  #isWatched({ coin }: { readonly coin: Coin }): boolean {
    const kind = coinKind(coin)
    return kind === 'perp' || (kind === 'builder_dex' && this.#deps.dexes.isKnown(dexOf(coin)))
  }

  #watched<T extends { readonly coin: Coin }>(list: readonly T[]): readonly T[] {
    return list.every((each) => this.#isWatched(each))
      ? list
      : list.filter((each) => this.#isWatched(each))
  }

  #tellOdd(coins: readonly Coin[]): void {
    const odd = coins.slice(0, limits.oddNamesToldMax).join(', ')
    if (odd !== '' && odd !== this.#odd) {
      const text = 'nothing opens on markets with odd names'
      this.#deps.log.log('warn', text, { coins: odd })
    }
    this.#odd = odd
  }

  #wait(fills: readonly Fill[]): void {
    this.#waiting = [...this.#waiting, ...fills].slice(-limits.tradesElsewhereMax)
  }

  /** The effects that are known by now. */
  #told(at: Millis): readonly AccountEvent[] {
    if (this.#mode === 'unknown') return []
    const fills = this.#waiting
    this.#waiting = []
    // Another mode's perps have a balance of their own, which these trades do not touch.
    if (this.#mode !== 'unifiedAccount') return []
    const unknown = fills.filter((fill) => !isQuoteKnown(fill, this.#quotes))
    this.#waiting = unknown
    if (unknown.length > 0) this.#ask()
    const changes = fills.flatMap((fill) => {
      const change = unknown.includes(fill) ? null : cashElsewhere(fill, this.#quotes)
      return change === null ? [] : [change]
    })
    return changes.length === 0 ? [] : [{ kind: 'elsewhere', changes, at }]
  }

  #ask(): void {
    const { clock, log } = this.#deps
    if (this.#isAsking) return
    if (clock.monotonicMs() - this.#readMs < freshMs) {
      const pairs = [...new Set(this.#waiting.map(({ coin }) => coin))].slice(0, 5)
      log.log('warn', 'a fill on a spot pair that the venue does not list', { pairs })
      this.#waiting = []
      return
    }
    this.#isAsking = true
    this.#readQuotes().catch((error: unknown) => {
      log.log('error', 'the spot pairs could not be read', { error: String(error) })
    })
  }

  async #readQuotes(): Promise<void> {
    const { clock, timers, log, readQuotes, deliver, isStopped } = this.#deps
    const read = await readQuotes()
    if (isStopped()) return
    this.#isAsking = false
    if (!read.ok) {
      log.log('warn', 'the spot pairs could not be read', { error: read.error })
      timers.after(this.#backoff.failed('pairs'), () => {
        if (this.#waiting.length > 0) this.#ask()
      })
      return
    }
    this.#backoff.reset('pairs')
    this.#quotes = read.value
    this.#readMs = clock.monotonicMs()
    for (const event of this.#told(clock.now())) deliver(event)
  }
}
