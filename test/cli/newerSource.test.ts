import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterEach, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..', '..')
const built = 1_700_000_000
const clones: string[] = []

afterEach(() => {
  for (const clone of clones.splice(0)) rmSync(clone, { recursive: true, force: true })
})

/** A clone with a build that says that it ran; `files` are written so many seconds after it. */
function run(files: Readonly<Record<string, number>>, isPackage = false) {
  const clone = mkdtempSync(join(tmpdir(), 'guard-clone-'))
  clones.push(clone)
  const write = (path: string, at: number, text = ''): void => {
    mkdirSync(dirname(join(clone, path)), { recursive: true })
    writeFileSync(join(clone, path), text)
    utimesSync(join(clone, path), at, at)
  }
  for (const path of ['src/values.ts', 'lab/main.ts', 'package-lock.json']) write(path, built - 60)
  write('dist/guard.mjs', built, 'console.log("it ran")')
  for (const [path, after] of Object.entries(files)) write(path, built + after)
  for (const path of ['bin', ...(isPackage ? [] : ['scripts'])]) {
    cpSync(join(root, path), join(clone, path), { recursive: true })
  }
  const { stdout, stderr } = spawnSync(process.execPath, [join(clone, 'bin', 'guard')], {
    encoding: 'utf8',
  })
  expect(stdout).toBe('it ran\n')
  return stderr
}

test.each(['src/core/order.ts', 'lab/sim/engine.ts', 'src/monitor/page/page.css'])(
  'a clone whose %s is newer than its build says so, and runs',
  (path) => {
    expect(run({ [path]: 5 })).toBe(
      `guard: warning: ${path} is newer than this build, which runs all the same; "npm run build" makes a new one\n`,
    )
  },
)

test('so does one with other packages', () => {
  expect(run({ 'package-lock.json': 5 })).toContain('package-lock.json is newer')
})

test('what is in no build is not looked at', () => {
  const others = { 'src/order.test.ts': 5, 'lab/world.fixture.ts': 5, 'src/notes.md': 5 }
  expect(run({ 'src/order.ts': -5, ...others })).toBe('')
})

test('a package has no source, and says nothing', () => {
  expect(run({ 'src/order.ts': 5 }, true)).toBe('')
})
