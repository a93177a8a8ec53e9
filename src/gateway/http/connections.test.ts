import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { limits } from '../../core/values/limits.ts'
import { startRig, until } from '../gateway.fixture.ts'
import type { Rig } from '../gateway.fixture.ts'
import { Bot } from '../ws/socket.fixture.ts'

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
  isClosed: boolean
}

async function dial({ gateway }: Rig, says = ''): Promise<Line> {
  const line: Line = { socket: connect(gateway.port, '127.0.0.1'), heard: '', isClosed: false }
  line.socket.on('error', () => undefined)
  line.socket.on('data', (chunk: Buffer) => {
    line.heard += chunk.toString('latin1')
  })
  line.socket.on('close', () => {
    line.isClosed = true
  })
  closers.push(() => line.socket.destroy())
  await new Promise<void>((resolve) => {
    line.socket.on('connect', () => {
      if (says === '') resolve()
      else
        line.socket.write(says, () => {
          resolve()
        })
    })
  })
  return line
}

/** So many that neither finish a request nor ask for anything else. */
async function besiege(rig: Rig, count: number, says = halfOrder): Promise<Line[]> {
  const lines: Line[] = []
  for (let at = 0; at < count; at += 1) lines.push(await dial(rig, says))
  return lines
}

/** What was said before two other requests has come before their answers do. */
async function hearAll(rig: Rig): Promise<void> {
  for (let trip = 0; trip < 2; trip += 1) await rig.ask('/healthz')
}

const order = 'POST /exchange HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 7\r\n\r\n{"a":1}'
const halfOrder = order.slice(0, -6)
const passed = { status: 200, body: { status: 'ok', verdict: 'allow' } }
const ok = 'HTTP/1.1 200'

test.each([
  ['half a body', halfOrder],
  ['half a head', 'GET /guard/status HTTP/1.1\r\nHost: 127'],
  ['nothing', ''],
])('beside 520 connections that say %s everybody new is answered', async (_, says) => {
  const rig = await startWorld()
  const lines = await besiege(rig, 520, says)
  await until(() => lines.filter(({ isClosed }) => isClosed).length === 8)
  expect((await rig.ask('/guard/status')).status).toBe(200)
  expect((await rig.ask('/exchange', { body: '{}' })).status).toBe(200)
  expect((await rig.ask('/guard/kill', { body: '{}' })).status).toBe(200)
  // Those went that came first, and no more than one for each who came.
  const { notServed } = rig.guard
  expect(notServed.length).toBeGreaterThanOrEqual(9)
  expect(notServed.length).toBeLessThanOrEqual(11)
  await until(() => lines.filter(({ isClosed }) => isClosed).length === notServed.length)
  expect(lines.slice(notServed.length).some(({ isClosed }) => isClosed)).toBe(false)
  const { text } = await rig.ask('/metrics')
  expect(text).toContain('guard_http_refused_total{why="connection_displaced"}')
  expect(text).not.toContain('why="connection_half_open"')
})

test('who trades, follows the events, has a socket or waits for an answer keeps its connection', async () => {
  const rig = await startWorld()
  rig.guard.reply = passed
  const bot = await dial(rig, order)
  await until(() => bot.heard.includes(ok))
  const follower = await dial(
    rig,
    'GET /guard/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n',
  )
  await until(() => follower.heard.includes(ok))
  const poller = await dial(rig, 'GET /guard/events?wait=30 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
  const socket = await Bot.connect(rig.gateway.port)
  closers.push(() => {
    socket.socket.terminate()
  })
  rig.guard.beforeReply = () => new Promise(() => undefined)
  const waiting = await dial(rig, order)
  await until(() => rig.guard.bodies.length === 2)
  const lines = await besiege(rig, limits.httpConnectionsMax + 20)
  await until(() => lines.filter(({ isClosed }) => isClosed).length >= 25)
  expect([bot, follower, poller, waiting].map(({ isClosed }) => isClosed)).toEqual([
    ...[false, false, false, false],
  ])
  expect(socket.closed).toBeNull()
})

test('a bot whose latest order was refused goes after everybody who never traded', async () => {
  const rig = await startWorld()
  rig.guard.reply = passed
  const bot = await dial(rig, order)
  await until(() => bot.heard.includes(ok))
  rig.guard.reply = { status: 200, body: { status: 'err', verdict: 'veto' } }
  bot.socket.write(order)
  await until(() => bot.heard.includes('veto'))
  const lines = await besiege(rig, limits.httpConnectionsMax + 5)
  await until(() => lines.filter(({ isClosed }) => isClosed).length === 6)
  expect(bot.isClosed).toBe(false)
})

test('where there are many a request that does not go on is ended after a few seconds', async () => {
  const rig = await startWorld()
  const idle = await dial(rig, 'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
  await until(() => idle.heard.includes('"ok"'))
  const few = await besiege(rig, limits.connectionsShortFrom - 2)
  rig.time.advance(2 * limits.halfOpenMsMax)
  expect((await rig.ask('/healthz')).status).toBe(200)
  expect(few.some(({ isClosed }) => isClosed)).toBe(false)
  const last = await besiege(rig, 1, 'POST /guard/kill HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-')
  await hearAll(rig)
  await until(() => {
    rig.time.advance(1_000)
    return [...few, ...last].every(({ isClosed }) => isClosed)
  })
  const count = few.length + last.length
  const counted = `guard_http_refused_total{why="connection_half_open"} ${String(count)}\n`
  expect((await rig.ask('/metrics')).text).toContain(counted)
  expect(idle.isClosed).toBe(false)
  idle.socket.write('GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
  await until(() => idle.heard.split(ok).length === 3)
})

test.each([
  ['to the server', '/guard/kill'],
  ['in the lane', '/exchange'],
])(
  'where there are many a request that goes on slowly is heard to its end: %s',
  async (_, path) => {
    const rig = await startWorld()
    const silent = await besiege(rig, limits.connectionsShortFrom)
    const body = '{"slow":true}'
    const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${String(body.length)}\r\n\r\n`
    const slow = await dial(rig, head)
    for (const letter of body) {
      slow.socket.write(letter)
      // What came before them is heard before their answers are.
      for (let trip = 0; trip < 2; trip += 1) await rig.ask('/healthz')
      rig.time.advance(limits.halfOpenMsMax - 1_000)
      // Others in their place: there are as many as before.
      await besiege(rig, 10)
    }
    await until(() => slow.heard.includes(ok))
    expect(rig.guard.bodies.map((each) => each.body)).toEqual([body])
    expect(silent.every(({ isClosed }) => isClosed)).toBe(true)
  },
)
