import { limits } from '../core/values/limits.ts'
import type { HostStatus, HostView, SpentBefore, Timers, WeightShare } from '../engine/ports.ts'
import { within } from '../engine/within.ts'
import { TurnTaken } from './hostLedger.ts'
import type { HostLedger, LedgerPage } from './hostLedger.ts'
import type { Sight } from './hostProcess.ts'
import { isSameGuard } from './ledgerRow.ts'
import type { LedgerRow } from './ledgerRow.ts'
import { lifeOf, sharerOf } from './lives.ts'
import { countedOf, floorOf, grantOf, untoldMost } from './weightShares.ts'
import type { Grant, Sharer } from './weightShares.ts'

/** Who a Guard is on its host; none of it changes while it runs. */
export type HostIdentity = Pick<
  LedgerRow,
  | 'home'
  | 'network'
  | 'account'
  | 'venue'
  | 'mode'
  | 'api_wallet'
  | 'state_dir'
  | 'state_place'
  | 'version'
  | 'weight_limit'
>

/** What a Guard says of itself with every renewal. */
export type HostFacts = Pick<LedgerRow, 'url' | 'state' | 'equity' | 'positions' | 'kill'>

interface MemberDeps {
  readonly directory: string
  readonly sight: Sight
  readonly timers: Timers
  /** The monotonic clock that all processes of the host share. */
  readonly hostMs: () => number
  /** UTC epoch milliseconds by the machine's clock. */
  readonly wallMs: () => number
  readonly openLedger: (directory: string) => Promise<Ledger>
  /** Writes down beside the ledger who this Guard is, for when the ledger is broken or gone. */
  readonly note: (directory: string, row: LedgerRow) => Promise<void>
}

/** What is needed of the ledger. */
export type Ledger = Pick<HostLedger, 'read' | 'write' | 'tell' | 'isInPlace' | 'close'>

const renewEveryMs = 500
/** Alone there is less to renew, and a disk to spare. */
const renewAloneMs = 2_000
/** How long a share holds that is not renewed; alone there is nobody whom a longer one could harm. */
const leaseMs = { alone: 10_000, shared: 2_000 } as const
/** What was taken is told together with what follows so soon. */
const tellAfterMs = 20
/** A ledger that could not be opened is tried again so late: it costs a thread. */
const reopenMs = 5_000
/** A start waits no longer to hear from the ledger. */
const joinWaitMs = 1_000
const leaveWaitMs = 500
/** What passes sooner is told to nobody: a machine that is busy, a lock that is let go of. */
const graceMs = 3_000
const turnTries = 8

/**
 * This Guard in the host's ledger: it renews its share of the request weight, tells what it spends
 * and what it is, and knows the others. Nothing waits for it: where the ledger does not answer, its
 * lease ends and the floor is left to what bots open and read.
 */
export class HostMember implements WeightShare, HostView {
  readonly #identity: HostIdentity
  readonly #deps: MemberDeps
  #ledger: Ledger | null = null
  #openedMs = -Infinity
  #grant: Grant
  #leaseEndsMs = -Infinity
  #renewedMs = -Infinity
  readonly #madeMs: number
  #joined: number | null = null
  /** What an earlier run of this Guard had told, until this one tells. */
  #before: Pick<Sharer, 'spent' | 'spentAtMs'> = { spent: [], spentAtMs: 0 }
  #isBeforeKnown = false
  #history: (() => readonly number[]) | null = null
  #facts: () => HostFacts = () => nothingYet
  /** Weight taken since the start, and how much of it the ledger knows of. */
  #taken = 0
  #told = 0
  #running = 1
  #others: HostStatus['others'] = []
  #guardsOnHost = 1
  #error = 'it has not answered yet'
  #noted = ''
  #isRenewing = false
  #isTelling = false
  #cancelTell: (() => void) | null = null
  #cancelRenewals: (() => void) | null = null

  constructor(identity: HostIdentity, deps: MemberDeps) {
    this.#identity = identity
    this.#deps = deps
    this.#madeMs = deps.hostMs()
    const limit = identity.weight_limit
    this.#grant = { share: limit, exits: limit, floor: floorOf(limit, 1), guards: 1 }
  }

  /**
   * Joins, and goes on renewing. Answers the Guard that has the same account or API wallet already,
   * and has not joined then; null where there is none, or where the ledger does not say.
   */
  async join(): Promise<LedgerRow | null> {
    const joined = await within(this.#deps.timers, this.#renewed(), joinWaitMs)
    if (joined.kind === 'done' && joined.value !== null) {
      await this.#close()
      return joined.value
    }
    this.#cancelRenewals = this.#deps.timers.every(renewEveryMs, () => {
      if (this.#isDue) void this.#renewed()
    })
    return null
  }

  /** Who asks it what this Guard is; until then it is starting. */
  describe(facts: () => HostFacts): void {
    this.#facts = facts
  }

  /** Says that it has stopped, if the ledger takes it in time. */
  async leave(): Promise<void> {
    this.#cancelRenewals?.()
    this.#cancelTell?.()
    this.#running = 0
    if (this.#joined !== null) await within(this.#deps.timers, this.#renewed(), leaveWaitMs)
    await this.#close()
  }

  // ---------------------------------------------------------------------------- the weight's share

  limit(): number {
    return this.#isLeased ? this.#grant.share : this.#grant.floor
  }

  exitLimit(): number {
    // Where the ledger does not say, the venue decides: what gets out is not held up by a guess.
    return this.#isLeased ? this.#grant.exits : this.#identity.weight_limit
  }

  untoldRoom(): number {
    return Math.max(this.untoldMost() - (this.#taken - this.#told), 0)
  }

  untoldMost(): number {
    const isShared = this.#isLeased && this.#grant.guards > 1
    return isShared ? untoldMost(this.#identity.weight_limit) : Infinity
  }

  follow(history: () => readonly number[]): void {
    this.#history = history
  }

  taken(weight: number): void {
    this.#taken += Math.max(weight, 0)
    if (this.#cancelTell === null && this.#joined !== null) this.#tellSoon()
  }

  #tellSoon(): void {
    this.#cancelTell = this.#deps.timers.after(tellAfterMs, () => {
      this.#cancelTell = null
      void this.#tell()
    })
  }

  spentBefore(): SpentBefore | null {
    if (!this.#isBeforeKnown) return null
    const { spent, spentAtMs } = this.#before
    return { history: spent, agoMs: Math.max(this.#deps.hostMs() - spentAtMs, 0) }
  }

  // ------------------------------------------------------------------------------------- as others see

  status(): HostStatus {
    const { floor } = this.#grant
    return { guards: this.#guardsOnHost, weight_share: this.limit(), floor, others: this.#others }
  }

  get sharers(): number {
    return this.#grant.guards
  }

  get problem(): string | null {
    const { directory, hostMs } = this.#deps
    if (hostMs() - Math.max(this.#leaseEndsMs, this.#madeMs) < graceMs) return null
    return `the host's ledger in ${directory} cannot be used (${this.#error}): until it can, bots open and read within the floor of ${this.#grant.floor} request weight a minute`
  }

  // ---------------------------------------------------------------------------------------- inside

  get #isLeased(): boolean {
    return this.#deps.hostMs() < this.#leaseEndsMs
  }

  get #isDue(): boolean {
    const sinceMs = this.#deps.hostMs() - this.#renewedMs
    return sinceMs >= (this.#grant.guards === 1 ? renewAloneMs : 0)
  }

  /** One renewal at a time; answers whom this Guard must not run beside. Never rejects. */
  async #renewed(): Promise<LedgerRow | null> {
    if (this.#isRenewing && this.#running === 1) return null
    this.#isRenewing = true
    this.#note()
    try {
      return await this.#renew()
    } catch (error) {
      this.#error = error instanceof Error ? error.message : String(error)
      // A lock passes; what else is wrong may be mended by a new look at the file.
      if (!/locked|busy/i.test(this.#error)) await this.#close()
      return null
    } finally {
      this.#isRenewing = false
    }
  }

  /** Once for each place where it listens; nothing waits for it, and the next renewal tries again. */
  #note(): void {
    const { directory, hostMs, note } = this.#deps
    const { url } = this.#facts()
    const noted = `${url ?? ''} ${this.#running}`
    if (this.#noted === noted) return
    this.#noted = noted
    const ended = Math.max(this.#leaseEndsMs, 0)
    const row = this.#row(this.#joined ?? 0, this.#grant, ended, this.#spending(hostMs()))
    note(directory, row).catch(() => (this.#noted = ''))
  }

  async #renew(): Promise<LedgerRow | null> {
    const ledger = await this.#opened()
    if (ledger === null) return null
    for (let tries = 0; tries < turnTries; tries += 1) {
      const page = await ledger.read()
      const holder = this.#joined === null ? this.#holderIn(page) : null
      if (holder !== null) {
        this.#error = `the Guard in ${holder.home} has the same account or API wallet`
        return holder
      }
      try {
        await this.#write(ledger, page)
        return null
      } catch (error) {
        if (!(error instanceof TurnTaken)) throw error
      }
    }
    throw new Error('others have written before it every time')
  }

  async #write(ledger: Ledger, page: LedgerPage): Promise<void> {
    const { hostMs, wallMs, sight } = this.#deps
    const nowMs = hostMs()
    const others = page.rows.filter((row) => !isSameGuard(row, this.#identity))
    const live = others.filter((row) => lifeOf(row, sight, nowMs) === 'live')
    const gone = others.filter((row) => lifeOf(row, sight, nowMs) === 'gone')
    const joined = this.#joined ?? this.#takeUp(page)
    const sharers = others
      .filter(({ venue }) => venue === this.#identity.venue)
      .map((row) => sharerOf(row, sight, nowMs, wallMs()))
    const spending = this.#spending(nowMs)
    const used = this.#history === null ? countedOf(spending, nowMs) : sumOf(spending.spent)
    const { weight_limit: limit } = this.#identity
    const grant = grantOf({ joined, limit }, used, sharers, nowMs)
    const leaseEndsMs = nowMs + (grant.guards === 1 ? leaseMs.alone : leaseMs.shared)
    // What others may have from now on must not be spent while they are told of it.
    if (this.#isLeased) this.#grant = smaller(grant, this.#grant)
    const taken = this.#taken
    await ledger.write(page.turn, this.#row(joined, grant, leaseEndsMs, spending), gone, nowMs)
    this.#joined = joined
    this.#grant = grant
    this.#leaseEndsMs = leaseEndsMs
    this.#renewedMs = nowMs
    this.#told = Math.max(this.#told, taken)
    this.#guardsOnHost = live.length + 1
    this.#others = live.slice(0, limits.hostOthersMax).flatMap(({ account, network, url }) => {
      return url === null ? [] : [{ account, network, url }]
    })
  }

  #row(
    joined: number,
    grant: Grant,
    leaseEndsMs: number,
    spending: Pick<Sharer, 'spent' | 'spentAtMs'>,
  ): LedgerRow {
    const { sight, wallMs } = this.#deps
    const { own } = sight
    return {
      ...this.#identity,
      ...this.#facts(),
      ...{ pid: own.pid, pid_started: own.started, pid_space: own.space, boot: own.boot },
      ...{ running: this.#running, last_seen_ms: wallMs(), joined, gone_at_ms: null },
      ...{ weight_floor: grant.floor, weight_share: grant.exits, lease_ends_ms: leaseEndsMs },
      ...{ spent: JSON.stringify(spending.spent), spent_at_ms: spending.spentAtMs },
    }
  }

  /**
   * Until this run has its own count, what the last run told counts for it. That is complete where
   * the last run said that it stopped; one of another home, as before a restore, counts as another
   * Guard's.
   */
  #takeUp({ turn, rows }: LedgerPage): number {
    const { hostMs, wallMs, sight } = this.#deps
    const { venue, account } = this.#identity
    const before = rows.find((row) => isSameGuard(row, this.#identity))
    if (before === undefined) {
      this.#isBeforeKnown = rows.some((row) => row.venue === venue && row.account === account)
    } else {
      this.#before = sharerOf(before, sight, hostMs(), wallMs())
      this.#isBeforeKnown = before.running === 0
    }
    return turn + 1
  }

  #spending(nowMs: number): Pick<Sharer, 'spent' | 'spentAtMs'> {
    if (this.#history === null) return this.#before
    return { spent: this.#history(), spentAtMs: nowMs }
  }

  /** A Guard that runs and has the same account, or the same API wallet, at the same venue. */
  #holderIn({ rows }: LedgerPage): LedgerRow | null {
    const { hostMs, sight } = this.#deps
    const { own } = sight
    const { venue, account, api_wallet: wallet, mode, state_place: place } = this.#identity
    if (mode === 'paper') return null
    // Of one home its lock decides, also where nobody can see whether the last run has ended.
    const isOwnHome = (row: LedgerRow): boolean =>
      isSameGuard(row, this.#identity) && place !== null && row.state_place === place
    const holds = (row: LedgerRow): boolean =>
      row.venue === venue &&
      row.mode !== 'paper' &&
      !isOwnHome(row) &&
      (row.account === account || (wallet !== null && row.api_wallet === wallet)) &&
      lifeOf(row, sight, hostMs()) === 'live' &&
      !(row.pid === own.pid && row.pid_started === own.started && row.pid_space === own.space)
    return rows.find(holds) ?? null
  }

  async #tell(): Promise<void> {
    if (this.#isTelling || this.#ledger === null || this.#history === null) return
    this.#isTelling = true
    const taken = this.#taken
    try {
      await this.#ledger.tell(this.#identity, this.#history(), this.#deps.hostMs())
      this.#told = Math.max(this.#told, taken)
    } catch {
      // The next renewal tells it, or says why it cannot.
    } finally {
      this.#isTelling = false
    }
    // What was taken meanwhile found a telling under way.
    if (this.#taken > taken && this.#cancelTell === null) this.#tellSoon()
  }

  async #opened(): Promise<Ledger | null> {
    if (this.#ledger !== null && !(await this.#ledger.isInPlace())) await this.#close()
    if (this.#ledger !== null) return this.#ledger
    const nowMs = this.#deps.hostMs()
    if (nowMs - this.#openedMs < reopenMs) return null
    this.#openedMs = nowMs
    this.#ledger = await this.#deps.openLedger(this.#deps.directory)
    return this.#ledger
  }

  async #close(): Promise<void> {
    const ledger = this.#ledger
    this.#ledger = null
    await ledger?.close()
  }
}

const nothingYet: HostFacts = {
  url: null,
  state: 'starting',
  equity: null,
  positions: 0,
  kill: null,
}

function smaller(next: Grant, now: Grant): Grant {
  const share = Math.min(next.share, now.share)
  return { ...next, share, exits: Math.min(next.exits, now.exits) }
}

function sumOf(list: readonly number[]): number {
  return list.reduce((sum, each) => sum + each, 0)
}
