import type { Json } from '../../../../src/core/protocol/action.ts'
import { parseAddress } from '../../../../src/core/values/address.ts'
import type { Address } from '../../../../src/core/values/address.ts'
import { Decimal } from '../../../../src/core/values/decimal.ts'
import { tokenNamed } from '../../engine/spotPairs.ts'
import { texts } from '../../engine/texts.ts'
import type { VenueAction } from '../../engine/venueAction.ts'

/** What an account does with its sub-accounts and with vaults, from the wire. */

type Fields = { readonly [key: string]: Json }
type Convert = (fields: Fields) => VenueAction | 'unfit'

const millionth = Decimal.of('0.000001')

/** USDC from a whole number of millionths, as transfers of sub-accounts and vaults name it. */
function usdcOf(json: Json | undefined): Decimal {
  return Decimal.whole(json as number).times(millionth)
}

function named(
  fields: Fields,
  key: string,
  make: (who: Address) => VenueAction,
): VenueAction | 'unfit' {
  const who = parseAddress(fields[key])
  return who.ok ? make(who.value) : 'unfit'
}

export const ownedActions: { readonly [type: string]: Convert } = {
  createSubAccount: (fields) => ({ type: 'createSubAccount', name: fields['name'] as string }),
  subAccountModify: (fields) =>
    named(fields, 'subAccountUser', (subAccount) => ({
      ...{ type: 'subAccountModify', subAccount, name: fields['name'] as string },
    })),
  subAccountTransfer: (fields) =>
    named(fields, 'subAccountUser', (subAccount) => ({
      ...{ type: 'subAccountTransfer', subAccount, usdc: usdcOf(fields['usd']) },
      isDeposit: fields['isDeposit'] as boolean,
    })),
  subAccountSpotTransfer: (fields) => {
    const token = tokenNamed(fields['token'] as string)
    if (token === null) return { type: 'refused', text: texts.badToken }
    return named(fields, 'subAccountUser', (subAccount) => ({
      ...{ type: 'subAccountSpotTransfer', subAccount, token },
      ...{ isDeposit: fields['isDeposit'] as boolean },
      amount: Decimal.of(fields['amount'] as string),
    }))
  },
  createVault: (fields) => ({
    ...{ type: 'createVault', name: fields['name'] as string },
    description: fields['description'] as string,
    usdc: usdcOf(fields['initialUsd']),
  }),
  vaultModify: (fields) =>
    named(fields, 'vaultAddress', (vault) => ({
      ...{ type: 'vaultModify', vault },
      allowDeposits: fields['allowDeposits'] as boolean | null,
      alwaysCloseOnWithdraw: fields['alwaysCloseOnWithdraw'] as boolean | null,
    })),
  vaultTransfer: (fields) =>
    named(fields, 'vaultAddress', (vault) => ({
      ...{ type: 'vaultTransfer', vault, usdc: usdcOf(fields['usd']) },
      isDeposit: fields['isDeposit'] as boolean,
    })),
  vaultDistribute: (fields) =>
    named(fields, 'vaultAddress', (vault) => ({
      ...{ type: 'vaultDistribute', vault, usdc: usdcOf(fields['usd']) },
    })),
}
