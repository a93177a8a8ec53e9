import type { Json } from '../../src/core/protocol/action.ts'
import { isObject } from '../../src/core/protocol/fields.ts'
import type { Address } from '../../src/core/values/address.ts'
import type { HttpReply } from '../sim/front/transport.ts'
import type { SimulatorCore } from '../sim/simulatorOptions.ts'
import type { Rules } from '../../src/core/rules/rules.ts'
import { looksLate } from './accounts/accountReadings.ts'
import { LossOracle } from './accounts/lossOracle.ts'
import { BudgetOracle } from './budgetOracle.ts'
import { DexOracle } from './dexes/dexOracle.ts'
import type { Passage } from './fakeNet.ts'
import { checkNotLiquidated, checkStopFirst, isBeyondStops, isStopless } from './poolOracle.ts'
import type { Sufferer } from './poolOracle.ts'
import type { Plan } from './plan.ts'
import { PromiseOracle } from './promiseOracle.ts'
import { checkSpot } from './spotOracle.ts'
import { Air } from './sending.ts'
import type { Sending } from './sending.ts'
import { VenueWatch } from './venueWatch.ts'
import type { Happening } from './venueWatch.ts'
import type { DiskRecord } from './watchedDisk.ts'
import type { VirtualTime } from './virtualTime.ts'

/** What is known of the world at the venue. */
type Place = Sufferer & {
  readonly time: VirtualTime
  readonly plan: Pick<Plan, 'streamLagMs'>
}

/** All that is judged at the venue itself: what arrives there, who sent it, what came of it. */
export class VenueSide {
  readonly #sim: SimulatorCore
  readonly #world: Place
  readonly #air = new Air()
  readonly #watch: VenueWatch
  readonly budget: BudgetOracle
  readonly promises: PromiseOracle
  readonly dexes: DexOracle
  /** What a halt may be for; null where anything may have been lost elsewhere. */
  readonly #losses: LossOracle | null

  readonly #user: Address

  /** `guarded` runs a check and keeps what it finds. */
  constructor(
    sim: SimulatorCore,
    user: Address,
    world: Place,
    guarded: (check: () => void) => void,
  ) {
    this.#sim = sim
    this.#world = world
    this.#user = user
    const looksNowAndThen = world.plan.isOfAccounts && looksLate(world.plan.seed)
    this.budget = new BudgetOracle(sim.venue, user, looksNowAndThen)
    this.promises = new PromiseOracle(sim.venue, user)
    this.dexes = new DexOracle(sim.venue, user)
    this.#losses = world.plan.isOfAccounts ? new LossOracle(sim.venue, user) : null
    this.#watch = new VenueWatch(sim.venue, user, (happening) => {
      guarded(() => {
        this.#judge(happening)
      })
    })
  }

  /** The account and the prices as they are now are something that Guard may go by. */
  look(): void {
    this.budget.look()
    this.#losses?.look()
  }

  /** A record of Guard's reached the disk. */
  onDisk(record: DiskRecord, rules: Rules): void {
    this.#losses?.onDisk(record, rules, this.#world)
  }

  /** Follows an action that has just left Guard. `isAlone`: nobody traded past Guard so far. */
  follow(sending: Sending, isAlone: boolean): void {
    const { action, rules, leftAt, askedAt } = sending
    // It was judged after it was asked for, by what the streams had told until then.
    const { time, plan } = this.#world
    const since = time.now - (leftAt - askedAt) - plan.streamLagMs
    this.budget.checkEntry(action, rules, isAlone, this.#air.besides(sending), since)
    this.dexes.checkLeaving(sending, this.budget.equity)
    // Where what Guard sees of the account is wrong, the venue alone bounds what is sold.
    const isSeen = ![...this.#world.recent.keys()].some((name) => unseen.test(name))
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
    this.budget.hear(happening)
    this.promises.hear(happening)
    this.dexes.hear(happening, isStopless(this.#world))
    const cross = isBeyondStops(this.#world)
    checkNotLiquidated(happening, this.#user, cross)
    // Nothing but a person's hand gets at what stands behind an isolated position.
    checkStopFirst(happening, this.#user, { cross, isolated: this.#world.isTraded })
  }
}

/** After these Guard may not know what the venue has. */
const unseen = /^(stream|frame|read|spot_by_hand|mode_changed)/

const byTheClock = /^(Action already expired|Invalid nonce: nonce too (low|high) .*)$/

function jsonOf(reply: HttpReply | null): Json {
  if (reply === null) return null
  try {
    return JSON.parse(reply.body) as Json
  } catch {
    return null
  }
}
