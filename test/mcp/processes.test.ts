import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { ask } from '../../lab/redteam/talk.ts'
import { formatPrivateKey } from '../../src/config/privateKey.ts'
import { limits } from '../../src/core/values/limits.ts'
import { binary, built, buildTimeoutMs } from '../cli/program.fixture.ts'
import { AgentWorld, call } from './world.fixture.ts'

/** Several `guard mcp` processes that know nothing of each other, and a Guard that restarts. */

let folder: string
let world: AgentWorld
const clients: Client[] = []

beforeAll(async () => {
  await built()
  folder = mkdtempSync(join(tmpdir(), 'guard-mcp-keys-'))
}, buildTimeoutMs + 60_000)
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})
beforeEach(async () => {
  world = await AgentWorld.open()
  const key = `${formatPrivateKey(world.clientKey)}\n`
  writeFileSync(join(folder, 'agent.key'), key, { mode: 0o600 })
})
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close().catch(() => undefined)
  await world.close()
})

/** A process of its own, as a host starts it. */
async function started(): Promise<Client> {
  const key = ['--client-key-file', join(folder, 'agent.key')]
  const args = [binary, 'mcp', '--url', world.url, '--trade', ...key]
  const client = new Client({ name: 'test', version: '1' })
  clients.push(client)
  await client.connect(new StdioClientTransport({ command: process.execPath, args }))
  return client
}

const control = (path: string, body: object) =>
  ask(world.simulator.url, `/sim/${path}`, {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })

async function guardNow(): Promise<number> {
  const { json } = await ask(world.url, '/guard/status')
  return (json as any).now_ms
}

/** The venue's time, which Guard goes by, moves on by more than the time in which two servers make one nonce. */
async function muchLater(): Promise<void> {
  const before = await guardNow()
  await control('clock', { advance_ms: 3 * limits.agentMarks })
  await expect
    .poll(async () => (await guardNow()) - before, { timeout: 30_000 })
    .toBeGreaterThan(2 * limits.agentMarks)
}

const orders = async (): Promise<readonly any[]> =>
  (await world.venueActions()).filter(({ type }) => type === 'order')

const buy = { coin: 'ETH', side: 'buy', size: '0.1', idempotency_key: 'one' }

test('two processes, seconds apart, over a restart of Guard and of both: it trades once', async () => {
  const [one, two] = await Promise.all([started(), started()])
  const { data: first } = await call(one, 'place_order', buy)
  expect(first).toMatchObject({ outcome: 'done', repeated: false, order: { state: 'filled' } })
  const isSame = async (client: Client): Promise<void> => {
    const { data } = await call(client, 'place_order', buy)
    expect(data).toEqual({ ...first, repeated: true })
  }
  await muchLater()
  await isSame(two)
  await isSame(one)
  await world.restartGuard()
  await muchLater()
  await isSame(two)
  const three = await started()
  await muchLater()
  await Promise.all([one, two, three].map(isSame))
  expect(await orders()).toHaveLength(1)
  const { data } = await call(three, 'guard_status')
  expect(data.positions).toMatchObject([{ coin: 'ETH', size: '0.1' }])
}, 120_000)

test('an order whose answer was lost is found by another process much later, and not sent again', async () => {
  const [one, two] = await Promise.all([started(), started()])
  const match = { type: 'order' }
  await control('fault', { where: 'exchange', kind: 'drop_reply', count: 1, match })
  const { data: first } = await call(one, 'place_order', buy)
  expect(first.outcome).toBe('unknown')
  await muchLater()
  const { data: second } = await call(two, 'place_order', buy)
  expect(second).toMatchObject({ outcome: 'done', repeated: true, order: { state: 'filled' } })
  await world.restartGuard()
  await muchLater()
  expect((await call(one, 'place_order', buy)).data).toMatchObject({ outcome: 'done' })
  expect(await orders()).toHaveLength(1)
}, 120_000)
