import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { startGateway } from './gateway.ts'
import { startRig, until } from './gateway.fixture.ts'
import { account } from './status.fixture.ts'
import type { Rig } from './gateway.fixture.ts'
import { exposedWords } from './gatewayOptions.ts'

const rigs: Rig[] = []
async function rig(...args: Parameters<typeof startRig>): Promise<Rig> {
  const started = await startRig(...args)
  rigs.push(started)
  return started
}
afterEach(async () => {
  for (const { gateway, time } of rigs.splice(0)) {
    const closed = gateway.close(0)
    time.advance(1)
    await closed
  }
})

test('a request to /exchange reaches Guard byte for byte, and its reply comes back', async () => {
  const { ask, guard } = await rig()
  const body = '{"action": {"type":"order","x":1.0}, "nonce": 12345678901234567890}'
  const answer = await ask('/exchange', { body })
  expect(answer.status).toBe(200)
  expect(answer.headers['content-type']).toBe('application/json')
  expect(answer.json).toEqual({ status: 'ok', response: { type: 'default' } })
  expect(guard.bodies).toEqual([{ body, via: 'http' }])
})

test.each([
  ['//exchange', 200],
  ['///exchange', 200],
  ['//info', 200],
])('doubled slashes are one: %s', async (path, status) => {
  const { ask } = await rig()
  expect((await ask(path, { body: '{"type":"allMids"}' })).status).toBe(status)
})

test('a shed request is 429 with Retry-After', async () => {
  const { ask, guard } = await rig()
  guard.reply = { status: 429, body: { status: 'err', response: 'too many' } }
  const answer = await ask('/exchange', { body: '{}' })
  expect([answer.status, answer.headers['retry-after']]).toEqual([429, '1'])
})

test('an over-long body is 413, with one decision, however it is declared', async () => {
  const { ask, guard } = await rig()
  const body = Buffer.alloc(1_048_577, 32)
  const declared = await ask('/exchange', { body })
  const chunked = await ask('/exchange', { body, headers: { 'Transfer-Encoding': 'chunked' } })
  expect([declared.status, chunked.status]).toEqual([413, 413])
  expect(declared.json.code).toBe('malformed')
  expect(guard.overlong).toEqual(['http', 'http'])
  expect(guard.bodies).toEqual([])
  const exact = await ask('/exchange', { body: Buffer.alloc(1_048_576, 32) })
  expect(exact.status).toBe(200)
})

test('an over-long kill, preview or read is 413; the kill is put on record', async () => {
  const { ask, guard } = await rig()
  const body = Buffer.alloc(1_048_577, 32)
  for (const path of ['/guard/kill', '/guard/preview', '/info']) {
    const answer = await ask(path, { body })
    expect([answer.status, answer.json.error.code]).toEqual([413, 'too_large'])
  }
  expect(guard.overlong).toEqual(['kill'])
  guard.overlongReply = { status: 429, body: null }
  const shed = await ask('/guard/kill', { body })
  expect([shed.status, shed.headers['retry-after'], shed.headers.connection]).toEqual([
    429,
    '1',
    'close',
  ])
})

test.each([
  ['127.0.0.1', undefined, 200],
  ['127.0.0.1:8547', undefined, 200],
  ['127.9.9.9:1', undefined, 200],
  ['localhost:8547', undefined, 200],
  ['LOCALHOST', undefined, 200],
  ['[::1]:8547', undefined, 200],
  ['localhost', 'http://127.0.0.1:8547', 200],
  ['localhost', 'http://localhost:3000', 200],
  ['localhost', 'https://[::1]', 200],
  ['evil.example', undefined, 403],
  ['127.0.0.1.evil.example', undefined, 403],
  ['localhost.evil.example', undefined, 403],
  ['localhost:x', undefined, 403],
  ['0.0.0.0:8547', undefined, 403],
  ['192.168.1.4:8547', undefined, 403],
  ['localhost', 'https://evil.example', 403],
  ['localhost', 'http://127.0.0.1.evil.example', 403],
  ['localhost', 'http://localhost@evil.example', 403],
  ['localhost', 'null', 403],
  ['localhost', 'file://', 403],
])('Host %j with Origin %j: %i', async (host, origin, status) => {
  const { ask, guard } = await rig()
  const headers = { Host: host, ...(origin === undefined ? {} : { Origin: origin }) }
  for (const [path, body] of [
    ['/exchange', '{}'],
    ['/guard/status', undefined],
  ] as const) {
    const answer = await ask(path, { headers, ...(body === undefined ? {} : { body }) })
    expect(answer.status).toBe(status)
    if (status === 403) expect(answer.json.error.code).toMatch(/^forbidden_/)
  }
  expect(guard.bodies.length).toBe(status === 200 ? 1 : 0)
})

test.each([
  ['GET', '/nothing', 404, 'not_found', undefined],
  ['GET', '/guard', 404, 'not_found', undefined],
  ['GET', '/exchange', 405, 'method_not_allowed', 'POST'],
  ['PUT', '/exchange', 405, 'method_not_allowed', 'POST'],
  ['POST', '/guard/status', 405, 'method_not_allowed', 'GET'],
  ['DELETE', '/guard/events', 405, 'method_not_allowed', 'GET'],
  ['GET', '/guard/kill', 405, 'method_not_allowed', 'POST'],
  ['GET', '/guard/decision', 400, 'bad_query', undefined],
  ['GET', '/guard/decision?nonce=x', 400, 'bad_query', undefined],
  ['GET', '/guard/decision?nonce=-1', 400, 'bad_query', undefined],
  ['GET', '/guard/decision?nonce=99999999999999999', 400, 'bad_query', undefined],
  ['GET', '/guard/decision?nonce=1&client=0x12', 400, 'bad_query', undefined],
  ['GET', '/guard/decision?nonce=1&nonce=2', 400, 'bad_query', undefined],
  ['GET', '/guard/decision?nonce=1', 404, 'unknown_nonce', undefined],
  ['GET', '/guard/decision?cloid=', 400, 'bad_query', undefined],
  ['GET', '/guard/decision?cloid=0x12', 400, 'bad_query', undefined],
  ['GET', `/guard/decision?cloid=0x${'z'.repeat(32)}`, 400, 'bad_query', undefined],
  ['GET', `/guard/decision?cloid=0x${'a'.repeat(32)}&nonce=1`, 400, 'bad_query', undefined],
  ['GET', `/guard/decision?cloid=0x${'a'.repeat(32)}`, 404, 'unknown_cloid', undefined],
  ['POST', '/info', 400, 'malformed', undefined],
])('%s %s is %i %s', async (method, path, status, code, allow) => {
  const { ask } = await rig()
  const answer = await ask(path, { method })
  expect([answer.status, answer.json.error.code]).toEqual([status, code])
  expect(answer.json.error.text.length).toBeGreaterThan(5)
  expect(answer.headers['allow']).toBe(allow)
})

test('every answer has a request id of its own', async () => {
  const { ask } = await rig()
  const ids = await Promise.all(
    ['/healthz', '/nothing', '/guard/status'].map(async (path) => (await ask(path)).headers),
  )
  expect(new Set(ids.map((headers) => headers['x-request-id'])).size).toBe(3)
})

test('the id of an answer is the one Guard knows the request by', async () => {
  const { ask, guard } = await rig()
  const answers = [
    await ask('/exchange', { body: '{}' }),
    await ask('/guard/kill', { body: '{}', headers: { 'X-Request-Id': 'forged' } }),
  ]
  expect(guard.requests).toEqual(answers.map(({ headers }) => headers['x-request-id']))
})

test('readiness says why not', async () => {
  const { ask, guard } = await rig()
  expect((await ask('/readyz')).json).toEqual({ status: 'ok' })
  guard.notReady = 'recovering: 2 sends are being looked up'
  const answer = await ask('/readyz')
  expect(answer.status).toBe(503)
  expect(answer.json).toEqual({ error: { code: 'not_ready', text: guard.notReady } })
  expect((await ask('/healthz')).json).toEqual({ status: 'ok' })
})

test('a bug in Guard is 500, is logged, and says nothing of itself', async () => {
  const { ask, guard, logged } = await rig()
  guard.beforeReply = () => Promise.reject(new Error('secret detail'))
  const answer = await ask('/exchange', { body: '{}' })
  expect(answer.status).toBe(500)
  expect(answer.text).not.toContain('secret')
  expect(logged).toContain('error a request failed')
})

test.each(['0.0.0.0', '::', '192.168.1.4', 'example.com', ''])(
  'Guard refuses to listen on %j without being told so',
  async (host) => {
    const { options } = await rig()
    await expect(
      startGateway({ ...options, listen: { host, port: 0, exposed: null } }),
    ).rejects.toThrow('not a loopback address')
  },
)

test('beyond this machine every read needs the token, and what is signed does not', async () => {
  const token = 'a-token-of-some-length'
  const exposed = { words: exposedWords, hosts: ['guard.lan'], token } as const
  const { ask } = await rig({ listen: { host: '0.0.0.0', port: 0, exposed } })
  const headers = { Host: 'guard.lan:8547' }
  const paths = ['/guard/status', '/guard/events', '/metrics', '/healthz', '/openapi.json']
  for (const path of paths) {
    expect((await ask(path, { headers })).status).toBe(401)
    expect((await ask(path, { headers: { ...headers, Authorization: 'Bearer x' } })).status).toBe(
      401,
    )
    const known = { ...headers, Authorization: `Bearer ${token}` }
    expect((await ask(path, { headers: known })).status).toBe(200)
  }
  expect((await ask('/guard/preview', { headers, body: '{}' })).status).toBe(401)
  // A container's own health check has no token.
  expect((await ask('/readyz', { headers })).status).toBe(200)
  expect((await ask('/exchange', { headers, body: '{}' })).status).toBe(200)
  expect((await ask('/guard/kill', { headers, body: '{}' })).status).toBe(200)
  expect((await ask('/healthz', { headers: { Host: 'other.lan' } })).status).toBe(403)
})

test('a short token is refused', async () => {
  const { options } = await rig()
  const exposed = { words: exposedWords, hosts: [], token: 'short' } as const
  await expect(
    startGateway({ ...options, listen: { host: '0.0.0.0', port: 0, exposed } }),
  ).rejects.toThrow('token of at least 16')
})

test('the monitor page and its files are served as they are given', async () => {
  const { ask } = await rig({
    assets: new Map([
      ['/', { type: 'text/html', body: '<p>', headers: { 'Content-Security-Policy': "x 'self'" } }],
      ['/monitor.js', { type: 'text/javascript', body: Buffer.from('1') }],
    ]),
  })
  const page = await ask('/')
  expect([page.text, page.headers['content-type']]).toEqual(['<p>', 'text/html'])
  expect(page.headers['content-security-policy']).toBe("x 'self'")
  expect((await ask('/monitor.js')).text).toBe('1')
})

test('closing answers what is in flight and takes nothing new', async () => {
  const started = await startRig()
  let release = (): void => undefined
  started.guard.beforeReply = () =>
    new Promise((resolve) => {
      release = resolve
    })
  const answer = started.ask('/exchange', { body: '{}' })
  await until(() => started.guard.bodies.length === 1)
  const closed = started.gateway.close()
  release()
  expect((await answer).status).toBe(200)
  await closed
  await expect(started.ask('/healthz')).rejects.toThrow('ECONNREFUSED')
})

test('a client that goes away in the middle of its body is not judged', async () => {
  const { gateway, guard, options } = await rig()
  const socket = connect(gateway.port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.write(
    'POST /exchange HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n' +
      'Expect: 100-continue\r\n\r\n{"action"',
  )
  await new Promise((resolve) => socket.once('data', resolve))
  socket.destroy()
  await until(() => options.metrics.registry.text().includes('route="/exchange"'))
  expect(guard.bodies).toEqual([])
})

test('the account is named in the status', async () => {
  const { ask } = await rig()
  expect((await ask('/guard/status')).json.account).toBe(account)
})

test('what a bot does is in the log with the id of its answer', async () => {
  const lines: object[] = []
  const log = {
    log: (level: string, message: string, fields = {}) =>
      void lines.push({ level, message, ...fields }),
  }
  const { ask } = await rig({ log })
  const { headers } = await ask('/exchange', { body: '{}' })
  await until(() => lines.length > 0)
  const request = headers['x-request-id']
  expect(lines).toEqual([{ level: 'info', message: 'POST /exchange', request, status: 200, ms: 0 }])
})

test('a request with two hosts is refused, whichever comes first', async () => {
  const r = await rig()
  for (const hosts of [
    ['127.0.0.1', 'evil.example'],
    ['evil.example', '127.0.0.1'],
    ['localhost', 'localhost'],
  ]) {
    const lines = ['GET /healthz HTTP/1.1', ...hosts.map((host) => `Host: ${host}`)]
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(r.gateway.port, '127.0.0.1')
      let text = ''
      socket.on('data', (chunk) => (text += chunk.toString('latin1')))
      socket.on('close', () => resolve(text))
      socket.write([...lines, 'Connection: close', '', ''].join('\r\n'))
    })
    expect(answer).toMatch(/^HTTP\/1\.1 403 /)
  }
})

test('an order is answered alike, whichever way its connection took', async () => {
  const { gateway } = await rig()
  const { port } = gateway
  const read = async (isLane: boolean): Promise<readonly string[]> => {
    const socket = connect(port, '127.0.0.1')
    const head = ['POST /exchange HTTP/1.1', `Host: 127.0.0.1:${port}`, 'Content-Length: 2']
    // The lane knows nothing of trailers, so that it leaves this request to the server.
    const more = isLane ? [] : ['TE: trailers']
    socket.write([...head, ...more, '', '{}'].join('\r\n'))
    const [bytes] = (await once(socket, 'data')) as [Buffer]
    socket.destroy()
    return bytes
      .toString()
      .split('\r\n')
      .map((line) => line.replace(/^(X-Request-Id|Date): .*/, '$1: ...'))
      .sort()
  }
  expect(await read(true)).toEqual(await read(false))
})

test.each([
  ['cross-site', 403],
  ['same-site', 403],
  ['same-origin', 200],
  ['none', 200],
])('a page of %s that shows no origin gets %i', async (site, status) => {
  const { ask } = await rig()
  const headers = { 'Sec-Fetch-Site': site }
  expect((await ask('/guard/status', { headers })).status).toBe(status)
})

test('an asset that says how long it may be kept says it alone', async () => {
  const asset = { type: 'text/css', body: 'a{}', headers: { 'cache-control': 'no-cache' } }
  const { ask } = await rig({ assets: new Map([['/page.css', asset]]) })
  expect((await ask('/page.css')).headers['cache-control']).toBe('no-cache')
})
