import {
  addressText,
  anything,
  array,
  bool,
  cloid,
  decimal,
  int,
  literal,
  nullable,
  object,
  oneOf,
  text,
  uint,
} from './schema.ts'
import type { Schema } from './schema.ts'

/** Every L1 action with its fields in the order that the hash depends on. */

export const orderSchema = object({
  a: uint,
  b: bool,
  p: decimal,
  s: decimal,
  r: bool,
  t: oneOf(
    object({ limit: object({ tif: literal('Gtc', 'Ioc', 'Alo', 'FrontendMarket') }) }),
    object({
      trigger: object({ isMarket: bool, triggerPx: decimal, tpsl: literal('tp', 'sl') }),
    }),
  ),
  'c?': cloid,
})

const grouping = oneOf(literal('na', 'normalTpsl', 'positionTpsl'), object({ p: uint }))
const reference = oneOf(uint, cloid)

const fields: { readonly [type: string]: { readonly [key: string]: Schema } } = {
  order: {
    orders: array(orderSchema),
    grouping,
    'builder?': object({ b: addressText, f: uint }),
  },
  cancel: { cancels: array(object({ a: uint, o: uint })), 'f?': bool },
  cancelByCloid: { cancels: array(object({ asset: uint, cloid })), 'f?': bool },
  modify: { oid: reference, order: orderSchema, 'a?': bool },
  batchModify: { modifies: array(object({ oid: reference, order: orderSchema })), 'a?': bool },
  scheduleCancel: { 'time?': uint },
  twapOrder: {
    twap: object({ a: uint, b: bool, s: decimal, r: bool, m: uint, t: bool }),
    'details?': object({
      t: nullable(object({ p: decimal, a: bool })),
      s: nullable(decimal),
    }),
  },
  twapCancel: { a: uint, t: uint },
  updateLeverage: { asset: uint, isCross: bool, leverage: uint },
  updateIsolatedMargin: { asset: uint, isBuy: bool, ntli: int },
  topUpIsolatedOnlyMargin: { asset: uint, leverage: decimal },
  noop: {},
  reserveRequestWeight: { weight: uint, 'destination?': addressText },
  agentSetAbstraction: { abstraction: literal('i', 'u', 'p') },
  agentEnableDexAbstraction: {},
  agentSendAsset: {
    destination: addressText,
    sourceDex: text,
    destinationDex: text,
    token: text,
    amount: decimal,
    fromSubAccount: text,
    nonce: uint,
  },
  createSubAccount: { name: text },
  subAccountModify: { subAccountUser: addressText, name: text },
  subAccountTransfer: { subAccountUser: addressText, isDeposit: bool, usd: uint },
  subAccountSpotTransfer: {
    subAccountUser: addressText,
    isDeposit: bool,
    token: text,
    amount: decimal,
  },
  vaultTransfer: { vaultAddress: addressText, isDeposit: bool, usd: uint },
  createVault: { name: text, description: text, initialUsd: uint, nonce: uint },
  vaultModify: {
    vaultAddress: addressText,
    allowDeposits: nullable(bool),
    alwaysCloseOnWithdraw: nullable(bool),
  },
  vaultDistribute: { vaultAddress: addressText, usd: uint },
  setReferrer: { code: text },
  registerReferrer: { code: text },
  setDisplayName: { displayName: text },
  claimRewards: {},
  evmUserModify: { usingBigBlocks: bool },
  spotUser: { toggleSpotDusting: object({ optOut: bool }) },
  borrowLend: { operation: text, token: uint, amount: nullable(decimal) },
  hip3LiquidatorTransfer: { dex: text, ntl: uint, isDeposit: bool },
  gossipPriorityBid: { slotId: uint, ip: text, maxGas: uint },
  validatorL1Stream: { riskFreeRate: decimal },
}

/** Known to the venue, too rare here for a schema: hashed as they were sent. */
const asSent: readonly string[] = [
  'userOutcome',
  'perpDeploy',
  'spotDeploy',
  'activateOutcomeDeployer',
  'finalizeEvmContract',
  'authorizeAqav2Role',
  'CSignerAction',
  'CValidatorAction',
  'multiSig',
]

export const l1Schemas: ReadonlyMap<string, Schema> = new Map<string, Schema>([
  ...Object.entries(fields).map(([type, rest]): [string, Schema] => [
    type,
    object({ type: literal(type), ...rest }),
  ]),
  ...asSent.map((type): [string, Schema] => [type, anything]),
])
