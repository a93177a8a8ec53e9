import type { Json } from '../../../src/core/protocol/action.ts'
import { NotHere, breach } from '../breach.ts'
import type { Attack } from '../attack.ts'
import type { Attacker } from '../attacker.ts'
import { fromFlat, staysWithinRules } from '../fromFlat.ts'
import { priceAt } from '../ground.ts'
import { fieldsOf, rawStatus, vetoed } from '../held.ts'
import { order, orders } from '../orders.ts'
import { sizeFor, withinRules } from '../positions.ts'
import { raw } from '../talk.ts'
import { siege } from './httpBytes.ts'
import { attack, crlf, head, signedText } from './httpParts.ts'

/** What one connection can carry: many requests, odd framing, and whatever a proxy would let by. */

const entry = (attacker: Attacker): Json => {
  const field = attacker.ground()
  return orders([order(field.asset, true, priceAt(field, '0.4'), sizeFor(attacker, '1'))])
}

function race(name: string, tries: string, run: (attacker: Attacker) => Promise<number>): Attack {
  return fromFlat('sizing', name, tries, async (attacker) => {
    const answers = await run(attacker)
    if (answers === 0) throw new NotHere('nothing was answered')
    return `${await withinRules(attacker)}, all answered`
  })
}

const races: readonly Attack[] = [
  race('pipelined', 'sixty orders on one connection, in one piece', async (attacker) => {
    const count = 60
    const requests = Array.from({ length: count }, () => {
      const body = JSON.stringify(attacker.sign(entry(attacker)))
      return `${head([`Content-Length: ${body.length}`])}${body}`
    })
    const closing = `GET /healthz HTTP/1.1${crlf}Host: 127.0.0.1${crlf}Connection: close${crlf}${crlf}`
    const text = await raw(attacker.url, [requests.join('') + closing], 15_000)
    const answers = text.split('HTTP/1.1 200').length - 2
    return answers === count ? answers : breach(`${answers} of ${count} were answered`)
  }),
  race('one-socket', 'a hundred and fifty orders on one socket at once', async (attacker) => {
    const count = 150
    const talk = await attacker.talk()
    try {
      for (let id = 1; id <= count; id += 1) {
        const payload = JSON.stringify(attacker.sign(entry(attacker)))
        talk.say(`{"method":"post","id":${id},"request":{"type":"action","payload":${payload}}}`)
      }
      await talk.hears(() => talk.heard.length >= count, 20_000)
      return talk.heard.length
    } finally {
      talk.end()
    }
  }),
]

/** A signed request in odd clothes: judged as what it is, or turned away; never as something else. */
function dressed(
  name: string,
  tries: string,
  lines: readonly string[],
  body: (text: string) => string = (text) => text,
  mustBeJudged = false,
): Attack {
  return attack(name, tries, async (attacker) => {
    const before = await attacker.lastSeq()
    const text = JSON.stringify(attacker.sign({ type: 'setReferrer' }))
    const isChunked = lines.some((line) => line.startsWith('Transfer-Encoding'))
    const length = isChunked ? [] : [`Content-Length: ${text.length}`]
    const whole = `${head([...lines, ...length])}${body(text)}`
    const answer = await raw(attacker.url, [whole])
    const events = await attacker.events(before)
    const decisions = events.filter(({ kind }) => kind === 'decision')
    if (decisions.length > 1) breach(`${decisions.length} decisions for one request`)
    const [decision] = decisions
    if (mustBeJudged && decision === undefined) breach(`no decision: ${answer.slice(0, 100)}`)
    if (decision !== undefined && decision['verdict'] !== 'veto') breach('it was let through')
    return `HTTP ${rawStatus(answer)}, ${String(decision?.['code'] ?? 'not judged')}`
  })
}

/** An upgrade that is not there is ignored: such an order has its decision as any other. */
const upgrading = (name: string, tries: string, lines: readonly string[]): Attack =>
  dressed(name, tries, lines, undefined, true)

const chunked = (text: string): string =>
  `${text.length.toString(16)};sign=evil;x="y"${crlf}${text}${crlf}0${crlf}`

const clothes: readonly Attack[] = [
  dressed(
    'chunk-extensions',
    'a chunk with extensions',
    ['Transfer-Encoding: chunked'],
    (text) => `${chunked(text)}${crlf}`,
  ),
  dressed(
    'trailers',
    'a second length and another host behind the body',
    ['Transfer-Encoding: chunked', 'Trailer: Content-Length, Host'],
    (text) => `${chunked(text)}Content-Length: 9000${crlf}Host: evil.example${crlf}${crlf}`,
  ),
  dressed('expect-nonsense', 'a request that expects something unheard of', ['Expect: 200-ok']),
  upgrading('upgrade-to-http2', 'a request that asks for HTTP/2 on the way', [
    'Connection: Upgrade, HTTP2-Settings',
    'Upgrade: h2c',
    'HTTP2-Settings: AAMAAABkAAQAAP__',
  ]),
  upgrading('upgrade-by-post', 'an order that asks for a socket at the same time', [
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
  ]),
  attack('two-origins', 'two Origins, the good one first', async (attacker) => {
    const body = signedText(attacker)
    const lines = ['Origin: http://127.0.0.1', 'Origin: https://evil.example']
    const answer = await raw(attacker.url, [
      `${head([...lines, `Content-Length: ${body.length}`, 'Connection: close'])}${body}`,
    ])
    const status = rawStatus(answer)
    return status === 403 || status === 400
      ? `HTTP ${status}`
      : breach(`a page elsewhere was answered with HTTP ${status}`)
  }),
]

/** Files of Guard's own that a careless file server would hand out. */
const files: readonly Attack[] = [
  '/guard.toml',
  '/api-wallet.json',
  '/.env',
  '/../guard.toml',
  '/..%2fapi-wallet.json',
  '/assets/..%2f..%2fguard.toml',
  '//etc/passwd',
  '/state/journal/emergency.ndjson',
].map((path, at) =>
  attack(`file-${at + 1}`, `GET ${path}`, async (attacker) => {
    const answer = await raw(attacker.url, [
      `GET ${path} HTTP/1.1${crlf}Host: 127.0.0.1${crlf}Connection: close${crlf}${crlf}`,
    ])
    const status = rawStatus(answer)
    return status === 404 || status === 400 ? `HTTP ${status}` : breach(answer.slice(0, 100))
  }),
)

/** Readers by the hundred: whoever trades is served beside them. */
function readers(
  name: string,
  tries: string,
  count: number,
  open: (attacker: Attacker) => Promise<unknown>,
): Attack {
  return attack(name, tries, async (attacker) => {
    const opened = Promise.allSettled(Array.from({ length: count }, () => open(attacker)))
    const answer = vetoed((await attacker.send({ type: 'setReferrer' })).json, 'unsupported_action')
    await opened
    return `${answer} beside ${count} of them`
  })
}

const stream = (attacker: Attacker, target: string, accept: string): Promise<string> =>
  raw(
    attacker.url,
    [`GET ${target} HTTP/1.1${crlf}Host: 127.0.0.1${crlf}Accept: ${accept}${crlf}${crlf}`],
    800,
  )

const crowds: readonly Attack[] = [
  siege(
    'many-streams',
    'a hundred and fifty event streams from the first record, that nobody reads',
    150,
    `GET /guard/events HTTP/1.1${crlf}Host: 127.0.0.1${crlf}Accept: text/event-stream${crlf}${crlf}`,
  ),
  readers('many-polls', 'a hundred and fifty long polls at once', 150, (attacker) =>
    stream(attacker, '/guard/events?since=999999999&wait=30', 'application/json'),
  ),
  readers('many-previews', 'two hundred unsigned previews at once', 200, (attacker) =>
    attacker.ask('/guard/preview', { body: JSON.stringify({ action: entry(attacker) }) }),
  ),
  readers('many-reads', 'two hundred different reads of the venue at once', 200, (attacker) =>
    attacker.ask('/info', {
      body: JSON.stringify({ type: 'l2Book', coin: 'ETH', nSigFigs: 2, n: Math.random() }),
      headers: { 'content-type': 'application/json' },
    }),
  ),
  {
    group: 'websocket',
    name: 'many-subscriptions',
    tries: 'a thousand subscriptions to users nobody knows, and an honest request beside them',
    venue: 'nothing',
    run: async (attacker) => {
      const talk = await attacker.talk()
      try {
        for (let at = 0; at < 1_000; at += 1) {
          const user = `0x${at.toString(16).padStart(40, '0')}`
          talk.say(`{"method":"subscribe","subscription":{"type":"userFills","user":"${user}"}}`)
        }
        const answer = vetoed(
          (await attacker.send({ type: 'setReferrer' })).json,
          'unsupported_action',
        )
        await talk.hears((frame) => frame.includes('Cannot track more than'), 10_000)
        return `${answer}; refused like the venue does`
      } finally {
        talk.end()
      }
    },
  },
]

/** Ids a resumed stream may be asked for. */
const resumed: readonly Attack[] = [
  '-1',
  '1e9',
  '99999999999999999999',
  'last',
  "1' OR '1'='1",
].map((id, at): Attack => ({
  group: 'content',
  name: `resume-${at + 1}`,
  tries: `an event stream resumed from ${JSON.stringify(id)}`,
  venue: 'nothing',
  run: async (attacker) => {
    const answer = await raw(
      attacker.url,
      [
        `GET /guard/events HTTP/1.1${crlf}Host: 127.0.0.1${crlf}Accept: text/event-stream${crlf}` +
          `Last-Event-ID: ${id}${crlf}${crlf}`,
      ],
      500,
    )
    const status = rawStatus(answer)
    if (status === 400) return 'HTTP 400'
    const seqs = [...answer.matchAll(/^id: ?(\d+)/gm)].map((match) => Number(match[1]))
    const isInOrder = seqs.every((seq, place) => place === 0 || seq === (seqs[place - 1] ?? 0) + 1)
    if (status !== 200 || !isInOrder) breach(`HTTP ${status}, events ${seqs.slice(0, 5).join()}`)
    return `HTTP 200, ${seqs.length > 0 ? 'events in order' : 'nothing shown'}`
  },
}))

/** Fields that are right in form and wrong in what they ask. */
const rightInForm: readonly Attack[] = [
  staysWithinRules(
    'funds and rights',
    'builder-fee-in-form',
    'an order with a builder nobody named and a fee of a tenth',
    async (attacker) => {
      const builder = { b: `0x${'be'.repeat(20)}`, f: 10_000 }
      await attacker.venueLog()
      await attacker.send({ ...fieldsOf(entry(attacker)), builder })
      const log = await attacker.venueLog()
      if (log.some(({ action }) => 'builder' in fieldsOf(action))) breach('the fee was passed on')
      return 'taken off or refused'
    },
  ),
  fromFlat(
    'authentication',
    'endless-expiry',
    'an order that says it may live for ever',
    async (attacker) => {
      await attacker.venueLog()
      await attacker.send(entry(attacker), { expiresAfter: Number.MAX_SAFE_INTEGER })
      const late = (await attacker.venueLog()).find(
        ({ expiresAfter }) => expiresAfter === null || expiresAfter > Date.now() + 31_000,
      )
      if (late !== undefined) breach(`it may live until ${String(late.expiresAfter)}`)
      return 'half a minute at most'
    },
  ),
  {
    group: 'authentication',
    name: 'own-account-as-vault',
    tries: 'a request for a vault that is the account itself',
    venue: 'nothing',
    run: async (attacker) =>
      vetoed(
        (await attacker.send({ type: 'setReferrer' }, { vaultAddress: attacker.account })).json,
        'vault',
        'unsupported_action',
      ),
  },
  {
    group: 'authentication',
    name: 'nonce-beyond-exact',
    tries: 'nonces that two readers would round to different numbers',
    venue: 'nothing',
    run: async (attacker) => {
      const signed = JSON.stringify(attacker.sign({ type: 'setReferrer' }))
      const codes: string[] = []
      for (const nonce of ['9007199254740993', '1e13', '-0', '18446744073709551616']) {
        const text = signed.replace(/"nonce":\d+/, `"nonce":${nonce}`)
        const refusals = ['malformed', 'auth_unknown_signer', 'auth_bad_signature']
        codes.push(vetoed((await attacker.exchange(text)).json, ...refusals))
      }
      return [...new Set(codes)].join(', ')
    },
  },
]

export const oneConnectionAttacks: readonly Attack[] = [
  ...races,
  ...clothes,
  ...files,
  ...crowds,
  ...resumed,
  ...rightInForm,
]
