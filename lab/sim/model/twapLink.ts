import type { Address } from '../../../src/core/values/address.ts'
import type { Venue } from '../engine/venue.ts'
import type { VenueAction } from '../engine/venueAction.ts'
import { Exact } from './exact.ts'
import type { ModelDraw, ModelTwap } from './state.ts'

/** Which TWAP of the engine is which of the model, and what only the engine's chance knows of it. */
export class TwapLink {
  private readonly twapIds: number[] = []

  readonly idOf = (twapId: number): number => this.twapIds.indexOf(twapId) + 1

  readonly twapIdOf = (id: number): number => this.twapIds[id - 1] ?? -1

  /** Learns a number from the engine's answer. */
  learn(answer: unknown): void {
    const found = /"running":\{"twapId":(\d+)\}/.exec(JSON.stringify(answer))
    if (found !== null) this.twapIds.push(Number(found[1]))
  }

  /** The action with the model's number in it. */
  inModel(action: VenueAction): VenueAction {
    return action.type === 'twapCancel' ? { ...action, twapId: this.idOf(action.twapId) } : action
  }

  /** How much of a TWAP the engine traded at this time, and whether an error ended it then. */
  drawn(venue: Venue, { id, owner }: ModelTwap, now: number): ModelDraw {
    const user = owner.address as Address
    const own = venue
      .sliceFills(user)
      .filter(({ fill, twapId }) => fill.time === now && this.idOf(twapId) === id)
    const isFailed = venue.twapHistory(user).some(({ time, status, view }) => {
      const isNow = time === Math.floor(now / 1000) && this.idOf(view.twapId) === id
      return isNow && status === 'error'
    })
    const traded = Exact.sum(own.map(({ fill }) => Exact.of(fill.size.toString())))
    return { traded, isFailed }
  }
}
