import type { Json, JsonObject } from '../../../src/core/protocol/action.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import { breach } from '../breach.ts'
import type { Attack } from '../attack.ts'
import type { Attacker } from '../attacker.ts'
import { fromFlat } from '../fromFlat.ts'
import { vetoedBothWays } from '../held.ts'
import { enter, held } from '../positions.ts'

function attack(
  name: string,
  tries: string,
  make: (attacker: Attacker) => Json,
  ...codes: readonly string[]
): Attack {
  return {
    group: 'leverage and margin',
    name,
    tries,
    venue: 'nothing',
    run: (attacker) => vetoedBothWays(attacker, make(attacker), ...codes),
  }
}

const lever =
  (leverage: Json, more: JsonObject = {}) =>
  (attacker: Attacker): Json => ({
    type: 'updateLeverage',
    asset: attacker.ground().asset,
    isCross: false,
    leverage,
    ...more,
  })
const margin =
  (ntli: Json, more: JsonObject = {}) =>
  (attacker: Attacker): Json => ({
    type: 'updateIsolatedMargin',
    asset: attacker.ground().asset,
    isBuy: true,
    ntli,
    ...more,
  })

const plain: readonly Attack[] = [
  attack('too-much', 'leverage beyond the rules', lever(20), 'leverage'),
  attack(
    'coins-maximum',
    'the highest leverage of the coin',
    (attacker) => lever(attacker.ground().maxLeverage)(attacker),
    'leverage',
  ),
  attack('cross', 'cross margin', lever(2, { isCross: true }), 'cross_margin'),
  attack('cross-by-text', 'cross margin as a text', lever(2, { isCross: 'true' }), 'malformed'),
  attack('cross-by-number', 'cross margin as a number', lever(2, { isCross: 1 }), 'malformed'),
  attack('leverage-as-text', 'leverage as a text', lever('50'), 'malformed'),
  attack('leverage-with-fraction', 'leverage with a fraction', lever(2.5), 'malformed'),
  attack('leverage-zero', 'no leverage', lever(0), 'malformed', 'leverage'),
  attack('leverage-below-zero', 'leverage below zero', lever(-5), 'malformed'),
  attack(
    'leverage-beyond-32-bits',
    'leverage that wraps around to a small one',
    lever(4_294_967_298),
    'malformed',
  ),
  attack('margin-out', 'takes margin out', margin(-1_000_000), 'margin_removal'),
  attack(
    'margin-out-on-the-other-side',
    'takes margin out with the side turned',
    margin(-1_000_000, { isBuy: false }),
    'margin_removal',
  ),
  attack('margin-as-text', 'takes margin out as a text', margin('-1000000'), 'malformed'),
  attack(
    'margin-with-fraction',
    'margin with a fraction',
    margin(-0.5),
    'malformed',
    'margin_removal',
  ),
  attack(
    'margin-beyond',
    'so much margin that it wraps around',
    margin(-9_007_199_254_740_991),
    'margin_removal',
    'malformed',
  ),
  ...(
    [
      ['a builder dex', 'builder-dex', 110_000, 'dex_not_allowed'],
      ['a spot market', 'spot', 10_000, 'unsupported_market'],
      ['an outcome market', 'outcome', 100_000_000, 'unsupported_market'],
      ['an id between spot and the builder dexes', 'reserved', 100_000, 'unknown_market'],
      ['a perp that nobody lists', 'unlisted', 9_998, 'unknown_market'],
    ] as const
  ).flatMap(([where, name, asset, code]) => [
    attack(`margin-in-on-${name}`, `adds margin on ${where}`, margin(1_000_000, { asset }), code),
    attack(
      `margin-out-on-${name}`,
      `takes margin on ${where}`,
      margin(-1_000_000, { asset }),
      code,
    ),
    attack(`leverage-on-${name}`, `sets the leverage on ${where}`, lever(1, { asset }), code),
  ]),
]

const onPosition = fromFlat(
  'leverage and margin',
  'raise-on-a-position',
  'more leverage on an open position, and cross margin, and margin out',
  async (attacker) => {
    await enter(attacker)
    const most = Number(attacker.rules.maxLeverage.rounded(0, 'down').toString())
    const codes = [
      await vetoedBothWays(attacker, lever(most + 1)(attacker), 'leverage'),
      await vetoedBothWays(attacker, lever(1, { isCross: true })(attacker), 'cross_margin'),
      await vetoedBothWays(attacker, margin(-10_000_000)(attacker), 'margin_removal'),
    ]
    return codes.join(', ')
  },
)

const race = fromFlat(
  'leverage and margin',
  'leverage-and-entry-race',
  'ten leverage updates and ten entries at once: no entry may have cross margin or leverage beyond the rules',
  async (attacker) => {
    const updates = Array.from({ length: 10 }, (_, at) =>
      attacker.send(lever(at % 2 === 0 ? 5 : 1)(attacker)),
    )
    await Promise.all([...updates, ...Array.from({ length: 3 }, () => enter(attacker, '0.1'))])
    const { assetPositions } = await attacker.venueState()
    const text = JSON.stringify(assetPositions)
    if (text.includes('"cross"')) breach('a position is on cross margin')
    const value = Number(/"leverage":\{[^}]*"value":(\d+)/.exec(text)?.[1] ?? 0)
    if (Decimal.whole(value).gt(attacker.rules.maxLeverage))
      breach(`a position has leverage ${value}`)
    if ((await held(attacker)).length === 0) breach('nothing was opened to look at')
    return `isolated, leverage ${value}`
  },
)

export const leverageAttacks: readonly Attack[] = [...plain, onPosition, race]
