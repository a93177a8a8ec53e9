import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { startRig, until } from '../gateway.fixture.ts'
import type { Rig } from '../gateway.fixture.ts'
import { FakeUpstream, Bot } from '../ws/socket.fixture.ts'
import { headWithoutUpgrade } from './ignoredUpgrade.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

async function startWorld(): Promise<Rig> {
  const rig = await startRig()
  closers.push(async () => {
    const closed = rig.gateway.close(0)
    rig.time.advance(1)
    await closed
  })
  return rig
}

interface Line {
  readonly socket: Socket
  heard: string
}

function dial({ gateway }: Rig): Line {
  const line: Line = { socket: connect(gateway.port, '127.0.0.1'), heard: '' }
  line.socket.setNoDelay(true)
  line.socket.on('error', () => undefined)
  line.socket.on('data', (chunk: Buffer) => {
    line.heard += chunk.toString('latin1')
  })
  closers.push(() => line.socket.destroy())
  return line
}

/** As Java's client sends it. */
const h2c =
  'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n' +
  'HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA\r\n'

const asked = (target: string, dress: string, body?: string): string => {
  const length = body === undefined ? '' : `Content-Length: ${body.length}\r\n`
  const method = body === undefined ? 'GET' : 'POST'
  return `${method} ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\n${dress}${length}\r\n${body ?? ''}`
}
const statuses = (heard: string): string[] => heard.match(/HTTP\/1\.1 \d{3}/g) ?? []
const ok = (count: number): string[] => Array.from({ length: count }, () => 'HTTP/1.1 200')

test.each([
  ['h2c', h2c],
  ['a lower protocol', 'Connection: upgrade\r\nUpgrade: TLS/1.0, HTTP/2.0\r\n'],
  ['a socket by POST', 'Connection: Upgrade\r\nUpgrade: websocket\r\n'],
])('an order that offers %s is judged as if it did not', async (_, dress) => {
  const rig = await startWorld()
  const line = dial(rig)
  line.socket.write(asked('/exchange', dress, '{"a":1}'))
  await until(() => line.heard.includes('"status":"ok"'))
  line.socket.write(asked('/guard/kill', dress, '{"a":2}'))
  await until(() => statuses(line.heard).length === 2)
  expect(statuses(line.heard)).toEqual(ok(2))
  expect(rig.guard.bodies).toEqual([
    { body: '{"a":1}', via: 'http' },
    { body: '{"a":2}', via: 'kill' },
  ])
})

test.each(['/guard/status', '/guard/events', '/healthz', '/metrics'])(
  'GET %s that offers h2c is answered',
  async (path) => {
    const rig = await startWorld()
    const line = dial(rig)
    line.socket.write(asked(path, h2c))
    await until(() => statuses(line.heard).length > 0)
    expect(statuses(line.heard)).toEqual(ok(1))
  },
)

test('a connection goes on behind an offer, also with what came in the same breath', async () => {
  const rig = await startWorld()
  const line = dial(rig)
  line.socket.write(
    asked('/exchange', h2c, '{"a":1}') +
      asked('/guard/status', h2c) +
      asked('/healthz', '') +
      asked('/exchange', '', '{"a":2}') +
      asked('/exchange', h2c, '{"a":3}'),
  )
  await until(() => statuses(line.heard).length === 5)
  expect(statuses(line.heard)).toEqual(ok(5))
  expect(rig.guard.bodies.map(({ body }) => body)).toEqual(['{"a":1}', '{"a":2}', '{"a":3}'])
})

test('the answer of what came before an offer comes before its own', async () => {
  const rig = await startWorld()
  let answer = (): void => undefined
  const held = new Promise<void>((resolve) => (answer = resolve))
  rig.guard.beforeReply = () => held
  const line = dial(rig)
  // Behind something else the orders of a connection are the server's.
  line.socket.write(
    asked('/healthz', '') + asked('/exchange', '', '{"a":1}') + asked('/guard/status', h2c),
  )
  await until(() => rig.guard.bodies.length === 1)
  await until(() => statuses(line.heard).length === 1)
  answer()
  await until(() => statuses(line.heard).length === 3)
  expect(line.heard.indexOf('"status":"ok","response"')).toBeGreaterThan(0)
  expect(line.heard.indexOf('"status":"ok","response"')).toBeLessThan(
    line.heard.indexOf('"schema"'),
  )
})

test('a body behind an offer may come in pieces, and in chunks', async () => {
  const rig = await startWorld()
  const line = dial(rig)
  const whole = asked('/exchange', h2c, '{"a":1}')
  await new Promise<void>((resolve) => {
    line.socket.write(whole.slice(0, -4), () => {
      setImmediate(resolve)
    })
  })
  line.socket.write(whole.slice(-4))
  await until(() => statuses(line.heard).length === 1)
  line.socket.write(
    asked('/exchange', `${h2c}Transfer-Encoding: chunked\r\n`).replace('GET', 'POST') +
      '7\r\n{"a":2}\r\n0\r\n\r\n',
  )
  await until(() => statuses(line.heard).length === 2)
  expect(rig.guard.bodies.map(({ body }) => body)).toEqual(['{"a":1}', '{"a":2}'])
})

test('a stranger who offers an upgrade stays a stranger', async () => {
  const rig = await startWorld()
  const line = dial(rig)
  line.socket.write(asked('/exchange', `Origin: https://evil.example\r\n${h2c}`, '{}'))
  await until(() => statuses(line.heard).length === 1)
  expect(statuses(line.heard)).toEqual(['HTTP/1.1 403'])
  expect(rig.guard.bodies).toEqual([])
})

test('a socket is opened as before', async () => {
  const upstream = await FakeUpstream.start()
  closers.push(() => {
    upstream.close()
  })
  const rig = await startWorld()
  const bot = await Bot.connect(rig.gateway.port, '/ws')
  closers.push(() => {
    bot.socket.terminate()
  })
  bot.send('{"method":"ping"}')
  await bot.has('pong')
})

test('a head keeps all that does not speak of the upgrade, and gets no longer', () => {
  const rawHeaders = [
    ...['host', 'a', 'Connection', 'keep-alive, Upgrade,HTTP2-Settings', 'CONNECTION', 'upgrade'],
    ...['Upgrade', 'h2c', 'HTTP2-Settings', 'AAM', 'X-Name', '\xe9t\xe9', 'content-length', '3'],
  ]
  const head = headWithoutUpgrade({
    method: 'POST',
    url: '/x?\xff',
    httpVersion: '1.1',
    rawHeaders,
  })
  expect(head.toString('latin1')).toBe(
    'POST /x?\xff HTTP/1.1\r\nhost:a\r\nConnection:keep-alive\r\n' +
      'X-Name:\xe9t\xe9\r\ncontent-length:3\r\n\r\n',
  )
})
