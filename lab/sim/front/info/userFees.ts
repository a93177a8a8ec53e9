import type { Json } from '../../../../src/core/protocol/action.ts'
import type { Address } from '../../../../src/core/values/address.ts'
import { Decimal } from '../../../../src/core/values/decimal.ts'
import { dayMs, millis, utcDay } from '../../../../src/core/values/millis.ts'
import type { VenueReads } from '../../engine/venueReads.ts'
import { wireNumber } from '../render/wireNumber.ts'

const vip: readonly (readonly [cutoff: string, cross: string, add: string])[] = [
  ['5000000.0', '0.0004', '0.00012'],
  ['25000000.0', '0.00035', '0.00008'],
  ['100000000.0', '0.0003', '0.00004'],
  ['500000000.0', '0.00028', '0.0'],
  ['2000000000.0', '0.00026', '0.0'],
  ['7000000000.0', '0.00024', '0.0'],
]

const feeSchedule: Json = {
  cross: '0.00045',
  add: '0.00015',
  spotCross: '0.0007',
  spotAdd: '0.0004',
  tiers: {
    vip: vip.map(([ntlCutoff, cross, add]) => ({
      ntlCutoff,
      cross,
      add,
      spotCross: '0.0007',
      spotAdd: '0.0004',
    })),
    mm: [
      { makerFractionCutoff: '0.005', add: '-0.00001' },
      { makerFractionCutoff: '0.015', add: '-0.00002' },
      { makerFractionCutoff: '0.03', add: '-0.00003' },
    ],
  },
  referralDiscount: '0.04',
  stakingDiscountTiers: [{ bpsOfMaxSupply: '0.0', discount: '0.0' }],
}

const daysShown = 14

/** The account's own rates, the schedule, and what it traded on each of the last days. */
export function userFees(venue: VenueReads, user: Address): Json {
  const rates = venue.feeRates(user)
  return {
    dailyUserVlm: dailyVolume(venue, user),
    feeSchedule,
    userCrossRate: wireNumber(rates.taker),
    userAddRate: wireNumber(rates.maker),
    userSpotCrossRate: '0.0007',
    userSpotAddRate: '0.0004',
    activeReferralDiscount: wireNumber(rates.referralDiscount),
    trial: null,
    feeTrialEscrow: '0.0',
    nextTrialAvailableTimestamp: null,
    stakingLink: null,
    activeStakingDiscount: { bpsOfMaxSupply: '0.0', discount: '0.0' },
  }
}

function dailyVolume(venue: VenueReads, user: Address): Json {
  const days = new Map<string, { cross: Decimal; add: Decimal }>()
  for (let ago = daysShown; ago >= 0; ago--) {
    const at = Math.max(0, venue.nowMs - ago * dayMs)
    days.set(utcDay(millis(at)), { cross: Decimal.zero, add: Decimal.zero })
  }
  for (const fill of venue.fills(user)) {
    const day = days.get(utcDay(millis(fill.time)))
    if (day === undefined) continue
    const value = fill.price.times(fill.size)
    if (fill.crossed) day.cross = day.cross.plus(value)
    else day.add = day.add.plus(value)
  }
  return [...days].map(([date, { cross, add }]) => ({
    date,
    userCross: wireNumber(cross),
    userAdd: wireNumber(add),
    exchange: wireNumber(cross.plus(add)),
  }))
}
