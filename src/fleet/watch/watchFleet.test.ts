import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createDoor } from '../../gateway/http/door.ts'
import { Registry } from '../../gateway/metrics/registry.ts'
import type { FleetState } from '../../monitor/fleetState.ts'
import { systemTimers } from '../../system/systemTimers.ts'
import {
  account,
  clock,
  emptyJournal,
  LatchedGuard,
  memberOf,
  startFleet,
  until,
} from '../fleet.fixture.ts'
import type { TestFleet } from '../fleet.fixture.ts'
import { fleetAdmin } from '../fleetProgram.ts'
import { isPostgresThere } from '../postgres.fixture.ts'
import type { AlertChange } from './fleetAlerts.ts'
import { fleetMetrics } from './fleetMetrics.ts'
import { fleetOf } from './fleetState.fixture.ts'
import { openWatchServer } from './watchServer.ts'
import type { WatchedFleet } from './watchFleet.ts'

const pages = mkdtempSync(join(tmpdir(), 'watch-'))
for (const file of ['fleet.html', 'fleet.js', 'fleet.css', 'icon.svg']) {
  writeFileSync(join(pages, file), file)
}
afterAll(() => {
  rmSync(pages, { recursive: true, force: true })
})
const here = { host: '127.0.0.1', port: 0, exposed: null }

describe('who may read', () => {
  test('only this machine, only by its own names, and nobody writes', async () => {
    const server = await openWatchServer({
      ...{ host: '127.0.0.1', port: 0, door: createDoor(here), assets: new Map() },
      ...{ state: () => fleetOf(3), metrics: fleetMetrics(new Registry()) },
    })
    const asked = (method: string, path: string, headers: Record<string, string> = {}) =>
      new Promise<number>((resolve_, reject) => {
        const sent = request(`${server.url}${path}`, { method, headers }, (answer) => {
          answer.resume()
          resolve_(answer.statusCode ?? 0)
        })
        sent.on('error', reject)
        sent.end(method === 'POST' ? '{"kill":true}' : undefined)
      })
    expect(await asked('GET', '/fleet/state')).toBe(200)
    expect(await asked('GET', '/healthz')).toBe(200)
    expect(await asked('GET', '/fleet/state?x=1')).toBe(200)
    expect(await asked('GET', '/fleet/state', { host: 'evil.example' })).toBe(403)
    expect(await asked('GET', '/fleet/state', { origin: 'http://evil.example' })).toBe(403)
    expect(await asked('GET', '/metrics', { 'sec-fetch-site': 'cross-site' })).toBe(403)
    expect(await asked('POST', '/fleet/state')).toBe(405)
    expect(await asked('DELETE', '/fleet/state')).toBe(405)
    expect(await asked('GET', '/../etc/passwd')).toBe(404)
    await server.close()
  })

  test('beyond this machine only with the token', async () => {
    const token = 'a-token-of-some-length'
    const words = 'other machines may reach Guard'
    const door = createDoor({ ...here, exposed: { words, hosts: ['fleet.example'], token } })
    const server = await openWatchServer({
      ...{ host: '127.0.0.1', port: 0, door, assets: new Map() },
      ...{ state: () => fleetOf(1), metrics: fleetMetrics(new Registry()) },
    })
    const status = async (headers: Record<string, string>): Promise<number> =>
      (await fetch(`${server.url}/fleet/state`, { headers })).status
    expect(await status({})).toBe(401)
    expect(await status({ authorization: `Bearer ${token}` })).toBe(200)
    await server.close()
  })
})

test('the metrics are those that docs/fleet.md names, and no label can break a line', () => {
  const registry = new Registry()
  const text = fleetMetrics(registry)(fleetOf(10))
  const page = readFileSync(resolve(import.meta.dirname, '../../../docs/fleet.md'), 'utf8')
  for (const { name } of registry.list()) expect(page).toContain(`\`${name}`)
  expect(text).toContain('guard_fleet_members{state="active"} 10')
  expect(text).toContain('guard_fleet_member_equity_usd{name="account-007"')
  for (const line of text.trim().split('\n')) {
    expect(line).toMatch(/^(# (HELP|TYPE) .*|[a-z_]+(\{.*\})? [-+.0-9eInf]+)$/)
  }
})

describe.skipIf(!isPostgresThere)('with a real store', () => {
  let fleet: TestFleet
  const closes: (() => unknown)[] = []
  beforeAll(async () => {
    fleet = await startFleet()
    await fleet.server.psql(
      "create role watcher login password 'pw'; grant guard_monitor to watcher",
    )
    await fleet.server.psql("create role op login password 'pw'; grant guard_operator to op")
  })
  afterEach(async () => {
    for (const close of closes.splice(0)) await close()
  })
  afterAll(() => fleet.stop())

  const changes: AlertChange[] = []
  const raisedStops: unknown[] = []
  async function watched(stops: { scope: string; usd: string }[] = []): Promise<WatchedFleet> {
    const store = fleetAdmin(fleet.server.urlOf('watcher', 'pw'), systemTimers)
    if (!store.ok) throw new Error(store.error)
    const opened = await store.value.watch(
      {
        ...{ host: '127.0.0.1', port: 0, door: createDoor(here), registry: new Registry() },
        ...{ pageDirectory: pages, version: '1.0', clock, timers: systemTimers },
        ...{ lossStops: stops, onAlert: (change) => changes.push(change) },
        onRaised: (stop) => raisedStops.push(stop),
      },
      stops.length === 0 ? null : fleet.server.urlOf('op', 'pw'),
    )
    if (!opened.ok) throw new Error(opened.error)
    closes.push(() => opened.value.close())
    return opened.value
  }
  const stateOf = async ({ url }: WatchedFleet): Promise<FleetState> =>
    (await (await fetch(`${url}/fleet/state`)).json()) as FleetState

  function joined(): LatchedGuard {
    const guard = new LatchedGuard()
    const member = memberOf(fleet.memberUrl)
    member.attach({ guard, clock, journal: emptyJournal })
    closes.push(() => {
      member.stop()
    })
    return guard
  }

  test('who never joined is no alert; who joins is seen with its figures', async () => {
    const watching = await watched()
    expect(await stateOf(watching)).toMatchObject({
      ...{ store: { state: 'up' }, members: [{ name: 'desk-1', state: 'unseen' }], alerts: [] },
    })
    joined()
    await until(async () => (await stateOf(watching)).members[0]?.state === 'active')
    const { members, totals } = await stateOf(watching)
    expect(members).toMatchObject([{ account, summary: { equity: '10000.5', positions: 1 } }])
    expect(totals).toMatchObject([{ mode: 'testnet', equity: '10000.5', loss_today: '99.5' }])
    const metrics = await (await fetch(`${watching.url}/metrics`)).text()
    expect(metrics).toContain('guard_fleet_member_equity_usd{name="desk-1"')
    expect(metrics).toContain('guard_fleet_store_up 1')
    expect(await (await fetch(`${watching.url}/`)).text()).toBe('fleet.html')
  })

  test('who would take over stands beside its account', async () => {
    const watching = await watched()
    const follow = `select guard.follow('testnet', '${account}', 'two', 'there', '1', 'nothing was left')`
    await fleet.server.psqlAs(fleet.memberUrl, follow)
    const standby = { heard: 1, host: 'there', note: 'nothing was left' }
    await until(async () => (await stateOf(watching)).members[0]?.standby !== null)
    expect((await stateOf(watching)).members).toMatchObject([{ standby }])
    const metrics = await (await fetch(`${watching.url}/metrics`)).text()
    const labels = '{name="desk-1",network="testnet",group="desk"}'
    expect(metrics).toContain('guard_fleet_standbys 1\n')
    expect(metrics).toContain(`guard_fleet_member_standby_latches${labels} 1\n`)
    expect(metrics).toMatch(/guard_fleet_member_standby_unheard_seconds\{name="desk-1".*\} \d/)
  })

  test('a kill, who has latched, and who is flat', async () => {
    const guard = joined()
    const watching = await watched()
    const epoch = await fleet.kill('group:desk', 'drill')
    const under = async (): Promise<string | undefined> =>
      (await stateOf(watching)).kills[0]?.members[0]?.state
    await until(async () => (await under()) === 'latched')
    guard.isFlat = true
    await until(async () => (await under()) === 'flat')
    expect((await stateOf(watching)).kills).toMatchObject([
      { scope: 'group:desk', epoch, state: 'killed', reason: 'drill' },
    ])
    await fleet.server.psql("select guard.clear_kill('group:desk')")
  })

  test('the last decisions over all, and only what is new of them', async () => {
    const insert = (seq: number): Promise<string> => {
      const body = `{"verdict":"veto","code":"flip","text":"no <b>${seq}</b>","action":"order"}`
      return fleet.server.psql(
        `select guard.make_month(date_trunc('month', now())::date); insert into guard.events select id, 0, ${seq}, now(), date_trunc('month', now())::date, 'decision', '${body}', repeat('a', 64) from guard.guards where name = 'desk-1'; insert into guard.streams select id, 0, ${seq}, repeat('a', 64) from guard.guards where name = 'desk-1' on conflict (guard_id, writer_epoch) do update set last_seq = ${seq}`,
      )
    }
    for (let seq = 1; seq <= 30; seq += 1) await insert(seq)
    const watching = await watched()
    const first = (await stateOf(watching)).decisions
    expect(first).toHaveLength(20)
    expect(first[0]).toMatchObject({
      name: 'desk-1',
      seq: 30,
      verdict: 'veto',
      text: 'no <b>30</b>',
    })
    await insert(31)
    await until(async () => (await stateOf(watching)).decisions[0]?.seq === 31)
    expect((await stateOf(watching)).decisions).toHaveLength(21)
  })

  test('what is used of a shared limit is what was reported, also where it is more', async () => {
    await fleet.server.psql(
      "select guard.set_limit('fleet', 'open_risk', 5900); update guard.budgets set leased = 5900; insert into guard.leases (guard_id, scope, kind, held_usd, used_usd, reported_usd, spare_until) select id, 'fleet', 'open_risk', 5900, 5900, 6774, now() from guard.guards",
    )
    const watching = await watched()
    const { budgets, alerts } = await stateOf(watching)
    expect(budgets).toMatchObject([{ limit_usd: '5900', leased_usd: '5900', used_usd: '6774' }])
    expect(alerts.map(({ code }) => code)).toContain('budget_exceeded')
    await fleet.server.psql("select guard.remove_limit('fleet', 'open_risk')")
  })

  test('who is silent is an alert, by the store’s clock', async () => {
    await fleet.server.psql("update guard.guards set last_seen = now() - interval '29 seconds'")
    const watching = await watched()
    expect((await stateOf(watching)).alerts).toEqual([])
    await fleet.server.psql("update guard.guards set last_seen = now() - interval '31 seconds'")
    await until(async () => (await stateOf(watching)).alerts.length === 1)
    expect((await stateOf(watching)).alerts).toMatchObject([
      { code: 'member_silent', member: 'desk-1' },
    ])
    expect(changes.at(-1)).toMatchObject({ phase: 'began', alert: { code: 'member_silent' } })
  })

  test('a loss of the day kills its scope, once', async () => {
    joined()
    const today = "jsonb_build_object('day', to_char(now() at time zone 'UTC', 'YYYY-MM-DD'))"
    const told = (): Promise<string> =>
      fleet.server.psql(`update guard.reports set body = body || ${today}`)
    await watched([{ scope: 'group:desk', usd: '99.5' }])
    const raised = "select epoch, by, reason from guard.control where reason like 'loss%'"
    await until(async () => {
      await told()
      return (await fleet.server.psql(raised)) !== ''
    })
    const [epoch, by, reason] = (await fleet.server.psql(raised)).split('|')
    expect([by, reason]).toEqual(['op', 'loss of the day 99.5 USD in group:desk, stop 99.5'])
    await until(() => raisedStops.length > 0)
    expect(raisedStops).toEqual([{ scope: 'group:desk', epoch: Number(epoch), reason }])
    await fleet.server.psql("select guard.clear_kill('group:desk')")
    const again = await watched([{ scope: 'group:desk', usd: '1' }])
    await told()
    const seen = (await stateOf(again)).heard_ms ?? 0
    await until(async () => ((await stateOf(again)).heard_ms ?? 0) > seen)
    expect((await fleet.server.psql(raised)).split('|')[0]).toBe(epoch)
    expect(raisedStops).toHaveLength(1)
  })

  test('the store goes down: the last picture stays, with since when; it comes back', async () => {
    const watching = await watched()
    const before = await stateOf(watching)
    await fleet.server.kill()
    await until(async () => (await stateOf(watching)).store.state === 'down')
    const after = await stateOf(watching)
    expect(after.members.map(({ name }) => name)).toEqual(before.members.map(({ name }) => name))
    expect(after.store.since_ms).toBeGreaterThanOrEqual(before.now_ms)
    expect(after.store.error).not.toBe(null)
    expect(await (await fetch(`${watching.url}/healthz`)).json()).toEqual({
      ok: true,
      store: 'down',
    })
    await fleet.server.start()
    await until(async () => (await stateOf(watching)).store.state === 'up')
  })
})
