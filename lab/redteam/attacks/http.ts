import { breach } from '../breach.ts'
import type { Attack } from '../attack.ts'
import type { Attacker } from '../attacker.ts'
import { fieldsOf, rawStatus, turnedAway } from '../held.ts'
import { raw } from '../talk.ts'
import { harmless } from './authentication.ts'

import { attack, crlf, signedText } from './httpParts.ts'

function knocks(
  name: string,
  tries: string,
  headers: (attacker: Attacker) => { readonly [name: string]: string },
): Attack {
  return attack(name, tries, async (attacker) => {
    const how = turnedAway(await attacker.exchange(signedText(attacker), headers(attacker)), 403)
    turnedAway(await attacker.ask('/guard/status', { headers: headers(attacker) }), 403)
    return how
  })
}

const doors: readonly Attack[] = [
  ...[
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'evil.example:8547',
    '127.1',
    '0.0.0.0',
    '[::ffff:127.0.0.1]',
    '2130706433',
    'localhost:80@evil.example',
    '127.0.0.1 evil',
    'xn--lcalhost-n3a',
  ].map((host) =>
    knocks(
      `host-${host.replaceAll(/[^a-z0-9]+/gi, '-')}`,
      `a Host of ${host}, as a rebound name would have`,
      () => ({ Host: host }),
    ),
  ),
  ...[
    'https://evil.example',
    'null',
    'http://localhost.evil.example',
    'file://',
    'http://127.0.0.1.evil.example',
    'http://evil.example#localhost',
    'chrome-extension://abc',
  ].map((origin) =>
    knocks(`origin-${origin.replaceAll(/[^a-z0-9]+/gi, '-')}`, `a page of ${origin}`, () => ({
      Origin: origin,
    })),
  ),
  attack('no-host', 'a request without a Host', async (attacker) => {
    const body = signedText(attacker)
    const answer = await raw(attacker.url, [
      `POST /exchange HTTP/1.0${crlf}Content-Length: ${body.length}${crlf}${crlf}${body}`,
    ])
    return [400, 403].includes(rawStatus(answer))
      ? `HTTP ${rawStatus(answer)}`
      : breach(answer.slice(0, 120))
  }),
  attack('two-hosts', 'two Hosts, the good one first', async (attacker) => {
    const body = signedText(attacker)
    const answer = await raw(attacker.url, [
      `POST /exchange HTTP/1.1${crlf}Host: 127.0.0.1${crlf}Host: evil.example${crlf}Connection: close${crlf}Content-Length: ${body.length}${crlf}${crlf}${body}`,
    ])
    return [400, 403].includes(rawStatus(answer))
      ? `HTTP ${rawStatus(answer)}`
      : breach(answer.slice(0, 120))
  }),
  attack('absolute-target', 'a whole URL of another host as the target', async (attacker) => {
    const body = signedText(attacker)
    const answer = await raw(attacker.url, [
      `POST http://evil.example/exchange HTTP/1.1${crlf}Host: 127.0.0.1${crlf}Connection: close${crlf}Content-Length: ${body.length}${crlf}${crlf}${body}`,
    ])
    return [400, 403, 404].includes(rawStatus(answer))
      ? `HTTP ${rawStatus(answer)}`
      : breach(answer.slice(0, 120))
  }),
  attack('cross-site-read', 'whether a page elsewhere could read an answer', async (attacker) => {
    const answer = await attacker.ask('/guard/status', {
      method: 'OPTIONS',
      headers: { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'GET' },
    })
    const plain = await attacker.ask('/guard/status')
    if (
      Object.keys({ ...answer.headers, ...plain.headers }).some((name) =>
        name.startsWith('access-control-'),
      )
    )
      return breach('it allows other origins')
    return plain.headers['x-content-type-options'] === 'nosniff'
      ? turnedAway(answer, 403, 405)
      : breach('answers may be sniffed')
  }),
]

function path(name: string, target: string, ...statuses: readonly number[]): Attack {
  return attack(`path-${name}`, `POST ${target.slice(0, 60)}`, async (attacker) => {
    const text = signedText(attacker)
    const answer = await raw(attacker.url, [
      `POST ${target} HTTP/1.1${crlf}Host: 127.0.0.1${crlf}Connection: close${crlf}Content-Length: ${text.length}${crlf}${crlf}${text}`,
    ])
    const status = rawStatus(answer)
    return (statuses.length > 0 ? statuses : [400, 404, 405]).includes(status)
      ? `HTTP ${status}`
      : breach(answer.slice(0, 120))
  })
}

const paths: readonly Attack[] = [
  path('dots', '/guard/../exchange'),
  path('encoded', '/%65xchange'),
  path('encoded-dots', '/guard/%2e%2e/exchange'),
  path('encoded-slash', '/guard%2f..%2fexchange'),
  path('capitals', '/EXCHANGE'),
  path('trailing', '/exchange/'),
  path('semicolon', '/exchange;jsessionid=1'),
  path('null', '/exchange%00'),
  path('backslash', '\\exchange'),
  path('fragment', '/exchange#x'),
  path('files', '/../../../../etc/passwd'),
  path('encoded-files', '/%2e%2e/%2e%2e/%2e%2e/etc/passwd'),
  path('state', '/state/journal'),
  path('sim', '/sim/reset'),
  attack('methods', 'orders by every other method', async (attacker) => {
    const seen = new Set<string>()
    for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'GET', 'HEAD']) {
      const answer = await attacker.ask('/exchange', { method, body: signedText(attacker) })
      seen.add(turnedAway(answer, 405, 400, 426))
    }
    return [...seen].join(', ')
  }),
  attack('connect', 'a tunnel through Guard', async (attacker) => {
    const answer = await raw(
      attacker.url,
      [`CONNECT 127.0.0.1:22 HTTP/1.1${crlf}Host: 127.0.0.1${crlf}${crlf}`],
      700,
    )
    return rawStatus(answer) === 200
      ? breach('a tunnel was opened')
      : `HTTP ${rawStatus(answer) === 0 ? 'none, closed' : rawStatus(answer)}`
  }),
  attack('order-as-read', 'an order at /info', async (attacker) => {
    const request = attacker.sign(harmless(attacker))
    const answers = [
      await attacker.ask('/info', { body: JSON.stringify(request) }),
      await attacker.ask('/info', {
        body: JSON.stringify({ type: 'order', ...request, ...fieldsOf(request.action) }),
      }),
    ]
    return answers
      .map(({ status, json }) =>
        fieldsOf(json)['status'] === 'ok' ? breach('it was taken') : `HTTP ${status}`,
      )
      .join(', ')
  }),
  attack(
    'order-as-preview',
    'an order as a preview: it must only be looked at',
    async (attacker) => {
      const before = await attacker.lastSeq()
      const answer = await attacker.ask('/guard/preview', {
        body: JSON.stringify({ action: harmless(attacker) }),
      })
      const after = (await attacker.events(before)).filter(
        (each) => each['kind'] === 'sent' || each['kind'] === 'decision',
      )
      if (after.length > 0) breach('it left a decision')
      const verdict = fieldsOf(answer.json)['verdict']
      return typeof verdict === 'string'
        ? `only looked at: ${verdict}`
        : breach(`HTTP ${answer.status}: ${answer.text.slice(0, 100)}`)
    },
  ),
]

export const httpAttacks: readonly Attack[] = [...doors, ...paths]
