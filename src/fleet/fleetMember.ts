import type { JsonObject } from '../core/protocol/action.ts'
import { shownText } from '../core/values/shownText.ts'
import { Backoff } from '../engine/backoff.ts'
import type { Guard } from '../engine/guard.ts'
import type { FleetStatus, FleetView } from '../engine/fleetView.ts'
import type { Clock, Journal, Log, Timers } from '../engine/ports.ts'
import { within } from '../engine/within.ts'
import type { Lease, LeaseFor } from '../core/judge/lease.ts'
import { HandoverTeller } from './handoverTeller.ts'
import { heedLeft } from './heedLeft.ts'
import { isFlat, setupNow } from './guardNow.ts'
import { HomeTeller } from './homeTeller.ts'
import { LeaseKeeper } from './leaseKeeper.ts'
import { MemberReport } from './memberReport.ts'
import { Outbox } from './outbox.ts'
import type { CopiedJournal } from './outbox.ts'
import type { OpenSession, StoreRow, StoreSession } from './storeSession.ts'
import type { StandbySetup } from './standby/looserRules.ts'
import { WriterKeeper } from './writerKeeper.ts'
import type { TakenOver } from './writerKeeper.ts'
import { placeOf } from './storeUrl.ts'
import type { StoreAddress } from './storeUrl.ts'

/** Who a Guard is in its fleet; none of it changes while it runs. */
export interface MemberIdentity {
  readonly network: 'mainnet' | 'testnet'
  readonly account: string
  readonly version: string
  readonly host: string
  readonly configHash: string
  /** This home, in all of its runs. */
  readonly instance: string
  /** What a standby of the account has to have in common with it. */
  readonly setup: StandbySetup
}

interface MemberDeps {
  readonly address: StoreAddress
  readonly identity: MemberIdentity
  readonly open: OpenSession
  readonly timers: Timers
  readonly log: Log
  /** The right to act, where this run took it over as a standby. */
  readonly taken?: () => TakenOver | null
}

/** What it needs of the Guard that it makes a member. */
interface MemberGuard {
  readonly guard: Pick<Guard, 'latch' | 'status' | 'exposure' | 'handover' | 'kill'> &
    Partial<Pick<Guard, 'markets'>>
  readonly clock: Clock
  readonly journal: CopiedJournal & { readonly journal: Pick<Journal, 'head'> }
  /** Called once, with the reason, where another Guard acts for the account and this run must end. */
  readonly onLost?: (reason: string) => void
}

const pollMs = 1_000
const tellAgainMs = 10_000
/** How often it is looked whether everything is closed, while that is awaited. */
const flatLookMs = 100
/** The store answers in milliseconds, or something is wrong with it. */
const answerMs = 3_000
const openMs = 3_000
const retryMs = { first: 1_000, most: 5_000 } as const
const joining = 'join'
/** What passes sooner is told to nobody. */
const graceMs = 3_000
/** How long a Guard that stops waits to give back what it has to spare. */
const letGoMs = 1_000
const notJoined = 'this Guard has not joined its fleet yet'
const channel = 'guard_control'
/** A person raises a kill, or a script some. */
const noticesPerSecond = 30
const deafMs = 60_000
const flooded =
  'its notifications came too fast; for a minute kills are heard by asking every second'

/** How far the acknowledgement of an epoch has come. */
interface Acknowledging {
  readonly epoch: number
  readonly latchedMs: number
  isKept: boolean
  isLatchTold: boolean
  flatMs: number | null
  isFlatTold: boolean
  toldMs: number
}

/**
 * This Guard in its fleet: it hears kills, by notification and by asking every second, and says what
 * became of them. Nothing waits for it, and whatever the store does Guard goes on; the one thing it can
 * do to Guard is to latch it.
 */
export class FleetMember implements FleetView {
  readonly #deps: MemberDeps
  #parts: MemberGuard | null = null
  #outbox: Outbox | null = null
  #leases: LeaseKeeper | null = null
  #writer: WriterKeeper | null = null
  #teller: HandoverTeller | null = null
  #report: MemberReport | null = null
  #home: HomeTeller | null = null
  #session: StoreSession | null = null
  #name: string | null = null
  #group: string | null = null
  #error = 'it has not answered yet'
  #downSinceMs: number | null = null
  #backoff: Backoff | null = null
  #isBusy = false
  #isAgain = false
  #isStopped = false
  #ack: Acknowledging | null = null
  #notices = { sinceMs: -Infinity, count: 0 }
  /** Until then, by the monotonic clock, it listens to no notifications. */
  #deafUntilMs = -Infinity
  #isListening = false
  #cancels: (() => void)[] = []
  #cancelFlat: (() => void) | null = null

  constructor(deps: MemberDeps) {
    this.#deps = deps
  }

  /** Begins; returns at once. */
  attach(parts: MemberGuard): void {
    this.#parts = parts
    this.#downSinceMs = parts.clock.monotonicMs()
    this.#backoff = new Backoff(parts.clock, retryMs.most, retryMs.first)
    // In paper mode it opens nothing, and takes nothing from who does.
    if (parts.guard.status().mode !== 'paper') {
      this.#writer = new WriterKeeper({
        ...{ clock: parts.clock, instance: this.#deps.identity.instance },
        onLost: (reason) => parts.onLost?.(reason),
        word: () => parts.guard.handover.word(),
        onLeft: (left) => heedLeft(left, parts.guard, this.#deps.log),
        taken: this.#deps.taken?.() ?? null,
      })
      const setup = (): JsonObject => setupNow(this.#deps.identity, parts.guard)
      const { handover } = parts.guard
      this.#teller = new HandoverTeller({ ...parts, handover, setup, log: this.#deps.log })
      this.#leases = new LeaseKeeper({
        ...{ ...parts, exposure: () => parts.guard.exposure() },
        isLatched: () => parts.guard.status().kill.latched,
      })
    }
    const mayCopy = (): boolean => this.#writer?.mayCopy ?? true
    this.#outbox = new Outbox({ ...this.#deps, ...parts, mayCopy })
    this.#report = new MemberReport({ ...parts, outbox: this.#outbox, log: this.#deps.log })
    const markets = (): Guard['markets'] | undefined => parts.guard.markets
    this.#home = new HomeTeller({ ...this.#deps, ...parts, markets })
    const { obeyed } = parts.guard.latch
    // It is on record that it was obeyed; whether the fleet has heard so is not.
    if (obeyed !== null) this.#ack = acknowledging(obeyed.epoch, obeyed.at, true)
    this.#cancels = [
      this.#deps.timers.every(pollMs, () => {
        this.#pulse()
      }),
    ]
    this.#pulse()
  }

  /**
   * Ends at once; what the store was not told is told by the next run. Resolves once what is spare of
   * its leases is given back, or that took too long.
   */
  async stop(): Promise<void> {
    this.#isStopped = true
    for (const cancel of this.#cancels) cancel()
    this.#cancelFlat?.()
    this.#outbox?.stop()
    const session = this.#session
    this.#session = null
    if (session === null) return
    if (this.#isUp(session) && this.#leases !== null && this.notWriter === null) {
      const given = Promise.all([this.#leases.letGo(session), this.#releaseWriter(session)])
      await within(this.#deps.timers, given, letGoMs)
    }
    session.close()
  }

  status(): FleetStatus {
    return {
      ...{ name: this.#name, group: this.#group, store: this.#isUp(this.#session) ? 'up' : 'down' },
      ...{ lease: this.#leases?.status() ?? null, writer: this.#writer?.status() ?? null },
      epoch: this.#parts?.guard.latch.obeyed?.epoch ?? null,
      outbox_lag: this.#outbox?.lag ?? null,
    }
  }

  get problem(): string | null {
    const nowMs = this.#parts?.clock.monotonicMs() ?? 0
    const place = placeOf(this.#deps.address)
    const unleased = this.#leases?.problem ?? null
    if (this.#downSinceMs === null && unleased !== null) {
      return `the fleet's store (${place}) renews no lease: ${unleased}`
    }
    if (this.#downSinceMs === null || nowMs - this.#downSinceMs < graceMs) return null
    return `the fleet's store (${place}) cannot be used: ${this.#error}; exits and cancels pass, entries while what it last said counts, and a kill of the fleet is not heard here until it can`
  }

  readonly lease: LeaseFor = (coin): Lease => {
    const ended = this.notWriter
    if (ended !== null) return { ended, parts: [] }
    return this.#leases?.lease(coin) ?? { ended: notJoined, parts: [] }
  }

  get notWriter(): string | null {
    return this.#writer === null ? notJoined : this.#writer.missing
  }

  get fork(): string | null {
    return this.#outbox?.fork ?? null
  }

  // ---------------------------------------------------------------------------------------- inside

  async #releaseWriter(session: StoreSession): Promise<void> {
    await this.#handOver(session, true)
    await this.#writer?.release(session)
  }

  async #handOver(session: StoreSession, isLast: boolean): Promise<void> {
    if (this.#writer !== null) await this.#teller?.tell(session, this.#writer, isLast)
  }

  /** Whether the store is reached, and has let this member in. */
  #isUp(session: StoreSession | null): boolean {
    return this.#downSinceMs === null && session?.isOpen === true
  }

  /** One look at a time; whoever asks meanwhile has another one follow. Never rejects. */
  #pulse(): void {
    if (this.#isStopped || this.#parts === null) return
    this.#isAgain = true
    if (this.#isBusy) return
    this.#isBusy = true
    void this.#look(this.#parts).finally(() => {
      this.#isBusy = false
    })
  }

  async #look(parts: MemberGuard): Promise<void> {
    try {
      while (this.#isAgain && !this.#isStopped) {
        this.#isAgain = false
        const session = await this.#opened(parts)
        if (session === null) return
        await this.#listen(session, parts.clock)
        this.#hear(parts, await session.query(beat))
        await this.#tell(session)
        await this.#writer?.attend(session)
        // Only who has the right to act speaks for what the account uses.
        if (this.notWriter === null) {
          await this.#leases?.attend(session)
          await this.#handOver(session, false)
        }
        // Nor does one whose records are another's copy speak for the account.
        if (this.#writer?.mayCopy ?? true) await this.#report?.tell(session)
        await this.#home?.tell(session)
      }
    } catch (error) {
      this.#lost(parts, error)
    }
  }

  /** Null while it is too soon to try again. */
  async #opened(parts: MemberGuard): Promise<StoreSession | null> {
    if (this.#session?.isOpen === true) return this.#session
    if (this.#session !== null) this.#lost(parts, new Error('the connection has ended'))
    if (this.#backoff?.mayTry(joining) === false) return null
    const { address, identity, open, timers, log } = this.#deps
    const onNotify = (): void => {
      if (this.#isFlood(parts.clock)) this.#lost(parts, new Error(flooded))
      else this.#pulse()
    }
    const session = await open(address, { timers, openMs, answerMs, onNotify })
    this.#session = session
    if (this.#isStopped) session.close()
    // Before the first look: what is raised in between is heard.
    this.#isListening = false
    await this.#listen(session, parts.clock)
    const { network, account, version, host, configHash } = identity
    const obeyed = parts.guard.latch.obeyed?.epoch ?? 0
    const [row] = await session.query(join, [
      ...[network, account, version, host, configHash, obeyed],
    ])
    this.#name = textIn(row?.['name'])
    this.#group = textIn(row?.['group_name'])
    this.#downSinceMs = null
    this.#leases?.begin()
    this.#writer?.begin()
    this.#backoff?.reset(joining)
    if (this.#ack !== null) this.#ack.isLatchTold = false
    this.#report?.joined()
    this.#home?.begin()
    log.log('info', 'joined the fleet', { name: this.#name, group: this.#group })
    return session
  }

  async #listen(session: StoreSession, clock: Clock): Promise<void> {
    if (this.#isListening || clock.monotonicMs() < this.#deafUntilMs) return
    await session.query(`listen ${channel}`)
    this.#isListening = true
  }

  /**
   * Whether notifications come faster than anybody raises kills. Every role of the database can send
   * them, and a crowd of them would hold up the answers on this connection: for a while it does without,
   * and hears of kills by asking.
   */
  #isFlood(clock: Clock): boolean {
    const nowMs = clock.monotonicMs()
    if (nowMs - this.#notices.sinceMs > pollMs) this.#notices = { sinceMs: nowMs, count: 0 }
    this.#notices.count += 1
    if (this.#notices.count <= noticesPerSecond) return false
    this.#deafUntilMs = nowMs + deafMs
    return true
  }

  #lost(parts: MemberGuard, error: unknown): void {
    this.#session?.close()
    this.#session = null
    this.#error = error instanceof Error ? error.message : String(error)
    this.#downSinceMs ??= parts.clock.monotonicMs()
    this.#backoff?.failed(joining)
  }

  /** The highest epoch is obeyed; those below it meant the same. */
  #hear({ guard, clock }: MemberGuard, rows: readonly StoreRow[]): void {
    const raised = rows.at(-1)
    const epoch = Number(raised?.['epoch'] ?? 0)
    if (!Number.isSafeInteger(epoch) || epoch <= (guard.latch.obeyed?.epoch ?? 0)) return
    const reason = `${shownText(textIn(raised?.['reason']) ?? 'no reason')} (fleet epoch ${epoch})`
    const ack = acknowledging(epoch, clock.now(), false)
    this.#ack = ack
    // It latches in this tick; only the disk is waited for.
    guard.latch.obey(reason, epoch).then(
      () => {
        ack.isKept = true
        this.#pulse()
      },
      (error: unknown) => {
        this.#deps.log.log('error', 'a kill of the fleet is on no disk', { error: String(error) })
      },
    )
    this.#watchFlat(guard, clock, ack)
  }

  #watchFlat(guard: MemberGuard['guard'], clock: Clock, ack: Acknowledging): void {
    this.#cancelFlat?.()
    const look = (): void => {
      if (ack.flatMs !== null || !isFlat(guard.status())) return
      ack.flatMs = clock.now()
      this.#cancelFlat?.()
      this.#cancelFlat = null
      this.#pulse()
    }
    this.#cancelFlat = this.#deps.timers.every(flatLookMs, look)
  }

  /** First that it is latched, which is on its disk by then; later that everything is closed. */
  async #tell(session: StoreSession): Promise<void> {
    const ack = this.#ack
    if (ack?.isKept !== true) return
    const { epoch, latchedMs, flatMs } = ack
    const isTold = ack.isLatchTold && (flatMs === null || ack.isFlatTold)
    // Now and then again: a store that was put back to an older state has to know what was obeyed.
    const nowMs = this.#parts?.clock.monotonicMs() ?? 0
    if (isTold && nowMs - ack.toldMs < tellAgainMs) return
    ack.toldMs = nowMs
    await session.query(acknowledge, [epoch, latchedMs, flatMs])
    ack.isLatchTold = true
    ack.isFlatTold = flatMs !== null
    const parts = this.#parts
    if (flatMs === null && this.#cancelFlat === null && parts !== null) {
      this.#watchFlat(parts.guard, parts.clock, ack)
    }
  }
}

const beat = 'select scope, epoch::text, reason from guard.beat()'
const join = 'select name, group_name from guard.join_fleet($1, $2, $3, $4, $5, $6)'
const acknowledge = 'select guard.acknowledge($1, $2, $3)'

function acknowledging(epoch: number, latchedMs: number, isKept: boolean): Acknowledging {
  const told = { isLatchTold: false, isFlatTold: false, toldMs: -Infinity }
  return { epoch, latchedMs, isKept, flatMs: null, ...told }
}

function textIn(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
