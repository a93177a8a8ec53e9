import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { spawn } from 'node:child_process'
import { request } from 'node:http'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { formatPrivateKey } from '../../src/config/privateKey.ts'
import { binary, built, buildTimeoutMs } from '../cli/program.fixture.ts'
import { AgentWorld, call, token } from './world.fixture.ts'
import type { Revision } from './world.fixture.ts'

/** Both revisions over both transports with the official client; those of others are in recordedSessions.test.ts. */

let world: AgentWorld
let folder: string
beforeAll(async () => {
  await built()
  world = await AgentWorld.open()
  folder = mkdtempSync(join(tmpdir(), 'guard-mcp-key-'))
  writeFileSync(join(folder, 'agent.key'), `${formatPrivateKey(world.clientKey)}\n`, {
    mode: 0o600,
  })
}, buildTimeoutMs + 60_000)
afterAll(async () => {
  await world.close()
  rmSync(folder, { recursive: true, force: true })
})

const revisions: Revision[] = ['2026-07-28', '2025-11-25']
const modeOf = (revision: Revision) =>
  revision === '2025-11-25' ? ('legacy' as const) : { pin: revision }

const programArgs = (...more: string[]): string[] => [
  ...[binary, 'mcp', '--url', world.url, '--trade'],
  ...['--client-key-file', join(folder, 'agent.key'), ...more],
]

/** What a client hears of a resource after it has asked to hear of it. */
async function hears(client: Client, revision: Revision, change: () => Promise<unknown>) {
  const heard = new Promise<string>((resolve) => {
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
      if (params.uri === 'guard://status') resolve(params.uri)
    })
  })
  if (revision === '2025-11-25') await client.subscribeResource({ uri: 'guard://status' })
  else await client.listen({ resourceSubscriptions: ['guard://status'] })
  // The server looks for the newest event first, and tells what comes after it.
  const changes: Promise<unknown>[] = []
  const repeated = setInterval(() => changes.push(change()), 500)
  try {
    return await heard
  } finally {
    clearInterval(repeated)
    // None is under way when the client goes.
    await Promise.all(changes)
  }
}

const veto = { coin: 'ETH', side: 'buy', size: '0.001' }

test.each(revisions)('over standard input and output, revision %s', async (revision) => {
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: modeOf(revision) } },
  )
  const transport = new StdioClientTransport({ command: process.execPath, args: programArgs() })
  await client.connect(transport)
  expect((await client.listTools()).tools.length).toBe(19)
  expect(client.getInstructions()).toMatch(/idempotency_key/)
  expect((await call(client, 'guard_status')).data).toMatchObject({ state: 'active' })
  const { data } = await call(client, 'place_order', { coin: 'ETH', side: 'buy', size: '0.01' })
  expect(data).toMatchObject({ outcome: 'done', order: { state: 'filled' } })
  expect(await hears(client, revision, () => call(client, 'place_order', veto))).toBe(
    'guard://status',
  )
  await client.close()
})

test.each(revisions)('over HTTP, revision %s', async (revision) => {
  const client = await world.connect(await world.serve(), revision)
  expect((await client.listTools()).tools.length).toBe(19)
  expect((await call(client, 'guard_status')).data).toMatchObject({ state: 'active' })
  expect(await hears(client, revision, () => call(client, 'place_order', veto))).toBe(
    'guard://status',
  )
})

/**
 * The first frame is what Claude Desktop wrote to a server in its published log (typescript-sdk
 * issue 179); the others are of the same form, and not recorded.
 */
const recorded = [
  '{"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"claude-ai","version":"0.1.0"}},"jsonrpc":"2.0","id":0}',
  '{"method":"notifications/initialized","jsonrpc":"2.0"}',
  '{"method":"resources/list","params":{},"jsonrpc":"2.0","id":1}',
  '{"method":"tools/list","params":{},"jsonrpc":"2.0","id":2}',
  '{"method":"prompts/list","params":{},"jsonrpc":"2.0","id":3}',
  '{"method":"tools/call","params":{"name":"guard_status","arguments":{}},"jsonrpc":"2.0","id":4}',
]

/** What a server answers to these lines of a host, which goes once the one with id 4 is answered. */
async function session(lines: readonly string[]): Promise<any[]> {
  const child = spawn(process.execPath, programArgs())
  let out = ''
  const answered = new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString()
      if (/"id":4/.test(out) && out.endsWith('\n')) resolve()
    })
  })
  for (const line of lines) child.stdin.write(`${line}\n`)
  await answered
  const ended = new Promise((resolve) => child.once('close', resolve))
  child.stdin.end()
  // The host has gone, and the server goes with it.
  expect(await ended).toBe(0)
  return out
    .trim()
    .split('\n')
    .map((line): any => JSON.parse(line))
}

test('a session of an older host, by its own first frame', async () => {
  const answers = await session(recorded)
  const byId = (id: number) => answers.find((each) => each.id === id)?.result
  expect(byId(0)).toMatchObject({ protocolVersion: '2024-11-05', serverInfo: { name: 'guard' } })
  expect(byId(1).resources).toHaveLength(3)
  expect(byId(2).tools).toHaveLength(19)
  expect(byId(3).prompts).toHaveLength(2)
  expect(byId(4).structuredContent).toMatchObject({ mode: 'testnet' })
})

test('a message that is too long is answered, and the session goes on', async () => {
  const [first = '', ...rest] = recorded
  const long = { jsonrpc: '2.0', id: 77, method: 'tools/call', params: { x: 'y'.repeat(300_000) } }
  const answers = await session([first, JSON.stringify(long), ...rest])
  const refused = answers.find(({ id }) => id === 77)
  expect(refused.error.message).toMatch(/at most 65536 bytes/)
})

interface Asked {
  readonly path?: string
  readonly headers?: Record<string, string>
  readonly body?: string
}

/** A bare HTTP request, with whatever headers. */
function bare(url: string, { path = '/mcp', headers = {}, body = recorded[0] ?? '' }: Asked) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const usual = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    }
    const asked = request(
      { hostname, port, path, method: 'POST', headers: { ...usual, ...headers } },
      (response) => {
        let text = ''
        response.on('data', (chunk: Buffer) => (text += chunk.toString()))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
      },
    )
    asked.on('error', reject)
    asked.end(body)
  })
}

test.each<[string, Asked, number]>([
  ['the token', {}, 200],
  ['no token', { headers: { authorization: '' } }, 401],
  ['another token', { headers: { authorization: 'Bearer a-token-of-that-test' } }, 401],
  ['a foreign host', { headers: { host: 'evil.example' } }, 403],
  ['a foreign page', { headers: { origin: 'https://evil.example' } }, 403],
  ['a page of this machine', { headers: { origin: 'http://localhost:3000' } }, 200],
  ['another path', { path: '/' }, 404],
  ['a session that never was', { headers: { 'mcp-session-id': 'x' } }, 404],
  ['a message that is too long', { body: `"${'x'.repeat(70_000)}"` }, 413],
  ['no JSON', { body: '{' }, 400],
])('over HTTP %s', async (_what, asked, status) => {
  const { url } = await world.serve()
  const answer = await bare(url ?? '', asked)
  expect(answer.status).toBe(status)
  expect(answer.text).not.toContain(token)
})

test('more sessions than there may be: the oldest gives way', async () => {
  const served = await world.serve()
  const first = await world.connect(served, '2025-11-25')
  for (let n = 0; n < 16; n += 1) await world.connect(served, '2025-11-25')
  await expect(call(first, 'guard_status')).rejects.toThrow()
})

test.each<[string, readonly string[], string]>([
  ['--trade without a key', ['--trade'], '--trade needs the client key'],
  ['--http without a token', ['--http', '127.0.0.1:0'], '--http needs a token'],
  [
    'an open address',
    ['--http', '0.0.0.0:0', '--token-file', 'TOKEN'],
    'other machines could reach it',
  ],
  [
    'other words',
    ['--http', '0.0.0.0:0', '--token-file', 'TOKEN', '--expose', 'yes'],
    '--expose must be exactly',
  ],
  ['a key that others can read', ['--client-key-file', 'OPEN'], 'others may read it'],
  ['no address', ['--url', 'ftp://x'], 'must be an address such as'],
])('%s is refused', async (_what, args, text) => {
  const [tokenFile, open] = [join(folder, 'token'), join(folder, 'open.key')]
  writeFileSync(tokenFile, `${token}\n`, { mode: 0o600 })
  writeFileSync(open, formatPrivateKey(world.clientKey))
  chmodSync(open, 0o644)
  const named = args.map((each) => (each === 'TOKEN' ? tokenFile : each === 'OPEN' ? open : each))
  const child = spawn(process.execPath, [binary, 'mcp', ...named])
  let err = ''
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()))
  const code = await new Promise((resolve) => child.once('close', resolve))
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(text) })
  expect(err).not.toContain(formatPrivateKey(world.clientKey).slice(2))
})
