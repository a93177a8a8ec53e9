import type { Leverage } from '../protocol/venueState.ts'
import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { limits } from '../values/limits.ts'
import { shifted } from '../values/millis.ts'
import type { Millis } from '../values/millis.ts'
import type { CrossPool } from './accountView.ts'
import { leansOn } from './poolOf.ts'
import type { Reservation, ReservationId, ReservedMargin, Settlement } from './reservation.ts'
import type { SnapshotTimes } from './snapshotTimes.ts'

type Intended = Extract<Reservation, { kind: 'cancel' | 'leverage' | 'margin' }>
type CancelItem = Extract<Reservation, { kind: 'cancel' }>

/** How an open order is called: by the venue's number, by its client order id, or by both. */
export interface OrderName {
  readonly oid: number | null
  readonly cloid: string | null
}

interface Intent {
  readonly id: ReservationId
  readonly item: Intended
  at: Millis
  outcome: 'pending' | 'accepted' | 'unknown'
  shownFrom: number
}

/** Whether a reservation is followed here: one that stands for no order, such as a change of leverage. */
export function isIntended(item: Reservation): item is Intended {
  return item.kind === 'cancel' || item.kind === 'leverage' || item.kind === 'margin'
}

/** What is in flight and is no order: cancels, changes of leverage, and margin for positions. */
export class Intents {
  readonly #byId = new Map<ReservationId, Set<Intent>>()
  readonly #all = new Set<Intent>()
  readonly #cancels = new Map<string, Set<Intent>>()
  readonly #leverages = new Map<Coin, Set<Intent>>()
  readonly #margins = new Set<ReservedMargin>()
  readonly #times: SnapshotTimes
  readonly #isOpen: (name: OrderName) => boolean
  readonly #onCancel: (name: OrderName) => void

  /** `onCancel` hears of every order whose cancel begins or is over. */
  constructor(
    times: SnapshotTimes,
    isOpen: (name: OrderName) => boolean,
    onCancel: (name: OrderName) => void,
  ) {
    this.#times = times
    this.#isOpen = isOpen
    this.#onCancel = onCancel
  }

  get count(): number {
    return this.#all.size
  }

  begin(id: ReservationId, item: Intended, at: Millis): void {
    const intent: Intent = { id, item, at, outcome: 'pending', shownFrom: at + limits.mayArriveMs }
    this.#all.add(intent)
    addTo(this.#byId, id, intent)
    if (item.kind === 'leverage') addTo(this.#leverages, item.coin, intent)
    else if (item.kind === 'margin') this.#margins.add(item)
    else {
      addTo(this.#cancels, targetOf(item), intent)
      this.#onCancel(item)
    }
  }

  /** Returns the leverage settings that the reply confirmed. */
  settle(
    id: ReservationId,
    { outcome }: Settlement,
    at: Millis,
  ): readonly { readonly coin: Coin; readonly leverage: Leverage }[] {
    const confirmed: { readonly coin: Coin; readonly leverage: Leverage }[] = []
    for (const intent of [...(this.#byId.get(id) ?? [])]) {
      if (outcome === 'refused') {
        this.#end(intent)
        continue
      }
      const { item } = intent
      intent.outcome = outcome
      intent.shownFrom = outcome === 'accepted' ? at : at + limits.expiresAfterMsMax
      if (outcome === 'accepted' && item.kind === 'leverage') {
        confirmed.push({ coin: item.coin, leverage: item.leverage })
        this.#end(intent)
      } else this.#review(intent)
    }
    return confirmed
  }

  /** Looks at everything again after a snapshot. */
  review(): void {
    for (const intent of [...this.#all]) this.#review(intent)
  }

  /** An order came to an end: whoever wanted it cancelled has it. */
  ended(name: OrderName): void {
    for (const key of keysOf(name)) {
      for (const intent of [...(this.#cancels.get(key) ?? [])]) this.#review(intent)
    }
  }

  /**
   * The coins of cancels and leverages that were answered before a time, and of which no list was taken
   * since. An order whose cancel was answered is not open any more, and may have filled instead.
   */
  unlisted(before: number): readonly Coin[] {
    return [...this.#all].flatMap(({ item, outcome, shownFrom }) => {
      if (item.kind === 'margin' || item.coin === null || outcome === 'pending') return []
      const isListed = this.#times.ordersTakenAt(item.coin) > shownFrom
      return isListed || shownFrom >= before ? [] : [item.coin]
    })
  }

  /** The coins that they are about, as far as that is known. */
  coins(): readonly Coin[] {
    return [...this.#all].flatMap(({ item }) => item.coin ?? [])
  }

  /** The clock was set by so much. */
  shift(ms: number): void {
    for (const intent of this.#all) {
      intent.at = shifted(intent.at, ms)
      intent.shownFrom += ms
    }
  }

  /** When the last cancel of the order left that is still in flight; null when none is. */
  cancellingSince(name: OrderName): Millis | null {
    let since: Millis | null = null
    for (const key of keysOf(name)) {
      for (const { at } of this.#cancels.get(key) ?? []) {
        since = Math.max(since ?? at, at) as Millis
      }
    }
    return since
  }

  /** The leverage of a coin that was sent last and not confirmed; null when none was. */
  leverage(coin: Coin): Leverage | null {
    let last: Leverage | null = null
    for (const { item } of this.#leverages.get(coin) ?? []) {
      if (item.kind === 'leverage') last = item.leverage
    }
    return last
  }

  /** The actions that change a coin's leverage and are not confirmed, oldest first. */
  leveragesOf(coin: Coin): readonly ReservationId[] {
    return [...(this.#leverages.get(coin) ?? [])].map(({ id }) => id)
  }

  /** USD of margin on its way to a coin's position. */
  marginOf(coin: Coin): Decimal {
    return this.#sumMargin((item) => item.coin === coin)
  }

  /** USD of margin on its way that is taken out of what stands behind a pool's cross positions. */
  marginFrom(dex: CrossPool['dex']): Decimal {
    return this.#sumMargin(({ coin }) => leansOn({ dex }, coin))
  }

  #sumMargin(isMeant: (item: ReservedMargin) => boolean): Decimal {
    let sum = Decimal.zero
    for (const item of this.#margins) if (isMeant(item)) sum = sum.plus(item.amount)
    return sum
  }

  #review(intent: Intent): void {
    const { item, outcome, shownFrom } = intent
    const isListed = this.#times.ordersTakenAt(item.coin) > shownFrom
    if (item.kind === 'cancel') {
      if (isListed || (outcome !== 'pending' && !this.#isOpen(item))) this.#end(intent)
      return
    }
    const isShown = item.kind === 'margin' || isListed
    if (isShown && this.#times.stateTakenAt(item.coin) > shownFrom) this.#end(intent)
  }

  #end(intent: Intent): void {
    const { id, item } = intent
    this.#all.delete(intent)
    removeFrom(this.#byId, id, intent)
    if (item.kind === 'leverage') removeFrom(this.#leverages, item.coin, intent)
    else if (item.kind === 'margin') this.#margins.delete(item)
    else {
      removeFrom(this.#cancels, targetOf(item), intent)
      this.#onCancel(item)
    }
  }
}

/** What a cancel is for: the number decides, since an id may be another order's as well. */
function targetOf({ oid, cloid }: CancelItem): string {
  return oid === null ? `cloid ${cloid}` : `oid ${oid}`
}

function keysOf({ oid, cloid }: OrderName): readonly string[] {
  const keys: string[] = []
  if (oid !== null) keys.push(`oid ${oid}`)
  if (cloid !== null) keys.push(`cloid ${cloid}`)
  return keys
}

function addTo<Key, Value>(map: Map<Key, Set<Value>>, key: Key, value: Value): void {
  const known = map.get(key)
  if (known === undefined) map.set(key, new Set([value]))
  else known.add(value)
}

function removeFrom<Key, Value>(map: Map<Key, Set<Value>>, key: Key, value: Value): void {
  const known = map.get(key)
  known?.delete(value)
  if (known?.size === 0) map.delete(key)
}
