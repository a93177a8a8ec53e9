import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { built, buildTimeoutMs, root } from './program.fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'guard-package-'))
const project = join(folder, 'project')
let packed: {
  readonly filename: string
  readonly size: number
  readonly files: readonly { readonly path: string; readonly mode: number }[]
}

const scripts = ['scripts/shrinkwrap.mjs', 'package.json', 'package-lock.json']
const contents = ['bin', 'dist', 'README.md', 'LICENSE']

/** Packs a copy of this clone: the lock of a package must not lie beside the lock of its sources. */
beforeAll(async () => {
  await built()
  // Types are made for a package alone; npm makes them before it packs.
  if (!existsSync(join(root, 'dist', 'types', 'lab'))) {
    spawnSync(process.execPath, [join(root, 'scripts', 'build.mjs'), '--types'])
  }
  const copy = join(folder, 'clone')
  for (const path of [...scripts, ...contents]) {
    cpSync(join(root, path), join(copy, path), { recursive: true })
  }
  spawnSync(process.execPath, ['scripts/shrinkwrap.mjs'], { cwd: copy })
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder]
  const { stdout } = spawnSync('npm', args, { cwd: copy, encoding: 'utf8' })
  packed = (JSON.parse(stdout) as [typeof packed])[0]
  spawnSync(process.execPath, ['scripts/shrinkwrap.mjs', '--remove'], { cwd: copy })
  if (existsSync(join(copy, 'npm-shrinkwrap.json'))) throw new Error('it was left behind')
}, buildTimeoutMs)
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

test('the package is small, and holds what runs and nothing else', () => {
  const paths = packed.files.map(({ path }) => path)
  for (const path of [
    ...[
      'bin/guard',
      'bin/package.json',
      'dist/guard.mjs',
      'dist/lab.mjs',
      'dist/simulator.mjs',
      'dist/mcp.mjs',
      'dist/fleet.mjs',
      'dist/doctorVenue.mjs',
      'dist/curve.mjs',
      'dist/client.js',
      'package.json',
      'README.md',
      'LICENSE',
    ],
    ...['dist/monitor/index.html', 'dist/monitor/page.js', 'dist/monitor/page.css'],
    'dist/THIRD-PARTY.txt',
  ]) {
    expect(paths).toContain(path)
  }
  const odd = paths.filter(
    (path) =>
      !/^(bin\/(guard|package\.json)|dist\/((guard|lab|mcp|fleet|doctorVenue|simulator|curve)\.mjs|client\.js)|dist\/types\/.+\.d\.ts|dist\/monitor\/[a-z]+\.(html|js|css|svg)|dist\/THIRD-PARTY\.txt|[A-Z]+(\.md)?|package\.json|npm-shrinkwrap\.json)$/.test(
        path,
      ),
  )
  expect(odd).toEqual([])
  // Four programs, Guard, the laboratory, the simulator and the server for agents, and the curve.
  expect(packed.size).toBeLessThan(2_000_000)
  expect((packed.files.find(({ path }) => path === 'bin/guard')?.mode ?? 0) & 0o111).not.toBe(0)
})

test('whoever installs it gets the very versions that are locked here, and nothing for making it', () => {
  const tarball = join(folder, packed.filename)
  const args = ['-xzOf', tarball, 'package/npm-shrinkwrap.json']
  const shipped = JSON.parse(spawnSync('tar', args, { encoding: 'utf8' }).stdout)
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const production = Object.entries<any>(lock.packages).filter(
    ([path, { dev }]) => path !== '' && dev !== true,
  )
  expect(production.length).toBeGreaterThan(5)
  expect(Object.keys(shipped.packages).sort()).toEqual(
    ['', ...production.map(([path]) => path)].sort(),
  )
  for (const [path, { version, integrity }] of production) {
    expect(shipped.packages[path], path).toMatchObject({ version, integrity })
  }
  expect(shipped).toMatchObject({ name: lock.name, version: lock.version, lockfileVersion: 3 })
  const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  expect(shipped.packages['']).toMatchObject({
    dependencies: own.dependencies,
    optionalDependencies: own.optionalDependencies,
  })
  expect(shipped.packages['']).not.toHaveProperty('devDependencies')
  // npm itself makes it and takes it away again when it packs.
  expect(own.scripts.prepack).toContain('node scripts/shrinkwrap.mjs')
  expect(own.scripts.postpack).toBe('node scripts/shrinkwrap.mjs --remove')
})

describe('installed in an empty folder, without install scripts and without a network', () => {
  beforeAll(() => {
    mkdirSync(project)
    writeFileSync(join(project, 'package.json'), '{"name":"empty","private":true,"type":"module"}')
    const tarball = join(folder, packed.filename)
    const args = ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', tarball]
    const done = spawnSync('npm', args, { cwd: project, encoding: 'utf8' })
    if (done.status === 0) return
    // Where npm's cache does not hold the dependencies, the same versions come from this clone.
    const own = join(project, 'node_modules', 'guard')
    mkdirSync(own, { recursive: true })
    spawnSync('tar', ['-xzf', tarball, '--strip-components=1', '-C', own])
    for (const name of ['@photostructure/sqlite', 'secp256k1', 'node-gyp-build', 'elliptic']) {
      const from = join(root, 'node_modules', name)
      if (existsSync(from)) cpSync(from, join(project, 'node_modules', name), { recursive: true })
    }
    mkdirSync(join(project, 'node_modules', '.bin'))
    spawnSync('ln', ['-s', '../guard/bin/guard', join(project, 'node_modules', '.bin', 'guard')])
  }, 300_000)

  const run = (...args: string[]) =>
    spawnSync(join(project, 'node_modules', '.bin', 'guard'), args, {
      cwd: project,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: folder },
    })

  test('guard runs', () => {
    expect(run('--version').stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
    expect(run('rules', 'decode', 'gr1_e30').stdout).toContain('[rules]')
    const doctor = run('doctor')
    expect(doctor.stdout).toContain('ok   node')
    expect(doctor.status).toBe(1)
  })

  test('the whole demo runs from it', () => {
    const homes = mkdtempSync(join(tmpdir(), 'guard-packaged-'))
    const script = `
      import { spawn } from 'node:child_process'
      const demo = spawn('node_modules/.bin/guard', ['demo', '--json', '--port', '0', '--sim-port', '0', '--speed', '50'])
      let out = ''
      demo.stdout.on('data', (chunk) => {
        out += chunk
        if (out.includes('"over":true')) demo.kill('SIGINT')
      })
      demo.stderr.pipe(process.stderr)
      demo.on('close', (code) => {
        console.log(JSON.stringify({ code, flattened: out.includes('"flatten"') }))
      })`
    writeFileSync(join(project, 'demo.mjs'), script)
    const done = spawnSync(process.execPath, ['demo.mjs'], {
      cwd: project,
      encoding: 'utf8',
      timeout: 90_000,
      env: { ...process.env, TMPDIR: homes },
    })
    rmSync(homes, { recursive: true, force: true })
    // A disk that stands still for a moment is told, and is the machine's, not the package's.
    const said = done.stderr.split('\n').filter((line) => !line.includes('emergency record'))
    expect(said.join('\n')).toBe('')
    expect(JSON.parse(done.stdout)).toEqual({ code: 0, flattened: true })
  })

  test('guard/simulator starts a venue that trades', () => {
    const script = `
      import { startSimulator } from 'guard/simulator'
      const simulator = await startSimulator({ port: 0, control: true, options: { trigger_cmp: 'gt' } })
      await simulator.control('price', { coin: 'ETH', mid: '2500' })
      const user = '0x14791697260e4c9a71f18484c9f997b308e59325'
      const orders = [{ a: 1, b: true, p: '2600', s: '0.1', r: false, t: { limit: { tif: 'Ioc' } } }]
      await simulator.control('act', { user, action: { type: 'order', orders, grouping: 'na' } })
      const { clearinghouseState } = await simulator.control('state?user=' + user)
      const options = await simulator.control('options')
      const refused = await simulator.control('price', {}).catch((error) => error.message)
      await simulator.close()
      const positions = clearinghouseState.assetPositions.map(({ position }) => position.szi)
      const chosen = options.filter(({ value, default: usual }) => JSON.stringify(value) !== JSON.stringify(usual))
      console.log(JSON.stringify([positions, chosen.map(({ name }) => name), refused]))`
    const done = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd: project,
      encoding: 'utf8',
    })
    expect(done.stderr).toBe('')
    expect(JSON.parse(done.stdout)).toEqual([
      ['0.1'],
      ['trigger_cmp'],
      "coin must be a market's name, got nothing",
    ])
  })

  test('guard/simulator has types that know each option and its values', () => {
    const compile = (options: string): string => {
      const code = `
        import { startSimulator } from 'guard/simulator'
        import type { RunningSimulator, SimulatorSettings } from 'guard/simulator'
        const settings: SimulatorSettings = { port: 0, options: ${options} }
        export const started: Promise<RunningSimulator> = startSimulator(settings)`
      writeFileSync(join(project, 'typed.ts'), code)
      const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
      const args = [tsc, '--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022']
      const rest = ['--lib', 'es2023', 'typed.ts']
      return spawnSync(process.execPath, [...args, ...rest], { cwd: project, encoding: 'utf8' })
        .stdout
    }
    expect(compile("{ trigger_cmp: 'gt', 'dailyCap.n': null, scheduleCancelVolume: '0' }")).toBe('')
    expect(compile("{ trigger_cmp: 'eq' }")).toContain('"ge" | "gt"')
  }, 300_000)

  test('guard/client can be imported', () => {
    const script = `import { createClient } from 'guard/client'; console.log(typeof createClient)`
    const done = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd: project,
      encoding: 'utf8',
    })
    expect(done.stdout).toBe('function\n')
  })
})
