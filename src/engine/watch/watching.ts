import type { RiskView } from '../../core/judge/decision.ts'
import type { Action } from '../../core/protocol/action.ts'
import { seconds } from '../../core/judge/text.ts'
import type { CloidMint } from '../../core/protocol/guardCloid.ts'
import { limits } from '../../core/values/limits.ts'
import type { GuardDeps } from '../guard.ts'
import type { VenueNews } from '../ports.ts'
import type { SafetySender } from '../send/safetySender.ts'
import type { Shared } from '../shared.ts'
import { attend } from './attend.ts'
import { CoverSight } from './coverSight.ts'
import { Flattener } from './flattener.ts'
import { HostWatch } from './hostWatch.ts'
import { takeIn } from './intake.ts'
import { Latch } from './latch.ts'
import { Picture } from './picture.ts'
import { Protector } from './protector.ts'
import { createReaders } from './readers.ts'
import type { Readers } from './readers.ts'
import { Reconciler } from './reconciler.ts'
import type { Coin } from '../../core/values/coin.ts'
import { Watcher } from './watcher.ts'

interface WatchingHooks {
  /** Null in paper mode: what would be sent is only told. */
  readonly sender: SafetySender | null
  readonly mint: CloidMint
  /** Why everything is to be closed now; null when nothing is. */
  readonly flattenReason: () => string | null
}

/** Follows the account by stream and reads, and does what its changes ask for: protect, close, latch. */
export class Watching {
  readonly latch: Latch
  readonly flattener: Flattener
  readonly protector: Protector
  readonly watcher: Watcher
  readonly reconciler: Reconciler
  readonly readers: Readers
  readonly picture = new Picture()
  private readonly hostWatch: HostWatch
  private readonly deps: GuardDeps
  private readonly shared: Shared

  constructor(deps: GuardDeps, shared: Shared, hooks: WatchingHooks) {
    const { flattenReason } = hooks
    this.deps = deps
    this.shared = shared
    const { rulesFor } = deps.config
    // Those below ask each other by functions: none of them is asked before all are made.
    const cover = new CoverSight({ ...deps, ...shared })
    const parts = { ...deps, ...shared, ...hooks, rulesFor, cover }
    this.hostWatch = new HostWatch(parts)
    const twapLists = {
      listTwaps: () => this.reconciler.listTwaps(),
      findTwaps: () => this.reconciler.findTwaps(),
      doubtId: (coin: Coin, isSure?: boolean) => {
        this.readers.dexes.ids.doubt(coin, isSure)
      },
    }
    this.flattener = new Flattener({
      ...parts,
      mayClose: () => !shared.isStopped() && cover.arePositionsKnown,
      reason: flattenReason,
      unseen: () => this.unseenDexes,
      unlistedSince: (moment) => this.reconciler.dexQuestions.unlistedSince(moment),
      ...twapLists,
    })
    this.protector = new Protector({
      ...{ ...parts, ...twapLists },
      mayProtect: () => !shared.isStopped() && cover.isKnown,
      sight: () => this.watcher,
      isIdAwaited: (coin) => this.readers.dexes.ids.isAwaited(coin),
      whileClosing: () => (flattenReason() === null ? null : this.flattener.refusedCoins()),
      risk: () => ({ ...this.judgedRisk(), doubt: this.watcher.sightDoubt }),
    })
    const { flattener, protector } = this
    this.watcher = new Watcher({
      ...{ ...parts, protector, flattener, address: deps.config.account },
      equityGap: () => this.readers.dexes.gap(this.readers.dexes.unseen),
      dexGap: () => this.readers.dexes.gap(),
      dexDoubt: () => this.readers.dexes.doubt,
      areDexesTold: () => this.readers.dexes.areTold,
      askAgain: (part) => this.reconciler.askAgain(part),
      readWhole: () => this.reconciler.readWhole(),
    })
    this.latch = new Latch({ ...parts, flatten: () => flattener.kick() })
    this.readers = createReaders({ ...deps, ...shared, deliver: this.deliver })
    this.reconciler = new Reconciler({ ...parts, ...this.readers, picture: this.picture })
  }

  /** What the judge has to know of the account's losses, and of what is in doubt. */
  judgedRisk(): RiskView {
    const { state, holding, equity, detail } = this.shared.risk.view()
    const { unseen, watcher } = this
    return { state, holding, lastEquity: equity, detail, doubt: watcher.doubt, unseen }
  }

  /** What of builder dexes nobody has seen since the start, or recently enough, for people; null where all was. */
  get unseen(): string | null {
    const { unlisted } = this.readers.dexes
    if (unlisted.length === 0) return this.unseenDexes
    return `the orders on ${unlisted.join(', ')} have not been listed since Guard started`
  }

  private get unseenDexes(): string | null {
    const { unseen } = this.readers.dexes
    if (unseen.length === 0) return null
    return `the account has not been seen on ${unseen.join(', ')} within ${seconds(limits.accountAgeMsMax)}, and cannot be read there`
  }

  /** Something of the venue's, by the stream or a read. */
  readonly deliver = (news: VenueNews): void => {
    if (this.shared.isStopped()) return
    const { clock, stream, config } = this.deps
    const { picture, watcher } = this
    const { rulesFor, namedMarkets } = config
    const { alerts } = this.shared
    const named = { rulesFor, namedMarkets, alerts }
    const told = { clock, stream, ...named, picture, watcher, ...this.readers }
    this.shared.fault.guard(`a ${news.kind} event`, () => takeIn(told, news))
  }

  /** What an action needs before it can be judged; null when all is there already. */
  attend(action: Action): Promise<void> | null {
    const { reconciler, readers } = this
    const { account } = this.shared
    return attend({ account, stream: this.deps.stream, reconciler, ...readers }, action)
  }

  /** Looks for the kill file, and writes what no disk has taken of a latch. */
  lookAtLatch(): void {
    this.shared.fault.guard('the latch', () => {
      this.latch.checkFile()
      this.latch.retryUnwritten()
    })
  }

  tick(): void {
    this.shared.fault.guard('the watcher', () => {
      this.watcher.tick()
    })
    this.hostWatch.tick()
    this.readers.unreadFills.tick()
  }
}
