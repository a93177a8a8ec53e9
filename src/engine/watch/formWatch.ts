import type { Account } from '../../core/account/account.ts'
import type { AccountEvent } from '../../core/account/accountEvent.ts'
import { modeProblem } from '../../core/judge/entry/checkAccount.ts'
import { usd } from '../../core/judge/text.ts'
import { NewForm } from '../../core/safety/newForm.ts'
import type { RiskEngine } from '../../core/safety/riskEngine.ts'
import type { RiskAccount } from '../../core/safety/riskView.ts'
import { SettingChanges } from '../../core/safety/settingChanges.ts'
import type { Alerts } from '../alerts.ts'
import { Backoff } from '../backoff.ts'
import type { Clock } from '../ports.ts'
import type { Recorder } from '../recorder.ts'

interface FormWatchDeps {
  readonly clock: Clock
  readonly account: Account
  readonly risk: RiskEngine
  readonly recorder: Pick<Recorder, 'record'>
  readonly alerts: Pick<Alerts, 'raise' | 'clear'>
  readonly askAgain: (part: 'state' | 'spot' | 'mode') => void
  /** Why the equity that is told is not all of it, for people; null where it is. */
  readonly equityGap: () => string | null
  /** The whole account is to be read anew, for this reason. */
  readonly demand: (why: string) => void
}

/** The alert waits so many milliseconds: after a change of the mode the account has to be read first. */
const patienceMs = 5_000
/** What is not known is asked for by itself, ever later: a read of the whole account may find no weight. */
const firstAskMs = 1_000
const lastAskMs = 15_000

/** How the account is set up at the venue, and whether its equity can be told in that form. */
export class FormWatch {
  private readonly deps: FormWatchDeps
  private readonly settings = new SettingChanges()
  private readonly form = new NewForm()
  private hasBegun = false
  /** The venue's moment of the state that the whole account was last read with. */
  private readTime = 0
  /** By the monotonic clock. */
  private blindSinceMs: number | null = null
  private readonly asking: Backoff

  constructor(deps: FormWatchDeps) {
    this.deps = deps
    this.asking = new Backoff(deps.clock, lastAskMs, firstAskMs)
  }

  /** The balance is told in a form that is not the known mode's. */
  get isDoubted(): boolean {
    return this.settings.isFormDoubted
  }

  /** Why nothing opens now, for people; null where the account is as it was. */
  get doubt(): string | null {
    if (this.isDoubted) {
      return `its balance is told in the form of another mode than ${this.deps.account.mode}`
    }
    if (this.form.isOpen)
      return 'the account was set up anew, and another look at its money has to agree'
    const { untold } = this.deps.risk.view()
    return untold === null
      ? null
      : `its balance is still without ${usd(untold)} that fills have lost`
  }

  /**
   * An event, before anybody decides whether its figures are believed: in which form the venue tells
   * the balance says something of the mode even where the figures are wrong.
   */
  told(event: AccountEvent): void {
    const { account, risk, recorder, demand } = this.deps
    const { formChanges } = this.settings
    const texts = this.settings.told(event, account)
    const wasAnew = !this.hasBegun && risk.isAnew
    this.hasBegun = true
    if (this.settings.formChanges !== formChanges || wasAnew) {
      risk.setAnew()
      // Before the account was ever seen there is nothing that the next look could be compared with.
      if (risk.isAnew) this.form.changed()
    }
    for (const text of texts) {
      recorder.record({ kind: 'error', text }, 'ride')
      demand(text)
    }
    if (wasAnew) demand('the account was set up anew before the start')
  }

  /**
   * The account has been given an event, which may be the second look at its money. A state that is no
   * younger than the read is not: it says nothing new.
   */
  took(event: AccountEvent): void {
    if (event.kind === 'state' && event.state.time <= this.readTime) return
    this.form.took(event.kind, this.deps.account.cash, this.deps.clock.monotonicMs())
  }

  /** The whole account was read since the change, and agrees: asks for the second look at its money. */
  agreed(): void {
    const { cash, venueTime } = this.deps.account
    this.readTime = venueTime ?? 0
    this.form.read(cash)
    if (this.form.isOpen) this.askMoney()
  }

  private askMoney(): void {
    const { account, askAgain } = this.deps
    askAgain(account.cash?.isUnified === true ? 'spot' : 'state')
  }

  /** Asks for what would end the doubt. */
  private askOn(): void {
    if (this.doubt === null) this.asking.reset('part')
    else if (this.asking.mayTry('part')) {
      this.asking.failed('part')
      if (this.isDoubted) this.deps.askAgain('mode')
      else this.askMoney()
    }
  }

  /** What the risk engine may look at, where the account is believed. */
  get sight(): RiskAccount {
    const { account, equityGap } = this.deps
    const gap = equityGap()
    const isWhole = gap === null && !this.isDoubted && !this.form.isOpen
    if (account.cash !== null && isWhole) return account
    const { venueTime, unrealised } = account
    return { cash: null, venueTime, unrealised, missing: gap ?? '' }
  }

  tick(isSeen: boolean): void {
    this.askOn()
    const { account, risk, alerts, clock } = this.deps
    if (!isSeen || !risk.view().isBlind) {
      this.blindSinceMs = null
      alerts.clear('equity_unknown')
      return
    }
    const nowMs = clock.monotonicMs()
    this.blindSinceMs ??= nowMs
    const problem = modeProblem(account.mode)
    // An unknown mode may be read in a moment: people are told of it only once the patience is over.
    const isKnown = problem !== null && account.mode !== 'unknown'
    if (!isKnown && nowMs - this.blindSinceMs < patienceMs) return
    const why =
      problem ?? this.deps.equityGap() ?? this.doubt ?? 'what is told of it does not agree'
    const text = `the account's equity cannot be known: ${why}. Its daily loss and its drawdown are not measured; at most what positions and fills lose from then on can halt. Nothing opens`
    alerts.raise('equity_unknown', text, clock.now())
  }
}
