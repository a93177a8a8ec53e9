import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../src/fleet/fleet.fixture.ts'
import { isPostgresThere, startPostgres } from '../../src/fleet/postgres.fixture.ts'
import type { TestServer } from '../../src/fleet/postgres.fixture.ts'
import type { FleetState } from '../../src/monitor/fleetState.ts'
import { built, buildTimeoutMs, guard, Started } from './program.fixture.ts'

const root = resolve(import.meta.dirname, '..', '..')
const script = join(root, 'deploy', 'fleet', 'set-up.mjs')
const names = ['desk-1', 'desk-2', 'research-1']

test('the compose file has every part, each image by its version, and opens no port', () => {
  const text = readFileSync(join(root, 'deploy', 'fleet', 'compose.yaml'), 'utf8')
  const services = [...text.matchAll(/^ {2}([a-z0-9-]+):$/gm)].map(([, name]) => name)
  const wanted = ['store', 'simulator', 'set-up', ...names, 'watcher']
  expect(wanted.filter((name) => !services.includes(name))).toEqual([])
  const images = [...text.matchAll(/^ +image: (\S+)$/gm)].map(([, image = '']) => image)
  expect(images.filter((image) => image !== 'guard' && !/:\d+\.\d+/.test(image))).toEqual([])
  expect(text).not.toMatch(/^ +ports:/m)
  for (const name of names) expect(text).toContain(`GUARD_HOME: /home/guard/.guard/${name}`)
})

describe.skipIf(!isPostgresThere)('what it runs, on a real store', () => {
  let server: TestServer
  const folder = mkdtempSync(join(tmpdir(), 'guard-fleet-deploy-'))
  const fleet = join(folder, 'fleet')
  const running: Started[] = []
  beforeAll(async () => {
    await built()
    server = await startPostgres()
  }, buildTimeoutMs + 60_000)
  afterAll(async () => {
    for (const each of running) await each.stop()
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const env = (simulator: string): NodeJS.ProcessEnv => ({
    ...{ ...process.env, GUARD: join(root, 'bin', 'guard'), FLEET: fleet, HOME: folder },
    ...{ STORE: server.url(), SIMULATOR: simulator },
  })
  const setUp = async (step: string, simulator = ''): Promise<string> =>
    (await promisify(execFile)(process.execPath, [script, step], { env: env(simulator) })).stdout
  const start = (args: string[]): Started => {
    const started = new Started(args, { env: { HOME: folder } })
    running.push(started)
    return started
  }

  test('keys, simulator, homes, three Guards and the watcher come up, and a kill reaches all', async () => {
    await setUp('keys')
    await setUp('keys')
    const flags = readFileSync(join(fleet, 'simulator.args'), 'utf8').split(' ')
    const simulator = start(['sim', '--port', '0', '--json', ...flags])
    const [simUrl = ''] = await simulator.until(/http:\/\/127\.0\.0\.1:\d+/)
    const said = await setUp('homes', simUrl)
    expect(names.filter((name) => !said.includes(`${name}: 0x`))).toEqual([])
    // Again, as when the containers are started anew.
    expect(await setUp('homes', simUrl)).not.toContain('desk-1: 0x')
    for (const name of names) {
      const home = ['--home', join(fleet, name), '--listen', '127.0.0.1:0', '--json']
      await start(['run', ...home]).until(/bots are served/)
    }
    const owner = ['--url-file', join(fleet, 'fleet-admin.url')]
    const watcher = start(['fleet', 'watch', ...owner, '--listen', '127.0.0.1:0', '--json'])
    const [, url = ''] = await watcher.until(/"url":"([^"]+)"/)
    await until(async () => {
      const state = (await (await fetch(`${url}/fleet/state`)).json()) as FleetState
      return state.members.length === 3 && state.members.every((each) => each.state === 'active')
    })
    const kill = ['fleet', 'kill', ...owner, '--scope', 'fleet', '--reason', 'drill']
    expect(await guard([...kill, '--wait', '30s'])).toMatchObject({ code: 0 })
  })
})
