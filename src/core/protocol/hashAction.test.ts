import { hashTypedData } from 'viem'
import { expect, test } from 'vitest'
import { loadCrypto } from '../../crypto/loadCrypto.ts'
import { bytesToHex } from '../values/hex.ts'
import { hashAction, phantomDigest, uint256 } from './hashAction.ts'

const { keccak256 } = await loadCrypto({ prefer: 'wasm' })
const action = { type: 'noop' }
const vault = `0x${'12'.repeat(20)}`

test('everything that is signed changes the hash', () => {
  const hashes = [
    hashAction(keccak256, action, 1, null, null),
    hashAction(keccak256, { type: 'noon' }, 1, null, null),
    hashAction(keccak256, action, 2, null, null),
    hashAction(keccak256, action, 1, vault, null),
    hashAction(keccak256, action, 1, null, 0),
    hashAction(keccak256, action, 1, null, 1),
    hashAction(keccak256, action, 1, vault, 1),
  ].map(bytesToHex)
  expect(new Set(hashes).size).toBe(hashes.length)
})

test('the order of keys is part of it', () => {
  const one = hashAction(keccak256, { type: 'x', a: 1, b: 2 }, 1, null, null)
  const other = hashAction(keccak256, { type: 'x', b: 2, a: 1 }, 1, null, null)
  expect(bytesToHex(one)).not.toBe(bytesToHex(other))
})

test('a vault counts by its bytes, with or without the prefix', () => {
  const bare = hashAction(keccak256, action, 1, vault.slice(2), null)
  expect(bare).toEqual(hashAction(keccak256, action, 1, vault, null))
})

test('a vault that is no address is a bug', () => {
  expect(() => hashAction(keccak256, action, 1, '0x12', null)).toThrow('"0x12" is not an address')
  expect(() => hashAction(keccak256, action, 1, 'xyz', null)).toThrow('"xyz" is not an address')
})

test.each(['mainnet', 'testnet'] as const)('the phantom agent of %s is typed data', (network) => {
  const connectionId = hashAction(keccak256, action, 1, null, null)
  const expected = hashTypedData({
    domain: {
      name: 'Exchange',
      version: '1',
      chainId: 1337,
      verifyingContract: '0x0000000000000000000000000000000000000000',
    },
    types: {
      Agent: [
        { name: 'source', type: 'string' },
        { name: 'connectionId', type: 'bytes32' },
      ],
    },
    primaryType: 'Agent',
    message: {
      source: network === 'mainnet' ? 'a' : 'b',
      connectionId: `0x${bytesToHex(connectionId)}`,
    },
  })
  expect(`0x${bytesToHex(phantomDigest(keccak256, connectionId, network))}`).toBe(expected)
})

test('a whole number fills a word', () => {
  expect(bytesToHex(uint256(255n))).toBe('ff'.padStart(64, '0'))
})
