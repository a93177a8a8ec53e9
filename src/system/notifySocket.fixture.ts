import { spawn, spawnSync } from 'node:child_process'
import { onTestFinished } from 'vitest'

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

/** Whether this machine has what says something on such a socket, and what listens. */
export const hasNotify =
  spawnSync('systemd-notify', ['--version']).status === 0 &&
  spawnSync('python3', ['--version']).status === 0
if (!hasNotify) console.warn('skipped: systemd-notify and python3 are not both on this machine')

/** What a service manager hears from its service. */
interface NotifySocket {
  /** All it has heard so far, a message a line. */
  heard(): string
  /** Resolves once it has heard this. */
  until(text: string): Promise<void>
}

/** Listens on a socket at this path until the test is over; Node itself has no datagrams there. */
export async function listenForNotify(path: string): Promise<NotifySocket> {
  const server = spawn('python3', ['-c', listener, path])
  onTestFinished(() => void server.kill())
  let heard = ''
  server.stdout.on('data', (chunk: Buffer) => (heard += chunk.toString()))
  const until = (text: string): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (heard.includes(text)) resolve()
        else server.stdout.once('data', look)
      }
      look()
    })
  await until('listening')
  return { heard: () => heard, until }
}
