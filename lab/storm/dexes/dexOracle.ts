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
import { dexOf, everyPosition, perpOrders } from '../wholeAccount.ts'
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
  /** The lowest leverage that any of its entries needs. */
  needed: number
  /** Every part of it came through Guard, with a stop beside it. */
  isCounted: boolean
  isLiquidated: boolean
  /** How often its price had jumped when it began. */
  readonly jumpsBefore: number
}

/** A list of dexes that has changed is known after so long at the latest. */
const listMsMax = 20_000
const two = Decimal.whole(2)
/** A venue cuts the prices it tells of: that much of a sum is no loss. */
const rounding = Decimal.of('1.001')

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
      if (risk?.gt(equity.times(rules.riskPerTrade)) !== true) continue
      const text = `${risk.toString()} USD may be lost beyond the stop by ${JSON.stringify(action)}`
      throw new Violation('dex_counted', text)
    }
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
    for (const position of happening.after.positions) {
      const episode = this.#episodes.get(position.coin)
      if (episode !== undefined) this.#checkMargin(position, episode, happening)
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
    this.#grow(coin, grown, isSeenWhole ? (this.#notes.get(oid) ?? null) : null)
  }

  /** `note` is null where nobody knows what may be lost of it: it came past Guard, or slice by slice. */
  #grow(coin: Coin, grown: Decimal, note: Counted | null): void {
    const episode = this.#episodes.get(coin) ?? {
      ...{ counted: Decimal.zero, result: Decimal.zero, putIn: Decimal.zero, needed: Infinity },
      ...{ isCounted: true, isLiquidated: false, jumpsBefore: this.#jumps.get(coin) ?? 0 },
    }
    this.#episodes.set(coin, episode)
    if (note === null) {
      episode.isCounted = false
      return
    }
    episode.counted = episode.counted.plus(grown.times(note.perUnit))
    episode.needed = Math.min(episode.needed, note.leverage)
  }

  /** What a position brought in the end. */
  #finish(coin: Coin, episode: Episode, isBeyond: boolean): void {
    this.#episodes.delete(coin)
    if (!episode.isCounted) return
    const { counted, putIn, isLiquidated } = episode
    const jumps = (this.#jumps.get(coin) ?? 0) - episode.jumpsBefore
    const closed = episode.result.negated()
    // Whoever takes a position over keeps what is left of its margin.
    const loss = isLiquidated ? Decimal.max(closed, putIn) : closed
    const most = jumps > 1 || isBeyond ? Decimal.max(counted, putIn) : counted
    if (loss.lte(most.times(rounding))) return
    const text = `${coin} lost ${loss.toString()} USD, ${counted.toString()} were counted for it, ${putIn.toString()} put in, and its price jumped ${jumps} times`
    throw new Violation('dex_loss', text)
  }

  /** Never more margin than twice what was counted, or than the liquidation beyond the stops needs. */
  #checkMargin(position: PositionView, episode: Episode, { actor }: Happening): void {
    const { coin, marginUsed, unrealisedPnl, entryPrice, size, leverage } = position
    const putIn = marginUsed.minus(unrealisedPnl)
    episode.putIn = Decimal.max(episode.putIn, putIn)
    if (actor.who !== 'guard' || !episode.isCounted) return
    if (!ordersIn(actor.sending.action).some(isEntry)) return
    if (leverage.type !== 'isolated') {
      throw new Violation('dex_margin', `${coin} is on cross margin`)
    }
    for (const { oid } of perpOrders(this.#venue, this.#user)) {
      const note = this.#notes.get(oid)
      if (note !== undefined && note.coin === coin) {
        episode.needed = Math.min(episode.needed, note.leverage)
      }
    }
    const worth = size.abs().times(entryPrice)
    const byFormula = worth.over(Decimal.whole(Math.max(1, episode.needed)), 8, 'ceil')
    const most = Decimal.max(episode.counted.times(two), byFormula)
    if (putIn.lte(most.times(rounding))) return
    const text = `${putIn.toString()} USD of margin are in ${coin}, and ${most.toString()} may be`
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
