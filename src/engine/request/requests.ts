import type { Address } from '../../core/values/address.ts'
import type { LeaseFor } from '../../core/judge/lease.ts'
import type { Refusal } from '../../core/judge/refusal.ts'
import type { GuardDeps, Reply, Via } from '../guard.ts'
import { RunningTasks } from '../runningTasks.ts'
import type { Dispatcher } from '../send/dispatcher.ts'
import { stepLogOf } from '../send/stepLog.ts'
import type { StepLog } from '../send/stepLog.ts'
import type { Shared } from '../shared.ts'
import type { Watching } from '../watch/watching.ts'
import { Authenticator } from './authenticate.ts'
import { EntryRate } from './entryRate.ts'
import { handleKillRequest, refuseOverlongKill } from './killRequest.ts'
import { learnFromAnswers } from './learnFromAnswers.ts'
import { RefusalLimits } from './refusalLimits.ts'
import { vetoReply } from './replyToBot.ts'
import { RequestLine } from './requestLine.ts'
import { Spending } from './spending.ts'
import { UnservedCounts } from '../unservedCounts.ts'
import { UsedNonces } from './usedNonces.ts'

interface RequestsHooks {
  /** Null in paper mode. */
  readonly dispatcher: Dispatcher | null
  readonly watching: Watching
  /** By what the fleet bounds entries, where there is one. */
  readonly lease?: LeaseFor
  readonly notWriter?: () => string | null
  readonly serves: () => 'all' | 'exits' | Refusal
}

/** Everything that a bot can ask of Guard with its signature, and what is remembered of bots. */
export class Requests {
  readonly nonces = new UsedNonces()
  readonly refusals = new RefusalLimits()
  readonly entryRate = new EntryRate()
  readonly unserved: UnservedCounts
  clients: ReadonlySet<Address>
  private readonly authenticator: Authenticator
  private readonly line: RequestLine
  private readonly running = new RunningTasks()
  private readonly deps: GuardDeps
  private readonly shared: Shared
  private readonly watching: Watching

  constructor(deps: GuardDeps, shared: Shared, hooks: RequestsHooks) {
    this.deps = deps
    this.shared = shared
    this.watching = hooks.watching
    this.unserved = new UnservedCounts({ ...deps, recorder: shared.recorder })
    this.clients = new Set(deps.config.clients)
    const { nonces } = this
    this.authenticator = new Authenticator({ ...deps, nonces, clients: () => this.clients })
    this.line = this.makeLine(hooks)
  }

  /** How many requests are being worked on. */
  get count(): number {
    return this.running.count
  }

  async exchange(body: Uint8Array, via: Via, request?: string): Promise<Reply> {
    return await this.safely(request, (steps) => this.line.exchange(body, via, steps))
  }

  async overlong(via: Via | 'kill', request?: string): Promise<Reply> {
    if (via === 'kill') {
      return await this.safely(request, (steps) =>
        Promise.resolve(refuseOverlongKill(this.killDeps(), steps)),
      )
    }
    return await this.safely(request, (steps) => this.line.overlong(via, steps))
  }

  async kill(body: Uint8Array, request?: string): Promise<Reply> {
    return await this.safely(request, (steps) => handleKillRequest(this.killDeps(), body, steps))
  }

  private killDeps(): Parameters<typeof handleKillRequest>[0] {
    const { authenticator, refusals } = this
    const { recorder } = this.shared
    return { clock: this.deps.clock, authenticator, latch: this.watching.latch, recorder, refusals }
  }

  private async safely(
    request: string | undefined,
    task: (steps: StepLog) => Promise<Reply>,
  ): Promise<Reply> {
    const steps = stepLogOf(this.deps.log, request ?? null)
    try {
      return await this.running.run(() => task(steps))
    } catch (error) {
      this.shared.fault.note('a request', error, request)
      const text = 'Guard failed inside; whether it was sent is in its events'
      return { status: 200, body: vetoReply('invalid', text) }
    }
  }

  private makeLine({ watching, ...hooks }: RequestsHooks): RequestLine {
    const { clock, config } = this.deps
    const { account, fault } = this.shared
    const { authenticator, entryRate, refusals } = this
    const { latch, protector, readers } = watching
    return new RequestLine({
      ...{ ...this.deps, ...this.shared, ...hooks, authenticator, refusals, entryRate, latch },
      ...{ venueWaits: readers.venueWaits, rulesFor: config.rulesFor },
      spending: new Spending({ ...this.deps, ...this.shared }),
      risk: () => watching.judgedRisk(),
      ...{ builders: new Set(config.builders), vault: config.via && config.account },
      failed: (what, error) => {
        fault.note(what, error)
      },
      answered: (decision, results) => {
        learnFromAnswers(decision, results, account.markets, protector, (refused) => {
          watching.deliver({ ...refused, at: clock.now() })
        })
      },
      attend: (action) => watching.attend(action),
    })
  }
}
