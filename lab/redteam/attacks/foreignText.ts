import type { Json, JsonObject } from '../../../src/core/protocol/action.ts'
import { breach } from '../breach.ts'
import type { Attack } from '../attack.ts'
import type { Attacker } from '../attacker.ts'
import { priceAt } from '../ground.ts'
import { eventsOnceTold, fieldsOf } from '../held.ts'
import { gtc, order, orders, stop } from '../orders.ts'
import { sizeFor } from '../positions.ts'

/**
 * A text that steers a terminal, forges a line of a log and turns the direction of reading, put into
 * every place of a request that Guard may quote. Wherever a person reads it, it must be one plain line.
 */

const evil =
  '\u001b]0;owned\u0007\u009b2J\r\n2026-11-16 INFO Kill switch released\u202e\u2066\u200b https://evil.example'
const evilKey = `${evil}"}`

/** Control characters of both ranges, marks of direction, line ends, what cannot be seen. */
const steers = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u
const longest = 2_000

function checked(where: string, text: string): void {
  if (steers.test(text)) breach(`${where}: ${JSON.stringify(text).slice(0, 160)}`)
  if (text.length > longest) breach(`${where} has ${text.length} characters`)
}

function attack(name: string, tries: string, run: (attacker: Attacker) => Promise<string>): Attack {
  return { group: 'foreign text', name, tries, venue: 'nothing', run }
}

/** The answer, the decision on record and the previewed one: none of them may steer. */
function quoted(name: string, tries: string, make: (attacker: Attacker) => Json): Attack {
  return attack(name, tries, async (attacker) => {
    const before = await attacker.lastSeq()
    const { json } = await attacker.send(make(attacker))
    const { verdict, response } = fieldsOf(json)
    if (verdict !== 'veto' || typeof response !== 'string') return breach('it was not refused')
    checked('the answer', response)
    const texts = (await eventsOnceTold(attacker, before)).map(({ text }) => text)
    const told = texts.filter((text): text is string => typeof text === 'string')
    if (told.length === 0) breach('nothing is on record')
    for (const text of told) checked('the record', text)
    const preview = await attacker.ask('/guard/preview', {
      body: JSON.stringify({ action: make(attacker) }),
    })
    const { text, error } = fieldsOf(preview.json)
    checked('the preview', String(text ?? fieldsOf(error ?? null)['text']))
    return 'one plain line'
  })
}

const entry = (attacker: Attacker, more: JsonObject): JsonObject => {
  const field = attacker.ground()
  return order(field.asset, true, priceAt(field, '-3'), sizeFor(attacker, '0.05'), {
    t: gtc,
    ...more,
  })
}
const withEntry =
  (more: JsonObject) =>
  (attacker: Attacker): Json =>
    orders([entry(attacker, more)])
const asset = (attacker: Attacker): number => attacker.ground().asset

const inActions: readonly Attack[] = [
  quoted('price', 'a price that is a sentence', withEntry({ p: evil })),
  quoted('size', 'a size that is a sentence', withEntry({ s: evil })),
  quoted(
    'time-in-force',
    'a time in force that is a sentence',
    withEntry({ t: { limit: { tif: evil } } }),
  ),
  quoted('order-kind', 'a kind of order that is a sentence', withEntry({ t: { [evilKey]: {} } })),
  quoted('order-key', 'an order with a key that is a sentence', withEntry({ [evilKey]: 1 })),
  quoted('client-order-id', 'a client order id that is a sentence', withEntry({ c: evil })),
  quoted('trigger-price', 'a trigger that is a sentence', (attacker) =>
    orders([stop(asset(attacker), false, evil, '1', '1')]),
  ),
  quoted('trigger-kind', 'a kind of trigger that is a sentence', (attacker) =>
    orders([
      {
        ...stop(asset(attacker), false, '1', '1', '1'),
        t: { trigger: { isMarket: true, triggerPx: '1', tpsl: evil } },
      },
    ]),
  ),
  quoted('grouping', 'a grouping that is a sentence', (attacker) =>
    orders([entry(attacker, {})], evil),
  ),
  quoted('builder', 'a builder that is a sentence', (attacker) => ({
    ...orders([entry(attacker, {})]),
    builder: { b: evil, f: 1 },
  })),
  quoted('cancelled-id', 'a cancel of an id that is a sentence', (attacker) => ({
    type: 'cancel',
    cancels: [{ a: asset(attacker), o: evil }],
  })),
  quoted('cancelled-cloid', 'a cancel by a client order id that is a sentence', (attacker) => ({
    type: 'cancelByCloid',
    cancels: [{ asset: asset(attacker), cloid: evil }],
  })),
  quoted('modified-id', 'a modify of an id that is a sentence', (attacker) => ({
    type: 'modify',
    oid: evil,
    order: entry(attacker, {}),
  })),
  quoted('leverage', 'a leverage that is a sentence', (attacker) => ({
    type: 'updateLeverage',
    asset: asset(attacker),
    isCross: false,
    leverage: evil,
  })),
  quoted('margin', 'an amount of margin that is a sentence', (attacker) => ({
    type: 'updateIsolatedMargin',
    asset: asset(attacker),
    isBuy: true,
    ntli: evil,
  })),
  quoted('time', 'a time that is a sentence', () => ({ type: 'scheduleCancel', time: evil })),
  quoted('name', 'an action whose name is the sentence', () => ({ type: evil })),
  quoted('key-of-unknown-action', 'an unknown action with such a key', () => ({
    type: 'noSuchAction',
    [evilKey]: { [evilKey]: evil },
  })),
]

/** Parts of the envelope: these belong to no client, and their refusal is quoted all the same. */
function enveloped(
  name: string,
  tries: string,
  change: (signed: JsonObject) => JsonObject,
): Attack {
  return attack(`envelope-${name}`, tries, async (attacker) => {
    const before = await attacker.lastSeq()
    const signed = attacker.sign(orders([entry(attacker, {})])) as unknown as JsonObject
    const { json } = await attacker.exchange(JSON.stringify(change(signed)))
    const { verdict, response } = fieldsOf(json)
    if (verdict !== 'veto' || typeof response !== 'string') return breach('it was not refused')
    checked('the answer', response)
    const told = (await eventsOnceTold(attacker, before)).map(({ text }) => String(text ?? ''))
    if (told.length === 0) breach('nothing is on record')
    for (const text of told) checked('the record', text)
    return 'one plain line'
  })
}

const inEnvelopes: readonly Attack[] = [
  enveloped('key', 'a key that is a sentence', (signed) => ({ ...signed, [evilKey]: 1 })),
  enveloped('nonce', 'a nonce that is a sentence', (signed) => ({ ...signed, nonce: evil })),
  enveloped('expiry', 'an expiry that is a sentence', (signed) => ({
    ...signed,
    expiresAfter: evil,
  })),
  enveloped('vault', 'a vault that is a sentence', (signed) => ({ ...signed, vaultAddress: evil })),
  enveloped('signature', 'a signature that is a sentence', (signed) => ({
    ...signed,
    signature: { r: evil, s: evil, v: 27 },
  })),
]

/** What a reader asked for, in the error that says what is wrong with it. */
function asked(name: string, path: string): Attack {
  return attack(`query-${name}`, `GET ${path} with such a text`, async (attacker) => {
    const { status, json } = await attacker.ask(`${path}${encodeURIComponent(evil)}`)
    if (status !== 400 && status !== 404) return breach(`HTTP ${status}`)
    checked('the answer', String(fieldsOf(fieldsOf(json)['error'] ?? null)['text']))
    return `HTTP ${status}, one plain line`
  })
}

const inQueries: readonly Attack[] = [
  asked('nonce', '/guard/decision?nonce='),
  asked('client', '/guard/decision?nonce=1&client='),
  asked('since', '/guard/events?since='),
  asked('kind', '/guard/events?kind='),
  asked('source', '/guard/events?source='),
  asked('limit', '/guard/events?limit='),
  asked('wait', '/guard/events?wait='),
  asked('path', '/guard/'),
]

export const foreignTextAttacks: readonly Attack[] = [...inActions, ...inEnvelopes, ...inQueries]
