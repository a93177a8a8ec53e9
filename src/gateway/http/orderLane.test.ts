import { createServer } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { limits } from '../../core/values/limits.ts'
import { millis } from '../../core/values/millis.ts'
import { Connections } from './connections.ts'
import { openOrderLane } from './orderLane.ts'
import { RequestTurns } from './requestTurns.ts'
import { UnreadAnswers } from './unreadAnswers.ts'
import type { LaneReply, OrderLane } from './orderLane.ts'

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

interface World {
  readonly lane: OrderLane
  readonly port: number
  /** What came through the lane and what the server answered, in order. */
  readonly seen: string[]
  /** Lets time pass and the lane look after its connections. */
  readonly pass: (ms: number) => void
  /** Answers wait for this to be called when the world is slow. */
  readonly go: () => void
  readonly answered: number[]
}

async function openWorld(options: { isSlow?: boolean; host?: string } = {}): Promise<World> {
  const seen: string[] = []
  const answered: number[] = []
  const held: (() => void)[] = []
  let now = 0
  let sweep = (): void => undefined
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      seen.push(`server ${request.method ?? ''} ${Buffer.concat(chunks).toString()}`)
      response.end('by the server')
    })
  })
  const connections = new Connections(
    { monotonicMs: () => now },
    new RequestTurns(setImmediate),
    () => undefined,
  )
  const lane = openOrderLane(server, {
    unread: new UnreadAnswers(() => undefined),
    connections,
    clock: { now: () => millis(now), monotonicMs: () => now },
    idleMs: 120_000,
    timers: {
      after: () => () => undefined,
      every: (_ms, task) => {
        sweep = task
        return () => undefined
      },
    },
    admits: ({ host }) => host === (options.host ?? 'localhost'),
    answer: async (body): Promise<LaneReply> => {
      seen.push(`lane ${body.toString()}`)
      if (options.isSlow === true) await new Promise<void>((resolve) => held.push(resolve))
      const after = (): void => void answered.push(body.length)
      return { status: 200, head: ['X-From', 'lane'], body: `"${body.toString()}"`, after }
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => {
    connections.destroyAll()
    server.closeAllConnections()
    server.close()
  })
  return {
    ...{ lane, seen, answered },
    port: (server.address() as AddressInfo).port,
    pass: (ms) => {
      now += ms
      sweep()
    },
    go: () => {
      for (const answer of held.splice(0)) answer()
    },
  }
}

/** A client that can wait until it has heard something. */
class Client {
  heard = ''
  isClosed = false
  readonly socket: Socket
  #wake = (): void => undefined

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1')
    this.socket.on('data', (bytes) => {
      this.heard += bytes.toString()
      this.#wake()
    })
    this.socket.on('error', () => undefined)
    this.socket.on('close', () => {
      this.isClosed = true
      this.#wake()
    })
    closers.push(() => this.socket.destroy())
  }

  async until(is: () => boolean): Promise<void> {
    while (!is()) await new Promise<void>((resolve) => (this.#wake = resolve))
  }

  hears(text: string): Promise<void> {
    return this.until(() => this.heard.includes(text))
  }
}

const order = (body: string, host = 'localhost'): string =>
  `POST /exchange HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
const get = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'

/** Waits for the world itself, which no client can hear. */
async function eventually(is: () => boolean): Promise<void> {
  while (!is()) await new Promise((resolve) => setImmediate(resolve))
}

test('orders on a kept connection stay in the lane', async () => {
  const { port, seen, answered } = await openWorld()
  const client = new Client(port)
  for (const body of ['one', 'two', 'three']) {
    client.socket.write(order(body))
    await client.hears(`"${body}"`)
  }
  expect(seen).toEqual(['lane one', 'lane two', 'lane three'])
  expect(answered).toEqual([3, 3, 5])
  expect(client.heard.split('HTTP/1.1 ')[1]).toBe(
    '200 OK\r\nX-From: lane\r\nConnection: keep-alive\r\nKeep-Alive: timeout=120\r\n' +
      'Content-Length: 5\r\n\r\n"one"',
  )
})

test('a body that comes after its head is waited for', async () => {
  const { port, seen } = await openWorld()
  const client = new Client(port)
  const text = order('{"type":"order"}')
  client.socket.write(text.slice(0, -16))
  await eventually(() => client.socket.bytesWritten > 0)
  for (const byte of text.slice(-16)) {
    client.socket.write(byte)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await client.hears('"{"type":"order"}"')
  expect(seen).toEqual(['lane {"type":"order"}'])
})

test('what is sent without waiting is answered in order, each by whom it concerns', async () => {
  const { port, seen } = await openWorld()
  const client = new Client(port)
  client.socket.write(order('one') + order('two') + get + order('three'))
  await client.until(() => client.heard.split('HTTP/1.1').length > 4)
  expect(seen).toEqual(['lane one', 'lane two', 'server GET ', 'server POST three'])
  expect(client.heard.indexOf('"one"')).toBeLessThan(client.heard.indexOf('"two"'))
})

test.each([
  ['another request', get, 'server GET '],
  ['an order from a stranger', order('x', 'evil.example'), 'server POST x'],
  [
    'an order in pieces',
    `POST /exchange HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n`,
    'server POST x',
  ],
  [
    'an order of another form',
    order('x').replace('\r\nHost', '\r\nConnection: close\r\nHost'),
    'server POST x',
  ],
])('%s is the server’s, and so is the connection from then on', async (_name, text, expected) => {
  const { port, seen } = await openWorld()
  const client = new Client(port)
  client.socket.write(text)
  await client.hears('by the server')
  expect(seen).toEqual([expected])
  if (text.includes('close')) return
  client.socket.write(order('later'))
  await eventually(() => seen.length === 2)
  expect(seen[1]).toBe('server POST later')
})

test('a request cut anywhere reaches someone whole', async () => {
  const text = order('{"a":1}')
  for (let cut = 1; cut < text.length; cut += 1) {
    const { port, seen } = await openWorld()
    const client = new Client(port)
    client.socket.write(text.slice(0, cut))
    await eventually(() => client.socket.bytesWritten === cut)
    await new Promise((resolve) => setImmediate(resolve))
    client.socket.write(text.slice(cut))
    await client.until(() => client.heard.includes('{"a":1}') || client.heard.includes('server'))
    expect(seen).toHaveLength(1)
    expect(seen[0]).toMatch(/^(lane |server POST )\{"a":1\}$/)
    for (const close of closers.splice(0)) close()
  }
})

test('a body that does not come is the server’s to wait for', async () => {
  const { port, seen, pass } = await openWorld()
  const client = new Client(port)
  client.socket.write(order('late').slice(0, -1))
  await eventually(() => client.socket.bytesWritten > 0)
  for (let n = 0; n < 20; n += 1) await new Promise((resolve) => setImmediate(resolve))
  pass(2_001)
  client.socket.write('e')
  await client.hears('by the server')
  expect(seen).toEqual(['server POST late'])
})

test('a connection that says nothing is closed, later when it has sent an order', async () => {
  const { port, pass } = await openWorld()
  const silent = new Client(port)
  const spoken = new Client(port)
  spoken.socket.write(order('x'))
  await spoken.hears('"x"')
  pass(60_001)
  await silent.until(() => silent.isClosed)
  pass(50_000)
  expect(spoken.isClosed).toBe(false)
  pass(20_001)
  await spoken.until(() => spoken.isClosed)
})

test('an order whose client has gone is carried out and noted all the same', async () => {
  const { port, seen, answered, go } = await openWorld({ isSlow: true })
  const client = new Client(port)
  client.socket.write(order('gone'))
  await eventually(() => seen.length === 1)
  client.socket.destroy()
  await client.until(() => client.isClosed)
  for (let n = 0; n < 20; n += 1) await new Promise((resolve) => setImmediate(resolve))
  go()
  await eventually(() => answered.length === 1)
})

test('a client that has said all it will is answered, and then its connection ends', async () => {
  const { port, seen, go } = await openWorld({ isSlow: true })
  const silent = new Client(port)
  silent.socket.end()
  await silent.until(() => silent.isClosed)
  expect(silent.heard).toBe('')
  const cut = new Client(port)
  cut.socket.end(order('cut').slice(0, -1))
  await cut.until(() => cut.isClosed)
  expect(cut.heard).toMatch(/^HTTP\/1\.1 400 /)
  const whole = new Client(port)
  whole.socket.end(order('one') + order('two'))
  await eventually(() => seen.length === 1)
  // The end of what it says is there before the first answer.
  for (let n = 0; n < 20; n += 1) await new Promise((resolve) => setImmediate(resolve))
  go()
  await eventually(() => seen.length === 2)
  go()
  await whole.until(() => whole.isClosed)
  expect(whole.heard).toContain('"one"')
  expect(whole.heard).toContain('"two"')
  expect(seen).toEqual(['lane one', 'lane two'])
})

test('at the end idle connections go at once, the others after their answer', async () => {
  const { lane, port, seen, go } = await openWorld({ isSlow: true })
  const idle = new Client(port)
  const busy = new Client(port)
  busy.socket.write(order('last'))
  await eventually(() => seen.length === 1)
  lane.end()
  await idle.until(() => idle.isClosed)
  expect(busy.isClosed).toBe(false)
  go()
  await busy.until(() => busy.isClosed)
  expect(busy.heard).toContain('Connection: close')
  expect(busy.heard).toContain('"last"')
})

test('whoever sends on and on before the answer is not heard without bound', async () => {
  const { port, seen, go } = await openWorld({ isSlow: true })
  const client = new Client(port)
  client.socket.write(order('first'))
  await eventually(() => seen.length === 1)
  const flood = Buffer.alloc(64 * limits.bodyBytesMax, 'x')
  client.socket.write(flood)
  // The kernel's buffers and Guard's are full: the rest stays with whoever sends it.
  let before = -1
  await eventually(() => {
    const now = flood.length - client.socket.writableLength
    const isStill = client.socket.writableLength > 0 && now === before
    before = now
    return isStill
  })
  expect(client.socket.writableLength).toBeGreaterThan(0)
  go()
  await client.hears('"first"')
})

test('whoever does not read the answers is not heard on, and in the end cut off', async () => {
  const { port, seen, pass } = await openWorld()
  const client = new Client(port)
  client.socket.pause()
  const body = 'x'.repeat(50_000)
  const each = order(body)
  const count = 2_000
  for (let n = 0; n < count; n += 1) client.socket.write(each)
  // Answers fill the kernel's buffers and Guard's; then nothing more is read.
  let before = -1
  await eventually(() => {
    const isStill = seen.length === before
    before = seen.length
    return isStill && seen.length > 0
  })
  expect(seen.length).toBeLessThan(count / 2)
  pass(limits.unreadMsMax + 1)
  await eventually(() => client.socket.destroyed || client.isClosed || client.socket.closed)
})

test('once the answers are read the rest is heard, in order', async () => {
  const { port, seen } = await openWorld()
  const client = new Client(port)
  client.socket.pause()
  const count = 300
  const bodies = Array.from({ length: count }, (_, n) => `${n}-${'x'.repeat(50_000)}`)
  for (const body of bodies) client.socket.write(order(body))
  await eventually(() => seen.length > 10)
  client.socket.resume()
  await eventually(() => seen.length === count)
  // A head that the network cuts in two goes to the server, with all that comes behind it.
  expect(seen.map((each) => each.replace(/^(lane|server POST) /, ''))).toEqual(bodies)
})
