import type { Settlement } from '../../core/account/reservation.ts'
import type { Internal, SentBody } from '../../core/events/guardEvent.ts'
import type { ReasonCode } from '../../core/judge/codes.ts'
import type { Action } from '../../core/protocol/action.ts'
import {
  isAcceptedWhole,
  isRefusedWhole,
  ordersOf,
  readActionReply,
  statusOf,
} from '../../core/protocol/actionReply.ts'
import type { ActionReply } from '../../core/protocol/actionReply.ts'
import type { TimeRefusal } from '../../core/protocol/timeRefusal.ts'
import { timeRefusalIn } from '../../core/protocol/timeRefusal.ts'
import type { Decimal } from '../../core/values/decimal.ts'
import type { Millis } from '../../core/values/millis.ts'
import type { Observer } from '../observer.ts'
import { OpenEvents } from './openEvents.ts'
import type { Outbox, Prepared } from './outbox.ts'
import type { Clock, Durable, Urgency, VenueAnswer } from '../ports.ts'
import type { Recorder } from '../recorder.ts'
import type { StepLog } from './stepLog.ts'
import type { UnknownOutcomes } from './unknownOutcomes.ts'
import { isDoneAlready, refusedOrders } from './doneAlready.ts'
import { doubtfulItems } from './doubtfulItems.ts'
import type { DoubtfulPart } from './doubtfulItems.ts'
import { numbersIn } from './numbersIn.ts'
import { isOver, recordOf } from './venueAnswers.ts'

/** The actions of one event that is being written, and how they depend on each other. */
interface Job {
  /** The event's number; null while the journal takes nothing. */
  readonly event: number | null
  /** What its actions' reservations are called by, each with its place. */
  readonly reservation: string
  readonly at: Millis
  readonly actions: readonly Action[]
  /** By place: the actions the venue must have accepted whole before this one is sent. */
  readonly needs: readonly (readonly number[])[]
  readonly lane: Urgency
  readonly expiresBy: Millis | null
  /**
   * The journal's proof for the decision, flatten or protect event; it rejects where the event was
   * not recorded, and then nothing is sent.
   */
  readonly proof: Promise<Durable>
  /** All at once; otherwise the first that needs nothing goes before the others. */
  readonly together: boolean
  /**
   * What the action at this place of the decision still waits for once the actions it needs were
   * accepted; null where it may leave at once, as most may.
   */
  readonly ready?: (index: number) => Promise<void> | null
  /** Asked just before the action at a place leaves: a reason not to send it, or null. */
  readonly hold: (index: number) => Held | null
  /** Where each step of it is told. */
  readonly steps: StepLog
  /** Told of each action as soon as it is settled, before anything else can happen. */
  readonly onResult?: (index: number, result: ActionResult) => void
}

/** Why an entry that was allowed is held back just before it leaves, with code and text for the bot. */
export interface Held {
  readonly code: ReasonCode
  readonly text: string
}

/** What became of one action. */
export type ActionResult =
  | { readonly kind: 'answered'; readonly reply: KnownReply }
  /** Provably not delivered, or held back; of Guard's own also what is sent anew as if it were. */
  | { readonly kind: 'not_sent'; readonly error: string; readonly held: Held | null }
  /** No answer, or none that can be read: it may have arrived. `settled` says later whether it had. */
  | { readonly kind: 'unknown'; readonly error: string; readonly settled: Promise<boolean> }
  /** Something it needs was not accepted. */
  | { readonly kind: 'skipped' }

/** An answer that says what became of the action, or of some of its items. */
type KnownReply = Exclude<ActionReply, { kind: 'unknown' }>

/** No disk has taken the event, so of its actions none was sent. */
export class NotDurable extends Error {}

interface DispatcherDeps {
  readonly clock: Clock
  readonly outbox: Outbox
  readonly recorder: Recorder
  readonly observer: Observer
  readonly unknowns: UnknownOutcomes
  readonly settle: (id: string, settlement: Settlement) => void
  /** What the answer said of one order, where the orders of an action fared differently. */
  readonly settleOrder: (id: string, index: number, settlement: Settlement) => void
  /** The answer told the number that the venue gave to the order at a place of its action. */
  readonly numbered: (id: string, index: number, oid: number, filled: Decimal) => void
  /** The action leaves for the venue. */
  readonly leaves: (id: string) => void
  /** Resolves once the clock and the nonces follow from the venue's refusal. */
  readonly retime: (refusal: TimeRefusal) => Promise<void>
  /** The venue refused a whole action, in these words. */
  readonly heardRefusal: (action: Action, text: string, nonce: number) => void
}

/** How the reservation of the action at a place is called. */
export function reservationId(reservation: string, place: number): string {
  return `${reservation}:${place}`
}

/** Sends the actions of an event in order, each once, and writes down what came back. */
export class Dispatcher {
  private readonly deps: DispatcherDeps
  private running = 0
  private answeredAt: Millis | null = null
  private readonly open = new OpenEvents()

  constructor(deps: DispatcherDeps) {
    this.deps = deps
  }

  /** When the venue last answered an action, or should have; null before the first. */
  get lastAnswerAt(): Millis | null {
    return this.answeredAt
  }

  /** How many events have actions on the way. */
  get inFlight(): number {
    return this.running
  }

  /**
   * The oldest event of which an outcome is not on disk yet, or that may still arrive though it was not
   * answered: a start has to know of it. Null when there is none.
   */
  get oldestOpen(): number | null {
    return this.open.oldest(this.deps.clock.monotonicMs())
  }

  /** The first action is signed while the event is being flushed. */
  async run(job: Job): Promise<readonly ActionResult[]> {
    this.running += 1
    const { event } = job
    if (event !== null) this.open.count(event, 1)
    try {
      return await this.sendAll(job)
    } finally {
      this.running -= 1
      if (event !== null) this.open.count(event, -1)
    }
  }

  private async sendAll(job: Job): Promise<readonly ActionResult[]> {
    const first = job.actions[0]
    const prepared = first === undefined ? null : this.timedPrepare(first, job.expiresBy)
    const waited = this.deps.clock.monotonicMs()
    const proof = await job.proof.catch((error: unknown) => {
      if (prepared !== null) this.deps.outbox.discard(prepared)
      this.settleAll(job, { outcome: 'refused' })
      throw new NotDurable(error instanceof Error ? error.message : String(error))
    })
    const ms = this.deps.clock.monotonicMs() - waited
    this.deps.observer.stage('durable', ms)
    const { seq, emergency, onDisk } = proof
    job.steps.say(onDisk ? 'on disk' : 'in memory', { seq, emergency, ms: rounded(ms) })
    const results: Promise<ActionResult>[] = []
    for (const [index, action] of job.actions.entries()) {
      const before = results.slice()
      const own = index === 0 ? prepared : null
      const one = { job, proof, index, action, before, prepared: own, isRetimed: false }
      results.push(this.sendWhenReady(one))
    }
    return await Promise.all(results)
  }

  private async sendWhenReady(one: One): Promise<ActionResult> {
    const { job, index, before } = one
    const needs = job.needs[index] ?? []
    for (const need of needs) {
      const result = await before[need]
      if (result?.kind !== 'answered' || !isAcceptedWhole(result.reply)) {
        this.deps.settle(reservationId(job.reservation, index), { outcome: 'refused' })
        return { kind: 'skipped' }
      }
    }
    if (!job.together && needs.length === 0) {
      // The first action that needs nothing goes before the others: exits come before entries.
      const leader = job.needs.findIndex((each) => each.length === 0)
      if (leader >= 0 && leader < index) await before[leader]
    }
    const ready = job.ready?.(index) ?? null
    if (ready !== null) await ready
    return await this.sendOne(one)
  }

  private async sendOne(one: One): Promise<ActionResult> {
    const { job, proof, index, action } = one
    const prepared = one.prepared ?? this.timedPrepare(action, job.expiresBy)
    const held = job.hold(index)
    if (held !== null) {
      this.deps.outbox.discard(prepared)
      const answer = { kind: 'not_sent', error: held.text } as const
      return this.settle(one, prepared, answer, held)
    }
    const sentAt = this.deps.clock.monotonicMs()
    this.deps.leaves(reservationId(job.reservation, index))
    let heldLate: Held | null = null
    // However many cancels of Guard's are on their way, its stops and closes leave at once.
    const isClearing = job.lane === 'safety' && action.type === 'cancel'
    const lane = isClearing ? 'clear' : job.lane
    const answering = this.deps.outbox.send(proof, prepared, lane, () => {
      heldLate = job.hold(index)
      return heldLate?.text ?? null
    })
    const said = { of: proof.seq, index, type: action.type, nonce: prepared.nonce }
    job.steps.say('sending', said)
    const answer = await answering
    const ms = this.deps.clock.monotonicMs() - sentAt
    this.deps.observer.stage('venue', ms)
    this.answeredAt = this.deps.clock.now()
    const again = await this.retimed(one, prepared, answer)
    if (again !== null) return await this.sendOne({ ...one, prepared: again, isRetimed: true })
    return this.settle(one, prepared, answer, answer.kind === 'not_sent' ? heldLate : null)
  }

  /**
   * The action signed anew, where the venue refused it for nothing but the time: that proves that
   * nothing happened, and is learned from once.
   */
  private async retimed(
    { action, isRetimed, job }: One,
    prepared: Prepared,
    answer: VenueAnswer,
  ): Promise<Prepared | null> {
    if (answer.kind !== 'reply') return null
    const reply = readActionReply(action, answer.reply)
    const { nonce } = prepared
    if (reply.kind === 'refused') this.deps.heardRefusal(action, reply.text, nonce)
    if (isRetimed) return null
    const refusal = reply.kind === 'refused' ? timeRefusalIn(reply.text, nonce) : null
    if (reply.kind !== 'refused' || refusal === null) return null
    const text = `the venue refused an action by its clock: ${reply.text} (nonce ${nonce})`
    this.deps.recorder.record({ kind: 'error', text }, 'ride')
    await this.deps.retime(refusal)
    return this.deps.outbox.again(action, job.expiresBy, prepared)
  }

  private settle(
    one: One,
    prepared: Prepared,
    answer: VenueAnswer,
    held: Held | null,
  ): ActionResult {
    const { job, index } = one
    const result = this.read(one, prepared, answer, held)
    const ok = result.kind === 'answered' && isAcceptedWhole(result.reply)
    const skipped = ok ? [] : skippedBy(job, index)
    const body: SentBody = {
      kind: 'sent',
      decision: one.proof.seq,
      index,
      nonce: prepared.nonce,
      ok,
      reply: recordOf(answer),
    }
    const record = skipped.length === 0 ? body : { ...body, _: { skipped } }
    this.write(record, one.proof)
    const of = one.proof.seq
    job.steps.say('settled', { of, index, nonce: prepared.nonce, ok, outcome: result.kind })
    this.deps.observer.sent(ok)
    job.onResult?.(index, result)
    return result
  }

  /** The event stays open until this outcome is on disk, so that no snapshot passes it by. */
  private write(record: SentBody & Internal, proof: Durable): void {
    const { recorder } = this.deps
    this.open.count(proof.seq, 1)
    const done = (): void => {
      this.open.count(proof.seq, -1)
    }
    // What the journal does not take, or takes and then loses, is in the emergency file.
    const inEmergency = (): void => {
      recorder.proofFor(record, null).then(done, done)
    }
    const appended = recorder.record(record, 'ride')
    if (appended === null) inEmergency()
    else appended.durable.then(done, inEmergency)
  }

  private read(one: One, prepared: Prepared, answer: VenueAnswer, held: Held | null): ActionResult {
    const { job, index, action } = one
    const id = reservationId(job.reservation, index)
    if (answer.kind !== 'reply' && isOver(job.lane, answer)) {
      this.deps.settle(id, { outcome: 'refused' })
      if (answer.kind === 'unknown') this.open.mayArrive(one.proof.seq, prepared.expiresMonotonicMs)
      return { kind: 'not_sent', error: answer.error, held }
    }
    const reply = answer.kind === 'reply' ? readActionReply(action, answer.reply) : null
    if (reply !== null && reply.kind !== 'unknown') {
      this.take(one, prepared, id, reply)
      return { kind: 'answered', reply }
    }
    this.deps.settle(id, { outcome: 'unknown' })
    this.open.mayArrive(one.proof.seq, prepared.expiresMonotonicMs)
    const settled = this.lookUp(one, prepared, id, { action, place: null })
    const error = answer.kind === 'unknown' ? answer.error : notKnown
    return { kind: 'unknown', error, settled }
  }

  /** Settles what was reserved for an action by an answer that says what became of it. */
  private take(one: One, prepared: Prepared, id: string, reply: KnownReply): void {
    const { action } = one
    const doubtful = doubtfulItems(action, reply)
    if (doubtful.length > 0) {
      this.deps.settle(id, { outcome: 'unknown' })
      for (const at of acceptedOrders(action, reply)) {
        this.deps.settleOrder(id, at, { outcome: 'accepted' })
      }
    } else {
      const isNothing = isRefusedWhole(reply) && !isDoneAlready(action, reply)
      this.deps.settle(id, { outcome: isNothing ? 'refused' : 'accepted' })
    }
    for (const { at, oid, filled } of numbersIn(action, reply)) {
      this.deps.numbered(id, at, oid, filled)
    }
    for (const at of refusedOrders(action, reply)) {
      this.deps.settleOrder(id, at, { outcome: 'refused' })
    }
    for (const part of doubtful) {
      this.lookUp(one, prepared, id, part).catch(() => undefined)
    }
  }

  /** Asks the venue what became of an action, or of a part of it, until that is known. */
  private lookUp(
    { job }: One,
    { expiresMonotonicMs }: Prepared,
    id: string,
    part: DoubtfulPart,
  ): Promise<boolean> {
    const { at, lane, steps } = job
    return this.deps.unknowns.track({ id, ...part, at, expiresMonotonicMs, lane, steps })
  }

  private settleAll(job: Job, settlement: Settlement): void {
    job.actions.forEach((_, index) => {
      this.deps.settle(reservationId(job.reservation, index), settlement)
    })
  }

  private timedPrepare(action: Action, expiresBy: Millis | null): Prepared {
    const started = this.deps.clock.monotonicMs()
    const prepared = this.deps.outbox.prepare(action, expiresBy)
    this.deps.observer.stage('sign', this.deps.clock.monotonicMs() - started)
    return prepared
  }
}

interface One {
  readonly job: Job
  readonly proof: Durable
  readonly index: number
  readonly action: Action
  readonly before: readonly Promise<ActionResult>[]
  readonly prepared: Prepared | null
  /** It was refused by the venue's clock before, and is not sent a third time. */
  readonly isRetimed: boolean
}

/** The places in the action of the orders that the answer shows as accepted. */
function acceptedOrders(action: Action, reply: KnownReply): readonly number[] {
  return ordersOf(action).flatMap((_, at) => {
    const { kind } = statusOf(reply, at)
    return kind === 'error' || kind === 'unknown' ? [] : [at]
  })
}

/** The actions that will not be sent because this one was not accepted, and their followers. */
function skippedBy(job: Job, failed: number): number[] {
  const gone = new Set([failed])
  job.needs.forEach((needs, index) => {
    if (needs.some((need) => gone.has(need))) gone.add(index)
  })
  gone.delete(failed)
  return [...gone]
}

/** What a bot is told where the answer has a shape, a type or a status that the venue's reference lacks. */
export const notKnown = "the venue's answer is none that Guard knows"

const rounded = (ms: number): number => Math.round(ms * 1_000) / 1_000
