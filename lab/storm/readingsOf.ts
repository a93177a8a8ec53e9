import type { SimulatorOptions } from '../sim/simulatorOptions.ts'
import { Chance } from './chance.ts'
import type { Plan } from './plan.ts'

/** Nobody knows which of two readings is the venue's: worlds differ in them. */
export function readingsOf({ seed, takesTwins }: Plan): NonNullable<SimulatorOptions['options']> {
  const either = <const Value>(name: string, values: readonly Value[]): Value =>
    new Chance(seed, name).pick(values)
  return {
    duplicateCloid: takesTwins ? 'allow' : 'refuse',
    referencePrice: either('band', ['mark', 'oracle']),
    prevalidation: either('whole', ['single_status', 'err']),
    instantTriggers: either('instant', ['accept', 'refuse']),
    trigger_cmp: either('touch', ['ge', 'gt']),
    trigger_new_oid: either('number', [false, true]),
    ioc_margin_px: either('margin price', ['mark', 'limit']),
    bothSides: either('both sides', ['sum', 'max']),
    oppositeExcess: either('excess', ['reserve', 'ignore']),
    liqCancels: either('liquidated orders', ['all', 'coin']),
    liquidationFee: either('liquidation fee', ['taker', 'none']),
    unified_total: either('total', ['equity', 'cash']),
    neverSetMode: either('mode', ['default', 'null']),
    http429_executes: either('429', ['false', 'random']),
  }
}
