import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { Bench, canaryKey, passphrase } from '../../src/cli/cli.fixture.ts'
import { createDemoBot } from '../../lab/demo/demoBot.ts'
import { startFleet, until } from '../../src/fleet/fleet.fixture.ts'
import type { TestFleet } from '../../src/fleet/fleet.fixture.ts'
import { isPostgresThere } from '../../src/fleet/postgres.fixture.ts'
import { status as statusSchema } from '../../src/gateway/schema/status.ts'
import { doctorOutput, fleetKillOutput, journalStatsOutput } from './outputSchemas.fixture.ts'
import { built, buildTimeoutMs, guard, Started } from './program.fixture.ts'

let bench: Bench
let env: Record<string, string>
const running: Started[] = []

beforeAll(async () => {
  await built()
  bench = await Bench.open()
  env = { GUARD_KEY_PASSPHRASE: passphrase, HOME: bench.path('user') }
}, buildTimeoutMs + 60_000)
afterEach(async () => {
  for (const each of running.splice(0)) await each.stop()
})
afterAll(async () => {
  await bench.close()
})

/** A home of its own, whose Guard is a member of the fleet that the URL names. */
async function homeOf(name: string, url: string, mode = 0o600): Promise<void> {
  expect(await guard(bench.initArgs(name), { env })).toMatchObject({ code: 0 })
  bench.grantWeight(name)
  bench.secret(`${name}/fleet.url`, `${url}\n`, mode)
  appendFileSync(bench.path(name, 'guard.toml'), '\n[fleet]\nurl_file = "fleet.url"\n')
}

async function start(home: string): Promise<{ guard: Started; url: string }> {
  const args = ['run', '--home', bench.path(home), '--listen', '127.0.0.1:0', '--json']
  const started = new Started(args, { env })
  running.push(started)
  const [, url = ''] = await started.until(/"url":"(http:[^"]+)"/)
  await started.until(/bots are served/)
  return { guard: started, url }
}

const statusOf = async (url: string) =>
  statusSchema.parse(await (await fetch(`${url}/guard/status`)).json())
test.each([
  ['others may read', 'postgresql://me:hush@127.0.0.1:1/x', 0o640, 'others may read it'],
  ['is not encrypted', 'postgresql://me:hush@db.example/x', 0o600, 'sslmode=verify-full'],
  ['is none', 'hush', 0o600, 'must be one URL'],
])('a URL that %s is refused at the start, and not repeated', async (what, url, mode, words) => {
  const home = `odd-${what.replaceAll(' ', '-')}`
  await homeOf(home, url, mode)
  const told = await guard(['run', '--home', bench.path(home)], { env })
  expect(told.code).toBe(2)
  expect(told.err).toContain('fleet.url_file')
  expect(told.err).toContain(words)
  expect(told.err).not.toContain('hush')
})

test('a store that is away touches neither the start, nor a way out, nor the stop; nothing opens', async () => {
  await homeOf('alone', 'postgresql://me:hush@127.0.0.1:1/x')
  const { guard: started, url } = await start('alone')
  const bot = createDemoBot(url, readFileSync(bench.path('alone.client'), 'utf8').trim())
  // Whether a budget counts for it was never said.
  expect(await bot.marketBuy(1, '2500', '1')).toMatch(/fleet_unreachable/)
  expect((await statusOf(url)).entries).toMatchObject({ pass: false })
  await until(async () => (await statusOf(url)).alerts.some(({ code }) => code === 'fleet_store'))
  expect((await statusOf(url)).fleet).toMatchObject({ name: null, store: 'down', epoch: null })
  started.signal('SIGTERM')
  expect(await started.ended).toBe(0)
  expect(started.err + started.out).not.toContain('hush')
})

describe.skipIf(!isPostgresThere)('with a real store', () => {
  let fleet: TestFleet
  beforeAll(async () => {
    fleet = await startFleet(bench.account)
    bench.secret('owner.url', `${fleet.server.url()}\n`)
    await homeOf('desk', fleet.memberUrl)
  })
  afterAll(() => fleet.stop())

  function release(home: string): ReturnType<typeof guard> {
    const args = ['kill', 'release', '--home', bench.path(home), '--reason', 'checked']
    return guard([...args, '--confirm', bench.account], { env })
  }

  async function copiedOf(home: string): Promise<{ lastSeq: number; copied: number }> {
    const stats = await guard(['journal', 'stats', '--home', bench.path(home), '--json'], { env })
    const { events: lastSeq } = journalStatsOutput.parse(stats.json())
    return { lastSeq, copied: Number(await fleet.server.psql('select max(seq) from guard.events')) }
  }

  test('killed by the fleet, it latches, closes, acknowledges; released, only a newer kill latches it', async () => {
    await bench.reset()
    const first = await start('desk')
    await until(async () => (await statusOf(first.url)).entries.pass)
    const bot = createDemoBot(first.url, readFileSync(bench.path('desk.client'), 'utf8').trim())
    expect(await bot.marketBuy(1, '2500', '1')).toMatch(/^accepted/)
    await until(async () => (await statusOf(first.url)).positions.length === 1)
    const kill = ['fleet', 'kill', '--url-file', bench.path('owner.url'), '--scope', 'group:desk']
    const told = await guard([...kill, '--reason', 'enough', '--wait', '30s', '--json'], { env })
    expect(told).toMatchObject({ code: 0, err: '' })
    const { kill: raised, members } = fleetKillOutput.parse(told.json())
    expect(members).toMatchObject([{ name: 'desk-1', state: 'flat' }])
    const reason = `enough (fleet epoch ${raised.epoch})`
    const latched = await statusOf(first.url)
    expect(latched.kill).toMatchObject({ latched: true, durable: true, reason })
    expect(latched.positions).toEqual([])
    expect(latched.fleet).toMatchObject({ name: 'desk-1', group: 'desk', epoch: raised.epoch })
    expect(existsSync(bench.path('desk', 'state', 'kill'))).toBe(true)
    const doctor = await guard(['doctor', '--home', bench.path('desk'), '--json'], { env })
    const { findings } = doctorOutput.parse(doctor.json())
    expect(findings.find(({ name }) => name === 'fleet')).toMatchObject({ state: 'ok' })
    await first.guard.stop()
    const { lastSeq, copied } = await copiedOf('desk')
    // All but what it wrote while it stopped.
    expect(copied).toBeGreaterThan(3)
    expect(lastSeq - copied).toBeLessThanOrEqual(3)

    expect(await release('desk')).toMatchObject({ code: 0 })
    const second = await start('desk')
    await until(async () => (await statusOf(second.url)).fleet?.store === 'up')
    // By then it has heard of the kill that it obeyed before.
    await fleet.askedTwice()
    const released = await statusOf(second.url)
    expect(released.kill.latched).toBe(false)
    expect(released.fleet?.epoch).toBe(raised.epoch)

    const newer = await fleet.kill('fleet', 'again')
    await until(async () => (await statusOf(second.url)).kill.latched)
    expect((await statusOf(second.url)).kill.reason).toBe(`again (fleet epoch ${newer})`)
    await second.guard.stop()

    const unheard = [...kill, '--reason', 'nobody hears', '--wait', '1s', '--json']
    const silent = fleetKillOutput.parse((await guard(unheard, { env })).json())
    // It was heard when it stopped, a moment ago.
    expect(silent.members).toMatchObject([{ state: 'not_yet', latched_ms: null }])

    // Still latched at the next start; and a kill that comes while it is latched is heard, too.
    const third = await start('desk')
    expect((await statusOf(third.url)).kill.reason).toBe(`again (fleet epoch ${newer})`)
    await until(async () => (await statusOf(third.url)).fleet?.epoch === silent.kill.epoch)
    const more = await fleet.kill('fleet', 'and again')
    await until(async () => (await statusOf(third.url)).fleet?.epoch === more)
    expect((await statusOf(third.url)).kill.reason).toBe(`again (fleet epoch ${newer})`)
    await until(async () => (await statusOf(third.url)).fleet?.outbox_lag === 0)
    expect(await fleet.server.psql("select count(*) from guard.events where kind = 'kill'")).toBe(
      '4',
    )
    // No key is anywhere in it, nor a token or a passphrase.
    const all = await fleet.server.psql('select body from guard.events')
    expect(all).not.toContain(canaryKey.slice(2))
    expect(all).not.toContain(passphrase)
  })

  test('a limit of the fleet bounds its entries, and what it uses is told', async () => {
    await bench.reset()
    await fleet.server.psql('select guard.clear_kill(scope) from guard.control')
    await homeOf('limited', fleet.memberUrl)
    const url = ['--url-file', bench.path('owner.url')]
    const limit = ['fleet', 'limit', ...url, '--scope', 'fleet', '--kind', 'gross_value']
    expect(await guard([...limit, '--usd', '300'], { env })).toMatchObject({ code: 0, err: '' })
    // Another home than the last one's, which was latched: so is this one, until a person releases it.
    const latched = await start('limited')
    await until(async () => (await statusOf(latched.url)).kill.latched)
    const { reason } = (await statusOf(latched.url)).kill
    expect(reason).toMatch(/the Guard that acted before, at .*: again/)
    const heeded = 'select left_known is null from guard.writers'
    await until(async () => (await fleet.server.psql(heeded)) === 't')
    await latched.guard.stop()
    expect(await release('limited')).toMatchObject({ code: 0 })
    const run = await start('limited')
    await until(async () => (await statusOf(run.url)).entries.pass)
    expect((await statusOf(run.url)).fleet?.lease?.parts[0]?.held).toBe('300')
    const bot = createDemoBot(run.url, readFileSync(bench.path('limited.client'), 'utf8').trim())
    expect(await bot.marketBuy(1, '2500', '1')).toMatch(/^accepted/)
    await until(async () => (await statusOf(run.url)).positions.length === 1)
    const { positions } = await statusOf(run.url)
    expect(Number(positions[0]?.value)).toBeLessThan(301)
    expect(await bot.marketBuy(1, '2500', '1')).toMatch(/fleet_limit/)
    const listed = await guard(['fleet', 'limit', ...url], { env })
    expect(listed.out).toContain('gross_value of fleet: limit $300.00')
    const screen = await guard(['status', '--home', bench.path('limited')], { env })
    expect(screen.out).toContain('gross_value of fleet')
    // What it has open stays counted while it does not run.
    await until(
      async () => (await fleet.server.psql('select used_usd > 0 from guard.leases')) === 't',
    )
    await run.guard.stop()
    expect(await fleet.server.psql('select held_usd = used_usd from guard.leases')).toBe('t')
  })

  test('one that finds another Guard acting for its account ends, and says so', async () => {
    const run = await start('limited')
    await until(async () => (await statusOf(run.url)).fleet?.writer?.held === true)
    await fleet.server.psql("update guard.writers set epoch = epoch + 1, run = 'x', host = 'there'")
    expect(await run.guard.ended).toBe(1)
    expect(run.guard.err + run.guard.out).toContain(
      'Guard stopped by itself: another Guard acts for this account (at there, writer epoch',
    )
  })
})
