import type { Account } from '../../core/account/account.ts'
import type { AccountEvent } from '../../core/account/accountEvent.ts'
import { sizeInWords } from '../../core/account/ownRecord.ts'
import type { RiskBody } from '../../core/events/guardEvent.ts'
import { modeProblem } from '../../core/judge/entry/checkAccount.ts'
import type { Rules } from '../../core/rules/rules.ts'
import { lostIn, OddSights } from '../../core/safety/oddSights.ts'
import type { Counting, SizeChange, WrongSight } from '../../core/safety/oddSights.ts'
import type { RiskEngine } from '../../core/safety/riskEngine.ts'
import type { RiskView } from '../../core/safety/riskView.ts'
import type { Address } from '../../core/values/address.ts'
import type { Coin } from '../../core/values/coin.ts'
import { Decimal } from '../../core/values/decimal.ts'
import { limits } from '../../core/values/limits.ts'
import { shifted } from '../../core/values/millis.ts'
import type { Millis } from '../../core/values/millis.ts'
import type { Result } from '../../core/values/result.ts'
import type { Alerts } from '../alerts.ts'
import { ChangedPositions } from './changedPositions.ts'
import type { LackingFill } from './changedPositions.ts'
import type { CoverSight } from './coverSight.ts'
import { apartMsMax } from './dexes/joinedStates.ts'
import { strangeDexes } from './dexes/strangeDexes.ts'
import type { Flattener } from './flattener.ts'
import { ForcedChanges } from './forcedChanges.ts'
import { FormWatch } from './formWatch.ts'
import { LedgerRows } from './ledgerRows.ts'
import { LiquidationWatch } from './liquidationWatch.ts'
import { MarginWatch } from './marginWatch.ts'
import { MissingMarks } from './missingMarks.ts'
import { OpenRiskWatch } from './openRiskWatch.ts'
import { PortfolioWatch } from './portfolioWatch.ts'
import type { Clock, Journal, Log } from '../ports.ts'
import type { Protector } from './protector.ts'
import { Recheck } from './recheck.ts'
import type { Recorder } from '../recorder.ts'
import { Settlements } from './settlements.ts'

interface WatcherDeps {
  readonly clock: Clock
  readonly log: Log
  readonly alerts: Alerts
  readonly account: Account
  readonly risk: RiskEngine
  readonly journal: Pick<Journal, 'error'>
  readonly recorder: Recorder
  readonly rulesFor: (client: null, coin: Coin | null) => Rules
  readonly cover: Pick<CoverSight, 'arePositionsKnown'>
  readonly protector: Protector
  readonly flattener: Flattener
  /** Asks the venue for a part of the account at once: what was told of it cannot be. */
  readonly askAgain: (part: 'state' | 'spot' | 'mode' | 'markets') => void
  /** Reads every part of the account anew, and its recent fills; null while the weight is too little. */
  readonly readWhole: () => Promise<Result<null>> | null
  /** Why the equity that is told is not all of it, for people; null where it is. */
  readonly equityGap: () => string | null
  /** The same, without dexes that are not seen, which are a reason of their own. */
  readonly dexGap: () => string | null
  /** Why nothing opens though all of the account is told, for people; null where nothing keeps it. */
  readonly dexDoubt: () => string | null
  readonly areDexesTold: () => boolean
  /** The account's own address. */
  readonly address: Address
}

/** A discrepancy that lasts this long is more than a message on its way. */
const discrepancyMs = 5_000
/** How long the first look at an account waits for its dexes, and the fills that explain its positions. */
const fillsGraceMs = 10_000

/** For the risk engine while what is told of the account is one word that nothing confirms. */
const unseen = { cash: null, venueTime: null } as const

/**
 * Every change of the account, in one tick: the account takes it, the risk engine looks, then
 * protection or flattening acts. A timer asks again as a second line.
 */
export class Watcher {
  private readonly deps: WatcherDeps
  private hasTold = false
  /** By the monotonic clock. */
  private strangeSinceMs: number | null = null
  /** Since when the first look waits for them, by the monotonic clock. */
  private unexplainedSinceMs: number | null = null
  private readonly marks = new MissingMarks()
  private readonly odd: OddSights
  private readonly changed = new ChangedPositions()
  private readonly form: FormWatch
  private readonly recheck: Recheck
  private readonly forced: ForcedChanges
  private readonly settlements: Settlements
  private readonly margins: MarginWatch
  private readonly portfolio: PortfolioWatch
  private readonly openRisk: OpenRiskWatch
  private readonly liquidations: LiquidationWatch
  private readonly rows = new LedgerRows()

  constructor(deps: WatcherDeps) {
    this.deps = deps
    this.odd = new OddSights(deps)
    this.margins = new MarginWatch(deps)
    this.portfolio = new PortfolioWatch(deps)
    this.openRisk = new OpenRiskWatch(deps)
    this.liquidations = new LiquidationWatch({
      ...deps,
      askMarkets: () => {
        deps.askAgain('markets')
      },
    })
    this.form = new FormWatch({
      ...deps,
      demand: (why) => {
        this.recheck.demand(why)
      },
    })
    this.recheck = new Recheck({
      ...deps,
      isBelieved: () => this.odd.isEmpty && !this.form.isDoubted,
      agreed: () => {
        this.form.agreed()
        this.act()
      },
    })
    this.forced = new ForcedChanges(deps)
    this.settlements = new Settlements(deps)
  }

  /**
   * Why what was told of the account is not believed, for people: it cannot be, or something happened
   * that Guard did not do, and no read of the whole account has agreed since. Null while it is.
   */
  get sightDoubt(): string | null {
    const odd = this.odd.doubt(this.deps.clock.monotonicMs())
    return odd ?? this.recheck.doubt ?? this.form.doubt
  }

  /** Why nothing opens though the account is there, for people. */
  get doubt(): string | null {
    const { mode } = this.deps.account
    const problem = mode === 'unknown' ? null : modeProblem(mode)
    // Money that could not be read explains why less is seen than before.
    const { dexGap, dexDoubt } = this.deps
    return dexGap() ?? this.sightDoubt ?? problem ?? this.liquidations.doubt ?? dexDoubt()
  }

  /** The account has been seen since the start: its positions, its orders and the markets. */
  get isSeen(): boolean {
    const { account } = this.deps
    return account.confirmedAt !== null && account.markets.byAsset.size > 0
  }

  /** The account's equity counts: at the very first start a second look has to agree with the first. */
  get isBelieved(): boolean {
    return !this.odd.isBlind
  }

  /** A position is smaller or gone, and no fill has told why: none of its stops goes meanwhile. */
  lacksFill(coin: Coin): LackingFill | null {
    return this.changed.lacksFill(coin, this.deps.clock.monotonicMs())
  }

  deliver(event: AccountEvent): void {
    const nowMs = this.deps.clock.monotonicMs()
    const wasBlind = this.odd.isBlind
    this.form.told(event)
    const { take, wrong, ask } = this.odd.told(event, nowMs)
    for (const each of wrong) this.tellWrong(each)
    if (take !== null) this.take(take, nowMs, wasBlind)
    if (ask !== null) this.deps.askAgain(ask)
    // The form of the balance tells whether the state is of the mode that is known.
    if (ask === 'state') this.deps.askAgain('spot')
    // A price alone moves no stop and no order: the account's own news do.
    if (event.kind === 'mids' || event.kind === 'mark' || event.kind === 'contexts') return
    for (const due of this.odd.due(nowMs)) this.take(due, nowMs)
    this.act()
  }

  /** `wasBlind`: what the account had before it was a first word that nobody had confirmed. */
  private take({ event, sinceMs }: Counting, nowMs: number, wasBlind = false): void {
    const { account, risk, recorder } = this.deps
    this.changed.explainBy(event)
    this.portfolio.told(event)
    for (const text of this.rows.told(event)) recorder.record({ kind: 'error', text }, 'ride')
    this.settlements.told(event)
    for (const text of this.forced.told(event)) this.recheck.demand(text)
    for (const mark of this.marks.toldBy(event, account)) account.apply(mark)
    if (event.kind === 'state') this.takeState(event, nowMs, wasBlind)
    else if (event.kind === 'fills') this.takeFills(event, nowMs)
    else account.apply(event)
    this.form.took(event)
    const known = { ...event, at: shifted(event.at, Math.trunc(sinceMs - nowMs)) }
    this.tellRisk(risk.apply(known, this.odd.isBlind ? unseen : this.form.sight))
  }

  /** A snapshot that shows other positions than fills had made waits for the fills that explain it. */
  private takeState(
    event: Extract<AccountEvent, { kind: 'state' }>,
    nowMs: number,
    wasBlind: boolean,
  ): void {
    const { account } = this.deps
    const { venueTime } = account
    const before = new Map(account.positions)
    // At a start only what the run before held can be missed.
    const past = venueTime === null ? account.ifTold(event) : null
    account.apply(event)
    const { positions } = account
    const since = this.changed.since(wasBlind ? positions : before, account, event.state)
    const changes = past === null ? since : lostIn(positions, past.held)
    // Any fill that the run before had not counted may explain it, and no other.
    const knownAt = past === null ? (venueTime ?? 0) : past.heldUntil + 1
    this.changed.note(changes, nowMs, knownAt, event.state.time)
    if (event.source === 'read') this.recheck.seen(changes.length > 0)
    if (account.venueTime === event.state.time) this.liquidations.told(event.state)
  }

  /** A fill may be the first to tell that what was held before it has ended; history tells nothing. */
  private takeFills(event: Extract<AccountEvent, { kind: 'fills' }>, nowMs: number): void {
    const { account } = this.deps
    const { venueTime } = account
    account.apply(event)
    const ended = account.held.takeEnded()
    for (const struck of account.takeStruck()) this.settlements.struck(struck)
    if (venueTime === null) return
    for (const { coin, was, from, by } of ended) {
      // Its own fills are younger: none of them tells how what was before it ended.
      this.changed.note([{ coin, was, left: Decimal.zero }], nowMs, from, by - apartMsMax)
    }
  }

  /** What the run before held on builder dexes may have been settled since: no fill tells of that. */
  private notePast(nowMs: number): void {
    const { account, areDexesTold } = this.deps
    const { venueTime } = account
    if (venueTime === null || !account.areFillsTold || !areDexesTold()) return
    for (const { coin, was, left, until } of account.held.takeLostBefore()) {
      this.changed.note([{ coin, was, left }], nowMs, until + 1, venueTime)
    }
  }

  private tellWrong({ source, said, expected }: WrongSight): void {
    const where = source === 'stream' ? "the venue's stream" : 'a read of the venue'
    const text = `${where} told ${said}, and the next one contradicts it (${expected}): it counts for nothing`
    this.deps.recorder.record({ kind: 'error', text }, 'ride')
    this.deps.log.log('warn', 'a wrong word about the account', { text })
  }

  /** A position that changed without a fill: first the account is read, then a person is told. */
  private watchChanged(nowMs: number): void {
    this.notePast(nowMs)
    for (const change of this.changed.doubtful(nowMs)) this.recheck.demand(inWords(change))
    for (const change of this.changed.due(nowMs)) {
      if (this.settlements.gone(change)) {
        this.changed.explain(change.coin)
        continue
      }
      const text = `${inWords(change)}; look at the account's history at the venue`
      this.forced.tell({ coin: change.coin, text })
    }
  }

  /** The second line: nothing below depends on an event having come. */
  tick(): void {
    const { clock, risk } = this.deps
    const [now, nowMs] = [clock.now(), clock.monotonicMs()]
    for (const due of this.odd.due(nowMs)) this.take(due, nowMs)
    this.tellRisk(risk.tick(now))
    this.act()
    this.watchChanged(nowMs)
    this.recheck.tick()
    this.forced.tick()
    this.settlements.tick()
    this.watchDiscrepancies(now)
    this.watchStream(now)
    this.form.tick(this.isSeen)
    this.margins.tick(this.isSeen)
    this.portfolio.tick()
    this.openRisk.tick(this.isSeen && this.isBelieved)
    this.liquidations.tick()
    this.deps.recorder.watchPlaces()
  }

  /**
   * Lets the flattener and the protector act; neither waits for the other. During a flatten the
   * protector only puts stops under coins whose close was refused.
   */
  act(): void {
    if (!this.deps.cover.arePositionsKnown) return
    this.deps.account.followCover()
    this.deps.flattener.kick()
    this.deps.protector.kick()
  }

  /** Both sources had said it, or nobody could say better at the time. */
  private tellDropped({ dropped, equity }: RiskView): void {
    if (dropped.length === 0) return
    const said = dropped.map(String).slice(0, limits.namedEquitiesMax).join(', ')
    const text = `the venue's stream and its reads told an equity of ${said} that nothing explains, and the next sight contradicts it (${String(equity)}): it counts for nothing`
    this.deps.recorder.record({ kind: 'error', text }, 'ride')
    this.deps.log.log('warn', 'a wrong word about the account', { text })
  }

  private tellRisk(view: RiskView): void {
    this.tellDropped(view)
    const isSeen = this.isSeen && this.isBelieved
    const isFirst = !this.hasTold && isSeen && this.deps.account.mode !== 'unknown'
    if (!view.changed && !(isFirst && this.isExplained())) return
    if (isSeen) this.hasTold = true
    const { recorder, risk, log } = this.deps
    const snapshot = risk.snapshot()
    const body = { ...this.riskBody(view), _: { risk: snapshot } }
    const appended = recorder.record(body, 'now')
    // A halt outlives a crash also where the journal is broken: the emergency file keeps it then.
    recorder.proofFor(body, appended).catch(() => {
      log.log('error', 'a change of the risk state is in no journal', { state: view.state })
    })
  }

  /** Whether all dexes and the fills that explain the positions were told, or waited for long enough. */
  private isExplained(): boolean {
    const { account, clock, areDexesTold } = this.deps
    if ((account.areFillsTold || account.positions.size === 0) && areDexesTold()) return true
    const nowMs = clock.monotonicMs()
    this.unexplainedSinceMs ??= nowMs
    return nowMs - this.unexplainedSinceMs >= fillsGraceMs
  }

  private riskBody(view: RiskView): RiskBody {
    const { account, journal } = this.deps
    return {
      kind: 'risk',
      state: view.state,
      detail: view.detail,
      equity: view.equity === null || view.isBlind ? null : view.equity.toString(),
      open_positions: account.positions.size,
      discrepancies: this.discrepancies(),
      journal_error: journal.error,
    }
  }

  private watchStream(now: Millis): void {
    const { account, alerts } = this.deps
    if (account.stream === 'live') alerts.clear('stream')
    else {
      const read = alerts.has('venue_unreadable')
        ? 'cannot be read over HTTP either'
        : 'is read over HTTP meanwhile'
      const text = `the venue's stream is ${account.stream}; the account ${read}`
      alerts.raise('stream', text, now)
    }
  }

  private discrepancies(): readonly string[] {
    const { account, rulesFor } = this.deps
    return [...strangeDexes(account, rulesFor(null, null)), ...account.discrepancies()]
  }

  private watchDiscrepancies(now: Millis): void {
    const { account, alerts, clock } = this.deps
    const found = this.isSeen ? this.discrepancies() : []
    const nowMs = clock.monotonicMs()
    this.strangeSinceMs = found.length === 0 ? null : (this.strangeSinceMs ?? nowMs)
    const lasts = this.strangeSinceMs !== null && nowMs - this.strangeSinceMs >= discrepancyMs
    const coins = new Set<string>()
    for (const text of lasts ? found : []) {
      const named = text.slice(0, Math.max(text.indexOf(': '), 0))
      // What is about the whole account names no coin.
      const coin = account.markets.byCoin.has(named as Coin) ? named : null
      if (coins.has(coin ?? '')) continue
      coins.add(coin ?? '')
      alerts.raise('discrepancy', this.rows.explained(text), now, coin)
    }
    alerts.keepOnly('discrepancy', coins)
  }
}

function inWords({ coin, was, left }: SizeChange): string {
  return `${coin}: the venue shows a position of ${sizeInWords(left)} where ${sizeInWords(was)} was held, and has told no fill of it`
}
