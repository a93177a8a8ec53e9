import type { Address } from '../../../src/core/values/address.ts'
import { cancelAction, orderAction } from './steps.ts'
import type { Step, StepSource } from './steps.ts'

/** A vault trades on the main dex, without a builder, and money is taken out of it. */
export function vaultStep(source: StepSource & { readonly vault: Address }): Step {
  const { dice, state, vault } = source
  const roll = dice.below(10)
  if (roll < 3) return { kind: 'withdraw', who: vault, amount: String(dice.between(1, 1500)) }
  if (roll < 4) return { kind: 'deposit', who: vault, amount: String(dice.between(500, 2500)) }
  if (roll < 5) return { kind: 'action', who: vault, action: cancelAction(source, vault) }
  const main = { ...state, markets: state.markets.filter(({ dex }) => dex === '') }
  const action = orderAction({ ...source, state: main }, vault)
  return { kind: 'action', who: vault, action: { ...action, builder: null } as typeof action }
}
