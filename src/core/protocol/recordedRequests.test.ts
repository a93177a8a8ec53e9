import { expect, test } from 'vitest'
import { readFixture } from '../../crypto/crypto.fixture.ts'
import { loadCrypto } from '../../crypto/loadCrypto.ts'
import { bytesToHex } from '../values/hex.ts'
import { utf8Encode } from '../values/utf8.ts'
import type { Json, JsonObject } from './action.ts'
import { actionEntry, actionTreatment } from './actionCatalog.ts'
import { decodeAction } from './decodeAction.ts'
import { decodeEnvelope, decodeEnvelopeJson } from './decodeEnvelope.ts'
import type { SignedEnvelope } from './decodeEnvelope.ts'
import { encodeAction } from './encodeAction.ts'
import { hashAction } from './hashAction.ts'
import { recoverSigner, signerCandidates } from './recoverSigner.ts'
import { parseJson } from './strictJson.ts'

interface Recorded {
  name: string
  transport: 'http' | 'ws'
  rawBody: string
  wsFrame?: string
  expect: {
    signer: string
    scheme: 'l1' | 'user' | 'multiSig'
    source?: 'a' | 'b'
    connectionId?: string
    hyperliquidChain?: 'Mainnet' | 'Testnet'
  }
}

const { cases, clientAddress } = readFixture<{ cases: Recorded[]; clientAddress: string }>(
  'recordedRequests.json',
)
const crypto = await loadCrypto({ prefer: 'wasm' })

function envelopeOf(recorded: Recorded): SignedEnvelope {
  const decoded = decodeEnvelope(utf8Encode(recorded.rawBody))
  if (!decoded.ok) throw new Error(decoded.error.join('; '))
  return decoded.value
}

const isClients = (recorded: Recorded): boolean => recorded.expect.signer === clientAddress

test('199 requests of real clients are here', () => {
  expect(cases.length).toBe(199)
  expect(cases.filter(isClients).length).toBe(196)
})

function rows(keep: (recorded: Recorded) => boolean): (readonly [string, Recorded])[] {
  return cases.filter(keep).map((each) => [each.name, each] as const)
}

const typeOf = (recorded: Recorded): string => envelopeOf(recorded).action['type'] as string
const isForwarded = (recorded: Recorded): boolean =>
  actionTreatment(typeOf(recorded)) === 'forwarded'
/** One client turns its own "post only" into a time in force that the venue does not know. */
const hasUnknownTif = (recorded: Recorded): boolean => recorded.rawBody.includes('"tif":"Po"')

test.each(rows(isClients))('%s recovers to its client', (_name, recorded) => {
  const { source, hyperliquidChain } = recorded.expect
  const signedAs = source === 'a' || hyperliquidChain === 'Mainnet' ? 'mainnet' : 'testnet'
  const envelope = envelopeOf(recorded)
  expect(recoverSigner(crypto, envelope)).toContainEqual({ address: clientAddress, signedAs })
  const [first] = signerCandidates(crypto, envelope, signedAs)
  expect(first).toEqual({ address: clientAddress, signedAs })
})

test.each(rows((each) => !isClients(each)))('%s recovers to no client', (_name, recorded) => {
  const candidates = recoverSigner(crypto, envelopeOf(recorded))
  expect(candidates.map((each) => each.address)).not.toContain(clientAddress)
})

test.each(rows(() => true))('%s is of a known type and its scheme', (_name, recorded) => {
  const entry = actionEntry(typeOf(recorded))
  expect(entry.class).not.toBe('unknown')
  expect(entry.scheme).toBe(recorded.expect.scheme.toLowerCase())
})

test.each(rows((each) => each.expect.connectionId !== undefined))(
  '%s hashes as recorded',
  (_name, recorded) => {
    const { action, nonce, vaultAddress, expiresAfter } = envelopeOf(recorded)
    const hash = hashAction(crypto.keccak256, action, nonce, vaultAddress, expiresAfter)
    expect(`0x${bytesToHex(hash)}`).toBe(recorded.expect.connectionId)
  },
)

test.each(rows((each) => isForwarded(each) && !hasUnknownTif(each)))(
  '%s decodes, and encodes to what was sent',
  (_name, recorded) => {
    const { action } = envelopeOf(recorded)
    const decoded = decodeAction(action)
    if (!decoded.ok) throw new Error(decoded.error.join('; '))
    expect(JSON.stringify(encodeAction(decoded.value))).toBe(JSON.stringify(asForwarded(action)))
  },
)

test.each(rows(hasUnknownTif))('%s is refused for its time in force', (_name, recorded) => {
  expect(decodeAction(envelopeOf(recorded).action)).toEqual({
    ok: false,
    error: ['orders[0].t.limit.tif must be one of "Gtc", "Ioc", "Alo", "FrontendMarket", not "Po"'],
  })
})

test.each(rows((each) => !isForwarded(each)))('%s is not forwarded', (_name, recorded) => {
  expect(decodeAction(envelopeOf(recorded).action).ok).toBe(false)
})

test.each(rows((each) => each.wsFrame !== undefined))(
  '%s reads the same from a socket as from a body',
  (_name, recorded) => {
    const frame = parseJson(recorded.wsFrame ?? '')
    if (!frame.ok) throw new Error(frame.error)
    const { request } = frame.value as { request: JsonObject }
    const value = envelopeOf(recorded)
    expect(decodeEnvelopeJson(request['payload'] as Json)).toEqual({ ok: true, value })
  },
)

/** One client clears a schedule with an explicit null, which Guard leaves out. */
function asForwarded(action: JsonObject): Json {
  return action['time'] === null ? { type: 'scheduleCancel' } : action
}
