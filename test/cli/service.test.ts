import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask, Bench, passphrase } from '../../src/cli/cli.fixture.ts'
import { hasNotify, listenForNotify } from '../../src/system/notifySocket.fixture.ts'
import { built, buildTimeoutMs, guard, root, Started } from './program.fixture.ts'
import { isThere } from './terminal.fixture.ts'

/** Guard as a service: the unit as systemd reads it, and a real process told what systemd tells. */

const unit = join(root, 'deploy', 'systemd', 'guard.service')
const hasAnalyze = isThere('systemd-analyze', '--version')

describe.skipIf(!hasAnalyze)('the unit (skipped without systemd-analyze)', () => {
  test('is one that systemd takes without a word', () => {
    const args = ['verify', '--man=no', unit]
    const { status, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' })
    expect(stderr).toBe('')
    expect(status).toBe(0)
  })

  test('exposes no more than 1.3 of 10', () => {
    const args = ['security', '--offline=yes', '--no-pager', '--threshold=13', unit]
    const { status, stdout } = spawnSync('systemd-analyze', args, { encoding: 'utf8' })
    const [, level = ''] = /exposure level for guard\.service: ([0-9.]+)/.exec(stdout) ?? []
    expect(Number(level)).toBeLessThanOrEqual(1.3)
    expect(status).toBe(0)
  })
})

let bench: Bench
beforeAll(async () => {
  await built()
  bench = await Bench.open()
  expect((await ask(bench.initArgs('home'))).code).toBe(0)
}, buildTimeoutMs + 60_000)
afterAll(async () => {
  await bench.close()
})

const args = (): string[] => ['run', '--home', bench.path('home'), '--listen', '127.0.0.1:0']

function credential(name: string, mode: number): Record<string, string> {
  const directory = bench.path(name)
  mkdirSync(directory, { mode: 0o700 })
  const file = join(directory, 'guard-key-passphrase')
  writeFileSync(file, passphrase)
  chmodSync(file, mode)
  return { CREDENTIALS_DIRECTORY: directory }
}

test.skipIf(!hasNotify)(
  'opens its key with the credential, and says ready, alive and stopping (skipped without systemd-notify)',
  async () => {
    const socket = bench.path('notify')
    const manager = await listenForNotify(socket)
    const env = {
      // As systemd lays it out for a service's own user: the access list shows as group rights.
      ...credential('given', 0o440),
      NOTIFY_SOCKET: socket,
      WATCHDOG_USEC: '600000',
    }
    const service = new Started([...args(), '--log-format', 'json'], { env })
    await manager.until('READY=1')
    const [, url = ''] = await service.until(/"url":"(http:[^"]+)"/)
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    await manager.until('WATCHDOG=1')
    // Nothing Guard starts is told where the credential or the socket is by its log.
    expect(service.err).not.toContain(passphrase)
    expect(await service.stop()).toBe(0)
    await manager.until('STOPPING=1')
    const heard = manager.heard()
    expect(heard.indexOf('READY=1')).toBeLessThan(heard.indexOf('STOPPING=1'))
  },
)

test.each([
  ['a credential anyone may read', (): Record<string, string> => credential('open', 0o444), '444'],
  [
    'no credential of this name',
    (): Record<string, string> => ({ CREDENTIALS_DIRECTORY: bench.directory }),
    'the passphrase of the key is needed',
  ],
])('%s is refused', async (_name, env, text) => {
  const told = await guard(args(), { env: env() })
  expect(told).toMatchObject({ code: 2, err: expect.stringContaining(text) })
})
