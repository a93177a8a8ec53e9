import type { OrderRef } from '../protocol/action.ts'
import type { SpotPair } from '../protocol/decodeSpotMeta.ts'
import type { OpenOrder, TokenBalance } from '../protocol/venueState.ts'
import { Decimal } from '../values/decimal.ts'
import { limits } from '../values/limits.ts'
import { shifted } from '../values/millis.ts'
import type { Millis } from '../values/millis.ts'
import type { AccountEvent } from './accountEvent.ts'
import type {
  PerpReservation,
  Reservation,
  ReservationId,
  Settlement,
  SpotSell,
} from './reservation.ts'

/** What judges read of the account's tokens; none of it is a position. */
export interface SpotView {
  /** When the balances were last told; null before the first time. */
  readonly at: Millis | null
  /** Whether the venue's list of pairs was read. */
  readonly arePairsKnown: boolean
  pair(asset: number): SpotPair | null
  /** What of a token nothing holds: neither an open order nor a sell that is on its way. */
  free(token: number): Decimal
  /** An open order on a spot pair; null where none is listed. */
  order(ref: OrderRef): OpenOrder | null
}

interface Sell {
  readonly id: ReservationId
  readonly item: SpotSell
  /** Balances that were taken from then on show what became of it. */
  shownFrom: number
  isAnswered: boolean
}

type SpotTold = Extract<AccountEvent, { kind: 'spot' }>

/**
 * The tokens of the account, and the sells of them that are on their way. What a sell takes is counted
 * off balances that are from before it, and not off balances that were taken after its answer. Of any
 * others nobody can tell whether they include the sell: they are passed over for a while, since what it
 * takes would count twice or not at all.
 */
export class SpotHoldings implements SpotView {
  #pairs: ReadonlyMap<number, SpotPair> = new Map()
  #balances: ReadonlyMap<number, TokenBalance> = new Map()
  #orders: readonly OpenOrder[] = []
  #sells: readonly Sell[] = []
  /** Answers until then are in the balances; those of a message from before then may be older ones. */
  #shownUntil = 0
  /** The last balances that were told were passed over. */
  #isBehind = false
  at: Millis | null = null

  /** Takes what an event tells of it; true where it tells nothing else. */
  told(event: AccountEvent): event is Extract<AccountEvent, { kind: 'spot_pairs' }> {
    if (event.kind === 'spot_pairs') {
      this.#pairs = new Map(event.pairs.map((pair) => [pair.asset, pair]))
      return true
    }
    // Only the main dex's list has the orders on spot pairs: a builder dex's says nothing of them.
    if (event.kind === 'orders' && event.dex === undefined) this.#orders = event.spot ?? []
    if (event.kind === 'spot') this.#seen(event)
    return false
  }

  #seen(event: SpotTold): void {
    const taken = takenAt(event)
    const untold = this.#sells.filter(({ shownFrom }) => taken < shownFrom)
    const isUnsure = untold.length > 0 || taken < this.#shownUntil
    this.#isBehind = isUnsure && this.at !== null && event.at - this.at < limits.spotKeptMs
    if (this.#isBehind) return
    this.#balances = event.spot.tokens ?? new Map()
    this.at = event.at
    for (const sell of this.#sells) {
      if (taken >= sell.shownFrom) this.#shownUntil = Math.max(this.#shownUntil, sell.shownFrom)
    }
    this.#sells = untold
  }

  /** Whether a read may show more of a token free: a sell was answered, or balances were passed over. */
  mayHaveMore(token: number): boolean {
    return (
      this.#isBehind ||
      this.#sells.some(({ item, isAnswered }) => item.token === token && isAnswered)
    )
  }

  /** Holds the sells among these from this tick on; returns the others, which are about perps. */
  reserve(
    id: ReservationId,
    items: readonly Reservation[],
    at: Millis,
  ): readonly PerpReservation[] {
    const isSell = (item: Reservation): item is SpotSell => item.kind === 'spot_sell'
    const shownFrom = at + limits.mayArriveMs
    const sells = items.filter(isSell).map((item) => ({ id, item, shownFrom, isAnswered: false }))
    if (sells.length === 0) return items as readonly PerpReservation[]
    this.#sells = [...this.#sells, ...sells]
    return items.filter((item) => item.kind !== 'spot_sell')
  }

  /** What a reply said of an action, or of the order at one place of it. */
  settle(id: ReservationId, { outcome }: Settlement, at: Millis, index: number | null): void {
    this.#sells = this.#sells.filter((sell) => {
      const isMeant = sell.id === id && (index === null || sell.item.index === index)
      if (isMeant && outcome === 'accepted') {
        sell.shownFrom = at
        sell.isAnswered = true
      }
      return !isMeant || outcome !== 'refused'
    })
  }

  /** The clock was set by so much. */
  shift(ms: number): void {
    if (this.at !== null) this.at = shifted(this.at, ms)
    for (const sell of this.#sells) sell.shownFrom += ms
    this.#shownUntil += ms
  }

  get arePairsKnown(): boolean {
    return this.#pairs.size > 0
  }

  pair(asset: number): SpotPair | null {
    return this.#pairs.get(asset) ?? null
  }

  free(token: number): Decimal {
    const balance = this.#balances.get(token)
    if (balance === undefined) return Decimal.zero
    const onTheirWay = this.#sells
      .filter(({ item }) => item.token === token)
      .reduce((sum, { item }) => sum.plus(item.size), Decimal.zero)
    const free = balance.total.minus(balance.hold).minus(onTheirWay)
    return Decimal.max(Decimal.zero, free)
  }

  order(ref: OrderRef): OpenOrder | null {
    const isMeant = ({ oid, cloid }: OpenOrder): boolean =>
      'oid' in ref ? oid === ref.oid : cloid === ref.cloid
    return this.#orders.find(isMeant) ?? null
  }
}

/** By Guard's clock: what was answered by then is in the balances. The stream does not date them. */
function takenAt({ source, at, askedAt }: SpotTold): number {
  return source === 'read' && askedAt !== undefined ? askedAt : at - limits.spotShownMs
}
