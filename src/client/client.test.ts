import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import type { GuardEvent } from '../core/events/guardEvent.ts'
import { startRig, until } from '../gateway/gateway.fixture.ts'
import { account, clientKey } from '../gateway/status.fixture.ts'
import type { Rig } from '../gateway/gateway.fixture.ts'
import { createClient } from './client.ts'
import type { FollowOptions, GuardClient } from './client.ts'
import { SseParser } from './sseParser.ts'

const rigs: Rig[] = []
const servers: Server[] = []
async function rig(window?: number): Promise<Rig> {
  const started = await startRig({}, window)
  rigs.push(started)
  return started
}
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
  for (const { gateway, time } of rigs.splice(0)) {
    const closed = gateway.close(0)
    time.advance(1)
    await closed
  }
})

/** A server that answers as a test wants, request by request. */
async function serve(
  answer: (request: IncomingMessage, response: ServerResponse, n: number) => void,
): Promise<string> {
  let n = 0
  const server = createServer((request, response) => {
    answer(request, response, n)
    n += 1
  })
  servers.push(server)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
}
const seqHeaders = (first: number, last: number) => ({
  'X-Guard-First-Seq': String(first),
  'X-Guard-Last-Seq': String(last),
})
const frame = (seq: number): string =>
  `id: ${String(seq)}\nevent: error\ndata: ${JSON.stringify({ seq, at_ms: 1, kind: 'error', text: 'é' })}\n\n`

/** Waits are over at once, except for silence, which never comes. */
const noWait = (ms: number, signal: AbortSignal): Promise<void> =>
  ms < 45_000
    ? Promise.resolve()
    : new Promise((done) => {
        signal.addEventListener('abort', () => {
          done()
        })
      })

async function take(
  client: GuardClient,
  since: number,
  count: number,
  options: FollowOptions = {},
): Promise<GuardEvent[]> {
  const got: GuardEvent[] = []
  if (count === 0) return got
  for await (const event of client.follow(since, options)) {
    got.push(event)
    if (got.length === count) break
  }
  return got
}

test.each(['sse', 'poll'] as const)(
  'follows from the journal into the present, by %s',
  async (transport) => {
    const { gateway, reader } = await rig(5)
    reader.addErrors(1_200)
    const client = createClient({ baseUrl: `${gateway.url}/` })
    const followed = take(client, 2, 1_200, { transport })
    await until(() => reader.pages > 0)
    reader.addErrors(2)
    expect(await followed).toEqual(reader.all.slice(2, 1_202))
  },
)

test.each(['sse', 'poll'] as const)('follows only some kinds, by %s', async (transport) => {
  const { gateway, reader } = await rig(5)
  for (let n = 0; n < 30; n += 1) {
    reader.addErrors(3)
    reader.add({ kind: 'kill', reason: 'x' })
  }
  reader.addErrors(10)
  reader.add({ kind: 'kill', reason: 'last' })
  const client = createClient({ baseUrl: gateway.url })
  const got = await take(client, 0, 31, { transport, kinds: ['kill'] })
  expect(got.map(({ seq }) => seq)).toEqual([
    ...Array.from({ length: 30 }, (_, n) => 4 * n + 4),
    131,
  ])
})

test('goes on where it was when the connection breaks, and drops what it has seen', async () => {
  const asked: string[] = []
  const baseUrl = await serve((request, response, n) => {
    asked.push(request.url ?? '')
    if (n === 2) {
      response.writeHead(503).end('{"error":{"code":"not_ready","text":"recovering"}}')
      return
    }
    response.writeHead(200, { 'Content-Type': 'text/event-stream', ...seqHeaders(1, 9) })
    if (n === 0) response.write(frame(1) + frame(2), () => response.destroy())
    else if (n === 1) response.write(frame(3).slice(0, -1), () => response.destroy())
    else response.write(`: \n\n${frame(2)}${frame(3)}${frame(4)}`)
  })
  const client = createClient({ baseUrl, wait: noWait })
  const got = await take(client, 0, 4)
  expect(got.map(({ seq }) => seq)).toEqual([1, 2, 3, 4])
  expect(asked.map((url) => url.split('since=')[1])).toEqual(['0', '2', '2', '2'])
})

test('a stream that says nothing for too long is opened again', async () => {
  const baseUrl = await serve((_, response, n) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream', ...seqHeaders(1, 1) })
    if (n === 0) response.flushHeaders()
    else response.write(frame(1))
  })
  const client = createClient({ baseUrl, wait: () => new Promise((done) => setImmediate(done)) })
  // Every wait ends at once here, silence too, so only an answer that comes with the headers counts.
  const got = await take(client, 0, 1)
  expect(got.map(({ seq }) => seq)).toEqual([1])
})

test('a gap is an error that says where', async () => {
  const baseUrl = await serve((_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream', ...seqHeaders(1, 9) })
    response.write(frame(1) + frame(3))
  })
  const client = createClient({ baseUrl, wait: noWait })
  const got: number[] = []
  const reading = async (): Promise<void> => {
    for await (const { seq } of client.follow(0)) got.push(seq)
  }
  await expect(reading()).rejects.toMatchObject({ name: 'GapError', expected: 2, received: 3 })
  expect(got).toEqual([1])
})

test.each(['sse', 'poll'] as const)(
  'another journal is noticed at once, by %s',
  async (transport) => {
    const { gateway, reader } = await rig()
    reader.addErrors(3)
    const client = createClient({ baseUrl: gateway.url })
    await expect(take(client, 7, 1, { transport })).rejects.toMatchObject({
      expected: 8,
      received: 3,
    })
  },
)

test('a request that can never be right is not repeated', async () => {
  const { gateway } = await rig()
  const client = createClient({ baseUrl: gateway.url })
  await expect(take(client, -1, 1)).rejects.toMatchObject({ status: 400, code: 'bad_query' })
})

test.each(['sse', 'poll'] as const)(
  'a signal ends it without an error, by %s',
  async (transport) => {
    const { gateway, reader } = await rig()
    reader.addErrors(1)
    const stop = new AbortController()
    const client = createClient({ baseUrl: gateway.url })
    const got: number[] = []
    for await (const { seq } of client.follow(0, { signal: stop.signal, transport })) {
      got.push(seq)
      stop.abort()
    }
    expect(got).toEqual([1])
  },
)

test('leaving the loop closes the connection', async () => {
  const { gateway, reader, ask } = await rig()
  reader.addErrors(2)
  await take(createClient({ baseUrl: gateway.url }), 0, 1)
  while (!(await ask('/metrics')).text.includes('guard_sse_readers 0')) reader.lastSeq.toString()
})

test('status, decision and preview', async () => {
  const { gateway, reader } = await rig()
  const client = createClient({ baseUrl: gateway.url })
  expect((await client.status()).account).toBe(account)
  expect(await client.decision(5)).toBe(null)
  await expect(client.decision(1.5)).rejects.toMatchObject({ status: 400 })
  reader.add({
    ...{ kind: 'decision', via: 'http', client: clientKey, signed_as: 'testnet', nonce: 5 },
    ...{ action: 'order', verdict: 'veto', code: 'flip', text: 'x', changes: [] },
    ...{ change_records: [], request: null, pre: [], forward: null, forward_more: [], post: [] },
  } as const)
  expect((await client.decision(5, clientKey))?.decision.seq).toBe(1)
  const sent = { action: { type: 'order' }, client: clientKey }
  expect(await client.preview(sent.action, sent.client)).toEqual({
    length: JSON.stringify(sent).length,
  })
})

test('a stream cut anywhere parses the same', () => {
  const text = `retry: 1000\n\n${frame(1)}: \n\n${frame(2).replaceAll('\n', '\r\n')}data\n\n${frame(3)}`
  const whole = new SseParser().push(text)
  expect(whole.map(({ id }) => id)).toEqual(['1', '2', null, '3'])
  fc.assert(
    fc.property(fc.array(fc.nat(text.length)), (cuts) => {
      const parser = new SseParser()
      const places = [0, ...cuts.sort((a, b) => a - b), text.length]
      const pieces = places.slice(1).map((end, index) => text.slice(places[index], end))
      expect(pieces.flatMap((piece) => parser.push(piece))).toEqual(whole)
    }),
  )
})

const python = resolve(import.meta.dirname, '../../examples/python/guard_events.py')
function runPython(code: string): Promise<string> {
  const setup = `import sys; sys.path.insert(0, ${JSON.stringify(resolve(python, '..'))})\n`
  return new Promise((done, fail) => {
    execFile('python3', ['-c', setup + code], { timeout: 120_000 }, (error, stdout, stderr) => {
      if (error) fail(new Error(stderr))
      else done(stdout.trim())
    })
  })
}
const hasPython = await runPython('print(1)').then(
  () => true,
  () => false,
)

test.skipIf(!hasPython)('the Python reader does the same', async () => {
  const { gateway, reader } = await rig(5)
  reader.addErrors(300, 'größer')
  const output = await runPython(`
import json
from guard_events import Guard, GapError, GuardError
guard = Guard(${JSON.stringify(gateway.url)})
print(guard.status()["account"])
print(guard.decision(5))
events = guard.follow(10)
got = [next(events) for _ in range(290)]
print(got[0]["seq"], got[-1]["seq"], got[-1]["text"])
events.close()
try:
    next(guard.follow(999))
except GapError as gap:
    print("gap", gap.expected, gap.received)
try:
    next(guard.follow(0, kinds=["nonsense"]))
except GuardError as error:
    print(error.status, error.code)
print(guard.preview({"type": "order"})["length"])
`)
  expect(output.split('\n')).toEqual([
    account,
    'None',
    '11 300 größer',
    'gap 1000 300',
    '400 bad_query',
    String('{"action": {"type": "order"}}'.length),
  ])
})

test.skipIf(!hasPython)('the Python reader resumes after a break', async () => {
  const baseUrl = await serve((_, response, n) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream', ...seqHeaders(1, 9) })
    if (n === 0) response.write(frame(1), () => response.destroy())
    else response.write(frame(1) + frame(2))
  })
  const output = await runPython(`
from guard_events import Guard
events = Guard(${JSON.stringify(baseUrl)}, backoff=(0,)).follow(0)
print([next(events)["seq"] for _ in range(2)])
`)
  expect(output).toBe('[1, 2]')
})
