import { randomBytes } from 'node:crypto'
import { breach } from '../breach.ts'
import type { Attack } from '../attack.ts'
import type { Attacker } from '../attacker.ts'
import { fieldsOf, rawStatus, vetoed } from '../held.ts'
import { Refused, parsed, raw } from '../talk.ts'
import { onSocket } from '../onSocket.ts'
import type { Talk } from '../talk.ts'
import { harmless } from './authentication.ts'

function attack(name: string, tries: string, run: (attacker: Attacker) => Promise<string>): Attack {
  return { group: 'websocket', name, tries, venue: 'nothing', run }
}

/** The next answer to a post is a veto with one of these codes; what it says. */
async function postVetoed(talk: Talk, ...codes: readonly string[]): Promise<string> {
  const frame = parsed(await talk.hears((text) => text.includes('"post"')))
  const response = fieldsOf(fieldsOf(fieldsOf(frame)['data'] ?? null)['response'] ?? null)
  return vetoed(response['payload'] ?? null, ...codes)
}

/** The socket still answers, and so does Guard. */
async function answers(talk: Talk): Promise<void> {
  talk.say('{"method":"ping"}')
  await talk.hears((frame) => frame.includes('pong'))
}

function refusedUpgrade(
  name: string,
  tries: string,
  path: string,
  headers: { readonly [name: string]: string },
  ...statuses: readonly number[]
): Attack {
  return attack(name, tries, async (attacker) => {
    try {
      const talk = await attacker.talk(path, headers)
      talk.end()
    } catch (error) {
      if (error instanceof Refused && statuses.includes(error.status)) return `HTTP ${error.status}`
      throw error
    }
    return breach('the socket was opened')
  })
}

const upgrades: readonly Attack[] = [
  refusedUpgrade(
    'evil-origin',
    'a socket opened by a page elsewhere',
    '/ws',
    { Origin: 'https://evil.example' },
    403,
  ),
  refusedUpgrade(
    'null-origin',
    'a socket opened by a page without an origin',
    '/ws',
    { Origin: 'null' },
    403,
  ),
  refusedUpgrade(
    'evil-host',
    'a socket opened through a rebound name',
    '/ws',
    { Host: 'evil.example' },
    403,
  ),
  refusedUpgrade('kill-path', 'a socket at the kill switch', '/guard/kill', {}, 404),
  refusedUpgrade('events-path', 'a socket at the events', '/guard/events', {}, 404),
  attack(
    'too-many',
    'two hundred sockets at once, and an honest request beside them',
    async (attacker) => {
      const opened = await Promise.allSettled(Array.from({ length: 200 }, () => attacker.talk()))
      const open = opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
      try {
        const refused = opened.filter(
          (each) => each.status === 'rejected' && each.reason instanceof Refused,
        )
        if (open.length > 64) breach(`${open.length} sockets are open`)
        const honest = vetoed(
          (await attacker.send({ type: 'setReferrer' })).json,
          'unsupported_action',
        )
        return `${open.length} open, ${refused.length} refused with 503; honest: ${honest}`
      } finally {
        for (const talk of open) talk.end()
        await Promise.all(open.map((talk) => talk.closed()))
      }
    },
  ),
]

/** A frame that Guard must not take for a request: an error frame, and nothing judged. */
function odd(name: string, tries: string, make: (payload: string) => string | Uint8Array): Attack {
  return attack(name, tries, (attacker) =>
    onSocket(attacker, async (talk) => {
      const before = await attacker.lastSeq()
      talk.say(make(JSON.stringify(attacker.sign(harmless(attacker)))))
      const frame = await talk.hears((text) => /"channel":"(error|post)"/.test(text))
      await answers(talk)
      const judged = (await attacker.events(before)).filter((each) => each['kind'] === 'decision')
      if (judged.some((each) => each['verdict'] !== 'veto')) breach('it was judged and passed')
      if (frame.includes('"channel":"post"')) breach(`it was answered: ${frame.slice(0, 100)}`)
      return 'error frame'
    }),
  )
}

const post = (id: string, request: string): string =>
  `{"method":"post","id":${id},"request":${request}}`
const action = (payload: string): string => `{"type":"action","payload":${payload}}`

const frames: readonly Attack[] = [
  odd('id-text', 'a post whose id is a text', (payload) => post('"1"', action(payload))),
  odd('id-fraction', 'a post whose id has a fraction', (payload) => post('1.5', action(payload))),
  odd('id-exponent', 'a post whose id has an exponent', (payload) =>
    post('1e400', action(payload)),
  ),
  odd('id-object', 'a post whose id is an object', (payload) => post('{}', action(payload))),
  odd('id-list', 'a post whose id is a list', (payload) => post('[1]', action(payload))),
  odd('id-null', 'a post whose id is null', (payload) => post('null', action(payload))),
  odd('id-endless', 'a post whose id has a thousand digits', (payload) =>
    post('9'.repeat(1_000), action(payload)),
  ),
  odd(
    'id-missing',
    'a post without an id',
    (payload) => `{"method":"post","request":${action(payload)}}`,
  ),
  odd(
    'id-twice',
    'a post with two ids',
    (payload) => `{"method":"post","id":1,"id":2,"request":${action(payload)}}`,
  ),
  odd(
    'request-twice',
    'a post with two requests, the first a read',
    (payload) =>
      `{"method":"post","id":1,"request":{"type":"info","payload":{"type":"meta"}},"request":${action(payload)}}`,
  ),
  odd('payload-twice', 'a post with two payloads', (payload) =>
    post('1', `{"type":"action","payload":{},"payload":${payload}}`),
  ),
  odd('payload-twice-escaped', 'a second payload with an escaped key', (payload) =>
    post('1', `{"type":"action","payload":{},"p\\u0061yload":${payload}}`),
  ),
  odd('type-twice', 'a post of two types', (payload) =>
    post('1', `{"type":"info","type":"action","payload":${payload}}`),
  ),
  odd('type-capital', 'a post of type Action', (payload) =>
    post('1', `{"type":"Action","payload":${payload}}`),
  ),
  odd('type-explorer', 'a post of type explorer', (payload) =>
    post('1', `{"type":"explorer","payload":${payload}}`),
  ),
  odd(
    'method-capital',
    'a POST in capitals',
    (payload) => `{"method":"POST","id":1,"request":${action(payload)}}`,
  ),
  odd('list', 'a list of posts', (payload) => `[${post('1', action(payload))}]`),
  odd(
    'two-frames',
    'two requests in one frame',
    (payload) => `${post('1', action(payload))}${post('2', action(payload))}`,
  ),
  odd('nested', 'a frame of a hundred thousand brackets', () => '['.repeat(100_000)),
  odd(
    'nested-subscription',
    'a subscription as deep as a frame can be',
    () =>
      `{"method":"subscribe","subscription":{"type":"l2Book","coin":${'['.repeat(50_000)}${']'.repeat(50_000)}}}`,
  ),
  odd(
    'bad-coin',
    'a subscription for which the venue would drop everyone',
    () => '{"method":"subscribe","subscription":{"type":"l2Book","coin":"nosuchcoin"}}',
  ),
  odd(
    'prototype',
    'a subscription of a type that every object has',
    () => '{"method":"subscribe","subscription":{"type":"constructor","coin":"BTC"}}',
  ),
]

/** A payload that goes the whole way and is refused there. */
function judged(
  name: string,
  tries: string,
  make: (attacker: Attacker) => string,
  ...codes: readonly string[]
): Attack {
  return attack(name, tries, (attacker) =>
    onSocket(attacker, async (talk) => {
      talk.say(post('1', action(make(attacker))))
      return await postVetoed(talk, ...codes)
    }),
  )
}

const payloads: readonly Attack[] = [
  judged('payload-text', 'a payload that is a text', () => '"{}"', 'malformed'),
  judged(
    'payload-list',
    'a payload that is a list',
    (attacker) => `[${JSON.stringify(attacker.sign(harmless(attacker)))}]`,
    'malformed',
  ),
  judged('payload-null', 'a payload of null', () => 'null', 'malformed'),
  judged(
    'payload-doubled-key',
    'a key twice inside the payload',
    (attacker) =>
      JSON.stringify(attacker.sign(harmless(attacker))).replace('"r":false', '"r":true,"r":false'),
    'malformed',
  ),
  attack('read-as-action', 'an order as a post of type info', (attacker) =>
    onSocket(attacker, async (talk) => {
      const payload = JSON.stringify(attacker.sign(harmless(attacker)))
      talk.say(post('1', `{"type":"info","payload":${payload}}`))
      const frame = await talk.hears((text) => text.includes('"post"') || text.includes('"error"'))
      return frame.includes('"resting"') || frame.includes('"filled"')
        ? breach(frame.slice(0, 100))
        : 'an error'
    }),
  ),
  attack(
    'id-injection',
    'an id of forty digits comes back as it was, and nothing beside it',
    (attacker) =>
      onSocket(attacker, async (talk) => {
        const id = '9'.repeat(40)
        talk.say(post(id, action('{}')))
        const frame = await talk.hears((text) => text.includes('"post"'))
        return frame.includes(`"id":${id},`)
          ? 'echoed exactly, and refused'
          : breach(frame.slice(0, 100))
      }),
  ),
  attack('oversize', 'a frame of two mebibytes', (attacker) =>
    onSocket(attacker, async (talk) => {
      talk.say('x'.repeat(2_097_152))
      const code = await talk.closed(attacker.patienceMs)
      return code === 1009 ? 'closed with 1009' : breach(`closed with ${code}`)
    }),
  ),
  attack('binary', 'a forged order in a binary frame', (attacker) =>
    onSocket(attacker, async (talk) => {
      const forged = JSON.stringify(attacker.sign(harmless(attacker))).replace(
        '"b":true',
        '"b":false',
      )
      talk.say(Buffer.from(post('1', action(forged))))
      return await postVetoed(talk, 'auth_unknown_signer')
    }),
  ),
  attack(
    'flood',
    'a thousand forged posts on one socket, and an honest request beside it',
    (attacker) =>
      onSocket(attacker, async (talk) => {
        const forged =
          '{"action":{"type":"noop"},"nonce":1,"signature":{"r":"0x1","s":"0x1","v":27}}'
        for (let at = 0; at < 1_000; at += 1) talk.say(post(String(at), action(forged)))
        const honest = vetoed(
          (await attacker.send({ type: 'setReferrer' })).json,
          'unsupported_action',
        )
        await talk.hears((text) => text.includes('"id":999,'), 15_000)
        const passed = talk.heard.filter((text) => text.includes('"status":"ok"')).length
        return passed > 0 ? breach(`${passed} passed`) : `all refused; honest: ${honest}`
      }),
  ),
]

const handshake = [
  'GET /ws HTTP/1.1',
  'Host: 127.0.0.1',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
  '',
  '',
].join('\r\n')

/** Raw bytes after the handshake: Guard must hang up, with a close code. */
function framed(name: string, tries: string, ...bytes: readonly (readonly number[])[]): Attack {
  return attack(`frame-${name}`, tries, async (attacker) => {
    const answer = await raw(
      attacker.url,
      [handshake, ...bytes.map((each) => Uint8Array.from(each))],
      1_500,
    )
    if (rawStatus(answer) !== 101) return breach(`no socket: ${answer.slice(0, 80)}`)
    const rest = Buffer.from(answer.slice(answer.indexOf('\r\n\r\n') + 4), 'latin1')
    const code = rest.length >= 4 && rest[0] === 0x88 ? rest.readUInt16BE(2) : 0
    return code >= 1_002 && code <= 1_009
      ? `closed with ${code}`
      : breach(`no close, but ${rest.toString('hex').slice(0, 40)}`)
  })
}

const mask = [1, 2, 3, 4]
const raws: readonly Attack[] = [
  framed('unmasked', 'a frame of a client without a mask', [0x81, 0x02, 0x7b, 0x7d]),
  framed('reserved-bits', 'reserved bits, as if it were compressed', [
    0xc1,
    0x82,
    ...mask,
    0x7a,
    0x7f,
  ]),
  framed('unknown-opcode', 'an opcode that does not exist', [0x83, 0x82, ...mask, 0x7a, 0x7f]),
  framed(
    'unfinished-text',
    'a new message before the last has ended',
    [0x01, 0x81, ...mask, 0x7a],
    [0x81, 0x81, ...mask, 0x7a],
  ),
  framed('lone-continuation', 'the end of a message that never began', [0x80, 0x81, ...mask, 0x7a]),
  framed('fragmented-ping', 'a ping in pieces', [0x09, 0x80, ...mask]),
  framed('long-ping', 'a ping that is too long', [
    0x89,
    0xfe,
    0x00,
    0x7e,
    ...mask,
    ...new Array<number>(126).fill(0),
  ]),
  framed('endless', 'a frame that says it has more bytes than there are', [
    0x81,
    0xff,
    0x7f,
    0xff,
    0xff,
    0xff,
    0xff,
    0xff,
    0xff,
    0xff,
    ...mask,
  ]),
  framed('broken-text', 'a text that is no UTF-8', [0x81, 0x82, ...mask, 0xff ^ 1, 0xfe ^ 2]),
  framed('close-code', 'a close code that must not be sent', [
    0x88,
    0x82,
    ...mask,
    0x03 ^ 1,
    0xed ^ 2,
  ]),
  attack(
    'fragments',
    'an order in two hundred fragments, tampered with in the middle',
    async (attacker) =>
      onSocket(attacker, async (talk) => {
        const text = post(
          '1',
          action(
            JSON.stringify(attacker.sign(harmless(attacker))).replace('"b":true', '"b":false'),
          ),
        )
        const step = Math.ceil(text.length / 200)
        for (let at = 0; at < text.length; at += step) {
          talk.socket.send(text.slice(at, at + step), {
            fin: at + step >= text.length,
            binary: false,
          })
        }
        const frame = parsed(await talk.hears((each) => each.includes('"post"')))
        const response = fieldsOf(fieldsOf(fieldsOf(frame)['data'] ?? null)['response'] ?? null)
        return vetoed(response['payload'] ?? null, 'auth_unknown_signer')
      }),
  ),
]

export const websocketAttacks: readonly Attack[] = [...upgrades, ...frames, ...payloads, ...raws]
