import type { DecisionBody, Internal } from '../../core/events/guardEvent.ts'
import type { Action, Json } from '../../core/protocol/action.ts'
import { decodeAction } from '../../core/protocol/decodeAction.ts'
import type { Address } from '../../core/values/address.ts'
import { limits } from '../../core/values/limits.ts'
import type { Millis, Nonce } from '../../core/values/millis.ts'
import { isAgentOrder } from '../request/agentOrders.ts'
import { isPlacing, ListQuestions } from '../send/listQuestions.ts'
import { readMemory, snapshotName } from './engineMemory.ts'
import type { EngineMemory, OpenIntent } from './engineMemory.ts'
import { expirySlackMs, keyOf, OpenIntents } from './openIntents.ts'
import { lookUp } from '../send/lookup.ts'
import type { Found, LookupDeps } from '../send/lookup.ts'
import type { Clock, JournalHistory, JournalRecord, Log, Timers } from '../ports.ts'
import type { Obeyed } from '../watch/latch.ts'
import type { NameRow } from '../../core/account/keptNames.ts'
import type { PromiseRecord } from '../../core/account/promises.ts'
import type { Settlement } from '../../core/account/reservation.ts'
import type { TwapRecord } from '../../core/account/twapRecord.ts'
import { cloidsOf, NamesLeft } from './nameMemory.ts'
import { earlierPlans, readPlans } from './promiseMemory.ts'
import { listOf, readCovering, readOwnStops } from '../stopRows.ts'
import type { Recorder } from '../recorder.ts'
import { laterRisk, readRiskMemory, riskSnapshotName } from './riskMemory.ts'
import type { RiskKept } from './riskMemory.ts'
import { spentWeight } from './spentWeight.ts'
import type { SpentWeight } from './spentWeight.ts'
import { readPlannedTwaps, twapFate } from './twapMemory.ts'
import { readVenueMemory, venueSnapshotName } from './venueMemory.ts'
import type { VenueMemory } from './venueMemory.ts'

/** What earlier runs left behind, as their records tell it. */
export interface Replayed {
  readonly memory: EngineMemory | null
  /**
   * The snapshot of the risk memory cannot be read, or there is none and the records that would tell
   * the same are not kept any more: peaks and halts are unknown, and Guard starts stopped.
   */
  readonly isMemoryLost: boolean
  /** What the venue had told by then; null where nothing of it can be read. */
  readonly venue: VenueMemory | null
  readonly latch: { readonly reason: string; readonly at: Millis } | null
  /** The last kill of the fleet that was obeyed, be the latch released since or not. */
  readonly obeyed: Obeyed | null
  /** The risk engine as something later than `memory` kept it; null when nothing did. */
  readonly risk: Json
  /** A person's review that came after it. */
  readonly reviewed: { readonly equity: string; readonly at: Millis } | null
  readonly nonces: readonly (readonly [Address, Nonce])[]
  /** Client, client order id and nonce of each order of an agent that was let through. */
  readonly agentOrders: readonly (readonly [Address, string, Nonce])[]
  /** The stops that orders of earlier runs stand for: id, is it an entry, where. */
  readonly plans: PromiseRecord['plans']
  /** Guard's own stops that were decided on since the memory was saved. */
  readonly ownStops: ReturnType<typeof readOwnStops>
  /** The stops that covered all of a position at the last decision since then. */
  readonly covering: ReturnType<typeof readCovering>
  readonly cloids: readonly string[]
  readonly names: readonly NameRow[]
  /** The TWAPs that were sent, or may have been, with those of the memory that were not refused since. */
  readonly twaps: readonly TwapRecord[]
  readonly lastNonce: number
  readonly open: readonly OpenIntent[]
  /**
   * When the last record was written of a run that did not end by saving its memory: it was cut off, or
   * its disk failed as it stopped. Null when there is none.
   */
  readonly unsavedAt: Millis | null
  /** When the last run wrote its last record, or saved its memory; null where there was none. */
  readonly endedAt: number | null
  readonly spent: SpentWeight
}

/** Reads the last snapshot and everything after it. */
export async function replayHistory(history: JournalHistory): Promise<Replayed> {
  const loaded = await history.loadSnapshot(snapshotName)
  const snapshot = loaded === 'unreadable' ? null : loaded
  const memory = snapshot === null ? null : readMemory(snapshot.state)
  const loadedRisk = await history.loadSnapshot(riskSnapshotName)
  const ownRisk =
    loadedRisk === null || loadedRisk === 'unreadable' ? null : readRiskMemory(loadedRisk.state)
  const replay = new Replay(memory, ownRisk)
  // Without a snapshot that can be read, everything is read.
  const since = memory === null ? 0 : (snapshot?.seq ?? 0)
  let isCut = false
  let before = since
  for await (const record of history.replay(since)) {
    // What waits for the disk in an emergency file has a number below zero until it joins the journal.
    if (record.seq > 0) {
      isCut ||= record.seq !== before + 1
      before = record.seq
    }
    replay.take(record)
  }
  const venue = await history.loadSnapshot(venueSnapshotName)
  return {
    ...replay.result(),
    isMemoryLost:
      isCut || (loaded !== null && memory === null) || (loadedRisk !== null && ownRisk === null),
    venue: venue === null || venue === 'unreadable' ? null : readVenueMemory(venue.state),
  }
}

class Replay {
  private readonly memory: EngineMemory | null
  /** The last the snapshots say of the risk engine. */
  private readonly riskKept: RiskKept | null
  private latch: Replayed['latch']
  private obeyed: Obeyed | null
  private risk: Json = null
  private reviewed: Replayed['reviewed'] = null
  private readonly nonces: (readonly [Address, Nonce])[] = []
  private readonly agentOrders: (readonly [Address, string, Nonce])[] = []
  private readonly plans: PromiseRecord['plans'][number][] = []
  private readonly ownStops: Replayed['ownStops'][number][] = []
  private covering: Replayed['covering'] = []
  private readonly cloids: string[] = []
  private readonly names: NamesLeft
  private readonly twaps = new Map<string, TwapRecord>()
  private lastNonce = 0
  private unsavedAt: Millis | null = null
  private endedAt: number | null
  private readonly starts: Millis[] = []
  private readonly open = new OpenIntents()

  constructor(memory: EngineMemory | null, ownRisk: RiskKept | null) {
    this.memory = memory
    this.riskKept = laterRisk(memory, ownRisk)
    this.risk = this.riskKept?.risk ?? null
    this.names = new NamesLeft(memory?.account.names)
    this.latch = memory?.latch ?? null
    this.obeyed = memory?.obeyed ?? null
    this.lastNonce = memory?.lastNonce ?? 0
    this.endedAt = this.riskKept?.at ?? null
    for (const twap of memory?.account.twaps ?? []) this.twaps.set(twap.action, twap)
  }

  take({ seq, at_ms, body }: JournalRecord): void {
    const at = at_ms as Millis
    this.endedAt = at
    const isSavedStop = body.kind === 'stopped' && !this.isUnsaved(seq, at)
    this.unsavedAt = isSavedStop ? null : at
    this.open.pass(at)
    switch (body.kind) {
      case 'decision':
        this.takeDecision(seq, at, body)
        return
      case 'flatten':
      case 'protect':
        if (body.sent) this.open.intend(seq, at, body.actions)
        if (this.isUnsaved(seq, at)) this.ownStops.push(...readOwnStops(body._?.['own_stops'], at))
        return
      case 'sent':
        this.lastNonce = Math.max(this.lastNonce, body.nonce)
        this.open.answer(keyOf(body.decision, body.index), body.reply)
        if (body.ok) this.names.taken(keyOf(body.decision, body.index))
        this.tellTwap(keyOf(body.decision, body.index), twapFate(body.reply))
        for (const index of listOf(body._?.['skipped'])) {
          if (typeof index !== 'number') continue
          this.open.delete(keyOf(body.decision, index))
          this.twaps.delete(keyOf(body.decision, index))
        }
        return
      case 'recovered':
        this.open.delete(keyOf(body.of, body.index))
        if (body.outcome === 'happened') this.names.taken(keyOf(body.of, body.index))
        if (body.outcome === 'did_not_happen') this.twaps.delete(keyOf(body.of, body.index))
        return
      case 'kill':
        this.takeKill(at, body.reason, body._?.['fleet_epoch'])
        return
      case 'risk':
        if (!this.isLaterThanRisk(seq, at)) return
        this.risk = body._?.['risk'] ?? this.risk
        this.reviewed = null
        return
      case 'reviewed':
        if (body.what === 'kill') this.latch = null
        else if (body.equity !== null && this.isLaterThanRisk(seq, at)) {
          this.reviewed = { equity: body.equity, at }
        }
        return
      case 'started':
        this.starts.push(at)
        return
      case 'error':
      case 'stopped':
        return
    }
  }

  result(): Omit<Replayed, 'venue' | 'isMemoryLost'> {
    const { memory, latch, obeyed, risk, reviewed, nonces, agentOrders, plans, cloids } = this
    const { lastNonce, unsavedAt, endedAt, ownStops, covering } = this
    const open = [...(memory?.inherited ?? []), ...this.open.left()]
    const known = { memory, latch, obeyed, risk, reviewed, nonces, agentOrders, plans, cloids }
    return {
      ...known,
      ownStops,
      covering,
      names: this.names.rows(),
      twaps: [...this.twaps.values()],
      lastNonce,
      open,
      unsavedAt,
      endedAt,
      spent: spentWeight(memory, this.riskKept, this.starts),
    }
  }

  /** Whether the memory was made before this record. */
  private isUnsaved(seq: number, at: Millis): boolean {
    const { memory } = this
    if (memory === null) return true
    return seq > 0 ? seq > memory.asOf : at >= memory.weight.at
  }

  /** A record that waits in an emergency file has no number yet that could be compared. */
  private isLaterThanRisk(seq: number, at: Millis): boolean {
    const { riskKept } = this
    if (riskKept === null) return true
    return seq > 0 ? seq > riskKept.asOf : at >= riskKept.at
  }

  /** What it was latched for first stays the reason: the fleet may have told of more since. */
  private takeKill(at: Millis, reason: string, epoch: Json | undefined): void {
    this.latch ??= { reason, at }
    if (typeof epoch === 'number' && epoch > (this.obeyed?.epoch ?? 0)) this.obeyed = { epoch, at }
  }

  private takeDecision(seq: number, at: Millis, body: DecisionBody & Internal): void {
    if (body.client !== null && body.nonce !== null) {
      this.nonces.push([body.client as Address, body.nonce as Nonce])
    }
    // Paper decisions are never sent: they leave nothing to look up.
    if (body.verdict === 'veto' || body._?.['paper'] === true) return
    this.plans.push(...readPlans(body._?.['plans']), ...earlierPlans(body._?.['stops']))
    // Each has all of them as they were then: what a later one lacks is over.
    if (this.isUnsaved(seq, at)) this.covering = readCovering(body._?.['covering'], at)
    for (const [place, plan] of readPlannedTwaps(body._?.['twaps'])) {
      const action = keyOf(seq, place)
      if (!this.twaps.has(action))
        this.twaps.set(action, { action, at, id: null, played: '0', plan })
    }
    const forward = body.forward === null ? [] : [body.forward]
    const actions = [...body.pre, ...forward, ...body.forward_more, ...body.post]
    const cloids = actions.flatMap(cloidsOf)
    this.cloids.push(...cloids)
    this.names.decided(seq, actions, body.change_records, !this.isUnsaved(seq, at))
    if (body.client !== null && body.nonce !== null) {
      const [client, nonce] = [body.client as Address, body.nonce as Nonce]
      for (const id of cloids.filter(isAgentOrder)) this.agentOrders.push([client, id, nonce])
    }
    this.open.intend(seq, at, actions)
  }

  private tellTwap(action: string, fate: ReturnType<typeof twapFate>): void {
    const twap = this.twaps.get(action)
    if (twap === undefined || fate === 'unknown') return
    if (fate === 'refused') this.twaps.delete(action)
    else this.twaps.set(action, { ...twap, id: fate.id })
  }
}

interface LookUpOpenDeps extends LookupDeps {
  readonly clock: Clock
  readonly timers: Timers
  readonly log: Log
  readonly recorder: Recorder
  readonly isStopped: () => boolean
  /** Tells the account what became of an action of an earlier run. */
  readonly settle?: (id: string, settlement: Settlement) => void
}

const retryMs = 500
/** The same answer is asked for ever more rarely: some questions cost as much as ten orders. */
const retryMsMax = 4_000

/** Asks the venue about every open intent, in order, and records what it says. */
export async function lookUpOpen(deps: LookUpOpenDeps, open: readonly OpenIntent[]): Promise<void> {
  // Whatever is open had been signed when this run began: by a right clock all has expired by then.
  const lastMs = deps.clock.monotonicMs() + limits.sendLifeMs + expirySlackMs
  const lists = new ListQuestions(deps)
  for (const { action } of open) {
    const decoded = decodeAction(action)
    if (decoded.ok) lists.wait(decoded.value)
  }
  for (const intent of open) {
    const found = await lookUpIntent(deps, lists, intent, lastMs)
    if (found === null) return
    const { of, index, by } = intent
    if (by !== undefined) {
      tellAccount(deps, inheritedKey(by, keyOf(of, index)), found.outcome)
      const { outcome, evidence } = found
      deps.log.log('info', 'what the Guard before had sent', { by, of, index, outcome, evidence })
      continue
    }
    tellAccount(deps, keyOf(of, index), found.outcome)
    const appended = deps.recorder.record({ kind: 'recovered', of, index, ...found }, 'now')
    await appended?.durable.catch(() => undefined)
  }
}

/** What a TWAP is counted as goes by it: nothing else tells of one that never came to be. */
function tellAccount({ settle }: LookUpOpenDeps, id: string, outcome: Recovered['outcome']): void {
  if (outcome !== 'unknown')
    settle?.(id, { outcome: outcome === 'happened' ? 'accepted' : 'refused' })
}

type Recovered = {
  readonly outcome: 'happened' | 'did_not_happen' | 'unknown'
  readonly evidence: string
}

/**
 * Null when Guard is stopped before the venue could say. What was signed by a clock that was ahead
 * seems to live on: it is not waited for longer than anything else, and what became of it is unknown.
 */
async function lookUpIntent(
  deps: LookUpOpenDeps,
  lists: ListQuestions,
  intent: OpenIntent,
  lastMs: number,
): Promise<Recovered | null> {
  if (intent.action.type === 'twapCancel') {
    return { outcome: 'unknown', evidence: 'the venue lists the TWAPs that still run' }
  }
  const decoded = decodeAction(intent.action)
  if (!decoded.ok) {
    return {
      outcome: 'unknown',
      evidence: `the record cannot be read: ${decoded.error.join('; ')}`,
    }
  }
  const action: Action = decoded.value
  const expired = intent.at + limits.sendLifeMs + expirySlackMs
  let nextMs = retryMs
  while (!deps.isStopped()) {
    const isExpired = deps.clock.now() > expired
    const isOver = isExpired || deps.clock.monotonicMs() > lastMs
    const overMs = Math.min(lastMs, deps.clock.monotonicMs() + expired - deps.clock.now())
    const found = await askAbout(deps, lists, { action, at: intent.at }, isOver ? overMs : null)
    if (found.kind === 'happened') return { outcome: 'happened', evidence: found.evidence }
    if (found.kind === 'untold' && isOver) return { outcome: 'unknown', evidence: found.evidence }
    if (found.kind === 'unreadable' && isOver) return { outcome: 'unknown', evidence: found.error }
    if (found.kind === 'absent' && isOver) {
      if (isExpired) return { outcome: 'did_not_happen', evidence: found.evidence }
      const until = new Date(expired).toISOString()
      const evidence = `${found.evidence}; the clock was ahead: the venue may take it until ${until}`
      return { outcome: 'unknown', evidence }
    }
    deps.log.log('info', 'an earlier send is still being looked up', {
      of: intent.of,
      index: intent.index,
      found: found.kind,
    })
    const leftMs = Math.min(expired - deps.clock.now(), lastMs - deps.clock.monotonicMs())
    // What is still absent is final once it has expired: it is asked again then, and no later.
    const waitMs = found.kind === 'unreachable' ? retryMs : Math.min(nextMs, leftMs + 1)
    nextMs = Math.min(nextMs * 2, retryMsMax)
    await new Promise<void>((resolve) => deps.timers.after(Math.max(waitMs, 1), resolve))
  }
  return null
}

/**
 * Asks the venue once. Where the action expired at `overMs` (by the monotonic clock; null while it
 * may still happen), the answer is one that was asked for after that moment.
 */
async function askAbout(
  deps: LookUpOpenDeps,
  lists: ListQuestions,
  { action, at }: { readonly action: Action; readonly at: Millis },
  overMs: number | null,
): Promise<Found> {
  if (!lists.areListed(action)) return await lookUp(deps, action, at, 'watch')
  const { clock, timers } = deps
  const sinceMs = isPlacing(action) ? -Infinity : (overMs ?? -Infinity)
  const waitMs = lists.waitMs('watch', sinceMs, clock.monotonicMs())
  if (waitMs > 0) await new Promise<void>((resolve) => timers.after(waitMs, resolve))
  const found = await lists.ask(action, at, clock.monotonicMs(), 'watch')
  // What the list does not show as placed may have filled: the question about it tells.
  if (found.kind !== 'absent' || !isPlacing(action)) return found
  return await lookUp(deps, action, at, 'watch')
}

/** Numbers of another journal are not this one's. */
export function inheritedKey(epoch: number, key: string): string {
  return `w${epoch}/${key}`
}
