import { createHash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../src/fleet/fleet.fixture.ts'
import { isPostgresThere } from '../../src/fleet/postgres.fixture.ts'
import { claimOnHost } from '../../src/system/hostClaim.ts'
import { TwoHosts } from '../takeovers/twoHosts.ts'
import type { HomeName, Running } from '../takeovers/twoHosts.ts'
import { doctorOutput } from './outputSchemas.fixture.ts'
import { built, buildTimeoutMs, guard } from './program.fixture.ts'

describe.skipIf(!isPostgresThere)('a standby, by real processes and a real store', () => {
  let hosts: TwoHosts
  const running: Running[] = []
  beforeAll(async () => {
    await built()
    hosts = await TwoHosts.open()
  }, buildTimeoutMs + 60_000)
  afterEach(async () => {
    for (const { run } of running.splice(0)) {
      run.signal('SIGKILL')
      await run.ended
    }
    await hosts.skip('20 seconds')
  })
  afterAll(() => hosts.close())

  async function start(home: HomeName, ...more: string[]): Promise<Running> {
    const started = await hosts.start(home, ...more)
    running.push(started)
    return started
  }
  const buy = (of: Running, size: string): Promise<unknown> =>
    hosts.botOf(of).order({
      orders: [{ a: 1, b: true, p: '2500', s: size, r: false, t: { limit: { tif: 'Ioc' } } }],
      grouping: 'na',
    })

  test('the first is killed: the standby takes over once nothing that was signed can happen, covers what is bare, and serves', async () => {
    const first = await start('first')
    await hosts.opens(first)
    await hosts.handedOver()
    const second = await start('second', '--standby')
    await hosts.standsBy(second)
    const waiting = await hosts.statusOf(second.url)
    expect(waiting.mode).toBe('testnet')
    expect(waiting.fleet?.writer).toMatchObject({ state: 'standby', held: false, epoch: 1 })
    expect(waiting.entries).toMatchObject({ pass: false })
    expect(await hosts.isReady(second)).toBe(false)
    await expect(buy(second, '0.1')).rejects.toThrow(/fleet_unreachable.*this Guard is a standby/)
    const doctor = ['doctor', '--home', hosts.bench.path('first'), '--json']
    const examined = await guard(doctor, { env: hosts.envOf('first') })
    const { findings } = doctorOutput.parse(examined.json())
    expect(findings.find(({ name }) => name === 'standby')).toMatchObject({ state: 'ok' })

    await buy(first, '0.1')
    await until(async () => (await hosts.statusOf(first.url)).positions[0]?.covered === true)
    const killedAt = Date.now()
    first.run.signal('SIGKILL')
    await first.run.ended
    await hosts.skip('10 seconds')
    // Its stops are gone while nobody watches.
    await hosts.takeStops()
    await until(() => hosts.isReady(second))
    // The rest of the lease, eight seconds at least, and seven more. How soon: `npm run takeovers` tells.
    expect(Date.now() - killedAt + 10_000).toBeGreaterThan(14_000)
    await hosts.opens(second)
    await until(async () => (await hosts.statusOf(second.url)).positions[0]?.covered === true)
    const served = await hosts.statusOf(second.url)
    expect(served.kill.latched).toBe(false)
    expect(served.positions).toMatchObject([{ coin: 'ETH', size: '0.1', covered: true }])
    expect(served.fleet?.writer).toMatchObject({ state: 'held', epoch: 2 })
    expect(await hosts.resting()).toHaveLength(1)

    // As late as a clock that is ahead could have signed it for the first.
    const early = hosts.botOf(second, () => killedAt + 3_000)
    const close = { a: 1, b: false, p: '2400', s: '0.1', r: true } as const
    const asked = early.order({
      orders: [{ ...close, t: { limit: { tif: 'Ioc' } } }],
      grouping: 'na',
    })
    await expect(asked).rejects.toThrow(/auth_nonce_too_old.*before this Guard took over/)
    await buy(second, '0.05')
    expect(await hosts.sentTwice()).toEqual([])
    await until(async () => (await hosts.statusOf(second.url)).fleet?.outbox_lag === 0)
    expect(await hosts.areNumbersOnce()).toBe(true)
    const chains = "select string_agg(distinct writer_epoch::text, ',') from guard.events"
    expect(await hosts.fleet.server.psql(chains)).toBe('0,2')
  }, 60_000)

  test('a latch is carried over, and the one that was frozen ends when it comes back', async () => {
    // By now the second home acted last; the first one stands by for it.
    const second = await start('second')
    await hosts.opens(second)
    await hosts.handedOver()
    const first = await start('first', '--standby')
    await hosts.standsBy(first)
    const kill = ['kill', '--home', hosts.bench.path('second'), '--reason', 'the feed is wrong']
    expect(await guard(kill, { env: hosts.envOf('second') })).toMatchObject({ code: 0 })
    const told = "select word -> 'latch' ->> 'reason' from guard.writers"
    const { server } = hosts.fleet
    await until(async () => (await server.psql(told)).includes('the feed is wrong'))
    second.run.signal('SIGSTOP')
    await hosts.skip('17 seconds')
    await hosts.acts(first)
    const latched = await hosts.statusOf(first.url)
    expect(latched.kill).toMatchObject({ latched: true, durable: true })
    expect(latched.kill.reason).toContain('the feed is wrong')
    expect(latched.risk.day_start_equity).toBe('10000')
    second.run.signal('SIGCONT')
    expect(await second.run.ended).toBe(1)
    expect(second.run.err).toContain('another Guard acts for this account (at ')
  }, 60_000)

  test('on the machine of the first it is refused; one that comes there later is waited for', async () => {
    const second = await start('second')
    await hosts.acts(second)
    const where = ['--home', hosts.bench.path('second'), '--listen', '127.0.0.1:0']
    const told = await guard(['run', ...where, '--standby'], { env: hosts.envOf('second') })
    expect(told.code).toBe(2)
    expect(told.err).toContain('is on this machine')
    expect(told.err).toContain('a standby runs on another host')
    await hosts.handedOver()
    const first = await start('first', '--standby')
    await hosts.standsBy(first)
    // As a Guard that was started beside the standby, and is cut off from the store.
    const { port } = new URL(hosts.bench.simulator.url)
    const place = `this machine:${port}\n${hosts.bench.account}`
    const name = createHash('sha256').update(place).digest('hex').slice(0, 32)
    const claim = await claimOnHost(name, { pid: 1, home: 'elsewhere' })
    if (claim.kind !== 'held') throw new Error('the name is taken')
    second.run.signal('SIGKILL')
    await second.run.ended
    await hosts.skip('20 seconds')
    await first.run.until(/this one goes on standing by/)
    expect((await hosts.statusOf(first.url)).fleet?.writer).toMatchObject({ state: 'standby' })
    claim.release()
    await hosts.acts(first)
  }, 60_000)

  test('with looser rules none stands by', async () => {
    const first = await start('first')
    await hosts.acts(first)
    // What the other one is compared with.
    await hosts.handedOver()
    hosts.edit('second', '[rules] ', '[rules]\ndaily_loss_stop = "0.12"\n')
    const where = ['--home', hosts.bench.path('second'), '--listen', '127.0.0.1:0']
    const told = await guard(['run', ...where, '--standby'], { env: hosts.envOf('second') })
    expect(told.code).toBe(2)
    expect(told.err).toContain('cannot stand in for the one that acts for the account')
    expect(told.err).toContain('[rules] is looser here: daily_loss_stop')
  }, 60_000)
})
