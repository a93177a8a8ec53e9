import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { limits } from '../../core/values/limits.ts'
import { startRig, until } from '../gateway.fixture.ts'

test('whoever asks fifty times at once and reads nothing gets few answers made, and is cut off', async () => {
  const rig = await startRig()
  // One answer is as much as a connection may leave unread.
  rig.reader.addErrors(900, 'x'.repeat(Math.ceil(limits.unreadBytesOfSocketMax / 800)))
  const { since } = rig.reader
  let made = 0
  rig.reader.since = (seq) => {
    made += 1
    return since.call(rig.reader, seq)
  }
  const socket = connect(rig.gateway.port, '127.0.0.1')
  let isClosed = false
  socket.on('error', () => undefined)
  socket.on('close', () => {
    isClosed = true
  })
  socket.pause()
  socket.write('GET /guard/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'.repeat(50))
  // Each answer takes some sixty turns of the loop: after so many none is made any more.
  let [turns, seen] = [0, 0]
  await until(() => {
    turns = made === seen ? turns + 1 : 0
    seen = made
    return made > 0 && turns > 2_000
  })
  socket.resume()
  await until(() => isClosed)
  // What the system's own buffers take of the first is not unread.
  expect(made).toBeLessThanOrEqual(4)
  expect((await rig.ask('/healthz')).status).toBe(200)
  const closed = rig.gateway.close(0)
  rig.time.advance(1)
  await closed
})

test('whoever reads may ask as often as it likes on one connection', async () => {
  const rig = await startRig()
  rig.reader.addErrors(10)
  const socket = connect(rig.gateway.port, '127.0.0.1')
  let text = ''
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1')
  })
  socket.write('GET /guard/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'.repeat(200))
  await until(() => (text.match(/HTTP\/1\.1 200/g) ?? []).length === 200)
  socket.destroy()
  const closed = rig.gateway.close(0)
  rig.time.advance(1)
  await closed
})
