import { spawn, spawnSync } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { plain, said } from '../../src/cli/cli.fixture.ts'
import type { Said } from '../../src/cli/cli.fixture.ts'
import { createClient } from '../../src/client/client.ts'

export const root = resolve(import.meta.dirname, '../..')
export const binary = join(root, 'bin', 'guard')
export const buildTimeoutMs = 240_000

/** Builds what the tests run, unless it is fresh; two test files at once build it once. */
export async function built(): Promise<void> {
  const lock = join(root, 'dist', '.building')
  mkdirSync(join(root, 'dist'), { recursive: true })
  while (!isTaken(lock)) await new Promise((resolved) => setTimeout(resolved, 200))
  try {
    const script = join(root, 'scripts', 'build.mjs')
    const { status, stderr } = spawnSync(process.execPath, [script, '--if-stale'])
    if (status !== 0) throw new Error(String(stderr))
  } finally {
    rmSync(lock, { recursive: true, force: true })
  }
}

/** Takes the lock; one whose holder is gone was left behind. */
function isTaken(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' })
    return true
  } catch {
    if (!isHeld(lock)) rmSync(lock, { recursive: true, force: true })
    return false
  }
}

function isHeld(lock: string): boolean {
  try {
    process.kill(Number(readFileSync(lock, 'utf8')), 0)
    return true
  } catch {
    return false
  }
}

interface RunOptions {
  readonly env?: Record<string, string>
  readonly stdin?: string
  readonly cwd?: string
}

const userHome = mkdtempSync(join(tmpdir(), 'guard-user-'))
process.on('exit', () => {
  rmSync(userHome, { recursive: true, force: true })
})

function environment(options: RunOptions): NodeJS.ProcessEnv {
  const { PATH } = process.env
  // No Guard of a test joins those that run on this machine, or those of other tests.
  return { PATH, HOME: userHome, TMPDIR: tmpdir(), NO_COLOR: '1', ...options.env }
}

/** Runs the real program to its end. */
export async function guard(args: readonly string[], options: RunOptions = {}): Promise<Said> {
  const started = new Started(args, options)
  const code = await started.ended
  return said(code, plain(started.out), plain(started.err))
}

/** Resolves once the Guard that runs there has told that a fall of its account stopped it. */
export async function untilStopped(url: string): Promise<void> {
  for await (const event of createClient({ baseUrl: url }).follow(0, { kinds: ['risk'] })) {
    if (event.kind === 'risk' && event.state === 'stopped') return
  }
}

/** A real program that runs on. */
export class Started {
  out = ''
  private told = ''
  readonly child: ChildProcess
  /** The exit code; 128 and the signal's number where a signal ended it. */
  readonly ended: Promise<number>
  private readonly waiting = new Set<() => void>()

  constructor(args: readonly string[], options: RunOptions = {}) {
    const { cwd = root } = options
    const env = environment(options)
    this.child = spawn(process.execPath, [binary, ...args], { cwd, env })
    this.child.stdin?.end(options.stdin ?? '')
    this.child.stdout?.on('data', (chunk: Buffer) => {
      this.out += chunk.toString()
      this.look()
    })
    this.child.stderr?.on('data', (chunk: Buffer) => {
      this.told += chunk.toString()
      this.look()
    })
    this.ended = new Promise((resolved) => {
      this.child.on('close', (code, signal) => {
        resolved(code ?? (signal === 'SIGINT' ? 130 : 143))
        this.look()
      })
    })
  }

  /** What it said on standard error, but for what it says where a disk takes its time over a kill. */
  get err(): string {
    return this.told.replace(
      /^.* (an emergency record is only in memory|a record goes to the emergency file).*\n?/gm,
      '',
    )
  }

  /** Resolves once something printed matches; rejects when the program ends without. */
  async until(pattern: RegExp): Promise<RegExpExecArray> {
    while (true) {
      const found = pattern.exec(this.out) ?? pattern.exec(this.err)
      if (found !== null) return found
      if (this.child.exitCode !== null || this.child.signalCode !== null) {
        throw new Error(`ended before ${String(pattern)}:\n${this.out}\n${this.err}`)
      }
      await new Promise<void>((resolved) => this.waiting.add(resolved))
      this.waiting.clear()
    }
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal)
  }

  async stop(): Promise<number> {
    if (this.child.exitCode === null) this.child.kill('SIGTERM')
    return await this.ended
  }

  private look(): void {
    for (const each of this.waiting) each()
  }
}
