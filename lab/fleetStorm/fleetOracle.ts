import { writerTimes } from '../../src/fleet/leaseTimes.ts'
import type { Account, Flight } from './account.ts'
import type { Home } from './home.ts'
import type { Post } from './post.ts'
import type { StoreModel } from './storeModel.ts'
import { budgetKey, scopesOf } from './storeState.ts'
import type { BudgetRow, Cents, StoreState } from './storeState.ts'

const { heldMs, signedMs } = writerTimes

/** Every rule of a fleet, in words; a world that breaks one has failed. */
const fleetRules = {
  leased:
    'what is leased of a budget is never more than the budget, nor more than it was when a person lowered it',
  used: 'what an account uses is never more than what the store counts for it',
  budget: 'what all accounts of a scope use is never more than its budget, in whatever partition',
  writers: 'two Guards never both open for one account',
  killed:
    'once a kill has reached a Guard nothing opens there until it is released at its own machine',
  heard: 'a Guard that can be reached is latched within two seconds of a kill',
  records: 'every record is in the store once, and those of another journal are not among them',
  living:
    'once everything works again, one Guard of every account may open, and its records are copied',
} as const
export type FleetRule = keyof typeof fleetRules

export class BrokenRule extends Error {
  readonly rule: FleetRule

  constructor(rule: FleetRule, what: string) {
    super(`${fleetRules[rule]}: ${what}`)
    this.rule = rule
  }
}

/** The parts of a fleet that the oracle looks at, from outside the Guards. */
interface WatchedFleet {
  readonly store: StoreModel
  readonly posts: readonly Post[]
  readonly homes: readonly Home[]
  /** Whether somebody was retired so lately that its Guard may still open by what it held. */
  readonly hasJustRetired: boolean
  accountOf(member: string): Account
  wasWrittenOff(account: Account): boolean
  writtenOff(account: Account, kind: string): Cents
}

/** Looks at a fleet from outside, at everything that changes; it computes nothing as Guard does. */
export class FleetOracle {
  readonly #fleet: WatchedFleet
  /** The most that may be leased of each budget; falls to what a person set as it is given back. */
  readonly #most = new Map<string, Cents>()
  /** The same for what is used, which never falls below what could be relied on when it was lowered. */
  readonly #usable = new Map<string, Cents>()
  /** What a server lost when it went back in time is not known to it. */
  #hasGoneBack = false
  /** Whether it knows that it did; one that was put back to a copy of its disk is told so by its members. */
  #knows: 'yes' | 'not yet' | 'no' = 'yes'

  constructor(fleet: WatchedFleet) {
    this.#fleet = fleet
  }

  /** A person is about to set a budget. */
  limitSet(scope: string, kind: string, usd: Cents): void {
    const key = budgetKey(scope, kind)
    const leased = this.#state.budgets.get(key)?.leased ?? 0
    const most = Math.max(usd, leased)
    this.#most.set(key, most)
    const before = this.#usable.get(key) ?? 0
    // Who was retired a moment ago relies on what it held, which nobody else is given meanwhile; and a
    // server that went back does not know of all that is relied on.
    const isUntold = this.#fleet.hasJustRetired || this.#hasGoneBack
    const usable = isUntold ? Math.max(most, before) : most
    this.#usable.set(key, Math.max(usable, this.#usedOf(scope, kind)))
  }

  /** The server went back to what a replica had, or to a copy of its disk. */
  wentBack(isDisk = false): void {
    this.#hasGoneBack = true
    if (isDisk) this.#knows = 'not yet'
    for (const [key, { set, leased }] of this.#state.budgets) {
      this.#most.set(key, Math.max(set, leased))
      this.#usable.set(key, Math.max(set, leased, this.#usable.get(key) ?? 0))
    }
  }

  /** Whether nobody told a server in time that it had been put back: then it leases by what it remembers. */
  get isUnaware(): boolean {
    return this.#knows === 'no'
  }

  /** After everything that the store has carried out. */
  look(): void {
    this.#lookAtKnowing()
    for (const budget of this.#state.budgets.values()) this.#lookAt(budget)
    this.#lookAtUse()
  }

  /** An entry leaves a Guard. */
  leaves(post: Post, flight: Flight): void {
    const { name, guard, account } = post
    if (post.heardEpoch > post.releasedEpoch) {
      throw new BrokenRule('killed', `${name} opens after epoch ${post.heardEpoch}`)
    }
    for (const other of account.flights) {
      if (other.instance !== flight.instance) {
        throw new BrokenRule('writers', `${flight.run} opens while an entry of ${other.run} flies`)
      }
    }
    for (const other of this.#fleet.posts) {
      if (other.account !== account || other.guard === guard) continue
      if (other.isAlive && other.guard.member.notWriter === null && other.machine.isRunning) {
        throw new BrokenRule('writers', `${name} and ${other.name} both hold the right to act`)
      }
    }
    account.flights.add(flight)
    this.#lookAtUse()
    account.flights.delete(flight)
  }

  /** What must hold once the faults have ended and all had time to come right. */
  atTheEnd(): void {
    const there = this.#fleet.posts.filter(
      ({ isAlive, member }) => isAlive && this.#state.members.get(member)?.retiredMs === null,
    )
    for (const account of new Set(there.map((post) => post.account))) {
      const posts = there.filter((post) => post.account === account)
      const acting = posts.filter(({ guard }) => guard.member.notWriter === null)
      const [first] = acting
      const names = posts.map(({ name, guard }) => `${name}: ${guard.member.notWriter ?? 'acts'}`)
      if (acting.length > 1) throw new BrokenRule('writers', names.join('; '))
      if (first === undefined) throw new BrokenRule('living', names.join('; '))
      this.#lookAtActing(first)
    }
    this.#lookAtRecords()
  }

  get #state(): StoreState {
    return this.#fleet.store.state
  }

  #lookAtKnowing(): void {
    if (this.#knows !== 'not yet') return
    const { isPutBack, startedMs, sinceMs, isRestart } = this.#state.leasing
    if (startedMs !== this.#state.startedMs) return
    // So soon after a failover it leases nothing, and need not know.
    if (isPutBack || !isRestart) this.#knows = 'yes'
    else if (this.#fleet.store.nowMs >= sinceMs + heldMs + signedMs) this.#knows = 'no'
  }

  #lookAt({ scope, kind, set, leased }: BudgetRow): void {
    const key = budgetKey(scope, kind)
    const held = [...this.#state.leases.values()]
      .filter((lease) => lease.scope === scope && lease.kind === kind)
      .reduce((sum, lease) => sum + lease.held, 0)
    const most = Math.max(set, Math.min(this.#most.get(key) ?? set, leased))
    if (held !== leased || leased > (this.#most.get(key) ?? set)) {
      throw new BrokenRule('leased', `${key}: ${leased} leased, ${held} held, ${set} set`)
    }
    this.#most.set(key, most)
  }

  #lookAtUse(): void {
    for (const { scope, kind, set } of this.#state.budgets.values()) {
      const most = this.#usable.get(budgetKey(scope, kind)) ?? set
      const used = this.#usedOf(scope, kind)
      if (used > most && !this.isUnaware)
        throw new BrokenRule('budget', `${scope} ${kind}: ${used} used of ${most}`)
    }
    if (this.#hasGoneBack) return
    for (const lease of this.#state.leases.values()) {
      const account = this.#fleet.accountOf(lease.member)
      // What a Guard opened by its last right, after a person had written its account off, is in no lease.
      if (this.#fleet.wasWrittenOff(account)) continue
      const used = account.used(lease.kind)
      if (used > lease.held) {
        const what = `${lease.member} ${lease.scope} ${lease.kind}: ${used} used of ${lease.held}`
        throw new BrokenRule('used', what)
      }
    }
  }

  /** What the accounts of a scope use, without what was written off with a member. */
  #usedOf(scope: string, kind: string): Cents {
    const found = new Map<unknown, Cents>()
    for (const member of this.#state.members.values()) {
      if (!scopesOf(member).includes(scope)) continue
      const account = this.#fleet.accountOf(member.name)
      found.set(account, account.used(kind) - this.#fleet.writtenOff(account, kind))
    }
    return [...found.values()].reduce((sum, used) => sum + Math.max(used, 0), 0)
  }

  #lookAtActing({ name, guard, home }: Post): void {
    const { fork, lease } = guard.member
    if (fork !== null) throw new BrokenRule('records', `${name}: ${fork}`)
    const { ended } = lease('ETH' as never)
    if (ended !== null) throw new BrokenRule('living', `${name}: ${ended}`)
    const { outbox_lag: lag } = guard.member.status()
    if (lag !== 0) throw new BrokenRule('living', `${name}: ${String(lag)} records wait`)
    const isThere = [...this.#state.streams.values()].some(
      ({ hashes }) => hashes.join() === home.hashes.join(),
    )
    if (!isThere && home.hashes.length > 0) {
      throw new BrokenRule('records', `${name}: its journal is not in the store`)
    }
  }

  #lookAtRecords(): void {
    const journals = this.#fleet.homes.map(({ hashes }) => hashes)
    const copied = [...this.#state.streams.values()].flatMap(({ hashes }) => hashes)
    if (new Set(copied).size < copied.length) {
      throw new BrokenRule('records', 'one of them is there twice')
    }
    for (const [key, stream] of this.#state.streams) {
      const isOf = journals.some((own) => stream.hashes.every((hash, at) => own[at] === hash))
      if (!isOf) throw new BrokenRule('records', `${key} is the beginning of no journal`)
    }
  }
}
