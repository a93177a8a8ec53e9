import { hexToBytes } from '../values/hex.ts'
import { utf8Encode } from '../values/utf8.ts'
import type { Json } from './action.ts'
import type { Keccak256 } from './crypto.ts'
import { MsgpackWriter } from './msgpack.ts'

export type Network = 'mainnet' | 'testnet'

/** One writer for all: a hash is computed within one call, and its memory is not worth remaking. */
const writer = new MsgpackWriter()

/**
 * The venue's hash of an L1 action, as it was sent: the action in MessagePack, the nonce, the vault
 * and the expiry. An absent expiry adds nothing; a present one is marked by a zero byte.
 */
export function hashAction(
  keccak256: Keccak256,
  action: Json,
  nonce: number,
  vaultAddress: string | null,
  expiresAfter: number | null,
): Uint8Array {
  writer.reset()
  writer.value(action)
  writer.uint64(nonce)
  if (vaultAddress === null) {
    writer.byte(0)
  } else {
    writer.byte(1)
    writer.raw(addressBytes(vaultAddress))
  }
  if (expiresAfter !== null) {
    writer.byte(0)
    writer.uint64(expiresAfter)
  }
  return keccak256(writer.written())
}

/** The digest that signs an L1 action: the phantom agent of the network, over the action's hash. */
export function phantomDigest(
  keccak256: Keccak256,
  connectionId: Uint8Array,
  network: Network,
): Uint8Array {
  const fixed = fixedHashes(keccak256)
  const agent = new Uint8Array(96)
  agent.set(fixed.agentType, 0)
  agent.set(network === 'mainnet' ? fixed.mainnetSource : fixed.testnetSource, 32)
  agent.set(connectionId, 64)
  return typedDataDigest(keccak256, fixed.exchangeDomain, keccak256(agent))
}

/** `0x1901`, the domain and the message, hashed: the last step of EIP-712. */
export function typedDataDigest(
  keccak256: Keccak256,
  domainSeparator: Uint8Array,
  structHash: Uint8Array,
): Uint8Array {
  const message = new Uint8Array(66)
  message[0] = 0x19
  message[1] = 0x01
  message.set(domainSeparator, 2)
  message.set(structHash, 34)
  return keccak256(message)
}

/** The EIP-712 domain of one of the venue's two schemes. */
export function domainSeparator(keccak256: Keccak256, name: string, chainId: bigint): Uint8Array {
  const hash = (text: string): Uint8Array => keccak256(utf8Encode(text))
  const domain = new Uint8Array(160)
  domain.set(hash(domainType), 0)
  domain.set(hash(name), 32)
  domain.set(hash('1'), 64)
  domain.set(uint256(chainId), 96)
  // The last word, the verifying contract, is zero.
  return keccak256(domain)
}

/** A whole number in 32 bytes, big endian. */
export function uint256(value: bigint): Uint8Array {
  return hexToBytes(value.toString(16).padStart(64, '0')) ?? new Uint8Array(32)
}

const domainType =
  'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)'
const l1ChainId = 1337n

interface FixedHashes {
  readonly exchangeDomain: Uint8Array
  readonly agentType: Uint8Array
  readonly mainnetSource: Uint8Array
  readonly testnetSource: Uint8Array
}

/** The parts of a phantom agent that never change, hashed once for each hash function. */
const fixedByKeccak = new WeakMap<Keccak256, FixedHashes>()

function fixedHashes(keccak256: Keccak256): FixedHashes {
  const known = fixedByKeccak.get(keccak256)
  if (known !== undefined) return known
  const hash = (text: string): Uint8Array => keccak256(utf8Encode(text))
  const fixed = {
    exchangeDomain: domainSeparator(keccak256, 'Exchange', l1ChainId),
    agentType: hash('Agent(string source,bytes32 connectionId)'),
    mainnetSource: hash('a'),
    testnetSource: hash('b'),
  }
  fixedByKeccak.set(keccak256, fixed)
  return fixed
}

function addressBytes(text: string): Uint8Array {
  const bytes = hexToBytes(text.startsWith('0x') ? text.slice(2) : text)
  if (bytes?.length !== 20) throw new TypeError(`"${text}" is not an address`)
  return bytes
}
