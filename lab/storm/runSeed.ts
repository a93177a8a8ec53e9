import type { Crypto } from '../../src/core/protocol/crypto.ts'
import { limits } from '../../src/core/values/limits.ts'
import { Agent } from './agent/agent.ts'
import type { Coverage } from './coverage.ts'
import { approveAgain, healVenue, strike } from './faultDesk.ts'
import { Follower } from './follower.ts'
import { performHabit } from './habits/performHabit.ts'
import { beginAnew, haltOf, putBackBits, review, tidyUp } from './agent/owner.ts'
import { passStep } from './passStep.ts'
import type { Plan } from './plan.ts'
import type { Step } from './step.ts'
import { Reader } from './reader.ts'
import { answerMsMax, Sampler } from './sampler.ts'
import { replayJournal } from './replayJournal.ts'
import { answerAgain, checkFlatBut, silenceOneCoin } from './silentCoin.ts'
import { drained } from './turns.ts'
import {
  checkFlat,
  checkNoIdleStops,
  checkSameAccount,
  checkUntouched,
  uncoveredCoins,
  venueHappenings,
} from './venueOracle.ts'
import { Violation } from './violation.ts'
import { World } from './world.ts'
import { owner, user } from './keys.ts'
import type { RunOptions } from './world.ts'

export interface SeedResult {
  readonly seed: number
  readonly failure: Violation | null
  /** When it failed, by the world's time. */
  readonly atMs: number
  readonly steps: number
  readonly requests: number
  readonly lives: number
  readonly replayed: number
  readonly coverage: Coverage
  readonly codes: ReadonlySet<string>
  readonly trace: readonly string[]
}

const stepsAtOnceMax = 5_000
const healMs = 30_000
/** A TWAP whose answer was lost may arrive for half a minute, and is looked for once weight is back. */
const twapsHealMs = 120_000
/** Where the request weight is spent, what only a read can tell waits for the next minute's. */
const healWithoutWeightMs = 70_000
const flatMs = 30_000
const apartMs = 15_000
/** What has come right is looked at this often, and has to stay right. */
const restLookMs = 1_000
const restLooks = 3

/** Runs one world to its end, or to the first thing that must not happen. */
export async function runSeed(
  plan: Plan,
  crypto: Crypto,
  options: RunOptions = {},
): Promise<SeedResult> {
  const world = new World(plan, crypto, options)
  const run = new Run(world)
  const failure = await run.toTheEnd()
  return {
    seed: plan.seed,
    failure,
    atMs: world.time.elapsed,
    steps: run.steps,
    requests: world.bots.requests.length,
    lives: world.lives,
    replayed: run.replayed,
    coverage: world.coverage,
    codes: world.oracle.codes,
    trace: world.trace.all,
  }
}

class Run {
  readonly #world: World
  readonly #follower: Follower | null
  #badDiskAt = -Infinity
  #lastStepAt = 0
  #stepsNow = 0
  steps = 0
  replayed = 0

  constructor(world: World) {
    this.#world = world
    this.#follower = world.plan.hasFollower ? new Follower(world) : null
  }

  async toTheEnd(): Promise<Violation | null> {
    const { plan, time, sim } = this.#world
    const agent = plan.hasAgent ? new Agent(this.#world) : null
    // Its clock of states runs from the first time it is brought up to date.
    if (plan.hasCadence) sim.advance()
    this.#world.start()
    if (plan.hasReader) new Reader(this.#world).start()
    this.#follower?.start()
    agent?.start()
    for (const step of plan.steps) {
      time.at(step.at, () => {
        this.#do(step)
      })
    }
    const sampler = new Sampler(this.#world)
    time.everyUntil(plan.rhythm.looks, plan.stormMs + healMs, () => {
      this.#world.guarded(() => {
        sampler.look()
      })
    })
    try {
      for (const at of plan.rests) {
        await this.#until(at)
        await this.#rest()
      }
      await this.#until(plan.stormMs)
      await this.#finish()
    } catch (error) {
      if (error instanceof Violation) return error
      throw error
    }
    return this.#world.failure
  }

  /** Lets time pass, step by step; microtasks are drained between any two. */
  async #until(elapsed: number): Promise<void> {
    const { time, disk } = this.#world
    await drained()
    for (;;) {
      const next = passStep(this.#world, elapsed)
      if (next === null) break
      this.steps += 1
      this.#stepsNow = next === this.#lastStepAt ? this.#stepsNow + 1 : 0
      this.#lastStepAt = next
      if (this.#stepsNow > stepsAtOnceMax) {
        throw new Violation('spins', `${stepsAtOnceMax} steps without a millisecond passing`)
      }
      await drained()
      if (disk.crashed) this.#world.die(() => this.#world.chance.next())
      this.#judgeDisk()
      if (this.#world.failure !== null) throw this.#world.failure
    }
    time.moveTo(elapsed)
  }

  /** Waits for what itself waits for the world's time. */
  async #pumped<T>(task: Promise<T>): Promise<T> {
    const ended = { isDone: false }
    const isWaiting = (): boolean => !ended.isDone
    const done = (): void => {
      ended.isDone = true
    }
    task.then(done, done)
    await drained()
    const until = this.#world.time.elapsed + answerMsMax
    while (isWaiting() && this.#world.time.elapsed < until) {
      await this.#until(this.#world.time.elapsed + 1)
    }
    if (isWaiting()) throw new Violation('replay', `not read again within ${answerMsMax} ms`)
    return task
  }

  #judgeDisk(): void {
    const { trouble, life, time, oracle, plan } = this.#world
    oracle.isSecondDiskGood = plan.hasSecondDisk && !trouble.wasFull
    const isBad = !trouble.isCalm || (life?.opened?.journal.error ?? null) !== null
    if (isBad) this.#badDiskAt = time.elapsed
    oracle.diskBadAt = this.#badDiskAt
    oracle.isDiskBad = time.elapsed - this.#badDiskAt < limits.journalSyncMsMax + 1_000
  }

  #do(step: Step): void {
    const world = this.#world
    if (step.kind === 'fault') {
      strike(world, step.fault, step.dice)
      return
    }
    if (step.kind === 'habit') performHabit(world, step.habit, step.dice)
    else world.bots.do(step)
  }

  /** The world heals for a while, the owner looks at what has come right, and it goes on. */
  async #rest(): Promise<void> {
    const world = this.#world
    const from = world.time.elapsed
    await this.#heal()
    await this.#comeRight(from)
    const halt = haltOf(world)
    if (halt !== null || world.putBack.length > 0) {
      await this.#stop()
      if (halt !== null) await this.#pumped(review(world, halt))
      await this.#pumped(putBackBits(world))
      world.start()
      await this.#comeRight(world.time.elapsed)
    }
    if (tidyUp(world)) await this.#comeRight(world.time.elapsed)
    beginAnew(world)
    world.options.rested?.(world)
  }

  /** Nothing goes wrong any more, and nobody begins anything. */
  async #heal(): Promise<void> {
    const world = this.#world
    const { plan, time, net, trouble, disk } = world
    world.trace.say('the world heals')
    net.heal()
    trouble.heal(disk)
    world.dieAt = null
    world.clockOffsetMs = 0
    world.isHealed = true
    world.release()
    healVenue(world)
    // Every stream has to come back while a bot asks for all it can.
    if (this.#follower !== null) world.control('fault', { where: 'ws', kind: 'disconnect' })
    for (let at = 0; at < 8; at += 1) {
      await this.#until(time.elapsed + 2_000)
      if (world.isAgentRevoked) approveAgain(world)
      else if (!plan.isPatient) break
    }
  }

  /** Everything comes right in a world that is well since then. */
  async #comeRight(from: number): Promise<void> {
    const { plan } = this.#world
    const atRest = (): void => {
      this.#atRest()
    }
    await this.#untilHolds(from + healMs, atRest)
    if (this.#isWeightSpent()) await this.#untilHolds(from + healWithoutWeightMs, atRest)
    if (plan.habits.includes('twaps')) await this.#untilHolds(from + twapsHealMs, atRest)
    for (const each of venueHappenings(this.#world.sim.venue, user)) {
      this.#world.coverage.struck(each)
    }
    this.#check(atRest)
  }

  /** The world heals; then everything must come right. */
  async #finish(): Promise<void> {
    const world = this.#world
    const { plan, time, sim } = world
    await this.#heal()
    await this.#comeRight(plan.stormMs)
    await this.#served()
    const silent = silenceOneCoin(world)
    await this.#kill()
    if (silent !== null) await this.#apart(silent)
    const flat = (): void => {
      checkFlat(sim.venue, user, 'the switch was pulled on a healthy venue')
    }
    const settled = (): void => {
      flat()
      // Without a position no price can tell the two apart: this holds in every world.
      const { life } = world
      if (life?.guard != null) checkSameAccount(sim.venue, user, life.guard)
    }
    await this.#untilHolds(time.elapsed + flatMs, settled)
    this.#check(flat)
    // What bots have sent without an answer is asked about when there is weight for it.
    if (this.#isWeightSpent()) await this.#untilHolds(time.elapsed + healWithoutWeightMs, settled)
    this.#check(settled)
    await this.#stop()
    this.replayed = await this.#pumped(replayJournal(world))
    this.#check(() => {
      this.#noSecrets()
    })
  }

  /** The switch was pulled, and one coin gets no answer: all others are closed, and then it as well. */
  async #apart(silent: string): Promise<void> {
    const world = this.#world
    const flat = (): void => {
      checkFlatBut(world.sim.venue, user, silent)
    }
    await this.#untilHolds(world.time.elapsed + apartMs, flat)
    this.#check(flat)
    answerAgain(world)
  }

  /** What was asked for before may have used up a minute's messages to the venue, and its sockets. */
  async #served(): Promise<void> {
    const follower = this.#follower
    if (follower === null) return
    const { time } = this.#world
    const followed = (): void => {
      const stream = this.#world.life?.guard?.status().venue.stream
      if (stream !== 'live')
        throw new Violation('followed', `Guard's stream is ${stream ?? 'none'}`)
    }
    await this.#untilHolds(time.elapsed + healWithoutWeightMs, followed)
    this.#check(followed)
    follower.calmDown()
    const heard = (): void => {
      follower.check()
    }
    await this.#untilHolds(time.elapsed + healWithoutWeightMs, heard)
    this.#check(heard)
  }

  #isWeightSpent(): boolean {
    if (this.#world.plan.hasReader || this.#follower !== null) return true
    const status = this.#world.life?.guard?.status()
    if (status === undefined) return false
    // Beyond this an unanswered action of a bot's is not asked about.
    return status.venue.weight_used_1m > status.venue.weight_limit_1m * 0.8
  }

  /** Until something has come right and stayed so, or its time is over; a patient world waits. */
  async #untilHolds(elapsed: number, check: () => void): Promise<void> {
    const { time, plan } = this.#world
    for (let held = 0; time.elapsed < elapsed && (plan.isPatient || held < restLooks);) {
      await this.#until(Math.min(elapsed, time.elapsed + restLookMs))
      held = holds(check) ? held + 1 : 0
    }
  }

  #check(check: () => void): void {
    this.#world.guarded(check)
    if (this.#world.failure !== null) throw this.#world.failure
  }

  #atRest(): void {
    const { life, sim, oracle, killFileAt } = this.#world
    if (life?.guard == null || life.recoveredAt === null) {
      throw new Violation('recovers', 'Guard does not serve 30 s after the world healed')
    }
    const ready = life.guard.ready()
    if (!ready.ok) throw new Violation('recovers', `Guard is not ready: ${ready.reason}`)
    const isLatched = oracle.killedAt !== null || killFileAt !== null
    if (isLatched && !life.guard.status().kill.latched) {
      throw new Violation('latched', 'a kill was acknowledged, and Guard is not latched')
    }
    const isHalted = isLatched || oracle.riskState !== 'active'
    if (isHalted) checkFlat(sim.venue, user, 'Guard is latched or halted')
    const bare = uncoveredCoins(sim.venue, user)
    if (bare.length > 0) throw new Violation('covered', `${bare.join()} not covered at rest`)
    checkNoIdleStops(sim.venue, user)
    checkUntouched(sim.venue, owner)
    this.#world.venueSide.dexes.checkTold(life.guard)
    if (this.#world.plan.isFrozen) checkSameAccount(sim.venue, user, life.guard)
  }

  async #untilDone(forMs: number, isDone: () => boolean): Promise<void> {
    const { time } = this.#world
    const end = time.elapsed + forMs
    while (time.elapsed < end && !isDone()) await this.#until(time.elapsed + 100)
  }

  async #kill(): Promise<void> {
    const { life } = this.#world
    const pulled = life?.guard?.kill('the end (command line)')
    let isDone = false
    pulled?.then(
      () => {
        isDone = true
      },
      () => undefined,
    )
    await this.#untilDone(5_000, () => isDone)
    this.#check(() => {
      if (!isDone) throw new Violation('latched', 'a kill was not acknowledged within 5 s')
    })
    this.#world.acknowledgeKill()
  }

  async #stop(): Promise<void> {
    const { life } = this.#world
    let isDone = false
    life?.guard?.stop('SIGTERM').then(
      () => {
        isDone = true
      },
      () => undefined,
    )
    await this.#untilDone(10_000, () => isDone)
    this.#check(() => {
      if (!isDone) throw new Violation('stop', 'Guard has not stopped within 10 s')
    })
    if (life !== null) this.#world.end(life)
    this.#world.disk.kill()
  }

  #noSecrets(): void {
    const { disk } = this.#world
    for (const path of disk.paths()) {
      this.#world.checkSecrets(Buffer.from(disk.bytes(path) ?? []).toString('latin1'))
    }
  }
}

function holds(check: () => void): boolean {
  try {
    check()
    return true
  } catch (error) {
    if (error instanceof Violation) return false
    throw error
  }
}
