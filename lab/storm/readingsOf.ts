import type { SimulatorOptions } from '../sim/simulatorOptions.ts'
import { Chance } from './chance.ts'
import type { Plan } from './plan.ts'

/** Nobody knows which of two readings is the venue's: worlds differ in them. */
export function readingsOf({ seed, takesTwins }: Plan): NonNullable<SimulatorOptions['venue']> {
  return {
    duplicateCloid: takesTwins ? 'allow' : 'refuse-open',
    referencePrice: new Chance(seed, 'band').pick(['mark', 'oracle']),
    preValidationCarrier: new Chance(seed, 'whole').pick(['single-status', 'top-level']),
  }
}
