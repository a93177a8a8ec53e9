import { accountReadings } from './accounts/accountReadings.ts'
import type { SimulatorOptions } from '../sim/simulatorOptions.ts'
import { eitherOf } from './chance.ts'
import type { Plan } from './plan.ts'

type Readings = NonNullable<SimulatorOptions['options']>

/** Nobody knows which of two readings is the venue's: worlds differ in them. */
export function readingsOf(plan: Plan): Readings {
  const { seed, takesTwins, habits, dexes, isOfAccounts } = plan
  const either = eitherOf(seed)
  return {
    duplicateCloid: takesTwins ? 'allow' : 'refuse',
    referencePrice: either('band', ['mark', 'oracle']),
    prevalidation: either('whole', ['single_status', 'err']),
    instantTriggers: either('instant', ['accept', 'refuse']),
    child_side: either('child side', ['any', 'strict']),
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
    ...(habits.includes('twaps') ? twapReadings(seed) : {}),
    ...(dexes === null ? {} : dexReadings(seed)),
    ...(isOfAccounts ? accountReadings(seed) : {}),
  }
}

/** Of TWAPs that bots send; a minute of one is short, so that it is over within a storm. */
function twapReadings(seed: number): Readings {
  const either = eitherOf(seed)
  return {
    twap_ro_flat: either('twap flat', ['idle', 'end']),
    twap_waiting_listed: either('twap waits', [true, false]),
    twap_ref: either('twap slips', ['mid', 'mark']),
    twapMinuteMs: 1_000,
  }
}

/** Of builder dexes. */
function dexReadings(seed: number): Readings {
  const either = eitherOf(seed)
  return {
    haltStatus: either('halt', ['delistedCanceled', 'internalCancel']),
    haltedMeta: either('halted', ['delisted', 'listed']),
    dexBand: either('dex band', ['reference', 'mark', 'none']),
    twoInputMedian: either('median', ['mean', 'lower', 'upper']),
    oracleStep: either('oracle step', ['free', 'percent']),
    stoppedOracle: either('stopped oracle', ['silent', 'told']),
    capText: either('cap', ['docs', 'node']),
    dexRemoval: either('dex removal', ['hole', 'shift']),
  }
}
