import type { Clock, SpentBefore, Urgency, WeightBudget, WeightShare } from '../engine/ports.ts'
import { ActionAllowances } from './actionAllowances.ts'
import { SlidingMinute } from './slidingMinute.ts'

const minuteMs = 60_000

/**
 * The share of the limit a lane may fill up to. What lies above a lane's ceiling is the reserve of
 * the lanes before it: a flood of entries and reads always leaves room to get out, to protect, and
 * to see what there is to protect. An exit goes while anything but the last is left, which is for
 * Guard's own stops, closes and cancels alone: those go in any case, and the venue must have room for
 * them also beside a bot that sends exits as fast as it can.
 */
const ceilingPercent = {
  safety: 100,
  clear: 100,
  exit: 95,
  watch: 92,
  cancel: 90,
  entry: 85,
  read: 70,
} as const satisfies Record<Urgency, number>

/** What bots ask for; the rest is Guard's own, or gets them out. */
const botLanes: ReadonlySet<Urgency> = new Set(['cancel', 'entry', 'read'])

/** In how long what was taken is told to the other Guards of the host, about. */
const tellMs = 50

/** What a start reads at least: whose account it is, each part of it once, the dexes, the allowance. */
const startWeight = 220

/** How long others wait after the venue has refused a request for its weight; each time twice as long. */
const firstHoldSeconds = 10

/** What goes on where the venue counts more than Guard knows of: a guess holds up nothing that is urgent. */
const urgentLanes: ReadonlySet<Urgency> = new Set(['safety', 'clear', 'exit', 'cancel'])

/** What was spent in a sliding minute: that of the current second 60 s ago is free again. */
export class SlidingWeightBudget implements WeightBudget {
  readonly venueLimit: number
  taken = 0
  private readonly clock: Clock
  private readonly share: WeightShare | null
  private readonly spent: SlidingMinute
  /** What the venue counts beyond that: it refused requests for which there should have been room. */
  private readonly unseen: SlidingMinute
  /** When the venue last refused a request for its weight, and how long the next guess holds. */
  private refusedMs = -Infinity
  private holdSeconds = firstHoldSeconds
  private readonly heldUntilMs = new Map<Urgency, number>()
  private readonly allowances: ActionAllowances

  /** `share`: what of the limit is this Guard's, where others on its host spend it too. */
  constructor(limit: number, clock: Clock, share: WeightShare | null = null) {
    this.venueLimit = limit
    this.clock = clock
    this.share = share
    this.spent = new SlidingMinute(clock)
    this.unseen = new SlidingMinute(clock)
    this.allowances = new ActionAllowances(() => clock.monotonicMs())
    share?.follow(() => this.history())
  }

  get limit(): number {
    return this.share === null ? this.venueLimit : Math.min(this.share.limit(), this.venueLimit)
  }

  used(): number {
    return this.spent.total() + this.unseen.total()
  }

  tryTake(lane: Urgency, weight: number, actions = 0): boolean {
    const fits = this.fits(lane, weight) && this.actionShortage(lane, actions) === null
    // Protection that waits for weight is a position without a stop: it goes, and is counted.
    if (!fits && lane !== 'safety' && lane !== 'clear') return false
    this.add(weight, this.spent.now())
    this.allowances.take(actions, lane)
    return true
  }

  reserve(lane: Urgency, most: number): ((spent: number) => void) | null {
    // What can cost more than the lane may have in all would never be asked.
    const reserved = Math.min(most, this.ceilingOf(lane), this.untold(lane)?.untoldMost() ?? most)
    if (!this.tryTake(lane, reserved)) return null
    const taken = this.spent.now()
    return (spent) => {
      this.add(spent - reserved, taken)
    }
  }

  history(): readonly number[] {
    return this.spent.history()
  }

  spentBefore(history: readonly number[] | 'start' | 'unknown', agoMs: number): () => void {
    const last = this.spent.now() - Math.floor(agoMs / 1_000)
    const spent = typeof history === 'string' ? [this.guessed(history)] : history
    const addAll = (sign: 1 | -1): void => {
      for (const [ago, weight] of spent.entries()) this.add(sign * weight, last - ago)
    }
    addAll(1)
    return () => {
      addAll(-1)
    }
  }

  knownBefore(): SpentBefore | null {
    return this.share?.spentBefore() ?? null
  }

  refused(lane: Urgency): void {
    const nowMs = this.clock.monotonicMs()
    const isFirst = nowMs - this.refusedMs >= minuteMs
    this.refusedMs = nowMs
    if (isFirst) {
      // It may have had another reason: trading does not stop for one.
      this.holdSeconds = firstHoldSeconds
      const isUrgent = lane === 'safety' || lane === 'clear' || lane === 'exit'
      const held: readonly Urgency[] = isUrgent ? ['read', 'entry'] : ['read']
      for (const each of held) this.heldUntilMs.set(each, nowMs + firstHoldSeconds * 1_000)
      return
    }
    const missing = this.limit - this.used()
    if (missing <= 0) return
    this.unseen.add(missing, this.unseen.now() - minuteMs / 1_000 + this.holdSeconds)
    this.holdSeconds = Math.min(this.holdSeconds * 2, minuteMs / 1_000)
  }

  heldMs(lane: Urgency): number {
    const heldMs = Math.max(0, (this.heldUntilMs.get(lane) ?? 0) - this.clock.monotonicMs())
    const isFilled = this.usedFor(lane) > this.spent.total()
    return isFilled ? Math.max(heldMs, this.weightInMs(lane, 1)) : heldMs
  }

  roomInMs(lane: Urgency, weight: number): number {
    return Math.max(this.heldMs(lane), this.weightInMs(lane, weight))
  }

  private weightInMs(lane: Urgency, weight: number): number {
    let excess = this.usedFor(lane) + weight - this.ceilingOf(lane)
    if (excess <= 0) return this.isUntoldFull(lane, weight) ? tellMs : 0
    const [spent, unseen] = [this.spent.history(), this.unseen.history()]
    for (let ago = spent.length - 1; ago >= 0; ago -= 1) {
      excess -= (spent[ago] ?? 0) + (urgentLanes.has(lane) ? 0 : (unseen[ago] ?? 0))
      if (excess > 0) continue
      const freeAtMs = (this.spent.now() - ago + 1) * 1_000 + minuteMs
      return freeAtMs - this.clock.monotonicMs()
    }
    // More than the lane can ever have is no sooner than a minute.
    return minuteMs
  }

  /** The venue's own count (`userRateLimit`), read now and then; corrects ours. */
  setAllowance(cap: number, used: number): void {
    this.allowances.setLifetime(cap, used)
  }

  setCappedByDay(isCapped: boolean): void {
    this.allowances.setCappedByDay(isCapped)
  }

  keepActions(needed: () => number): void {
    this.allowances.keep(needed)
  }

  actionShortage(lane: Urgency, actions: number): string | null {
    return actions === 0 ? null : this.allowances.shortage(lane, actions)
  }

  actionsOfDay(): readonly number[] {
    return this.allowances.day()
  }

  actedBefore(day: readonly number[], agoMs: number): void {
    this.allowances.didBefore(day, agoMs)
  }

  private ceilingOf(lane: Urgency): number {
    const ceiling = shareOf(this.limit, lane)
    if (this.share === null || lane === 'entry' || lane === 'read') return ceiling
    const out = this.share.exitLimit()
    // Alone, or without a ledger: then a cancel gets out as well.
    if (out >= this.venueLimit) return shareOf(this.venueLimit, lane)
    if (lane === 'cancel') return ceiling
    // A share that has shrunk below what bots have spent must still leave a way out, and a look.
    const kept = this.limit - ceiling
    return Math.max(out - kept, ceiling)
  }

  private fits(lane: Urgency, weight: number): boolean {
    const hasRoom = this.usedFor(lane) + weight <= this.ceilingOf(lane)
    return hasRoom && this.heldMs(lane) === 0 && !this.isUntoldFull(lane, weight)
  }

  /** What counts as spent where this lane asks. */
  private usedFor(lane: Urgency): number {
    return urgentLanes.has(lane) ? this.spent.total() : this.used()
  }

  /** Should this Guard end now, the others must not know of much less than it has spent. */
  private isUntoldFull(lane: Urgency, weight: number): boolean {
    return weight > (this.untold(lane)?.untoldRoom() ?? Infinity)
  }

  private untold(lane: Urgency): WeightShare | null {
    return botLanes.has(lane) ? this.share : null
  }

  /** What nobody counted; a guess leaves to exits what is kept for them. */
  private guessed(what: 'start' | 'unknown'): number {
    const isStart = what === 'start'
    const room = this.ceilingOf(isStart ? 'watch' : 'read') - this.spent.total()
    return Math.max(isStart ? Math.min(startWeight, room) : room, 0)
  }

  private add(weight: number, second: number): void {
    if (!this.spent.add(weight, second)) return
    this.taken += Math.max(weight, 0)
    this.share?.taken(weight)
  }
}

function shareOf(whole: number, lane: Urgency): number {
  return Math.floor((whole * ceilingPercent[lane]) / 100)
}
