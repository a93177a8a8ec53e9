import { expect, test } from 'vitest'
import type { Json, JsonObject } from './action.ts'
import { decodeEnvelope, decodeKill } from './decodeEnvelope.ts'

const hex64 = 'a'.repeat(64)
const good: JsonObject = {
  action: { type: 'noop' },
  nonce: 1_794_700_775_573,
  signature: { r: `0x${hex64}`, s: `0x${hex64}`, v: 27 },
}
const body = (change: JsonObject): string => JSON.stringify({ ...good, ...change })
const address = `0x${'Ab'.repeat(20)}`

test('keys may come in any order, with or without the optional ones', () => {
  const value = { ...good, vaultAddress: null, expiresAfter: null }
  const turned = Object.fromEntries(Object.entries(good).toReversed())
  for (const text of [
    body({}),
    body({ vaultAddress: null, expiresAfter: null }),
    JSON.stringify(turned),
  ]) {
    expect(decodeEnvelope(text)).toEqual({ ok: true, value })
  }
})

test('a vault is read with and without its prefix, in any case', () => {
  for (const vaultAddress of [
    ...[address, address.slice(2), address.toLowerCase()],
    ...[address.toUpperCase(), `0X${address.slice(2)}`],
  ]) {
    expect(decodeEnvelope(body({ vaultAddress }))).toMatchObject({
      ok: true,
      value: { vaultAddress: address.toLowerCase() },
    })
  }
})

test('a short r or s is padded on the left', () => {
  const decoded = decodeEnvelope(body({ signature: { r: '0x1', s: '0xABC', v: 28 } }))
  expect(decoded).toMatchObject({
    ok: true,
    value: {
      signature: { r: `0x${'1'.padStart(64, '0')}`, s: `0x${'abc'.padStart(64, '0')}`, v: 28 },
    },
  })
})

test('the action is kept as it was sent', () => {
  const action = '{"z":1,"type":"x","a":{"c":null,"b":"0xAB"}}'
  const decoded = decodeEnvelope(
    `{"action":${action},"nonce":1,"signature":{"r":"0x1","s":"0x1","v":27}}`,
  )
  if (!decoded.ok) throw new Error(decoded.error.join())
  expect(JSON.stringify(decoded.value.action)).toBe(action)
})

const signature = good['signature'] as JsonObject

test.each<[string, string, string[]]>([
  ['not JSON', '{', [expect.stringContaining('a key in quotes is expected') as string]],
  ['a list', '[]', ['the request must be an object, not a list']],
  ['nothing', '{}', ['action is missing', 'nonce is missing', 'signature is missing']],
  ['an unknown key', body({ isFrontend: true }), ['"isFrontend" is not a known field']],
  ['an action as text', body({ action: 'order' }), ['action must be an object, not "order"']],
  ['an action in a list', body({ action: [] }), ['action must be an object, not a list']],
  [
    'a nonce as text',
    body({ nonce: '1' }),
    ['nonce must be a whole number from 0 to 9007199254740991, not "1"'],
  ],
  [
    'a negative nonce',
    body({ nonce: -1 }),
    ['nonce must be a whole number from 0 to 9007199254740991, not -1'],
  ],
  [
    'a null nonce',
    body({ nonce: null }),
    ['nonce must be a whole number from 0 to 9007199254740991, not null'],
  ],
  [
    'a fractional expiry',
    body({ expiresAfter: 1.5 }),
    ['expiresAfter must be a whole number from 0 to 9007199254740991, not 1.5'],
  ],
  [
    'a short vault',
    body({ vaultAddress: '0x1' }),
    ['vaultAddress must be an address, or null, not "0x1"'],
  ],
  [
    'an empty vault',
    body({ vaultAddress: '' }),
    ['vaultAddress must be an address, or null, not ""'],
  ],
  ['a signature as text', body({ signature: '0x' }), ['signature must be an object, not "0x"']],
  ['no v', body({ signature: { r: '0x1', s: '0x1' } }), ['signature.v is missing']],
  [
    'an extra part',
    body({ signature: { ...signature, w: 1 } }),
    ['signature."w" is not a known field'],
  ],
  [
    'an r too long',
    body({ signature: { ...signature, r: `0x1${hex64}` } }),
    [`signature.r must be 0x and 1 to 64 hex digits, not "0x1${'a'.repeat(56)}…`],
  ],
  [
    'an empty s',
    body({ signature: { ...signature, s: '0x' } }),
    ['signature.s must be 0x and 1 to 64 hex digits, not "0x"'],
  ],
  [
    'an s without prefix',
    body({ signature: { ...signature, s: 'ab' } }),
    ['signature.s must be 0x and 1 to 64 hex digits, not "ab"'],
  ],
  [
    'v as text',
    body({ signature: { ...signature, v: '27' } }),
    ['signature.v must be a whole number from 0 to 255, not "27"'],
  ],
])('%s is refused', (_what, text, problems) => {
  expect(decodeEnvelope(text)).toEqual({ ok: false, error: problems })
})

test('a kill asks with a reason that can be read', () => {
  const reason = 'fat finger, é 😀'
  expect(decodeKill({ type: 'guardKill', reason })).toEqual({ ok: true, value: { reason } })
  expect(decodeKill({ type: 'guardKill', reason: '😀'.repeat(200) }).ok).toBe(true)
})

test.each([' ', '\u3000\u00a0'])('one that only gives spaces as a reason is a kill', (reason) => {
  const decoded = decodeKill({ type: 'guardKill', reason })
  expect(decoded).toEqual({ ok: true, value: { reason: 'no reason given' } })
})

const readable = 'reason must be a text of 1 to 200 printable characters'

test.each<[string, Json, string]>([
  ['no reason', { type: 'guardKill' }, 'reason is missing'],
  ['an empty reason', { type: 'guardKill', reason: '' }, `${readable}, not ""`],
  ['a long reason', { type: 'guardKill', reason: 'x'.repeat(201) }, readable],
  ['a line end', { type: 'guardKill', reason: 'a\nb' }, `${readable}, not "a\\nb"`],
  ['an escape sequence', { type: 'guardKill', reason: '\u001b[2J' }, readable],
  ['text that turns around', { type: 'guardKill', reason: 'a\u202eb' }, readable],
  ['a number', { type: 'guardKill', reason: 1 }, `${readable}, not 1`],
  ['another type', { type: 'order', reason: 'x' }, 'type must be one of "guardKill", not "order"'],
  [
    'an extra field',
    { type: 'guardKill', reason: 'x', force: true },
    '"force" is not a known field',
  ],
  ['a text', 'kill', 'the action must be an object, not "kill"'],
])('a kill with %s is refused', (_what, action, problem) => {
  expect(decodeKill(action)).toEqual({ ok: false, error: [expect.stringContaining(problem)] })
})
