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

/** Given after so many seconds: there are no events. */
const poll = (seconds: number): string =>
  `GET /guard/events?since=9&wait=${String(seconds)} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`
const h2c =
  'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n'

test('so many requests wait on one connection, and what is said behind them is heard after some are answered', async () => {
  const rig = await startRig()
  const socket = connect(rig.gateway.port, '127.0.0.1')
  const say = (text: string): Promise<void> =>
    new Promise((resolve) => {
      socket.write(text, () => {
        resolve()
      })
    })
  let text = ''
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1')
  })
  const answers = (): number => (text.match(/HTTP\/1\.1 200/g) ?? []).length
  const polls = async (): Promise<number> =>
    Number(/guard_long_polls (\d+)\n/.exec((await rig.ask('/metrics')).text)?.[1])
  const becomes = async (count: number): Promise<void> => {
    while ((await polls()) !== count) continue
  }
  /** What was said before two other requests has come before their answers do. */
  const stays = async (count: number): Promise<void> => {
    for (let trip = 0; trip < 3; trip += 1) expect(await polls()).toBe(count)
  }
  const { unansweredOfSocketMax: most } = limits
  await say(poll(1) + poll(2) + poll(30).repeat(most - 2))
  await becomes(most)
  await say(poll(30).repeat(20))
  await stays(most)
  rig.time.advance(1_000)
  await becomes(most + 19)
  await say(h2c)
  // Another one is given, and as many wait as may: Node would read on.
  rig.time.advance(1_000)
  await until(() => answers() === 2)
  await say(poll(30).repeat(20))
  await stays(most + 18)
  rig.time.advance(30_000)
  await until(() => answers() === most + 21)
  await becomes(20)
  rig.time.advance(30_000)
  await until(() => answers() === most + 41)
  socket.destroy()
  const closed = rig.gateway.close(0)
  rig.time.advance(1)
  await closed
})
