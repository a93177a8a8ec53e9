import type { Address } from '../values/address.ts'
import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'

/** What an entry without a stop gets: one of Guard's, or a refusal. */
type StopPolicy = 'attach' | 'refuse'

/** What becomes of an order against a position that is larger than it. */
type FlipPolicy = 'cut' | 'refuse'

/** Which margin a coin may be on; `cross` admits both. */
type MarginPolicy = 'isolated' | 'cross'

/** What becomes of an order that waits for a trigger price and may then open a position. */
type TriggerPolicy = 'refuse' | 'watched'

/** Which spot orders pass: none, or sells of what the account holds. */
type SpotPolicy = 'refuse' | 'sell'

/** What becomes of a TWAP that may open a position. */
type TwapPolicy = 'refuse' | 'watched'

/** The rules of an account. Ratios are fractions: two percent is 0.02. */
export interface Rules {
  readonly riskPerTrade: Decimal
  readonly openRisk: Decimal
  readonly dailyLossStop: Decimal
  readonly drawdownHalt: Decimal
  readonly maxLeverage: Decimal
  readonly maxPosition: Decimal
  readonly maxDistanceFromMid: Decimal
  readonly stop: StopPolicy
  readonly stopDistance: Decimal
  readonly minLiquidationDistance: Decimal
  readonly margin: MarginPolicy
  /** Market names; `*` stands for every perp of the main dex, `xyz:*` for every one of the dex xyz. */
  readonly markets: readonly string[]
  /** Of the price, on builder dexes, beyond the worst fill of a stop; null is 1/maxLeverage of the coin. */
  readonly dexStopGap: Decimal | null
  /** Of what the book of a builder dex's perp shows near its mid; null is no limit. */
  readonly maxBookShare: Decimal | null
  /** USD, one order; null is no limit. */
  readonly maxOrderValue: Decimal | null
  readonly maxOrdersPerMinute: number
  readonly maxOpenOrders: number
  readonly flip: FlipPolicy
  /** Of the value of an order, to a builder that the configuration names; null is no limit. */
  readonly maxBuilderFee: Decimal | null
  /** Of the value of an exit, to be early; zero: nothing is paid for it. */
  readonly maxPriorityFee: Decimal
  readonly triggerEntries: TriggerPolicy
  readonly twap: TwapPolicy
  readonly twapMaxMinutes: number
  readonly maxTwaps: number
  readonly spot: SpotPolicy
  /** USD; equity beyond it is ignored when sizing; null is no cap. */
  readonly equityCap: Decimal | null
}

export type RuleField = keyof Rules

/** The rules that hold for a client and a market; null asks without one. */
export type RulesFor = (client: Address | null, coin: Coin | null) => Rules

export const defaultRules: Rules = {
  riskPerTrade: Decimal.of('0.02'),
  openRisk: Decimal.of('0.06'),
  dailyLossStop: Decimal.of('0.06'),
  drawdownHalt: Decimal.of('0.25'),
  maxLeverage: Decimal.of('5'),
  maxPosition: Decimal.of('2'),
  maxDistanceFromMid: Decimal.of('0.005'),
  stop: 'attach',
  stopDistance: Decimal.of('0.02'),
  minLiquidationDistance: Decimal.of('0.1'),
  margin: 'isolated',
  markets: ['*'],
  dexStopGap: null,
  maxBookShare: null,
  maxOrderValue: null,
  maxOrdersPerMinute: 600,
  maxOpenOrders: 200,
  flip: 'cut',
  maxBuilderFee: null,
  maxPriorityFee: Decimal.zero,
  triggerEntries: 'refuse',
  twap: 'refuse',
  twapMaxMinutes: 60,
  maxTwaps: 3,
  spot: 'refuse',
  equityCap: null,
}
