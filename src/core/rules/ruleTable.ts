import type { RuleField } from './rules.ts'

/** `ratio`: "2%" or "0.02". `number`, `usd`: a quoted decimal. `count`: an integer. `policy`: a word. */
type RuleKind = 'ratio' | 'number' | 'usd' | 'count' | 'policy' | 'markets'

/** Which way a value is tighter. */
export type Tighter = 'smaller' | 'larger' | 'refuse' | 'isolated' | 'fewer'

/** Bounds as decimal text; `above` and `below` leave the bound itself out. */
export interface Bounds {
  readonly above?: string
  readonly min?: string
  readonly max?: string
  readonly below?: string
}

/** A bound that is another rule's value. */
interface RelativeBound {
  readonly to: RuleField
  readonly must: 'be at least' | 'be at most' | 'be below'
}

export interface RuleRow {
  readonly key: string
  readonly field: RuleField
  readonly kind: RuleKind
  readonly bounds: Bounds
  /** The words of a policy; the last one is the tighter. */
  readonly words?: readonly string[]
  /** What holds while nothing is set, for people; left out: no limit. */
  readonly unset?: string
  readonly relative: RelativeBound | null
  readonly tighter: Tighter
  /** Where it may be set tighter, beside `[rules]`. */
  readonly sections: 'none' | 'client' | 'market' | 'market and client'
  readonly text: string
}

const everywhere = 'market and client'

/**
 * Every rule, once. Reading, bounds, the rules code, the status, the documentation and the
 * monitor page are made from this table, in its order.
 */
export const ruleTable: readonly RuleRow[] = [
  {
    key: 'risk_per_trade',
    field: 'riskPerTrade',
    kind: 'ratio',
    bounds: { above: '0', max: '0.05' },
    relative: null,
    tighter: 'smaller',
    sections: everywhere,
    text: 'The loss of one entry at its stop, fees and slippage both ways included, of equity.',
  },
  {
    key: 'open_risk',
    field: 'openRisk',
    kind: 'ratio',
    bounds: { above: '0', max: '0.2' },
    relative: { to: 'riskPerTrade', must: 'be at least' },
    tighter: 'smaller',
    sections: 'none',
    text: 'What is lost at the stops, without costs, summed over positions, resting entries and everything in flight, of equity.',
  },
  {
    key: 'daily_loss_stop',
    field: 'dailyLossStop',
    kind: 'ratio',
    bounds: { above: '0', max: '0.15' },
    relative: null,
    tighter: 'smaller',
    sections: 'none',
    text: 'The loss since the start of the UTC day at which everything is flattened and nothing opens until the next day.',
  },
  {
    key: 'drawdown_halt',
    field: 'drawdownHalt',
    kind: 'ratio',
    bounds: { above: '0', max: '0.5' },
    relative: null,
    tighter: 'smaller',
    sections: 'none',
    text: 'The fall from the peak at which everything is flattened and nothing opens until a person has reviewed it.',
  },
  {
    key: 'max_leverage',
    field: 'maxLeverage',
    kind: 'number',
    bounds: { above: '0', max: '10' },
    relative: null,
    tighter: 'smaller',
    sections: everywhere,
    text: 'The total value of positions and resting entries, over equity.',
  },
  {
    key: 'max_position',
    field: 'maxPosition',
    kind: 'ratio',
    bounds: { above: '0', max: '10' },
    relative: { to: 'maxLeverage', must: 'be at most' },
    tighter: 'smaller',
    sections: everywhere,
    text: "One coin's value, held and resting on one side, of equity.",
  },
  {
    key: 'max_distance_from_mid',
    field: 'maxDistanceFromMid',
    kind: 'ratio',
    bounds: { above: '0', max: '0.05' },
    relative: null,
    tighter: 'smaller',
    sections: everywhere,
    text: "How far beyond the mid an entry's limit may lie; further ones are pulled in to it.",
  },
  {
    key: 'stop',
    field: 'stop',
    kind: 'policy',
    bounds: {},
    words: ['attach', 'refuse'],
    relative: null,
    tighter: 'refuse',
    sections: everywhere,
    text: 'Whether an entry without a stop gets one or is vetoed.',
  },
  {
    key: 'stop_distance',
    field: 'stopDistance',
    kind: 'ratio',
    bounds: { above: '0', below: '0.5' },
    relative: { to: 'minLiquidationDistance', must: 'be below' },
    tighter: 'smaller',
    sections: everywhere,
    text: "How far from the price Guard's own stops go.",
  },
  {
    key: 'min_liquidation_distance',
    field: 'minLiquidationDistance',
    kind: 'ratio',
    bounds: { min: '0.01', max: '0.5' },
    relative: null,
    tighter: 'larger',
    sections: everywhere,
    text: 'How far the liquidation price must be from the entry.',
  },
  {
    key: 'margin',
    field: 'margin',
    kind: 'policy',
    bounds: {},
    words: ['cross', 'isolated'],
    relative: null,
    tighter: 'isolated',
    sections: 'market',
    text: 'Whether coins may be on cross margin: then their positions and entries are bounded together by the collateral they share.',
  },
  {
    key: 'markets',
    field: 'markets',
    kind: 'markets',
    bounds: {},
    relative: null,
    tighter: 'fewer',
    sections: 'client',
    text: 'The markets entries are allowed in; `*` is every perp of the main dex, `xyz:*` every perp of the builder dex xyz, `xyz:TSLA` one of them.',
  },
  {
    key: 'dex_stop_gap',
    field: 'dexStopGap',
    kind: 'ratio',
    bounds: { min: '0', max: '0.5' },
    unset: '1/max leverage of the coin',
    relative: null,
    tighter: 'larger',
    sections: 'market',
    text: "How far beyond the worst fill of its stop a trade on a builder dex may end: its risk is counted to there, and a larger gap makes it smaller. Unset it is how far the venue lets such a market move by itself. For one market the larger of its own and the account's holds.",
  },
  {
    key: 'max_book_share',
    field: 'maxBookShare',
    kind: 'ratio',
    bounds: { above: '0', max: '1' },
    relative: null,
    tighter: 'smaller',
    sections: 'market',
    text: 'How much is held and rests on one side of a perp of a builder dex, of what others show in its book within `max_distance_from_mid` on the thinner side; an entry beyond it is cut.',
  },
  {
    key: 'max_order_value',
    field: 'maxOrderValue',
    kind: 'usd',
    bounds: { above: '0' },
    relative: null,
    tighter: 'smaller',
    sections: everywhere,
    text: 'The value of one entry.',
  },
  {
    key: 'max_orders_per_minute',
    field: 'maxOrdersPerMinute',
    kind: 'count',
    bounds: { min: '1', max: '100000' },
    relative: null,
    tighter: 'smaller',
    sections: 'client',
    text: 'Entries of one client within a minute.',
  },
  {
    key: 'max_open_orders',
    field: 'maxOpenOrders',
    kind: 'count',
    bounds: { min: '1', max: '900' },
    relative: null,
    tighter: 'smaller',
    sections: 'none',
    text: 'Orders of the account, of every kind and in flight too, at which nothing that rests is added; only a stop that adds cover is.',
  },
  {
    key: 'flip',
    field: 'flip',
    kind: 'policy',
    bounds: {},
    words: ['cut', 'refuse'],
    relative: null,
    tighter: 'refuse',
    sections: 'none',
    text: 'Whether an order against a position and larger than it is cut to the position or vetoed.',
  },
  {
    key: 'max_builder_fee',
    field: 'maxBuilderFee',
    kind: 'ratio',
    bounds: { min: '0', max: '0.001' },
    relative: null,
    tighter: 'smaller',
    sections: 'client',
    text: 'What a builder that `venue.builders` names may be paid, of the value; a higher fee is lowered to it. Other builders are removed.',
  },
  {
    key: 'max_priority_fee',
    field: 'maxPriorityFee',
    kind: 'ratio',
    bounds: { min: '0', max: '0.001' },
    relative: null,
    tighter: 'smaller',
    sections: 'client',
    text: 'What a bot may pay for the priority of an exit that closes at once, of the value; it counts in the cost of every entry. A higher fee, and one on an entry, is removed.',
  },
  {
    key: 'trigger_entries',
    field: 'triggerEntries',
    kind: 'policy',
    bounds: {},
    words: ['refuse', 'watched'],
    relative: null,
    tighter: 'refuse',
    sections: everywhere,
    text: 'Whether an order may wait for a trigger price and then open a position: the venue holds no stop for it meanwhile, so Guard keeps the stop, places it at the fill, and cancels such orders when it stops.',
  },
  {
    key: 'twap',
    field: 'twap',
    kind: 'policy',
    bounds: {},
    words: ['refuse', 'watched'],
    relative: null,
    tighter: 'refuse',
    sections: everywhere,
    text: 'Whether a TWAP may open a position: all of it is exposure at its worst until it has ended, and once its first slice has filled a stop rests for all of it. One that is reduce-only passes in any case.',
  },
  {
    key: 'twap_max_minutes',
    field: 'twapMaxMinutes',
    kind: 'count',
    bounds: { min: '5', max: '10080' },
    relative: null,
    tighter: 'smaller',
    sections: everywhere,
    text: 'How long a TWAP that may open a position may take.',
  },
  {
    key: 'max_twaps',
    field: 'maxTwaps',
    kind: 'count',
    bounds: { min: '1', max: '20' },
    relative: null,
    tighter: 'smaller',
    sections: everywhere,
    text: 'TWAPs of the account that run or wait at once, at which no other that may open a position is added.',
  },
  {
    key: 'spot',
    field: 'spot',
    kind: 'policy',
    bounds: {},
    words: ['refuse', 'sell'],
    relative: null,
    tighter: 'refuse',
    sections: 'client',
    text: 'Whether what the account holds of a token may be sold on a spot pair, cut to what no order holds and to `max_order_value`; everything else on spot is refused.',
  },
  {
    key: 'equity_cap',
    field: 'equityCap',
    kind: 'usd',
    bounds: { above: '0' },
    relative: null,
    tighter: 'smaller',
    sections: 'none',
    text: 'Equity beyond it is ignored when sizing; required on mainnet.',
  },
]
