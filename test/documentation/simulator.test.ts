import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { built, buildTimeoutMs, root } from '../cli/program.fixture.ts'

beforeAll(built, buildTimeoutMs)

test('the example of docs/simulator.md runs as it stands and prints what it says', () => {
  const page = readFileSync(join(root, 'docs', 'simulator.md'), 'utf8')
  const [, code = ''] = /```js\n([^]*?)```/.exec(page) ?? []
  expect(code).toContain("from 'guard/simulator'")
  const done = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    cwd: root,
    encoding: 'utf8',
  })
  expect(done.stderr).toBe('')
  const [, first, second] = /It prints `([^`]+)` and `([^`]+)`/.exec(page) ?? []
  expect(done.stdout).toBe(`${String(first)}\n${String(second)}\n`)
})
