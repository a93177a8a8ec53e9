import type { Address } from '../../../src/core/values/address.ts'
import type { Coin } from '../../../src/core/values/coin.ts'
import type { Decimal } from '../../../src/core/values/decimal.ts'
import { err, ok } from '../../../src/core/values/result.ts'
import type { Result } from '../../../src/core/values/result.ts'
import type { Json } from '../../../src/core/protocol/action.ts'
import type { Market } from '../../../src/core/protocol/market.ts'
import { applyAction } from './apply.ts'
import { auditWorld } from './audit.ts'
import type { Audit } from './audit.ts'
import { addDex, buildWorld, listMarket } from './build.ts'
import { changeMode } from './changeMode.ts'
import { cutPools } from './cutPools.ts'
import { nextDue, runDue } from './clock.ts'
import { changeDex, removeDex } from './dex/changeDex.ts'
import type { DexChange } from './dex/dexTerms.ts'
import { anchorFeed } from './dex/markEngine.ts'
import { orderElsewhere, tradeElsewhere } from './elsewhere.ts'
import type { OrderElsewhere, TradeElsewhere } from './elsewhere.ts'
import { refill } from './makers.ts'
import { bestOf } from './marketReads.ts'
import { setPrice } from './pricing.ts'
import type { Prices } from './pricing.ts'
import { spotMarketNamed } from './spot/spotMarket.ts'
import { setSpotPrice, settleSpot } from './spot/spotPricing.ts'
import { mustDepositText, replyError } from './texts.ts'
import { runTriggers } from './triggers.ts'
import { flowOf } from './vaultAction.ts'
import type { SettableMode, VenueAction } from './venueAction.ts'
import type { DexMarketSpec, DexSpec, VenueConfig } from './venueConfig.ts'
import type { ApplyContext, VenueControl } from './venueControl.ts'
import type { VenueEvent, VenueListener } from './venueEvent.ts'
import type { MarketState, SpotMarket, World } from './world.ts'
import { WorldReads } from './worldReads.ts'

/**
 * A deterministic Hyperliquid without any input or output: time, requests and prices go in,
 * answers and events come out.
 */
export class Venue extends WorldReads implements VenueControl {
  private readonly listeners = new Set<VenueListener>()

  /** Throws when the configuration makes no venue; `reset` returns the reason instead. */
  constructor(config: VenueConfig) {
    const built = buildWorld(config, null)
    if (!built.ok) throw new TypeError(built.error)
    super(built.value)
    this.settle()
  }

  reset(config: VenueConfig): Result<void> {
    const built = buildWorld(config, this.world)
    if (!built.ok) return built
    this.world = built.value
    this.world.events.push({ kind: 'reset' })
    this.settle()
    return ok(undefined)
  }

  apply(user: Address, action: VenueAction, context: ApplyContext = {}): Json {
    const account = this.world.accounts.get(user)
    if (account === undefined) return replyError(mustDepositText(user))
    const reply = applyAction(this.world, account, action, context)
    runTriggers(this.world)
    this.settle()
    return reply
  }

  advanceTo(nowMs: number, stepsMax = Infinity): boolean {
    const { world } = this
    for (let steps = 0; ; steps++) {
      if (steps >= stepsMax) return false
      const due = nextDue(world, nowMs)
      if (due === null) break
      world.nowMs = due
      runDue(world, nowMs)
      this.settle()
    }
    if (nowMs > world.nowMs) world.nowMs = nowMs
    return true
  }

  setPrice(coin: Coin, prices: Prices): Result<void> {
    const { world } = this
    const market = world.byCoin.get(coin)
    const pair = market === undefined ? spotMarketNamed(world, coin) : undefined
    if (market === undefined && pair === undefined) return err(`coin: there is no market ${coin}`)
    const done =
      market === undefined
        ? setSpotPrice(world, pair as SpotMarket, prices.mid)
        : setPrice(world, market, prices)
    if (market !== undefined && done.ok) anchorFeed(world, market)
    this.settle()
    return done
  }

  list(spec: DexMarketSpec): Result<Market> {
    const made = listMarket(this.world, spec)
    this.settle()
    return made.ok ? ok(made.value.market) : made
  }

  addDex(spec: DexSpec): Result<number> {
    return this.settled(addDex(this.world, spec))
  }

  removeDex(name: string): Result<void> {
    return this.settled(removeDex(this.world, name))
  }

  changeDex(name: string, coin: Coin | null, change: DexChange): Result<void> {
    return this.settled(changeDex(this.world, name, coin, change))
  }

  private settled<Done>(done: Done): Done {
    this.settle()
    return done
  }

  flow(user: Address, amount: Decimal, delayMs = 0): Result<void> {
    const done = flowOf(this.world, user, amount, delayMs)
    this.settle()
    return done
  }

  setMode(user: Address, mode: SettableMode | 'default'): Result<void> {
    const account = this.world.accounts.get(user)
    if (account === undefined) return err(`user: there is no account ${user}`)
    changeMode(this.world, account, mode)
    this.settle()
    return ok(undefined)
  }

  followOptions(): void {
    const { world } = this
    for (const account of world.accounts.values()) cutPools(world, account)
    for (const market of world.everyMarket) market.needsTriggers = true
    runTriggers(world)
    this.settle()
  }

  tradeElsewhere(user: Address, trade: TradeElsewhere): Result<number> {
    const done = tradeElsewhere(this.world, user, trade)
    this.settle()
    return done
  }

  orderElsewhere(user: Address, order: OrderElsewhere): Result<number> {
    const done = orderElsewhere(this.world, user, order)
    this.settle()
    return done
  }

  onEvent(listener: VenueListener): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Sums over all accounts, for checks that nothing is made or lost. */
  audit(): Audit {
    return auditWorld(this.world)
  }

  /** The makers restore their quotes, and the listeners hear of everything since the last time. */
  private settle(): void {
    const { world } = this
    for (const market of world.everyMarket) {
      if (!market.isTouched) continue
      if (world.frozen) refill(world, market)
      market.isTouched = false
      tellBook(world, market)
    }
    for (const market of world.spot.values()) if (market.isTouched) settleSpot(world, market)
    const { events } = world
    if (events.length === 0) return
    world.events = []
    for (const listener of this.listeners) listener(events)
  }
}

function tellBook(world: World, market: MarketState): void {
  const { bid, ask } = bestOf(market)
  const events: VenueEvent[] = world.events
  events.push({ kind: 'book', coin: market.coin })
  const shown = [bid, ask]
    .map((level) => `${String(level?.price)}x${String(level?.size)}#${String(level?.count)}`)
    .join('|')
  if (shown === market.shownBest) return
  market.shownBest = shown
  events.push({ kind: 'bbo', coin: market.coin, bid, ask })
}
