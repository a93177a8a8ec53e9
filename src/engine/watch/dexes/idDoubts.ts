import { dexOf } from '../../../core/protocol/coinKind.ts'
import type { Coin } from '../../../core/values/coin.ts'
import type { Clock, VenueNews } from '../../ports.ts'
import type { DexList } from './dexList.ts'

interface IdDoubtsDeps {
  readonly clock: Pick<Clock, 'now' | 'monotonicMs'>
  readonly list: Pick<DexList, 'arePlacesDoubted' | 'distrust'>
  readonly deliver: (news: VenueNews) => void
}

type PlacesTold = Extract<VenueNews, { kind: 'dex_places' }>
type Told = Extract<VenueNews, { kind: 'fills' | 'order_updates' }>

/** A stop, or a close in its place, waits so long at most for the lists that tell its id. */
const awaitedMs = 1_000

/**
 * Whether the ids of builder dexes may be those of other perps by now. Nothing opens meanwhile, and a stop
 * waits a moment for the lists: under another perp's id it protects nothing, and may fire there.
 */
export class IdDoubts {
  readonly #deps: IdDoubtsDeps
  /** Whether the account was told last that ids may be those of other perps. */
  #areDoubted = false
  /** Since when something waits for the lists, by the monotonic clock; null where nothing does. */
  #sinceMs: number | null = null

  constructor(deps: IdDoubtsDeps) {
    this.#deps = deps
  }

  /**
   * What became of Guard's own order does not fit its id. `isSure`: the lists are asked for however short ago
   * they were, for much depends on it.
   */
  doubt(coin: Coin, isSure = false): void {
    if (dexOf(coin) === '') return
    this.#deps.list.distrust(isSure)
    this.tell()
  }

  /** Where the venue itself has ended a perp its dex may be gone, and the others moved up. */
  heed(news: Told): void {
    const isEnd =
      news.kind === 'fills'
        ? !news.isSnapshot && news.fills.some(({ isSettlement }) => isSettlement)
        : news.updates.some(({ coin, status }) => dexOf(coin) !== '' && isVenuesEnd.test(status))
    if (isEnd) this.#deps.list.distrust(true)
  }

  /** Whether what would go out for this coin waits for the lists. */
  isAwaited(coin: Coin): boolean {
    const { clock, list } = this.#deps
    if (dexOf(coin) === '' || !list.arePlacesDoubted) return false
    const nowMs = clock.monotonicMs()
    this.#sinceMs ??= nowMs
    return nowMs - this.#sinceMs < awaitedMs
  }

  /** As the account is told of it, where that is news. */
  news(): readonly PlacesTold[] {
    const { arePlacesDoubted: areDoubted } = this.#deps.list
    if (!areDoubted) this.#sinceMs = null
    if (areDoubted === this.#areDoubted) return []
    this.#areDoubted = areDoubted
    return [{ kind: 'dex_places', areDoubted, at: this.#deps.clock.now() }]
  }

  tell(): void {
    for (const told of this.news()) this.#deps.deliver(told)
  }
}

/** An order that ends like this was on a market that the venue has taken away. */
const isVenuesEnd = /^(delistedCanceled|internalCancel)/
