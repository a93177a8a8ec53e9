import type { Coin } from '../values/coin.ts'
import type { Decimal } from '../values/decimal.ts'
import type { Leverage } from '../protocol/venueState.ts'

/** One thing in flight, held at its worst case until the venue confirms what became of it. */
export type Reservation =
  | {
      readonly kind: 'entry'
      readonly coin: Coin
      readonly isBuy: boolean
      readonly size: Decimal
      /** The worst price it may fill at. */
      readonly price: Decimal
      readonly stop: Decimal
      readonly cloid: string
      readonly stopCloid: string | null
      readonly mayRest: boolean
    }
  /** A reduction counts as not done; it is here so that it can be found and counted. */
  | {
      readonly kind: 'reduce'
      readonly coin: Coin
      readonly size: Decimal
      readonly cloid: string | null
    }
  /** A stop being placed counts as not there. */
  | {
      readonly kind: 'stop'
      readonly coin: Coin
      /** The stop's own side: a sell stop protects a long position. */
      readonly isBuy: boolean
      readonly trigger: Decimal
      readonly size: Decimal
      readonly cloid: string
    }
  /** A cancel counts as not done for exposure, and as done for cover. */
  | {
      readonly kind: 'cancel'
      readonly coin: Coin | null
      readonly oid: number | null
      readonly cloid: string | null
    }
  | { readonly kind: 'leverage'; readonly coin: Coin; readonly leverage: Leverage }

/** Identifies the action a reservation belongs to: event seq and index, or any unique text. */
export type ReservationId = string

/** What a reply said of a reserved action. Unknown keeps it, until events or a read settle it. */
export type Settlement =
  | { readonly outcome: 'refused' }
  | { readonly outcome: 'accepted' }
  | { readonly outcome: 'unknown' }
