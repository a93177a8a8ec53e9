import type { Json } from '../../../../src/core/protocol/action.ts'
import { actionEntry } from '../../../../src/core/protocol/actionCatalog.ts'
import type { VenueAction } from '../../engine/venueAction.ts'
import { l1Schemas } from '../exchange/actionSchemas.ts'
import { addressText, bool, decimal, literal, object, text, uint } from '../exchange/schema.ts'
import type { Schema } from '../exchange/schema.ts'
import { toVenueAction } from '../exchange/toVenueAction.ts'
import { ControlProblem, readFields, readOptionalText } from './problems.ts'

/**
 * What the account itself signs has no order of its fields that a hash would depend on; these are
 * there to say which field of an action does not fit.
 */
const userSchemas: { readonly [type: string]: Schema } = {
  usdSend: object({ destination: addressText, amount: decimal }),
  withdraw3: object({ destination: addressText, amount: decimal }),
  usdClassTransfer: object({ amount: text, toPerp: bool }),
  spotSend: object({ destination: addressText, token: text, amount: decimal }),
  sendAsset: object({
    ...{ destination: addressText, sourceDex: text, destinationDex: text },
    ...{ token: text, amount: decimal, 'fromSubAccount?': text },
  }),
  approveAgent: object({ agentAddress: addressText, 'agentName?': text }),
  approveBuilderFee: object({ builder: addressText, maxFeeRate: text }),
  cDeposit: object({ wei: uint }),
  cWithdraw: object({ wei: uint }),
  tokenDelegate: object({ validator: addressText, wei: uint, isUndelegate: bool }),
  userSetAbstraction: object({
    user: addressText,
    abstraction: literal('disabled', 'unifiedAccount', 'portfolioMargin'),
  }),
  userDexAbstraction: object({ user: addressText, enabled: bool }),
}

/** The action of `/sim/act`; its problem names the field and what it may be. */
export function readAct(json: Json | undefined): VenueAction {
  const sent = readFields(json, 'action')
  const type = readOptionalText(sent['type'], 'action.type') ?? ''
  const isUserSigned = actionEntry(type).scheme === 'user'
  if (!l1Schemas.has(type) && !isUserSigned) {
    const known = [...l1Schemas.keys(), ...Object.keys(userSchemas)].join(', ')
    throw new ControlProblem(
      `action.type must be one of ${known}, got ${JSON.stringify(sent['type'] ?? null)}`,
    )
  }
  const schema = isUserSigned ? userSchemas[type] : l1Schemas.get(type)
  const problem = schema?.problem(sent, 'action') ?? null
  if (problem !== null) throw new ControlProblem(problem)
  const canonical = isUserSigned ? sent : schema?.(sent)
  const action = canonical === undefined ? 'unfit' : toVenueAction(type, canonical)
  if (action !== 'unfit') return action
  throw new ControlProblem(
    `action must be a ${type} as the wire has it, got ${JSON.stringify(sent).slice(0, 200)}`,
  )
}
