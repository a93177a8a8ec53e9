import type { Json } from '../../../../src/core/protocol/action.ts'
import type { Address } from '../../../../src/core/values/address.ts'
import { parseAddress } from '../../../../src/core/values/address.ts'
import { Decimal } from '../../../../src/core/values/decimal.ts'
import { tokenNamed } from '../../engine/spotPairs.ts'
import type { SpotToken } from '../../engine/spotPairs.ts'
import type { Place } from '../../engine/tokens.ts'
import type { MultiSigView } from '../../engine/views.ts'
import type { VenueAction } from '../../engine/venueAction.ts'
import { array, addressText, isObject, object, uint } from './schema.ts'

/** User-signed actions have no schema before: each field is looked at here. */
type Fields = { readonly [key: string]: Json }
type Convert = (fields: Fields) => VenueAction | 'unfit'

/** Actions that move tokens, or the right to move them. */
export const tokenActions: { readonly [type: string]: Convert } = {
  spotSend: (fields) => {
    const sent = tokenSend(fields, fields['time'])
    const destination = parseAddress(fields['destination'])
    if (sent === null || !destination.ok) return 'unfit'
    return sent.token === null
      ? unknownToken
      : { type: 'spotSend', ...sent, token: sent.token, destination: destination.value }
  },
  sendAsset,
  agentSendAsset: sendAsset,
  sendToEvmWithData: (fields) => {
    const sent = tokenSend(fields, fields['nonce'])
    const from = placeOf(fields['sourceDex'])
    if (sent === null || from === null) return 'unfit'
    if (sent.token === null) return unknownToken
    return { type: 'sendToEvm', ...sent, token: sent.token, from }
  },
  usdClassTransfer: (fields) => {
    // A transfer for a sub-account names it behind the amount: `12.5 subaccount:0x..`.
    const [text, rest] = String(fields['amount']).split(' subaccount:')
    const amount = Decimal.parse(text)
    const subAccount = rest === undefined ? null : parseAddress(rest)
    if (!amount.ok || typeof fields['toPerp'] !== 'boolean' || subAccount?.ok === false) {
      return 'unfit'
    }
    return {
      type: 'usdClassTransfer',
      amount: amount.value,
      toPerp: fields['toPerp'],
      subAccount: subAccount?.value ?? null,
    }
  },
  cDeposit: (fields) => withWei(fields, (wei) => ({ type: 'cDeposit', wei })),
  cWithdraw: (fields) => withWei(fields, (wei) => ({ type: 'cWithdraw', wei })),
  tokenDelegate: (fields) => {
    const validator = parseAddress(fields['validator'])
    const isUndelegate = fields['isUndelegate']
    if (!validator.ok || typeof isUndelegate !== 'boolean') return 'unfit'
    return withWei(fields, (wei) => ({
      ...{ type: 'tokenDelegate', validator: validator.value, wei, isUndelegate },
    }))
  },
  borrowLend: (fields) => {
    const operation = operations.find((each) => each === fields['operation'])
    if (operation === undefined) return 'unfit'
    const amount = fields['amount'] as string | null
    return {
      type: 'borrowLend',
      operation,
      token: fields['token'] as number,
      amount: amount === null ? null : Decimal.of(amount),
    }
  },
  convertToMultiSigUser: (fields) => {
    const signers = readSigners(fields['signers'])
    return signers === 'unfit' ? 'unfit' : { type: 'convertToMultiSigUser', signers }
  },
  spotUser: (fields) => {
    const { optOut } = fields['toggleSpotDusting'] as { readonly optOut: boolean }
    return { type: 'spotUser', optOut }
  },
}

const operations = ['supply', 'withdraw', 'borrow', 'repay'] as const
/** Of a token that nobody knows nothing can be sent. */
const unknownToken: VenueAction = { type: 'refused', text: 'Invalid send' }

function sendAsset(fields: Fields): VenueAction | 'unfit' {
  const sent = tokenSend(fields, fields['nonce'])
  const destination = parseAddress(fields['destination'])
  const [from, to] = [placeOf(fields['sourceDex']), placeOf(fields['destinationDex'])]
  const fromSub = fields['fromSubAccount'] ?? ''
  if (sent === null || !destination.ok || from === null || to === null) return 'unfit'
  const subAccount = fromSub === '' ? null : parseAddress(fromSub)
  if (subAccount?.ok === false) return 'unfit'
  if (sent.token === null) return unknownToken
  return {
    ...{ type: 'sendAsset', ...sent, token: sent.token, destination: destination.value, from, to },
    ...{ isByAgent: fields['type'] === 'agentSendAsset', subAccount: subAccount?.value ?? null },
  }
}

/** Whether there is such a place the venue itself knows; null where it is no text. */
function placeOf(json: Json | undefined): Place | null {
  return typeof json === 'string' ? json : null
}

function tokenSend(
  fields: Fields,
  nonce: Json | undefined,
): { token: SpotToken | null; amount: Decimal; nonce: number } | null {
  const amount = Decimal.parse(fields['amount'])
  const token = fields['token']
  if (!amount.ok || typeof token !== 'string' || typeof nonce !== 'number') return null
  return { token: tokenNamed(token), amount: amount.value, nonce }
}

function withWei(fields: Fields, make: (wei: number) => VenueAction): VenueAction | 'unfit' {
  const wei = uint(fields['wei'])
  return typeof wei === 'number' ? make(wei) : 'unfit'
}

const signersSchema = object({ authorizedUsers: array(addressText), threshold: uint })

/** The signers travel as a text of JSON; `null` in it ends the sharing. */
function readSigners(json: Json | undefined): MultiSigView | null | 'unfit' {
  if (typeof json !== 'string') return 'unfit'
  let parsed: Json
  try {
    parsed = JSON.parse(json) as Json
  } catch {
    return 'unfit'
  }
  if (parsed === null) return null
  const read = signersSchema(parsed)
  if (!isObject(read)) return 'unfit'
  return {
    users: read['authorizedUsers'] as unknown as readonly Address[],
    threshold: read['threshold'] as number,
  }
}
