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

test('refused sockets whose clients do not close shut nobody out', async () => {
  const rig = await startRig()
  for (let at = 0; at < limits.httpConnectionsMax + 8; at += 1) {
    const line = dial(rig, asked('/elsewhere', handshake))
    await until(() => line.heard.includes('"not_found"'))
  }
  expect((await rig.ask('/healthz')).status).toBe(200)
  const closed = rig.gateway.close(0)
  rig.time.advance(1)
  await closed
})

test('a refused socket is ended after a moment, whatever its client does', async () => {
  const rig = await startRig()
  const line = dial(rig, asked('/elsewhere', handshake))
  await until(() => line.heard.includes('"not_found"'))
  rig.time.advance(limits.refusedUpgradeMsMax)
  // No connection is left to be waited for.
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
