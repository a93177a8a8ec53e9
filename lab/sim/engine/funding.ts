import { Decimal } from '../../../src/core/values/decimal.ts'
import { addCash, collateralOf, collect, poolOf } from './pools.ts'
import type { Account, BuilderMarket, MarketState, Position, World } from './world.ts'

export const hourMs = 3_600_000
const sampleMs = 5000
const rateScale = 10
const cashScale = 6
const interest = Decimal.of('0.0001')
const clampTo = Decimal.of('0.0005')
const builderClampTo = Decimal.of('0.0003')
const capPerHour = Decimal.of('0.04')
const half = Decimal.of('0.5')
const eight = Decimal.whole(8)
const impactLarge = Decimal.of('20000')
const impactOther = Decimal.of('6000')

function impactNotional(market: MarketState): Decimal {
  return market.coin === 'BTC' || market.coin === 'ETH' ? impactLarge : impactOther
}

/** Average prices at which the impact notional would trade: sold into the bids, bought. */
export function impactPrices(market: MarketState): readonly [Decimal, Decimal] | null {
  const notional = impactNotional(market)
  const bid = market.book.impactPrice(false, notional)
  const ask = market.book.impactPrice(true, notional)
  return bid === null || ask === null ? null : [bid, ask]
}

/** How far the book is from the oracle; on the main dex zero while the oracle is inside it. */
export function premiumNow(market: MarketState): Decimal {
  const impact = impactPrices(market)
  if (impact === null) return Decimal.zero
  const [bid, ask] = impact
  if (market.builder !== null) {
    const middle = bid.plus(ask).times(half)
    return middle.minus(market.oracle).over(market.oracle, rateScale, 'half-even')
  }
  const above = Decimal.max(bid.minus(market.oracle), Decimal.zero)
  const below = Decimal.max(market.oracle.minus(ask), Decimal.zero)
  return above.minus(below).over(market.oracle, rateScale, 'half-even')
}

/** The hourly rate that an average premium gives, with the factor that a builder dex has. */
export function hourlyRate(premium: Decimal, builder: BuilderMarket | null = null): Decimal {
  const pull = (builder?.fundingInterest ?? interest).minus(premium)
  const most = builder === null ? clampTo : builderClampTo
  const clamped = Decimal.max(most.negated(), Decimal.min(most, pull))
  const factor = builder?.fundingMultiplier ?? Decimal.one
  const hourly = premium.plus(clamped).times(factor).over(eight, rateScale, 'half-even')
  return Decimal.max(capPerHour.negated(), Decimal.min(capPerHour, hourly))
}

/** Takes the samples that are due since the last time; the premium was the same all along. */
export function samplePremium(world: World, market: MarketState): void {
  const due = Math.floor(world.nowMs / sampleMs) - Math.floor(market.premiumUntil / sampleMs)
  market.premiumUntil = world.nowMs
  if (due <= 0) return
  market.premiumSum = market.premiumSum.plus(premiumNow(market).times(Decimal.whole(due)))
  market.premiumSamples += due
}

export function averagePremium(market: MarketState): Decimal {
  if (market.premiumSamples === 0) return premiumNow(market)
  return market.premiumSum.over(Decimal.whole(market.premiumSamples), rateScale, 'half-even')
}

/** The top of an hour: longs pay shorts when the rate is positive. */
export function settleFunding(world: World): void {
  for (const market of world.everyMarket) {
    if (market.market.isDelisted) continue
    samplePremium(world, market)
    const premium = averagePremium(market)
    const fundingRate = hourlyRate(premium, market.builder)
    market.premiumSum = Decimal.zero
    market.premiumSamples = 0
    market.fundingRates.push({ coin: market.coin, fundingRate, premium, time: world.nowMs })
    const hash = world.random.hash()
    for (const account of [
      world.maker,
      world.crowd,
      world.liquidator,
      ...world.accounts.values(),
    ]) {
      const position = account.positions.get(market.coin)
      if (position !== undefined) pay(world, account, position, fundingRate, hash)
    }
  }
}

function pay(
  world: World,
  account: Account,
  position: Position,
  fundingRate: Decimal,
  hash: string,
): void {
  const { market, size } = position
  const usdc = size
    .times(market.oracle)
    .times(fundingRate)
    .negated()
    .rounded(cashScale, world.options.fundingRounding)
  if (position.isIsolated) position.rawUsd = position.rawUsd.plus(usdc)
  else addCash(account, poolOf(account, market), usdc)
  const token = collateralOf(market)
  if (token === 'USDC') world.deposited = world.deposited.plus(usdc)
  else collect(world, token, usdc.negated())
  if (account.isHouse) return
  // The venue counts what was paid as positive here.
  position.fundingSinceOpen = position.fundingSinceOpen.minus(usdc)
  position.fundingSinceChange = position.fundingSinceChange.minus(usdc)
  const before = account.fundingAllTime.get(market.coin) ?? Decimal.zero
  account.fundingAllTime.set(market.coin, before.minus(usdc))
  const payment = { time: world.nowMs, hash, coin: market.coin, usdc, size, fundingRate }
  account.fundings.push(payment)
  world.events.push({ kind: 'funding', user: account.address, payment })
  world.events.push({ kind: 'account', user: account.address })
}
