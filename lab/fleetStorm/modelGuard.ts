import type { Guard } from '../../src/engine/guard.ts'
import type { AccountExposure } from '../../src/engine/fleetView.ts'
import type { StatusView } from '../../src/engine/statusView.ts'
import { coin } from '../../src/core/values/coin.ts'
import { Decimal } from '../../src/core/values/decimal.ts'
import { FleetMember } from '../../src/fleet/fleetMember.ts'
import { writerTimes } from '../../src/fleet/leaseTimes.ts'
import type { OpenSession } from '../../src/fleet/storeSession.ts'
import { countsAs } from './account.ts'
import type { Account, Entry, Flight } from './account.ts'
import type { Home } from './home.ts'
import type { Machine } from './machine.ts'
import { centsOf, textOf } from './storeState.ts'
import type { Cents } from './storeState.ts'

interface GuardDeps {
  readonly machine: Machine
  readonly home: Home
  readonly account: Account
  readonly address: string
  readonly run: string
  readonly open: OpenSession
  /** How long its disk takes for a latch, and how long a close takes, in milliseconds. */
  readonly diskMs: number
  readonly closeMs: number
  readonly onEnd: () => void
}

/** What its own rules let it have. */
const ownLimit: Readonly<Record<string, Cents>> = { open_risk: 60_000, gross_value: 600_000 }

const latched = { reason: 'a kill', at: 1 }

/**
 * A Guard with nothing in it but its membership of a fleet, which is the real one: it opens what leases
 * and the right to act let it, latches when it is told to, and closes.
 */
export class ModelGuard {
  readonly member: FleetMember
  readonly deps: GuardDeps
  #isLatched: boolean
  #isSeen = false
  #obeyed: Home['obeyed']

  constructor(deps: GuardDeps) {
    const { machine, home, address, open } = deps
    this.deps = deps
    this.#isLatched = home.isLatched
    this.#obeyed = home.obeyed
    const identity = { network: 'testnet', account: address, version: '1', host: 'h' } as const
    const none = { markets: {}, clients: {}, keys: null, builders: null }
    const setup = { wallet: null, rules: '', ...none }
    this.member = new FleetMember({
      address: { host: 'store', port: 1, database: 'x', user: 'x', password: 'x' } as never,
      identity: { ...identity, configHash: 'c', instance: home.instance, setup },
      ...{ open, timers: machine, log: { log: () => undefined } },
    })
    this.member.attach({
      ...{ guard: this.#seen, clock: machine, journal: home.journal },
      onLost: deps.onEnd,
    })
  }

  get isLatched(): boolean {
    return this.#isLatched
  }

  get obeyed(): number {
    return this.#obeyed?.epoch ?? 0
  }

  /** It has looked at its account, and at what an earlier run of this home had sent. */
  see(): void {
    this.#isSeen = true
  }

  /** Somebody at this machine lets it trade again. */
  release(): void {
    if (this.deps.home.isLatched) {
      this.#isLatched = false
      this.deps.home.isLatched = false
    }
  }

  /** As much of an entry as leases let it have; null where it may open nothing. */
  tryOpen(wish: Entry): Flight | null {
    const { machine, account, home, run } = this.deps
    if (!machine.isRunning || this.#isLatched || !this.#isSeen) return null
    const lease = this.member.lease(coin(wish.coin))
    if (lease.ended !== null || this.member.notWriter !== null) return null
    let { worth } = wish
    for (const { kind, held } of lease.parts) {
      const left = Math.max(centsOf(held.toString()) - account.used(kind), 0)
      if (countsAs(kind, wish) > 0) worth = Math.min(worth, kind === 'open_risk' ? left * 10 : left)
    }
    // Whole tens of cents: its risk is whole cents, too.
    worth -= worth % 10
    if (worth <= 0) return null
    home.append(`open ${worth}`)
    const expiresMs = machine.now() + writerTimes.signedMs
    return { entry: { worth, coin: wish.coin }, run, instance: home.instance, expiresMs }
  }

  readonly #exposure: AccountExposure = {
    used: (kind) => Decimal.of(textOf(this.deps.account.used(kind))),
    most: (kind) => Decimal.of(textOf(ownLimit[kind] ?? 300_000)),
  }

  get #seen(): Pick<Guard, 'latch' | 'status' | 'exposure' | 'handover' | 'kill'> {
    const obeyed = (): Home['obeyed'] => this.#obeyed
    const latch = {
      get obeyed() {
        return obeyed()
      },
      obey: (reason: string, epoch: number) => this.#obey(reason, epoch),
    }
    return {
      latch: latch as unknown as Guard['latch'],
      status: () => this.#status(),
      exposure: () => (this.#isSeen ? this.#exposure : null),
      kill: (reason) => this.#latch(reason),
      // No standby follows it: a second home is a plain Guard.
      handover: { word: () => ({ latch: this.#isLatched ? latched : null }), whole: () => null },
    }
  }

  /** In this tick nothing opens any more; it resolves once that is on disk. */
  #obey(reason: string, epoch: number): Promise<void> {
    this.#obeyed = { epoch, at: this.deps.machine.now() }
    return this.#latch(reason)
  }

  #latch(reason: string): Promise<void> {
    const { machine, home, account, diskMs, closeMs } = this.deps
    this.#isLatched = true
    // And once more when whatever had left before has arrived or expired.
    for (const ms of [closeMs, closeMs + 2 * writerTimes.signedMs]) {
      machine.after(ms, () => {
        account.closeAll()
      })
    }
    return new Promise((resolve) => {
      machine.after(diskMs, () => {
        home.append(`kill ${reason}`)
        home.isLatched = this.#isLatched
        home.obeyed = this.#obeyed
        resolve()
      })
    })
  }

  #status(): StatusView {
    const { account } = this.deps
    const none = { equity: '1000', day: null, daily_loss: null, drawdown: null, open_risk: null }
    const kill = { latched: this.#isLatched, durable: true, reason: null }
    return {
      ...{ mode: 'testnet', kill, risk: none, entries: { pass: true, reason: null } },
      ...{ positions: account.isFlat ? [] : [{ value: '1', covered: true }], alerts: [] },
      ...{ open_orders: 0, venue: {}, started_at_ms: 0 },
    } as unknown as StatusView
  }
}
