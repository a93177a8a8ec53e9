import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { limits } from '../../core/values/limits.ts'
import { startRig, until } from '../gateway.fixture.ts'

const connections: Socket[] = []
afterEach(() => {
  for (const socket of connections.splice(0)) socket.destroy()
})

/** A request whose last byte does not come, and what is heard on its connection. */
function unfinished(port: number, path: string, bytes: number, head = '') {
  const socket = connect(port, '127.0.0.1')
  connections.push(socket)
  const heard = { text: '' }
  socket.on('data', (chunk) => {
    heard.text += chunk.toString('latin1')
  })
  socket.on('error', () => undefined)
  const length = head === '' ? `Content-Length: ${String(bytes)}\r\n` : head
  socket.write(`POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${length}\r\n`)
  socket.write(
    head === '' ? ' '.repeat(bytes - 1) : `${bytes.toString(16)}\r\n${' '.repeat(bytes)}`,
  )
  return { socket, heard }
}

const mebibyte = limits.bodyBytesMax
const fitting = limits.largeBodiesBytesMax / mebibyte
const chunked = 'Transfer-Encoding: chunked\r\n'

test.each([
  ['/exchange', ''],
  ['/exchange', chunked],
  ['/info', ''],
  ['/guard/preview', ''],
  ['/guard/kill', ''],
])(
  '%s %j: large bodies beyond the bound are told to come again, small ones go on',
  async (path, head) => {
    const rig = await startRig()
    const { port } = rig.gateway
    const held = Array.from({ length: fitting }, () => unfinished(port, path, mebibyte, head))
    const large = { method: 'POST', body: ' '.repeat(mebibyte) }
    let refused = await rig.ask(path, large)
    // Those that are held have arrived by then.
    while (refused.status !== 503) refused = await rig.ask(path, large)
    expect(refused.headers['retry-after']).toBe('1')
    expect(refused.json).toMatchObject({ error: { code: 'no_room' } })
    for (const bytes of [2, limits.bodyBytesSmall]) {
      const small = { method: 'POST', body: ' '.repeat(bytes) }
      expect((await rig.ask(path, small)).status, String(bytes)).not.toBe(503)
    }
    for (const { socket, heard } of held) {
      expect(heard.text).toBe('')
      socket.destroy()
    }
    // What they took is free again.
    while ((await rig.ask(path, large)).status === 503) continue
    await rig.gateway.close(0)
  },
)

test('of small requests behind each other only so many are taken up, on however many connections', async () => {
  const rig = await startRig()
  let answer = () => undefined as void
  const answered = new Promise<void>((resolve) => {
    answer = resolve
  })
  rig.guard.beforeReply = () => answered
  const post = 'POST /exchange HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\n\r\n{}'
  const most = limits.largeBodiesBytesMax / limits.queuedBodyBytesMin
  const ofEach = limits.unansweredOfSocketMax
  const heard = Array.from({ length: Math.ceil(most / ofEach) + 2 }, () => {
    const socket = connect(rig.gateway.port, '127.0.0.1')
    connections.push(socket)
    const line = { text: '' }
    socket.on('data', (chunk) => {
      line.text += chunk.toString('latin1')
    })
    // The first is not for the lane, so that all of them are the server's.
    socket.write('GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n' + post.repeat(ofEach))
    return line
  })
  const count = (status: string) =>
    heard.reduce((sum, { text }) => sum + text.split(`HTTP/1.1 ${status}`).length - 1, 0)
  await until(() => rig.guard.bodies.length >= most)
  const alone = await rig.ask('/exchange', { method: 'POST', body: 'x'.repeat(80_000) })
  expect(alone.status).toBe(503)
  answer()
  const all = heard.length * (ofEach + 1)
  await until(() => count('503') > 0 && count('200') + count('503') === all)
  // One on each connection has nothing of its own before it, and takes no room.
  expect(rig.guard.bodies.length).toBeLessThanOrEqual(most + heard.length)
  await rig.gateway.close(0)
}, 300_000)

test('on sockets large posts beyond the bound are refused, small ones and pings go on', async () => {
  const rig = await startRig()
  let answer = () => undefined as void
  const answered = new Promise<void>((resolve) => {
    answer = resolve
  })
  rig.guard.beforeReply = () => answered
  const socket = new WebSocket(`${rig.gateway.url.replace('http', 'ws')}/ws`)
  const heard: string[] = []
  socket.on('message', (data: Buffer) => heard.push(data.toString()))
  await until(() => socket.readyState === WebSocket.OPEN)
  const post = (id: number, bytes: number) => {
    const payload = { x: ' '.repeat(bytes) }
    const request = { type: 'action', payload }
    socket.send(JSON.stringify({ method: 'post', id, request }))
  }
  const bytes = mebibyte - 1_024
  for (let id = 1; id <= fitting + 1; id += 1) post(id, bytes)
  post(100, limits.framePayloadBytesSmall - 100)
  socket.send('{"method":"ping"}')
  const subscription = { type: 'l2Book', coin: 'x'.repeat(limits.subscriptionCharsMax) }
  socket.send(JSON.stringify({ method: 'subscribe', subscription }))
  await until(() => heard.length >= 3 && rig.guard.bodies.length >= fitting + 1)
  const refused = heard.find((text) => text.includes('too many large requests')) ?? ''
  expect(JSON.parse(refused)).toMatchObject({ channel: 'post', data: { id: fitting + 1 } })
  expect(heard.join()).toContain('{"channel":"pong"}')
  expect(heard.some((text) => text.includes('"error"') && text.includes('l2Book'))).toBe(true)
  expect(rig.guard.bodies).toHaveLength(fitting + 1)
  answer()
  await until(() => heard.filter((text) => text.includes('"post"')).length === fitting + 2)
  post(200, bytes)
  await until(() => heard.some((text) => text.includes('"id":200')))
  expect(heard.find((text) => text.includes('"id":200'))).not.toContain('too many')
  socket.terminate()
  await rig.gateway.close(0)
})

test('large bodies one behind the other are read so many a second, small ones always', async () => {
  const rig = await startRig()
  const large = { method: 'POST', body: ' '.repeat(mebibyte) }
  const served = async (): Promise<number> => {
    let count = 0
    while ((await rig.ask('/exchange', large)).status !== 503) count += 1
    return count
  }
  expect(await served()).toBe(limits.largeBodiesBytesBurst / mebibyte)
  expect((await rig.ask('/exchange', { method: 'POST', body: '{}' })).status).toBe(200)
  rig.time.advance(1_000)
  expect(await served()).toBe(limits.largeBodiesBytesPerSecond / mebibyte)
  await rig.gateway.close(0)
})
