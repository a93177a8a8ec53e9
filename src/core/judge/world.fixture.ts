import { accountWith, fixtureNow, restingEntry, stopOrder } from '../account/account.fixture.ts'
import type { Account } from '../account/account.ts'
import type { Reservation } from '../account/reservation.ts'
import type { Action } from '../protocol/action.ts'
import type { OpenOrder } from '../protocol/venueState.ts'
import type { Rules } from '../rules/rules.ts'
import { Decimal } from '../values/decimal.ts'
import type { Dice } from '../values/dice.fixture.ts'
import { actionsOf } from './decision.ts'
import type { Decision } from './decision.ts'

/** Whole units of 10^-12: another way to a number than the code under test. */
function units(value: Decimal | string): bigint {
  const decimal = typeof value === 'string' ? Decimal.of(value) : value
  return decimal.units * 10n ** BigInt(12 - decimal.scale)
}
function text(value: bigint): string {
  return new Decimal(value, 12).toString()
}
const one = units('1')

/** An entry that was forwarded, and what became of it. */
interface Lot {
  readonly oid: number
  readonly coin: string
  readonly isBuy: boolean
  readonly limit: bigint
  readonly stop: bigint
  readonly size: bigint
  readonly leverage: number
  /** It was sent with a limit at the price or beyond it, so it fills at the price. */
  readonly isTaking: boolean
  readonly mayRest: boolean
  /** What its action holds while it is in flight: itself and its stop. */
  readonly reservations: readonly Reservation[]
  filled: bigint
  /** What of it was filled at once, at the price; the rest was filled at its limit. */
  taken: bigint
  state: 'flight' | 'resting' | 'over'
}

/** Sums in units of 10^-24. */
interface Sums {
  risk: bigint
  value: bigint
  readonly sides: Map<string, bigint>
}

/** What a venue would hold after decisions, of which any part was filled; worked out in integers. */
export class World {
  readonly mids: { [coin: string]: string }
  readonly rules: Rules
  readonly lots: Lot[] = []
  equity: bigint
  #oid = 1_000

  constructor(mids: { readonly [coin: string]: string }, rules: Rules, equity: string) {
    this.mids = { ...mids }
    this.rules = rules
    this.equity = units(equity)
  }

  /** The account Guard would see. */
  account(): Account {
    const positions: { [coin: string]: object } = {}
    const orders: OpenOrder[] = []
    for (const lot of this.lots) {
      const { oid, coin, isBuy, filled, stop, size, leverage } = lot
      if (filled > 0n) {
        const held = units((positions[coin] as { size?: string } | undefined)?.size ?? '0')
        positions[coin] = {
          size: text(held + (isBuy ? filled : -filled)),
          leverage: { type: 'isolated', value: leverage },
        }
        const cover = { coin, size: text(filled), trigger: text(stop), isBuy: !isBuy }
        orders.push(stopOrder({ oid: oid + 5, ...cover }))
      }
      if (lot.state === 'resting') {
        const spec = { coin, oid, isBuy, price: text(lot.limit), stop: text(stop) }
        const left = { size: text(size - filled), originalSize: text(size) }
        orders.push(...restingEntry({ ...spec, ...left }))
      }
    }
    const equity = text(this.equity)
    const account = accountWith({ equity, mids: this.mids, positions: positions as never, orders })
    for (const { state, oid, reservations } of this.lots) {
      if (state === 'flight') account.reserve(`${oid}`, reservations, fixtureNow)
    }
    return account
  }

  /** The entries a decision forwards, read from what it sends. */
  sent(decision: Decision): Lot[] {
    const found: Lot[] = []
    for (const [place, action] of actionsOf(decision).entries()) {
      const reservations = decision.reservations[place] ?? []
      for (const order of action.type === 'order' ? action.orders : []) {
        if (order.isReduceOnly) continue
        const entry = reservations.find((each) => each.kind === 'entry')
        const leverage = decision.entries.find((each) => each.leverage !== null)?.leverage
        if (entry?.cloid !== order.cloid || leverage === undefined || leverage === null) {
          throw new Error('an entry without a reservation or a leverage')
        }
        const { coin } = entry
        const limit = units(order.price)
        const mid = this.mid(coin)
        this.#oid += 10
        found.push({
          oid: this.#oid,
          coin,
          isBuy: order.isBuy,
          limit,
          stop: stopIn(action),
          size: units(order.size),
          leverage,
          isTaking: order.isBuy ? limit >= mid : limit <= mid,
          mayRest: order.type.kind === 'limit' && ['Gtc', 'Alo'].includes(order.type.tif),
          reservations,
          filled: 0n,
          taken: 0n,
          state: 'flight',
        })
      }
    }
    return found
  }

  mid(coin: string): bigint {
    return units(this.mids[coin] ?? '0')
  }

  /** Any part of what is on its way or rests is filled, or nothing of it ever will be. */
  fill(dice: Dice): void {
    for (const lot of this.lots) {
      if (lot.state === 'over' || dice.rare(3)) continue
      const left = lot.size - lot.filled
      const part = dice.one([0n, left / 3n, left])
      // A position and entries against it would net: only one side is filled.
      const isNet = this.lots.some(
        (each) => each.coin === lot.coin && each.isBuy !== lot.isBuy && each.filled > 0n,
      )
      if (!isNet && (lot.isTaking || lot.mayRest)) {
        lot.filled += part
        if (lot.isTaking && lot.state === 'flight') lot.taken = part
      }
      const isDone = lot.filled === lot.size
      lot.state = isDone || !lot.mayRest ? 'over' : 'resting'
    }
  }

  /** A price moves, and what is held gains or loses by it. */
  move(coin: string, mid: string): void {
    const change = units(mid) - this.mid(coin)
    for (const lot of this.lots) {
      if (lot.coin !== coin) continue
      this.equity += ((lot.isBuy ? change : -change) * lot.filled) / one
    }
    this.mids[coin] = mid
  }

  /** What is lost at the stops and what is held, with these entries on top as they were asked for. */
  #sums(added: readonly Lot[], isMoved: boolean): Sums {
    const sums: Sums = { risk: 0n, value: 0n, sides: new Map() }
    const count = (lot: Lot, size: bigint, from: bigint, worth: bigint, side: bigint): void => {
      const loss = lot.isBuy ? from - lot.stop : lot.stop - from
      sums.risk += size * (loss > 0n ? loss : 0n)
      sums.value += size * worth
      const key = sideOf(lot.coin, lot.isBuy)
      sums.sides.set(key, (sums.sides.get(key) ?? 0n) + size * side)
    }
    for (const lot of this.lots) {
      const mid = this.mid(lot.coin)
      const lower = mid < lot.limit ? mid : lot.limit
      // After a move all that is held stands at the price. Without one, what rested was filled at
      // its limit, and what took at the price: what a limit beyond it cost is lost already.
      const from = lot.isTaking ? mid : lot.limit
      count(lot, isMoved ? lot.filled : lot.taken, mid, isMoved ? mid : lower, mid)
      if (!isMoved) count(lot, lot.filled - lot.taken, from, lower, lower)
      const open = lot.state === 'over' ? 0n : lot.size - lot.filled
      count(lot, open, lot.limit, this.#worth(lot), this.#worth(lot))
    }
    for (const lot of added) count(lot, lot.size, lot.limit, this.#worth(lot), this.#worth(lot))
    return sums
  }

  /** What a unit of an entry is worth once it fills: the higher of its limit and the mid. */
  #worth({ coin, limit }: Lot): bigint {
    const mid = this.mid(coin)
    return mid > limit ? mid : limit
  }

  /** Why this is beyond the rules, or null. */
  problem(added: readonly Lot[], isMoved: boolean): string | null {
    const most = (share: Decimal): bigint => this.equity * units(share)
    const { risk, value, sides } = this.#sums(added, isMoved)
    if (risk > most(this.rules.openRisk)) return `open risk ${risk}`
    if (value > most(this.rules.maxLeverage)) return `open value ${value}`
    // A price may lift one coin beyond its cap: that concerns entries on that coin.
    const asked = new Set(added.map(({ coin, isBuy }) => sideOf(coin, isBuy)))
    for (const [side, worth] of sides) {
      if (added.length > 0 && !asked.has(side)) continue
      if (worth > most(this.rules.maxPosition)) return `${side} is worth ${worth}`
    }
    for (const lot of added) {
      const fall = lot.isBuy ? lot.limit - lot.stop : lot.stop - lot.limit
      // 2 x (4.5 + 1) basis points are 11 in 10,000.
      const loss = lot.size * (fall * 10_000n + lot.limit * 11n)
      if (loss > most(this.rules.riskPerTrade) * 10_000n) return `a loss of ${loss} in one trade`
    }
    return null
  }
}

function sideOf(coin: string, isBuy: boolean): string {
  return `${coin} ${isBuy ? 'buy' : 'sell'}`
}

function stopIn(action: Action): bigint {
  for (const order of action.type === 'order' ? action.orders : []) {
    if (order.type.kind === 'trigger' && order.type.tpsl === 'sl') {
      return units(order.type.triggerPrice)
    }
  }
  throw new Error('an entry without its stop')
}
