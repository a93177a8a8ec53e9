import { dexOf } from '../protocol/coinKind.ts'
import type {
  ClearinghouseState,
  DexValue,
  Fill,
  Leverage,
  VenuePosition,
} from '../protocol/venueState.ts'
import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import type { Millis } from '../values/millis.ts'
import type { PositionView } from './accountView.ts'
import { afterFill, chained, opens, signedSize } from './fillChain.ts'
import type { Held } from './fillChain.ts'
import { leansOn } from './poolOf.ts'
import type { Prices } from './prices.ts'

/** What positions need to know of the world: for a coin that fills before a snapshot shows it. */
interface PositionHelp {
  /** The price the venue marks at; null when nothing is known. */
  markOf(coin: Coin): Decimal | null
  leverageOf(coin: Coin): Leverage | null
  maxLeverageOf(coin: Coin): number | null
}

/** After this many fills without a snapshot the oldest are folded into the base. */
const fillsPerCoinMax = 200

interface CoinBase {
  readonly position: VenuePosition | null
  readonly time: number
}

/**
 * Positions as the venue confirmed them. A snapshot is the base at its venue time; fills the venue
 * dates later are played on top of it, whatever came first, so a stale snapshot resurrects nothing.
 */
export class Positions {
  readonly views = new Map<Coin, PositionView>()
  readonly #help: PositionHelp
  #state: ClearinghouseState | null = null
  readonly #bases = new Map<Coin, CoinBase>()
  readonly #fills = new Map<Coin, Fill[]>()
  /** What fills that were folded into a base did to the account's value. */
  readonly #folded = new Map<Coin, Decimal>()
  /** The venue's time of the latest fill of a coin. */
  readonly #newest = new Map<Coin, number>()
  /** What the latest fill that opened something of a coin was paid: no mark known by then is as new. */
  readonly #opened = new Map<Coin, Decimal>()
  readonly #values = new Map<string | null, Decimal | null>()

  constructor(help: PositionHelp) {
    this.#help = help
  }

  /** A copy: what is done to it leaves these positions as they are. */
  copy(): Positions {
    const copy = new Positions(this.#help)
    copy.#state = this.#state
    for (const [coin, view] of this.views) copy.views.set(coin, view)
    for (const [coin, base] of this.#bases) copy.#bases.set(coin, base)
    for (const [coin, fills] of this.#fills) copy.#fills.set(coin, [...fills])
    for (const [coin, effect] of this.#folded) copy.#folded.set(coin, effect)
    for (const [coin, time] of this.#newest) copy.#newest.set(coin, time)
    for (const [coin, price] of this.#opened) copy.#opened.set(coin, price)
    return copy
  }

  /** The venue's time of the last snapshot. */
  get time(): Millis | null {
    return this.#state?.time ?? null
  }

  /** Takes a snapshot and names the coins it touched; null when it is older than the one held. */
  applyState(state: ClearinghouseState, at: Millis): ReadonlySet<Coin> | null {
    if (this.#state !== null && state.time < this.#state.time) return null
    this.#state = state
    this.#values.clear()
    const touched = new Set<Coin>([...this.views.keys(), ...this.#fills.keys()])
    const listed = new Map(state.positions.map((position) => [position.coin, position]))
    for (const coin of listed.keys()) touched.add(coin)
    for (const coin of touched) {
      const base = this.#bases.get(coin)
      const time = timeOf(state, coin)
      if (base !== undefined && base.time > time) continue
      const position = listed.get(coin) ?? null
      if (position === null) this.#bases.delete(coin)
      else this.#bases.set(coin, { position, time })
      this.#folded.delete(coin)
      this.#keepLater(coin, time)
    }
    const changed = new Set<Coin>()
    for (const coin of touched) if (this.#rebuild(coin, at)) changed.add(coin)
    return changed
  }

  /** Plays one fill; false when a snapshot already includes it. */
  applyFill(fill: Fill, at: Millis): boolean {
    const { coin } = fill
    if (fill.at < this.#baseTime(coin)) return false
    this.#values.clear()
    const isNext = this.#isNext(fill)
    const fills = this.#fills.get(coin) ?? []
    fills.push(fill)
    this.#fills.set(coin, fills)
    if (opens(fill) && fill.at >= (this.#newest.get(coin) ?? 0)) this.#opened.set(coin, fill.price)
    this.#newest.set(coin, Math.max(fill.at, this.#newest.get(coin) ?? 0))
    if (fills.length > fillsPerCoinMax) this.#compact(coin, fills)
    // Before the first snapshot a history of fills says nothing of what is held.
    if (this.#state === null) return false
    if (!isNext) return this.#rebuild(coin, at)
    this.#show(coin, this.#viewOf(coin, afterFill(this.#heldNow(coin), fill), at))
    return true
  }

  /** Sets the leverage of a held position, as `activeAssetData` or an accepted update tells it. */
  setLeverage(coin: Coin, leverage: Leverage): void {
    const view = this.views.get(coin)
    if (view !== undefined) this.views.set(coin, { ...view, leverage })
  }

  /**
   * Account value of the last snapshot with the later fills' effect, of all or of one dex of a plain
   * account; null before the first.
   */
  accountValue(dex: string | null = null): Decimal | null {
    const known = this.#values.get(dex)
    if (known !== undefined) return known
    const value = this.#toldOf(dex)?.accountValue.plus(this.#effects(dex)) ?? null
    this.#values.set(dex, value)
    return value
  }

  /** Whether money is told to be on builder dexes, beside the main one. */
  get isParted(): boolean {
    const values = [...(this.#state?.dexValues?.values() ?? [])]
    return values.some(({ accountValue }) => !accountValue.isZero())
  }

  /** The unrealised profit of all positions held, or of those on one dex. */
  unrealised(dex: string | null = null): Decimal {
    let sum = Decimal.zero
    for (const view of this.views.values()) {
      if (leansOn({ dex }, view.coin)) sum = sum.plus(view.unrealisedPnl)
    }
    return sum
  }

  /** The same at the marks that were told since the last snapshot. */
  unrealisedAt(prices: Pick<Prices, 'mark' | 'markAt'>): Decimal {
    let sum = Decimal.zero
    for (const { coin, size, entryPrice, unrealisedPnl } of this.views.values()) {
      const isNewer = (prices.markAt(coin) ?? 0) > this.#baseTime(coin)
      const mark = isNewer ? prices.mark(coin) : null
      sum = sum.plus(mark === null ? unrealisedPnl : size.times(mark.minus(entryPrice)))
    }
    return sum
  }

  /**
   * USD of margin that isolated positions keep apart from the rest of the account, or of one dex: as the
   * last snapshot says, and the margin of what has filled since. What was closed since counts still.
   */
  isolatedEquity(dex: string | null = null): Decimal {
    let listed = Decimal.zero
    let since = Decimal.zero
    for (const { coin, size, entryPrice, leverage } of this.views.values()) {
      if (leverage.type !== 'isolated' || !leansOn({ dex }, coin)) continue
      const base = this.#basePosition(coin)
      listed = listed.plus(base?.marginUsed ?? Decimal.zero)
      const before = base?.size.isPositive() === size.isPositive() ? base.size.abs() : Decimal.zero
      const grown = Decimal.max(size.abs().minus(before), Decimal.zero).times(entryPrice)
      since = since.plus(grown.over(Decimal.whole(leverage.value), 12, 'ceil'))
    }
    const { accountValue, crossValue } = this.#toldOf(dex) ?? {}
    const told = accountValue?.minus(crossValue ?? accountValue) ?? Decimal.zero
    return Decimal.max(listed, told).plus(since)
  }

  /** What the last snapshot tells of all, or of one dex: the main one has all less the builder dexes'. */
  #toldOf(dex: string | null): DexValue | null {
    const state = this.#state
    if (state === null || dex === null) return state
    const { dexValues, crossValue } = state
    if (dex !== '') return dexValues?.get(dex) ?? null
    let { accountValue } = state
    for (const builder of dexValues?.values() ?? []) {
      accountValue = accountValue.minus(builder.accountValue)
    }
    return crossValue === undefined ? { accountValue } : { accountValue, crossValue }
  }

  /** What later fills did to the value of all, or of one dex. */
  #effects(dex: string | null): Decimal {
    let sum = Decimal.zero
    for (const [coin, effect] of this.#folded) if (leansOn({ dex }, coin)) sum = sum.plus(effect)
    for (const [coin, fills] of this.#fills) {
      if (!leansOn({ dex }, coin)) continue
      sum = sum.plus(this.#effectOf(coin, this.#applied(coin, fills)))
    }
    return sum
  }

  /**
   * What fills do to the account's value: they trade at their price what is worth the mark. A mark that
   * is older than what was paid on a price's way would make a loss of it that is none.
   */
  #effectOf(coin: Coin, fills: readonly Fill[]): Decimal {
    let effect = Decimal.zero
    const known = this.#markOf(coin)
    for (const fill of fills) {
      const mark = known ?? fill.price
      effect = effect.plus(signedSize(fill).times(mark.minus(fill.price))).minus(fill.fee)
    }
    return effect
  }

  /** Whether a fill simply continues from what is shown, so that nothing has to be played again. */
  #isNext({ coin, at, startPosition }: Fill): boolean {
    const newest = Math.max(this.#baseTime(coin), this.#newest.get(coin) ?? 0)
    return at > newest && startPosition.eq(this.#heldNow(coin).size)
  }

  #heldNow(coin: Coin): Held {
    return this.views.get(coin) ?? { size: Decimal.zero, entryPrice: Decimal.zero }
  }

  #show(coin: Coin, view: PositionView | null): boolean {
    if (view === null) return this.views.delete(coin)
    const before = this.views.get(coin)
    const isSame = before?.size.eq(view.size) === true
    this.views.set(coin, isSame ? { ...view, since: before.since } : view)
    return true
  }

  #baseTime(coin: Coin): number {
    const told = this.#state === null ? 0 : timeOf(this.#state, coin)
    return Math.max(this.#bases.get(coin)?.time ?? 0, told)
  }

  #basePosition(coin: Coin): VenuePosition | null {
    return this.#bases.get(coin)?.position ?? null
  }

  #markOf(coin: Coin): Decimal | null {
    const base = this.#basePosition(coin)
    if (base === null || base.size.isZero()) {
      return this.#opened.get(coin) ?? this.#help.markOf(coin)
    }
    return base.positionValue.over(base.size.abs(), 12, 'half-even')
  }

  #maxLeverageOf(coin: Coin): number {
    return this.#basePosition(coin)?.maxLeverage ?? this.#help.maxLeverageOf(coin) ?? 1
  }

  #keepLater(coin: Coin, time: number): void {
    const later = (this.#fills.get(coin) ?? []).filter((fill) => fill.at >= time)
    if (!later.some(opens)) this.#opened.delete(coin)
    if (later.length === 0) this.#fills.delete(coin)
    else this.#fills.set(coin, later)
  }

  #applied(coin: Coin, fills: readonly Fill[]): readonly Fill[] {
    const size = this.#basePosition(coin)?.size ?? Decimal.zero
    return chained(size, this.#baseTime(coin), fills)
  }

  #rebuild(coin: Coin, at: Millis): boolean {
    const base = this.#basePosition(coin)
    const fills = this.#applied(coin, this.#fills.get(coin) ?? [])
    const view = fills.length === 0 ? fromVenue(base, at) : this.#played(coin, base, fills, at)
    return this.#show(coin, view)
  }

  #played(
    coin: Coin,
    base: VenuePosition | null,
    fills: readonly Fill[],
    at: Millis,
  ): PositionView | null {
    let held: Held = {
      size: base?.size ?? Decimal.zero,
      entryPrice: base?.entryPrice ?? Decimal.zero,
    }
    for (const fill of fills) held = afterFill(held, fill)
    return this.#viewOf(coin, held, at)
  }

  /** A position that fills made, as the venue would show it. */
  #viewOf(coin: Coin, held: Held, at: Millis): PositionView | null {
    if (held.size.isZero()) return null
    const mark = this.#markOf(coin) ?? held.entryPrice
    const maxLeverage = this.#maxLeverageOf(coin)
    const leverage = this.#basePosition(coin)?.leverage ??
      this.#help.leverageOf(coin) ?? { type: 'cross', value: maxLeverage }
    return {
      coin,
      size: held.size,
      entryPrice: held.entryPrice,
      unrealisedPnl: held.size.times(mark.minus(held.entryPrice)),
      leverage,
      liquidationPrice: estimatedLiquidation(held, leverage, maxLeverage),
      since: at,
    }
  }

  #compact(coin: Coin, fills: readonly Fill[]): void {
    const sorted = this.#applied(coin, fills)
    const folded = sorted.slice(0, sorted.length / 2)
    const last = folded.at(-1)
    if (last === undefined) return
    const view = this.#played(coin, this.#basePosition(coin), folded, last.at)
    const keep = new Set(sorted.slice(folded.length))
    const before = this.#folded.get(coin) ?? Decimal.zero
    this.#folded.set(coin, before.plus(this.#effectOf(coin, folded)))
    const position = view === null ? null : toVenue(view, this.#maxLeverageOf(coin))
    this.#bases.set(coin, { position, time: last.at })
    this.#fills.set(
      coin,
      fills.filter((fill) => keep.has(fill)),
    )
  }
}

/** When the part of a state is from that has a coin. */
export function timeOf({ time, dexTimes }: ClearinghouseState, coin: Coin): Millis {
  return dexTimes?.get(dexOf(coin)) ?? time
}

function fromVenue(position: VenuePosition | null, at: Millis): PositionView | null {
  if (position === null || position.size.isZero()) return null
  const { coin, size, entryPrice, leverage, liquidationPrice } = position
  const { unrealisedPnl } = position
  return { coin, size, entryPrice, unrealisedPnl, leverage, liquidationPrice, since: at }
}

function toVenue(view: PositionView, maxLeverage: number): VenuePosition {
  const entryValue = view.size.abs().times(view.entryPrice)
  return {
    coin: view.coin,
    size: view.size,
    entryPrice: view.entryPrice,
    positionValue: view.size.times(view.entryPrice).plus(view.unrealisedPnl).abs(),
    unrealisedPnl: view.unrealisedPnl,
    leverage: view.leverage,
    liquidationPrice: view.liquidationPrice,
    marginUsed: entryValue.over(Decimal.whole(view.leverage.value), 12, 'ceil'),
    maxLeverage,
  }
}

/**
 * Where the venue would liquidate an isolated position that was just filled, until it says so itself
 * (venue reference, section 10): entry - side x entry x (1/L - m) / (1 - m x side).
 */
function estimatedLiquidation(held: Held, leverage: Leverage, maxLeverage: number): Decimal | null {
  if (leverage.type !== 'isolated') return null
  const twiceMax = Decimal.whole(2 * maxLeverage)
  const own = Decimal.whole(leverage.value)
  const side = held.size.isPositive() ? Decimal.one : Decimal.one.negated()
  // Both fractions over 2 x max x L, so that there is one division and one rounding.
  const margin = twiceMax.minus(own).times(side)
  const divisor = own.times(twiceMax.minus(side))
  const distance = held.entryPrice.times(margin).over(divisor, 12, 'half-even')
  const price = held.entryPrice.minus(distance)
  return price.isPositive() ? price : null
}
