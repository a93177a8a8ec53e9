import { expect, test } from 'vitest'
import { millis } from '../core/values/millis.ts'
import { SlidingWeightBudget } from '../venue/weightBudget.ts'
import type { HostMember } from './hostMember.ts'
import { HandTimers, settled, TestHost } from './host.fixture.ts'
import type { Sight } from './hostProcess.ts'

const venueLimit = 1_200
const stepMs = 100
const renewSteps = 5

/** One seed, one run: a small generator of even numbers between 0 and 1. */
function diceOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** A Guard with a bot that asks for as much as it can get, and what it really spent. */
class BusyGuard {
  readonly name: string
  readonly #host: TestHost
  readonly #spent: (weight: number) => void
  timers = new HandTimers()
  member!: HostMember
  budget!: SlidingWeightBudget
  sight!: Sight
  isRunning = false
  /** For how long it has had less than its floor. */
  starvedMs = 0
  /** What the last run remembers of itself, as a snapshot on disk does. */
  #memory: { readonly history: readonly number[]; readonly atMs: number } | null = null

  constructor(name: string, host: TestHost, spent: (weight: number) => void) {
    this.name = name
    this.#host = host
    this.#spent = spent
  }

  async start(): Promise<void> {
    this.timers = new HandTimers()
    this.sight = this.#host.spawn()
    this.member = this.#host.member(this.name, this.sight, this.timers)
    await this.member.join()
    const clock = { now: () => millis(this.#host.nowMs), monotonicMs: () => this.#host.nowMs }
    this.budget = new SlidingWeightBudget(venueLimit, clock, this.member)
    if (this.#memory !== null) {
      const { history, atMs } = this.#memory
      this.budget.spentBefore(history, this.#host.nowMs - atMs)
    }
    this.isRunning = true
  }

  /** Ends as kill -9 ends it: what it has not told is lost to the others. */
  die(): void {
    this.#memory = { history: this.budget.history(), atMs: this.#host.nowMs }
    this.#host.end(this.sight.own)
    this.isRunning = false
  }

  ask(lane: 'read' | 'entry' | 'exit' | 'watch', weight: number): boolean {
    const isTaken = this.budget.tryTake(lane, weight)
    if (isTaken) this.#spent(weight)
    return isTaken
  }
}

/** Every weight that reached the venue, and whether it would have refused one. */
class Venue {
  readonly #host: TestHost
  readonly #spent: { readonly atMs: number; readonly weight: number }[] = []
  #first = 0
  #sum = 0
  most = 0
  total = 0

  constructor(host: TestHost) {
    this.#host = host
  }

  count(weight: number): void {
    const { nowMs } = this.#host
    this.#spent.push({ atMs: nowMs, weight })
    this.#sum += weight
    this.total += weight
    for (let each = this.#spent[this.#first]; each !== undefined; each = this.#spent[this.#first]) {
      if (nowMs - each.atMs < 60_000) break
      this.#sum -= each.weight
      this.#first += 1
    }
    this.most = Math.max(this.most, this.#sum)
  }
}

test('ten busy Guards for an hour never spend more than the address has, and each keeps its floor', async () => {
  const host = new TestHost()
  const venue = new Venue(host)
  const dice = diceOf(7)
  const guards = Array.from({ length: 10 }, (_, each) => {
    return new BusyGuard(`g${each}`, host, (weight) => {
      venue.count(weight)
    })
  })
  for (const guard of guards) await guard.start()
  let longestMs = 0
  for (let step = 0; step < 36_000; step += 1) {
    host.nowMs += stepMs
    // Two renew at the same moment, so that one of them has to decide anew.
    for (const [place, guard] of guards.entries()) {
      if (!guard.isRunning) continue
      guard.timers.runOnce()
      if (step % renewSteps === place % renewSteps) guard.timers.runRepeated()
    }
    await settled()
    for (const guard of guards) {
      if (!guard.isRunning) {
        if (dice() < 0.01) await guard.start()
        continue
      }
      while (dice() < 0.6 && guard.ask(dice() < 0.5 ? 'read' : 'entry', dice() < 0.3 ? 20 : 1));
      // Who has spent little has its floor, a minute after its start at the latest.
      const isStarved = guard.budget.used() <= 100 && guard.member.limit() < 120
      guard.starvedMs = isStarved ? guard.starvedMs + stepMs : 0
      longestMs = Math.max(longestMs, guard.starvedMs)
      if (dice() < 0.000_5) guard.die()
    }
  }
  expect(longestMs).toBeLessThan(65_000)
  expect(venue.most).toBeLessThanOrEqual(venueLimit)
  // And it is used: bots may have 85% of their shares.
  expect(venue.total / 60).toBeGreaterThan(venueLimit * 0.6)
}, 600_000)

test('what nobody else needs goes to the one that does, and comes back', async () => {
  const host = new TestHost()
  const [one, other] = [
    new BusyGuard('a', host, () => undefined),
    new BusyGuard('b', host, () => undefined),
  ]
  await one.start()
  expect(one.member.limit()).toBe(1_200)
  await other.start()
  const pass = async (steps: number): Promise<void> => {
    for (let step = 0; step < steps; step += 1) {
      host.nowMs += renewSteps * stepMs
      for (const { timers } of [one, other]) {
        timers.runOnce()
        timers.runRepeated()
        await settled()
      }
    }
  }
  await pass(4)
  expect([one.member.limit(), other.member.limit()]).toEqual([600, 600])
  for (let asked = 0; asked < 60; asked += 1) {
    one.ask('entry', 20)
    await pass(1)
  }
  expect(one.budget.used()).toBeGreaterThan(700)
  expect(other.member.limit()).toBeGreaterThanOrEqual(120)
})

test('a dead Guard’s unspent share is back within two seconds, what it spent after a minute', async () => {
  const host = new TestHost()
  const guards = ['a', 'b'].map((name) => new BusyGuard(name, host, () => undefined))
  const [one, other] = guards
  if (one === undefined || other === undefined) throw new Error('there are two')
  for (const guard of guards) await guard.start()
  const renew = async (guard: BusyGuard, ms: number): Promise<void> => {
    host.nowMs += ms
    guard.timers.runOnce()
    guard.timers.runRepeated()
    await settled()
  }
  for (let step = 0; step < 6; step += 1) for (const guard of guards) await renew(guard, 250)
  expect(other.member.limit()).toBe(600)
  expect(one.ask('entry', 30)).toBe(true)
  await renew(one, 250)
  one.die()
  await renew(other, 1_000)
  await renew(other, 500)
  // 30 that are known, and 40 that may have been spent since they were told.
  expect(other.member.limit()).toBe(1_200 - 30 - 40)
  await renew(other, 60_000)
  await renew(other, 2_000)
  expect(other.member.limit()).toBe(1_200)
})

test('a Guard that loses the ledger lives on its floor, says so, and comes back', async () => {
  const host = new TestHost()
  const guard = new BusyGuard('a', host, () => undefined)
  await guard.start()
  expect([guard.member.limit(), guard.member.problem]).toEqual([1_200, null])
  host.isReachable = false
  for (let step = 0; step < 30; step += 1) {
    host.nowMs += 500
    guard.timers.runRepeated()
    await settled()
  }
  expect(guard.member.limit()).toBe(120)
  expect(guard.member.problem).toContain('the floor of 120')
  expect(guard.ask('read', 85)).toBe(false)
  expect(guard.ask('exit', 114)).toBe(true)
  host.isReachable = true
  host.nowMs += 500
  guard.timers.runRepeated()
  await settled()
  expect([guard.member.limit(), guard.member.problem]).toEqual([1_200, null])
})

test('a Guard that starts again takes over what it had spent, once', async () => {
  const host = new TestHost()
  const guard = new BusyGuard('a', host, () => undefined)
  await guard.start()
  guard.ask('entry', 500)
  guard.timers.runOnce()
  await settled()
  guard.die()
  host.nowMs += 3_000
  await guard.start()
  expect(guard.budget.used()).toBe(500)
  host.nowMs += 500
  guard.timers.runRepeated()
  await settled()
  expect(guard.member.limit()).toBe(1_200)
  expect(host.row('a')).toMatchObject({ pid: guard.sight.own.pid, weight_share: 1_200 })
})

test.each([
  ['that said it has stopped', true, 'a', { history: [500], agoMs: 3_000 }],
  ['that was cut off', false, 'a', null],
  ['of another account', true, 'b', null],
] as const)(
  'what a run %s had spent is known where it is whole',
  async (_what, says, name, known) => {
    const host = new TestHost()
    const guard = new BusyGuard('a', host, () => undefined)
    await guard.start()
    guard.ask('entry', 500)
    guard.timers.runOnce()
    await settled()
    if (says) await guard.member.leave()
    guard.die()
    host.nowMs += 3_000
    const next = new BusyGuard(name, host, () => undefined)
    await next.start()
    const told = next.budget.knownBefore()
    expect(told && { ...told, history: told.history.slice(0, 1) }).toEqual(known)
  },
)

test('what a Guard spent before its restore into another home counts once, as another’s', async () => {
  const host = new TestHost()
  const guard = new BusyGuard('a', host, () => undefined)
  await guard.start()
  guard.ask('entry', 500)
  await guard.member.leave()
  guard.die()
  const restored = host.member('a', host.spawn(), new HandTimers(), undefined, '/host', '/restored')
  await restored.join()
  expect([restored.limit(), restored.spentBefore()?.history]).toEqual([700, []])
})
