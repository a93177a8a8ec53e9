import { isDeepStrictEqual } from 'node:util'
import type { Action, Json } from '../../src/core/protocol/action.ts'
import type { Keccak256 } from '../../src/core/protocol/crypto.ts'
import { decodeAction } from '../../src/core/protocol/decodeAction.ts'
import { decodeEnvelope, decodeKill } from '../../src/core/protocol/decodeEnvelope.ts'
import { decodeFrame } from '../../src/core/protocol/decodeFrame.ts'
import {
  decodeActiveAssetData,
  decodeClearinghouseState,
  decodeExtraAgents,
  decodeSpotState,
  decodeUserAbstraction,
  decodeUserFees,
  decodeUserRateLimit,
  decodeUserRole,
} from '../../src/core/protocol/decodeInfoAccount.ts'
import {
  decodeLedgerUpdates,
  decodeUserFills,
  decodeUserFundings,
} from '../../src/core/protocol/decodeInfoHistory.ts'
import {
  decodeAllMids,
  decodeFrontendOpenOrders,
  decodeOrderStatus,
} from '../../src/core/protocol/decodeInfoOrders.ts'
import { decodeMeta, decodeMetaAndAssetCtxs } from '../../src/core/protocol/decodeMeta.ts'
import { encodeAction } from '../../src/core/protocol/encodeAction.ts'
import {
  isAcceptedWhole,
  isRefusedWhole,
  itemCount,
  readActionReply,
} from '../../src/core/protocol/actionReply.ts'
import type { ActionReply } from '../../src/core/protocol/actionReply.ts'
import { decodeReply, encodeReply } from '../../src/core/protocol/exchangeReply.ts'
import { hashAction } from '../../src/core/protocol/hashAction.ts'
import { parseJson } from '../../src/core/protocol/strictJson.ts'
import { userSignedDigest } from '../../src/core/protocol/userSigned.ts'
import {
  account,
  contextJson,
  fillJson,
  ledgerJson,
  metaJson,
  orderJson,
  stateJson,
  updateJson,
} from '../../src/core/protocol/venue.fixture.ts'
import { readFixture } from '../../src/crypto/crypto.fixture.ts'
import { address } from '../../src/core/values/address.ts'
import { Decimal } from '../../src/core/values/decimal.ts'
import { mutateBytes, mutateJson } from './mutate.ts'
import type { FuzzTarget } from './runFuzz.ts'

const bytesOf = (json: Json): Uint8Array => Buffer.from(JSON.stringify(json))
const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8')

const requests = readFixture<{ cases: { rawBody: string }[] }>('recordedRequests.json').cases.map(
  (each) => each.rawBody,
)
const signed = readFixture<{ vectors: { action?: Json }[] }>('signing.json').vectors.flatMap(
  ({ action }) => (action === undefined ? [] : [action]),
)
const order: Json = {
  a: 0,
  b: true,
  p: '1891.4',
  s: '0.02',
  r: false,
  t: { limit: { tif: 'Gtc' } },
}
const stop: Json = {
  a: 0,
  b: false,
  p: '1700',
  s: '0.02',
  r: true,
  t: { trigger: { isMarket: true, triggerPx: '1800', tpsl: 'sl' } },
}
const actions: readonly Json[] = [
  ...signed,
  ...requests.flatMap((body) => {
    const action = (JSON.parse(body) as { action?: Json }).action
    return action === undefined ? [] : [action]
  }),
  { type: 'order', orders: [order, stop], grouping: 'normalTpsl', builder: { b: account, f: 10 } },
  { type: 'cancel', cancels: [{ a: 0, o: 59_534_928_822 }] },
  { type: 'cancelByCloid', cancels: [{ asset: 3, cloid: `0x${'1'.repeat(32)}` }] },
  { type: 'modify', oid: 7, order },
  { type: 'batchModify', modifies: [{ oid: `0x${'2'.repeat(32)}`, order: stop }] },
  { type: 'updateLeverage', asset: 1, isCross: false, leverage: 5 },
  { type: 'updateIsolatedMargin', asset: 1, isBuy: true, ntli: -1_000_000 },
  { type: 'scheduleCancel', time: 1_789_000_000_000 },
  { type: 'guardKill', reason: 'the bot runs wild' },
]

/** What goes out must mean what came in, field for field; decimals may be written shorter. */
function sameMeaning(sent: Json | undefined, forwarded: Json | undefined, path: string): void {
  if (typeof forwarded === 'object' && forwarded !== null) {
    for (const [key, value] of Object.entries(forwarded))
      sameMeaning((sent as { [key: string]: Json } | null)?.[key], value as Json, `${path}.${key}`)
    return
  }
  if (sent === forwarded) return
  if (typeof sent === 'string' && typeof forwarded === 'string') {
    const [left, right] = [Decimal.parse(sent), Decimal.parse(forwarded)]
    if (left.ok && right.ok && left.value.eq(right.value)) return
    if (sent.toLowerCase() === forwarded && /^0x[0-9a-f]+$/.test(forwarded)) return
  }
  throw new Error(
    `${path}: ${JSON.stringify(sent)} was sent and ${JSON.stringify(forwarded)} would be forwarded`,
  )
}

function checkAction(keccak256: Keccak256, action: Json): string {
  const decoded = decodeAction(action)
  if (!decoded.ok) return decoded.error.join('; ')
  const wire = encodeAction(decoded.value) as unknown as Json
  sameMeaning(action, wire, 'action')
  const again = decodeAction(JSON.parse(JSON.stringify(wire)) as Json)
  if (!again.ok) throw new Error(`what was encoded is refused: ${again.error.join('; ')}`)
  const hash = (each: Json): string =>
    Buffer.from(hashAction(keccak256, each, 1, null, null)).toString('hex')
  if (hash(encodeAction(again.value) as unknown as Json) !== hash(wire))
    throw new Error('the hash changes when it is read again')
  return `read ${decoded.value.type}`
}

/** The whole way of a request's bytes before it is judged. */
export function envelopeTarget(keccak256: Keccak256): FuzzTarget {
  return {
    name: 'request bytes',
    share: 30,
    seeds: requests.map((body) => Buffer.from(body)),
    make: mutateBytes,
    read: (input) => {
      const json = parseJson(input)
      if (json.ok) {
        // Another reader, that lets more pass, must read the same.
        const lenient = JSON.parse(textOf(input)) as Json
        if (!isDeepStrictEqual(lenient, plain(json.value)))
          throw new Error('two readers read it differently')
      }
      const envelope = decodeEnvelope(input)
      if (!envelope.ok) return envelope.error.join('; ')
      const { action, nonce, vaultAddress, expiresAfter } = envelope.value
      hashAction(keccak256, action, nonce, vaultAddress, expiresAfter)
      userSignedDigest(keccak256, action)
      decodeKill(action)
      return checkAction(keccak256, action)
    },
  }
}

const plain = (value: Json): Json => JSON.parse(JSON.stringify(value)) as Json

/** Actions that are well-formed JSON, changed in their structure. */
export function actionTarget(keccak256: Keccak256): FuzzTarget {
  return {
    name: 'actions',
    share: 30,
    seeds: actions.map(bytesOf),
    make: (dice, from) => bytesOf(mutateJson(dice, JSON.parse(textOf(from)) as Json)),
    read: (input) => {
      const json = JSON.parse(textOf(input)) as Json
      const strict = parseJson(input)
      const kill = decodeKill(json)
      return `${kill.ok ? 'kill' : ''} ${strict.ok ? '' : strict.error} ${checkAction(keccak256, json)}`
    },
  }
}

const user = address(account)
const wrap = (channel: string, data: Json): Json => ({ channel, data })
const statuses: Json = [
  { filled: { oid: 1, totalSz: '1.0', avgPx: '1.0' } },
  { resting: { oid: 1 } },
  'success',
  { error: 'x' },
]
const decoders: { readonly [name: string]: readonly [Json, (json: Json) => unknown] } = {
  meta: [metaJson, decodeMeta],
  contexts: [[metaJson, [contextJson]], decodeMetaAndAssetCtxs],
  state: [stateJson, decodeClearinghouseState],
  spot: [{ balances: [{ coin: 'USDC', total: '1.0', hold: '0.0' }] }, decodeSpotState],
  orders: [[{ ...orderJson, isTrigger: true, children: [orderJson] }], decodeFrontendOpenOrders],
  status: [
    { status: 'order', order: { order: orderJson, status: 'open', statusTimestamp: 1 } },
    decodeOrderStatus,
  ],
  fills: [[fillJson], decodeUserFills],
  fundings: [[{ time: 1, delta: { coin: 'BTC', usdc: '1.0' } }], decodeUserFundings],
  ledger: [
    ['deposit', 'withdraw', 'send', 'spotTransfer'].map((type) =>
      ledgerJson({ type, usdc: '1.0', amount: '1.0', token: 'USDC', user: account }),
    ),
    (json) => decodeLedgerUpdates(json, user, 'unified'),
  ],
  mids: [{ BTC: '1.0', ETH: '2.0' }, decodeAllMids],
  asset: [
    { coin: 'BTC', leverage: { type: 'cross', value: 1 }, markPx: '1.0' },
    decodeActiveAssetData,
  ],
  mode: ['default', decodeUserAbstraction],
  role: [{ role: 'agent', data: { user: account } }, decodeUserRole],
  agents: [[{ name: 'a', address: account, validUntil: 1 }], decodeExtraAgents],
  limit: [{ nRequestsUsed: 1, nRequestsCap: 2 }, decodeUserRateLimit],
  fees: [{ userCrossRate: '0.1', userAddRate: '0.1' }, decodeUserFees],
  frameMids: [wrap('allMids', { mids: { BTC: '1.0' } }), decodeFrame],
  frameState: [
    wrap('clearinghouseState', { user: account, clearinghouseState: stateJson }),
    decodeFrame,
  ],
  frameUpdates: [wrap('orderUpdates', [updateJson]), decodeFrame],
  frameUser: [wrap('user', { fills: [fillJson] }), decodeFrame],
  framePost: [wrap('post', { id: 1, response: { type: 'action', payload: {} } }), decodeFrame],
  reply: [
    { status: 'ok', response: { type: 'order', data: { statuses } } },
    (json) => {
      for (const action of answered) checkReply(action, readActionReply(action, json))
      return encodeReply(decodeReply(json))
    },
  ],
}

/** Actions whose answers have one status, several, or none. */
const answered: readonly Action[] = [
  { type: 'updateLeverage', asset: 0, isCross: false, leverage: 3 },
  { type: 'cancel', cancels: [7, 8].map((oid) => ({ asset: 0, oid })) },
]

/** Whatever came: a refusal, one status for each item, or nothing that can be told. */
function checkReply(action: Action, reply: ActionReply): void {
  if (reply.kind === 'items' && reply.statuses.length !== itemCount(action)) {
    throw new Error(`${reply.statuses.length} statuses for ${itemCount(action)} items`)
  }
  if (isAcceptedWhole(reply) && isRefusedWhole(reply)) {
    throw new Error('accepted and refused at once')
  }
}

/** Answers and frames of the venue; an input is `[name, json]`. */
export const venueTarget: FuzzTarget = {
  name: 'venue answers and frames',
  share: 20,
  seeds: Object.entries(decoders).map(([name, [json]]) => bytesOf([name, json])),
  make: (dice, from) => {
    const [name, json] = JSON.parse(textOf(from)) as [string, Json]
    return bytesOf([name, mutateJson(dice, json)])
  },
  read: (input) => {
    const [name, json] = JSON.parse(textOf(input)) as [string, Json]
    const result = decoders[name]?.[1](json)
    const isRefused =
      typeof result === 'object' && result !== null && 'error' in result && 'ok' in result
    return `${name} ${isRefused ? String(result.error) : 'read'}`
  },
}
