import { readFileSync, writeFileSync, mkdirSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { Bench, passphrase } from '../../src/cli/cli.fixture.ts'
import type { Said } from '../../src/cli/cli.fixture.ts'
import { status as statusSchema } from '../../src/gateway/schema/status.ts'
import { createDemoBot } from '../../lab/demo/demoBot.ts'
import { accountsOutput, doctorOutput, killAllOutput } from './outputSchemas.fixture.ts'
import { built, buildTimeoutMs, guard, Started } from './program.fixture.ts'

let bench: Bench
let env: Record<string, string>
const running: Started[] = []

beforeAll(async () => {
  await built()
  bench = await Bench.open()
  env = { GUARD_KEY_PASSPHRASE: passphrase, HOME: bench.path('user') }
  for (const home of ['home', 'dead']) {
    expect(await guard(bench.initArgs(home), { env })).toMatchObject({ code: 0 })
  }
  mkdirSync(bench.path('paper'))
  const toml = `mode = "paper"\naccount = "${bench.account}"\n[venue]\nurl = "${bench.simulator.url}"\nnetwork = "testnet"\n`
  writeFileSync(bench.path('paper', 'guard.toml'), toml)
}, buildTimeoutMs + 60_000)
afterEach(async () => {
  for (const each of running.splice(0)) {
    each.signal('SIGCONT')
    await each.stop()
  }
})
afterAll(async () => {
  await bench.close()
})

async function start(home: string): Promise<{ guard: Started; url: string }> {
  const args = ['run', '--home', bench.path(home), '--listen', '127.0.0.1:0', '--json']
  const started = new Started(args, { env })
  running.push(started)
  const [, url = ''] = await started.until(/"url":"(http:[^"]+)"/)
  await started.until(/bots are served/)
  return { guard: started, url }
}

const run = (...args: string[]): Promise<Said> => guard([...args, '--json'], { env })

async function accounts(): Promise<ReturnType<typeof accountsOutput.parse>['accounts']> {
  return accountsOutput.parse((await run('accounts')).json()).accounts
}

const statusOf = async (url: string) =>
  statusSchema.parse(await (await fetch(`${url}/guard/status`)).json())

/** What the kill of all has come to, by home. */
async function killedAll(): Promise<{ code: number; guards: Record<string, string> }> {
  const told = await run('kill', '--all', '--reason', 'the feed is wrong')
  const { ok, guards } = killAllOutput.parse(told.json())
  expect(told.code).toBe(ok ? 0 : 1)
  const states = guards.map(({ home, state }) => [home.split('/').at(-1), state] as const)
  return { code: told.code, guards: Object.fromEntries(states) as Record<string, string> }
}

test('Guards of one host know of each other, and one command latches them all', async () => {
  // One that died holds its account against nobody.
  const dead = await start('dead')
  dead.guard.signal('SIGKILL')
  await dead.guard.ended
  const first = await start('home')
  const paper = await start('paper')
  const bot = createDemoBot(first.url, readFileSync(bench.path('home.client'), 'utf8').trim())
  expect(await bot.marketBuy(1, '2500', '1')).toMatch(/^accepted/)

  let listed = await accounts()
  const isSeen = ({ home, positions, state }: (typeof listed)[number]): boolean =>
    home === bench.path('home') && positions === 1 && state === 'active'
  while (!listed.some(isSeen)) listed = await accounts()
  const byHome = Object.fromEntries(listed.map((each) => [each.home.split('/').at(-1), each]))
  expect(byHome).toMatchObject({
    dead: { state: 'gone', running: false, url: null },
    home: {
      state: 'active',
      running: true,
      pid: first.guard.child.pid,
      url: first.url,
      kill: null,
    },
    paper: { running: true, mode: 'paper' },
  })
  expect((await guard(['accounts'], { env })).out).toContain('does not run')

  let host = (await statusOf(first.url)).host
  while (host?.others[0] === undefined) host = (await statusOf(first.url)).host
  expect(host).toMatchObject({ guards: 2, floor: 120 })
  expect(host.weight_share).toBeGreaterThanOrEqual(120)
  expect(host.weight_share).toBeLessThan(1_200)
  expect(host.others).toEqual([{ account: bench.account, network: 'testnet', url: paper.url }])

  const doctor = await run('doctor', '--home', bench.path('home'))
  const { findings } = doctorOutput.parse(doctor.json())
  expect(findings.find(({ name }) => name === 'host')).toMatchObject({ state: 'ok' })

  // One that is frozen cannot say that it has latched.
  paper.guard.signal('SIGSTOP')
  expect(await killedAll()).toEqual({
    code: 1,
    guards: { dead: 'stopped', home: 'flat', paper: 'silent' },
  })
  paper.guard.signal('SIGCONT')
  expect(await killedAll()).toEqual({
    code: 0,
    guards: { dead: 'stopped', home: 'flat', paper: 'flat' },
  })
  expect((await statusOf(first.url)).kill).toMatchObject({
    latched: true,
    reason: 'the feed is wrong (command line)',
  })
  expect((await accounts()).every(({ kill }) => kill !== null)).toBe(true)
})

test('where the own configuration is no TOML, the commands say which ledger they look at', async () => {
  mkdirSync(bench.path('odd'))
  writeFileSync(bench.path('odd', 'guard.toml'), '[host')
  const { err } = await guard(['accounts', '--home', bench.path('odd')], { env })
  expect(err).toContain('is no TOML')
  expect(err).toContain(bench.path('user', '.guard-host'))
})

test('a Guard whose ledger is broken trades on its floor, and says so', async () => {
  const folder = bench.path('user', '.guard-host')
  mkdirSync(folder, { recursive: true })
  for (const suffix of ['-wal', '-shm']) writeFileSync(`${folder}/ledger.db${suffix}`, '')
  writeFileSync(`${folder}/ledger.db`, 'no database at all, only words that somebody wrote here')
  const { url } = await start('paper')
  let status = await statusOf(url)
  while (!status.alerts.some(({ code }) => code === 'host_ledger')) status = await statusOf(url)
  expect(status.host).toEqual({ guards: 1, weight_share: 120, floor: 120, others: [] })
  expect(status.venue.weight_limit_1m).toBe(120)
  expect(await run('accounts')).toMatchObject({ code: 1 })
  // Every Guard is noted beside the ledger, and found there.
  expect((await killedAll()).guards).toMatchObject({ home: 'stopped', paper: 'flat' })
  const doctor = await run('doctor', '--home', bench.path('paper'))
  const { findings } = doctorOutput.parse(doctor.json())
  expect(findings.find(({ name }) => name === 'host')).toMatchObject({ state: 'bad' })
})
