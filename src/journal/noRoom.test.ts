import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { childProgram } from '../system/childProgram.fixture.ts'
import type { ChildProgram } from '../system/childProgram.fixture.ts'

let program: ChildProgram
let home: string
beforeAll(async () => {
  program = await childProgram(join(import.meta.dirname, 'noRoom.fixture.ts'))
  home = mkdtempSync(join(tmpdir(), 'guard-no-room-'))
})
afterAll(() => {
  program.remove()
  rmSync(home, { recursive: true, force: true })
})

/** Runs it where files may grow, or where no file may: the shell ignores the signal that would end it. */
function opened(text: string, hasRoom: boolean): { durable: unknown; head: number } {
  const limit = hasRoom ? '' : `trap '' XFSZ; ulimit -f 0; `
  const args = [process.execPath, program.path, join(home, 'journal'), text]
  const said = execFileSync('sh', ['-c', `${limit}exec "$0" "$@"`, ...args], { stdio: 'pipe' })
  return JSON.parse(said.toString()) as { durable: unknown; head: number }
}

test('a real disk on which no file grows keeps no journal from opening, over and over', () => {
  expect(opened('one', true)).toMatchObject({ durable: { seq: 1 }, head: 1 })
  for (const text of ['two', 'three']) {
    expect(opened(text, false)).toMatchObject({ durable: expect.stringMatching(/EFBIG/), head: 1 })
  }
  expect(readdirSync(join(home, 'journal'))).toContain('lock.sqlite')
  expect(opened('four', true)).toMatchObject({ durable: { seq: expect.any(Number) } })
})
