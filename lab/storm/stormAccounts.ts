import type { Crypto } from '../../src/core/protocol/crypto.ts'
import type { Json } from '../../src/core/protocol/action.ts'
import { Chance } from './chance.ts'
import { keys, owner, user } from './keys.ts'
import { dexEquity } from './dexes/dexPlan.ts'
import type { Plan } from './plan.ts'

/** What an account has to sell where bots sell what they hold. */
const spotHoldings: Json = [
  { coin: 'HYPE', total: '60' },
  { coin: 'PURR', total: '9000' },
  { coin: 'UETH', total: '0.8' },
]

/** The accounts of the venue of a world: Guard's, the owner of a sub-account, who else trades. */
export function accountsOf(plan: Plan, { secp256k1 }: Crypto): readonly Json[] {
  const agents = [secp256k1.addressOf(keys.api)]
  const held = {
    ...{ equity: '10000', mode: modeOf(plan) },
    ...(plan.habits.includes('spot_sells') ? { spot: spotHoldings } : {}),
    // A unified account has one balance for all of them.
    ...(plan.dexes === null || plan.isUnified ? {} : { dex_equity: dexEquity }),
  }
  const others =
    plan.habits.length === 0
      ? []
      : [{ address: secp256k1.addressOf(keys.market), equity: '100000000' }]
  return plan.isOwned
    ? [
        { address: user, ...held, [plan.isVault ? 'vault_of' : 'sub_of']: owner },
        // Who moves money to and from its sub-account needs some.
        { address: owner, equity: plan.isOfAccounts ? '20000' : '1', agents },
        ...others,
      ]
    : [{ address: user, ...held, agents }, ...others]
}

function modeOf({ seed, isUnified, isOfAccounts }: Plan): string {
  if (isUnified) return 'unifiedAccount'
  const isNeverSet = isOfAccounts && new Chance(seed, 'never set').is(0.25)
  return isNeverSet ? 'default' : 'disabled'
}
