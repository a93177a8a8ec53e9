import type { AccountEvent } from '../account/accountEvent.ts'
import { RecentMap } from '../account/recentMap.ts'
import type { Fill, LedgerEntry } from '../protocol/venueState.ts'
import type { Address } from '../values/address.ts'
import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { limits } from '../values/limits.ts'
import type { Millis } from '../values/millis.ts'

/** The venue took something from the account by itself. */
export interface LiquidationSign {
  /** Null where the sign names none. */
  readonly coin: Coin | null
  readonly text: string
}

/** What is older is history: lists of fills and of the ledger begin long ago. */
const newsMs = 600_000

/**
 * Finds in what the venue tells that it has liquidated the account, wholly or in part, or closed a
 * position of it to cover another account's loss. Each sign is given once, however often it is told.
 */
export class LiquidationSigns {
  readonly #account: Address
  readonly #seen = new RecentMap<string, true>(limits.liquidationSignsMax)

  constructor(account: Address) {
    this.#account = account
  }

  /** The signs of an event that are news, one for each coin. */
  told(event: AccountEvent): readonly LiquidationSign[] {
    if (event.kind === 'fills') return this.#inFills(event.fills, event.at)
    return event.kind === 'ledger' ? this.#inLedger(event.entries, event.at) : []
  }

  #inFills(fills: readonly Fill[], at: Millis): readonly LiquidationSign[] {
    const byCoin = new Map<Coin, Fill[]>()
    for (const fill of fills) {
      const isForced = fill.isDeleveraging === true || fill.liquidated === this.#account
      if (!isForced || !this.#isNews(`${fill.tid}:${fill.oid}`, fill.at, at)) continue
      byCoin.set(fill.coin, [...(byCoin.get(fill.coin) ?? []), fill])
    }
    return [...byCoin].map(([coin, forced]) => ({ coin, text: `${coin}: ${inWords(forced)}` }))
  }

  #inLedger(entries: readonly LedgerEntry[], at: Millis): readonly LiquidationSign[] {
    const rows = entries.filter(
      (entry) => entry.type === 'liquidation' && this.#isNews(entry.id, entry.at, at),
    )
    if (rows.length === 0) return []
    return [{ coin: null, text: "the venue's ledger tells of a liquidation of the account" }]
  }

  #isNews(id: string, happenedAt: Millis, at: Millis): boolean {
    if (this.#seen.has(id)) return false
    this.#seen.set(id, true)
    return at - happenedAt <= newsMs
  }
}

function inWords(forced: readonly Fill[]): string {
  const size = forced.reduce((sum, fill) => sum.plus(fill.size), Decimal.zero).toString()
  return forced.some(({ liquidated }) => liquidated !== undefined)
    ? `the venue liquidated ${size} of the position`
    : `the venue closed ${size} of the position to cover another account's loss (auto-deleveraging)`
}
