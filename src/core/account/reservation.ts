import type { Leverage, OpenTrigger } from '../protocol/venueState.ts'
import type { Coin } from '../values/coin.ts'
import type { Decimal } from '../values/decimal.ts'

/** What every order that Guard is about to send has. */
interface ReservedOrderFields {
  /** Its place among the orders of its action. */
  readonly index: number
  readonly coin: Coin
  readonly isBuy: boolean
  readonly size: Decimal
  /** Its limit: it cannot fill at a worse price. */
  readonly price: Decimal
  readonly cloid: string
  /** The bot's id that goes on naming it, where it takes the place of the order that has that id. */
  readonly name?: string
  /** The place of the order whose fill it waits for; null when it works at once. */
  readonly parent: number | null
  /** Whether it can stay open on the venue: anything but an order that fills at once or ends. */
  readonly mayRest: boolean
}

/** Whose stop Guard keeps for an entry that waits for a trigger: the bot's, or one of Guard's own. */
export type StopChooser = 'bot' | 'guard'

/**
 * An entry that waits for a trigger: the venue holds no stop for it, so Guard's record alone has the
 * one that is placed once it fills.
 */
export interface WatchedTrigger {
  readonly trigger: OpenTrigger
  readonly stopBy: StopChooser
  /** What a unit of it counts as, at least, in USD: the highest of its limit, its trigger and the mark. */
  readonly worth: Decimal
}

/** An order in the first states of its life: Guard has decided on it, and the venue has not shown it. */
export type ReservedOrder = ReservedOrderFields &
  (
    | {
        readonly kind: 'entry'
        /** The stop it was judged with. */
        readonly stop: Decimal
        /** Where it waits for a trigger price; left out for a limit order. */
        readonly watched?: WatchedTrigger
      }
    /** A market stop: counts as not there until the venue shows it. */
    | { readonly kind: 'stop'; readonly trigger: Decimal }
    /** Anything else that only reduces: counts as not done. */
    | { readonly kind: 'reduce'; readonly trigger: OpenTrigger | null }
  )

/** A sell on a spot pair: it takes so much of a token that the account holds, and opens nothing. */
export interface SpotSell {
  readonly kind: 'spot_sell'
  /** Its place among the orders of its action. */
  readonly index: number
  /** The token's number. */
  readonly token: number
  readonly size: Decimal
}

/** A TWAP in the first state of its life: Guard has decided on it, and the venue has not shown it. */
export interface ReservedTwap {
  readonly kind: 'twap'
  readonly coin: Coin
  readonly isBuy: boolean
  readonly size: Decimal
  readonly minutes: number
  readonly isRandomized: boolean
  /** The price at which it starts; null when it starts at once. */
  readonly triggerPrice: Decimal | null
  /** The price at which it ends early; null when none does. */
  readonly endPrice: Decimal | null
  /** How it counts until it has ended; null where it can only reduce. */
  readonly opens: TwapExposure | null
}

/** What a TWAP that may open a position was judged with. */
export interface TwapExposure {
  /** The worst that a slice may fill at. */
  readonly price: Decimal
  /** The stop that rests for all of it once its first slice has filled. */
  readonly stop: Decimal
  /** What a unit of it counts as, at least, in USD. */
  readonly worth: Decimal
}

/** Isolated margin that is added to a position. */
export interface ReservedMargin {
  readonly kind: 'margin'
  readonly coin: Coin
  /** The margin that is added, in USD. */
  readonly amount: Decimal
}

/** One thing in flight, held at its worst case until the venue confirms what became of it. */
export type Reservation =
  | ReservedOrder
  | ReservedTwap
  /** A TWAP's cancel counts as not done. */
  | { readonly kind: 'twap_cancel'; readonly twapId: number }
  /** A cancel counts as not done for exposure, and as done for cover. */
  | {
      readonly kind: 'cancel'
      readonly coin: Coin | null
      readonly oid: number | null
      readonly cloid: string | null
    }
  | { readonly kind: 'leverage'; readonly coin: Coin; readonly leverage: Leverage }
  | ReservedMargin
  | SpotSell

/** What is about perps: all that can open, cover or close a position. */
export type PerpReservation = Exclude<Reservation, SpotSell>

/** Identifies the action a reservation belongs to: event seq and place, or any unique text. */
export type ReservationId = string

/** What a reply said of a reserved action. Unknown keeps it, until events or a read settle it. */
export type Settlement =
  | { readonly outcome: 'refused' }
  | { readonly outcome: 'accepted' }
  | { readonly outcome: 'unknown' }

/** What goes out as an entry, as far as it is looked at once more before it leaves. */
export interface OpeningItem {
  readonly coin: Coin
  readonly isBuy: boolean
  readonly size: Decimal
  readonly price: Decimal
  readonly stop: Decimal
}

/** The item as something that can open or enlarge a position; null where it cannot. */
export function openingOf(item: Reservation): OpeningItem | null {
  if (item.kind === 'entry') return item
  if (item.kind !== 'twap' || item.opens === null) return null
  const { coin, isBuy, size, opens } = item
  return { coin, isBuy, size, price: opens.price, stop: opens.stop }
}

/** The first of the items that can open or enlarge a position; null where none can. */
export function firstOpening(items: readonly Reservation[] = []): OpeningItem | null {
  return items.flatMap((item) => openingOf(item) ?? [])[0] ?? null
}

const orderKinds: ReadonlySet<Reservation['kind']> = new Set(['entry', 'stop', 'reduce'])

export function isOrder(item: PerpReservation): item is ReservedOrder {
  return orderKinds.has(item.kind)
}
