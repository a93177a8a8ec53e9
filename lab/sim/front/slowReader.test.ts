import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { TestVenue } from '../simulator.fixture.ts'

const upgrade = [
  ...['GET /ws HTTP/1.1', 'host: venue', 'upgrade: websocket', 'connection: upgrade'],
  ...['sec-websocket-version: 13', 'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==', '', ''],
].join('\r\n')

/** One text frame with a mask of zeros. */
function frame(message: unknown): Buffer {
  const body = Buffer.from(JSON.stringify(message))
  return Buffer.concat([Buffer.from([0x81, 0x80 | body.length, 0, 0, 0, 0]), body])
}

test('a client that asks and never reads is cut off', async () => {
  const venue = await TestVenue.start()
  const client = connect(venue.simulator.port, '127.0.0.1')
  client.on('error', () => undefined)
  client.write(upgrade)
  const sockets = async () => (await venue.send('GET', '/healthz')).json.sockets as number
  while ((await sockets()) === 0);
  const asked = { method: 'post', id: 1, request: { type: 'info', payload: { type: 'meta' } } }
  const many = Buffer.concat(Array.from({ length: 200 }, () => frame(asked)))
  let rounds = 0
  while ((await sockets()) > 0 && rounds < 500) {
    rounds += 1
    client.write(many)
  }
  expect(await sockets()).toBe(0)
  client.destroy()
  await venue.close()
})
