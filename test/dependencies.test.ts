import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { built, buildTimeoutMs } from './cli/program.fixture.ts'

/** What an installed Guard brings with it: read from the lock file and from the packages themselves. */

const root = resolve(import.meta.dirname, '..')
const read = (...path: string[]): any => JSON.parse(readFileSync(join(root, ...path), 'utf8'))
const lock = read('package-lock.json')
const own = read('package.json')

interface Locked {
  readonly version: string
  readonly license?: string
  readonly dev?: boolean
  readonly hasInstallScript?: boolean
  readonly integrity?: string
}

const production = Object.entries<Locked>(lock.packages).filter(
  ([path, { dev }]) => path !== '' && dev !== true,
)
const installed = production.filter(([path]) => existsSync(join(root, path, 'package.json')))

const licences = ['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', '0BSD', 'Unlicense']

/** Native parts: their script takes the binary in the package, or compiles the source beside it. */
const native = ['@photostructure/sqlite', 'bufferutil', 'secp256k1']
const hooks = ['preinstall', 'install', 'postinstall'] as const

describe('production dependencies', () => {
  test('are few', () => {
    expect(Object.keys(own.dependencies)).toEqual(['@photostructure/sqlite'])
    expect(production.length).toBeLessThanOrEqual(16)
  })

  test.each(production)('%s has a licence that allows it', (path, { license }) => {
    expect(licences).toContain(license)
    if (existsSync(join(root, path, 'package.json'))) {
      expect(read(path, 'package.json').license).toBe(license)
    }
  })

  test.each(production)('%s is pinned to what was looked at', (_path, { integrity }) => {
    expect(integrity).toMatch(/^sha512-/)
  })

  test('only native parts run a script when installed', () => {
    const withScript = production.filter(([, { hasInstallScript }]) => hasInstallScript === true)
    const names = withScript.map(([path]) => path.replace(/^.*node_modules\//, ''))
    expect(names.filter((name) => !native.includes(name))).toEqual([])
    expect(own.dependencies['secp256k1']).toBeUndefined()
    expect(own.optionalDependencies['secp256k1']).toBeDefined()
  })

  test.each(installed)('%s fetches nothing when installed', (path) => {
    const { scripts = {} } = read(path, 'package.json')
    for (const hook of hooks) {
      if (scripts[hook] !== undefined)
        expect(scripts[hook]).toMatch(/^node-gyp-build( \|\| exit 0)?$/)
    }
  })
})

describe('what is bundled', () => {
  beforeAll(built, buildTimeoutMs)

  const bundled = (): readonly (Locked & { readonly name: string; readonly path: string })[] =>
    read('dist', 'bundled.json')

  test('has a licence that allows it, is pinned, and is named with its licence', () => {
    const notices = readFileSync(join(root, 'dist', 'THIRD-PARTY.txt'), 'utf8')
    expect(bundled().length).toBeGreaterThan(10)
    for (const { name, version, license, path } of bundled()) {
      expect(licences, name).toContain(license)
      expect(lock.packages[path], path).toMatchObject({ version })
      expect(lock.packages[path].integrity, path).toMatch(/^sha512-/)
      expect(notices).toContain(`${name} ${version} (${String(license)})`)
    }
  })

  test('is not installed a second time beside the bundle', () => {
    const names = new Set(bundled().map(({ name }) => name))
    const twice = Object.keys({ ...own.dependencies, ...own.optionalDependencies })
    expect(twice.filter((name) => names.has(name))).toEqual([])
  })
})

describe('the package itself', () => {
  test('runs nothing when it is installed from a registry', () => {
    for (const hook of hooks) expect(own.scripts[hook]).toBeUndefined()
  })

  test('builds from its own sources only when it is cloned', () => {
    const script = /^node (scripts\/[a-z-]+\.mjs)( --[a-z-]+)*$/.exec(own.scripts.prepare)?.[1]
    const source = readFileSync(join(root, script ?? ''), 'utf8')
    expect(source).not.toMatch(/node:https?|fetch\(|curl|wget|npm (i|install|ci|exec)|npx /)
  })
})
