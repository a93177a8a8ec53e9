import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { guardEvent } from '../../src/gateway/schema/events.ts'
import { built, buildTimeoutMs, guard, Started } from './program.fixture.ts'

let demo: Started | null = null

beforeAll(built, buildTimeoutMs)
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})
afterEach(async () => {
  await demo?.stop()
  demo = null
})

/** Where the demos of this file keep their homes. */
const folder = mkdtempSync(join(tmpdir(), 'guard-demos-'))
const env = { TMPDIR: folder }
const quick = ['--port', '0', '--sim-port', '0', '--speed', '20']

test('the demo shows every kind of event, serves the page, and leaves nothing behind', async () => {
  demo = new Started(['demo', ...quick, '--json'], { env })
  const [, url = ''] = await demo.until(/"url":"(http:[^"]+)"/)
  const [, simulator = ''] = await demo.until(/"sim_url":"(http:[^"]+)"/)
  const page = await fetch(url)
  expect(page.status).toBe(200)
  expect(page.headers.get('content-type')).toContain('text/html')
  await demo.until(/"over":true/)

  const lines = demo.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { event?: unknown; told?: string })
  const events = lines.flatMap(({ event }) =>
    event === undefined ? [] : [guardEvent.parse(event)],
  )
  const verdicts = events.flatMap((event) => (event.kind === 'decision' ? [event.verdict] : []))
  expect(new Set(verdicts)).toEqual(new Set(['allow', 'resize', 'veto']))
  const kinds = new Set(events.map(({ kind }) => kind))
  for (const kind of ['started', 'sent', 'risk', 'protect', 'flatten'] as const) {
    expect(kinds).toContain(kind)
  }
  const halted = events.find((event) => event.kind === 'risk' && event.state === 'halted_for_day')
  expect(halted).toBeDefined()
  expect(lines.some(({ told }) => told?.includes('daily_loss_stop') === true)).toBe(true)

  demo.signal('SIGINT')
  expect(await demo.ended).toBe(0)
  expect(readdirSync(folder)).toEqual([])
  for (const address of [url, simulator]) await expect(fetch(address)).rejects.toThrow()
})

test('for a person it is readable, and ends in order in the middle of the story', async () => {
  demo = new Started(['demo', ...quick], { env })
  await demo.until(/3\. The bot tries DOGE/)
  demo.signal('SIGINT')
  demo.signal('SIGINT')
  expect(await demo.ended).toBe(0)
  expect(demo.out).toContain('monitor page   http://127.0.0.1:')
  expect(demo.out).toContain('resize [resized] order: the limit of the ETH buy pulled in')
  expect(demo.out).toContain('Stopping Guard and the simulator.')
  expect(demo.out).toContain('stopped: ')
  expect(demo.err).toBe('')
})

test('a taken port gives a message and the way out', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolved) => server.once('listening', resolved))
  const port = String((server.address() as AddressInfo).port)
  const taken = await guard(['demo', '--port', port, '--sim-port', '0'])
  const simTaken = await guard(['demo', '--port', '0', '--sim-port', port])
  server.close()
  expect(taken).toMatchObject({ code: 1, err: expect.stringContaining('guard demo --port PORT') })
  expect(simTaken).toMatchObject({ code: 1, err: expect.stringContaining('--sim-port PORT') })
})
