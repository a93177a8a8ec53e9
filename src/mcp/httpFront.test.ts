import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { until } from '../gateway/gateway.fixture.ts'
import { openFront } from './httpFront.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

const open = { refuse: () => null, refuseReader: () => null }

interface World {
  readonly port: number
  /** Of each request that was answered, with what says that nobody wants its answer any more. */
  readonly asked: { readonly says: string; readonly left: AbortSignal }[]
}

/** A server that answers `{"long":true}` with a stream without end, and everything else at once. */
async function startWorld(): Promise<World> {
  const asked: World['asked'] = []
  const answer = async (request: Request): Promise<Response> => {
    const says = await request.text()
    asked.push({ says, left: request.signal })
    if (!says.includes('long')) return Response.json('short')
    const body = new ReadableStream({
      start: (stream) => {
        stream.enqueue(Buffer.from(': \n\n'))
      },
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }
  const front = await openFront({ host: '127.0.0.1', port: 0, door: open, answer })
  closers.push(() => front.close())
  return { port: Number(new URL(front.url).port), asked }
}

interface Line {
  readonly socket: Socket
  heard: string
}

function dial({ port }: World, says: string): Line {
  const line: Line = { socket: connect(port, '127.0.0.1'), heard: '' }
  line.socket.on('error', () => undefined)
  line.socket.on('data', (chunk: Buffer) => {
    line.heard += chunk.toString()
  })
  line.socket.write(says)
  closers.push(() => line.socket.destroy())
  return line
}

const posted = (body: string): string =>
  `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${String(body.length)}\r\n\r\n${body}`
const long = posted('{"long":true}')
const short = posted('{}')
/** How a whole answer to `short` ends on the wire. */
const end = '"short"\r\n0\r\n\r\n'

test('of streams that are asked for one behind the other nothing is kept when their connection goes', async () => {
  const world = await startWorld()
  const line = dial(world, long + long + long)
  await until(() => line.heard.includes('event-stream'))
  // What is said on another connection is heard after all that arrived before it.
  const other = dial(world, short)
  await until(() => other.heard.endsWith(end))
  line.socket.destroy()
  await until(() =>
    world.asked.filter(({ says }) => says !== '{}').every(({ left }) => left.aborted),
  )
})

test('a request behind another one that is not answered yet is refused, and nothing is done for it', async () => {
  const world = await startWorld()
  const line = dial(world, short + short)
  await until(() => line.heard.includes('one_at_a_time'))
  expect(line.heard.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 503'])
  expect(world.asked).toHaveLength(1)
})

test('one request after the other is answered on one connection', async () => {
  const world = await startWorld()
  const line = dial(world, short)
  await until(() => line.heard.endsWith(end))
  line.heard = ''
  line.socket.write(short)
  await until(() => line.heard.endsWith(end))
  expect(line.heard).toContain('HTTP/1.1 200')
})
