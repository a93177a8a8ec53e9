import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { limits } from '../core/values/limits.ts'
import { childProgram } from './childProgram.fixture.ts'
import type { ChildProgram } from './childProgram.fixture.ts'
import { killFileIn } from './killFile.ts'

let program: ChildProgram
let stateDir: string
beforeAll(async () => {
  program = await childProgram(join(import.meta.dirname, 'killFile.fixture.ts'))
})
afterAll(() => {
  program.remove()
})
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'guard-kill-'))
})
afterEach(() => {
  rmSync(stateDir, { recursive: true, force: true })
})

test('the entry holds the reason, and nothing else is left behind', async () => {
  await killFileIn(stateDir).write('enough (command line)')
  expect(killFileIn(stateDir).seen()).toEqual({ firstLine: 'enough (command line)' })
  expect(readdirSync(stateDir)).toEqual(['kill'])
})

test('a reason is counted by its characters, and none of them is cut', async () => {
  const reason = `${'\u{1f6d1}'.repeat(limits.killReasonCharsMax)} (command line)`
  await killFileIn(stateDir).write(reason)
  expect(killFileIn(stateDir).seen()).toEqual({ firstLine: reason })
})

test('a second reason does not replace the first', async () => {
  await killFileIn(stateDir).write('first')
  await killFileIn(stateDir).write('second')
  expect(killFileIn(stateDir).seen()).toEqual({ firstLine: 'first' })
})

test('without room for a single byte the entry latches all the same', () => {
  // No file may grow; the shell has what would end the process for it ignored.
  const script = `trap '' XFSZ; ulimit -f 0; exec "$0" "$1" "$2"`
  execFileSync('sh', ['-c', script, process.execPath, program.path, stateDir], { stdio: 'pipe' })
  expect(killFileIn(stateDir).seen()).toEqual({ firstLine: '' })
  expect(readdirSync(stateDir)).toEqual(['kill'])
})

test('where no entry can be made it says so', async () => {
  const missing = join(stateDir, 'nowhere')
  await expect(killFileIn(missing).write('enough')).rejects.toThrow(/ENOENT/)
})
