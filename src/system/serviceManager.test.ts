import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { hasNotify, listenForNotify } from './notifySocket.fixture.ts'
import { announceReady, watchdogMs } from './serviceManager.ts'

const log = { log: () => undefined }

test.each([
  [{}, null],
  [{ WATCHDOG_USEC: '30000000' }, 10_000],
  [{ WATCHDOG_USEC: '30000000', WATCHDOG_PID: String(process.pid) }, 10_000],
  [{ WATCHDOG_USEC: '30000000', WATCHDOG_PID: '1' }, null],
  [{ WATCHDOG_USEC: 'often' }, null],
  [{ WATCHDOG_USEC: '0' }, null],
])('a watchdog of %j is answered every %s ms', (environment, ms) => {
  expect(watchdogMs(environment)).toBe(ms)
})

test('without a service manager nothing is said', () => {
  announceReady({}, log)()
})

test.skipIf(!hasNotify)('systemd hears ready, the watchdog and the end', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'guard-notify-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const socket = join(folder, 'notify')
  const manager = await listenForNotify(socket)
  const { PATH } = process.env
  const stop = announceReady({ PATH, NOTIFY_SOCKET: socket, WATCHDOG_USEC: '300000' }, log)
  await manager.until('READY=1')
  await manager.until('WATCHDOG=1')
  stop()
  await manager.until('STOPPING=1')
})
