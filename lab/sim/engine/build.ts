import { address } from '../../../src/core/values/address.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import { err, ok } from '../../../src/core/values/result.ts'
import type { Result } from '../../../src/core/values/result.ts'
import { newAccount } from './account.ts'
import { buildMarket } from './buildMarket.ts'
import { stepMs } from './clock.ts'
import { addMarket, buildDex } from './dex/buildDex.ts'
import { feedMs } from './dex/markEngine.ts'
import { hourMs } from './funding.ts'
import { touchAround } from './grid.ts'
import { requote } from './makers.ts'
import { pastOf } from './pastCandles.ts'
import { Random } from './random.ts'
import { seedAccounts } from './seedAccounts.ts'
import type { DexMarketSpec, DexSpec, MarketSpec, VenueConfig } from './venueConfig.ts'
import type { Dex, MarketState, World } from './world.ts'

/** The venue's order ids are longer than 32 bits, and so are these. */
const firstOid = 77_000_000_001

/** Where the ids of orders, trades and transactions come from. */
type Ids = Pick<World, 'nextOid' | 'random'>

/**
 * A fresh venue from its configuration, or the reason why there is none. By itself a frozen venue
 * leaves nothing to chance but ids: they go on from `before`, so that nobody who listens over a
 * reset meets one twice. Where the price moves, the seed alone decides.
 */
export function buildWorld(config: VenueConfig, before: Ids | null): Result<World> {
  const markets: MarketState[] = []
  for (const [asset, spec] of config.markets.entries()) {
    const made = buildMarket(config, spec, asset)
    if (!made.ok) return made
    if (markets.some(({ coin }) => coin === made.value.coin)) {
      return err(`markets: ${spec.coin} is listed twice`)
    }
    markets.push(made.value)
  }
  const fresh = { nextOid: firstOid, random: new Random(config.seed) }
  const ids = config.frozen && before !== null ? before : fresh
  const world = emptyWorld(config, markets, ids)
  for (const spec of config.dexes ?? []) {
    const made = buildDex(config, world.dexes, spec, world.dexes.length + 1)
    if (!made.ok) return made
    include(world, made.value)
  }
  for (const market of world.everyMarket) {
    const touch = touchAround(market.mid, market.sizeDecimals)
    if (touch !== null) requote(world, market, touch)
    market.candles.follow(market.mid, pastOf(market, config.seed, config.startMs, config.frozen))
  }
  const seeded = seedAccounts(world, config.accounts)
  if (!seeded.ok) return seeded
  world.events = []
  return ok(world)
}

/** One more dex behind those there are, with makers that quote its markets. */
export function addDex(world: World, spec: DexSpec): Result<number> {
  const index = world.dexes.length + 1
  const { scenario, nowMs: startMs, options, frozen } = world
  const made = buildDex(
    { scenario, seed: index, startMs, options, frozen },
    world.dexes,
    spec,
    index,
  )
  if (!made.ok) return made
  include(world, made.value)
  for (const market of made.value.markets) {
    const touch = touchAround(market.mid, market.sizeDecimals)
    if (touch !== null) requote(world, market, touch)
  }
  return ok(index)
}

function include(world: World, dex: Dex): void {
  world.dexes.push(dex)
  world.nextFeedMs ??= world.nowMs + feedMs
  for (const market of dex.markets) world.byCoin.set(market.coin, market)
  world.everyMarket = [...world.everyMarket, ...dex.markets]
}

/** Lists one more market, on the dex that its name begins with, and has makers quote it. */
export function listMarket(world: World, spec: DexMarketSpec): Result<MarketState> {
  if (world.byCoin.has(spec.coin)) return err(`markets: ${spec.coin} is listed twice`)
  const made = spec.coin.includes(':') ? listOnDex(world, spec) : listOnMain(world, spec)
  if (!made.ok) return made
  world.everyMarket = [...world.everyMarket, made.value]
  world.byCoin.set(spec.coin, made.value)
  const touch = touchAround(made.value.mid, made.value.sizeDecimals)
  if (touch !== null) requote(world, made.value, touch)
  return made
}

function listOnMain(world: World, spec: MarketSpec): Result<MarketState> {
  const asset = world.markets.length
  const { scenario, nowMs: startMs, options } = world
  const made = buildMarket({ scenario, seed: asset, startMs, options }, spec, asset)
  if (made.ok) world.markets.push(made.value)
  return made
}

function listOnDex(world: World, spec: DexMarketSpec): Result<MarketState> {
  const name = spec.coin.slice(0, spec.coin.indexOf(':'))
  const at = world.dexes.findIndex((dex) => dex?.name === name)
  const dex = world.dexes[at] ?? null
  if (dex === null) return err(`markets: there is no dex ${name}`)
  const { scenario, nowMs: startMs, options, frozen } = world
  const seed = dex.markets.length
  return addMarket({ scenario, seed, startMs, options, frozen }, dex, at + 1, spec)
}

function emptyWorld(config: VenueConfig, markets: MarketState[], ids: Ids): World {
  const { startMs } = config
  return {
    options: config.options,
    frozen: config.frozen,
    scenario: config.scenario,
    startMs,
    nowMs: startMs,
    random: ids.random,
    nextOid: ids.nextOid,
    markets,
    dexes: [],
    everyMarket: markets.slice(),
    byCoin: new Map(markets.map((market) => [market.coin, market])),
    spot: new Map(),
    accounts: new Map(),
    agentOf: new Map(),
    maker: newAccount(address(`0x${'face'.repeat(10)}`), true),
    crowd: newAccount(address(`0x${'c0de'.repeat(10)}`), true),
    liquidator: newAccount(address(`0x${'dead'.repeat(10)}`), true),
    feesCollected: Decimal.zero,
    tokenFees: new Map(),
    lentUsdc: Decimal.zero,
    deposited: Decimal.zero,
    pendingLedger: [],
    nextStepMs: startMs + stepMs,
    nextFundingMs: (Math.floor(startMs / hourMs) + 1) * hourMs,
    nextFeedMs: null,
    nextLiquidationMs: null,
    events: [],
  }
}
