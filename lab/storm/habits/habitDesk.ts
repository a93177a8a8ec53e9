import type { Json, JsonObject } from '../../../src/core/protocol/action.ts'
import { roundSizeDown } from '../../../src/core/protocol/grid.ts'
import type { Market } from '../../../src/core/protocol/market.ts'
import type { Coin } from '../../../src/core/values/coin.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import type { Venue } from '../../sim/engine/venue.ts'
import type { OrderView, PositionView } from '../../sim/engine/views.ts'
import { Chance } from '../chance.ts'
import type { HabitKind } from '../habitKinds.ts'
import { MarketHand } from '../marketHand.ts'
import type { Dice } from '../step.ts'
import { group, limitOrder, share, times, triggerOrder } from '../wireOrders.ts'
import { user } from '../keys.ts'
import { builderMarkets, everyOrder, everyPosition, midOf, perpOrders } from '../wholeAccount.ts'
import type { World } from '../world.ts'

/** What a habit has to do its work with: the account as it is, bots, the market, people, time. */
export class HabitDesk {
  readonly world: World
  readonly chance: Chance
  readonly #habit: HabitKind
  readonly #market: MarketHand

  constructor(world: World, habit: HabitKind, [seed]: Dice) {
    this.world = world
    this.#habit = habit
    this.chance = new Chance(Math.floor(seed * 2 ** 32), habit)
    this.#market = new MarketHand(world)
  }

  get venue(): Venue {
    return this.world.sim.venue
  }

  /** Bots crowd on the first markets, so that what they do meets. */
  anyMarket(): Market {
    const onDexes = this.world.plan.dexes === null ? [] : builderMarkets(this.venue)
    const isOnDex = onDexes.length > 0 && this.chance.is(0.6)
    const markets = isOnDex ? onDexes : this.venue.markets()
    return this.chance.pick(this.chance.is(0.6) ? markets.slice(0, 2) : markets)
  }

  marketOf(coin: Coin): Market {
    const found = this.venue.market(coin)
    if (found === null) throw new RangeError(`no market ${coin}`)
    return found
  }

  mid(market: Market): Decimal {
    return midOf(this.venue, market.coin) ?? Decimal.one
  }

  /** A size worth so many dollars, at least one lot. */
  sizeOf(market: Market, usd: number): Decimal {
    const size = roundSizeDown(market, Decimal.of(usd.toFixed(2)).over(this.mid(market), 8, 'down'))
    return size.isPositive() ? size : new Decimal(1n, market.sizeDecimals)
  }

  /** A part of a size, on the lot; the whole where the part is nothing. */
  partOf(market: Market, size: Decimal, part: number): Decimal {
    const some = roundSizeDown(market, size.times(share(part)))
    return some.isPositive() ? some : size
  }

  /** A price on one side of the mid: a positive distance is better for a position of this side. */
  away(market: Market, isLong: boolean, distance: number): Decimal {
    return times(market, this.mid(market), isLong ? 1 + distance : 1 - distance)
  }

  /** An entry that takes what rests. */
  taking(market: Market, isBuy: boolean, usd: number): JsonObject {
    const size = this.sizeOf(market, usd)
    return limitOrder(market, isBuy, this.away(market, isBuy, 0.003), size, 'Ioc')
  }

  /** An entry that rests inside the spread: the market can take any part of it. */
  inside(market: Market, isBuy: boolean, usd: number): JsonObject {
    return limitOrder(market, isBuy, this.mid(market), this.sizeOf(market, usd), 'Gtc')
  }

  /** An entry that rests away from the price. */
  resting(market: Market, isBuy: boolean, usd: number, distance: number): JsonObject {
    const size = this.sizeOf(market, usd)
    return limitOrder(market, isBuy, this.away(market, isBuy, -distance), size, 'Gtc')
  }

  // ------------------------------------------------------------------------------ who acts, and when

  /** A bot asks Guard for it. */
  ask(action: Json): void {
    this.world.bots.ask(this.#habit, action, this.chance)
  }

  /** After a while, unless the world has healed by then. */
  later(ms: number, run: () => void): void {
    this.world.time.after(Math.max(0, ms), () => {
      if (!this.world.isHealed) run()
    })
  }

  /** Between two steps of a bot that waits for its answers, and now and then does not. */
  pauseMs(): number {
    return this.chance.is(0.15) ? this.chance.whole(0, 30) : this.chance.whole(150, 900)
  }

  /** Somebody else takes a part of a resting order. */
  marketTakes(order: OrderView, part: number): void {
    this.#market.takes(order, part)
  }

  /** A person acts at the venue, past Guard. */
  byHand(action: Json): void {
    const { world } = this
    world.isTraded = true
    world.lastTroubleAt = world.time.elapsed
    world.trace.say(() => `by hand ${JSON.stringify(action)}`)
    world.venueSide.byHand(() => {
      world.control('act', { user, action })
    })
  }

  /** The price of a market moves to this multiple of what it is. */
  movePrice(market: Market, factor: number): void {
    const mid = times(market, this.mid(market), factor)
    this.world.trace.say(() => `${market.coin} moves to ${mid.toString()}`)
    this.world.control('price', { coin: market.coin, mid: mid.toString() })
  }

  /** The process dies, and nobody starts it again for so long. */
  down(ms: number): void {
    const { world } = this
    if (world.life === null) return
    world.isHeld = true
    world.die('killed')
    this.later(ms, () => {
      world.release()
    })
  }

  // --------------------------------------------------------------------------- what the account holds

  positionOn(coin: Coin): PositionView | null {
    return everyPosition(this.venue, user).find((each) => each.coin === coin) ?? null
  }

  /** Entries that rest. */
  entries(): readonly OrderView[] {
    return perpOrders(this.venue, user).filter(
      (each) => !each.isReduceOnly && each.trigger === null,
    )
  }

  /** Reduce-only limit orders that rest on a market. */
  exits(coin: Coin): readonly OrderView[] {
    return everyOrder(this.venue, user).filter(
      (each) => each.coin === coin && each.isReduceOnly && each.trigger === null,
    )
  }

  /** The market stops that work for a position, tightest first. */
  stopsOf({ coin, size }: PositionView): readonly OrderView[] {
    const isLong = size.isPositive()
    const open = everyOrder(this.venue, user)
    const waiting = new Set(open.flatMap(({ children }) => children.map(({ oid }) => oid)))
    const priceOf = ({ trigger }: OrderView): Decimal => trigger?.price ?? Decimal.zero
    return open
      .filter((each) => each.coin === coin && each.isReduceOnly && each.isBuy !== isLong)
      .filter(({ oid, trigger }) => trigger?.tpsl === 'sl' && !waiting.has(oid))
      .sort((left, right) => priceOf(right).cmp(priceOf(left)) * (isLong ? 1 : -1))
  }

  /** Goes on with a position: one that is held, or one that a bot opens with a stop of its own. */
  withPosition(then: (position: PositionView, market: Market) => void): void {
    const held = everyPosition(this.venue, user)
    if (held.length > 0) {
      const position = this.chance.pick(held)
      then(position, this.marketOf(position.coin))
      return
    }
    const market = this.anyMarket()
    const isBuy = this.chance.is(0.5)
    const entry = this.taking(market, isBuy, this.chance.whole(800, 6_000))
    const stop = this.away(market, isBuy, -0.004 - this.chance.next() * 0.01)
    const size = Decimal.of(String(entry['s']))
    this.ask(group(entry, triggerOrder(market, !isBuy, stop, size)))
    this.thenWith(market, then)
  }

  /** Goes on once something is held on a market; not at all where nothing is. */
  thenWith(market: Market, then: (position: PositionView, market: Market) => void): void {
    this.later(300 + this.pauseMs(), () => {
      const opened = this.positionOn(market.coin)
      if (opened !== null) then(opened, market)
    })
  }
}
