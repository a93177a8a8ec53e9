import { defaultRules } from '../../src/core/rules/rules.ts'
import type { Rules } from '../../src/core/rules/rules.ts'
import { Decimal } from '../../src/core/values/decimal.ts'
import type { HabitKind } from './habitKinds.ts'
import type { DexWorld, Plan } from './plan.ts'

/** The widest that the rules' bounds allow, so that the collateral is what bounds. */
const wideRules = {
  ...{ riskPerTrade: Decimal.of('0.05'), openRisk: Decimal.of('0.2') },
  ...{ maxLeverage: Decimal.of('10'), maxPosition: Decimal.of('10') },
}

/** The rules that a world begins with. */
export function startRules({ margin, maxOpenOrders, habits, dexes }: Plan): Rules {
  return {
    ...defaultRules,
    ...(margin === 'wide' ? wideRules : {}),
    margin: margin === 'isolated' ? 'isolated' : 'cross',
    ...(maxOpenOrders === null ? {} : { maxOpenOrders }),
    ...(habits.some(isWaiting) ? { triggerEntries: 'watched' } : {}),
    ...(habits.includes('twaps') ? { twap: 'watched' } : {}),
    ...(habits.includes('spot_sells') ? { spot: 'sell' } : {}),
    ...(dexes === null ? {} : dexRules(dexes)),
  }
}

function isWaiting(habit: HabitKind): boolean {
  return habit === 'trigger_entries' || habit === 'breakouts'
}

function dexRules({ markets, stopGap, bookShare }: DexWorld): Partial<Rules> {
  return {
    markets,
    dexStopGap: stopGap === null ? null : Decimal.of(stopGap),
    maxBookShare: bookShare === null ? null : Decimal.of(bookShare),
  }
}
