import type { Json } from '../../../src/core/protocol/action.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import { freeToWithdraw } from './money.ts'
import { texts } from './texts.ts'
import type { Account, World } from './world.ts'

/**
 * What the venue says to an account that has not what an action takes: no account here is a
 * validator or deploys anything, and there are no outcome markets.
 */

type Fields = { readonly [key: string]: Json }
type Refuse = (fields: Fields, free: Decimal) => string | null

const millionth = Decimal.of('0.000001')

const refusals: { readonly [type: string]: Refuse } = {
  activateOutcomeDeployer: ({ isDeactivate }) =>
    isDeactivate === true ? texts.noOutcomeDeployer : texts.stake,
  authorizeAqav2Role: () => texts.stake,
  CSignerAction: () => texts.signerInactive,
  CValidatorAction: ({ register }) =>
    register === undefined ? texts.unknownValidator : texts.stake,
  validatorL1Stream: () => texts.unknownValidator,
  finalizeEvmContract: () => 'Error deploying spot: Pending EVM contract missing',
  spotDeploy: ({ outcome }) =>
    outcome === undefined ? 'Error deploying spot: not a spot deployer' : texts.noOutcomeDeployer,
  perpDeploy: () => 'Error deploying perp: not a perp deployer',
  gossipPriorityBid: () => 'Insufficient gas at current auction price.',
  linkStakingUser: () => texts.stakingLink,
  stakingLinkDisableTradingUser: () => texts.stakingLink,
  userOutcome: ({ mergeQuestion, negateOutcome }) =>
    mergeQuestion === undefined && negateOutcome === undefined
      ? 'Invalid outcome'
      : 'Invalid question',
  claimRewards: () => 'No rewards to claim',
  hip3LiquidatorTransfer: ({ ntl, isDeposit }, free) => {
    if (isDeposit !== true) return 'Insufficient balance for withdrawal.'
    return free.lt(usd(ntl)) ? 'Insufficient funds available to deposit.' : null
  },
}

/** The venue's refusal of an action that is not carried out here, or that it is not carried out. */
export function refusalOf(world: World, account: Account, type: string, action: Json): string {
  const refuse = Object.hasOwn(refusals, type) ? refusals[type] : undefined
  const free = freeToWithdraw(world, account)
  const why = refuse?.(action as Fields, free) ?? null
  return why ?? `Action ${type} is not supported by the simulator.`
}

function usd(micro: Json | undefined): Decimal {
  return Decimal.whole(typeof micro === 'number' ? micro : 0).times(millionth)
}
