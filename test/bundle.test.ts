import { readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { built, buildTimeoutMs } from './cli/program.fixture.ts'

/** What went into Guard's own program, by the bundler's own list. */

const dist = resolve(import.meta.dirname, '..', 'dist')
let inputs: {
  readonly 'guard.mjs': readonly string[]
  readonly 'lab.mjs': readonly string[]
  readonly 'simulator.mjs': readonly string[]
  readonly 'mcp.mjs': readonly string[]
  readonly 'fleet.mjs': readonly string[]
  readonly 'doctorVenue.mjs': readonly string[]
  readonly 'curve.mjs': readonly string[]
}

beforeAll(async () => {
  await built()
  inputs = JSON.parse(readFileSync(join(dist, 'inputs.json'), 'utf8'))
}, buildTimeoutMs)

/** ADR 0008 says why each of them is there. */
const allowedPackages = [
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

/** ADR 0019 says why each of them is there. */
const agentPackages = [
  '@modelcontextprotocol/core',
  '@modelcontextprotocol/server',
  'hash-wasm',
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

test('the simulator that programs start themselves has nothing of Guard but words, language and crypto', () => {
  const own = inputs['simulator.mjs'].filter((file) => !file.includes('node_modules/'))
  const foreign = own.filter(
    (file) => !/^(lab\/sim|src\/core\/(values|protocol)|src\/crypto)\//.test(file),
  )
  expect(foreign).toEqual([])
  expect(own).toContain('lab/sim/packagedSimulator.ts')
  expect(packagesIn(inputs['simulator.mjs'])).toEqual(['hash-wasm', 'ws'])
  expect(statSync(join(dist, 'simulator.mjs')).size).toBeLessThan(500_000)
})

test('the server for agents is a program of its own, without what holds a key or a journal', () => {
  expect(inputs['guard.mjs'].filter((file) => file.startsWith('src/mcp/'))).toEqual([])
  for (const program of ['guard.mjs', 'lab.mjs'] as const) {
    expect(packagesIn(inputs[program])).not.toContain('@modelcontextprotocol/server')
  }
  const own = inputs['mcp.mjs'].filter((file) => !file.includes('node_modules/'))
  expect(
    own.filter((file) => /^src\/(engine|journal|venue|gateway|config|cli)\//.test(file)),
  ).toEqual([])
  expect(own).toContain('src/mcp/serveMcp.ts')
  expect(packagesIn(inputs['mcp.mjs'])).toEqual(agentPackages)
})

test('what speaks to the store of a fleet is in a file of its own: a Guard without a fleet has none of it', () => {
  for (const program of ['guard.mjs', 'lab.mjs'] as const) {
    expect(inputs[program].filter((file) => file.startsWith('src/fleet/'))).toEqual([])
    expect(packagesIn(inputs[program])).not.toContain('postgres')
  }
  const own = inputs['fleet.mjs'].filter((file) => !file.includes('node_modules/'))
  expect(own).toContain('src/fleet/storeSession.ts')
  expect(own.filter((file) => /^src\/(venue|gateway|config|cli|crypto)\//.test(file))).toEqual([])
  expect(packagesIn(inputs['fleet.mjs'])).toEqual(['postgres'])
})

test('what examines the venue is in a file of its own, which signs nothing', () => {
  const isOfIt = (file: string): boolean => /^src\/cli\/doctor\/venue\/\w+Points\.ts$/.test(file)
  for (const program of ['guard.mjs', 'lab.mjs'] as const) {
    expect(inputs[program].filter(isOfIt)).toEqual([])
  }
  expect(inputs['doctorVenue.mjs'].filter(isOfIt)).toHaveLength(4)
  const signs = /^src\/(crypto|engine\/send|venue\/signer)/
  expect(inputs['doctorVenue.mjs'].filter((file) => signs.test(file))).toEqual([])
})

test('the curve in WASM is in a file of its own, which they load where the native one is missing', () => {
  const own = inputs['curve.mjs'].filter((file) => !file.includes('node_modules/'))
  expect(own.filter((file) => !file.startsWith('src/core/values/'))).toEqual([
    'src/crypto/ethereum.ts',
    'src/crypto/wasm.ts',
  ])
  expect(packagesIn(inputs['curve.mjs'])).toEqual(['@bitauth/libauth'])
})

test('it is below 1.5 MB', () => {
  expect(statSync(join(dist, 'guard.mjs')).size).toBeLessThan(1_500_000)
})
