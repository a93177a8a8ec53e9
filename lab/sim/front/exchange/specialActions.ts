import type { Json } from '../../../../src/core/protocol/action.ts'
import type { Address } from '../../../../src/core/values/address.ts'
import { parseAddress } from '../../../../src/core/values/address.ts'
import { Decimal } from '../../../../src/core/values/decimal.ts'
import type { VenueAction } from '../../engine/venueAction.ts'

/** Settled here, or handed to the engine, possibly as another action that does the same. */
type Special =
  | { readonly kind: 'answer'; readonly reply: Json }
  | { readonly kind: 'apply'; readonly action: VenueAction | null }

type Fields = { readonly [key: string]: Json }

const refused = (text: string): Special => ({
  kind: 'answer',
  reply: { status: 'err', response: text },
})
const done: Special = { kind: 'answer', reply: { status: 'ok', response: { type: 'default' } } }
const usdcDecimals = 6

/** Actions around vaults, sub-accounts and dexs, none of which exist here. */
export function specialAnswer(user: Address, type: string, canonical: Json): Special {
  const fields = canonical as Fields
  switch (type) {
    case 'vaultTransfer':
    case 'vaultModify':
    case 'vaultDistribute':
      return refused(`Vault not registered: ${String(fields['vaultAddress'])}`)
    case 'subAccountTransfer':
    case 'subAccountSpotTransfer':
      return refused(
        `Invalid sub-account transfer from ${user} to ${String(fields['subAccountUser'])}`,
      )
    case 'agentSendAsset':
    case 'sendAsset':
      return send(user, type, fields)
    case 'agentEnableDexAbstraction':
    case 'userDexAbstraction':
    case 'spotUser':
      return done
    default:
      return { kind: 'apply', action: null }
  }
}

/** Between one's own balances, or from perp to perp to somebody else; only USDC exists. */
function send(user: Address, type: string, fields: Fields): Special {
  const destination = parseAddress(fields['destination'])
  const amount = Decimal.parse(fields['amount'])
  if (!destination.ok || !amount.ok || amount.value.scale > usdcDecimals) {
    return refused('Invalid send')
  }
  const isOwn = destination.value === user
  if (!isOwn && type === 'agentSendAsset') {
    return refused('Agent can only send asset to same user or their sub-accounts.')
  }
  const from = fields['sourceDex']
  const to = fields['destinationDex']
  const isUsdc = typeof fields['token'] === 'string' && fields['token'].startsWith('USDC')
  if (!isUsdc || !amount.value.isPositive()) return refused('Invalid send')
  if (isOwn && ((from === '' && to === 'spot') || (from === 'spot' && to === ''))) {
    const action: VenueAction = {
      type: 'usdClassTransfer',
      amount: amount.value,
      toPerp: to === '',
    }
    return { kind: 'apply', action }
  }
  if (!isOwn && from === '' && to === '') {
    const action: VenueAction = {
      type: 'usdSend',
      destination: destination.value,
      amount: amount.value,
    }
    return { kind: 'apply', action }
  }
  return refused('Invalid send')
}
