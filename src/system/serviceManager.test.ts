import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
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

const isPossible =
  spawnSync('systemd-notify', ['--version']).status === 0 &&
  spawnSync('python3', ['--version']).status === 0

/** A socket as systemd has it: prints each message as a line. */
const listener = `
import socket, sys
server = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
server.bind(sys.argv[1])
print("listening", flush=True)
while True:
    for line in server.recv(4096).decode().splitlines():
        print(line, flush=True)
`

test.skipIf(!isPossible)('systemd hears ready, the watchdog and the end', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'guard-notify-'))
  const socket = join(folder, 'notify')
  const server = spawn('python3', ['-c', listener, socket])
  let heard = ''
  const until = (text: string): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (heard.includes(text)) resolve()
        else server.stdout.once('data', look)
      }
      look()
    })
  server.stdout.on('data', (chunk: Buffer) => (heard += chunk.toString()))
  try {
    await until('listening')
    const { PATH } = process.env
    const stop = announceReady({ PATH, NOTIFY_SOCKET: socket, WATCHDOG_USEC: '300000' }, log)
    await until('READY=1')
    await until('WATCHDOG=1')
    stop()
    await until('STOPPING=1')
  } finally {
    server.kill()
    rmSync(folder, { recursive: true, force: true })
  }
})
