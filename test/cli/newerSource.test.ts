import { spawnSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'

const root = resolve(import.meta.dirname, '..', '..')
const built = 1_700_000_000
const program = 'console.log("it ran")'
const clones: string[] = []

afterEach(() => {
  vi.useRealTimers()
  for (const clone of clones.splice(0)) rmSync(clone, { recursive: true, force: true })
})

/** A clone with sources, a lock file and a build; `files` are written so many seconds after it. */
function cloneWith(files: Readonly<Record<string, number>>): string {
  const clone = mkdtempSync(join(tmpdir(), 'guard-clone-'))
  clones.push(clone)
  const write = (path: string, at: number, text = ''): void => {
    mkdirSync(dirname(join(clone, path)), { recursive: true })
    writeFileSync(join(clone, path), text)
    utimesSync(join(clone, path), at, at)
  }
  for (const path of ['src/values.ts', 'lab/main.ts', 'package-lock.json']) write(path, built - 60)
  write('dist/guard.mjs', built, program)
  for (const [path, after] of Object.entries(files)) write(path, built + after)
  return clone
}

/** What a clone's `bin/guard` says on standard error; its build has to run in any case. */
function run(clone: string, isPackage = false, command: readonly string[] = []): string {
  for (const path of ['bin', ...(isPackage ? [] : ['scripts'])]) {
    cpSync(join(root, path), join(clone, path), { recursive: true })
  }
  const args = [join(clone, 'bin', 'guard'), ...command]
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  expect(stdout).toBe('it ran\n')
  return stderr
}

test.each(['src/core/order.ts', 'lab/sim/engine.ts', 'src/monitor/page/page.css'])(
  'a clone whose %s is newer than its build says so, and runs',
  (path) => {
    expect(run(cloneWith({ [path]: 5 }))).toBe(
      `guard: warning: ${path} is newer than this build, which runs all the same; "npm run build" makes a new one\n`,
    )
  },
)

test('but for a kill, which nothing keeps waiting', () => {
  expect(run(cloneWith({ 'src/core/order.ts': 5 }), false, ['kill'])).toBe('')
})

test('so does one with other packages', () => {
  expect(run(cloneWith({ 'package-lock.json': 5 }))).toContain('package-lock.json is newer')
})

test('what is in no build is not looked at', () => {
  const others = {
    'src/order.test.ts': 5,
    'lab/world.fixture.ts': 5,
    'src/notes.md': 5,
    'src/.order.ts': 5,
    'lab/.kept/order.ts': 5,
  }
  expect(run(cloneWith({ 'src/order.ts': -5, ...others }))).toBe('')
})

test('a package has no source, and says nothing', () => {
  expect(run(cloneWith({ 'src/order.ts': 5 }), true)).toBe('')
})

test.each([
  ['the lock that an editor makes', 'src/.#order.ts', 'me@here.4711'],
  ['a link to nothing', 'src/order.ts', 'gone.ts'],
  ['a link to the folder that it is in', 'src/core', '.'],
])('%s is no source, and what is beside it is looked at', (_what, path, target) => {
  const clone = cloneWith({ 'src/values.ts': 5 })
  symlinkSync(target, join(clone, path))
  expect(run(clone)).toContain('src/values.ts is newer')
})

test.each(['src', 'lab', 'package-lock.json'])(
  'a clone without %s runs, and says nothing',
  (path) => {
    const clone = cloneWith({})
    rmSync(join(clone, path), { recursive: true })
    expect(run(clone)).toBe('')
  },
)

test.each(['src', 'src/order.ts'])('where %s cannot be read, it runs all the same', (path) => {
  const clone = cloneWith({})
  rmSync(join(clone, path), { recursive: true, force: true })
  mkdirSync(join(clone, dirname(path)), { recursive: true })
  // A link to itself: nobody can read it, not even root.
  symlinkSync(join(clone, path), join(clone, path))
  expect(run(clone)).toBe('')
})

test('a source with a time to come is older than a build that was made after it', () => {
  const clone = cloneWith({ 'src/order.ts': 10 * 365 * 86_400 })
  writeFileSync(join(clone, 'dist', 'guard.mjs'), program)
  expect(run(clone)).toBe('')
})

test('what was written while the clock was ahead says nothing until that time has come', () => {
  const load = createRequire(import.meta.url)
  const { newerSource } = load('../../scripts/newerSource.cjs') as {
    newerSource: (root: string, built: string) => string | null
  }
  const clone = cloneWith({ 'src/order.ts': 5 })
  const askedAt = (after: number): string | null => {
    vi.useFakeTimers({ toFake: ['Date'], now: (built + after) * 1_000 })
    return newerSource(clone, join(clone, 'dist', 'guard.mjs'))
  }
  expect(askedAt(4)).toBeNull()
  expect(askedAt(5)).toBe('src/order.ts')
})
