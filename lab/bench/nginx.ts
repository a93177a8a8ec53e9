import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** nginx as a plain reverse proxy before the venue. */
interface Nginx {
  readonly url: string
  stop(): Promise<void>
}

/** Null where it is not installed or does not start. */
export async function startNginx(venueUrl: string): Promise<Nginx | null> {
  const program = ['nginx', '/usr/sbin/nginx'].find((name) => spawnSync(name, ['-v']).status === 0)
  if (program === undefined) return null
  const home = mkdtempSync(join(tmpdir(), 'guard-bench-nginx-'))
  const port = await freePort()
  writeFileSync(join(home, 'nginx.conf'), configuration(home, port, new URL(venueUrl).host))
  const child = spawn(
    program,
    ['-p', home, '-c', join(home, 'nginx.conf'), '-e', join(home, 'log')],
    {
      stdio: 'ignore',
    },
  )
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => {
      resolve()
    })
  })
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    await ended
    rmSync(home, { recursive: true, force: true })
  }
  if (await answers(port)) return { url: `http://127.0.0.1:${port}`, stop }
  await stop()
  return null
}

function configuration(home: string, port: number, venue: string): string {
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return `daemon off;
worker_processes 1;
pid ${home}/pid;
events { worker_connections 512; }
http {
  access_log off;
  ${places.map((name) => `${name}_temp_path ${home}/${name};`).join('\n  ')}
  client_body_buffer_size 64k;
  keepalive_requests 1000000;
  upstream venue { server ${venue}; keepalive 64; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://venue;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
    }
  }
}
`
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer()
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => {
        resolve(port)
      })
    })
  })
}

const attempts = 40
const attemptMs = 50

async function answers(port: number): Promise<boolean> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1')
      socket.once('connect', () => {
        socket.destroy()
        resolve(true)
      })
      socket.once('error', () => {
        resolve(false)
      })
    })
    if (isOpen) return true
    await new Promise((resolve) => setTimeout(resolve, attemptMs))
  }
  return false
}
