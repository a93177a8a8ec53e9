import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { plain } from '../../src/cli/cli.fixture.ts'
import { root } from './program.fixture.ts'

/** What is waited for on the screen, and what is typed then; '' waits until it is quiet. */
export type Steps = readonly (readonly [wait: string, type: string])[]

export interface Shown {
  readonly code: number
  readonly text: string
  readonly raw: string
}

/** Whether a program is there; where it is not, the log says what was left out for it. */
export function isThere(program: string, ...args: readonly string[]): boolean {
  const isPossible = spawnSync(program, args).status === 0
  if (!isPossible) console.warn(`skipped: ${program} is not installed on this machine`)
  return isPossible
}

export const hasTerminal = isThere('python3', '-c', 'import pty')

/** Runs a program on a pseudo-terminal and answers what it asks. */
export async function atTerminal(
  command: readonly string[],
  steps: Steps,
  options: { readonly columns?: number; readonly env?: Record<string, string> } = {},
): Promise<Shown> {
  const folder = mkdtempSync(join(tmpdir(), 'guard-terminal-'))
  const script = join(folder, 'steps.json')
  writeFileSync(script, JSON.stringify(steps), { mode: 0o600 })
  const columns = String(options.columns ?? 160)
  const all = [join(root, 'test', 'cli', 'atTerminal.py'), script, columns, ...command]
  const env = { ...process.env, TERM: 'xterm', ...options.env }
  try {
    const child = spawn('python3', all, { cwd: root, env })
    let raw = ''
    child.stdout.on('data', (chunk: Buffer) => (raw += chunk.toString()))
    const code = await new Promise<number>((resolved) => {
      child.on('close', (status) => {
        resolved(status ?? -1)
      })
    })
    return { code, raw, text: plain(raw) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
