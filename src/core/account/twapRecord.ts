import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import type { Millis } from '../values/millis.ts'
import type { ReservedTwap } from './reservation.ts'
import type { TwapLife } from './twapLife.ts'

/** A TWAP that went through Guard, for the next start, as plain JSON. */
export interface TwapRecord {
  /** The action that it was sent with. */
  readonly action: string
  readonly at: number
  readonly id: number | null
  readonly played: string
  readonly plan: TwapPlanRecord
}

/** What was decided of a TWAP, as plain JSON. */
export interface TwapPlanRecord {
  readonly coin: string
  readonly is_buy: boolean
  readonly size: string
  readonly minutes: number
  readonly is_randomized: boolean
  readonly trigger: string | null
  readonly end: string | null
  /** Worst price, stop and worth; null where it can only reduce. */
  readonly opens: readonly [string, string, string] | null
}

export function twapPlanRecord(plan: ReservedTwap): TwapPlanRecord {
  const { coin, size, minutes, opens } = plan
  return {
    coin,
    is_buy: plan.isBuy,
    size: size.toString(),
    minutes,
    is_randomized: plan.isRandomized,
    trigger: plan.triggerPrice?.toString() ?? null,
    end: plan.endPrice?.toString() ?? null,
    opens:
      opens === null
        ? null
        : [opens.price.toString(), opens.stop.toString(), opens.worth.toString()],
  }
}

export function twapRecord({ action, at, id, played, plan }: TwapLife): TwapRecord {
  return { action, at, id, played: played.toString(), plan: twapPlanRecord(plan) }
}

/** The plan again; numbers that cannot be read are none of Guard's. */
export function restoredPlan(record: TwapPlanRecord): ReservedTwap {
  const { coin, size, minutes, trigger, end, opens } = record
  const [price, stop, worth] = opens ?? []
  return {
    kind: 'twap',
    coin: coin as Coin,
    isBuy: record.is_buy,
    size: Decimal.of(size),
    minutes,
    isRandomized: record.is_randomized,
    triggerPrice: trigger === null ? null : Decimal.of(trigger),
    endPrice: end === null ? null : Decimal.of(end),
    opens:
      price === undefined || stop === undefined || worth === undefined
        ? null
        : { price: Decimal.of(price), stop: Decimal.of(stop), worth: Decimal.of(worth) },
  }
}

/** When it was decided on. */
export function recordedAt({ at }: TwapRecord): Millis {
  return at as Millis
}
