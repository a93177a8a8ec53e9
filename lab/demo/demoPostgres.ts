import { execFile, spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { failed } from '../../src/cli/cliError.ts'

/** A PostgreSQL for as long as a demo or a measurement runs, in a folder of its own. */
interface DemoPostgres {
  /** How the role connects that owns the database. */
  readonly url: string
  stop(): Promise<void>
}

const run = promisify(execFile)
const oldest = 15
const owner = 'fleet_owner'
/** Where Debian keeps them, version by version; a variable names another place. */
const debian = process.env['GUARD_DEMO_POSTGRES'] ?? '/usr/lib/postgresql'

/**
 * Makes a cluster in `folder` and starts it; where it cannot, says what is missing. `own` are settings
 * of the server beside the usual ones.
 */
export async function startDemoPostgres(
  folder: string,
  own: readonly string[],
): Promise<DemoPostgres> {
  const bin = await findPrograms()
  const user = await serverUser()
  const port = await freePort()
  const place = join(folder, 'postgres')
  mkdirSync(place, { mode: 0o700 })
  const passwordFile = join(place, 'password')
  const password = randomBytes(24).toString('base64url')
  writeFileSync(passwordFile, password, { mode: 0o600 })
  if (user !== null) {
    // It has to reach its own folder, and nothing beside it.
    chmodSync(folder, 0o711)
    for (const each of [place, passwordFile]) chownSync(each, user.uid, user.gid)
  }
  const as = user ?? {}
  const data = join(place, 'data')
  const made = ['-D', data, '-U', owner, `--pwfile=${passwordFile}`, '-A', 'scram-sha-256']
  await run(join(bin, 'initdb'), [...made, '-E', 'UTF8', '--no-locale', '--no-sync'], {
    ...{ ...as, cwd: place },
  }).catch((error: unknown) => {
    throw failed('PostgreSQL could not be set up', [String(error)])
  })
  const settings = [
    ...[`port=${port}`, 'listen_addresses=127.0.0.1', `unix_socket_directories=${place}`],
    ...['shared_buffers=16MB', 'log_min_messages=fatal', ...own],
  ].flatMap((each) => ['-c', each])
  // In a group of its own: Ctrl-C is for the demo, which ends it last.
  const child = spawn(join(bin, 'postgres'), ['-D', data, ...settings], {
    ...{ ...as, cwd: place, stdio: 'ignore', detached: true },
  })
  const url = `postgresql://${owner}:${password}@127.0.0.1:${port}/postgres`
  return { url, stop: () => ended(child) }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const over = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGQUIT')
  await over
}

/** Where `initdb` and `postgres` of a version that is new enough are. */
async function findPrograms(): Promise<string> {
  const versions = existsSync(debian) ? readdirSync(debian) : []
  const places = [
    ...versions.sort((a, b) => Number(b) - Number(a)).map((each) => join(debian, each, 'bin')),
    ...(process.env['PATH'] ?? '').split(':'),
  ].filter((each) => ['initdb', 'postgres'].every((name) => existsSync(join(each, name))))
  for (const place of places) {
    const { stdout } = await run(join(place, 'postgres'), ['--version']).catch(() => ({
      stdout: '',
    }))
    if (Number(/(\d+)/.exec(stdout)?.[1] ?? 0) >= oldest) return place
  }
  throw failed(
    `PostgreSQL ${oldest} or later is not installed, and a fleet keeps what it shares there`,
    [
      'Debian, Ubuntu: apt install postgresql',
      'Fedora: dnf install postgresql-server; macOS: brew install postgresql',
      'its programs initdb and postgres are looked for in PATH and in /usr/lib/postgresql, or where GUARD_DEMO_POSTGRES says',
    ],
  )
}

/** The server refuses to run as root: whom it runs as then; null: as whoever this is. */
async function serverUser(): Promise<{ readonly uid: number; readonly gid: number } | null> {
  if (process.getuid?.() !== 0) return null
  for (const name of ['postgres', 'nobody']) {
    try {
      const uid = Number((await run('id', ['-u', name])).stdout)
      const gid = Number((await run('id', ['-g', name])).stdout)
      return { uid, gid }
    } catch {
      // This machine has no user of that name: the next one is tried.
    }
  }
  throw failed('PostgreSQL does not run as root, and there is neither a user postgres nor nobody', [
    'run the demo as another user',
  ])
}

async function freePort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => listener.once('listening', resolve))
  const { port } = listener.address() as AddressInfo
  await new Promise((resolve) => listener.close(resolve))
  return port
}
