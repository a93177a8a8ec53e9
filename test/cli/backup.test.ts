import { appendFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { ask, Bench, canaryKey, passphrase } from '../../src/cli/cli.fixture.ts'
import { createDemoBot } from '../../lab/demo/demoBot.ts'
import { backupOutput, restoreOutput } from './outputSchemas.fixture.ts'
import { status as statusSchema } from '../../src/gateway/schema/status.ts'
import { verifyJournal } from '../../src/journal/inspect.ts'
import { built, buildTimeoutMs, guard, Started } from './program.fixture.ts'

const backups = 12
const env = { GUARD_KEY_PASSPHRASE: passphrase }
let bench: Bench
const running: Started[] = []

beforeAll(async () => {
  await built()
  bench = await Bench.open()
  await bench.control.reset({
    markets: [{ name: 'ETH', szDecimals: 4, maxLeverage: 25, mid: '2500' }],
    accounts: [{ address: bench.account, equity: '1000000', agents: [bench.wallet] }],
  })
  expect((await ask(bench.initArgs('home'))).code).toBe(0)
  bench.grantWeight('home')
}, buildTimeoutMs)
afterEach(async () => {
  for (const each of running.splice(0)) await each.stop()
})
afterAll(async () => {
  await bench.close()
})

async function start(home: string): Promise<string> {
  const args = ['run', '--home', bench.path(home), '--listen', '127.0.0.1:0']
  const started = new Started(args, { env })
  running.push(started)
  const [, url = ''] = await started.until(/"url":"(http:[^"]+)"/)
  await started.until(/bots are served/)
  return url
}

async function stopAll(): Promise<void> {
  for (const each of running.splice(0)) await each.stop()
}

const restoreArgs = (from: string, home: string): string[] => [
  ...['restore', bench.path(from), '--home', bench.path(home), '--json'],
]

test('twelve backups under load: each restores, verifies and starts, latched', async () => {
  const url = await start('home')
  const key = readFileSync(bench.path('home.client'), 'utf8').trim()
  const isOver = { now: false }
  let answered: (() => void) | null = null
  const load = Promise.all(
    [0, 1, 2].map(async () => {
      const bot = createDemoBot(url, key)
      while (!isOver.now) {
        await bot.marketBuy(0, '2500', '0.01')
        answered?.()
      }
    }),
  )
  const made: number[] = []
  for (let n = 0; n < backups; n += 1) {
    // Three are on their way at most: the fourth that is answered began after the last backup.
    for (let more = 0; more < 4; more += 1) {
      await new Promise<void>((resolve) => (answered = resolve))
    }
    const done = await ask(['backup', bench.path(`b${n}`), '--home', bench.path('home'), '--json'])
    expect(done.err).toBe('')
    made.push(backupOutput.parse(done.json()).journal?.last_seq ?? 0)
  }
  isOver.now = true
  await load
  // Each holds more than the one before it: the load went on from the first to the last.
  expect(new Set(made).size).toBe(backups)
  expect(made).toEqual([...made].sort((a, b) => a - b))
  await stopAll()

  for (let n = 0; n < backups; n += 1) {
    const done = await ask(restoreArgs(`b${n}`, `r${n}`))
    expect(done.err).toBe('')
    const { latched, journal } = restoreOutput.parse(done.json())
    expect(journal?.last_seq).toBe(made[n])
    expect(latched.reason).toMatch(
      /^restored from a backup of \d{4}-\d\d-\d\d \d\d:\d\d UTC, up to event \d+$/,
    )
    const report = await verifyJournal(bench.path(`r${n}`, 'state', 'journal'))
    expect(report).toMatchObject({ problem: null, records: made[n] })
    const status = await fetch(`${await start(`r${n}`)}/guard/status`)
    const { kill } = statusSchema.parse(await status.json())
    expect(kill.latched).toBe(true)
    expect(kill.reason).toContain('restored from a backup')
    await stopAll()
  }

  const confirmed = ['--confirm', bench.account, '--home', bench.path('r0')]
  const released = await ask(['kill', 'release', '--reason', 'looked', ...confirmed], { env })
  expect(released).toMatchObject({ code: 0 })
  const status = await fetch(`${await start('r0')}/guard/status`)
  expect(statusSchema.parse(await status.json()).kill.latched).toBe(false)
}, 300_000)

test('a backup holds what a start needs, for its owner alone, and no passphrase', async () => {
  await guard(['kill', '--reason', 'enough', '--home', bench.path('home')], { env })
  writeFileSync(bench.path('home', 'phrase'), passphrase, { mode: 0o600 })
  const toml = bench.path('home', 'guard.toml')
  const text = readFileSync(toml, 'utf8')
  writeFileSync(toml, text.replace(/^\[key\]$/m, '[key]\npassphrase_file = "phrase"'))
  const done = await ask(['backup', bench.path('quiet'), '--home', bench.path('home'), '--json'])
  expect(done.err).toBe('')
  expect(backupOutput.parse(done.json()).left_out).toEqual([
    `${bench.path('home', 'phrase')}: a backup never holds the passphrase`,
  ])
  const files = readdirSync(bench.path('quiet'), { recursive: true, encoding: 'utf8' })
  expect(files).toContain(join('home', 'api-wallet.json'))
  expect(files).toContain(join('state', 'kill'))
  expect(files.filter((name) => /lock|index|address|phrase/.test(name))).toEqual([])
  for (const name of files) {
    const path = bench.path('quiet', name)
    const stat = statSync(path)
    expect([name, stat.mode & 0o777]).toEqual([name, stat.isDirectory() ? 0o700 : 0o600])
    if (!stat.isFile()) continue
    const content = readFileSync(path, 'latin1')
    expect(content).not.toContain(passphrase)
    expect(content).not.toContain(canaryKey.slice(2))
  }
  const { latched } = restoreOutput.parse((await ask(restoreArgs('quiet', 'again'))).json())
  expect(latched.reason).toContain('it was latched: enough')
})

test.each([
  ['a file changed', (path: string) => appendFileSync(join(path, 'home', 'guard.toml'), '#')],
  ['a file missing', (path: string) => rmSync(join(path, 'home', 'api-wallet.json'))],
  ['the list missing', (path: string) => rmSync(join(path, 'backup.json'))],
  [
    'a path that leads out',
    (path: string) => {
      const list = readFileSync(join(path, 'backup.json'), 'utf8')
      writeFileSync(join(path, 'backup.json'), list.replace('home/guard.toml', 'home/../../x'))
    },
  ],
])('a backup with %s is refused, and nothing is written', async (why, harm) => {
  const name = `harm-${why.replaceAll(' ', '-')}`
  const done = await ask(['backup', bench.path(name), '--home', bench.path('home')])
  expect(done.code).toBe(0)
  harm(bench.path(name))
  const refused = await ask(restoreArgs(name, `${name}-home`))
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('is no whole backup') })
  expect(statSync(bench.path(`${name}-home`), { throwIfNoEntry: false })).toBeUndefined()
})

test('a home that is in use is not restored over', async () => {
  const refused = await ask(restoreArgs('quiet', 'home'))
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('is not empty') })
})
