import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { limits } from '../../core/values/limits.ts'
import { startRig, until } from '../gateway.fixture.ts'
import type { Rig } from '../gateway.fixture.ts'

/** What is kept for requests that wait behind another one on their connection goes with the connection. */

let rig: Rig
const sockets: Socket[] = []
async function startWorld(): Promise<void> {
  rig = await startRig()
}
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  const closed = rig.gateway.close(0)
  rig.time.advance(1)
  await closed
})

function say(text: string): Socket {
  const socket = connect(rig.gateway.port, '127.0.0.1')
  sockets.push(socket)
  socket.on('error', () => undefined)
  socket.write(text)
  return socket
}

const asked = (target: string, head = ''): string =>
  `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\n${head}\r\n`
const posted = (target: string, body: string): string =>
  `POST ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${String(body.length)}\r\n\r\n${body}`
/** Nothing behind it is given before there are events, or half a minute has passed. */
const slow = asked('/guard/events?since=99999&wait=30')
const stream = asked('/guard/events', 'Accept: text/event-stream\r\n')

/** What `/metrics` says of one name, labels included. */
async function metric(name: string): Promise<number> {
  const { text } = await rig.ask('/metrics')
  const line = text.split('\n').find((each) => each.startsWith(`${name} `))
  return Number(line?.slice(name.length) ?? 0)
}
async function becomes(name: string, count: number): Promise<void> {
  while ((await metric(name)) !== count) continue
}

test('answers behind a slow one are let go when their connection goes', async () => {
  await startWorld()
  // Few enough that Node reads on, and sees the end: it stops where answers gather.
  const socket = say(slow + asked('/healthz').repeat(30))
  await becomes('guard_long_polls', 1)
  socket.destroy()
  // Each is counted when nothing is kept for it any more.
  await becomes('guard_http_requests_total{route="/healthz",status="200"}', 30)
  await becomes('guard_long_polls', 0)
})

test('a connection that is reset while an upgrade waits on it ends nothing else', async () => {
  await startWorld()
  const upgrade = asked('/healthz', 'Connection: Upgrade\r\nUpgrade: h2c\r\n')
  // So much behind it that nothing more is read, and the reset is noticed when the answer is written.
  const socket = say(slow + upgrade + 'x'.repeat(1_048_576))
  await becomes('guard_long_polls', 1)
  await until(() => socket.bytesWritten > 65_536)
  socket.resetAndDestroy()
  rig.time.advance(30_000)
  await becomes('guard_long_polls', 0)
  // An error that nobody heard would have ended this process by now.
  expect((await rig.ask('/healthz')).status).toBe(200)
})

test('streams and polls behind a slow one give their places back', async () => {
  await startWorld()
  const socket = say(slow.repeat(50) + stream.repeat(20))
  await becomes('guard_sse_readers', 20)
  await becomes('guard_long_polls', 50)
  socket.destroy()
  await becomes('guard_sse_readers', 0)
  await becomes('guard_long_polls', 0)
  for (let beat = 0; beat < 5; beat += 1) rig.time.advance(15_000)
  expect(rig.logged.filter((line) => line.startsWith('warn'))).toEqual([])
})

test('a stream that is full behind an answer that does not come is cut off once', async () => {
  await startWorld()
  rig.venue.before = () => new Promise(() => undefined)
  const socket = say(posted('/info', '{"type":"allMids"}') + stream)
  let isClosed = false
  socket.on('close', () => (isClosed = true))
  await becomes('guard_sse_readers', 1)
  rig.reader.addErrors(100, 'x'.repeat(1_000))
  rig.time.advance(15_000)
  rig.time.advance(15_000)
  await until(() => isClosed)
  await becomes('guard_sse_readers', 0)
  rig.time.advance(15_000)
  expect(rig.logged.filter((line) => line.startsWith('warn'))).toHaveLength(1)
})

test('the room for bodies behind a slow one is free again', async () => {
  await startWorld()
  const body = ' '.repeat(60_000)
  const count = Math.floor(limits.largeBodiesBytesMax / body.length)
  const socket = say(slow + posted('/guard/preview', body).repeat(count))
  const large = { body: ' '.repeat(limits.bodyBytesSmall + 1) }
  while ((await rig.ask('/guard/preview', large)).status !== 503) continue
  socket.destroy()
  while ((await rig.ask('/guard/preview', large)).status !== 200) continue
})

test('an order that is still in line keeps its room although its connection has gone', async () => {
  await startWorld()
  let answer = (): void => undefined
  const held = new Promise<void>((resolve) => (answer = resolve))
  rig.guard.beforeReply = () => held
  const large = { body: ' '.repeat(limits.largeBodiesBytesMax / 2) }
  const lines = [1, 2].map(() => say(posted('/exchange', large.body)))
  await until(() => rig.guard.bodies.length === 2)
  for (const socket of lines) socket.destroy()
  await becomes('guard_http_requests_total{route="/exchange",status="200"}', 2)
  expect((await rig.ask('/guard/preview', large)).status).toBe(503)
  answer()
  while ((await rig.ask('/guard/preview', large)).status !== 200) continue
})
