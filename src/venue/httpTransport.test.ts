import { createServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { afterEach, expect, test } from 'vitest'
import { createHttpTransport } from './httpTransport.ts'
import type { HttpTransport, TransportOptions } from './httpTransport.ts'
import { selfSigned } from './selfSigned.fixture.ts'

/** Long enough for any machine; only a test of silence waits less. */
const patientMs = 60_000

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

/** A venue that is given each request as its socket received it. */
async function venueThat(
  answer: (socket: Socket, request: string, count: number) => void,
  listen: (onSocket: (socket: Socket) => void) => Server = createServer,
): Promise<{ readonly port: number; readonly sockets: Socket[] }> {
  const sockets: Socket[] = []
  let count = 0
  const server = listen((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.on('data', (bytes) => {
      answer(socket, bytes.toString(), (count += 1))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, sockets }
}

function transportTo(url: string, options: TransportOptions = {}): HttpTransport {
  const transport = createHttpTransport(url, options)
  closers.push(() => {
    transport.close()
  })
  return transport
}

const plain = (text: string, ...headers: string[]): string =>
  ['HTTP/1.1 200 OK', `Content-Length: ${text.length}`, ...headers, '', text].join('\r\n')

const answered = (body: string) => ({ kind: 'answer', status: 200, body: Buffer.from(body) })

test('one request is one write of what any server understands', async () => {
  const requests: string[] = []
  const { port } = await venueThat((socket, request) => {
    requests.push(request)
    socket.write(plain('{}'))
  })
  const transport = transportTo(`http://127.0.0.1:${port}/base/`)
  expect(await transport.post('/info', '{"é":1}', patientMs, 'safety')).toEqual(answered('{}'))
  expect(requests).toEqual([
    [
      'POST /base/info HTTP/1.1',
      `Host: 127.0.0.1:${port}`,
      'Connection: keep-alive',
      'Content-Type: application/json',
      'Content-Length: 8',
      '',
      '{"é":1}',
    ].join('\r\n'),
  ])
})

test('a connection is kept for the next request, unless the venue says otherwise', async () => {
  const { port, sockets } = await venueThat((socket, _request, count) => {
    socket.write(plain('{}', ...(count === 2 ? ['Connection: close'] : [])))
  })
  const transport = transportTo(`http://127.0.0.1:${port}`)
  for (const expected of [1, 1, 2, 2]) {
    expect(await transport.post('/info', '{}', patientMs, 'safety')).toEqual(answered('{}'))
    expect(sockets).toHaveLength(expected)
  }
})

test.each([
  ['as long as the venue says, less a margin', ['Keep-Alive: timeout=30'], 28_999, 29_001],
  ['for most of a minute where it says nothing', [], 49_999, 50_001],
])('an idle connection is used again %s', async (_how, headers, within, beyond) => {
  let now = 0
  const { port, sockets } = await venueThat((socket) => {
    socket.write(plain('{}', ...headers))
  })
  const transport = transportTo(`http://127.0.0.1:${port}`, { monotonicMs: () => now })
  for (const [waited, expected] of [
    [0, 1],
    [within, 1],
    [within, 1],
    [beyond, 2],
  ] as const) {
    now += waited
    expect(await transport.post('/info', '{}', patientMs, 'safety')).toEqual(answered('{}'))
    expect(sockets).toHaveLength(expected)
  }
})

test('a kept connection that the venue has closed is not used again', async () => {
  const { port, sockets } = await venueThat((socket) => socket.write(plain('{}')))
  const transport = transportTo(`http://127.0.0.1:${port}`)
  await transport.post('/info', '{}', patientMs, 'safety')
  const gone = new Promise((resolve) => sockets[0]?.once('close', resolve))
  sockets[0]?.end()
  await gone
  expect(await transport.post('/info', '{}', patientMs, 'safety')).toEqual(answered('{}'))
  expect(sockets).toHaveLength(2)
})

test('what nobody asked for is never the answer to the next request', async () => {
  const { port, sockets } = await venueThat((socket, _request, count) => {
    socket.write(plain(`"${count}"`))
  })
  const transport = transportTo(`http://127.0.0.1:${port}`)
  await transport.post('/info', '{}', patientMs, 'safety')
  const gone = new Promise((resolve) => sockets[0]?.once('close', resolve))
  sockets[0]?.write(plain('"a lie"'))
  await gone
  expect(await transport.post('/info', '{}', patientMs, 'safety')).toEqual(answered('"2"'))
})

test('beyond the most connections a request waits for one, and none is lost', async () => {
  const open: (() => void)[] = []
  const { port, sockets } = await venueThat((socket, request) => {
    open.push(() => socket.write(plain(request.split('\r\n\r\n')[1] ?? '')))
    if (open.length >= 64) for (const go of open.splice(0)) go()
  })
  const transport = transportTo(`http://127.0.0.1:${port}`)
  const bodies = Array.from({ length: 128 }, (_, n) => String(n))
  const outcomes = await Promise.all(
    bodies.map((body) => transport.post('/info', body, patientMs, 'safety')),
  )
  expect(outcomes).toEqual(bodies.map(answered))
  expect(sockets).toHaveLength(64)
})

test('a request takes whichever connection is free first, and the oldest goes first', async () => {
  const requests: string[] = []
  const { port, sockets } = await venueThat((socket, request) => {
    requests.push(request.split('\r\n\r\n')[1] ?? '')
    socket.write(plain('{}'))
  })
  const transport = transportTo(`http://127.0.0.1:${port}`)
  await transport.post('/info', 'first', patientMs, 'safety')
  const [kept] = sockets
  // The kept connection is taken by the second; the third asks for another one, and may be served
  // by the kept one before that stands.
  await Promise.all(
    ['second', 'third'].map((body) => transport.post('/info', body, patientMs, 'safety')),
  )
  expect(requests).toEqual(['first', 'second', 'third'])
  expect(sockets[0]).toBe(kept)
  expect(sockets.length).toBeLessThanOrEqual(2)
})

test('a connection that breaks while others wait makes room for the next', async () => {
  let held: Socket[] = []
  const { port } = await venueThat((socket, request) => {
    if (request.endsWith('held')) held.push(socket)
    else socket.write(plain('{}'))
    if (held.length === 64) {
      for (const each of held) each.destroy()
      held = []
    }
  })
  const transport = transportTo(`http://127.0.0.1:${port}`)
  const lost = Array.from({ length: 64 }, () =>
    transport.post('/info', 'held', patientMs, 'safety'),
  )
  const waiting = transport.post('/info', 'waiting', patientMs, 'safety')
  expect(await waiting).toEqual(answered('{}'))
  for (const outcome of await Promise.all(lost)) expect(outcome).toMatchObject({ kind: 'unknown' })
})

test('whoever waits for a connection until the end was provably not sent', async () => {
  let reached = 0
  const { port } = await venueThat(() => {
    reached += 1
  })
  const transport = transportTo(`http://127.0.0.1:${port}`)
  const sent = Array.from({ length: 64 }, () =>
    transport.post('/info', 'held', patientMs, 'safety'),
  )
  while (reached < 64) await new Promise((resolve) => setImmediate(resolve))
  expect(await transport.post('/info', 'late', 20, 'safety')).toEqual({
    kind: 'not_sent',
    error: 'no connection within 20 ms',
  })
  const last = transport.post('/info', 'last', patientMs, 'safety')
  transport.close()
  expect(await last).toEqual({ kind: 'not_sent', error: 'the connection pool is closed' })
  for (const outcome of await Promise.all(sent)) expect(outcome).toMatchObject({ kind: 'unknown' })
  expect(await transport.post('/info', 'after', patientMs, 'safety')).toMatchObject({
    kind: 'not_sent',
  })
})

test('over TLS connections are kept as well', async () => {
  const { port, sockets } = await venueThat(
    (socket, request) => socket.write(plain(request.split('\r\n\r\n')[1] ?? '')),
    (onSocket) => createTlsServer(selfSigned, onSocket),
  )
  const transport = transportTo(`https://localhost:${port}`, { authority: selfSigned.cert })
  for (const body of ['one', 'two', 'three']) {
    expect(await transport.post('/info', body, patientMs, 'safety')).toEqual(answered(body))
  }
  expect(sockets).toHaveLength(1)
})

test('a certificate that cannot be trusted: nothing was sent', async () => {
  const requests: string[] = []
  const { port } = await venueThat(
    (_socket, request) => requests.push(request),
    (onSocket) => createTlsServer(selfSigned, onSocket),
  )
  const transport = transportTo(`https://localhost:${port}`)
  expect(await transport.post('/exchange', '{}', patientMs, 'safety')).toMatchObject({
    kind: 'not_sent',
    error: expect.stringContaining('SELF_SIGNED_CERT'),
  })
  expect(requests).toEqual([])
})

test.each([
  ['the request waits less', 50, 60_000],
  ['the connection is given up first', 60_000, 50],
])('a handshake that never ends: nothing was sent; %s', async (_name, timeoutMs, connectMs) => {
  const { port } = await venueThat(() => undefined)
  const transport = transportTo(`https://127.0.0.1:${port}`, { connectMs })
  expect(await transport.post('/exchange', '{}', timeoutMs, 'safety')).toEqual({
    kind: 'not_sent',
    error: 'no connection within 50 ms',
  })
})

/** A venue with which nobody can shake hands until it is said to be back. */
async function venueThatIsAway(): Promise<{
  readonly port: number
  readonly reached: () => number
  readonly comesBack: () => void
}> {
  let isBack = false
  let reached = 0
  const { port } = await venueThat(
    (socket) => {
      if (isBack) socket.write(plain('{}'))
    },
    (onSocket) => {
      // Before that the sockets are taken and left alone.
      const secure = createTlsServer(selfSigned, onSocket)
      return createServer((socket) => {
        reached += 1
        socket.on('error', () => undefined)
        if (isBack) secure.emit('connection', socket)
      })
    },
  )
  const comesBack = (): void => {
    isBack = true
  }
  return { port, reached: () => reached, comesBack }
}

test('connections that hang hold up nothing once the network is back', async () => {
  const { port, comesBack } = await venueThatIsAway()
  const options = { authority: selfSigned.cert, connectMs: 200 }
  const transport = transportTo(`https://localhost:${port}`, options)
  const lost = Array.from({ length: 70 }, () => transport.post('/info', '{}', patientMs, 'safety'))
  for (const outcome of await Promise.all(lost)) expect(outcome).toMatchObject({ kind: 'not_sent' })
  comesBack()
  // A slow machine may need more than one try to shake hands in time.
  let outcome = await transport.post('/info', '{}', patientMs, 'safety')
  while (outcome.kind === 'not_sent') {
    outcome = await transport.post('/info', '{}', patientMs, 'safety')
  }
  expect(outcome).toEqual(answered('{}'))
})

test.each([
  [1, 1],
  [40, 32],
])(
  'an urgent request does not wait for the connections of %i others that hang',
  async (count, connections) => {
    const { port, reached, comesBack } = await venueThatIsAway()
    const options = { authority: selfSigned.cert, connectMs: patientMs }
    const transport = transportTo(`https://localhost:${port}`, options)
    const others = Array.from({ length: count }, () =>
      transport.post('/info', '{}', patientMs, 'read'),
    )
    while (reached() < connections) await new Promise((resolve) => setImmediate(resolve))
    comesBack()
    expect(await transport.post('/exchange', '{}', patientMs, 'safety')).toEqual(answered('{}'))
    transport.close()
    await Promise.all(others)
  },
)

/** Time-outs that come when the test says so. */
function heldTimers() {
  const tasks = new Set<() => void>()
  const after = (_ms: number, task: () => void) => {
    tasks.add(task)
    return () => {
      tasks.delete(task)
    }
  }
  const expire = (): void => {
    for (const task of [...tasks]) task()
  }
  return { timers: { after }, expire }
}

/** A venue with as many kept connections, of which those in `dead` hear and say nothing any more. */
async function venueThatVanishes(kept: number) {
  const dead = new Set<Socket>()
  const arrived: { readonly socket: Socket; readonly body: string }[] = []
  let first: Socket[] = []
  const { port, sockets } = await venueThat((socket, request) => {
    const body = request.split('\r\n\r\n')[1] ?? ''
    arrived.push({ socket, body })
    if (dead.has(socket)) return
    if (body !== 'first') {
      socket.write(plain(body))
      return
    }
    first.push(socket)
    if (first.length < kept) return
    for (const each of first) each.write(plain('{}'))
    first = []
  })
  const { timers, expire } = heldTimers()
  // Each look at the clock is a moment of its own.
  let ms = 0
  const transport = transportTo(`http://127.0.0.1:${port}`, {
    timers,
    monotonicMs: () => (ms += 1),
  })
  const post = (body: string) => transport.post('/info', body, patientMs, 'safety')
  await Promise.all(Array.from({ length: kept }, () => post('first')))
  const until = async (body: string): Promise<Socket> => {
    for (;;) {
      const found = arrived.find((each) => each.body === body)
      if (found !== undefined) return found.socket
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  return { sockets, dead, post, until, expire }
}

test('when the venue has vanished one time-out is lost, and not one for each kept connection', async () => {
  const { sockets, dead, post, until, expire } = await venueThatVanishes(5)
  expect(sockets).toHaveLength(5)
  for (const socket of sockets) dead.add(socket)
  const lost = post('lost')
  await until('lost')
  expire()
  expect(await lost).toMatchObject({ kind: 'unknown' })
  const next = post('next')
  expect(dead.has(await until('next'))).toBe(false)
  expect(await next).toEqual(answered('next'))
})

test('a connection that has answered since is kept, whoever else times out', async () => {
  const { sockets, dead, post, until, expire } = await venueThatVanishes(2)
  const latest = sockets.at(-1)
  for (const socket of sockets) dead.add(socket)
  const lost = post('lost')
  const silent = await until('lost')
  dead.clear()
  expect(await post('answered')).toEqual(answered('answered'))
  const alive = await until('answered')
  expect(alive).not.toBe(silent)
  expect([silent, alive]).toContain(latest)
  expire()
  expect(await lost).toMatchObject({ kind: 'unknown' })
  expect(await post('next')).toEqual(answered('next'))
  expect(await until('next')).toBe(alive)
})
