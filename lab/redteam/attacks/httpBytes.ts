import { gzipSync } from 'node:zlib'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { breach } from '../breach.ts'
import type { Attack } from '../attack.ts'
import type { Attacker } from '../attacker.ts'
import { rawStatus, vetoed } from '../held.ts'
import { raw } from '../talk.ts'

import { attack, crlf, head, port, signedText } from './httpParts.ts'

/** Two readers of the same bytes: what is behind the first request must never be judged. */
function smuggle(
  name: string,
  tries: string,
  make: (hidden: string, port: string) => string,
): Attack {
  return attack(`smuggle-${name}`, tries, async (attacker) => {
    const body = signedText(attacker)
    const hidden = `POST /exchange HTTP/1.1${crlf}Host: evil.example${crlf}Content-Length: ${body.length}${crlf}${crlf}${body}`
    const before = await attacker.lastSeq()
    const answer = await raw(attacker.url, [make(hidden, port(attacker))], 700)
    const events = await attacker.events(before)
    const judged = events.filter((each) => each['kind'] === 'decision' && each['client'] !== null)
    if (judged.length > 0) breach('the hidden request was judged')
    const first = rawStatus(answer)
    return first >= 400 || first === 0
      ? `HTTP ${first === 0 ? 'none, closed' : first}`
      : breach(answer.slice(0, 120))
  })
}

const smuggling: readonly Attack[] = [
  smuggle(
    'length-and-chunks',
    'a length and chunks at once',
    (hidden) =>
      `${head(['Content-Length: 4', 'Transfer-Encoding: chunked'])}0${crlf}${crlf}${hidden}`,
  ),
  smuggle(
    'chunks-and-length',
    'the same in the other order',
    (hidden) =>
      `${head(['Transfer-Encoding: chunked', `Content-Length: ${hidden.length}`])}0${crlf}${crlf}${hidden}`,
  ),
  smuggle(
    'two-lengths',
    'two lengths that differ',
    (hidden) => `${head(['Content-Length: 2', `Content-Length: ${hidden.length + 2}`])}{}${hidden}`,
  ),
  smuggle(
    'length-list',
    'a list of lengths',
    (hidden) => `${head(['Content-Length: 2, 900'])}{}${hidden}`,
  ),
  smuggle(
    'length-plus',
    'a length with a plus',
    (hidden) => `${head(['Content-Length: +2'])}{}${hidden}`,
  ),
  smuggle(
    'length-hex',
    'a length in hex',
    (hidden) => `${head(['Content-Length: 0x2'])}{}${hidden}`,
  ),
  smuggle(
    'length-minus',
    'a length below zero',
    (hidden) => `${head(['Content-Length: -2'])}{}${hidden}`,
  ),
  smuggle(
    'odd-encoding',
    'an encoding that only looks like chunks',
    (hidden) => `${head(['Transfer-Encoding: xchunked'])}0${crlf}${crlf}${hidden}`,
  ),
  smuggle(
    'two-encodings',
    'chunks and then something else',
    (hidden) =>
      `${head(['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'])}0${crlf}${crlf}${hidden}`,
  ),
  smuggle(
    'spaced-header',
    'a space before the colon',
    (hidden) =>
      `${head(['Transfer-Encoding : chunked', 'Content-Length: 5'])}0${crlf}${crlf}${hidden}`,
  ),
  smuggle(
    'folded-header',
    'a header on two lines',
    (hidden) =>
      `${head(['X-Fold: a', ' Transfer-Encoding: chunked', 'Content-Length: 900'])}${hidden}`,
  ),
  smuggle(
    'bare-line-feed',
    'lines that end in a line feed only',
    (hidden) =>
      `POST /exchange HTTP/1.1\nHost: 127.0.0.1\nContent-Length: 0\nX: y\rTransfer-Encoding: chunked\n\n${hidden}`,
  ),
  smuggle(
    'bad-chunk-size',
    'a chunk whose size is no number',
    (hidden) => `${head(['Transfer-Encoding: chunked'])}zz${crlf}${hidden}`,
  ),
  smuggle(
    'huge-chunk-size',
    'a chunk whose size does not fit',
    (hidden) => `${head(['Transfer-Encoding: chunked'])}ffffffffffffffffff${crlf}${hidden}`,
  ),
  smuggle(
    'null-in-header',
    'a zero byte in a header',
    (hidden) => `${head(['X-Null: a\u0000b'])}${hidden}`,
  ),
  smuggle(
    'http2',
    'the opening words of HTTP/2',
    () => `PRI * HTTP/2.0${crlf}${crlf}SM${crlf}${crlf}`,
  ),
  smuggle('garbage', 'no HTTP at all', () => `\u0016\u0003\u0001\u0002\u0000garbage${crlf}${crlf}`),
]

function body(
  name: string,
  tries: string,
  make: (attacker: Attacker) => string | Uint8Array,
  headers: { readonly [name: string]: string } = {},
): Attack {
  return attack(name, tries, async (attacker) => {
    const started = Date.now()
    const answer = await attacker.exchange(make(attacker), headers)
    const took = Date.now() - started
    if (took > 5_000) breach(`it took ${took} ms`)
    return answer.status === 413
      ? 'HTTP 413'
      : vetoed(answer.json, 'malformed', 'auth_unknown_signer')
  })
}

const bodies: readonly Attack[] = [
  body('two-mebibytes', 'a body of two mebibytes', () => ' '.repeat(2_097_152)),
  body('one-byte-too-many', 'a good request padded to a byte beyond the limit', (attacker) =>
    signedText(attacker).padEnd(1_048_577),
  ),
  body('nested', 'a hundred thousand brackets', () => '['.repeat(100_000)),
  body(
    'nested-closed',
    'lists in lists, closed again',
    () => `${'['.repeat(400_000)}${']'.repeat(400_000)}`,
  ),
  body(
    'nested-in-action',
    'a deep value inside a signed action',
    (attacker) =>
      `{"action":{"type":"order","x":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}},"nonce":${attacker.pen.nonce()},"signature":{"r":"0x1","s":"0x1","v":27}}`,
  ),
  body(
    'hundred-thousand-keys',
    'an object with a hundred thousand keys',
    () => `{${Array.from({ length: 60_000 }, (_, at) => `"k${at}":1`).join(',')}}`,
  ),
  body('colliding-keys', 'one key sixty thousand times', () => `{${'"a":1,'.repeat(60_000)}"a":1}`),
  body('long-number', 'a number of a million digits', () => `{"nonce":${'9'.repeat(1_000_000)}}`),
  body(
    'long-text',
    'a text of a million backslashes',
    () => `{"action":"${'\\\\'.repeat(500_000)}"}`,
  ),
  body('broken-utf8', 'bytes that are no text', () =>
    Uint8Array.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
  ),
  body('utf16', 'a good request in UTF-16', (attacker) =>
    Buffer.from(signedText(attacker), 'utf16le'),
  ),
  body('gzip', 'a good request, compressed', (attacker) => gzipSync(signedText(attacker)), {
    'Content-Encoding': 'gzip',
  }),
  body(
    'zip-bomb',
    'a compressed body that grows a thousandfold',
    () => gzipSync(Buffer.alloc(20_000_000, 0x20)),
    { 'Content-Encoding': 'gzip' },
  ),
  body(
    'form',
    'a request as a form',
    (attacker) => `action=${encodeURIComponent(signedText(attacker))}`,
    { 'Content-Type': 'application/x-www-form-urlencoded' },
  ),
  body('empty', 'no body at all', () => ''),
  attack('endless-chunks', 'a body without a length that does not end', async (attacker) => {
    const chunk = `10000${crlf}${' '.repeat(65_536)}${crlf}`
    const answer = await raw(
      attacker.url,
      [head(['Transfer-Encoding: chunked']), ...Array.from({ length: 300 }, () => chunk)],
      attacker.patienceMs,
    )
    return rawStatus(answer) === 413
      ? 'HTTP 413'
      : breach(answer.slice(0, 100) || 'it reads without end')
  }),
  attack('declared-huge', 'a body that says it has a hundred gigabytes', async (attacker) => {
    const answer = await raw(
      attacker.url,
      [head(['Content-Length: 107374182400']), '{'],
      attacker.patienceMs,
    )
    return rawStatus(answer) === 413
      ? 'HTTP 413'
      : breach(answer.slice(0, 100) || 'it waits for it')
  }),
]

/** Holds connections open while an honest request has to get its answer. */
export function siege(name: string, tries: string, count: number, opening: string): Attack {
  return attack(name, tries, async (attacker) => {
    const sockets: Socket[] = []
    try {
      for (let at = 0; at < count; at += 1) {
        const socket = connect(Number(port(attacker)), '127.0.0.1')
        socket.on('error', () => undefined)
        socket.write(opening)
        sockets.push(socket)
      }
      await Promise.all(
        sockets.map(
          (socket) =>
            new Promise((resolve) =>
              socket.connecting
                ? socket.once('connect', resolve).once('close', resolve)
                : resolve(null),
            ),
        ),
      )
      const started = Date.now()
      const answer = vetoed(
        (await attacker.send({ type: 'setReferrer' })).json,
        'unsupported_action',
      )
      return `${answer} within ${Date.now() - started} ms beside ${count} of them`.replace(
        /within \d+ ms /,
        '',
      )
    } finally {
      for (const socket of sockets) socket.destroy()
    }
  })
}

const floods: readonly Attack[] = [
  siege('slow-bodies', 'two hundred bodies that never come', 200, head(['Content-Length: 1000'])),
  siege(
    'slow-headers',
    'two hundred requests that stop in the middle of their headers',
    200,
    `POST /exchange HTTP/1.1${crlf}Host: 127.0.0.1${crlf}X-Slow: `,
  ),
  siege('silent-connections', 'two hundred connections that say nothing', 200, ''),
  attack(
    'flood',
    'a thousand forged requests at once, and an honest one behind them',
    async (attacker) => {
      const forged = JSON.stringify({
        action: { type: 'setReferrer' },
        nonce: Date.now(),
        signature: { r: '0x1', s: '0x1', v: 27 },
      })
      const before = await attacker.lastSeq()
      const statuses: number[] = []
      for (let round = 0; round < 10; round += 1) {
        const answers = await Promise.all(
          Array.from({ length: 100 }, () => attacker.ask('/exchange', { body: forged })),
        )
        statuses.push(...answers.map(({ status }) => status))
      }
      const shed = statuses.filter((status) => status === 429).length
      const honest = vetoed(
        (await attacker.send({ type: 'setReferrer' })).json,
        'unsupported_action',
      )
      const written = (await attacker.lastSeq()) - before
      if (shed === 0 && written > 900)
        breach(`none of ${statuses.length} was shed, ${written} events were written`)
      return `${shed > 0 ? 'shed with 429' : 'none shed'}; honest: ${honest}`
    },
  ),
  attack('huge-header', 'a header of a hundred kilobytes', async (attacker) => {
    const answer = await raw(attacker.url, [head([`X-Big: ${'x'.repeat(100_000)}`])])
    return [400, 431].includes(rawStatus(answer))
      ? `HTTP ${rawStatus(answer)}`
      : breach(answer.slice(0, 100))
  }),
  attack('many-headers', 'ten thousand headers', async (attacker) => {
    const answer = await raw(attacker.url, [
      head(Array.from({ length: 10_000 }, (_, at) => `X-${at}: 1`)),
    ])
    return [400, 431].includes(rawStatus(answer))
      ? `HTTP ${rawStatus(answer)}`
      : breach(answer.slice(0, 100))
  }),
]

export const httpByteAttacks: readonly Attack[] = [...smuggling, ...bodies, ...floods]
