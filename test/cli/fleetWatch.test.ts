import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { say, startService } from '../../src/alerts/alerts.fixture.ts'
import {
  account,
  clock,
  emptyJournal,
  LatchedGuard,
  memberOf,
  startFleet,
  until,
} from '../../src/fleet/fleet.fixture.ts'
import type { TestFleet } from '../../src/fleet/fleet.fixture.ts'
import { isPostgresThere } from '../../src/fleet/postgres.fixture.ts'
import { built, buildTimeoutMs, guard, Started } from './program.fixture.ts'

describe.skipIf(!isPostgresThere)('guard fleet watch', () => {
  let fleet: TestFleet
  let watcher: Started | null = null
  const folder = mkdtempSync(join(tmpdir(), 'guard-fleet-watch-'))
  const file = join(folder, 'monitor.url')
  beforeAll(async () => {
    await built()
    fleet = await startFleet()
    await fleet.server.psql("create role eyes login password 'pw'; grant guard_monitor to eyes")
    writeFileSync(file, `${fleet.server.urlOf('eyes', 'pw')}\n`, { mode: 0o600 })
  }, buildTimeoutMs + 60_000)
  afterEach(async () => {
    await watcher?.stop()
  })
  afterAll(async () => {
    await fleet.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  const where = ['--url-file', file, '--listen', '127.0.0.1:0']

  test('tells who is silent on its console and through the channels of its home', async () => {
    const ntfy = await startService((_request, response) => say(response, 200, { ok: true }))
    const home = join(folder, 'home')
    mkdirSync(home)
    const alerts = `[alerts.ntfy]\ntopic = "guard"\nbase_url = "${ntfy.url}"\n`
    writeFileSync(join(home, 'guard.toml'), `mode = "paper"\naccount = "${account}"\n${alerts}`)
    await fleet.server.psql("update guard.guards set last_seen = now() - interval '1 hour'")
    watcher = new Started(['fleet', 'watch', ...where, '--home', home])
    const [url = ''] = await watcher.until(/http:\/\/127\.0\.0\.1:\d+/)
    expect((await fetch(url)).headers.get('content-security-policy')).toContain(
      "default-src 'none'",
    )
    await watcher.until(/ALERT desk-1 is silent/)
    await until(() => ntfy.received.length === 1)
    expect(JSON.stringify(ntfy.received[0]?.json)).toContain('Guard fleet: member silent')
    await fleet.server.psql('update guard.guards set last_seen = now()')
    await watcher.until(/over {2}desk-1/)
    await until(() => ntfy.received.length === 2)
    watcher.signal('SIGTERM')
    expect(await watcher.ended).toBe(0)
    expect(watcher.out + watcher.err).not.toContain('pw@')
  })

  test('a loss stop that it raises has a line of its own', async () => {
    await fleet.server.psql("create role op login password 'pw'; grant guard_operator to op")
    const operator = join(folder, 'operator.url')
    writeFileSync(operator, fleet.server.urlOf('op', 'pw'), { mode: 0o600 })
    const member = memberOf(fleet.memberUrl)
    member.attach({ guard: new LatchedGuard(), clock, journal: emptyJournal })
    await until(async () => (await fleet.server.psql('select count(*) from guard.reports')) === '1')
    await member.stop()
    const today = "jsonb_build_object('day', to_char(now() at time zone 'UTC', 'YYYY-MM-DD'))"
    await fleet.server.psql(`update guard.reports set body = body || ${today}`)
    const stop = ['--loss-stop', 'fleet=5', '--operator-url-file', operator]
    watcher = new Started(['fleet', 'watch', ...where, ...stop])
    await watcher.until(
      /KILL {2}raised for fleet, epoch \d+: loss of the day 99.5 USD in fleet, stop 5/,
    )
  })

  test('begins while the store is away, and says so', async () => {
    const nobody = join(folder, 'nobody.url')
    writeFileSync(nobody, 'postgresql://me:hush@127.0.0.1:1/x\n', { mode: 0o600 })
    const args = ['fleet', 'watch', '--url-file', nobody, '--listen', '127.0.0.1:0']
    watcher = new Started(args)
    const [url = ''] = await watcher.until(/http:\/\/127\.0\.0\.1:\d+/)
    const state = await (await fetch(`${url}/fleet/state`)).json()
    expect(state).toMatchObject({ store: { state: 'down' }, at_ms: null, members: [] })
    expect(JSON.stringify(state)).not.toContain('hush')
  })

  test('an address that is taken is said', async () => {
    watcher = new Started(['fleet', 'watch', ...where])
    const [, taken = ''] = await watcher.until(/http:\/\/(127\.0\.0\.1:\d+)/)
    const told = await guard(['fleet', 'watch', '--url-file', file, '--listen', taken])
    expect([told.code, told.err]).toEqual([1, expect.stringContaining(`${taken} is taken`)])
  })
})
