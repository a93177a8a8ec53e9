import { assumptions } from '../../../core/values/assumptions.ts'
import { Decimal } from '../../../core/values/decimal.ts'
import { confirmed, judged, refuted, untold } from './point.ts'
import type { Point, Sight } from './point.ts'
import type { MarginTables, Told } from './told.ts'

const usualLeverage = 20
const firstRequests = Decimal.whole(10_000)
const flatTables = 50
const clockMsMax = 2_000
const answerMsMax = 10_000

/** Points about what holds where nobody has set anything, limits, fees and time. */
export const settingPoints: readonly Point[] = [
  {
    name: 'default-mode',
    assumed: 'an account that has never set its mode is "default"',
    option: 'neverSetMode',
    look: ({ nobodysMode }) => {
      if (nobodysMode === null) return untold('userAbstraction of an unused address')
      const values = { userAbstraction: nobodysMode.answer }
      return nobodysMode.answer === 'default'
        ? confirmed('"default"', values)
        : refuted('another answer', values)
    },
  },
  {
    name: 'default-leverage',
    assumed: 'a market whose leverage was never set is cross at 20, or at its most if that is less',
    option: 'defaultLeverage',
    look: lookAtLeverage,
  },
  {
    name: 'margin-tables',
    assumed:
      'a margin table that is not listed is flat at its number; a listed one begins at the highest leverage',
    option: null,
    look: ({ tables }) => (tables === null ? untold('meta') : lookAtTables(tables)),
  },
  {
    name: 'request-allowance',
    assumed: 'an account may send 10,000 requests and one more for each USD it has traded',
    option: null,
    look: ({ allowance }) => {
      if (allowance === null) return untold('userRateLimit')
      const { cap, volume } = allowance
      const own = firstRequests.plus(volume.rounded(0, 'down'))
      const values = { nRequestsCap: cap.toString(), cumVlm: volume.toString() }
      return cap.eq(own) ? confirmed('that many', values) : refuted('another number', values)
    },
  },
  {
    name: 'taker-fee',
    assumed: `a taker pays at most ${assumptions.fee.toString()} of the value`,
    option: null,
    look: ({ takerRate }) => {
      if (takerRate === null) return untold('userFees')
      const values = { userCrossRate: takerRate.toString() }
      return takerRate.lte(assumptions.fee)
        ? confirmed('no more than that', values)
        : refuted('more: sizes are worked out with too low a fee', values)
    },
  },
  {
    name: 'clock',
    assumed:
      'the venue’s time is this machine’s, within 2 s, and that of what it tells of accounts',
    option: null,
    look: lookAtClock,
  },
]

function lookAtLeverage({ nobodysLeverages, markets }: Told): Sight {
  const cases = nobodysLeverages.map(({ coin, leverage }) => {
    const most = markets?.byCoin.get(coin)?.maxLeverage ?? 0
    const usual = Math.min(usualLeverage, most)
    return {
      name: coin,
      fits: leverage.type === 'cross' && leverage.value === usual,
      values: { type: leverage.type, value: leverage.value, most },
    }
  })
  return judged(cases, {
    none: 'activeAssetData of an unused address was not answered',
    all: 'that leverage',
    some: 'another leverage',
  })
}

function lookAtTables({ markets, listed }: MarginTables): Sight {
  const odd = markets.filter(({ maxLeverage, table }) => {
    const tiers = listed.get(table)
    if (tiers === undefined) return table > flatTables || table !== maxLeverage
    const [first] = tiers
    return first?.from.isZero() !== true || first.maxLeverage !== maxLeverage
  })
  const values = {
    markets: markets.length,
    listed: [...listed.keys()],
    odd: odd.map(({ coin, table, maxLeverage }) => ({ coin, table, maxLeverage })).slice(0, 5),
  }
  return odd.length === 0 ? confirmed('so in every market', values) : refuted('not so', values)
}

function lookAtClock({ clock, states }: Told): Sight {
  if (clock === null) return untold('exchangeStatus')
  const apart = clock.own - clock.venue
  const state = states?.[0].time ?? null
  const values = {
    ahead_ms: apart,
    state_after_ms: state === null ? null : state - clock.venue,
  }
  const isAccountLate = state !== null && Math.abs(state - clock.venue) > answerMsMax
  if (Math.abs(apart) > clockMsMax) return refuted('the clocks are apart', values)
  return isAccountLate
    ? refuted('the account is told with another time', values)
    : confirmed('so', values)
}
