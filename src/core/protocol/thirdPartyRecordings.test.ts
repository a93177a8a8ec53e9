import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadCrypto } from '../../crypto/loadCrypto.ts'
import { address } from '../values/address.ts'
import type { Result } from '../values/result.ts'
import type { Json, JsonObject } from './action.ts'
import { decodeEnvelopeJson } from './decodeEnvelope.ts'
import { decodeFrame } from './decodeFrame.ts'
import {
  decodeClearinghouseState,
  decodeExtraAgents,
  decodeUserRateLimit,
  decodeUserRole,
} from './decodeInfoAccount.ts'
import { decodeLedgerUpdates, decodeUserFills, decodeUserFundings } from './decodeInfoHistory.ts'
import { decodeAllMids, decodeFrontendOpenOrders } from './decodeInfoOrders.ts'
import { decodeMeta } from './decodeMeta.ts'
import { decodeReply, encodeReply } from './exchangeReply.ts'
import { recoverSigner } from './recoverSigner.ts'

/**
 * Recordings that others made and that the project does not contain. Where they lie beside it they
 * are read; without them this file has nothing to say.
 */
const folder = resolve(import.meta.dirname, '..', '..', '..', '..', 'shared', 'vectors')

function read<T>(...path: string[]): T {
  return JSON.parse(readFileSync(join(folder, ...path), 'utf8')) as T
}

/** What answers of 2023 did not have yet, and today's do. */
function completed(name: string, json: Json): Json {
  if (name === 'py_get_user_state') return { time: 1, ...(json as JsonObject) }
  if (!name.startsWith('py_get_user_fills')) return json
  return (json as readonly JsonObject[]).map((each, tid) => ({ tid, ...each }))
}

/** One recording is an element of a frame. */
function wrapped(frame: Json): Json {
  const isElement = (frame as JsonObject)['statusTimestamp'] !== undefined
  return isElement ? { channel: 'orderUpdates', data: [frame] } : frame
}

const someone = address(`0x${'1'.repeat(40)}`)
const decoders: { readonly [file: string]: (json: Json) => Result<unknown> } = {
  py_get_user_state: decodeClearinghouseState,
  py_get_frontend_open_orders: decodeFrontendOpenOrders,
  py_get_all_mids: decodeAllMids,
  py_get_user_fills: decodeUserFills,
  py_get_user_fills_by_time: decodeUserFills,
  py_get_info: decodeMeta,
  py_user_funding_history_with_end_time: decodeUserFundings,
  py_user_funding_history_without_end_time: decodeUserFundings,
  py_user_non_funding_ledger_updates_with_end_time: (json) => decodeLedgerUpdates(json, someone),
  py_user_non_funding_ledger_updates_without_end_time: (json) => decodeLedgerUpdates(json, someone),
  py_user_rate_limit: decodeUserRateLimit,
  py_user_role: decodeUserRole,
  py_extra_agents: decodeExtraAgents,
  nautilus_http_user_fills_dust_conversion: decodeUserFills,
  nautilus_ws_user_fill_liquidation: decodeFrame,
  nautilus_ws_all_dexs_asset_ctxs: decodeFrame,
}

describe.runIf(existsSync(folder))('recordings beside the project', () => {
  const files = existsSync(folder) ? readdirSync(join(folder, 'responses')) : []

  test.each(files.map((file) => file.replace('.json', '')).filter((name) => name in decoders))(
    'answer %s is read',
    (name) => {
      const { response } = read<{ response: Json }>('responses', `${name}.json`)
      expect(decoders[name]?.(completed(name, response))).toMatchObject({ ok: true })
    },
  )

  interface Pair {
    id: string
    request: JsonObject | null
    response: Json
    recoveredSigner?: string
  }
  const pairs = existsSync(folder) ? read<{ pairs: Pair[] }>('exchange_pairs.json').pairs : []

  test.each(pairs.map((each) => [each.id, each] as const))(
    'reply %s is read and written back',
    (_id, pair) => {
      const reply = decodeReply(pair.response)
      expect(reply.kind).not.toBe('unreadable')
      expect(encodeReply(reply)).toEqual(pair.response)
    },
  )

  test('signed requests recover to their signers', async () => {
    const crypto = await loadCrypto()
    const signed = pairs.filter((each) => each.recoveredSigner !== undefined)
    expect(signed.length).toBeGreaterThan(0)
    for (const { request, recoveredSigner } of signed) {
      const envelope = decodeEnvelopeJson(request)
      if (!envelope.ok) throw new Error(envelope.error.join())
      const signers = recoverSigner(crypto, envelope.value).map((each) => each.address)
      expect(signers).toContain(recoveredSigner)
    }
  })

  interface Frame {
    dir: 'in' | 'out'
    what: string
    frame: Json
  }
  const frames = existsSync(folder) ? read<{ frames: Frame[] }>('ws_frames.json').frames : []

  test.each(
    frames.filter((each) => each.dir === 'in').map((each) => [each.what, each.frame] as const),
  )('frame %s is read', (_what, frame) => {
    expect(decodeFrame(wrapped(frame))).toMatchObject({ ok: true })
  })
})
