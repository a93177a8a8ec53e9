import { randomUUID } from 'node:crypto'
import type { Lease } from '../../core/judge/lease.ts'
import type { JsonObject } from '../../core/protocol/action.ts'
import { decodeRules } from '../../core/rules/rulesCode.ts'
import { limits } from '../../core/values/limits.ts'
import type { Millis } from '../../core/values/millis.ts'
import { shownText } from '../../core/values/shownText.ts'
import { Backoff } from '../../engine/backoff.ts'
import type { FleetStatus, FleetView } from '../../engine/fleetView.ts'
import type { Clock, Journal, Log, Timers } from '../../engine/ports.ts'
import {
  latchJson,
  obeyedJson,
  snapshotName,
  writeMemory,
} from '../../engine/start/engineMemory.ts'
import { replayHistory } from '../../engine/start/recovery.ts'
import { riskSnapshotName, writeRiskMemory } from '../../engine/start/riskMemory.ts'
import type { OpenedJournal } from '../../journal/opened.ts'
import type { MemberIdentity } from '../fleetMember.ts'
import { HomeTeller } from '../homeTeller.ts'
import { objectIn } from '../objectIn.ts'
import type { OpenSession, StoreRow, StoreSession } from '../storeSession.ts'
import { placeOf } from '../storeUrl.ts'
import type { StoreAddress } from '../storeUrl.ts'
import { tellWriter } from '../writerKeeper.ts'
import type { TakenOver } from '../writerKeeper.ts'
import { inheritedMemory } from './inherit.ts'
import { lacking, unlike } from './looserRules.ts'
import { readLeft } from './readLeft.ts'

interface StandbyDeps {
  readonly address: StoreAddress
  readonly identity: MemberIdentity
  readonly open: OpenSession
  readonly timers: Timers
  readonly log: Log
}

/** What it needs of the Guard that follows the account. */
interface FollowedGuard {
  readonly clock: Clock
  readonly journal?: { readonly journal: Pick<Journal, 'head'> }
}

/** What the store told last of who acts for the account. */
interface Told {
  readonly name: string | null
  readonly group: string | null
  /** Null where nobody has ever acted. */
  readonly epoch: number | null
  /** Whether this home acted last: its own journal knows all of it. */
  readonly isOwn: boolean
  readonly host: string | null
  readonly waitMs: number
  readonly isCurrent: boolean
  readonly handover: number | null
}

/** Why a standby stops to be one: it is time to take over, or it must not. */
export type StandbyEnd =
  { readonly kind: 'due' } | { readonly kind: 'unlike'; readonly why: string }

const pollMs = 1_000
const answerMs = 3_000
const openMs = 3_000
const retryMs = { first: 500, most: 2_000 } as const
const joining = 'join'
const graceMs = 3_000

/**
 * A Guard that waits to act for an account: it asks the store every second who acts, compares its rules
 * with the first one's, and says when it is time. It changes nothing at the venue, nor of what the first
 * told of itself. Without a word of the store nobody takes over.
 */
export class Standby implements FleetView {
  readonly #deps: StandbyDeps
  readonly #run = randomUUID()
  #clock: Clock | null = null
  #session: StoreSession | null = null
  #home: HomeTeller | null = null
  #backoff: Backoff | null = null
  #told: Told | null = null
  #compared: number | null = null
  #note: string | null = null
  #error = 'it has not answered yet'
  #downSinceMs: number | null = null
  #cancel: () => void = () => undefined
  #isStopped = false
  #resolve: (end: StandbyEnd) => void = () => undefined
  /** Resolves once. */
  readonly end = new Promise<StandbyEnd>((resolve) => (this.#resolve = resolve))

  constructor(deps: StandbyDeps) {
    this.#deps = deps
  }

  /** Begins; returns at once. */
  attach({ clock, journal }: FollowedGuard): void {
    this.#clock = clock
    if (journal !== undefined) {
      this.#home = new HomeTeller({ identity: this.#deps.identity, clock, journal })
    }
    this.#downSinceMs = clock.monotonicMs()
    this.#backoff = new Backoff(clock, retryMs.most, retryMs.first)
    this.#next(0)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#cancel()
    this.#session?.close()
    await Promise.resolve()
  }

  status(): FleetStatus {
    const { name = null, group = null, epoch = null, host = null } = this.#told ?? {}
    const isUp = this.#downSinceMs === null
    return {
      ...{ name, group, store: isUp ? 'up' : 'down', lease: null, epoch: null, outbox_lag: null },
      writer: { state: 'standby', held: false, epoch, until_ms: null, at_host: host },
    }
  }

  get problem(): string | null {
    const nowMs = this.#clock?.monotonicMs() ?? 0
    if (this.#downSinceMs === null) {
      return this.#note === null ? null : `this standby would start latched: ${this.#note}`
    }
    if (nowMs - this.#downSinceMs < graceMs) return null
    const place = placeOf(this.#deps.address)
    return `the fleet's store (${place}) cannot be used: ${this.#error}; this standby takes over from nobody until it can`
  }

  get standby(): string {
    const host = this.#told?.host ?? null
    const where = host === null ? 'another Guard' : `the Guard at ${host}`
    return `this Guard is a standby: ${where} acts for the account, and has to be asked; it serves once it has taken over`
  }

  get notWriter(): string {
    return this.standby
  }

  readonly fork = null

  readonly lease = (): Lease => ({ ended: this.standby, parts: [] })

  /**
   * Takes the right to act, if it is still free: first what the other one left goes to this home's disk,
   * so that no crash forgets it, then the epoch is taken. Null where it is not free any more, and then
   * nothing was taken. Rejects as the session does.
   */
  async takeOver(opened: OpenedJournal, at: Millis): Promise<TakenOver | null> {
    const session = await this.#deps.open(this.#deps.address, {
      ...{ timers: this.#deps.timers, openMs, answerMs },
    })
    try {
      return await this.#take(session, opened, at)
    } finally {
      session.close()
    }
  }

  // ---------------------------------------------------------------------------------------- inside

  #next(afterMs: number): void {
    if (this.#isStopped) return
    this.#cancel = this.#deps.timers.after(afterMs, () => {
      void this.#look().then((waitMs) => {
        this.#next(waitMs)
      })
    })
  }

  /** Never rejects. In how many milliseconds to look again. */
  async #look(): Promise<number> {
    try {
      if (this.#session?.isOpen !== true && this.#backoff?.mayTry(joining) === false) return pollMs
      const told = await this.#ask(await this.#opened())
      this.#downSinceMs = null
      this.#backoff?.reset(joining)
      if (this.#isStopped) return pollMs
      if (told.waitMs > 0) return Math.min(pollMs, told.waitMs)
      this.#resolve({ kind: 'due' })
      this.#isStopped = true
    } catch (error) {
      this.#session?.close()
      this.#session = null
      this.#error = error instanceof Error ? error.message : String(error)
      this.#downSinceMs ??= this.#clock?.monotonicMs() ?? 0
      this.#backoff?.failed(joining)
    }
    return pollMs
  }

  async #opened(): Promise<StoreSession> {
    if (this.#session?.isOpen === true) return this.#session
    const { address, open, timers } = this.#deps
    this.#session = await open(address, { timers, openMs, answerMs })
    if (this.#isStopped) this.#session.close()
    this.#home?.begin()
    return this.#session
  }

  async #ask(session: StoreSession): Promise<Told> {
    const told = await this.#follow(session)
    if (this.#told?.epoch !== told.epoch) this.#announce(told)
    this.#told = told
    this.#note = whyUnknown(told)
    const why = await this.#compare(session, told)
    if (why !== null) this.#resolve({ kind: 'unlike', why })
    await this.#home?.tell(session)
    return told
  }

  async #follow(session: StoreSession): Promise<Told> {
    const { network, account, instance, host, version } = this.#deps.identity
    const note = this.#note?.slice(0, limits.fleetWatchTextCharsMax) ?? null
    const values = [network, account, instance, host, version, note]
    return toldIn((await session.query(follow, values))[0] ?? {})
  }

  #announce({ epoch, host, isOwn }: Told): void {
    const who = epoch === null ? 'nobody acts for the account yet' : 'this Guard stands by'
    this.#deps.log.log('info', isOwn ? 'this home acted for the account last' : who, {
      ...{ epoch, host },
    })
  }

  /** Once for each run of the first: its rules do not change while it runs. */
  async #compare(session: StoreSession, { epoch, handover, isOwn }: Told): Promise<string | null> {
    if (epoch === null || isOwn || handover !== epoch || this.#compared === epoch) return null
    const [row] = await session.query(handoverSetup)
    const { setup } = this.#deps.identity
    const first = objectIn(row?.['setup'])
    const found = unlike(first, setup)
    if (found.length > 0) return found.join('; ')
    this.#compared = epoch
    const missing = lacking(first, setup)
    if (missing.length > 0) {
      const text = 'the first takes what this standby would refuse'
      this.#deps.log.log('warn', text, { missing: shownText(missing.join(', ')) })
    }
    return null
  }

  async #take(session: StoreSession, opened: OpenedJournal, at: Millis): Promise<TakenOver | null> {
    const told = await this.#follow(session)
    if (told.waitMs > 0) return null
    // Keys of bots may have been revoked while the first ran.
    this.#compared = null
    const why = await this.#compare(session, told)
    if (why !== null) throw new UnlikeError(why)
    const isFirst = told.epoch === null || told.isOwn
    const inherited = isFirst ? null : await this.#inherit(session, opened, told, at)
    if (inherited === undefined) return null
    const { instance } = this.#deps.identity
    const word = inherited === null ? null : JSON.stringify(inherited.word)
    const [row] = await session.query(tellWriter, [instance, this.#run, 0, word])
    if (row?.['outcome'] === 'held') return { run: this.#run, epoch: Number(row['epoch']) }
    await inherited?.undo()
    return null
  }

  /** On disk when it resolves; undefined where another has come meanwhile. */
  async #inherit(
    session: StoreSession,
    opened: OpenedJournal,
    told: Told,
    at: Millis,
  ): Promise<Inherited | undefined> {
    const { log, identity } = this.#deps
    const rules = decodeRules(identity.setup.rules)
    if (!rules.ok) throw new Error('the rules of this Guard cannot be read')
    const left = await readLeft(session, told.epoch ?? 0, whyUnknown(told))
    if (left === null) return undefined
    const own = await replayHistory(opened)
    const asOf = opened.reader.lastSeq
    const memory = await inheritedMemory(left, own, { limits: rules.value, log, at, asOf })
    const risk = writeRiskMemory({ risk: memory.risk, asOf, at })
    await opened.saveSnapshot(snapshotName, asOf, writeMemory(memory))
    await opened.saveSnapshot(riskSnapshotName, asOf, risk)
    const { latch, obeyed } = memory
    const reason = latch === null ? null : shownText(latch.reason)
    log.log('warn', 'taking over', { from: told.host, epoch: told.epoch, latched: reason })
    const undo = async (): Promise<void> => {
      await opened.saveSnapshot(snapshotName, asOf, writeMemory({ ...memory, latch: own.latch }))
    }
    return { word: { latch: latchJson(latch), obeyed: obeyedJson(obeyed), risk }, undo }
  }
}

interface Inherited {
  /** What this Guard begins with. */
  readonly word: JsonObject
  /** Another has taken it: a latch of the first is none of this home. */
  undo(): Promise<void>
}

/** This Guard must not stand in for the first; known by its name outside of this file. */
class UnlikeError extends Error {
  override readonly name = 'UnlikeError'
}

const follow =
  'select name, group_name, epoch::text, is_own, host, wait_ms::text, is_current, handover::text from guard.follow($1, $2, $3, $4, $5, $6)'
const handoverSetup =
  "select (body -> 'setup')::text as setup from guard.handovers where guard_id = guard.own_id()"

function toldIn(row: StoreRow): Told {
  const textOf = (name: string): string | null =>
    typeof row[name] === 'string' ? shownText(row[name]) : null
  const numberOf = (name: string): number | null => (row[name] == null ? null : Number(row[name]))
  return {
    ...{ name: textOf('name'), group: textOf('group_name'), host: textOf('host') },
    ...{ epoch: numberOf('epoch'), handover: numberOf('handover'), isOwn: row['is_own'] === true },
    // An answer that cannot be read is no leave to act.
    waitMs: numberOf('wait_ms') ?? pollMs,
    isCurrent: row['is_current'] === true,
  }
}

/** Why it is not known what the first had latched or halted; null where it is. */
function whyUnknown({ epoch, isOwn, isCurrent, handover }: Told): string | null {
  if (epoch === null || isOwn) return null
  if (handover !== epoch) return 'the first left nothing that could be carried over'
  if (isCurrent) return null
  return 'the store heard the first after its last word on the latch and the halts'
}
