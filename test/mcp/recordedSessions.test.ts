import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { formatPrivateKey } from '../../src/config/privateKey.ts'
import { binary, built, buildTimeoutMs } from '../cli/program.fixture.ts'
import { AgentWorld, token } from './world.fixture.ts'

/**
 * Sessions of clients that nobody here wrote, frame by frame as they sent them to `guard mcp` on the
 * demo. They were recorded once, by letting each client list everything, preview, place, repeat,
 * follow the events, explain and close; session ids and tokens are put in anew.
 */

interface Recorded {
  readonly client: string
  readonly transport: 'stdio' | 'http'
  readonly revision: string
  readonly requests: readonly (string | HttpRequest)[]
}

interface HttpRequest {
  readonly method: string
  readonly headers: Record<string, string>
  readonly body: string
}

const sessionsDir = join(import.meta.dirname, 'sessions')
const sessions = readdirSync(sessionsDir)
  .sort()
  .map((name): [string, Recorded] => [
    name.replace('.json', ''),
    JSON.parse(readFileSync(join(sessionsDir, name), 'utf8')) as Recorded,
  ])

let world: AgentWorld
let folder: string
beforeAll(async () => {
  await built()
  world = await AgentWorld.open()
  folder = mkdtempSync(join(tmpdir(), 'guard-mcp-recorded-'))
  const key = `${formatPrivateKey(world.clientKey)}\n`
  writeFileSync(join(folder, 'agent.key'), key, { mode: 0o600 })
}, buildTimeoutMs + 60_000)
afterAll(async () => {
  await world.close()
  rmSync(folder, { recursive: true, force: true })
})

/** What the server has said, and a way to wait for something in it. */
class Heard {
  readonly all: any[] = []
  readonly #waiting = new Set<() => void>()

  add(message: unknown): void {
    this.all.push(message)
    for (const look of [...this.#waiting]) look()
  }

  find(isIt: (message: any) => boolean): Promise<any> {
    return new Promise((resolve) => {
      const look = (): void => {
        const found = this.all.find(isIt)
        if (found === undefined) return
        this.#waiting.delete(look)
        resolve(found)
      }
      this.#waiting.add(look)
      look()
    })
  }
}

const isUpdate = ({ method, params }: any): boolean =>
  method === 'notifications/resources/updated' && params.uri === 'guard://events/latest'
const isAcknowledged = ({ method }: any): boolean =>
  method === 'notifications/subscriptions/acknowledged'

/** Whether the client stops following with this frame: until then it has heard of something. */
const endsFollowing = (frame: any): boolean =>
  frame.method === 'resources/unsubscribe' || frame.method === 'notifications/cancelled'

/** Sends one frame after the other, each once what the client waited for has come. */
async function replayed(
  frames: readonly any[],
  heard: Heard,
  send: (frame: any, at: number) => void,
): Promise<void> {
  for (const [at, frame] of frames.entries()) {
    if (endsFollowing(frame)) await heard.find(isUpdate)
    send(frame, at)
    if (frame.method === 'subscriptions/listen') await heard.find(isAcknowledged)
    else if (frame.id !== undefined) await heard.find(({ id }) => id === frame.id)
  }
}

/** What every recorded session must have been told, whoever asked. */
function check(frames: readonly any[], heard: Heard): void {
  const resultOf = (id: unknown): any => heard.all.find((each) => each.id === id)?.result
  const of = (method: string): any[] =>
    frames.filter((each) => each.method === method).map(({ id }) => resultOf(id))
  for (const { id, method } of frames) {
    if (id !== undefined && method !== 'subscriptions/listen') {
      expect(resultOf(id), method).toBeDefined()
    }
  }
  expect(of('tools/list')[0].tools).toHaveLength(19)
  expect(of('resources/list')[0].resources).toHaveLength(3)
  expect(of('prompts/list')[0].prompts).toHaveLength(2)
  expect(JSON.parse(of('resources/read')[0].contents[0].text)).toMatchObject({ mode: 'testnet' })
  const texts = of('tools/call').map((each) => each.content[0].text)
  expect(texts).toEqual(
    [
      /^Guard is active/,
      /^Guard would resize this: buy [\d.]+ ETH/,
      /^Refused by Guard \(below_minimum\)/,
      /^Filled: buy 0\.1 ETH/,
      /^Sent before, and not again\. Filled: buy 0\.1 ETH/,
      /^Guard's verdict was resize/,
      /Did you mean ETH\?$/,
      /^Filled: sell 0\.1 ETH/,
    ].map((words) => expect.stringMatching(words)),
  )
}

const ofTransport = (transport: string) =>
  sessions.filter(([, recorded]) => recorded.transport === transport)

test.each(ofTransport('stdio'))('%s', async (_name, { requests }) => {
  const key = ['--client-key-file', join(folder, 'agent.key')]
  const child = spawn(process.execPath, [binary, 'mcp', '--url', world.url, '--trade', ...key])
  const heard = new Heard()
  let rest = ''
  child.stdout.on('data', (chunk: Buffer) => {
    const lines = `${rest}${chunk.toString()}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) heard.add(JSON.parse(line))
  })
  const frames = requests.map((line): any => JSON.parse(String(line)))
  await replayed(frames, heard, (_frame, at) => child.stdin.write(`${String(requests[at])}\n`))
  const ended = new Promise((resolve) => child.once('close', resolve))
  child.stdin.end()
  expect(await ended).toBe(0)
  check(frames, heard)
})

test.each(ofTransport('http'))('%s', async (_name, { requests, revision }) => {
  const { hostname, port } = new URL((await world.serve()).url ?? '')
  const heard = new Heard()
  const statuses: number[] = []
  let session = ''
  const open = new Set<IncomingMessage>()
  const send = ({ method, headers, body }: HttpRequest): void => {
    const named = headers['mcp-session-id'] === undefined ? {} : { 'mcp-session-id': session }
    const given = { ...headers, ...named, authorization: `Bearer ${token}` }
    const asked = request({ hostname, port, path: '/mcp', method, headers: given }, (response) => {
      statuses.push(response.statusCode ?? 0)
      session = String(response.headers['mcp-session-id'] ?? session)
      open.add(response)
      hear(response, heard)
    })
    asked.on('error', () => undefined)
    asked.end(body)
  }
  const sent = requests as readonly HttpRequest[]
  const frames = sent.map(({ method, body }): any => (body === '' ? { method } : JSON.parse(body)))
  await replayed(frames, heard, (_frame, at) => send(sent[at] as HttpRequest))
  if (frames.some(({ method }) => method === 'subscriptions/listen')) await heard.find(isUpdate)
  expect(statuses.filter((status) => status >= 300)).toEqual([])
  expect(session === '').toBe(revision === '2026-07-28')
  for (const response of open) response.destroy()
  check(frames, heard)
})

/** An answer of either form: one message as JSON, or a stream of them. */
function hear(response: IncomingMessage, heard: Heard): void {
  const isStream = response.headers['content-type']?.startsWith('text/event-stream') === true
  let rest = ''
  response.on('data', (chunk: Buffer) => {
    rest += chunk.toString()
    if (!isStream) return
    const lines = rest.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line.startsWith('data: {')) heard.add(JSON.parse(line.slice('data: '.length)))
    }
  })
  response.on('end', () => {
    if (!isStream && rest.startsWith('{')) heard.add(JSON.parse(rest))
  })
  response.on('error', () => undefined)
}
