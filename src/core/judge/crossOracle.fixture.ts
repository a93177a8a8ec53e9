import { Rational, rational } from '../safety/rational.fixture.ts'

/** One coin of a made-up account, in plain text: what the oracle knows of it. */
export interface OracleCoin {
  readonly name: string
  readonly mid: string
  readonly isCross: boolean
  readonly leverage: number
  /** From each value on (ascending, the first from 0), at most this leverage. */
  readonly tiers: readonly { readonly from: string; readonly maxLeverage: number }[]
  /** What is held, each part with the stop that covers it. */
  readonly held: readonly OracleLot[]
  /** What rests or is about to be sent. */
  readonly entries: readonly OracleLot[]
}

export interface OracleLot {
  readonly isLong: boolean
  readonly size: string
  /** The limit of an entry; the mid for what is held. */
  readonly price: string
  readonly stop: string
}

const [zero, one] = [rational('0'), rational('1')]
const most = (left: Rational, right: Rational): Rational => (left.lt(right) ? right : left)
const sum = (all: readonly Rational[]): Rational =>
  all.reduce((total, each) => total.plus(each), zero)

/** Where a lot's stop fills at worst: a tenth beyond its trigger. */
function worst({ isLong, stop }: OracleLot): Rational {
  return rational(stop).times(rational(isLong ? '0.9' : '1.1'))
}

/** What a lot loses between two prices. */
function lost({ isLong, size }: OracleLot, from: Rational, to: Rational): Rational {
  return rational(size).times(isLong ? from.minus(to) : to.minus(from))
}

/** Maintenance, band by band as income tax is counted: each band's part of the value at its rate. */
export function maintenance(tiers: OracleCoin['tiers'], value: Rational): Rational {
  return sum(
    tiers.map(({ from, maxLeverage }, at) => {
      const lower = rational(from)
      const next = tiers[at + 1]
      const upper =
        next === undefined || value.lt(rational(next.from)) ? value : rational(next.from)
      const part = most(upper.minus(lower), zero)
      return part.over(new Rational(BigInt(2 * maxLeverage), 1n))
    }),
  )
}

/** What is behind cross positions once all isolated entries have taken their margin. */
export function collateral(
  equity: string,
  isolatedEquity: readonly Rational[],
  coins: readonly OracleCoin[],
): Rational {
  const taken = coins
    .filter(({ isCross }) => !isCross)
    .map(({ entries, leverage, mid }) =>
      sum(entries.map((lot) => valueOf(lot, mid))).over(new Rational(BigInt(leverage), 1n)),
    )
  return rational(equity).minus(sum(isolatedEquity)).minus(sum(taken))
}

/** A lot's value where it counts most: at the higher of its price and the mid. */
function valueOf({ size, price }: OracleLot, mid: string): Rational {
  return rational(size).times(most(rational(price), rational(mid)))
}

const lotsOf = ({ held, entries }: OracleCoin): readonly OracleLot[] => [...held, ...entries]

/** The page's first sum: v x (1.1 d + 5% + m) over everything on cross margin. */
export function allStopsAtOnce(coins: readonly OracleCoin[]): Rational {
  return sum(
    coins.map((coin) => {
      const lots = lotsOf(coin)
      const values = lots.map((lot) => valueOf(lot, coin.mid))
      const weighed = lots.map((lot, at) => {
        const price = rational(lot.price)
        const share = most(lost({ ...lot, size: '1' }, price, worst(lot)), zero).over(price)
        return (values[at] as Rational).times(share.times(rational('1.1')).plus(rational('0.05')))
      })
      return sum(weighed).plus(maintenance(coin.tiers, sum(values)))
    }),
  )
}

/** The page's second: by what fraction all marks may move against every position. */
export function commonShock(coins: readonly OracleCoin[], behind: Rational): Rational | null {
  const values = coins.map((coin) => sum(lotsOf(coin).map((lot) => valueOf(lot, coin.mid))))
  const kept = coins.map(({ tiers }, at) => maintenance(tiers, values[at] as Rational))
  const exposed = sum(values).minus(sum(kept))
  return zero.lt(exposed) ? behind.minus(sum(kept)).over(exposed) : null
}

/**
 * Plays what may happen and says by how much the account stays above maintenance at the worst moment:
 * every lot is filled at its price, and some coins then go to their stops' worst fills in steps, each
 * alone and all of them together. Nothing is closed before its worst fill is reached.
 */
export function worstMoment(coins: readonly OracleCoin[], behind: Rational): Rational {
  const steps = ['0', '0.25', '0.5', '0.75', '1'].map(rational)
  const groups = [coins, ...coins.map((coin) => [coin])]
  let least: Rational | null = null
  for (const moved of groups) {
    for (const step of steps) {
      const left = coins.map((coin) => after(coin, moved.includes(coin) ? step : zero))
      const above = behind.minus(sum(left))
      if (least === null || above.lt(least)) least = above
    }
  }
  return least ?? behind
}

/** What a coin has lost and still needs as maintenance, part of the way to its stops' worst fills. */
function after(coin: OracleCoin, step: Rational): Rational {
  const ends = lotsOf(coin).map((lot) => {
    const from = rational(lot.price)
    const to = from.times(one.minus(step)).plus(worst(lot).times(step))
    return { loss: lost(lot, from, to), value: rational(lot.size).times(to) }
  })
  const value = sum(ends.map((end) => end.value))
  return sum(ends.map(({ loss }) => loss)).plus(maintenance(coin.tiers, value))
}
