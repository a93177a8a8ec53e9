import type { JsonObject } from '../../../src/core/protocol/action.ts'
import type { Rules } from '../../../src/core/rules/rules.ts'
import type { Address } from '../../../src/core/values/address.ts'
import type { Coin } from '../../../src/core/values/coin.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import type { Guard } from '../../../src/engine/guard.ts'
import type { Venue } from '../../sim/engine/venue.ts'
import type { FillView, OrderView, PositionView } from '../../sim/engine/views.ts'
import { isEntry, openingTwapIn, ordersIn } from '../actionChecks.ts'
import type { Sending } from '../sending.ts'
import type { Happening } from '../venueWatch.ts'
import { Violation } from '../violation.ts'
import { dexOf, everyPosition, midOf, perpOrders } from '../wholeAccount.ts'
import { countedLoss } from './counted.ts'
import type { Counted } from './counted.ts'

/** One position on a builder dex, from its first fill to its end. */
interface Episode {
  /** What was counted for all that was added to it. */
  counted: Decimal
  /** What was closed of it has brought, without fees. */
  result: Decimal
  /** The most margin that was in it. */
  putIn: Decimal
  /** The lowest leverage that any part of it needs. */
  needed: number
  /** The margin that its parts may have put in, each by its own stop; and what was let in since. */
  allowed: Decimal
  /** Every part of it came through Guard, with a stop beside it. */
  isCounted: boolean
  isLiquidated: boolean
  /** How often its price had jumped when it began. */
  readonly jumpsBefore: number
}

/** By how much an entry made a position larger. */
interface Grown {
  readonly size: Decimal
  readonly price: Decimal
}

/** A list of dexes that has changed is known after so long at the latest. */
const listMsMax = 20_000
/** A book may be thin for so long after it was made so, and what was read of it is older still. */
const thinMsMax = 12_000
/** What was read of a book was read at another mid, by a step of its price. */
const bookSlack = Decimal.of('1.5')
const two = Decimal.whole(2)
/** A venue cuts the prices it tells of: that much of a sum is no loss. */
const rounding = Decimal.of('1.001')
/** What changes the margin of a position without an order. */
const marginActions: ReadonlySet<unknown> = new Set(['updateLeverage', 'updateIsolatedMargin'])

/**
 * What was counted for positions on builder dexes, and what they lost: by what left Guard and what
 * happened at the venue alone, and nothing of the judge's.
 */
export class DexOracle {
  readonly #venue: Venue
  readonly #user: Address
  /** Entries at the venue with what each unit of them may lose, by their number. */
  readonly #notes = new Map<number, Counted & { readonly coin: Coin }>()
  readonly #episodes = new Map<Coin, Episode>()
  readonly #jumps = new Map<Coin, number>()
  readonly #thinnedMs = new Map<Coin, number>()
  /** Positions that ended by a builder's hand, and the Guard that had seen them. */
  readonly #settled: { readonly coin: Coin; readonly guard: Guard }[] = []
  #listChangedMs = -Infinity

  constructor(venue: Venue, user: Address) {
    this.#venue = venue
    this.#user = user
  }

  /** The price of a coin jumps as far as its builder may let it. */
  jumped(coin: Coin): void {
    this.#jumps.set(coin, (this.#jumps.get(coin) ?? 0) + 1)
  }

  /** Nobody knows how much of a stop finds somebody: what was counted bounds nothing, the margin does. */
  thinned(coin: Coin): void {
    this.#thinnedMs.set(coin, this.#venue.nowMs)
    this.jumped(coin)
    this.jumped(coin)
  }

  /** An action leaves Guard. `equity` is the most that it can have gone by. */
  checkLeaving({ action, rules }: Sending, equity: Decimal): void {
    const twap = openingTwapIn(action)
    const opening = [...ordersIn(action).filter(isEntry), ...(twap === null ? [] : [twap])]
    for (const order of opening) {
      const coin = this.#venue.marketById(Number(order['a']))?.coin
      if (coin === undefined || dexOf(coin) === '') continue
      this.#checkNamed(coin, rules)
      const counted = countedLoss(this.#venue, rules, coin, order, stopsBeside(order, action))
      const risk = counted?.perUnit.times(Decimal.of(String(order['s'])))
      if (risk?.gt(equity.times(rules.riskPerTrade)) === true) {
        const text = `${risk.toString()} USD may be lost beyond the stop by ${JSON.stringify(action)}`
        throw new Violation('dex_counted', text)
      }
      this.#checkShare(rules, coin, order['b'] === true, opening)
    }
  }

  /** What went through Guard and is held, rests and leaves is within its share of the book, by size. */
  #checkShare(
    { maxBookShare, maxDistanceFromMid }: Rules,
    coin: Coin,
    isBuy: boolean,
    leaving: readonly JsonObject[],
  ): void {
    const [mid, book] = [midOf(this.#venue, coin), this.#venue.book(coin)]
    const thinnedMs = this.#thinnedMs.get(coin) ?? -Infinity
    if (maxBookShare === null || mid === undefined || book === null) return
    if (this.#venue.nowMs - thinnedMs < thinMsMax) return
    const near = mid.times(maxDistanceFromMid.times(bookSlack))
    const shown = (levels: readonly { price: Decimal; size: Decimal }[]): Decimal =>
      total(levels.filter(({ price }) => price.minus(mid).abs().lte(near)).map(({ size }) => size))
    const most = Decimal.min(shown(book.bids), shown(book.asks)).times(maxBookShare)
    const asset = this.#venue.market(coin)?.asset
    const isBeside = (each: JsonObject): boolean => each['a'] === asset && each['b'] === isBuy
    const held = this.#episodes.get(coin)?.isCounted === true ? this.#heldOn(coin, isBuy) : []
    const size = total([
      ...leaving.filter(isBeside).map((each) => Decimal.of(String(each['s']))),
      ...perpOrders(this.#venue, this.#user)
        .filter((each) => each.coin === coin && each.isBuy === isBuy && this.#notes.has(each.oid))
        .flatMap((each) => (each.isReduceOnly ? [] : [each.size])),
      ...held,
    ])
    if (most.isZero() || size.lte(most)) return
    const text = `${size.toString()} of ${coin} are held, rest or leave, and ${most.toString()} may be by its book`
    throw new Violation('dex_book', text)
  }

  #heldOn(coin: Coin, isBuy: boolean): readonly Decimal[] {
    return everyPosition(this.#venue, this.#user)
      .filter((each) => each.coin === coin && each.size.isPositive() === isBuy)
      .map(({ size }) => size.abs())
  }

  #checkNamed(coin: Coin, { markets }: Rules): void {
    const dex = dexOf(coin)
    // Where dexes have moved up meanwhile, an id may be another market's than it was.
    if (this.#venue.nowMs - this.#listChangedMs < listMsMax) return
    const isNamed = markets.includes(coin) || markets.includes(`${dex}:*`)
    const isInUsdc = this.#venue.dex(dex)?.collateral === 'USDC'
    if (isNamed && isInUsdc) return
    throw new Violation('dex_named', `something opens on ${coin}; the rules name ${markets.join()}`)
  }

  /** `isBeyond`: something keeps stops from being where they belong. */
  hear(happening: Happening, isBeyond: boolean): void {
    if (happening.actor.who === 'guard') this.#note(happening, happening.actor.sending)
    for (const fill of happening.trades) {
      if (dexOf(fill.coin) !== '') this.#fill(fill, isBeyond)
    }
    const { actor, after } = happening
    const isPutIn = actor.who === 'guard' && marginActions.has(actor.sending.action['type'])
    const positions = isPutIn ? everyPosition(this.#venue, this.#user) : after.positions
    for (const position of positions) {
      const episode = this.#episodes.get(position.coin)
      if (episode !== undefined) this.#checkMargin(position, episode, actor, isPutIn)
    }
  }

  /** What each entry that is at the venue now may lose. */
  #note({ after, fills }: Happening, { action, rules }: Sending): void {
    for (const order of after.orders) {
      if (order.isReduceOnly || dexOf(order.coin) === '') continue
      const wire = { b: order.isBuy, p: order.limitPrice.toString() }
      const counted = countedLoss(this.#venue, rules, order.coin, wire, stopsOf(order))
      if (counted !== null) this.#notes.set(order.oid, { ...counted, coin: order.coin })
    }
    for (const entry of ordersIn(action).filter(isEntry)) {
      const told = fills.filter(({ coin, cloid }) => dexOf(coin) !== '' && cloid === entry['c'])
      for (const { coin, oid } of told) {
        const counted = countedLoss(this.#venue, rules, coin, entry, stopsBeside(entry, action))
        if (counted !== null && !this.#notes.has(oid)) this.#notes.set(oid, { ...counted, coin })
      }
    }
  }

  #fill(fill: FillView, isBeyond: boolean): void {
    const { coin, isBuy, size, startPosition: start, oid, closedPnl } = fill
    const end = start.plus(isBuy ? size : size.negated())
    const isTurned = !start.isZero() && !end.isZero() && start.isNegative() !== end.isNegative()
    const episode = this.#episodes.get(coin)
    if (episode !== undefined) {
      episode.result = episode.result.plus(closedPnl)
      episode.isLiquidated ||= fill.liquidation !== null
      if (end.isZero() || isTurned) this.#finish(coin, episode, isBeyond)
    }
    const grown = end.abs().minus(isTurned ? Decimal.zero : start.abs())
    if (!grown.isPositive()) return
    const isSeenWhole = episode !== undefined || start.isZero()
    const note = isSeenWhole ? (this.#notes.get(oid) ?? null) : null
    this.#grow(coin, { size: grown, price: fill.price }, note)
  }

  /** `note` is null where nobody knows what may be lost of it: it came past Guard, or slice by slice. */
  #grow(coin: Coin, { size, price }: Grown, note: Counted | null): void {
    const episode = this.#episodes.get(coin) ?? {
      ...{ counted: Decimal.zero, result: Decimal.zero, putIn: Decimal.zero, needed: Infinity },
      allowed: Decimal.zero,
      ...{ isCounted: true, isLiquidated: false, jumpsBefore: this.#jumps.get(coin) ?? 0 },
    }
    this.#episodes.set(coin, episode)
    if (note === null) {
      episode.isCounted = false
      return
    }
    const counted = size.times(note.perUnit)
    episode.counted = episode.counted.plus(counted)
    // What is added shares the stops of what is there.
    episode.needed = Math.min(episode.needed, note.leverage)
    const byFormula = marginAt(size.times(price), episode.needed)
    episode.allowed = episode.allowed.plus(Decimal.max(counted.times(two), byFormula))
  }

  /** What a position brought in the end. */
  #finish(coin: Coin, episode: Episode, isBeyond: boolean): void {
    this.#episodes.delete(coin)
    if (!episode.isCounted) return
    const { counted, putIn, isLiquidated } = episode
    const jumps = (this.#jumps.get(coin) ?? 0) - episode.jumpsBefore
    const closed = episode.result.negated()
    // Whoever takes a position over keeps what is left of its margin, and bears what is beyond it.
    const loss = isLiquidated ? putIn : closed
    const most = jumps > 1 || isBeyond ? Decimal.max(counted, putIn) : counted
    if (loss.lte(most.times(rounding))) return
    const text = `${coin} lost ${loss.toString()} USD, ${counted.toString()} were counted for it, ${putIn.toString()} put in, and its price jumped ${jumps} times`
    throw new Violation('dex_loss', text)
  }

  /**
   * Never more margin than each part may put in: twice what was counted for it, or what the liquidation
   * beyond its own stop needs. `isPutIn`: Guard has just sent more of it, which is bounded by what the
   * position may lose from where its price is now.
   */
  #checkMargin(
    position: PositionView,
    episode: Episode,
    { who }: Happening['actor'],
    isPutIn: boolean,
  ): void {
    const { coin, marginUsed, unrealisedPnl, entryPrice, size, leverage } = position
    const putIn = marginUsed.minus(unrealisedPnl)
    episode.putIn = Decimal.max(episode.putIn, putIn)
    if (who === 'person' || !episode.isCounted) return
    if (leverage.type !== 'isolated') {
      throw new Violation('dex_margin', `${coin} is on cross margin`)
    }
    if (isPutIn) {
      const counted = episode.counted.plus(Decimal.max(unrealisedPnl, Decimal.zero))
      const byFormula = marginAt(size.abs().times(entryPrice), episode.needed)
      const most = Decimal.max(counted.times(two), byFormula)
      episode.allowed = Decimal.max(episode.allowed, most)
    }
    if (putIn.lte(episode.allowed.times(rounding))) return
    const text = `${putIn.toString()} USD of margin are in ${coin}, and ${episode.allowed.toString()} may be`
    throw new Violation('dex_margin', text)
  }

  /**
   * A builder's hand: what is gone afterwards without a fill was settled at the mark. `guard` is the
   * process that lives now: of what it had seen it must tell.
   */
  settling(guard: Guard | null, act: () => void): void {
    const before = everyPosition(this.#venue, this.#user).filter(({ coin }) => dexOf(coin) !== '')
    const names = this.#venue.dexNames().join()
    const seen = new Set<string>(guard?.status().positions.map(({ coin }) => coin))
    const known = new Set(this.#trades().map(nameOf))
    act()
    // A stop that is reached by a price that is posted closes as on any other day.
    const trades = this.#trades().filter((each) => !known.has(nameOf(each)))
    const traded = trades.flatMap(({ coin, dir }) => (dir === 'Settlement' ? [] : [coin]))
    if (this.#venue.dexNames().join() !== names) this.#listChangedMs = this.#venue.nowMs
    const held = new Set(everyPosition(this.#venue, this.#user).map(({ coin }) => coin))
    for (const { coin, unrealisedPnl } of before) {
      if (held.has(coin) || traded.includes(coin)) continue
      if (guard !== null && seen.has(coin)) this.#settled.push({ coin, guard })
      const episode = this.#episodes.get(coin)
      if (episode === undefined) continue
      episode.result = episode.result.plus(unrealisedPnl)
      this.#finish(coin, episode, false)
    }
  }

  /** All that was filled, by the slices of TWAPs too. */
  #trades(): readonly FillView[] {
    const slices = this.#venue.sliceFills(this.#user).map(({ fill }) => fill)
    return [...this.#venue.fills(this.#user), ...slices]
  }

  /** Of every position that was settled before its eyes, Guard has told what it was. */
  checkTold(guard: Guard): void {
    const told = new Set<string>(
      guard.status().alerts.flatMap(({ code, coin }) => (code === 'settled' ? [coin ?? ''] : [])),
    )
    const missing = this.#settled.find((each) => each.guard === guard && !told.has(each.coin))
    if (missing === undefined) return
    throw new Violation('settled_told', `${missing.coin} was settled, and nobody was told`)
  }
}

/** The margin in USD that the venue asks for a position of this value in USD. */
function marginAt(value: Decimal, leverage: number): Decimal {
  return value.over(Decimal.whole(Math.max(1, leverage)), 8, 'ceil')
}

function total(sizes: readonly Decimal[]): Decimal {
  return sizes.reduce((sum, each) => sum.plus(each), Decimal.zero)
}

function nameOf({ tid, oid }: FillView): string {
  return `${tid} ${oid}`
}

/** The triggers of the stops that an order at the venue has as its children. */
function stopsOf({ children }: OrderView): readonly Decimal[] {
  return children.flatMap(({ trigger }) => (trigger?.tpsl === 'sl' ? [trigger.price] : []))
}

/** The triggers of the stops that leave beside an entry. */
function stopsBeside(entry: JsonObject, action: JsonObject): readonly Decimal[] {
  return ordersIn(action)
    .filter((each) => each['r'] === true && each['a'] === entry['a'] && each['b'] !== entry['b'])
    .map((each) => (each['t'] as { trigger?: { triggerPx: string; tpsl: string } }).trigger)
    .flatMap((trigger) => (trigger?.tpsl === 'sl' ? [Decimal.of(trigger.triggerPx)] : []))
}
