import { spawn, spawnSync } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { plain } from '../../src/cli/cli.fixture.ts'
import { root } from '../cli/program.fixture.ts'
import { atTerminal, hasTerminal } from '../cli/terminal.fixture.ts'
import { openNetwork } from './network.fixture.ts'

/**
 * The README, word for word, in a fresh clone: what was forgotten in a commit, or only works where
 * somebody has worked before, shows here. The program runs in a network of its own, so that "no
 * network" is shown and the ports of the README are free.
 */

const folder = mkdtempSync(join(tmpdir(), 'guard-readme-'))
const clone = join(folder, 'guard')
const network = openNetwork()
if (network === null) console.warn('the README is not followed: no network of its own can be made')
const isCloned = existsSync(join(root, '.git'))
if (!isCloned) console.warn('the README is not followed: this is not a clone')

const readme = readFileSync(join(root, 'README.md'), 'utf8')
const blocks = [...readme.matchAll(/```\n([^]*?)```/g)].map(([, block = '']) => block.trim())
const environment = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(npm_|VITEST|NODE_ENV|INIT_CWD)/.test(name)),
  ),
  // What is in npm's cache need not be fetched again; the command stays as it is.
  npm_config_prefer_offline: 'true',
  HOME: join(folder, 'home'),
  TMPDIR: join(folder, 'tmp'),
  npm_config_cache: process.env['npm_config_cache'] ?? join(process.env['HOME'] ?? '', '.npm'),
  NO_COLOR: '1',
}

test('has these commands and no others', () => {
  expect(blocks).toEqual([
    'npm ci && npm start',
    'npm ci && npm test',
    [
      'npx guard init      # account, mode, rules, API wallet key, first client key; asks for everything',
      'npx guard doctor    # checks the machine, the key, the venue and the account',
      'npx guard run       # http://127.0.0.1:8547, and the monitor page at the same address',
    ].join('\n'),
    'npm ci && node examples/agent/loop.mjs',
  ])
  const inline = [...readme.replace(/```[^]*?```/g, '').matchAll(/`(guard [^`]+)`/g)]
  expect(inline.map(([, command]) => command)).toEqual([
    'guard demo',
    'guard client add --out bot.key',
    'guard mcp',
    'guard kill --reason "..."',
    'guard fleet demo',
  ])
})

/** A command of the README in the clone, without a way to another machine. */
function offline(command: string): ChildProcess {
  const [program = '', ...args] = [...(network?.prefix ?? []), 'sh', '-c', command]
  return spawn(program, args, { cwd: clone, env: environment, detached: true })
}

interface Ran {
  readonly out: string
  readonly code: number | null
}

/** Follows what a command prints until `enough`, then presses Ctrl-C: everything in front gets it. */
async function follow(
  child: ChildProcess,
  enough: (out: string) => Promise<boolean>,
): Promise<Ran> {
  let out = ''
  let isEnough = false
  const look = async (chunk: Buffer): Promise<void> => {
    out += plain(chunk.toString())
    if (isEnough || !(await enough(out)) || isEnough) return
    isEnough = true
    process.kill(-(child.pid ?? 0), 'SIGINT')
  }
  child.stdout?.on('data', (chunk: Buffer) => void look(chunk))
  child.stderr?.on('data', (chunk: Buffer) => void look(chunk))
  const code = await new Promise<number | null>((resolved) => child.on('close', resolved))
  return { out, code }
}

const toEnd = (command: string): Promise<Ran> =>
  follow(offline(command), () => Promise.resolve(false))

/** Whether something answers in the program's own network. */
function page(url: string): { readonly status: number; readonly type: string } {
  const script = `fetch('${url}').then(r=>console.log(JSON.stringify({status:r.status,type:r.headers.get('content-type')})),()=>console.log('{"status":0}'))`
  const [program = '', ...args] = [...(network?.prefix ?? []), process.execPath, '-e', script]
  return JSON.parse(spawnSync(program, args, { encoding: 'utf8' }).stdout) as never
}

afterAll(() => {
  network?.close()
  rmSync(folder, { recursive: true, force: true })
}, 300_000)

describe.skipIf(network === null || !isCloned)('followed in a fresh clone', () => {
  beforeAll(() => {
    for (const name of ['home', 'tmp']) mkdirSync(join(folder, name))
    // The project may stand on no branch, which is worth no word here.
    const quiet = ['-c', 'advice.detachedHead=false', 'clone', '--quiet']
    const cloned = spawnSync('git', [...quiet, root, clone], { encoding: 'utf8' })
    expect(cloned.stderr).toBe('')
    const [install = ''] = blocks[0]?.split(' && ') ?? []
    const done = spawnSync('sh', ['-c', install], {
      cwd: clone,
      // Where packages come from is what this machine's user has set up.
      env: { ...environment, HOME: process.env['HOME'] },
      encoding: 'utf8',
    })
    expect(done.stderr).not.toMatch(/npm error/i)
    expect(done.status).toBe(0)
  }, 600_000)

  test('npm start shows each kind of event, serves the page, and leaves nothing behind', async () => {
    const [, start = ''] = blocks[0]?.split(' && ') ?? []
    const left = readdirSync(environment.TMPDIR)
    let served: ReturnType<typeof page> | null = null
    // What npm and the shell make of Ctrl-C for their own end is theirs; that all has ended is seen.
    const { out } = await follow(offline(start), (shown) => {
      if (!shown.includes('That was the story.')) return Promise.resolve(false)
      served ??= page('http://127.0.0.1:8547')
      return Promise.resolve(true)
    })
    for (const kind of [
      /resize \[resized\] order: the limit of the ETH buy pulled in/,
      /allow {2}\[allowed\] order/,
      /veto {3}\[market_not_allowed\]/,
      /veto {3}\[funds_or_permissions\]/,
      /protect SOL: 1 action\n/,
      /risk {3}halted_for_day/,
      /flatten daily loss stop/,
      /veto {3}\[daily_loss_stop\]/,
      /Stopping Guard and the simulator\./,
      /stopped: /,
    ]) {
      expect(out).toMatch(kind)
    }
    expect(out).toContain('monitor page   http://127.0.0.1:8547')
    expect(served).toEqual({ status: 200, type: 'text/html; charset=utf-8' })
    expect(readdirSync(environment.TMPDIR)).toEqual(left)
    expect(page('http://127.0.0.1:8547').status).toBe(0)
    expect(page('http://127.0.0.1:3001').status).toBe(0)
  }, 300_000)

  test('npm test runs the tests and says how many', async () => {
    const [, tests = ''] = blocks[1]?.split(' && ') ?? []
    // One file stands for all: this one is among them.
    const { out, code } = await toEnd(`${tests} -- test/architecture.test.ts`)
    expect(out).toMatch(/\ntests: \d+ passed, 0 failed\n/)
    expect(code).toBe(0)
  }, 300_000)

  describe.skipIf(!hasTerminal)('set up (skipped without python3: it makes the terminal)', () => {
    const home = join(environment.HOME, '.guard')
    const lines = (blocks[2] ?? '').split('\n').map((line) => line.replace(/ *#.*/, ''))
    const enter = '\r'
    let simulator: ChildProcess

    beforeAll(async () => {
      simulator = offline('npx guard sim')
      await new Promise((resolved) => simulator.stdout?.once('data', resolved))
    }, 120_000)
    afterAll(() => {
      process.kill(-(simulator.pid ?? 0), 'SIGINT')
    })

    test('npx guard init asks for everything', async () => {
      const account = '0x14791697260e4c9a71f18484c9f997b308e59325'
      const command = [...(network?.prefix ?? []), 'sh', '-c', `cd ${clone} && ${lines[0] ?? ''}`]
      const steps = [
        ['What may this Guard do?', enter],
        ['The trading account', `${account}${enter}`],
        ['Which rules?', enter],
        ['Take these rules?', 'y'],
        ['What do you call the bot?', enter],
      ] as const
      const shown = await atTerminal(command, steps, { env: environment })
      expect(shown.text).not.toContain('NOT ASKED')
      expect(shown.text).toContain('Guard is set up in')
      expect(shown.text).toMatch(/shown only now: 0x[0-9a-f]{64}/)
      expect(shown.code).toBe(0)
    }, 180_000)

    test('npx guard doctor finds everything ok, npx guard run serves the page', async () => {
      const file = join(home, 'guard.toml')
      // The venue's place is taken by the simulator: there is no other one in this network.
      const toml = readFileSync(file, 'utf8').replace(
        '[venue]\n',
        '[venue]\nurl = "http://127.0.0.1:3001"\nnetwork = "testnet"\n',
      )
      writeFileSync(file, toml, { mode: 0o600 })
      const doctor = await toEnd(lines[1] ?? '')
      expect(doctor.out).not.toMatch(/^BAD/m)
      expect(doctor.code).toBe(0)
      let served: ReturnType<typeof page> | null = null
      const ran = await follow(offline(lines[2] ?? ''), (shown) => {
        if (!shown.includes('bots are served')) return Promise.resolve(false)
        served ??= page('http://127.0.0.1:8547')
        return Promise.resolve(true)
      })
      expect(ran.out).toContain('http://127.0.0.1:8547')
      expect(served).toMatchObject({ status: 200 })
      expect(ran.out).toContain('stopping')
      expect(page('http://127.0.0.1:8547').status).toBe(0)
    }, 180_000)

    test('a client key is added, and the kill switch works without a running Guard', async () => {
      const added = await toEnd('npx guard client add --out bot.key')
      expect(added.out).toContain('Its key is in bot.key.')
      expect(added.code).toBe(0)
      rmSync(join(clone, 'bot.key'))
      const killed = await toEnd('npx guard kill --reason "..."')
      expect(killed.out).toContain('Kill switch pulled.')
      expect(killed.code).toBe(0)
    }, 180_000)
  })

  test('the clone is as it was cloned', () => {
    const { stdout } = spawnSync('git', ['status', '--porcelain'], { cwd: clone, encoding: 'utf8' })
    expect(stdout).toBe('')
  })
})
