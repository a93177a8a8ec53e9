import { execFile, spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { selfSigned } from '../venue/selfSigned.fixture.ts'

/** A PostgreSQL server of its own for a test: real, in a temporary folder, on a free port. */
export interface TestServer {
  readonly port: number
  readonly folder: string
  /** The owner's URL of a database. */
  url(database?: string): string
  /** Of another role. */
  urlOf(user: string, password: string, database?: string): string
  /** As the owner, by the server's own program: it shares nothing with Guard's client. */
  psql(statement: string, database?: string): Promise<string>
  /** As somebody else; what the server says, be it a refusal. */
  psqlAs(url: string, statement: string): Promise<string>
  signal(name: NodeJS.Signals): void
  /** Another server that follows this one, and can be made the first (`pg_promote`). */
  replica(): Promise<TestServer>
  /** Ends without a word, as a machine that loses its power. */
  kill(): Promise<void>
  start(...settings: string[]): Promise<void>
  /** Stops in order, and starts again. */
  restart(): Promise<void>
  /** Copies its disk while it is stopped. */
  copyDisk(): Promise<void>
  /** Dies, and is started again with the disk as it was copied. */
  putBack(): Promise<void>
  /** What its own program writes of the schema of a fleet, for `psql`. */
  dump(): Promise<string>
  stop(): Promise<void>
}

const run = promisify(execFile)
const owner = 'fleet_owner'
const ownerPassword = 'own/er:pass%word'
const bin = binFolder()

/** Where the server's programs are; null where it is not installed. */
function binFolder(): string | null {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian) : []
  const places = versions
    .filter((version) => Number(version) >= 15)
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(debian, version, 'bin'))
  const found = [...places, ...(process.env['PATH'] ?? '').split(':')]
  return found.find((place) => existsSync(join(place, 'initdb'))) ?? null
}

export const isPostgresThere = bin !== null
if (bin === null) {
  console.log('PostgreSQL 15 or later is not installed: what needs a server is skipped')
}

/** The server refuses to run as root: whom it runs as then. */
async function serverUser(): Promise<{ readonly uid?: number; readonly gid?: number }> {
  if (process.getuid?.() !== 0) return {}
  for (const name of ['postgres', 'nobody']) {
    try {
      const uid = Number((await run('id', ['-u', name])).stdout)
      const gid = Number((await run('id', ['-g', name])).stdout)
      return { uid, gid }
    } catch {
      // There is no such user here.
    }
  }
  throw new Error('the tests run as root, and there is neither a user postgres nor nobody')
}

/** Makes a cluster and starts it; `settings` are lines of its configuration. */
export async function startPostgres(...settings: string[]): Promise<TestServer> {
  const server = new Server(await serverUser(), await freePort())
  await server.make()
  await server.start(...settings)
  return server
}

async function freePort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => listener.once('listening', resolve))
  const { port } = listener.address() as AddressInfo
  await new Promise((resolve) => listener.close(resolve))
  return port
}

class Server implements TestServer {
  readonly port: number
  /** Short: the path of a socket has a bound. */
  readonly folder = mkdtempSync(join(tmpdir(), 'pg-'))
  readonly #user: { readonly uid?: number; readonly gid?: number }
  #process: ChildProcess | null = null
  #settings: readonly string[] = []

  constructor(user: { readonly uid?: number; readonly gid?: number }, port: number) {
    this.#user = user
    this.port = port
    chmodSync(this.folder, 0o755)
    const { uid, gid } = user
    if (uid !== undefined && gid !== undefined) chownSync(this.folder, uid, gid)
  }

  get #data(): string {
    return join(this.folder, 'data')
  }

  async make(): Promise<void> {
    const script =
      'umask 077; printf %s "$4" > "$2/pw"; "$1/initdb" -D "$3" -U "$5" --pwfile="$2/pw" -A scram-sha-256 -E UTF8 --no-locale --no-sync >/dev/null'
    const values = ['sh', bin ?? '', this.folder, this.#data, ownerPassword, owner]
    await run('sh', ['-c', script, ...values], { ...this.#user, cwd: this.folder })
    for (const [name, text] of [
      ['tls.crt', selfSigned.cert],
      ['tls.key', selfSigned.key],
    ] as const) {
      const file = join(this.folder, name)
      writeFileSync(file, text, { mode: name === 'tls.key' ? 0o600 : 0o644 })
      const { uid, gid } = this.#user
      if (uid !== undefined && gid !== undefined) chownSync(file, uid, gid)
    }
  }

  url(database = 'postgres'): string {
    return this.urlOf(owner, ownerPassword, database)
  }

  urlOf(user: string, password: string, database = 'postgres'): string {
    const who = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`
    return `postgresql://${who}@127.0.0.1:${this.port}/${database}`
  }

  psql(statement: string, database?: string): Promise<string> {
    return this.psqlAs(this.url(database), statement)
  }

  async psqlAs(url: string, statement: string): Promise<string> {
    const program = join(bin ?? '', 'psql')
    const said = await run(program, ['-XAtq', '-d', url, '-c', statement], {
      maxBuffer: 64 * 1024 * 1024,
    }).catch((error: unknown) => error as { readonly stdout: string; readonly stderr: string })
    return `${said.stdout}${said.stderr}`.trim()
  }

  async start(...settings: string[]): Promise<void> {
    if (settings.length > 0) this.#settings = settings
    const flags = [
      `port=${this.port}`,
      'listen_addresses=127.0.0.1',
      `unix_socket_directories=${this.folder}`,
      'fsync=off',
      'shared_buffers=16MB',
      'log_min_messages=fatal',
      ...this.#settings,
    ].flatMap((each) => ['-c', each])
    const launch = (): ChildProcess =>
      spawn(join(bin ?? '', 'postgres'), ['-D', this.#data, ...flags], {
        ...{ ...this.#user, cwd: this.folder },
        stdio: process.env['SHOW_POSTGRES'] === undefined ? 'ignore' : 'inherit',
      })
    let child = launch()
    for (let tries = 0; tries < 400; tries += 1) {
      this.#process = child
      if ((await this.psql('select 1')) === '1') return
      await new Promise((resolve) => setTimeout(resolve, 50))
      // After a kill the old server's children may hold its memory for a moment, and a new one gives up.
      if (child.exitCode !== null) child = launch()
    }
    throw new Error('PostgreSQL has not started')
  }

  signal(name: NodeJS.Signals): void {
    this.#process?.kill(name)
  }

  async replica(): Promise<TestServer> {
    const other = new Server(this.#user, await freePort())
    const program = join(bin ?? '', 'pg_basebackup')
    await run(program, ['-D', other.#data, '-d', this.url(), '-R', '-X', 'stream', '--no-sync'], {
      ...{ ...this.#user, cwd: other.folder },
    })
    await other.start()
    return other
  }

  async restart(): Promise<void> {
    await this.#end('SIGINT')
    await this.start()
  }

  async copyDisk(): Promise<void> {
    await this.#end('SIGINT')
    await this.#copyFolder(this.#data, `${this.#data}.copy`)
    await this.start()
  }

  async putBack(): Promise<void> {
    await this.kill()
    rmSync(this.#data, { recursive: true })
    await this.#copyFolder(`${this.#data}.copy`, this.#data)
    await this.start()
  }

  async #copyFolder(from: string, to: string): Promise<void> {
    await run('cp', ['-a', from, to], { ...this.#user, cwd: this.folder })
  }

  async dump(): Promise<string> {
    const values = ['--schema=guard', '-d', this.url()]
    const written = await run(join(bin ?? '', 'pg_dump'), values, { maxBuffer: 64 * 1024 * 1024 })
    return written.stdout
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  async stop(): Promise<void> {
    await this.#end('SIGQUIT')
    rmSync(this.folder, { recursive: true, force: true })
  }

  async #end(how: NodeJS.Signals): Promise<void> {
    const child = this.#process
    this.#process = null
    if (child === null || child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill(how)
    await ended
  }
}
