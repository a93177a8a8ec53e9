import type { Coin } from '../values/coin.ts'
import type { Decimal } from '../values/decimal.ts'

/** One budget that this account shares with others, and what of it is leased here; in USD. */
export interface LeasePart {
  /** `fleet`, `group:NAME` or `account:NETWORK:0x..` */
  readonly scope: string
  /** `open_risk`, `gross_value` or `coin_value:COIN` */
  readonly kind: string
  /** What positions, entries that rest and everything in flight may come to here. */
  readonly held: Decimal
  /** What a person set for all of the scope. */
  readonly budget: Decimal
}

/** What the fleet lets this account have of a coin. */
export interface Lease {
  /** Why nothing opens: the fleet's store was not heard, or not for too long; null while it counts. */
  readonly ended: string | null
  /** Every budget that counts for the coin; all of them hold at once. */
  readonly parts: readonly LeasePart[]
}

export type LeaseFor = (coin: Coin) => Lease

const coinPrefix = 'coin_value:'

export function isRiskKind(kind: string): boolean {
  return kind === 'open_risk'
}

/** The coin that a kind is about; null where it is about all of them. */
export function coinOfKind(kind: string): string | null {
  return kind.startsWith(coinPrefix) ? kind.slice(coinPrefix.length) : null
}
