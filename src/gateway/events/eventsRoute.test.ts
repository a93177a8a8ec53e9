import { get } from 'node:http'
import type { IncomingMessage } from 'node:http'
import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { limits } from '../../core/values/limits.ts'
import { FakeReader, startRig, until } from '../gateway.fixture.ts'
import { account, clientKey } from '../status.fixture.ts'
import type { Rig } from '../gateway.fixture.ts'
import { arrayPieces } from './eventBytes.ts'
import { parseEventsQuery } from './eventsQuery.ts'

const rigs: Rig[] = []
async function rig(window?: number): Promise<Rig> {
  const started = await startRig({}, window)
  rigs.push(started)
  return started
}
afterEach(async () => {
  for (const { gateway, time } of rigs.splice(0)) {
    const closed = gateway.close(0)
    time.advance(1)
    await closed
  }
})

/** A reader of server-sent events, by hand: what came, and a way to stop reading. */
interface SseReader {
  readonly response: IncomingMessage
  text(): string
  ids(): number[]
  isEnded(): boolean
}
function openStream(port: number, query = '', headers: Record<string, string> = {}) {
  return new Promise<SseReader>((resolve, reject) => {
    const request = get(
      {
        host: '127.0.0.1',
        port,
        path: `/guard/events${query}`,
        headers: { Accept: 'Text/Event-Stream', ...headers },
        agent: false,
      },
      (response) => {
        const seen: number[] = []
        let text = ''
        let line = ''
        let isEnded = false
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => {
          text += chunk
          const lines = (line + chunk).split('\n')
          line = lines.pop() ?? ''
          for (const each of lines) if (each.startsWith('id: ')) seen.push(Number(each.slice(4)))
        })
        response.on('error', () => undefined)
        response.on('close', () => (isEnded = true))
        resolve({
          response,
          text: () => text,
          ids: () => seen,
          isEnded: () => isEnded,
        })
      },
    )
    request.on('error', reject)
  })
}
const range = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index)

test('the array holds what is in memory after since, oldest first, and says its range', async () => {
  const { ask, reader } = await rig(5)
  reader.addErrors(8)
  const all = await ask('/guard/events')
  expect(all.json).toEqual(reader.all.slice(3))
  expect(all.headers['x-guard-first-seq']).toBe('4')
  expect(all.headers['x-guard-last-seq']).toBe('8')
  expect((await ask('/guard/events?since=6')).json.map((event: any) => event.seq)).toEqual([7, 8])
  expect((await ask('/guard/events?since=8')).json).toEqual([])
  expect((await ask('/guard/events?since=99')).json).toEqual([])
})

test('kinds are a filter, and the numbering has holes then', async () => {
  const { ask, reader } = await rig()
  reader.addErrors(2)
  reader.add({ kind: 'kill', reason: 'x (kill file)' })
  reader.addErrors(1)
  reader.add({ kind: 'stopped', reason: 'SIGTERM' })
  const answer = await ask('/guard/events?kind=kill,stopped')
  expect(answer.json.map((event: any) => event.seq)).toEqual([3, 5])
})

test.each([
  'since=-1',
  'since=1.5',
  'since=x',
  'since=',
  'since=99999999999999999',
  'wait=31',
  'wait=-1',
  'wait=a',
  'limit=0',
  'limit=1001',
  'source=journal&limit=1001',
  'source=disk',
  'kind=',
  'kind=decision,nonsense',
  'kind=Decision',
  'since=1&since=2',
])('%s is 400', async (query) => {
  const { ask } = await rig()
  const answer = await ask(`/guard/events?${query}`)
  expect([answer.status, answer.json.error.code]).toEqual([400, 'bad_query'])
})

test('any query is either refused with a reason or within its bounds', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('since', 'wait', 'limit'),
      fc.oneof(fc.string(), fc.integer().map(String), fc.double().map(String)),
      (name, text) => {
        const parsed = parseEventsQuery(new URLSearchParams([[name, text]]))
        if (!parsed.ok) return parsed.error.startsWith(name)
        const { since, waitMs, limit } = parsed.value
        return (
          Number.isSafeInteger(since) &&
          since >= 0 &&
          waitMs <= 30_000 &&
          limit >= 1 &&
          limit <= 1_000
        )
      },
    ),
  )
})

test('a long poll waits for what it asks for, and no longer than it says', async () => {
  const { ask, reader, time, options } = await rig()
  reader.addErrors(1)
  expect((await ask('/guard/events?since=0&wait=5')).json.length).toBe(1)
  const waiting = async () => (await ask('/metrics')).text.includes('guard_long_polls 1')
  const poll = ask('/guard/events?since=1&wait=5&kind=kill')
  while (!(await waiting())) await options.guard.status()
  reader.addErrors(1)
  reader.add({ kind: 'kill', reason: 'x' })
  expect((await poll).json.map((event: any) => event.seq)).toEqual([3])
  const empty = ask('/guard/events?since=3&wait=5')
  while (!(await waiting())) await options.guard.status()
  time.advance(5_000)
  expect((await empty).json).toEqual([])
})

test('the journal is paged from any seq', async () => {
  const { ask, reader } = await rig(3)
  reader.addErrors(10)
  const page = await ask('/guard/events?source=journal&since=2&limit=4')
  expect(page.json.map((event: any) => event.seq)).toEqual([3, 4, 5, 6])
  expect(page.headers['x-guard-first-seq']).toBe('8')
})

test('a page of nothing is an empty array, from the journal as from memory', async () => {
  const { ask } = await rig()
  for (const query of [
    'source=journal&since=705437371',
    'source=journal&kind=stopped',
    'since=9999',
  ]) {
    const { status, text } = await ask(`/guard/events?${query}`)
    expect([status, text]).toEqual([200, '[]'])
  }
})

test('a long answer is whole, and others are served between two of its pieces', async () => {
  const { ask, reader } = await rig()
  reader.addErrors(1_000)
  expect((await ask('/guard/events?since=67')).json).toEqual(reader.all.slice(67))
  let turns = 0
  let isDone = false
  const count = (): void => {
    turns += 1
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  const page = await ask('/guard/events?source=journal')
  isDone = true
  expect(page.json).toEqual(reader.all)
  // Each piece has at most 32 events, and is made in one turn and written in another.
  expect(turns).toBeGreaterThan((2 * 1_000) / 32)
})

test('of long answers a bounded number waits, beyond that the next is refused', async () => {
  const { ask, reader } = await rig()
  reader.addErrors(100)
  let goOn = (): void => undefined
  reader.beforePage = () => new Promise((resolve) => (goOn = resolve))
  // One more than may wait: nobody else is answered before the disk is.
  const asked = range(0, 64).map(() => ask('/guard/events?source=journal'))
  const refused = await Promise.race(asked)
  const text = '64 requests for many events wait already'
  expect(refused.json).toEqual({ error: { code: 'too_many_readers', text } })
  expect(refused.status).toBe(503)
  // What is short waits for nobody.
  expect((await ask('/guard/events?since=99')).status).toBe(200)
  reader.beforePage = () => Promise.resolve()
  goOn()
  const answers = (await Promise.all(asked)).filter(({ status }) => status === 200)
  expect(answers.map(({ json }) => json.length)).toEqual(range(1, 64).map(() => 100))
  expect((await ask('/guard/events')).status).toBe(200)
})

test('whoever asks the journal for a few, or goes on with a stream, waits for no thousand', async () => {
  const { ask, reader, gateway } = await rig(10)
  reader.addErrors(100)
  const { page } = reader
  let goOn = (): void => undefined
  const held = new Promise<void>((resolve) => (goOn = resolve))
  reader.page = async (...args: Parameters<typeof page>) => {
    if (args[1] === limits.eventsPageMax) await held
    return await page.apply(reader, args)
  }
  // As many as may wait, of which none has anything yet.
  const stalled = range(1, limits.eventAnswersWaitingMax).map(() =>
    ask('/guard/events?source=journal'),
  )
  await until(() => ask('/healthz'))
  const few = await ask('/guard/events?source=journal&limit=5')
  expect(few.json).toEqual(reader.all.slice(0, 5))
  const stream = await openStream(gateway.port, '', { 'Last-Event-ID': '3' })
  await until(() => stream.ids().length === 97)
  goOn()
  const answers = await Promise.all(stalled)
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
})

test('all who ask are given the same bytes of an event', () => {
  const reader = new FakeReader()
  reader.addErrors(100)
  const [first, second] = [[...arrayPieces(reader.all)].flat(), [...arrayPieces(reader.all)].flat()]
  expect(Buffer.concat(first).toString()).toBe(JSON.stringify(reader.all))
  expect(first.every((part, at) => part === second[at])).toBe(true)
})

test.each(['abc', '-5', '1.5', '1e3', '99999999999999999'])(
  'a stream with the Last-Event-ID %s is 400, as a bad since is',
  async (id) => {
    const { gateway, reader } = await rig()
    reader.addErrors(3)
    const stream = await openStream(gateway.port, '', { 'Last-Event-ID': id })
    await until(() => stream.isEnded())
    expect(stream.response.statusCode).toBe(400)
    expect(JSON.parse(stream.text()).error).toEqual({
      code: 'bad_query',
      text: `Last-Event-ID must be a whole number of 0 or more, not "${id}"`,
    })
  },
)

test('a decision is found by its nonce, of one client or the latest', async () => {
  const { ask, reader } = await rig()
  const other = '0x3333333333333333333333333333333333333333'
  for (const client of [clientKey, other]) {
    reader.add({
      kind: 'decision',
      via: 'http',
      client,
      signed_as: 'testnet',
      nonce: 77,
      action: 'order',
      verdict: 'veto',
      code: 'no_price',
      text: 'no price',
      changes: [],
      change_records: [],
      request: { type: 'order' },
      pre: [],
      forward: null,
      forward_more: [],
      post: [],
    })
  }
  reader.add({ kind: 'sent', decision: 1, index: 0, nonce: 5, ok: true, reply: {} })
  expect((await ask('/guard/decision?nonce=77')).json.decision.seq).toBe(2)
  const first = await ask(
    `/guard/decision?nonce=77&client=${clientKey.toUpperCase().replace('X', 'x')}`,
  )
  expect(first.json.decision.seq).toBe(1)
  expect(first.json.sent.map((event: any) => event.seq)).toEqual([3])
  expect((await ask(`/guard/decision?nonce=77&client=${account}`)).status).toBe(404)
})

test('a stream gives id, event and data, then what comes', async () => {
  const { gateway, reader } = await rig()
  reader.addErrors(1, 'one\ntwo')
  const stream = await openStream(gateway.port)
  expect(stream.response.headers['content-type']).toBe('text/event-stream')
  await until(() => stream.ids().length === 1)
  reader.add({ kind: 'kill', reason: 'x' })
  await until(() => stream.ids().length === 2)
  expect(stream.text()).toBe(
    `retry: 1000\n\nid: 1\nevent: error\ndata: ${JSON.stringify(reader.all[0])}\n\n` +
      `id: 2\nevent: kill\ndata: ${JSON.stringify(reader.all[1])}\n\n`,
  )
})

test('Last-Event-ID stands before since, and what has left memory comes from the journal', async () => {
  const { gateway, reader } = await rig(10)
  reader.addErrors(500)
  const stream = await openStream(gateway.port, '?since=490', { 'Last-Event-ID': '3' })
  await until(() => stream.ids().length === 497)
  reader.addErrors(1)
  await until(() => stream.ids().length === 498)
  expect(stream.ids()).toEqual(range(4, 501))
  const live = await openStream(gateway.port, '?since=495')
  await until(() => live.ids().length === 6)
  expect(live.ids()).toEqual(range(496, 501))
})

test('no event is lost or doubled between journal, memory and live, whatever the timing', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(40),
      fc.nat(40),
      fc.integer({ min: 1, max: 12 }),
      fc.array(fc.nat(15), { minLength: 1, maxLength: 6 }),
      fc.boolean(),
      async (before, since, window, bursts, isFiltered) => {
        const { gateway, reader, time } = await startRig({}, window)
        const add = (): void => {
          if (reader.all.length % 3 === 0) reader.add({ kind: 'kill', reason: 'x' })
          else reader.addErrors(1)
        }
        for (const _ of range(1, before)) add()
        const left = [...bursts]
        // The journal grows while it is being read, so that memory moves on under the reader.
        reader.beforePage = async () => {
          for (const _ of range(1, left.pop() ?? 0)) add()
          await new Promise((resolve) => setImmediate(resolve))
        }
        const start = Math.min(since, before)
        const query = `?since=${String(start)}${isFiltered ? '&kind=kill' : ''}`
        const stream = await openStream(gateway.port, query)
        while (left.length > 0) {
          for (const _ of range(1, left.pop() ?? 0)) add()
          await new Promise((resolve) => setImmediate(resolve))
        }
        reader.add({ kind: 'kill', reason: 'last' })
        await until(() => stream.ids().at(-1) === reader.lastSeq)
        const expected = reader.all
          .filter(({ seq, kind }) => seq > start && (!isFiltered || kind === 'kill'))
          .map(({ seq }) => seq)
        expect(stream.ids()).toEqual(expected)
        const closed = gateway.close(0)
        time.advance(1)
        await closed
      },
    ),
    { numRuns: 40 },
  )
})

test('a quiet stream says that it lives', async () => {
  const { gateway, time } = await rig()
  const stream = await openStream(gateway.port)
  await until(() => stream.text().includes('retry'))
  time.advance(15_000)
  await until(() => stream.text().endsWith(': \n\n'))
})

test('a reader who takes nothing is cut off, holds nothing in memory, and resumes without a gap', async () => {
  const { gateway, reader, time, options, logged } = await rig(100)
  const slow = await openStream(gateway.port)
  const quick = await openStream(gateway.port)
  slow.response.pause()
  const text = 'x'.repeat(100_000)
  for (const round of range(1, 20)) {
    reader.addErrors(20, text)
    await until(() => quick.ids().at(-1) === round * 20)
  }
  time.advance(15_000)
  expect(options.metrics.registry.text()).not.toContain('guard_slow_readers_total{')
  time.advance(15_000)
  expect(options.metrics.registry.text()).toContain('guard_slow_readers_total{transport="sse"} 1')
  expect(logged.some((line) => line.includes('cut off'))).toBe(true)
  slow.response.resume()
  await until(() => slow.isEnded())
  expect(quick.isEnded()).toBe(false)
  const seen = slow.ids().at(-1) ?? 0
  expect(seen).toBeLessThan(400)
  const again = await openStream(gateway.port, '', { 'Last-Event-ID': String(seen) })
  await until(() => again.ids().at(-1) === 400)
  expect(again.ids()).toEqual(range(seen + 1, 400))
})

test('a slow reader that still reads is waited for', async () => {
  const { gateway, reader, time } = await rig(10)
  const slow = await openStream(gateway.port)
  slow.response.pause()
  reader.addErrors(200, 'x'.repeat(100_000))
  time.advance(15_000)
  slow.response.resume()
  await until(() => slow.ids().length === 200)
  time.advance(15_000)
  time.advance(15_000)
  expect(slow.ids()).toEqual(range(1, 200))
  expect(slow.isEnded()).toBe(false)
})

test('a hundred readers follow together', async () => {
  const { gateway, reader } = await rig()
  const streams = await Promise.all(range(1, 100).map(() => openStream(gateway.port)))
  for (const _ of range(1, 20)) {
    reader.addErrors(10)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await until(() => streams.every((stream) => stream.ids().length === 200))
  expect(streams.every((stream) => stream.ids().join() === range(1, 200).join())).toBe(true)
})

test('beyond the most readers the next is refused, and everything else is still served', async () => {
  const { gateway, ask } = await rig()
  const streams = await Promise.all(range(1, 256).map(() => openStream(gateway.port)))
  expect(new Set(streams.map(({ response }) => response.statusCode))).toEqual(new Set([200]))
  const refused = await openStream(gateway.port)
  await until(() => refused.isEnded())
  expect([refused.response.statusCode, JSON.parse(refused.text())]).toEqual([
    503,
    {
      error: {
        code: 'too_many_readers',
        text: 'Guard tells events to at most 256 readers at once',
      },
    },
  ])
  expect((await ask('/guard/events?since=0&wait=1')).status).toBe(503)
  expect((await ask('/guard/events?since=0')).status).toBe(200)
  expect((await ask('/healthz')).status).toBe(200)
  streams[0]?.response.destroy()
  let next = await openStream(gateway.port)
  while (next.response.statusCode !== 200) next = await openStream(gateway.port)
})

test('a journal that cannot be read ends the stream, not Guard', async () => {
  const { gateway, reader, ask } = await rig(2)
  reader.addErrors(10)
  reader.beforePage = () => Promise.reject(new Error('disk'))
  const stream = await openStream(gateway.port)
  await until(() => stream.isEnded())
  expect((await ask('/guard/events?source=journal')).status).toBe(500)
  expect((await ask('/guard/events')).json.length).toBe(2)
})

test('the bytes of an event are made once', async () => {
  const reader = new FakeReader()
  const event = reader.add({ kind: 'error', text: 'x' })
  const { bytesOf } = await import('./eventBytes.ts')
  expect(bytesOf(event)).toBe(bytesOf(event))
})

test('the last thing a reader hears is that Guard stopped', async () => {
  const { gateway, reader } = await startRig()
  reader.addErrors(1)
  const stream = await openStream(gateway.port)
  await until(() => stream.ids().length === 1)
  const closed = gateway.close()
  reader.addErrors(1)
  await until(() => stream.ids().length === 2)
  expect(stream.isEnded()).toBe(false)
  reader.add({ kind: 'stopped', reason: 'SIGTERM' })
  await closed
  await until(() => stream.isEnded())
  expect(stream.text()).toContain('event: stopped')
})
