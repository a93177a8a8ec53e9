import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../src/fleet/fleet.fixture.ts'
import { isPostgresThere } from '../../src/fleet/postgres.fixture.ts'
import type { FleetState } from '../../src/monitor/fleetState.ts'
import { built, buildTimeoutMs, guard, Started } from './program.fixture.ts'

/** Short: PostgreSQL keeps a socket in it, and the path of a socket has a bound. */
const folder = mkdtempSync(join(tmpdir(), 'fd-'))
// Run by root, PostgreSQL runs as somebody else, who has to reach its folder.
chmodSync(folder, 0o755)
const env = { TMPDIR: folder }
let demo: Started | null = null

beforeAll(built, buildTimeoutMs)
afterEach(async () => {
  await demo?.stop()
  demo = null
})
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

test('without PostgreSQL it says what to install', async () => {
  const told = await guard(['fleet', 'demo', '--port', '0'], {
    env: { ...env, PATH: '/nonexistent', GUARD_DEMO_POSTGRES: '/nonexistent' },
  })
  expect(told.code).toBe(1)
  expect(told.err).toContain('PostgreSQL 15 or later is not installed')
  expect(told.err).toContain('apt install postgresql')
  expect(readdirSync(folder)).toEqual([])
})

describe.skipIf(!isPostgresThere)('with PostgreSQL', () => {
  test('three Guards trade, a kill over all of it, and who is flat; nothing is left behind', async () => {
    const told = await guard(['fleet', 'demo', '--once', '--json', '--port', '0'], { env })
    expect(told).toMatchObject({ code: 0, err: '' })
    const lines = told.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { member?: { name: string; state: string } })
    const members = lines.flatMap(({ member }) => member ?? [])
    expect(members.map(({ name, state }) => [name, state])).toEqual([
      ['desk-1', 'flat'],
      ['desk-2', 'flat'],
      ['research-1', 'flat'],
    ])
    expect(readdirSync(folder)).toEqual([])
  })

  test('until Ctrl-C: the page shows them, the commands that it names work, and all of it ends', async () => {
    demo = new Started(['fleet', 'demo', '--no-kill', '--json', '--port', '0'], { env })
    const [, url = ''] = await demo.until(/"fleet_demo":\{"url":"(http:[^"]+)"/)
    const [, file = ''] = await demo.until(/"url_file":"([^"]+)"/)
    const [, place = ''] = await demo.until(/"store":"postgres at ([^"]+)"/)
    const stateOf = async (): Promise<FleetState> =>
      (await (await fetch(`${url}/fleet/state`)).json()) as FleetState
    await until(async () => {
      const { members, decisions } = await stateOf()
      return decisions.length > 2 && members.every(({ summary }) => (summary?.positions ?? 0) > 0)
    })
    expect((await fetch(url)).headers.get('content-type')).toContain('text/html')
    const kill = ['fleet', 'kill', '--url-file', file, '--scope', 'group:desk', '--reason', 'x']
    const killed = await guard([...kill, '--wait', '30s'])
    expect([killed.code, killed.out.match(/, flat/g)?.length]).toEqual([0, 2])
    const verified = await guard(['fleet', 'verify', '--url-file', file])
    expect([verified.code, verified.out]).toEqual([
      0,
      expect.stringContaining('3 of 3 chains are whole'),
    ])
    demo.signal('SIGINT')
    expect(await demo.ended).toBe(0)
    expect(readdirSync(folder)).toEqual([])
    await expect(fetch(url)).rejects.toThrow()
    await expect(fetch(`http://${place}`)).rejects.toThrow()
  })
})
