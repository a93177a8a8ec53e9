import { hexToBytes } from '../values/hex.ts'
import { utf8Encode } from '../values/utf8.ts'
import type { Json, JsonObject } from './action.ts'
import type { Keccak256 } from './crypto.ts'
import { domainSeparator, hashAction, typedDataDigest, uint256 } from './hashAction.ts'
import type { Network } from './hashAction.ts'

/**
 * The venue's second scheme: typed data over the action's own fields. Guard forwards no such action;
 * it computes the digest to name the client that sent one.
 */

type FieldType = 'string' | 'address' | 'bool' | 'uint32' | 'uint64' | 'bytes' | 'bytes32'
type TypedField = readonly [name: string, type: FieldType]

interface TypedAction {
  readonly name: string
  /** After `hyperliquidChain`, which all of them begin with. */
  readonly fields: readonly TypedField[]
}

const destination: TypedField = ['destination', 'string']
const amount: TypedField = ['amount', 'string']
const token: TypedField = ['token', 'string']
const time: TypedField = ['time', 'uint64']
const nonce: TypedField = ['nonce', 'uint64']
const wei: TypedField = ['wei', 'uint64']
const userField: TypedField = ['user', 'address']
const sourceDex: TypedField = ['sourceDex', 'string']

const typedActions: { readonly [type: string]: TypedAction } = {
  usdSend: { name: 'UsdSend', fields: [destination, amount, time] },
  spotSend: { name: 'SpotSend', fields: [destination, token, amount, time] },
  withdraw3: { name: 'Withdraw', fields: [destination, amount, time] },
  usdClassTransfer: { name: 'UsdClassTransfer', fields: [amount, ['toPerp', 'bool'], nonce] },
  sendAsset: {
    name: 'SendAsset',
    fields: [
      destination,
      sourceDex,
      ['destinationDex', 'string'],
      token,
      amount,
      ['fromSubAccount', 'string'],
      nonce,
    ],
  },
  sendToEvmWithData: {
    name: 'SendToEvmWithData',
    fields: [
      token,
      amount,
      sourceDex,
      ['destinationRecipient', 'string'],
      ['addressEncoding', 'string'],
      ['destinationChainId', 'uint32'],
      ['gasLimit', 'uint64'],
      ['data', 'bytes'],
      nonce,
    ],
  },
  approveAgent: {
    name: 'ApproveAgent',
    fields: [['agentAddress', 'address'], ['agentName', 'string'], nonce],
  },
  approveBuilderFee: {
    name: 'ApproveBuilderFee',
    fields: [['maxFeeRate', 'string'], ['builder', 'address'], nonce],
  },
  cDeposit: { name: 'CDeposit', fields: [wei, nonce] },
  cWithdraw: { name: 'CWithdraw', fields: [wei, nonce] },
  tokenDelegate: {
    name: 'TokenDelegate',
    fields: [['validator', 'address'], wei, ['isUndelegate', 'bool'], nonce],
  },
  convertToMultiSigUser: { name: 'ConvertToMultiSigUser', fields: [['signers', 'string'], nonce] },
  userDexAbstraction: {
    name: 'UserDexAbstraction',
    fields: [userField, ['enabled', 'bool'], nonce],
  },
  userSetAbstraction: {
    name: 'UserSetAbstraction',
    fields: [userField, ['abstraction', 'string'], nonce],
  },
  userPortfolioMargin: {
    name: 'UserPortfolioMargin',
    fields: [userField, ['enabled', 'bool'], nonce],
  },
  linkStakingUser: { name: 'LinkStakingUser', fields: [userField, ['isFinalize', 'bool'], nonce] },
  stakingLinkDisableTradingUser: {
    name: 'StakingLinkDisableTradingUser',
    fields: [['tradingUser', 'address'], nonce],
  },
}

/** The digest of a user-signed action; null when its fields are not what its type signs. */
export function userSignedDigest(keccak256: Keccak256, action: JsonObject): Uint8Array | null {
  const typed = typedActionOf(action)
  return typed === null ? null : typedDigest(keccak256, typed, action['signatureChainId'], action)
}

/** What each of several signers signs: two fields more say for which account and to which leader. */
export function sharedUserDigest(
  keccak256: Keccak256,
  action: JsonObject,
  multiSigUser: string,
  outerSigner: string,
): Uint8Array | null {
  const typed = typedActionOf(action)
  if (typed === null) return null
  const both: readonly TypedField[] = [
    ['payloadMultiSigUser', 'address'],
    ['outerSigner', 'address'],
  ]
  const message = { ...action, payloadMultiSigUser: multiSigUser, outerSigner }
  const shared = { name: typed.name, fields: [...both, ...typed.fields] }
  return typedDigest(keccak256, shared, action['signatureChainId'], message)
}

function typedActionOf(action: JsonObject): TypedAction | null {
  const type = action['type']
  if (typeof type !== 'string' || !Object.hasOwn(typedActions, type)) return null
  return typedActions[type] ?? null
}

/** The digest that the leader of a multi-sig signs: over the hash of the envelope without its type. */
export function multiSigDigest(
  keccak256: Keccak256,
  action: JsonObject,
  nonceSent: number,
  vaultAddress: string | null,
  expiresAfter: number | null,
  network: Network,
): Uint8Array | null {
  const rest = Object.fromEntries(Object.entries(action).filter(([key]) => key !== 'type'))
  const hash = hashAction(keccak256, rest, nonceSent, vaultAddress, expiresAfter)
  const typed: TypedAction = {
    name: 'SendMultiSig',
    fields: [['multiSigActionHash', 'bytes32'], nonce],
  }
  const message = { hyperliquidChain: chainName(network), nonce: nonceSent }
  return typedDigest(keccak256, typed, action['signatureChainId'], message, hash)
}

/** The network a user-signed action names; null when it names neither. */
export function namedNetwork(action: JsonObject): Network | null {
  const chain = action['hyperliquidChain']
  if (chain === chainName('mainnet')) return 'mainnet'
  return chain === chainName('testnet') ? 'testnet' : null
}

function chainName(network: Network): string {
  return network === 'mainnet' ? 'Mainnet' : 'Testnet'
}

function typedDigest(
  keccak256: Keccak256,
  typed: TypedAction,
  signatureChainId: Json | undefined,
  message: JsonObject,
  hash?: Uint8Array,
): Uint8Array | null {
  if (typeof signatureChainId !== 'string' || !chainIdPattern.test(signatureChainId)) return null
  const fields: readonly TypedField[] = [['hyperliquidChain', 'string'], ...typed.fields]
  const list = fields.map(([name, type]) => `${type} ${name}`).join(',')
  const typeText = `HyperliquidTransaction:${typed.name}(${list})`
  const words = new Uint8Array(32 * (fields.length + 1))
  words.set(keccak256(utf8Encode(typeText)), 0)
  for (const [at, [name, type]] of fields.entries()) {
    const word = type === 'bytes32' ? hash : encodeWord(keccak256, name, type, message[name])
    if (word === undefined || word === null) return null
    words.set(word, 32 * (at + 1))
  }
  const domain = domainSeparator(keccak256, domainName, BigInt(signatureChainId))
  return typedDataDigest(keccak256, domain, keccak256(words))
}

const domainName = 'HyperliquidSignTransaction'
const chainIdPattern = /^0x[0-9a-fA-F]{1,16}$/

function encodeWord(
  keccak256: Keccak256,
  name: string,
  type: Exclude<FieldType, 'bytes32'>,
  value: Json | undefined,
): Uint8Array | null {
  switch (type) {
    case 'string':
      return encodeText(keccak256, name, value)
    case 'bool':
      return typeof value === 'boolean' ? uint256(value ? 1n : 0n) : null
    case 'uint32':
    case 'uint64':
      return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
        ? uint256(BigInt(value))
        : null
    case 'address':
      return encodeAddress(value)
    case 'bytes': {
      const bytes = typeof value === 'string' ? hexToBytes(value.replace(/^0x/, '')) : null
      return bytes === null ? null : keccak256(bytes)
    }
  }
}

function encodeText(
  keccak256: Keccak256,
  name: string,
  value: Json | undefined,
): Uint8Array | null {
  // An agent without a name is signed as the empty text, and sent as that, as null or not at all.
  const isUnnamed = name === 'agentName' && (value === undefined || value === null)
  const text = isUnnamed ? '' : value
  return typeof text === 'string' ? keccak256(utf8Encode(text)) : null
}

function encodeAddress(value: Json | undefined): Uint8Array | null {
  const bytes = typeof value === 'string' ? hexToBytes(value.replace(/^0x/, '')) : null
  if (bytes?.length !== 20) return null
  const word = new Uint8Array(32)
  word.set(bytes, 12)
  return word
}
