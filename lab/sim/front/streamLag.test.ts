import { afterEach, expect, test } from 'vitest'
import { millis } from '../../../src/core/values/millis.ts'
import { demoUser, order, TestVenue } from '../simulator.fixture.ts'
import type { TestSocket } from '../simulator.fixture.ts'

let venue: TestVenue
afterEach(() => venue.close())

const options = { streamLagMs: 3 }

async function follow(): Promise<TestSocket> {
  const socket = await venue.open()
  socket.subscribe({ type: 'orderUpdates', user: demoUser })
  await socket.settled()
  return socket
}

/** The orders that a socket has been told of, once everything sent before has come. */
async function told(socket: TestSocket): Promise<readonly string[]> {
  await socket.settled()
  return socket.frames
    .filter(({ channel }) => channel === 'orderUpdates')
    .flatMap(({ data }) => data.map((each: any) => each.order.limitPx))
}

test('the streams tell of an action some time after its answer', async () => {
  let now = 1_700_000_000_000
  venue = await TestVenue.start({ options, clock: { now: () => millis(now) } })
  await venue.freeze()
  const socket = await follow()
  const answered = await venue.exchange(order({ p: '2400' }), { nonce: now })
  expect(answered.json.response.data.statuses[0]).toHaveProperty('resting')
  now += 2
  venue.simulator.advance()
  expect(await told(socket)).toEqual([])
  // The one that waits longest decides, so that a steady flow of actions is told of, too.
  await venue.exchange(order({ p: '2401' }), { nonce: now })
  expect(await told(socket)).toEqual([])
  now += 1
  venue.simulator.advance()
  expect(await told(socket)).toEqual(['2400.0', '2401.0'])

  await venue.exchange(order({ p: '2402' }), { nonce: now })
  expect((await venue.state()).openOrders).toHaveLength(3)
  await venue.control('price', { coin: 'ETH', mid: '2500' })
  expect(await told(socket)).toEqual(['2400.0', '2401.0', '2402.0'])
})

test('a venue that keeps time by itself tells of it without being asked', async () => {
  venue = await TestVenue.start({ options })
  await venue.freeze()
  const socket = await follow()
  const from = socket.frames.length
  await venue.exchange(order({ p: '2400' }))
  const frame = await socket.onChannel('orderUpdates', from)
  expect(frame.data[0].status).toBe('open')
})
