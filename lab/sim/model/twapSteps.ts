import type { Address } from '../../../src/core/values/address.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import type { VenueAction } from '../engine/venueAction.ts'
import type { Dice } from './dice.ts'
import { Exact } from './exact.ts'
import { nextPrice } from './grid.ts'
import { heldSize } from './margin.ts'
import type { ModelAccount, ModelMarket, ModelState } from './state.ts'
import type { Step } from './steps.ts'
import { nextSlice } from './twaps.ts'

/** What the random steps about TWAPs are made of. */
interface TwapSource {
  readonly dice: Dice
  readonly state: ModelState
  readonly users: readonly Address[]
  /** The engine's number of a TWAP. */
  readonly twapIdOf: (id: number) => number
}

/** No run waits beyond the first funding for a slice: what its premium would be is not modelled. */
const spareMs = 200_000

export function twapStep(source: TwapSource): Step {
  const { dice, state, users } = source
  const roll = dice.below(100)
  const due = nextSlice(state)
  if (roll < 55 && due < state.nextFunding - spareMs) {
    const over = dice.oneIn(3) ? dice.between(0, state.rules.twapMinuteMs) : 0
    return { kind: 'wait', ms: Math.max(due - state.now, 0) + over }
  }
  const who = dice.pick(users)
  if (roll < 65) return { kind: 'action', who, action: cancelOf(source, who) }
  if (roll < 72) return towardsPrice(source)
  return { kind: 'action', who, action: twapOrder(source, who) }
}

function cancelOf({ dice, state, twapIdOf }: TwapSource, who: Address): VenueAction {
  const account = state.accounts.find(({ address }) => address === who) as ModelAccount
  if (account.twaps.length === 0 || dice.oneIn(10)) {
    return { type: 'twapCancel', asset: 0, twapId: 999_999 }
  }
  const { id, market } = dice.pick(account.twaps)
  const asset = dice.oneIn(8) ? 1 : market.asset
  return { type: 'twapCancel', asset, twapId: twapIdOf(id) }
}

/** To a price that a TWAP waits for or ends at, or to one that its slices cannot follow. */
function towardsPrice({ dice, state }: TwapSource): Step {
  const twaps = state.accounts.flatMap((account) => account.twaps)
  const found = twaps.length === 0 ? null : dice.pick(twaps)
  const market = found?.market ?? (state.markets[0] as ModelMarket)
  const { asset, mid, oracle } = market
  const wished = found?.trigger?.price ?? found?.stopPrice ?? null
  const away = Exact.of(dice.pick(['0.95', '0.99', '1.01', '1.05']))
  const mark = wished ?? nextPrice(mid.times(away), market.sizeDecimals, 1) ?? mid
  const prices = { mid: mid.toString(), mark: mark.toString(), oracle: oracle.toString() }
  return { kind: 'price', asset, ...prices }
}

function twapOrder(source: TwapSource, who: Address): VenueAction {
  const { dice, state } = source
  const account = state.accounts.find(({ address }) => address === who) as ModelAccount
  const held = account.positions.map(({ market }) => market)
  const market = held.length > 0 && dice.oneIn(2) ? dice.pick(held) : dice.pick(state.markets)
  const holds = heldSize(account, market)
  const isReduceOnly = dice.oneIn(3)
  const isBuy = isReduceOnly && !dice.oneIn(8) ? holds.sign() < 0 : dice.oneIn(2)
  const dollars = dice.oneIn(8)
    ? dice.between(60, 130)
    : dice.between(100, dice.pick([400, 4000, 40_000]))
  const size =
    isReduceOnly && dice.oneIn(2) && holds.sign() !== 0
      ? holds.abs()
      : Exact.of(dollars).over(market.mid).cut(market.sizeDecimals)
  const near = (): Decimal => {
    const permille = Exact.of(1000 + dice.between(-25, 25)).over(Exact.of(1000))
    const price = nextPrice(market.mark.times(permille), market.sizeDecimals, 1) ?? market.mark
    return Decimal.of(price.toString())
  }
  return {
    type: 'twapOrder',
    ...{ asset: dice.oneIn(40) ? 9 : market.asset, isBuy, isReduceOnly },
    size: Decimal.of(dice.oneIn(40) ? '0.0000001' : size.toString()),
    minutes: dice.oneIn(10) ? dice.pick([4, 0, 10_080, 10_081]) : dice.between(5, 20),
    randomize: dice.oneIn(4),
    trigger: dice.oneIn(4) ? { price: near(), isAbove: dice.oneIn(2) } : null,
    stopPrice: dice.oneIn(5) ? near() : null,
  }
}
