import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readFixture } from '../../crypto/crypto.fixture.ts'
import { loadCrypto } from '../../crypto/loadCrypto.ts'
import { address } from '../values/address.ts'
import { anyText } from '../values/text.fixture.ts'
import { utf8Encode } from '../values/utf8.ts'
import type { Json } from './action.ts'
import { decodeAction } from './decodeAction.ts'
import { decodeEnvelope, decodeEnvelopeJson, decodeKill } from './decodeEnvelope.ts'
import { decodeFrame } from './decodeFrame.ts'
import {
  decodeActiveAssetData,
  decodeClearinghouseState,
  decodeExtraAgents,
  decodeSpotState,
  decodeUserAbstraction,
  decodeUserFees,
  decodeUserRateLimit,
  decodeUserRole,
} from './decodeInfoAccount.ts'
import { decodeLedgerUpdates, decodeUserFills, decodeUserFundings } from './decodeInfoHistory.ts'
import { decodeAllMids, decodeFrontendOpenOrders, decodeOrderStatus } from './decodeInfoOrders.ts'
import { decodeMeta, decodeMetaAndAssetCtxs } from './decodeMeta.ts'
import { encodeAction } from './encodeAction.ts'
import { decodeReply, encodeReply } from './exchangeReply.ts'
import { hashAction } from './hashAction.ts'
import { anyScalar, anySteps, replaced } from './misfit.fixture.ts'
import { parseJson } from './strictJson.ts'
import { userSignedDigest } from './userSigned.ts'
import {
  account,
  contextJson,
  fillJson,
  ledgerJson,
  metaJson,
  orderJson,
  stateJson,
  updateJson,
} from './venue.fixture.ts'

/** No decoder throws, whatever it is given: 100,000 inputs and more in this file. */

const { keccak256 } = await loadCrypto({ prefer: 'wasm' })
const { cases } = readFixture<{ cases: { rawBody: string }[] }>('recordedRequests.json')
const bodies = cases.map((each) => utf8Encode(each.rawBody))

/** What a request goes through before anything is judged. */
function readRequest(bytes: Uint8Array): 'refused' | 'malformed' | 'read' {
  const envelope = decodeEnvelope(bytes)
  if (!envelope.ok) {
    if (envelope.error.length === 0) throw new Error('refused without a word')
    return 'refused'
  }
  const { action, nonce, vaultAddress, expiresAfter } = envelope.value
  hashAction(keccak256, action, nonce, vaultAddress, expiresAfter)
  userSignedDigest(keccak256, action)
  decodeKill(action)
  const decoded = decodeAction(action)
  if (!decoded.ok) return 'malformed'
  encodeAction(decoded.value)
  return 'read'
}

test('arbitrary bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      readRequest(bytes)
    }),
    { numRuns: 20_000 },
  )
})

/** Real requests with some bytes cut out, overwritten or put in. */
const anyMangled = fc
  .tuple(
    fc.constantFrom(...bodies),
    fc.array(
      fc.tuple(
        fc.nat(),
        fc.nat({ max: 2 }),
        fc.constantFrom(...utf8Encode('{}[]":,.-0e9atxA \\\u0000é')),
      ),
      {
        minLength: 1,
        maxLength: 3,
      },
    ),
  )
  .map(([body, edits]) => {
    const bytes = Array.from(body)
    for (const [place, cut, byte] of edits) bytes.splice(place % bytes.length, cut, byte)
    return Uint8Array.from(bytes)
  })

test('mangled requests of real clients', () => {
  const seen = { refused: 0, malformed: 0, read: 0 }
  fc.assert(
    fc.property(anyMangled, (bytes) => {
      seen[readRequest(bytes)] += 1
    }),
    { numRuns: 20_000 },
  )
  expect(Math.min(seen.refused, seen.malformed, seen.read)).toBeGreaterThan(100)
})

const user = address(account)
const wrap = (channel: string, data: Json): Json => ({ channel, data })

const answers: readonly (readonly [string, Json, (json: Json) => unknown])[] = [
  ['meta', metaJson, decodeMeta],
  ['contexts', [metaJson, [contextJson]], decodeMetaAndAssetCtxs],
  ['state', stateJson, decodeClearinghouseState],
  ['spot', { balances: [{ coin: 'USDC', total: '1.0', hold: '0.0' }] }, decodeSpotState],
  ['orders', [{ ...orderJson, isTrigger: true, children: [orderJson] }], decodeFrontendOpenOrders],
  [
    'status',
    { status: 'order', order: { order: orderJson, status: 'open', statusTimestamp: 1 } },
    decodeOrderStatus,
  ],
  ['fills', [fillJson], decodeUserFills],
  ['fundings', [{ time: 1, delta: { coin: 'BTC', usdc: '1.0' } }], decodeUserFundings],
  [
    'ledger',
    ['deposit', 'withdraw', 'send', 'spotTransfer'].map((type) =>
      ledgerJson({ type, usdc: '1.0', amount: '1.0', token: 'USDC', user: account }),
    ),
    (json) => decodeLedgerUpdates(json, user, 'unified'),
  ],
  ['mids', { BTC: '1.0', ETH: '2.0' }, decodeAllMids],
  [
    'asset',
    { coin: 'BTC', leverage: { type: 'cross', value: 1 }, markPx: '1.0' },
    decodeActiveAssetData,
  ],
  ['mode', 'default', decodeUserAbstraction],
  ['role', { role: 'agent', data: { user: account } }, decodeUserRole],
  ['agents', [{ name: 'a', address: account, validUntil: 1 }], decodeExtraAgents],
  ['limit', { nRequestsUsed: 1, nRequestsCap: 2 }, decodeUserRateLimit],
  ['fees', { userCrossRate: '0.1', userAddRate: '0.1' }, decodeUserFees],
  ['frame mids', wrap('allMids', { mids: { BTC: '1.0' } }), decodeFrame],
  [
    'frame state',
    wrap('clearinghouseState', { user: account, clearinghouseState: stateJson }),
    decodeFrame,
  ],
  ['frame updates', wrap('orderUpdates', [updateJson]), decodeFrame],
  ['frame user', wrap('user', { fills: [fillJson] }), decodeFrame],
  ['frame cancels', wrap('user', { nonUserCancel: [{ coin: 'BTC', oid: 1 }] }), decodeFrame],
  ['frame post', wrap('post', { id: 1, response: { type: 'action', payload: {} } }), decodeFrame],
  [
    'reply',
    {
      status: 'ok',
      response: {
        type: 'order',
        data: {
          statuses: [{ filled: { oid: 1, totalSz: '1.0', avgPx: '1.0' } }, { resting: { oid: 1 } }],
        },
      },
    },
    (json) => encodeReply(decodeReply(json)),
  ],
  ['envelope', JSON.parse(cases[0]?.rawBody ?? '') as Json, decodeEnvelopeJson],
]

test.each(answers)('mangled %s', (_name, json, decode) => {
  fc.assert(
    fc.property(anySteps, anyScalar, (steps, value) => {
      decode(replaced(json, steps, value))
    }),
    { numRuns: 2_500 },
  )
})

test.each(answers.filter(([name]) => name !== 'reply'))(
  'unmangled %s is read',
  (_name, json, decode) => {
    expect(decode(json)).toMatchObject({ ok: true })
  },
)

test('arbitrary JSON, for every decoder', () => {
  const decoders = [...new Set(answers.map(([, , decode]) => decode)), decodeAction, decodeKill]
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom(...decoders), (json, decode) => {
      decode(json as Json)
    }),
    { numRuns: 5_000 },
  )
})

test('arbitrary text', () => {
  fc.assert(
    fc.property(anyText(30), (text) => {
      parseJson(text)
    }),
    { numRuns: 5_000 },
  )
})
