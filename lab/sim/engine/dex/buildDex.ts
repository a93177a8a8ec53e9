import { address } from '../../../../src/core/values/address.ts'
import type { Address } from '../../../../src/core/values/address.ts'
import { Decimal } from '../../../../src/core/values/decimal.ts'
import { err, ok } from '../../../../src/core/values/result.ts'
import type { Result } from '../../../../src/core/values/result.ts'
import { buildMarket } from '../buildMarket.ts'
import type { MarketWorld } from '../buildMarket.ts'
import type { DexMarketSpec, DexSpec } from '../venueConfig.ts'
import type { BuilderMarket, Dex, MarketState, World } from '../world.ts'
import { assetOf } from './assetIds.ts'

/** What one dex and one of its markets may hold where nobody says otherwise: what a large one has. */
const totalCapUsual = Decimal.whole(10_000_000_000)
const sizeCapUsual = Decimal.whole(20_000_000_000)
const transferMaxUsual = Decimal.whole(3_000_000_000)
const capUsual = Decimal.whole(25_000_000)
const feeScaleMax = Decimal.whole(3)
const growthScaleMax = Decimal.whole(10)
const multiplierMax = Decimal.whole(10)
const interestMost = Decimal.of('0.01')
const namePattern = /^[a-z]{2,6}$/
const marketsMax = 10_000
const dexesMax = 1_000
const dayMs = 86_400_000

/** What a dex takes from the venue it is in. */
type DexWorld = MarketWorld & { readonly frozen: boolean }

/** A dex at this index with its markets, or the reason why there is none. */
export function buildDex(
  venue: DexWorld,
  known: World['dexes'],
  spec: DexSpec,
  index: number,
): Result<Dex> {
  const why = dexProblem(known, spec, index)
  if (why !== null) return err(why)
  const dex: Dex = {
    name: spec.name,
    fullName: spec.fullName ?? spec.name.toUpperCase(),
    deployer: spec.deployer ?? deployerOf(spec.name),
    feeRecipient: spec.feeRecipient ?? null,
    collateral: spec.collateral ?? 'USDC',
    totalCap: spec.totalCap ?? totalCapUsual,
    sizeCap: spec.sizeCap ?? sizeCapUsual,
    transferMax: spec.transferMax ?? transferMaxUsual,
    markets: [],
    netDeposit: Decimal.zero,
  }
  for (const each of spec.markets) {
    const made = addMarket(venue, dex, index, each)
    if (!made.ok) return made
  }
  return ok(dex)
}

/** One more market behind those of a dex, or the reason why there is none. */
export function addMarket(
  venue: DexWorld,
  dex: Dex,
  index: number,
  spec: DexMarketSpec,
): Result<MarketState> {
  const { name, markets } = dex
  const why = termsProblem(dex, spec)
  if (why !== null) return err(why)
  if (markets.some(({ coin }) => coin === spec.coin)) {
    return err(`markets of ${name}: ${spec.coin} is listed twice`)
  }
  if (markets.length >= marketsMax) return err(`markets of ${name}: there may be ${marketsMax}`)
  const onlyIsolated = spec.onlyIsolated === true || isIsolated(spec)
  const asset = assetOf(index, markets.length)
  const made = buildMarket(venue, { ...spec, onlyIsolated }, asset, terms(venue, dex, spec))
  if (made.ok) markets.push(made.value)
  return made
}

function dexProblem(known: World['dexes'], spec: DexSpec, index: number): string | null {
  const { name } = spec
  if (!namePattern.test(name)) {
    return `dexes: a name must be two to six small letters, got "${name}"`
  }
  // Money that lies with spot tokens goes by this name.
  if (name === 'spot' || known.some((dex) => dex?.name === name)) {
    return `dexes: the name ${name} is taken`
  }
  if (index > dexesMax) return `dexes: there may be ${String(dexesMax)}`
  return null
}

function termsProblem({ name }: Dex, spec: DexMarketSpec): string | null {
  const { coin, feeScale, fundingMultiplier, fundingInterest, cap } = spec
  if (!coin.startsWith(`${name}:`)) return `markets of ${name}: ${coin} must begin with ${name}:`
  const most = spec.hasGrowthMode === true ? growthScaleMax : feeScaleMax
  if (feeScale !== undefined && (feeScale.isNegative() || feeScale.gt(most))) {
    return `deployerFeeScale of ${coin}: must be from 0 to ${most.toString()}`
  }
  if (fundingMultiplier?.isNegative() === true || fundingMultiplier?.gt(multiplierMax) === true) {
    return `fundingMultiplier of ${coin}: must be from 0 to ${multiplierMax.toString()}`
  }
  if (fundingInterest?.abs().gt(interestMost) === true) {
    return `fundingInterestRate of ${coin}: must be from -0.01 to 0.01`
  }
  if (cap !== undefined && !cap.isPositive()) return `cap of ${coin}: must be above zero`
  return null
}

function isIsolated({ marginMode = 'normal' }: DexMarketSpec): boolean {
  return marginMode !== 'normal'
}

function terms(
  { frozen, startMs }: { readonly frozen: boolean; readonly startMs: number },
  dex: Dex,
  spec: DexMarketSpec,
): BuilderMarket {
  const [mark, oracle] = [spec.mark ?? spec.mid, spec.oracle ?? spec.mid]
  const usualMode = spec.onlyIsolated === true ? 'noCross' : 'normal'
  return {
    dex,
    marginMode: spec.marginMode === undefined ? usualMode : spec.marginMode,
    hasGrowthMode: spec.hasGrowthMode ?? false,
    feeScale: spec.feeScale ?? Decimal.one,
    feeScaleChanged: spec.feeScaleChanged ?? null,
    fundingMultiplier: spec.fundingMultiplier ?? Decimal.one,
    fundingInterest: spec.fundingInterest ?? null,
    cap: spec.cap ?? capUsual,
    ...{ isHalted: false, isThin: false },
    feed: {
      // Two lists of marks outweigh the book: a frozen market stays where it was put.
      posted: frozen ? { oracle, marks: [mark, mark] } : null,
      isStopped: false,
      updatedMs: startMs,
      session: 'external',
      reference: oracle,
      day: { index: Math.floor(startMs / dayMs), mark, oracle },
    },
  }
}

/** An address of its own for everybody whom nobody named: the letters of the name in it. */
function deployerOf(name: string): Address {
  const letters = [...name].map((each) => each.charCodeAt(0).toString(16)).join('')
  return address(`0x${letters.padEnd(40, '0')}`)
}
