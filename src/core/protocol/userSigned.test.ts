import fc from 'fast-check'
import { hashTypedData } from 'viem'
import { expect, test } from 'vitest'
import { bytesOf, readFixture } from '../../crypto/crypto.fixture.ts'
import { loadCrypto } from '../../crypto/loadCrypto.ts'
import { bytesToHex } from '../values/hex.ts'
import { anyText } from '../values/text.fixture.ts'
import { anyAddress } from './action.fixture.ts'
import type { Json, JsonObject } from './action.ts'
import { actionCatalog } from './actionCatalog.ts'
import type { Signature } from './crypto.ts'
import { decodeEnvelopeJson } from './decodeEnvelope.ts'
import { recoverSigner } from './recoverSigner.ts'
import { userSignedDigest } from './userSigned.ts'

const crypto = await loadCrypto({ prefer: 'wasm' })
const { keccak256, secp256k1 } = crypto

interface Vector {
  id: string
  kind: string
  privateKey: string
  primaryType: string
  action: JsonObject
  expected: Signature
  signer: string
  computedDigest: string
}
interface MultiSigVector {
  id: string
  kind: string
  multiSigUser: string
  outerSigner: string
  signatureChainId?: string
  nonce?: number
  innerAction?: JsonObject
  action?: JsonObject
  expected: { innerSignature: Signature; outerSignature: Signature }
  signer: string
}

const { vectors } = readFixture<{ vectors: (Vector & MultiSigVector)[] }>('signing.json')
const typeByName: { readonly [name: string]: string } = {
  UsdSend: 'usdSend',
  Withdraw: 'withdraw3',
  ApproveBuilderFee: 'approveBuilderFee',
}

test.each(
  vectors.filter((each) => each.kind === 'userSigned').map((each) => [each.id, each] as const),
)('signs as published: %s', (_id, vector) => {
  const type = typeByName[vector.primaryType.replace('HyperliquidTransaction:', '')]
  const digest = userSignedDigest(keccak256, { ...vector.action, type: type as string })
  if (digest === null) throw new Error('no digest')
  expect(`0x${bytesToHex(digest)}`).toBe(vector.computedDigest)
  expect(secp256k1.recover(digest, vector.expected)).toBe(vector.signer)
  const signed = secp256k1.sign(digest, bytesOf(vector.privateKey))
  expect(BigInt(signed.r)).toBe(BigInt(vector.expected.r))
  expect(BigInt(signed.s)).toBe(BigInt(vector.expected.s))
})

const trimmed = (scalar: string): string => `0x${BigInt(scalar).toString(16)}`

test.each(
  vectors
    .filter((each) => each.kind.startsWith('multiSig'))
    .map((each) => [each.id, each] as const),
)("recovers a multi-sig's leader: %s", (_id, vector) => {
  const inner = vector.expected.innerSignature
  const payloadAction = vector.innerAction ?? vector.action ?? {}
  const chainId = vector.signatureChainId ?? vector.action?.['signatureChainId']
  const action = {
    type: 'multiSig',
    signatureChainId: chainId as string,
    signatures: [{ r: trimmed(inner.r), s: trimmed(inner.s), v: inner.v }],
    payload: {
      multiSigUser: vector.multiSigUser,
      outerSigner: vector.outerSigner,
      action: payloadAction,
    },
  }
  const nonce = vector.nonce ?? (vector.action?.['time'] as number)
  const signature = { ...vector.expected.outerSignature }
  const envelope = decodeEnvelopeJson({ action, nonce, signature })
  if (!envelope.ok) throw new Error(envelope.error.join())
  expect(recoverSigner(crypto, envelope.value)).toContainEqual({
    address: vector.signer,
    signedAs: 'mainnet',
  })
})

/** The venue's table of user-signed actions, after `hyperliquidChain`. */
const table: readonly (readonly [type: string, name: string, fields: string])[] = [
  ['usdSend', 'UsdSend', 'destination string, amount string, time uint64'],
  ['spotSend', 'SpotSend', 'destination string, token string, amount string, time uint64'],
  ['withdraw3', 'Withdraw', 'destination string, amount string, time uint64'],
  ['usdClassTransfer', 'UsdClassTransfer', 'amount string, toPerp bool, nonce uint64'],
  [
    'sendAsset',
    'SendAsset',
    'destination string, sourceDex string, destinationDex string, token string, amount string, fromSubAccount string, nonce uint64',
  ],
  [
    'sendToEvmWithData',
    'SendToEvmWithData',
    'token string, amount string, sourceDex string, destinationRecipient string, addressEncoding string, destinationChainId uint32, gasLimit uint64, data bytes, nonce uint64',
  ],
  ['approveAgent', 'ApproveAgent', 'agentAddress address, agentName string, nonce uint64'],
  ['approveBuilderFee', 'ApproveBuilderFee', 'maxFeeRate string, builder address, nonce uint64'],
  ['cDeposit', 'CDeposit', 'wei uint64, nonce uint64'],
  ['cWithdraw', 'CWithdraw', 'wei uint64, nonce uint64'],
  [
    'tokenDelegate',
    'TokenDelegate',
    'validator address, wei uint64, isUndelegate bool, nonce uint64',
  ],
  ['convertToMultiSigUser', 'ConvertToMultiSigUser', 'signers string, nonce uint64'],
  ['userDexAbstraction', 'UserDexAbstraction', 'user address, enabled bool, nonce uint64'],
  ['userSetAbstraction', 'UserSetAbstraction', 'user address, abstraction string, nonce uint64'],
  ['userPortfolioMargin', 'UserPortfolioMargin', 'user address, enabled bool, nonce uint64'],
  ['linkStakingUser', 'LinkStakingUser', 'user address, isFinalize bool, nonce uint64'],
  [
    'stakingLinkDisableTradingUser',
    'StakingLinkDisableTradingUser',
    'tradingUser address, nonce uint64',
  ],
]

test('the table is the catalog of user-signed actions', () => {
  const types = Object.entries(actionCatalog).filter(([, entry]) => entry.scheme === 'user')
  expect(table.map(([type]) => type).toSorted()).toEqual(types.map(([type]) => type).toSorted())
})

const anyOf: { readonly [type: string]: fc.Arbitrary<Json> } = {
  string: anyText(50),
  bool: fc.boolean(),
  uint32: fc.integer({ min: 0, max: 0xffff_ffff }),
  uint64: fc.maxSafeInteger().map((value) => Math.abs(value)),
  address: anyAddress,
  bytes: fc.uint8Array({ maxLength: 40 }).map((bytes) => `0x${bytesToHex(bytes)}`),
}

test.each(table)('%s has the digest that viem computes', (type, name, fields) => {
  const typed = ['hyperliquidChain string', ...fields.split(', ')].map((each) => {
    const [fieldName, fieldType] = each.split(' ') as [string, string]
    return { name: fieldName, type: fieldType }
  })
  const anyMessage = fc.record(
    Object.fromEntries(typed.map((each) => [each.name, anyOf[each.type] as fc.Arbitrary<Json>])),
  )
  fc.assert(
    fc.property(anyMessage, fc.integer({ min: 1, max: 1_000_000 }), (message, chainId) => {
      const digest = userSignedDigest(keccak256, {
        ...message,
        type,
        signatureChainId: `0x${chainId.toString(16)}`,
      })
      const expected = hashTypedData({
        domain: {
          name: 'HyperliquidSignTransaction',
          version: '1',
          chainId,
          verifyingContract: '0x0000000000000000000000000000000000000000',
        },
        types: { [`HyperliquidTransaction:${name}`]: typed },
        primaryType: `HyperliquidTransaction:${name}`,
        message,
      })
      expect(digest === null ? null : `0x${bytesToHex(digest)}`).toBe(expected)
    }),
    { numRuns: 20 },
  )
})

const usdSend: JsonObject = {
  type: 'usdSend',
  signatureChainId: '0x1',
  hyperliquidChain: 'Mainnet',
  destination: '0x',
  amount: '1',
  time: 1,
}

test.each<[string, JsonObject]>([
  ['a chain id that is a number', { ...usdSend, signatureChainId: 1 }],
  ['a missing field', { ...usdSend, amount: null }],
  ['a time as text', { ...usdSend, time: '1' }],
  ['an L1 type', { ...usdSend, type: 'order' }],
  ['an inherited type', { ...usdSend, type: 'toString' }],
  [
    'an address that is none',
    { ...usdSend, type: 'approveBuilderFee', maxFeeRate: '0%', builder: '0x1', nonce: 1 },
  ],
  [
    'bytes that are none',
    {
      type: 'usdClassTransfer',
      signatureChainId: '0x1',
      hyperliquidChain: 'Mainnet',
      amount: '1',
      toPerp: 'yes',
      nonce: 1,
    },
  ],
])('%s has no digest', (_what, action) => {
  expect(userSignedDigest(keccak256, action)).toBeNull()
})

test('an agent without a name is signed as the empty text', () => {
  const action = {
    type: 'approveAgent',
    signatureChainId: '0x66eee',
    hyperliquidChain: 'Testnet',
    agentAddress: `0x${'12'.repeat(20)}`,
    nonce: 1,
  }
  const digest = userSignedDigest(keccak256, { ...action, agentName: '' })
  expect(userSignedDigest(keccak256, action)).toEqual(digest)
  expect(userSignedDigest(keccak256, { ...action, agentName: null })).toEqual(digest)
  expect(userSignedDigest(keccak256, { ...action, agentName: 'a' })).not.toEqual(digest)
})

test('an action that names neither network is read as signed by the other scheme alone', () => {
  const envelope = decodeEnvelopeJson({
    action: { ...usdSend, hyperliquidChain: 'Other' },
    nonce: 1,
    signature: { r: '0x1', s: '0x1', v: 27 },
  })
  const candidates = envelope.ok ? recoverSigner(crypto, envelope.value) : []
  expect(candidates.map(({ signedAs }) => signedAs)).toEqual(['mainnet', 'testnet'])
})
