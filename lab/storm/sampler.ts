import { seenMsMax } from './budgetOracle.ts'
import { user } from './keys.ts'
import { uncoveredCoins } from './venueOracle.ts'
import { Violation } from './violation.ts'
import { shownOf } from './wholeAccount.ts'
import type { World } from './world.ts'

/** In a calm world a position is covered this soon. */
const coverMsMax = 3_000
/** Something is said of a position that stays without cover this long. */
const incidentMsMax = 8_000
/** Trouble counts as over this long after the last of it. */
const calmAfterMs = 20_000
/** Every request is answered, or read again, within this time. */
export const answerMsMax = 30_000

/** What must hold at any moment, seen from the venue. */
export class Sampler {
  readonly #world: World
  readonly #uncoveredSince = new Map<string, number>()

  constructor(world: World) {
    this.#world = world
  }

  look(): void {
    const world = this.#world
    const { time, life, net, trouble, sim } = world
    const now = time.elapsed
    for (const { id, at } of world.bots.waiting) {
      if (now - at > answerMsMax) {
        throw new Violation('answered', `request ${id} has no answer after ${answerMsMax} ms`)
      }
    }
    const isCalm = net.isCalm && trouble.isCalm && now >= world.limitedUntil
    if (!isCalm || life?.recoveredAt == null || world.isAgentRevoked) world.lastTroubleAt = now
    const { budget } = world.venueSide
    const shown = shownOf(sim.venue, user)
    const isBounded = world.plan.isSteady || this.#hasSeenAll(now)
    world.venueSide.look()
    if (isBounded) budget.checkSums(life?.rules ?? world.rules, shown)
    world.venueSide.promises.check(now, world.lastTroubleAt + calmAfterMs, shown)
    const bare = new Set(uncoveredCoins(sim.venue, user, shown))
    for (const coin of this.#uncoveredSince.keys()) {
      if (!bare.has(coin)) this.#uncoveredSince.delete(coin)
    }
    for (const coin of bare) {
      const since = this.#uncoveredSince.get(coin) ?? now
      this.#uncoveredSince.set(coin, since)
      this.#checkIncident(coin, since)
      const calmFor = now - Math.max(world.lastTroubleAt + calmAfterMs, since)
      if (calmFor > coverMsMax) {
        throw new Violation('covered', `${coin} is not covered in a calm world since ${since}`)
      }
    }
  }

  /**
   * Whether every price that there was so far is one that Guard may have gone by, and all that is open
   * went by the rules of now: then the sums hold at this moment too.
   */
  #hasSeenAll(now: number): boolean {
    const { plan, isTraded, recent } = this.#world
    return plan.isOfAccounts && !isTraded && !recent.has('rules_changed') && now < seenMsMax
  }

  /** What stays without cover is known to Guard, and somebody is told. */
  #checkIncident(coin: string, since: number): void {
    const { time, life } = this.#world
    const aliveSince = Math.max(since, life?.recoveredAt ?? Infinity)
    if (time.elapsed - aliveSince < incidentMsMax || life?.guard == null) return
    const { alerts, kill } = life.guard.status()
    if (alerts.length > 0 || kill.latched) return
    throw new Violation('incident', `${coin} is not covered since ${since}, and Guard is content`)
  }
}
