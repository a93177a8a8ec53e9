import type { Json, JsonObject } from '../../../src/core/protocol/action.ts'
import { userSignedDigest } from '../../../src/core/protocol/userSigned.ts'
import { breach } from '../breach.ts'
import type { Attack } from '../attack.ts'
import type { Attacker } from '../attacker.ts'
import { onRecord, vetoed, vetoedBothWays } from '../held.ts'
import type { Signed } from '../signing.ts'
import { harmless } from './authentication.ts'

const thief = '0x000000000000000000000000000000000000dead'
const user = { hyperliquidChain: 'Testnet', signatureChainId: '0x66eee' }

/** Every action that moves funds or grants rights, as a thief would fill it in. */
const grave: { readonly [type: string]: JsonObject } = {
  usdSend: { ...user, destination: thief, amount: '100', time: 1 },
  spotSend: { ...user, destination: thief, token: 'USDC:0x0', amount: '100', time: 1 },
  withdraw3: { ...user, destination: thief, amount: '100', time: 1 },
  usdClassTransfer: { ...user, amount: '100', toPerp: false, nonce: 1 },
  sendAsset: {
    ...user,
    destination: thief,
    sourceDex: '',
    destinationDex: 'spot',
    token: 'USDC',
    amount: '1',
    fromSubAccount: '',
    nonce: 1,
  },
  sendToEvmWithData: {
    ...user,
    token: 'USDC',
    amount: '1',
    sourceDex: '',
    destinationRecipient: thief,
    addressEncoding: 'hex',
    destinationChainId: 1,
    gasLimit: 1,
    data: '0x',
    nonce: 1,
  },
  agentSendAsset: {
    destination: thief,
    sourceDex: '',
    destinationDex: 'spot',
    token: 'USDC',
    amount: '1',
    fromSubAccount: '',
    nonce: 1,
  },
  vaultTransfer: { vaultAddress: thief, isDeposit: true, usd: 100_000_000 },
  createVault: { name: 'x', description: 'x', initialUsd: 100_000_000, nonce: 1 },
  vaultDistribute: { vaultAddress: thief, usd: 1 },
  subAccountTransfer: { subAccountUser: thief, isDeposit: true, usd: 100_000_000 },
  subAccountSpotTransfer: { subAccountUser: thief, isDeposit: true, token: 'USDC', amount: '1' },
  cDeposit: { ...user, wei: 1, nonce: 1 },
  cWithdraw: { ...user, wei: 1, nonce: 1 },
  tokenDelegate: { ...user, validator: thief, wei: 1, isUndelegate: false, nonce: 1 },
  linkStakingUser: { ...user, user: thief, isFinalize: true, nonce: 1 },
  stakingLinkDisableTradingUser: { ...user, tradingUser: thief, nonce: 1 },
  borrowLend: { operation: 'borrow', token: 0, amount: '100' },
  hip3LiquidatorTransfer: { dex: 'x', ntl: 1, isDeposit: true },
  claimRewards: {},
  gossipPriorityBid: { slotId: 0, ip: '127.0.0.1', maxGas: 1 },
  approveAgent: { ...user, agentAddress: thief, agentName: '', nonce: 1 },
  approveBuilderFee: { ...user, maxFeeRate: '1%', builder: thief, nonce: 1 },
  convertToMultiSigUser: {
    ...user,
    signers: JSON.stringify({ authorizedUsers: [thief], threshold: 1 }),
    nonce: 1,
  },
  createSubAccount: { name: 'x' },
  vaultModify: { vaultAddress: thief, allowDeposits: true, alwaysCloseOnWithdraw: null },
  userSetAbstraction: { ...user, user: thief, abstraction: 'portfolioMargin', nonce: 1 },
  userDexAbstraction: { ...user, user: thief, enabled: true, nonce: 1 },
  userPortfolioMargin: { ...user, user: thief, enabled: true, nonce: 1 },
}

/** Actions that Guard does not forward for other reasons: they change how the account is margined, or who it is. */
const odd: { readonly [type: string]: JsonObject } = {
  agentSetAbstraction: { abstraction: 'p' },
  agentEnableDexAbstraction: {},
  reserveRequestWeight: { weight: 1_000_000 },
  topUpIsolatedOnlyMargin: { asset: 0, leverage: '1' },
  twapOrder: { twap: { a: 0, b: true, s: '1000', r: false, m: 5, t: false } },
  userOutcome: { splitOutcome: { outcome: 0, amount: '1' } },
  setReferrer: { code: 'X' },
  perpDeploy: { haltTrading: { coin: 'x:Y', isHalted: true } },
  spotDeploy: { registerToken2: {} },
  evmUserModify: { usingBigBlocks: true },
  spotUser: { toggleSpotDusting: { optOut: true } },
}

const plain: readonly Attack[] = [
  ...Object.entries(grave).map(([type, fields]) => simple(type, fields, 'funds_or_permissions')),
  ...Object.entries(odd).map(([type, fields]) => simple(type, fields, 'unsupported_action')),
]

function simple(type: string, fields: JsonObject, code: string): Attack {
  const isUsers = 'hyperliquidChain' in fields
  return {
    group: 'funds and rights',
    name: type,
    tries: `${type}, signed by the client${isUsers ? ' in both schemes' : ''}, over HTTP and over a socket`,
    venue: 'nothing',
    run: async (attacker) => {
      const action = { type, ...fields }
      if (!isUsers) return await vetoedBothWays(attacker, action, code)
      const how = vetoed((await attacker.send(action)).json, code)
      vetoed(await attacker.overSocket(attacker.sign(action)), code)
      const request = userSigned(attacker, action)
      vetoed((await attacker.exchange(request)).json, code)
      await onRecord(attacker, request.nonce)
      vetoed(await attacker.overSocket(userSigned(attacker, action)), code)
      return how
    },
  }
}

/** By the scheme in which the venue wants it: typed data over the action's own fields. */
function userSigned(attacker: Attacker, action: JsonObject): Signed {
  const nonce = attacker.pen.nonce()
  const dated = { ...action, ...('time' in action ? { time: nonce } : { nonce }) }
  const digest = userSignedDigest(attacker.pen.crypto.keccak256, dated)
  if (digest === null) throw new Error(`${String(action['type'])} has no typed data`)
  const { r, s, v } = attacker.pen.signDigest(digest)
  return { action: dated, nonce, signature: { r, s, v } }
}

/** In disguise: `make` returns the body; it must be refused over HTTP and as a socket's payload. */
function disguise(
  name: string,
  tries: string,
  make: (attacker: Attacker) => string,
  ...codes: readonly string[]
): Attack {
  const known = codes.length > 0 ? codes : ['malformed']
  return {
    group: 'funds and rights',
    name,
    tries,
    venue: 'nothing',
    run: async (attacker) => {
      const how = vetoed((await attacker.exchange(make(attacker))).json, ...known)
      let overSocket: Json
      try {
        overSocket = await attacker.overSocket(make(attacker))
      } catch (error) {
        return breach(`over the socket: ${error instanceof Error ? error.message : String(error)}`)
      }
      // What is no JSON is no frame either: the socket says so in the venue's words.
      if (typeof overSocket === 'string' && overSocket.startsWith('Error parsing JSON')) return how
      vetoed(overSocket, ...known)
      return how
    },
  }
}

const withdrawal = { type: 'withdraw3', ...grave['withdraw3'] }
const text = (attacker: Attacker, action: Json): string => JSON.stringify(attacker.sign(action))
const renamed = (type: Json) => (attacker: Attacker) => text(attacker, { ...withdrawal, type })
const refused = ['unsupported_action', 'funds_or_permissions', 'malformed'] as const
/** Signs the harmless order and sends something else in the same breath. */
const changed = (change: (body: string) => string) => (attacker: Attacker) =>
  change(text(attacker, harmless(attacker)))

const names: readonly Attack[] = [
  disguise('type-in-capitals', 'the type as WITHDRAW3', renamed('WITHDRAW3'), ...refused),
  disguise('type-in-other-case', 'the type as Withdraw3', renamed('Withdraw3'), ...refused),
  disguise('type-with-space', 'the type with a space behind it', renamed('withdraw3 '), ...refused),
  disguise(
    'type-with-null',
    'the type with a zero byte behind it',
    renamed('withdraw3\u0000'),
    ...refused,
  ),
  disguise(
    'type-with-zero-width',
    'the type with an invisible character in it',
    renamed('with\u200bdraw3'),
    ...refused,
  ),
  disguise(
    'type-in-cyrillic',
    'the type with a letter that only looks the same',
    renamed('withdrаw3'),
    ...refused,
  ),
  disguise(
    'order-in-fullwidth',
    'order in full-width letters',
    (attacker) => text(attacker, { ...(harmless(attacker) as JsonObject), type: 'ｏｒｄｅｒ' }),
    ...refused,
  ),
  disguise(
    'order-in-capitals',
    'an order of type Order',
    (attacker) => text(attacker, { ...(harmless(attacker) as JsonObject), type: 'Order' }),
    ...refused,
  ),
  disguise('type-in-a-list', 'the type as a list of one', renamed(['withdraw3']), ...refused),
  disguise('type-in-an-object', 'the type as an object', renamed({ withdraw3: true }), ...refused),
  disguise('type-of-null', 'no type at all', renamed(null), ...refused),
  ...['constructor', 'toString', '__proto__', 'hasOwnProperty', 'prototype'].map((type) =>
    disguise(
      `type-${type.replaceAll('_', '')}`,
      `the type as ${type}, which every object has`,
      renamed(type),
      ...refused,
    ),
  ),
  disguise(
    'escaped-type',
    'the type spelled with escapes',
    (attacker) => text(attacker, withdrawal).replace('"withdraw3"', '"\\u0077ithdra\\u00773"'),
    ...refused,
  ),
  disguise(
    'escaped-key',
    'the key type spelled with escapes',
    (attacker) => text(attacker, withdrawal).replace('"type"', '"\\u0074ype"'),
    ...refused,
  ),
]

const doubled: readonly Attack[] = [
  disguise(
    'type-twice',
    'an order whose type is given again as withdraw3',
    changed((body) => body.replace('"type":"order"', '"type":"order","type":"withdraw3"')),
  ),
  disguise(
    'type-twice-escaped',
    'the second type with an escaped key',
    changed((body) => body.replace('"type":"order"', '"type":"order","\\u0074ype":"withdraw3"')),
  ),
  disguise(
    'action-twice',
    'a second action in the envelope',
    changed((body) =>
      body.replace('{"action"', `{"action":${JSON.stringify(withdrawal)},"action"`),
    ),
  ),
  disguise(
    'action-twice-behind',
    'a second action behind the first',
    changed((body) => `${body.slice(0, -1)},"action":${JSON.stringify(withdrawal)}}`),
  ),
  disguise(
    'size-twice',
    'the size of an order given twice',
    changed((body) => body.replace(/"s":"/, '"s":"1000000","s":"')),
  ),
  disguise(
    'side-twice',
    'the side of an order given twice',
    changed((body) => body.replace('"b":true', '"b":true,"b":false')),
  ),
  disguise(
    'nonce-twice',
    'the nonce given twice',
    changed((body) => body.replace('"nonce":', '"nonce":1,"nonce":')),
  ),
  disguise(
    'signature-twice',
    'the signature given twice',
    changed((body) =>
      body.replace('"signature":', '"signature":{"r":"0x1","s":"0x1","v":27},"signature":'),
    ),
  ),
  disguise(
    'extra-in-envelope',
    'an unknown key in the envelope',
    changed((body) => `${body.slice(0, -1)},"isFrontend":true}`),
  ),
  disguise(
    'prototype-in-envelope',
    'a prototype in the envelope',
    changed((body) => `${body.slice(0, -1)},"__proto__":{"vaultAddress":"${thief}"}}`),
  ),
  disguise(
    'two-documents',
    'two requests in one body',
    changed((body) => `${body}${body}`),
  ),
  disguise(
    'two-documents-by-line',
    'two requests on two lines',
    changed((body) => `${body}\n${body}`),
  ),
  disguise(
    'list-of-requests',
    'a list of requests',
    changed((body) => `[${body}]`),
  ),
  disguise(
    'comment',
    'a comment in the JSON',
    changed((body) => body.replace('{', '{/*x*/')),
  ),
  disguise(
    'trailing-comma',
    'a comma too many',
    changed((body) => body.replace(/}$/, ',}')),
  ),
  disguise(
    'byte-order-mark',
    'a byte order mark before the body',
    changed((body) => `\ufeff${body}`),
  ),
  disguise(
    'single-quotes',
    'quotes of another language',
    changed((body) => body.replaceAll('"', "'")),
  ),
  disguise('action-as-text', 'the action as JSON in a text', (attacker) =>
    text(attacker, JSON.stringify(withdrawal)),
  ),
  disguise('action-as-list', 'the action as a list', (attacker) => text(attacker, [withdrawal])),
  disguise('order-with-transfer', 'a good order with a transfer in its fields', (attacker) =>
    text(attacker, { ...(harmless(attacker) as JsonObject), destination: thief, amount: '100' }),
  ),
  disguise('order-with-vault', 'a good order with a vault inside the action', (attacker) =>
    text(attacker, { ...(harmless(attacker) as JsonObject), vaultAddress: thief }),
  ),
  disguise('order-in-an-order', 'an order with an action inside', (attacker) =>
    text(attacker, { ...(harmless(attacker) as JsonObject), action: withdrawal }),
  ),
]

const multiSig = (action: Json): JsonObject => ({
  type: 'multiSig',
  signatureChainId: '0x66eee',
  signatures: [{ r: '0x1', s: '0x1', v: 27 }],
  payload: { multiSigUser: thief, outerSigner: thief, action },
})

const wrapped: readonly Attack[] = [
  disguise(
    'multisig-withdrawal',
    'a withdrawal wrapped in multiSig',
    (attacker) => text(attacker, multiSig(withdrawal)),
    ...refused,
  ),
  disguise(
    'multisig-order',
    'an order wrapped in multiSig',
    (attacker) => text(attacker, multiSig(harmless(attacker))),
    ...refused,
  ),
  disguise(
    'multisig-in-multisig',
    'a withdrawal wrapped twice',
    (attacker) => text(attacker, multiSig(multiSig(withdrawal))),
    ...refused,
  ),
  disguise(
    'multisig-of-order-type',
    'an order that carries a multiSig payload',
    (attacker) =>
      text(attacker, {
        ...(harmless(attacker) as JsonObject),
        payload: { action: withdrawal },
        signatures: [],
      }),
    ...refused,
  ),
  disguise(
    'batch-of-actions',
    'a made-up batch with a withdrawal in it',
    (attacker) => text(attacker, { type: 'batch', actions: [harmless(attacker), withdrawal] }),
    ...refused,
  ),
  disguise(
    'builder-fee',
    'an order with a fee for a stranger under a wrong key',
    (attacker) =>
      text(attacker, { ...(harmless(attacker) as JsonObject), Builder: { b: thief, f: 100 } }),
    ...refused,
  ),
  disguise(
    'cancel-with-withdrawal',
    'a cancel with a withdrawal among its items',
    (attacker) => text(attacker, { type: 'cancel', cancels: [{ a: 0, o: 1 }, withdrawal] }),
    ...refused,
  ),
]

export const fundsAttacks: readonly Attack[] = [...plain, ...names, ...doubled, ...wrapped]
