import type { Json } from '../../src/core/protocol/action.ts'
import type { Address } from '../../src/core/values/address.ts'
import type { Venue } from '../sim/engine/venue.ts'
import type { VenueEvent } from '../sim/engine/venueEvent.ts'
import type { FillView, OrderView, PositionView } from '../sim/engine/views.ts'
import type { Sending } from './sending.ts'
import { everyOrder, everyPosition } from './wholeAccount.ts'

/** Who made something happen at the venue. `venue` is prices, other traders and time. */
type Actor =
  | { readonly who: 'guard'; readonly sending: Sending }
  | { readonly who: 'person' }
  | { readonly who: 'venue' }

/** The account at one moment, as the venue has it. */
interface Scene {
  readonly orders: readonly OrderView[]
  readonly positions: readonly PositionView[]
}

/** What one request, one move of a price or one moment did to the account. */
export interface Happening {
  readonly actor: Actor
  readonly before: Scene
  readonly after: Scene
  /** The orders that ended, with their last status. */
  readonly ended: readonly { readonly order: OrderView; readonly status: string }[]
  readonly fills: readonly FillView[]
  /** The same with what the slices of TWAPs filled, in their order. */
  readonly trades: readonly FillView[]
  /** What the venue answered; null where nobody asked it. */
  readonly reply: Json
}

/** Follows the account at the venue, change by change, and knows who caused each. */
export class VenueWatch {
  readonly #venue: Venue
  readonly #user: Address
  readonly #tell: (happening: Happening) => void
  #scene: Scene = { orders: [], positions: [] }
  #events: VenueEvent[] = []
  #actor: Actor | null = null

  constructor(venue: Venue, user: Address, tell: (happening: Happening) => void) {
    this.#venue = venue
    this.#user = user
    this.#tell = tell
    venue.onEvent((events) => {
      for (const each of events) if (this.#isOurs(each)) this.#events.push(each)
      if (this.#actor === null) this.#happened({ who: 'venue' }, null)
    })
  }

  /** Lets somebody act at the venue; `act` answers what the venue said. */
  during(actor: Actor, act: () => Json): Json {
    this.#actor = actor
    const reply = act()
    this.#actor = null
    this.#happened(actor, reply)
    return reply
  }

  #isOurs(event: VenueEvent): boolean {
    const isOfInterest = /^(order|fill|sliceFill)$/.test(event.kind)
    return isOfInterest && 'user' in event && event.user === this.#user
  }

  #happened(actor: Actor, reply: Json): void {
    const events = this.#events
    if (events.length === 0 && actor.who !== 'guard') return
    this.#events = []
    const before = this.#scene
    if (events.length > 0) {
      const orders = everyOrder(this.#venue, this.#user)
      this.#scene = { orders, positions: everyPosition(this.#venue, this.#user) }
    }
    const open = new Set(this.#scene.orders.map(({ oid }) => oid))
    this.#tell({
      actor,
      before,
      after: this.#scene,
      ended: events.flatMap((event) =>
        event.kind === 'order' && !open.has(event.order.oid) && isLast(event.status)
          ? [{ order: event.order, status: event.status }]
          : [],
      ),
      fills: events.flatMap((event) => (event.kind === 'fill' ? [event.fill] : [])),
      trades: events.flatMap(tradeIn),
      reply,
    })
  }
}

function tradeIn(event: VenueEvent): readonly FillView[] {
  if (event.kind === 'sliceFill') return [event.slice.fill]
  return event.kind === 'fill' ? [event.fill] : []
}

/** An order is told as open or triggered before it ends. */
function isLast(status: string): boolean {
  return status !== 'open' && status !== 'triggered'
}
