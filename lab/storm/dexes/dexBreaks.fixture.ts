import { expect } from 'vitest'
import type { JsonObject } from '../../../src/core/protocol/action.ts'
import { defaultRules } from '../../../src/core/rules/rules.ts'
import type { Rules } from '../../../src/core/rules/rules.ts'
import { coin } from '../../../src/core/values/coin.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import type { Guard } from '../../../src/engine/guard.ts'
import type { Venue } from '../../sim/engine/venue.ts'
import type { FillView } from '../../sim/engine/views.ts'
import { user } from '../keys.ts'
import { arrival, entry, entryId, fillOf, order, venueWith } from '../oracleParts.fixture.ts'
import type { RuleName } from '../ruleNames.ts'
import type { Sending } from '../sending.ts'
import { checkFlat } from '../venueOracle.ts'
import type { Happening } from '../venueWatch.ts'
import { everyPosition } from '../wholeAccount.ts'
import { DexOracle } from './dexOracle.ts'
import { firstDexes } from './dexPlan.ts'

/** Breaks each rule of builder dexes once. TSLA is worth 400 USD, and may jump by a tenth. */

const tesla = coin('xyz:TSLA')
const [teslaAsset, oilAsset] = [110_000, 120_000]
const rules: Rules = { ...defaultRules, markets: ['*', 'xyz:*', 'tok:*'] }
const equity = Decimal.of('10000')

/** A buy at 400 USD, stopped out at 392: 352.80 at the worst, and 40 beyond; 87.20 a unit. */
const teslaBuy = (size: string, a = teslaAsset): JsonObject =>
  order(
    { ...entry, a, p: '400', s: size, c: entryId },
    {
      ...{ a, b: false, p: '352.8', s: size, r: true },
      t: { trigger: { isMarket: true, triggerPx: '392', tpsl: 'sl' } },
    },
  )

const holding = (leverage: number): JsonObject => ({
  dex_equity: { xyz: '1000' },
  positions: [{ coin: tesla, szi: '1', leverage: { type: 'isolated', value: leverage } }],
})

function dexVenueWith(account: JsonObject): Venue {
  return venueWith(account, { dexes: [...firstDexes] }).venue
}

const sendingOf = (action: JsonObject): Sending => ({
  ...{ action, origin: null, askedAt: 0, leftAt: 0, expiresAfter: 1, rules, isStruck: false },
})

const teslaFill = (size: string, more: Partial<FillView> = {}): FillView => ({
  ...{ ...fillOf(size), coin: tesla, price: Decimal.of('400'), ...more },
})

/** One unit is bought, and what the venue shows afterwards. */
function bought(venue: Venue): Happening {
  const happening = arrival(teslaBuy('1'), [teslaFill('1')])
  const sending = sendingOf(teslaBuy('1'))
  const after = { orders: [], positions: everyPosition(venue, user) }
  return { ...happening, actor: { who: 'guard', sending }, after }
}

/**
 * The same with more margin than one unit may have, where another was there before: bought by a slice
 * of a TWAP that the oracle has heard of, or before anybody looked.
 */
export function boughtMore(isSliceHeard: boolean): void {
  const venue = dexVenueWith(holding(1))
  const oracle = new DexOracle(venue, user)
  const slice = { ...sold('0'), fills: [], trades: [teslaFill('1', { oid: 6, cloid: null })] }
  if (isSliceHeard) oracle.hear(slice, false)
  const second = [teslaFill('1', { startPosition: Decimal.one })]
  oracle.hear({ ...bought(venue), fills: second, trades: second }, false)
}

/** It is sold again, with this result. */
function sold(closedPnl: string): Happening {
  const close = { isBuy: false, startPosition: Decimal.one, closedPnl: Decimal.of(closedPnl) }
  return { ...arrival(order(entry), [teslaFill('1', close)]), actor: { who: 'venue' } }
}

/** What an oracle says of a position that brought this, after so many jumps of its price. */
export function lost(closedPnl: string, jumps = 1): void {
  const venue = dexVenueWith(holding(4))
  const oracle = new DexOracle(venue, user)
  oracle.hear(bought(venue), false)
  for (let at = 0; at < jumps; at += 1) oracle.jumped(tesla)
  oracle.hear(sold(closedPnl), false)
}

function leaving(action: JsonObject): void {
  new DexOracle(dexVenueWith({}), user).checkLeaving(sendingOf(action), equity)
}

const silentGuard = {
  status: () => ({ positions: [{ coin: tesla }], alerts: [] }),
} as unknown as Guard

type DexRule = Extract<RuleName, `dex_${string}` | 'settled_told'>

export const dexBreaks: { readonly [Rule in DexRule]: () => void } = {
  dex_named: () => {
    leaving(teslaBuy('1'))
    leaving(teslaBuy('1', oilAsset))
  },
  dex_counted: () => {
    // 2.2 of them lose 191.84 USD, and 2.3 lose 200.56: one trade may lose 200.
    leaving(teslaBuy('2.2'))
    leaving(teslaBuy('2.3'))
  },
  dex_book: () => {
    // Makers show 2,500 at each price, and twenty of those are near: a hundred-thousandth is half a one.
    const venue = dexVenueWith({})
    const oracle = new DexOracle(venue, user)
    const by = (share: string | null) => ({
      ...rules,
      maxBookShare: share === null ? null : Decimal.of(share),
    })
    const leaves = (share: string | null): void => {
      oracle.checkLeaving({ ...sendingOf(teslaBuy('2')), rules: by(share) }, equity)
    }
    leaves(null)
    leaves('0.9')
    oracle.thinned(tesla)
    leaves('0.000001')
    venue.changeDex('xyz', tesla, { isHalted: true })
    new DexOracle(venue, user).checkLeaving({ ...sendingOf(teslaBuy('2')), rules: by('1') }, equity)
    new DexOracle(dexVenueWith({}), user).checkLeaving(
      { ...sendingOf(teslaBuy('2')), rules: by('0.000001') },
      equity,
    )
  },
  dex_margin: () => {
    // 100 USD are what the liquidation needs, and 174.40 twice what is counted.
    for (const leverage of [4, 3, 1]) {
      const venue = dexVenueWith(holding(leverage))
      new DexOracle(venue, user).hear(bought(venue), false)
    }
  },
  dex_loss: () => {
    lost('-87')
    lost('-99', 2)
    lost('-88')
  },
  dex_flat: () => {
    checkFlat(dexVenueWith({}), user, 'it is over')
    checkFlat(dexVenueWith(holding(4)), user, 'it is over')
  },
  settled_told: () => {
    const venue = dexVenueWith(holding(4))
    const oracle = new DexOracle(venue, user)
    oracle.checkTold(silentGuard)
    oracle.settling(silentGuard, () => {
      expect(venue.changeDex('xyz', tesla, { isHalted: true }).ok).toBe(true)
    })
    oracle.checkTold(silentGuard)
  },
}
