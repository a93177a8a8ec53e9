import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { limits } from '../../core/values/limits.ts'
import { startRig, until } from '../gateway.fixture.ts'
import type { Rig } from '../gateway.fixture.ts'

const lines: Line[] = []
afterEach(() => {
  for (const { socket } of lines.splice(0)) socket.destroy()
})

interface Line {
  readonly socket: Socket
  heard: string
}

/** A client that says something, and never closes its own side. */
function dial({ gateway }: Rig, says: string): Line {
  const options = { port: gateway.port, host: '127.0.0.1', allowHalfOpen: true }
  const line: Line = { socket: connect(options), heard: '' }
  line.socket.setNoDelay(true)
  line.socket.on('error', () => undefined)
  line.socket.on('data', (chunk: Buffer) => {
    line.heard += chunk.toString('latin1')
  })
  line.socket.write(says)
  lines.push(line)
  return line
}

const handshake =
  'Connection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n'
const asked = (path: string, dress = ''): string =>
  `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${dress}\r\n`

/** Ends Guard, and with it whatever is still open. */
async function closeNow(rig: Rig): Promise<void> {
  const closed = rig.gateway.close(0)
  rig.time.advance(1)
  await closed
}

test('refused sockets whose clients do not close shut nobody out', async () => {
  const rig = await startRig()
  for (let at = 0; at < limits.httpConnectionsMax + 8; at += 1) {
    const line = dial(rig, asked('/elsewhere', handshake))
    await until(() => line.heard.includes('"not_found"'))
  }
  expect((await rig.ask('/healthz')).status).toBe(200)
  await closeNow(rig)
})

test('a refused socket is ended after a moment, whatever its client does', async () => {
  const rig = await startRig()
  const line = dial(rig, asked('/elsewhere', handshake))
  await until(() => line.heard.includes('"not_found"'))
  rig.time.advance(limits.refusedUpgradeMsMax)
  // Guard has no connection left that it would have to wait for, however long it may.
  await rig.gateway.close(3_600_000)
})

test.each([
  ['a refused socket', asked('/elsewhere', handshake), '404'],
  ['a socket', asked('/ws', handshake), '101'],
  ['a wrong handshake', asked('/ws', handshake.replace('13', '12')), '400'],
])('Guard stops while a client keeps %s', async (_, says, status) => {
  const rig = await startRig()
  const line = dial(rig, says)
  await until(() => line.heard.startsWith(`HTTP/1.1 ${status}`))
  const closed = rig.gateway.close(limits.refusedUpgradeMsMax - 1)
  rig.time.advance(limits.refusedUpgradeMsMax - 1)
  await closed
})

/** Nothing behind it is given before so many seconds have passed: there are no events. */
const poll = (seconds: number): string => asked(`/guard/events?since=99999&wait=${String(seconds)}`)
const statuses = (heard: string): string =>
  [...heard.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status).join(' ')
const h2c = 'Connection: Upgrade\r\nUpgrade: h2c\r\n'

/** What a client says while Guard does not answer; resolves when the machine has taken it. */
function say({ socket }: Line, text: string): Promise<void> {
  return new Promise((resolve) => {
    socket.write(text, 'latin1', () => {
      resolve()
    })
  })
}
async function polling(rig: Rig, count: number): Promise<void> {
  while (!(await rig.ask('/metrics')).text.includes(`guard_long_polls ${String(count)}\n`)) continue
}

test.each([
  ['h2c', asked('/healthz', h2c), '200'],
  ['a socket', asked('/ws', handshake), '101'],
  ['a wrong socket', asked('/ws', handshake.replace('13', '12')), '400'],
])('what was asked before %s is answered before it', async (_, offer, status) => {
  const rig = await startRig()
  const line = dial(rig, poll(1) + poll(2) + offer)
  await polling(rig, 2)
  expect(line.heard).toBe('')
  rig.time.advance(1_000)
  await until(() => statuses(line.heard) === '200')
  expect((await rig.ask('/healthz')).status).toBe(200)
  expect(statuses(line.heard)).toBe('200')
  rig.time.advance(1_000)
  await until(() => statuses(line.heard) === `200 200 ${status}`)
  await closeNow(rig)
})

const order = (dress = ''): string =>
  `POST /exchange HTTP/1.1\r\nHost: 127.0.0.1\r\n${dress}Content-Length: 2\r\n\r\n{}`
// A text frame of two bytes, masked with zeros.
const frame = '\x81\x82\0\0\0\0{}'

test.each([
  ['an order with h2c', order(h2c), order(), ' 200 200', '"status":"ok"'],
  ['h2c', asked('/guard/status', h2c), asked('/healthz'), ' 200 200', '{"status":"ok"}'],
  ['a socket', asked('/ws', handshake), frame, ' 101', 'Error parsing'],
])('no byte behind %s is lost while earlier requests are answered', async (...row) => {
  const [, offer, more, answers, last] = row
  const rig = await startRig()
  // An answer so long that Node stops reading until it is taken.
  rig.reader.addErrors(20, 'x'.repeat(4_000))
  const line = dial(rig, poll(1) + asked('/guard/events') + poll(2) + offer)
  await polling(rig, 2)
  rig.time.advance(1_000)
  await until(() => statuses(line.heard) === '200 200' && line.heard.endsWith(']'))
  await say(line, more)
  // Two round trips of another client: what was said has arrived by then.
  for (let trip = 0; trip < 2; trip += 1) await rig.ask('/healthz')
  rig.time.advance(1_000)
  await until(() => statuses(line.heard) === `200 200 200${answers}`)
  await until(() => line.heard.includes(last))
  await closeNow(rig)
})

test('Guard stops while an upgrade waits behind the events', async () => {
  const rig = await startRig()
  const stream = asked('/guard/events', 'Accept: text/event-stream\r\n')
  const line = dial(rig, stream + asked('/healthz', h2c))
  await until(() => line.heard.includes('retry'))
  const closed = rig.gateway.close(1)
  rig.time.advance(1)
  await closed
})

/** Whether a line has said it lately; of what it said before nothing is kept. */
function hasSaid(line: Line, text: string): boolean {
  const is = line.heard.includes(text)
  line.heard = line.heard.slice(-text.length)
  return is
}

test.each([
  ['h2c', asked('/healthz', h2c)],
  ['a socket', asked('/ws', handshake)],
])('the events go on to who reads them slowly, though %s waits behind them', async (_, offer) => {
  const rig = await startRig()
  // More than the system takes at once for somebody who does not read.
  rig.reader.addErrors(900, 'x'.repeat(20_000))
  const stream = asked('/guard/events?since=0', 'Accept: text/event-stream\r\n')
  const line = dial(rig, stream + offer)
  await until(() => hasSaid(line, 'id: 1\n'))
  line.socket.pause()
  let sent = -1
  await until(() => {
    const before = sent
    sent = line.socket.bytesRead
    return before === sent
  })
  rig.time.advance(15_000)
  line.socket.resume()
  await until(() => hasSaid(line, 'id: 900\n'))
  for (let beat = 0; beat < 3; beat += 1) {
    rig.time.advance(15_000)
    rig.reader.addErrors(1)
    await until(() => hasSaid(line, `id: ${String(901 + beat)}\n`))
  }
  expect(rig.logged).toEqual([])
  await closeNow(rig)
})

test('an upgrade that waited is not served while Guard stops: its connection is ended', async () => {
  const rig = await startRig()
  const line = dial(rig, poll(30) + asked('/healthz', h2c))
  await polling(rig, 1)
  // What waits for events is answered at the end, and then nothing is left to wait for.
  await rig.gateway.close(3_600_000)
  await until(() => line.socket.readableEnded || line.socket.destroyed)
  expect(statuses(line.heard)).toBe('200')
})

test('a client that leaves while its upgrade waits is let go', async () => {
  const rig = await startRig()
  const line = dial(rig, poll(30) + asked('/healthz', h2c))
  await polling(rig, 1)
  line.socket.end()
  await polling(rig, 0)
  await rig.gateway.close(3_600_000)
})
