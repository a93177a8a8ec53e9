import type { Account } from '../../core/account/account.ts'
import { firstOpening } from '../../core/account/reservation.ts'
import { actionsOf } from '../../core/judge/decision.ts'
import type { Decision, RiskView } from '../../core/judge/decision.ts'
import { checkHalts } from '../../core/judge/entry/checkHalts.ts'
import type { LeaseFor } from '../../core/judge/lease.ts'
import { lastLook } from '../../core/judge/lastLook.ts'
import type { Refusal } from '../../core/judge/refusal.ts'
import type { Action, Json } from '../../core/protocol/action.ts'
import type { RulesFor } from '../../core/rules/rules.ts'
import type { Address } from '../../core/values/address.ts'
import { limits } from '../../core/values/limits.ts'
import type { Millis } from '../../core/values/millis.ts'
import { nobody } from './authenticate.ts'
import type { Asker, Authenticator } from './authenticate.ts'
import { decodeRequest } from './decodeRequest.ts'
import type { ReadRequest, Refused } from './decodeRequest.ts'
import type { ActionResult, Dispatcher, Held } from '../send/dispatcher.ts'
import { NotDurable, reservationId } from '../send/dispatcher.ts'
import { earlierLeverages, mustComeAfter } from './earlierLeverages.ts'
import type { EarlierLeverage } from './earlierLeverages.ts'
import type { EntryRate } from './entryRate.ts'
import type { Reply, Via } from '../guard.ts'
import { decisionBody, isMixed, judgeRecorded, needsJournal } from './judgement.ts'
import { onlyLowersRisk, randomMint, sellsTokens, unjudgedBody, vetoed } from './judgement.ts'
import type { Judgement } from './judgement.ts'
import { Heartbeats } from './heartbeats.ts'
import type { Latch } from '../watch/latch.ts'
import type { Observer } from '../observer.ts'
import type { Appended, Clock, Durable, Random } from '../ports.ts'
import type { Recorder } from '../recorder.ts'
import { filledSince, replacedEntries, withoutEnd } from './replacedEntries.ts'
import type { ReplacedEntry } from './replacedEntries.ts'
import type { RefusalLimits } from './refusalLimits.ts'
import type { Spending } from './spending.ts'
import type { StepLog } from '../send/stepLog.ts'
import type { VenueWaits } from '../watch/venueWaits.ts'
import { forwardedReply, paperReply, shedReply, vetoReply } from './replyToBot.ts'
import { mayLowerRisk, wasToGetOut } from './wasToGetOut.ts'
import { cannotJudge, doubtedNonce } from './refusalTexts.ts'
import { leverageUntold, notDurable, recovering } from './refusalTexts.ts'

interface RequestLineDeps {
  readonly clock: Clock
  readonly random: Random
  readonly observer: Observer
  readonly recorder: Recorder
  readonly authenticator: Authenticator
  readonly refusals: RefusalLimits
  readonly entryRate: EntryRate
  readonly latch: Latch
  readonly account: Account
  readonly risk: () => RiskView
  readonly rulesFor: RulesFor
  readonly builders: ReadonlySet<Address>
  readonly vault: Address | null
  readonly lease?: LeaseFor
  readonly notWriter?: () => string | null
  readonly spending: Pick<Spending, 'take'>
  /** Null in paper mode: there is nothing that could send. */
  readonly dispatcher: Dispatcher | null
  /** While Guard recovers only what gets out is served; a refusal for all while it stops, or is a standby. */
  readonly serves: () => 'all' | 'exits' | Refusal
  readonly venueWaits: Pick<VenueWaits, 'untilEnded' | 'until' | 'lookAgain'>
  readonly failed: (what: string, error: unknown) => void
  /**
   * Called with the venue's answers before the bot gets its reply: entries whose stop was refused
   * are closed, and people are told of refused exits.
   */
  readonly answered: (decision: Decision, results: readonly ActionResult[]) => void
  /**
   * Follows the coins that the action opens from now on. Returns the read that must come first where
   * what is known of them is too old, and null where it is fresh, as it mostly is.
   */
  readonly attend: (action: Action) => Promise<void> | null
}

/** One request: authenticate, decode, judge and reserve, journal, send, settle, reply. */
export class RequestLine {
  private readonly deps: RequestLineDeps
  private readonly heartbeats: Heartbeats
  private emergencies = 0

  constructor(deps: RequestLineDeps) {
    this.deps = deps
    this.heartbeats = new Heartbeats(deps)
  }

  async exchange(body: Uint8Array, via: Via, steps: StepLog): Promise<Reply> {
    const started = this.deps.clock.monotonicMs()
    this.deps.latch.checkFile()
    const request = this.read(body)
    if (request.ok && request.action === null) return this.heartbeats.answer(request.asker, via)
    this.heartbeats.end(request.asker.client)
    if (!request.ok) return await this.refuse(request, via, steps)
    const { asker, action, expiresBy } = request
    const serves = this.deps.serves()
    // While Guard recovers only what lowers risk passes: it waits for no read, nor would `attend` have it.
    const freshening = serves === 'all' ? this.deps.attend(action) : null
    if (freshening !== null) await freshening
    const judgement = this.judgeSafely(asker, action, serves)
    if (judgement === null) {
      return await this.refuse({ asker, code: 'invalid', text: cannotJudge }, via, steps, action)
    }
    if ('text' in judgement) return await this.refuse({ asker, ...judgement }, via, steps, action)
    const isRefused = judgement.decision.verdict === 'veto'
    if (isRefused && !this.admits(asker, wasToGetOut(action, judgement.decision.code)))
      return shedReply
    const asked = { asker, action, via, expiresBy, steps }
    const reply = await this.carryOut(asked, this.commit(asked, judgement))
    this.deps.observer.stage('total', this.deps.clock.monotonicMs() - started)
    return { status: 200, body: reply }
  }

  /** A body that was too long to be read at all. */
  async overlong(via: Via, steps: StepLog): Promise<Reply> {
    const text = `the body must have at most ${limits.bodyBytesMax} bytes`
    const reply = await this.refuse({ asker: nobody, code: 'malformed', text }, via, steps)
    return reply.status === 429 ? reply : { ...reply, status: 413 }
  }

  private read(body: Uint8Array): ReadRequest {
    const { clock, observer } = this.deps
    const started = clock.monotonicMs()
    const authenticated = this.deps.authenticator.authenticate(body)
    const checked = clock.monotonicMs()
    observer.stage('authenticate', checked - started)
    if (!authenticated.ok) return authenticated
    const { asker, envelope } = authenticated
    const serves = this.deps.serves()
    if (typeof serves !== 'string') return { ok: false, asker, ...serves }
    const decoded = decodeRequest(envelope, asker, this.deps.vault)
    observer.stage('decode', clock.monotonicMs() - checked)
    return decoded
  }

  /** A fault of the judge is a refusal, never a request without a decision. */
  private judgeSafely(
    asker: Asker,
    action: Action,
    serves: ReturnType<RequestLineDeps['serves']>,
  ): Judgement | Refusal | null {
    try {
      const replayed = this.deps.authenticator.replayedOrder(asker, action)
      if (replayed !== null) return replayed
      if (serves !== 'all') return this.judgeExit(asker, action, recovering)
      return asker.doubt === null
        ? this.judge(asker, action)
        : this.judgeExit(asker, action, doubtedNonce[asker.doubt])
    } catch (error) {
      this.deps.failed('the judge', error)
      return null
    }
  }

  /**
   * Judges with every entry refused for `why`. The decision where it only lowers risk and its request
   * weight could be taken; `why` otherwise, or the latch or halt, which outlasts a start.
   */
  private judgeExit(asker: Asker, action: Action, why: Refusal): Judgement | Refusal {
    const judgement = this.judgeWith(asker, action, why)
    const { decision } = judgement
    const isSafe = onlyLowersRisk(decision, this.deps.rulesFor(asker.client, null))
    if (isSafe && mayLowerRisk(action, asker.doubt !== null))
      return this.takeWeight(decision) === null ? judgement : why
    const state = { latched: this.deps.latch.isLatched, risk: this.deps.risk() }
    const halted = why === recovering ? checkHalts(state) : null
    return decision.code === halted?.code ? halted : why
  }

  /** From here to the end of `commit` nothing waits: no two requests can spend the same budget. */
  private judge(asker: Asker, action: Action): Judgement {
    const judgement = this.judgeWith(asker, action, null)
    const noRoom = this.takeWeight(judgement.decision)
    if (noRoom === null) return judgement
    const refused = { ...judgement, decision: vetoed(judgement.decision, noRoom) }
    if (!isMixed(judgement.decision)) return refused
    const exits = this.judgeWith(asker, action, noRoom)
    return this.takeWeight(exits.decision) === null ? exits : refused
  }

  private judgeWith(asker: Asker, action: Action, withheld: Refusal | null): Judgement {
    const { clock, account, entryRate, observer } = this.deps
    const started = clock.monotonicMs()
    const { client } = asker
    const judgement = judgeRecorded(this.deps.account, {
      account,
      rulesFor: this.deps.rulesFor,
      risk: this.deps.risk(),
      latched: this.deps.latch.isLatched,
      builders: this.deps.builders,
      now: clock.now(),
      client,
      action,
      mint: randomMint(this.deps.random),
      entriesLastMinute: client === null ? 0 : entryRate.lastMinute(client, started),
      ...(withheld === null ? {} : { withheld }),
      lease: this.deps.lease,
    })
    observer.stage('judge', clock.monotonicMs() - started)
    return judgement
  }

  /** A refusal where the venue, or the account's allowance of actions, has no room for what goes out. */
  private takeWeight(decision: Decision): Refusal | null {
    return this.deps.dispatcher === null ? null : this.deps.spending.take(decision)
  }

  /** Journals and reserves, still in the tick of the judgement. */
  private commit(asked: Asked, judged: Judgement): Committed {
    const { clock, recorder, entryRate, observer } = this.deps
    const { asker, via, steps } = asked
    const isPaper = this.deps.dispatcher === null
    let body = decisionBody(asker, via, judged, isPaper)
    let { decision } = judged
    const isVeto = decision.verdict === 'veto'
    const appended = isVeto ? recorder.recordRefusal(body) : recorder.record(body, 'now')
    if (isVeto) this.deps.refusals.recorded(asker.client, appended?.bytes ?? 0)
    if (appended === null && needsJournal(decision)) {
      const withheld = this.withoutEntries(asked, judged)
      decision = withheld.decision
      body = decisionBody(asker, via, withheld, isPaper)
      if (decision.verdict === 'veto') recorder.recordLater(body)
    }
    steps.say('judged', saidOf(asker, appended, decision))
    observer.decided(decision.verdict, decision.code, via)
    const at = clock.now()
    this.emergencies += appended === null ? 1 : 0
    const reservation = appended === null ? `e${this.emergencies}` : String(appended.seq)
    const earlier = earlierLeverages(decision, this.deps.account)
    if (this.deps.dispatcher !== null) {
      decision.reservations.forEach((items, place) => {
        this.deps.account.reserve(reservationId(reservation, place), items, at)
      })
    }
    if (asker.client !== null) entryRate.add(asker.client, decision.entryCount, clock.monotonicMs())
    if (decision.verdict !== 'veto') this.deps.authenticator.letThrough(asker, asked.action)
    const replaced = replacedEntries(decision, this.deps.account)
    return { judged, decision, body, appended, reservation, at, replaced, earlier }
  }

  /** No disk took the decision: judged again with its entries refused, or all of it where there are no exits. */
  private withoutEntries({ asker, action }: Asked, judged: Judgement): Judgement {
    const withheld = { code: 'journal', text: notDurable } as const
    return isMixed(judged.decision)
      ? this.judgeWith(asker, action, withheld)
      : { ...judged, decision: vetoed(judged.decision, withheld) }
  }

  private async carryOut(asked: Asked, committed: Committed): Promise<Reply['body']> {
    const { decision, appended } = committed
    if (decision.verdict === 'veto' || this.deps.dispatcher === null) {
      await this.deps.recorder.waitBriefly(appended)
      return decision.verdict === 'veto'
        ? vetoReply(decision.code, decision.text)
        : paperReply(decision)
    }
    try {
      const results = await this.deps.dispatcher.run({
        event: appended?.seq ?? null,
        reservation: committed.reservation,
        at: committed.at,
        actions: actionsOf(decision),
        needs: decision.needs,
        lane: decision.lane,
        expiresBy: asked.expiresBy,
        proof: this.proofOf(committed),
        together: false,
        ready: (place) => this.untilReady(asked, committed, place),
        hold: (place) => this.holdBack(asked, committed, place),
        steps: asked.steps,
      })
      this.deps.venueWaits.lookAgain()
      this.deps.answered(decision, results)
      return forwardedReply(decision, results)
    } catch (error) {
      // After any other error an action may have left: nothing is sent again, nor said not to be sent.
      if (!(error instanceof NotDurable)) throw error
      const withheld = this.withoutEntries(asked, committed.judged)
      if (isMixed(decision)) return await this.carryOut(asked, this.commit(asked, withheld))
      this.deps.recorder.recordLater(decisionBody(asked.asker, asked.via, withheld, false))
      return vetoReply('journal', `${notDurable}: ${error.message}`)
    }
  }

  /** What opens or trades tokens needs the journal itself; anything else may go with the emergency file. */
  private proofOf({ decision, body, appended }: Committed): Promise<Durable> {
    if (needsJournal(decision) && appended !== null) return appended.durable
    return this.deps.recorder.proofFor(body, appended)
  }

  /** What opens comes after changes of its leverage that left before it; null when none is open. */
  private untilReady(asked: Asked, committed: Committed, place: number): Promise<void> | null {
    if (!this.isAfterLeverage(committed, place)) {
      return this.untilEndsAreTold(asked, committed, place)
    }
    return this.deps.venueWaits
      .until(() => !this.isAfterLeverage(committed, place))
      .then(() => this.untilEndsAreTold(asked, committed, place) ?? undefined)
  }

  private isAfterLeverage({ earlier, decision }: Committed, place: number): boolean {
    return mustComeAfter(earlier, decision, place, this.deps.account)
  }

  /**
   * Waits, for 1.5 s at most, until it is told how much of the orders that this entry replaces has
   * filled, where their fills could leave it too little room; null where it need not wait.
   */
  private untilEndsAreTold(
    asked: Asked,
    committed: Committed,
    place: number,
  ): Promise<void> | null {
    const untold = withoutEnd(committed.replaced, this.deps.account)
    if (untold.length === 0 || this.holdBack(asked, committed, place) === null) return null
    return this.deps.venueWaits.untilEnded(untold.map(({ oid }) => oid))
  }

  /** What has changed while the decision was being written may still hold back an entry, or a sell of tokens. */
  private holdBack({ asker }: Asked, committed: Committed, place: number): Held | null {
    const { decision, replaced } = committed
    const entry = firstOpening(decision.reservations[place])
    if (entry === null && !sellsTokens(decision, place)) {
      return this.isAfterLeverage(committed, place) ? leverageUntold : null
    }
    const notWriter = this.deps.notWriter?.() ?? null
    if (notWriter !== null) return { code: 'fleet_unreachable', text: notWriter }
    const { account, latch, rulesFor } = this.deps
    const halts = { latched: latch.isLatched, risk: this.deps.risk() }
    if (entry === null) return checkHalts(halts)
    const filledMeanwhile = filledSince(replaced, entry, account)
    return lastLook({
      ...{ account, entry, filledMeanwhile, ...halts },
      rules: rulesFor(asker.client, entry.coin),
      isShared: rulesFor(asker.client, null).margin === 'cross',
      isLeverageUnknown: this.isAfterLeverage(committed, place),
    })
  }

  /** Whether there is room for one more refusal of this client; without it, it leaves no trace. */
  private admits(asker: Asker, getsOut: boolean): boolean {
    const { clock, observer, refusals, authenticator } = this.deps
    const moment = { now: clock.now(), monotonicMs: clock.monotonicMs() }
    if (refusals.admit(asker.client, moment, getsOut)) return true
    observer.shed()
    authenticator.forget(asker)
    return false
  }

  /** Refused before it could be judged; `action` where it was read. */
  private async refuse(
    refused: Refused,
    via: Via,
    steps: StepLog,
    action: Action | null = null,
  ): Promise<Reply> {
    const { observer, recorder } = this.deps
    const { asker, code, text } = refused
    const getsOut = action !== null && wasToGetOut(action, code)
    if (!this.admits(asker, getsOut)) return shedReply
    observer.decided('veto', code, via)
    const appended = recorder.recordRefusal(unjudgedBody(asker, via, code, text))
    this.deps.refusals.recorded(asker.client, appended?.bytes ?? 0)
    steps.say('refused', saidOf(asker, appended, { verdict: 'veto', code }))
    await recorder.waitBriefly(appended)
    return { status: 200, body: vetoReply(code, text) }
  }
}

/** A client's request that was read: what it asks, and where its steps are told. */
interface Asked {
  readonly asker: Asker
  readonly action: Action
  readonly via: Via
  readonly expiresBy: Millis | null
  readonly steps: StepLog
}

interface Committed {
  readonly judged: Judgement
  readonly decision: Decision
  readonly body: ReturnType<typeof decisionBody>
  readonly appended: Appended | null
  readonly reservation: string
  readonly at: Millis
  /** The entries that the decision cancels to place others, as they were when it was made. */
  readonly replaced: readonly ReplacedEntry[]
  readonly earlier: readonly EarlierLeverage[]
}

/** What the log says of a decision; the whole of it is the event with that number. */
function saidOf(
  { client, nonce, type }: Asker,
  appended: Appended | null,
  { verdict, code }: Pick<Decision, 'verdict' | 'code'>,
): { readonly [key: string]: Json } {
  const action = type?.slice(0, 64) ?? null
  return { seq: appended?.seq ?? null, client, nonce, action, verdict, code }
}
