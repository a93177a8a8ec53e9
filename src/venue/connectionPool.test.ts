import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import type { Urgency } from '../engine/ports.ts'
import { createHttpTransport } from './httpTransport.ts'
import type { HttpTransport } from './httpTransport.ts'

const patientMs = 60_000
/** The most urgent first, with how many connections each may take. */
const lanes = [
  ['safety', 64],
  ['clear', 62],
  ['exit', 60],
  ['watch', 56],
  ['cancel', 52],
  ['entry', 48],
  ['read', 32],
] as const satisfies readonly (readonly [Urgency, number])[]

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

/** A venue that keeps every request until the test answers it. */
class SlowVenue {
  readonly arrived: string[] = []
  connections = 0
  readonly transport: HttpTransport
  private readonly held: Socket[] = []

  private constructor(port: number) {
    this.transport = createHttpTransport(`http://127.0.0.1:${port}`)
  }

  static async start(): Promise<SlowVenue> {
    let venue: SlowVenue | null = null
    const sockets: Socket[] = []
    const server = createServer((socket) => {
      sockets.push(socket)
      if (venue !== null) venue.connections += 1
      socket.on('error', () => undefined)
      socket.on('data', (bytes) => venue?.take(socket, bytes.toString()))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    venue = new SlowVenue((server.address() as AddressInfo).port)
    const { transport } = venue
    closers.push(() => {
      transport.close()
      for (const socket of sockets) socket.destroy()
      server.close()
    })
    return venue
  }

  send(lane: Urgency, count = 1): void {
    for (let n = 0; n < count; n += 1) {
      void this.transport.post('/info', lane, patientMs, lane)
    }
  }

  /** Answers so many of the oldest that are held. */
  answer(count: number): void {
    for (const socket of this.held.splice(0, count)) {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}')
    }
  }

  /** Until so many have come, and what else might come has had its time. */
  async until(count: number): Promise<void> {
    while (this.arrived.length < count) await turn()
    for (let n = 0; n < 20; n += 1) await turn()
  }

  private take(socket: Socket, request: string): void {
    this.arrived.push(request.split('\r\n\r\n')[1] ?? '')
    this.held.push(socket)
  }
}

const turn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve)
  })

test.each(lanes)('a flood of %s takes %i connections of a slow venue', async (lane, most) => {
  const venue = await SlowVenue.start()
  venue.send(lane, 100)
  await venue.until(most)
  expect([venue.arrived.length, venue.connections]).toEqual([most, most])
})

test.each(
  lanes.flatMap(([lane, most], at) =>
    lanes.slice(0, at).map(([urgent]) => ({ lane, most, urgent })),
  ),
)('$urgent leaves at once, whatever $lane waits for', async ({ lane, most, urgent }) => {
  const venue = await SlowVenue.start()
  venue.send(lane, 100)
  await venue.until(most)
  venue.send(urgent)
  await venue.until(most + 1)
  expect(venue.arrived.slice(most)).toEqual([urgent])
})

test('who waits is served by urgency, and less urgent ones once enough is free', async () => {
  const venue = await SlowVenue.start()
  venue.send('safety', 64)
  await venue.until(64)
  for (const lane of ['read', 'entry', 'safety'] as const) venue.send(lane)
  const steps: readonly (readonly [number, Urgency])[] = [
    [1, 'safety'],
    [17, 'entry'],
    [17, 'read'],
  ]
  let count = 64
  for (const [answers, lane] of steps) {
    venue.answer(answers - 1)
    await venue.until(count)
    expect(venue.arrived).toHaveLength(count)
    venue.answer(1)
    count += 1
    await venue.until(count)
    expect(venue.arrived.at(-1)).toBe(lane)
  }
})

test('what had to wait is asked for again before it leaves: one that is held back never does', async () => {
  const venue = await SlowVenue.start()
  venue.send('entry', 48)
  await venue.until(48)
  let held: string | null = null
  const entry = (body: string): Promise<unknown> =>
    venue.transport.post('/exchange', body, patientMs, 'entry', () => held)
  const [first, second] = [entry('first'), entry('second')]
  venue.answer(1)
  await venue.until(49)
  expect(venue.arrived.at(-1)).toBe('first')
  held = 'the kill switch is latched'
  venue.answer(1)
  expect(await second).toEqual({ kind: 'not_sent', error: held })
  expect(venue.arrived).toHaveLength(49)
  venue.answer(48)
  expect(await first).toMatchObject({ kind: 'answer' })
})
