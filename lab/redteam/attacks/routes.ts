import { breach } from '../breach.ts'
import type { Attack } from '../attack.ts'
import type { Attacker } from '../attacker.ts'
import { rawStatus, turnedAway, vetoed } from '../held.ts'
import { raw } from '../talk.ts'
import type { Answer } from '../talk.ts'
import { crlf } from './httpParts.ts'

/** Every path that Guard answers, by every method, from every page, with every broken body. */

function attack(name: string, tries: string, run: (attacker: Attacker) => Promise<string>): Attack {
  return { group: 'routes', name, tries, venue: 'nothing', run }
}

const reads = [
  ...['/guard/events', '/guard/decision', '/guard/status', '/guard/equity', '/healthz'],
  ...['/readyz', '/metrics', '/openapi.json', '/schema/events.json'],
] as const
const writes = ['/exchange', '/info', '/guard/kill', '/guard/preview'] as const

const nameOf = (path: string): string => path.slice(1).replaceAll(/[/.]/g, '-')

const otherMethods = ['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'PROPFIND', 'PURGE', 'LOCK']

/** Refused with what would have worked, and without a body that a method could have smuggled in. */
function methods(path: string, allowed: 'GET' | 'POST'): Attack {
  const wrong = [...otherMethods, allowed === 'GET' ? 'POST' : 'GET']
  return attack(`methods-${nameOf(path)}`, `${path} by ${wrong.join(', ')}`, async (attacker) => {
    const seen = new Set<string>()
    for (const method of wrong) {
      const answer = await attacker.ask(path, { method, headers: { 'content-length': '0' } })
      seen.add(turnedAway(answer, 405))
      if (answer.headers['allow'] !== allowed)
        breach(`${method} is told ${String(answer.headers['allow'])}`)
    }
    return [...seen].join(', ')
  })
}

/** A page's images, scripts and links come without an Origin; a browser still says where from. */
function crossSite(path: string, method: 'GET' | 'POST'): Attack {
  return attack(
    `cross-site-${nameOf(path)}`,
    `${method} ${path} by a page elsewhere, as an image, a script or a form without an Origin`,
    async (attacker) => {
      const seen = new Set<string>()
      for (const site of ['cross-site', 'same-site']) {
        for (const dest of ['image', 'script', 'document']) {
          const headers = {
            'Sec-Fetch-Site': site,
            'Sec-Fetch-Dest': dest,
            'Sec-Fetch-Mode': 'no-cors',
          }
          const init = method === 'POST' ? { method, body: '{}', headers } : { method, headers }
          seen.add(turnedAway(await attacker.ask(path, init), 403))
        }
      }
      return [...seen].join(', ')
    },
  )
}

/** How each of the paths that take a body says no to one it cannot read. */
const refusals: { readonly [Path in (typeof writes)[number]]: (answer: Answer) => string } = {
  '/exchange': ({ json }) => vetoed(json, 'malformed'),
  '/guard/kill': ({ json }) => vetoed(json, 'malformed'),
  '/guard/preview': (answer) => turnedAway(answer, 400),
  '/info': (answer) => turnedAway(answer, 400),
}

const broken: readonly (readonly [name: string, tries: string, body: string | Uint8Array])[] = [
  ['nothing', 'no body', ''],
  ['null', 'null', 'null'],
  ['list', 'a list', '[{"type":"meta"}]'],
  ['text', 'JSON in a text', '"{}"'],
  ['unfinished', 'an object without an end', '{"action":{"type":"order"'],
  ['two-values', 'two objects', '{}{}'],
  ['zero-byte', 'a zero byte behind the object', '{}\u0000'],
  ['not-a-number', 'NaN', '{"type":NaN,"nonce":NaN}'],
  ['comment', 'a comment', '{/*"type":"meta"*/}'],
  ['deep', 'two hundred thousand brackets', '['.repeat(200_000)],
  [
    'no-text',
    'bytes that are no text',
    Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d, 0xff]),
  ],
]

function malformed(path: (typeof writes)[number]): readonly Attack[] {
  return broken.map(([name, tries, body]) =>
    attack(`${nameOf(path)}-${name}`, `${tries} at ${path}`, async (attacker) => {
      const before = await attacker.isLatched()
      const send = (): Promise<Answer> =>
        path === '/exchange'
          ? attacker.exchange(body)
          : path === '/guard/kill'
            ? attacker.kill(body)
            : attacker.ask(path, { body })
      const how = refusals[path](await send())
      return (await attacker.isLatched()) === before ? how : breach('it moved the latch')
    }),
  )
}

/** Over a mebibyte: told so before it is kept, with a length and without one. */
function oversize(path: (typeof writes)[number]): readonly Attack[] {
  const long = 1_048_577
  return [
    attack(`oversize-${nameOf(path)}`, `a body one byte too long at ${path}`, async (attacker) =>
      turnedAway(await attacker.ask(path, { body: Buffer.alloc(long, ' ') }), 413),
    ),
    attack(
      `oversize-chunks-${nameOf(path)}`,
      `a body of three mebibytes in pieces, without a length, at ${path}`,
      async (attacker) => {
        const piece = `40000${crlf}${' '.repeat(262_144)}${crlf}`
        const head = `POST ${path} HTTP/1.1${crlf}Host: 127.0.0.1${crlf}Transfer-Encoding: chunked${crlf}${crlf}`
        const pieces = Array.from({ length: 12 }, () => piece)
        const status = rawStatus(await raw(attacker.url, [head, ...pieces, `0${crlf}${crlf}`]))
        return status === 413 ? 'HTTP 413' : breach(`HTTP ${status}`)
      },
    ),
  ]
}

/** A parameter that is said twice means two things. */
function twice(path: string, query: string): Attack {
  return attack(`twice-${nameOf(path)}`, `GET ${path}?${query}`, async (attacker) =>
    turnedAway(await attacker.ask(`${path}?${query}`), 400),
  )
}

export const routeAttacks: readonly Attack[] = [
  ...reads.map((path) => methods(path, 'GET')),
  ...writes.filter((path) => path !== '/exchange').map((path) => methods(path, 'POST')),
  ...reads.map((path) => crossSite(path, 'GET')),
  ...writes.map((path) => crossSite(path, 'POST')),
  ...writes.flatMap(malformed),
  ...writes.flatMap(oversize),
  twice('/guard/events', 'since=1&since=0'),
  twice('/guard/status', 'x=1&x=2'),
]
