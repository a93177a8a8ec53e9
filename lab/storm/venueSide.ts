import type { Json } from '../../src/core/protocol/action.ts'
import { isObject } from '../../src/core/protocol/fields.ts'
import type { Address } from '../../src/core/values/address.ts'
import type { HttpReply } from '../sim/front/transport.ts'
import type { SimulatorCore } from '../sim/simulatorOptions.ts'
import { BudgetOracle } from './budgetOracle.ts'
import { DexOracle } from './dexes/dexOracle.ts'
import type { Passage } from './fakeNet.ts'
import { checkNotLiquidated, isBeyondStops, isStopless } from './poolOracle.ts'
import type { Sufferer } from './poolOracle.ts'
import { PromiseOracle } from './promiseOracle.ts'
import { checkSpot } from './spotOracle.ts'
import { Air } from './sending.ts'
import type { Sending } from './sending.ts'
import { VenueWatch } from './venueWatch.ts'
import type { Happening } from './venueWatch.ts'
import type { VirtualTime } from './virtualTime.ts'

/** All that is judged at the venue itself: what arrives there, who sent it, what came of it. */
export class VenueSide {
  readonly #sim: SimulatorCore
  readonly #world: Sufferer & { readonly time: VirtualTime }
  readonly #air = new Air()
  readonly #watch: VenueWatch
  readonly budget: BudgetOracle
  readonly promises: PromiseOracle
  readonly dexes: DexOracle

  readonly #user: Address

  /** `guarded` runs a check and keeps what it finds. */
  constructor(
    sim: SimulatorCore,
    user: Address,
    world: Sufferer & { readonly time: VirtualTime },
    guarded: (check: () => void) => void,
  ) {
    this.#sim = sim
    this.#world = world
    this.#user = user
    this.budget = new BudgetOracle(sim.venue, user)
    this.promises = new PromiseOracle(sim.venue, user)
    this.dexes = new DexOracle(sim.venue, user)
    this.#watch = new VenueWatch(sim.venue, user, (happening) => {
      guarded(() => {
        this.#judge(happening)
      })
    })
  }

  /** Follows an action that has just left Guard. `isAlone`: nobody traded past Guard so far. */
  follow(sending: Sending, isAlone: boolean): void {
    const { action, rules } = sending
    this.budget.checkEntry(action, rules, isAlone, this.#air.besides(sending))
    this.dexes.checkLeaving(sending, this.budget.equity)
    // Where what Guard sees of the account is wrong, the venue alone bounds what is sold.
    const isSeen = ![...this.#world.recent.keys()].some((name) => /^(stream|frame|read)/.test(name))
    checkSpot(this.#sim.venue, this.#user, action, isAlone && isSeen)
  }

  /** `mistimed` is called where the venue refuses it by its clock. */
  passageOf(sending: Sending, mistimed: () => void): Passage {
    return {
      takesOff: (afterMs) => {
        this.#air.takeOff(sending, this.#world.time.now + afterMs)
      },
      arrives: (execute) => {
        // What prices did until now is not this request's doing.
        this.#sim.venue.advanceTo(this.#world.time.now)
        this.#air.land(sending)
        const reply = this.#watch.during({ who: 'guard', sending }, () => jsonOf(execute()))
        const refusal = isObject(reply) && reply['status'] === 'err' ? reply['response'] : null
        if (typeof refusal === 'string' && byTheClock.test(refusal)) mistimed()
      },
    }
  }

  /** A person does something at the venue, past Guard. */
  byHand(act: () => void): void {
    this.#watch.during({ who: 'person' }, () => {
      act()
      return null
    })
  }

  #judge(happening: Happening): void {
    this.promises.hear(happening)
    this.dexes.hear(happening, isStopless(this.#world))
    checkNotLiquidated(happening, this.#user, isBeyondStops(this.#world))
  }
}

const byTheClock = /^(Action already expired|Invalid nonce: nonce too (low|high) .*)$/

function jsonOf(reply: HttpReply | null): Json {
  if (reply === null) return null
  try {
    return JSON.parse(reply.body) as Json
  } catch {
    return null
  }
}
