import { readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { built, buildTimeoutMs } from './cli/program.fixture.ts'

/** What went into Guard's own program, by the bundler's own list. */

const dist = resolve(import.meta.dirname, '..', 'dist')
let inputs: { readonly 'guard.mjs': readonly string[]; readonly 'lab.mjs': readonly string[] }

beforeAll(async () => {
  await built()
  inputs = JSON.parse(readFileSync(join(dist, 'inputs.json'), 'utf8'))
}, buildTimeoutMs)

/** ADR 0008 says why each of them is there. */
const allowedPackages = [
  '@bitauth/libauth',
  '@clack/core',
  '@clack/prompts',
  'commander',
  'fast-string-truncated-width',
  'fast-string-width',
  'fast-wrap-ansi',
  'hash-wasm',
  'sisteransi',
  'smol-toml',
  'ws',
  'zod',
]

function packagesIn(files: readonly string[]): string[] {
  const names = files.flatMap(
    (file) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? [],
  )
  return [...new Set(names)].sort()
}

test('the program that holds the key has nothing of the laboratory in it', () => {
  const own = inputs['guard.mjs'].filter((file) => !file.includes('node_modules/'))
  expect(own.length).toBeGreaterThan(300)
  expect(own.filter((file) => !file.startsWith('src/'))).toEqual([])
  // The test can fail: the laboratory's own program is made of it.
  expect(inputs['lab.mjs'].some((file) => file.startsWith('lab/sim/'))).toBe(true)
})

test('no client, wallet or curve of others is in it beyond those that were chosen', () => {
  expect(packagesIn(inputs['guard.mjs'])).toEqual(allowedPackages)
  expect(packagesIn(inputs['lab.mjs'])).toContain('@nktkas/hyperliquid')
})

test('it is below 1.5 MB', () => {
  expect(statSync(join(dist, 'guard.mjs')).size).toBeLessThan(1_500_000)
})
