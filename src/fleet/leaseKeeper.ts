import { coinOfKind } from '../core/judge/lease.ts'
import type { Lease, LeaseFor, LeasePart } from '../core/judge/lease.ts'
import { Decimal } from '../core/values/decimal.ts'
import { limits } from '../core/values/limits.ts'
import type { AccountExposure, FleetLeaseStatus } from '../engine/fleetView.ts'
import type { Clock } from '../engine/ports.ts'
import { LeaseTerm } from './leaseTerm.ts'
import { leaseTimes } from './leaseTimes.ts'
import { StoreError } from './storeSession.ts'
import type { StoreRow, StoreSession } from './storeSession.ts'

interface KeeperDeps {
  readonly clock: Clock
  /** Null until earlier sends are looked up and the account is seen: then nothing can be reported. */
  readonly exposure: () => AccountExposure | null
  /** Nothing opens here until a person has released it: what is spare is left to the others. */
  readonly isLatched?: () => boolean
}

interface HeldPart extends LeasePart {
  /** What the store would have it hold. */
  readonly target: Decimal
}

/** What a server says of a function that it does not have. */
const unknownFunction = '42883'
const oldSchema =
  'its schema is older than this Guard (guard fleet init --url-file FILE brings it up)'
/** Of a USD, in what the store is told. */
const decimals = 8

/**
 * What this Guard holds of the budgets that its fleet shares, kept in memory and renewed beside the
 * order path. It never relies on more than the store counts for it: what it gives back it stops relying
 * on before it says so, and what it gets counts once the answer is there.
 */
export class LeaseKeeper {
  readonly #deps: KeeperDeps
  #parts: readonly HeldPart[] = []
  /** How old the last word is that told of everything; null before the first. */
  #term: LeaseTerm | null = null
  #turn: string | null = null
  #renewedMs = -Infinity
  #problem: string | null = null
  #isLettingGo = false

  constructor(deps: KeeperDeps) {
    this.#deps = deps
  }

  /** For the judge: from memory. */
  readonly lease: LeaseFor = (coin): Lease => {
    const ended = this.#ended
    if (ended !== null) return { ended, parts: [] }
    return { ended, parts: this.#parts.filter(({ kind }) => isAbout(kind, coin)) }
  }

  /** Why leases are not renewed though the store answers; null while they are. */
  get problem(): string | null {
    return this.#problem
  }

  status(): FleetLeaseStatus {
    const exposure = this.#deps.exposure()
    return {
      spare_until_ms: this.#term?.endsAt(leaseTimes.spareMs) ?? null,
      ended: this.#ended,
      parts: this.#parts.map(({ scope, kind, held, budget }) => ({
        ...{ scope, kind, held: held.toString(), budget: budget.toString() },
        used: exposure?.used(kind).toString() ?? null,
      })),
    }
  }

  /** The connection is a new one: what an older one still asks for does not count any more. */
  begin(): void {
    this.#turn = null
    this.#renewedMs = -Infinity
  }

  /** Renews where it is time. Rejects as the session does, but not where the store refuses. */
  async attend(session: StoreSession): Promise<void> {
    const nowMs = this.#deps.clock.monotonicMs()
    if (nowMs - this.#renewedMs < leaseTimes.renewMs) return
    const exposure = this.#deps.exposure()
    if (exposure === null) return
    this.#renewedMs = nowMs
    try {
      await this.#renew(session)
      this.#problem = null
    } catch (error) {
      if (!(error instanceof StoreError) || error.kind !== 'refused') throw error
      this.#turn = null
      this.#problem = error.code === unknownFunction ? oldSchema : error.message
    }
  }

  /** This Guard opens nothing more: what is spare goes back. Rejects as the session does. */
  async letGo(session: StoreSession): Promise<void> {
    this.#isLettingGo = true
    if (this.#parts.length > 0 && this.#deps.exposure() !== null) await this.#renew(session)
  }

  // ---------------------------------------------------------------------------------------- inside

  get #ended(): string | null {
    if (this.#isLettingGo) return 'this Guard is leaving its fleet, so nothing opens'
    if (this.#term === null) {
      const why = this.#problem === null ? '' : ` (${this.#problem})`
      return `the fleet's store has not told since the start what is leased here${why}: nothing opens until it does; exits and cancels pass`
    }
    const { ageMs } = this.#term
    if (ageMs < leaseTimes.spareMs) return null
    return `the fleet's store was last heard ${Math.floor(ageMs / 1_000)} s ago, and what it says of leases counts for ${leaseTimes.spareMs / 1_000} s: nothing opens until it answers; exits and cancels pass`
  }

  async #renew(session: StoreSession): Promise<void> {
    for (let round = 0; round < limits.fleetLeaseRoundsMax; round += 1) {
      const exposure = this.#deps.exposure()
      if (exposure === null) return
      this.#turn ??= String((await session.query(beginLeases))[0]?.['turn'])
      const term = new LeaseTerm(this.#deps.clock)
      const asks = this.#parts.map((part) => this.#ask(part, exposure))
      // In this tick, before it is said: whatever becomes of the question, no more is relied on.
      this.#parts = this.#parts.map((part, at) => ({ ...part, held: asks[at]?.keep ?? part.held }))
      const written = JSON.stringify(asks)
      const rows = await session.query(renewLeases, [this.#turn, written])
      if (rows.length > limits.fleetBudgetsMax) {
        throw new StoreError('refused', `it has ${rows.length} budgets for this account`)
      }
      this.#parts = rows.map(heldPart)
      const isAll = rows.every((row) => row['was_asked'] === true)
      if (isAll) this.#term = term
      if (isAll && this.#parts.every(({ held, target }) => held.lte(target))) return
    }
  }

  #ask({ scope, kind, held, target }: HeldPart, exposure: AccountExposure): Ask {
    const used = exposure.used(kind).rounded(decimals, 'ceil')
    const isIdle = this.#isLettingGo || this.#deps.isLatched?.() === true
    const most = isIdle ? used : exposure.most(kind).rounded(decimals, 'floor')
    const want = Decimal.max(used, most)
    const keep = Decimal.min(held, Decimal.max(used, Decimal.min(want, target)))
    return { scope, kind, used, want, keep }
  }
}

interface Ask {
  readonly scope: string
  readonly kind: string
  readonly used: Decimal
  readonly want: Decimal
  readonly keep: Decimal
}

const beginLeases = 'select guard.begin_leases()::text as turn'
const renewLeases =
  'select scope, kind, held::text, budget::text, target::text, was_asked from guard.renew_leases($1, $2)'

function isAbout(kind: string, coin: string): boolean {
  const of = coinOfKind(kind)
  return of === null || of === coin
}

/** What was not asked about is relied on by nobody here. */
function heldPart(row: StoreRow): HeldPart {
  const amount = (name: string): Decimal => Decimal.of(String(row[name]))
  const scope = String(row['scope'])
  const kind = String(row['kind'])
  const budget = amount('budget')
  if (row['was_asked'] !== true) {
    return { scope, kind, budget, held: Decimal.zero, target: budget }
  }
  return { scope, kind, budget, held: amount('held'), target: amount('target') }
}
