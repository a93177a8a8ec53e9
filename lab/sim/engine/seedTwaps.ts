import type { Decimal } from '../../../src/core/values/decimal.ts'
import { unitsAt } from './scaled.ts'
import { minutesMax, minutesMin, slicesOf } from './twaps.ts'
import type { TwapSpec } from './venueConfig.ts'
import type { Account, World } from './world.ts'

/** A TWAP that has been running since its time stamp; the reason where it cannot be one. */
export function seedTwap(world: World, account: Account, spec: TwapSpec): string | null {
  const market = world.byCoin.get(spec.coin)
  if (market === undefined) return `coin: there is no market ${spec.coin}`
  if (market.market.isDelisted) return `coin: ${spec.coin} is not traded`
  const why = numbersProblem(world, market.sizeDecimals, spec)
  if (why !== null) return why
  const twapId = spec.twapId ?? world.nextOid
  if (account.twaps.has(twapId)) return `the number ${String(twapId)} is given twice`
  world.nextOid = Math.max(world.nextOid, twapId + 1)
  const { coin, isBuy, size, executedSize, executedValue, minutes } = spec
  const timestamp = spec.timestamp ?? world.nowMs
  const view = {
    ...{ twapId, coin, user: account.address, isBuy, size, executedSize, executedValue, minutes },
    ...{ isReduceOnly: spec.isReduceOnly, randomize: spec.randomize, timestamp },
    ...{ trigger: spec.trigger, stopPrice: spec.stopPrice },
  }
  const slices = slicesOf(world, market, spec)
  const isWaiting = spec.trigger !== null && executedSize.isZero()
  const passed = Math.ceil((world.nowMs - timestamp) / slices.everyMs)
  account.twaps.set(twapId, {
    ...{ view, market, ...slices, startMs: isWaiting ? null : timestamp },
    nextMs: timestamp + passed * slices.everyMs,
  })
  account.twapHistory.push({
    ...{ time: Math.floor(timestamp / 1_000), view, description: null },
    status: isWaiting ? 'waitingForTrigger' : 'activated',
  })
  return null
}

function numbersProblem(world: World, decimals: number, spec: TwapSpec): string | null {
  const { size, executedSize, executedValue, minutes, timestamp, trigger, stopPrice } = spec
  const isSize = (given: Decimal): boolean =>
    !given.isNegative() && unitsAt(given, decimals) !== null
  if (!isSize(size) || size.isZero()) {
    return `sz: must be above zero and have at most ${String(decimals)} decimals, got ${size.toString()}`
  }
  if (!isSize(executedSize) || executedSize.gte(size)) {
    return `executedSz: must be from 0 to less than sz, got ${executedSize.toString()}`
  }
  if (executedValue.isNegative()) return 'executedNtl: must not be negative'
  if (minutes < minutesMin || minutes > minutesMax) {
    return `minutes: must be from ${String(minutesMin)} to ${String(minutesMax)}, got ${String(minutes)}`
  }
  if (trigger !== null && !trigger.price.isPositive()) return 'trigger.px: must be above zero'
  if (stopPrice?.isPositive() === false) return 'stopPx: must be above zero'
  const lastsMs = minutes * world.options.twapMinuteMs
  const since = world.nowMs - (timestamp ?? world.nowMs)
  const isWaiting = trigger !== null && executedSize.isZero()
  return since < 0 || (since >= lastsMs && !isWaiting)
    ? `timestamp: must be from ${String(world.nowMs - lastsMs + 1)} to ${String(world.nowMs)}, got ${String(timestamp)}`
    : null
}
