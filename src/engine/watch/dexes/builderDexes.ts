import type { Account } from '../../../core/account/account.ts'
import type { AccountEvent } from '../../../core/account/accountEvent.ts'
import { dexOf } from '../../../core/protocol/coinKind.ts'
import type { BuilderDex } from '../../../core/protocol/decodeDexes.ts'
import type { Market, Markets } from '../../../core/protocol/market.ts'
import { dexesNamed } from '../../../core/rules/marketNames.ts'
import type { RulesFor } from '../../../core/rules/rules.ts'
import type { Coin } from '../../../core/values/coin.ts'
import { limits } from '../../../core/values/limits.ts'
import type { Alerts } from '../../alerts.ts'
import type { Clock, Log, Urgency, VenueNews, VenueStream } from '../../ports.ts'
import type { WeightBudget } from '../../ports.ts'
import { DexList } from './dexList.ts'
import type { DexListReads } from './dexList.ts'
import { areMoved, DexMarkets, haltsOf } from './dexMarkets.ts'
import { DexSights } from './dexSights.ts'
import { busyDexes, FollowedDexes } from './followedDexes.ts'
import { IdDoubts } from './idDoubts.ts'
import { JoinedStates } from './joinedStates.ts'
import { LeftOutDexes } from './leftOutDexes.ts'
import { LostDexes } from './lostDexes.ts'
import { OrderLists } from './orderLists.ts'
import { ReadTurns } from './readTurns.ts'
import { tellMissing } from './tellMissing.ts'
import { UntoldDexes } from './untoldDexes.ts'

type Asked = 'markets' | 'mode' | 'stream' | 'coinsWithOrders' | 'coinsInFlight' | 'twaps'
type Money = 'fills' | 'funds'

interface BuilderDexesDeps {
  readonly clock: Clock
  readonly log: Log
  readonly alerts: Pick<Alerts, 'raise' | 'clear'>
  readonly account: Pick<Account, Asked | Money>
  readonly stream: Pick<VenueStream, 'followDexes'>
  readonly rulesFor: RulesFor
  readonly reads: DexListReads
  readonly budget: Pick<WeightBudget, 'roomInMs'>
  readonly deliver: (news: VenueNews) => void
  readonly isStopped: () => boolean
  /** The account's cash cannot be compared with what it was. */
  readonly setAnew: () => void
}

type Told<Kind extends VenueNews['kind']> = Extract<VenueNews, { kind: Kind }>

/** How long the first state of a start waits for those of the builder dexes that an earlier run knew. */
const patienceMs = 3_000
/** So many dexes more are read each time while the stream tells nothing. */
const sweptAtOnce = 4

/**
 * Stands before the account, which knows one list of markets and one state: what the venue tells of
 * each dex by itself is joined here. Where the venue has no builder dexes everything passes as it is.
 */
export class BuilderDexes {
  readonly #deps: BuilderDexesDeps
  readonly #list: DexList
  readonly #leftOut: LeftOutDexes
  readonly #followed: FollowedDexes
  readonly #states = new JoinedStates()
  readonly lists = new OrderLists()
  readonly ids: IdDoubts
  readonly #markets = new DexMarkets()
  #dexes: readonly BuilderDex[] = []
  /** Dexes of which an order, a fill or a TWAP was told. */
  readonly #used = new Set<string>()
  readonly #untold = new UntoldDexes(this.#states)
  readonly #lost: LostDexes
  #isListed = false
  /** The account has been told a state. */
  #hasTold = false
  #held: { readonly event: Told<'state'>; readonly sinceMs: number } | null = null
  readonly #turns = new ReadTurns()
  readonly #sights: DexSights

  constructor(deps: BuilderDexesDeps) {
    this.#deps = deps
    this.#sights = new DexSights({ ...deps, isUsed: (dex) => this.inUse.includes(dex) })
    this.#leftOut = new LeftOutDexes(deps.clock)
    this.#followed = new FollowedDexes(deps)
    this.#lost = new LostDexes({
      ...{ ...deps, states: this.#states, markets: this.#markets },
      ...{ isKnown: this.isKnown.bind(this), untold: this.#untold },
    })
    this.#list = new DexList({
      ...deps,
      isInDoubt: () => this.#leftOut.areAny,
      isBusy: () => this.#busy().length > 0,
      moves: (dexes) => areMoved(this.#dexes, dexes),
      alters: this.#markets.areAltered.bind(this.#markets),
      placed: this.#move.bind(this),
      listed: this.#learn.bind(this),
      unread: this.#tellNamed.bind(this),
    })
    this.ids = new IdDoubts({ ...deps, list: this.#list })
  }

  isKnown(dex: string): boolean {
    return this.#dexes.some(({ name }) => name === dex)
  }

  /** Whether the venue's list, as far as it was read, has it: for any other the venue ends the stream. */
  isListed(dex: string): boolean {
    return dex === '' || !this.#isListed || (this.isKnown(dex) && !this.#leftOut.has(dex))
  }

  /** Whether it is no dex of the venue's any more: the list lacks it, and that was confirmed. */
  isGone(dex: string): boolean {
    return this.#isListed && dex !== '' && !this.isKnown(dex)
  }

  /** The dexes that the rules let bots trade on, of those the venue has. */
  get named(): readonly string[] {
    const named = new Set(dexesNamed(this.#deps.rulesFor(null, null)))
    return this.#names.filter((name) => named.has(name))
  }

  /** Those on which something is held or was told of, or to which something is on its way. */
  get inUse(): readonly string[] {
    const { account } = this.#deps
    const coins = [...account.coinsInFlight(), ...account.twaps.coins()]
    const used = new Set([...this.#used, ...coins.map(dexOf)])
    return this.#names.filter((name) => this.#states.isHeld(name) || used.has(name))
  }

  /** Those whose state is read along with the main dex's; null where there is no other dex. */
  toRead(): readonly string[] | null {
    if (this.#dexes.length === 0) return null
    const wanted = new Set([...this.inUse, ...this.#sights.late, ...this.#sights.unseen])
    const isWanted = (name: string): boolean => wanted.has(name) || !this.#states.has(name)
    return this.#turns.next(this.#names.filter(isWanted), this.#sweep(), limits.dexesReadMax)
  }

  /** Nobody knows any more what is on some dex, and it may be asked for now. */
  get isReadDue(): boolean {
    return this.#sights.late.length > 0
  }

  /** Those of which nobody knows what is there now: nothing opens anywhere meanwhile. */
  get unseen(): readonly string[] {
    return this.#sights.unseen
  }

  /** The dexes that the stream has no room for, or may not be asked for: only a read tells their orders. */
  get unfollowed(): readonly string[] {
    return this.#followed.left
  }

  /** Those on which orders may rest that nobody has listed since the start: nothing opens until then. */
  get unlisted(): readonly string[] {
    return this.lists.missing(this.#names, () => [...this.named, ...this.inUse])
  }

  /** Why nothing opens though the account is told, for people; null where nothing keeps it. */
  get doubt(): string | null {
    return this.#followed.doubt
  }

  /** Those on which something is, or was told of, for the next start; an untold one may hold what it did. */
  get touched(): readonly string[] {
    const [states, untold, used] = [this.#states, this.#untold, this.#used]
    return this.#names.filter((dex) => states.isHeld(dex) || untold.isAwaited(dex) || used.has(dex))
  }

  /** Whether the account has the money on all dexes that the venue has. */
  get areTold(): boolean {
    return this.#isListed && this.#names.every((name) => this.#deps.account.funds.isTold(name))
  }

  /** Why the sum of all dexes, of which these are told too rarely, is not the account's equity; null where it is. */
  gap(stale: readonly string[] = []): string | null {
    if (this.#deps.account.mode === 'unifiedAccount') return null
    return this.#lost.gap ?? this.#untold.gap([...stale, ...this.#leftOut.of(this.#names)])
  }

  /**
   * What an earlier run knew of them: the states of all are joined from the first moment on, and the
   * equity counts once all are told on which something was.
   */
  restore(markets: Markets, touched: readonly string[] = []): void {
    this.#dexes = this.#markets.take(markets)
    this.lists.expect(touched)
    for (const name of touched) if (this.isKnown(name)) this.#untold.expect(name)
    if (this.#dexes.length === 0) return
    this.#list.remembered()
    this.#follow()
  }

  /** What is told, as the account takes it. */
  join(news: VenueNews): readonly AccountEvent[] {
    this.lists.told(news)
    switch (news.kind) {
      case 'stream':
        // A dex that has vanished may be why: the venue ends the connection that asks for it.
        if (news.state === 'down' && this.#dexes.length > 0) this.#list.demand()
        if (news.state === 'down') this.#leftOut.streamLost()
        return [news]
      case 'dex_states':
        return this.#joinStates(news)
      case 'dex_prices':
        return this.#joinPrices(news)
      case 'state':
        return this.#mainState(news)
      case 'markets':
        this.#markets.setMain(news.markets)
        return [{ ...news, markets: this.#markets.all() }]
      case 'fills':
        this.#note(news.fills, !news.isSnapshot)
        this.ids.heed(news)
        return [
          ...[...this.ids.news(), news, ...this.#lost.undone(news)],
          ...(news.isSnapshot ? [] : haltsOf(news)),
        ]
      case 'orders':
        this.#note(news.orders)
        return [news]
      case 'order_updates':
        this.#note(news.updates)
        this.ids.heed(news)
        return [...this.ids.news(), news]
      case 'twaps':
        this.#note(news.twaps)
        return [news]
      default:
        return [news]
    }
  }

  /** Lists the dexes anew. */
  refresh(lane: Urgency): Promise<void> {
    return this.#list.refresh(lane)
  }

  tick(): void {
    this.#list.tick()
    this.#sights.tick()
    const { clock, deliver } = this.#deps
    if (this.#held === null || clock.monotonicMs() - this.#held.sinceMs < patienceMs) return
    const { event } = this.#held
    this.#release()
    deliver(event)
  }

  get #names(): readonly string[] {
    return this.#dexes.map(({ name }) => name)
  }

  /** The main dex's state alone. */
  #mainState(event: Told<'state'>): readonly AccountEvent[] {
    this.#leftOut.told(new Map([['', event.state]]), false)
    if (this.#dexes.length === 0 || this.#hasTold) {
      this.#hasTold = true
      // What is told of all dexes together has it, too.
      if (this.#states.hasAny && this.#dexes.length > 0) return []
      return [...this.#lost.joined(event.state.time, event.at), event]
    }
    this.#held = { event, sinceMs: this.#held?.sinceMs ?? this.#deps.clock.monotonicMs() }
    return []
  }

  #release(): void {
    this.#held = null
    this.#hasTold = true
    this.#untold.miss(this.#names.filter((name) => !this.#lost.has(name)))
  }

  #joinStates({ states: told, source, at }: Told<'dex_states'>): readonly AccountEvent[] {
    const { account } = this.#deps
    const isOfAll = source === 'stream'
    // What was asked of a dex before it vanished comes after: nobody would let go of it again.
    const isStill = ([name]: [string, unknown]): boolean => name === '' || this.isKnown(name)
    const states = isOfAll ? told : new Map([...told].filter(isStill))
    const isUnknown = [...states.keys()].some((name) => name !== '' && !this.isKnown(name))
    if (isOfAll) this.#list.miss(this.#names.filter((name) => !states.has(name)))
    if (isUnknown || [...states.values()].includes(null)) this.#list.demand()
    this.#leftOut.told(states, isOfAll)
    if (this.#leftOut.isAgreed) this.#learnAgain()
    this.#sights.told(states, (name) => this.isKnown(name), !isOfAll)
    const main = states.get('')
    if (main == null) return this.ids.news()
    if (isOfAll) this.#lost.lose(this.#states.builderDexes.filter((name) => !states.has(name)))
    const state = this.#states.take(states, main, isOfAll, account.mode === 'unifiedAccount')
    this.#untold.told()
    const lost = this.#lost.joined(main.time, state.time)
    const found = [...lost, ...this.#untold.found(account.mode, state.time)]
    this.#release()
    this.#note(state.positions)
    this.#follow()
    return [...this.ids.news(), ...found, { kind: 'state', state, source, at }]
  }

  /** Some dexes more while the stream is silent, or stands still: a position may be opened on any of them. */
  #sweep(): readonly string[] {
    if (this.#deps.account.stream === 'live') return this.#sights.quiet(sweptAtOnce)
    return this.#turns.around(this.#names, sweptAtOnce)
  }

  #joinPrices(news: Told<'dex_prices'>): readonly AccountEvent[] {
    const { isNews, events } = this.#markets.prices(news)
    if (isNews) this.#list.demand()
    return events
  }

  /** The dexes are told: perps that are known have other ids at once, whenever more is told of them. */
  #move(dexes: readonly BuilderDex[]): void {
    const isAsBefore = (known: BuilderDex): boolean =>
      dexes.some(({ name, index }) => name === known.name && index === known.index)
    const isNews = this.#leftOut.areAny || !this.#dexes.every(isAsBefore)
    if (isNews) this.#learn(dexes, this.#markets.movedTo(dexes))
    this.ids.tell()
  }

  /** Something else agrees with the last list: what it lacks is gone. */
  #learnAgain(): void {
    const listed = this.#dexes.filter(({ name }) => !this.#leftOut.has(name))
    this.#learn(listed, this.#markets.movedTo(listed))
  }

  #learn(listed: readonly BuilderDex[], markets: readonly Market[]): void {
    const before = this.#written()
    const { builderDexes } = this.#states
    const { dexes, inPlace, gone } = this.#leftOut.take(listed, this.#dexes, builderDexes)
    const isFirst = !this.#isListed
    this.#isListed = true
    this.#lost.lose(gone)
    this.#dexes = dexes
    this.#markets.setBuilder([...markets, ...this.#markets.movedTo(inPlace)])
    if (isFirst && this.#hasTold) this.#untold.miss(this.#names)
    this.#tellNamed()
    for (const name of gone) this.#forget(name)
    this.#follow()
    this.ids.tell()
    if (before === this.#written()) return
    this.#list.reset()
    const { clock, deliver, log } = this.#deps
    log.log('info', 'the builder dexes of the venue', { dexes: this.#names.slice(0, 50) })
    if (!this.#markets.isMainKnown) return
    deliver({ kind: 'markets', markets: this.#markets.main, at: clock.now() })
  }

  #forget(dex: string): void {
    this.#states.forget(dex)
    this.#sights.forget(dex)
    this.#used.delete(dex)
    this.#untold.forget(dex)
    this.#turns.forget(dex)
    this.letGo(dex)
  }

  /** A dex that is no more has no orders and runs nothing; what was on its way there may come out later. */
  letGo(dex: string): void {
    const { clock, deliver } = this.#deps
    const at = clock.now()
    deliver({ kind: 'orders', orders: [], dex, source: 'read', askedAt: at, at })
    deliver({ kind: 'twaps', twaps: [], dex, source: 'read', at })
  }

  #tellNamed(): void {
    const isThere = (name: string): boolean => this.isKnown(name) && !this.#leftOut.has(name)
    tellMissing(this.#deps, isThere, this.#isListed)
  }

  /** Dexes of which something is told: their orders are followed, and one that is not known is looked for. */
  #note(told: readonly { readonly coin: Coin }[], isNews = true): void {
    let isNew = false
    for (const { coin } of told) {
      const dex = dexOf(coin)
      if (dex === '' || !isNews) continue
      if (!this.#markets.hasBuilder(coin)) this.#list.demand()
      if (!this.isKnown(dex) || this.#used.has(dex)) continue
      this.#used.add(dex)
      isNew = true
    }
    if (isNew) this.#follow()
  }

  /** The orders of as many as there is room for: those that matter first, then whatever trades. */
  #follow(): void {
    const names = this.#names
    const trading = this.#markets.trading()
    const wanted = {
      ...{ busy: this.#busy(), named: this.named, inUse: this.inUse },
      trading: names.filter((name) => trading.has(name)),
    }
    this.#followed.follow(names.length > 0, wanted, this.#leftOut.of(names), (name) =>
      this.#states.hasPositions(name),
    )
  }

  #busy(): readonly string[] {
    const holds = (name: string): boolean => this.#states.hasPositions(name)
    return busyDexes(this.#deps.account, this.#names, holds)
  }

  /** For telling whether anything is another thing than before. */
  #written(): string {
    return JSON.stringify([this.#dexes, this.#markets.written()])
  }
}
