import { guardCloidKind } from '../../src/core/protocol/guardCloid.ts'
import type { Address } from '../../src/core/values/address.ts'
import type { Coin } from '../../src/core/values/coin.ts'
import { Decimal } from '../../src/core/values/decimal.ts'
import type { Venue } from '../sim/engine/venue.ts'
import type { FillView, OrderView } from '../sim/engine/views.ts'
import { isEntry, ordersIn } from './actionChecks.ts'
import { coveredAt, isAsTight, workingStops } from './stopCover.ts'
import type { Happening } from './venueWatch.ts'
import { Violation } from './violation.ts'
import { shownOf } from './wholeAccount.ts'
import type { Shown } from './wholeAccount.ts'

/** So much of a position was bought or sold with a stop at this trigger. */
interface Lot {
  readonly trigger: Decimal
  readonly size: Decimal
}

/** How long a position may stand with less than it was promised, in a calm world. */
export const repairMsMax = 3_000

/**
 * The stops that positions were opened with, by what left Guard and filled at the venue, and nothing
 * that Guard remembers. Where it is not certain which part of a position is left, the tightest
 * promise counts as kept: what fails here fails by any reading.
 */
export class PromiseOracle {
  readonly #venue: Venue
  readonly #user: Address
  /** The stop that an entry left with, by the entry's number at the venue. */
  readonly #stops = new Map<number, Decimal>()
  readonly #lots = new Map<Coin, readonly Lot[]>()
  readonly #brokenSince = new Map<string, number>()

  constructor(venue: Venue, user: Address) {
    this.#venue = venue
    this.#user = user
  }

  hear(happening: Happening): void {
    if (happening.actor.who === 'guard') {
      this.#note(happening, ordersIn(happening.actor.sending.action))
    }
    for (const fill of happening.trades) this.#fill(fill)
  }

  /** Which new orders at the venue are the entries that have just arrived, and with which stop. */
  #note(happening: Happening, sent: ReturnType<typeof ordersIn>): void {
    const known = new Set(happening.before.orders.map(({ oid }) => oid))
    for (const entry of sent.filter(isEntry)) {
      const stop = stopBeside(entry, sent)
      const told: readonly (OrderView | FillView)[] = [
        ...happening.after.orders,
        ...happening.fills,
      ]
      for (const { oid, cloid } of told) {
        if (stop !== null && cloid === entry['c'] && !known.has(oid)) this.#stops.set(oid, stop)
      }
    }
  }

  #fill({ coin, isBuy, size, startPosition: start, oid }: FillView): void {
    const end = start.plus(isBuy ? size : size.negated())
    const isTurned = !start.isZero() && start.isNegative() !== end.isNegative()
    if (start.isZero() || end.isZero() || isTurned) this.#lots.delete(coin)
    const from = isTurned ? Decimal.zero : start.abs()
    const grown = end.abs().minus(from)
    const stop = this.#stops.get(oid)
    const lots = this.#lots.get(coin) ?? []
    if (!grown.isPositive()) this.#lots.set(coin, without(lots, grown.negated(), end.isPositive()))
    else if (stop !== undefined) this.#lots.set(coin, [...lots, { trigger: stop, size: grown }])
  }

  /** Looks at the positions now; `calmFrom` is since when nothing troubles Guard. */
  check(now: number, calmFrom: number, shown: Shown = shownOf(this.#venue, this.#user)): void {
    const broken = new Map<string, string>()
    for (const held of shown.positions) {
      const isLong = held.size.isPositive()
      const stops = workingStops(shown.orders, held)
      const lots = this.#lots.get(held.coin) ?? []
      for (const { trigger } of lots) {
        const tight = lots.filter((lot) => isAsTight(lot.trigger, trigger, isLong))
        const promised = Decimal.min(sizeOf(tight), held.size.abs())
        const covered = coveredAt(stops, trigger, isLong)
        if (covered.gte(promised)) continue
        const text = `${covered.toString()} of ${promised.toString()} ${held.coin} are stopped out at ${trigger.toString()}`
        broken.set(held.coin, text)
      }
    }
    for (const coin of this.#brokenSince.keys()) {
      if (!broken.has(coin)) this.#brokenSince.delete(coin)
    }
    for (const [coin, text] of broken) {
      const since = this.#brokenSince.get(coin) ?? now
      this.#brokenSince.set(coin, since)
      if (now - Math.max(since, calmFrom) > repairMsMax) throw new Violation('promise', text)
    }
  }
}

/** The trigger of the market stop that leaves with an entry; Guard's own where there is one beside. */
function stopBeside(
  entry: ReturnType<typeof ordersIn>[number],
  sent: ReturnType<typeof ordersIn>,
): Decimal | null {
  const stops = sent
    .filter(
      (order) => order['r'] === true && order['b'] !== entry['b'] && order['a'] === entry['a'],
    )
    .flatMap((order) => {
      const { trigger } = order['t'] as { trigger?: { triggerPx: string; tpsl: string } }
      const isGuards = guardCloidKind(typeof order['c'] === 'string' ? order['c'] : null) === 'stop'
      return trigger?.tpsl === 'sl' ? [{ at: Decimal.of(trigger.triggerPx), isGuards }] : []
    })
  return (stops.find(({ isGuards }) => isGuards) ?? stops[0])?.at ?? null
}

/** The lots without so much of the tightest of them. */
function without(lots: readonly Lot[], size: Decimal, isLong: boolean): readonly Lot[] {
  let left = size
  const tightestFirst = [...lots].sort(
    (one, other) => other.trigger.cmp(one.trigger) * (isLong ? 1 : -1),
  )
  return tightestFirst.flatMap((lot) => {
    const part = Decimal.min(lot.size, left)
    left = left.minus(part)
    const rest = lot.size.minus(part)
    return rest.isPositive() ? [{ ...lot, size: rest }] : []
  })
}

function sizeOf(lots: readonly Lot[]): Decimal {
  return lots.reduce((sum, { size }) => sum.plus(size), Decimal.zero)
}
