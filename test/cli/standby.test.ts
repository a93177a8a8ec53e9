import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { ExchangeClient, HttpTransport } from '@nktkas/hyperliquid'
import { privateKeyToAccount } from 'viem/accounts'
import { Bench, markets, passphrase } from '../../src/cli/cli.fixture.ts'
import { createDemoBot } from '../../lab/demo/demoBot.ts'
import type { DemoBot } from '../../lab/demo/demoBot.ts'
import { startFleet, until } from '../../src/fleet/fleet.fixture.ts'
import type { TestFleet } from '../../src/fleet/fleet.fixture.ts'
import { isPostgresThere } from '../../src/fleet/postgres.fixture.ts'
import { status as statusSchema } from '../../src/gateway/schema/status.ts'
import { doctorOutput } from './outputSchemas.fixture.ts'
import { built, buildTimeoutMs, guard, Started } from './program.fixture.ts'

const secondKey = `0x${'5eed'.repeat(16)}`
const secondWallet = privateKeyToAccount(secondKey as `0x${string}`).address.toLowerCase()

describe.skipIf(!isPostgresThere)('a standby, by real processes and a real store', () => {
  let bench: Bench
  let fleet: TestFleet
  const running: Started[] = []

  beforeAll(async () => {
    await built()
    bench = await Bench.open()
    bench.secret('second.key', `${secondKey}\n`)
    fleet = await startFleet(bench.account)
    const accounts = [
      { address: bench.account, equity: '10000', agents: [bench.wallet, secondWallet] },
    ]
    await bench.control.reset({ frozen: true, markets, accounts })
    await homeOf('first')
    await homeOf('second', 'second.key')
  }, buildTimeoutMs + 60_000)
  afterEach(async () => {
    for (const each of running.splice(0)) {
      each.signal('SIGKILL')
      await each.ended
    }
    await skip('20 seconds')
  })
  afterAll(async () => {
    await fleet.stop()
    await bench.close()
  })

  const envOf = (home: string): Record<string, string> => ({
    ...{ GUARD_KEY_PASSPHRASE: passphrase, HOME: bench.path(`user-${home}`) },
  })

  function edit(home: string, from: string, to: string): void {
    const file = bench.path(home, 'guard.toml')
    const text = readFileSync(file, 'utf8')
    const changed = text.replace(from, to)
    if (changed === text) throw new Error(`${file} has no ${from}`)
    writeFileSync(file, changed)
  }

  async function homeOf(name: string, key = 'wallet.key'): Promise<void> {
    const args = bench.initArgs(name)
    args[args.indexOf(bench.path('wallet.key'))] = bench.path(key)
    expect(await guard(args, { env: envOf(name) })).toMatchObject({ code: 0 })
    bench.grantWeight(name)
    // What two hosts have for themselves: their claims, and their ledger.
    if (name === 'second') edit(name, '//127.0.0.1:', '//localhost:')
    bench.secret(`${name}/fleet.url`, `${fleet.memberUrl}\n`)
    appendFileSync(bench.path(name, 'guard.toml'), '\n[fleet]\nurl_file = "fleet.url"\n')
  }

  async function start(home: string, ...more: string[]): Promise<{ run: Started; url: string }> {
    const args = ['run', '--home', bench.path(home), '--listen', '127.0.0.1:0', '--json', ...more]
    const run = new Started(args, { env: envOf(home) })
    running.push(run)
    const [, url = ''] = await run.until(/"url":"(http:[^"]+)"/)
    return { run, url }
  }

  const statusOf = async (url: string) =>
    statusSchema.parse(await (await fetch(`${url}/guard/status`)).json())
  const keyOf = (home: string): string => readFileSync(bench.path(`${home}.client`), 'utf8').trim()
  const botOf = (home: string, url: string): DemoBot => createDemoBot(url, keyOf(home))
  const opens = (url: string): Promise<void> =>
    until(async () => (await statusOf(url)).entries.pass)
  /** Between standing by and acting nobody listens for a moment. */
  const acts = (url: string): Promise<void> =>
    until(async () => (await statusOf(url).catch(() => null))?.fleet?.writer?.held === true)
  const ready = async (url: string): Promise<boolean> =>
    (await fetch(`${url}/readyz`).catch(() => null))?.status === 200
  /** The store's time of the lease goes on by so much; its trigger does not take that for a contact. */
  const skip = (by: string): Promise<string> =>
    fleet.server.psql(
      `alter table guard.writers disable trigger note_contact; update guard.writers set until = until - interval '${by}'; alter table guard.writers enable trigger note_contact`,
    )
  const handedOver = (): Promise<void> =>
    until(
      async () =>
        (await fleet.server.psql(
          'select h.epoch = w.epoch from guard.handovers h join guard.writers w using (guard_id)',
        )) === 't',
    )

  /** Every action the venue was sent, and what rests there. */
  const venue = async (path: string): Promise<unknown> =>
    await (await fetch(`${bench.simulator.url}/sim/${path}`)).json()
  const resting = async () =>
    ((await venue(`state?user=${bench.account}`)) as { openOrders: { oid: number }[] }).openOrders

  async function sentTwice(): Promise<readonly string[]> {
    const log = (await venue('log?since=0')) as {
      signer: string
      nonce: number
      action: { type: string; orders?: { c?: string }[] }
    }[]
    const names = log.flatMap(({ signer, nonce, action }) => [
      `${signer} ${nonce}`,
      ...(action.orders ?? []).flatMap(({ c }) => (c === undefined ? [] : [c])),
    ])
    return names.filter((name, at) => names.indexOf(name) !== at)
  }

  test('the first is killed: the standby takes over within 20 s, covers what is bare, and serves', async () => {
    const first = await start('first')
    await opens(first.url)
    await handedOver()
    const second = await start('second', '--standby')
    await until(async () => (await statusOf(second.url)).fleet?.store === 'up')
    const waiting = await statusOf(second.url)
    expect(waiting.mode).toBe('testnet')
    expect(waiting.fleet?.writer).toMatchObject({ state: 'standby', held: false, epoch: 1 })
    expect(waiting.entries).toMatchObject({ pass: false })
    expect(await ready(second.url)).toBe(false)
    expect(await botOf('second', second.url).marketBuy(1, '2500', '0.1')).toMatch(
      /fleet_unreachable.*this Guard is a standby/,
    )
    const env = envOf('first')
    const doctor = await guard(['doctor', '--home', bench.path('first'), '--json'], { env })
    const { findings } = doctorOutput.parse(doctor.json())
    expect(findings.find(({ name }) => name === 'standby')).toMatchObject({ state: 'ok' })

    expect(await botOf('first', first.url).marketBuy(1, '2500', '0.1')).toMatch(/^accepted/)
    await until(async () => (await statusOf(first.url)).positions[0]?.covered === true)
    const killedAt = Date.now()
    first.run.signal('SIGKILL')
    await first.run.ended
    // Its stops are gone while nobody watches.
    await skip('10 seconds')
    const cancels = (await resting()).map(({ oid }) => ({ a: 1, o: oid }))
    await bench.control.act(bench.account, { type: 'cancel', cancels })
    await until(() => ready(second.url))
    const tookMs = Date.now() - killedAt + 10_000
    expect(tookMs).toBeLessThan(20_000)
    // What was signed has ended before, and the lease has.
    expect(tookMs).toBeGreaterThan(13_000)
    await opens(second.url)
    const served = await statusOf(second.url)
    expect(served.kill.latched).toBe(false)
    expect(served.positions).toMatchObject([{ coin: 'ETH', size: '0.1', covered: true }])
    expect(served.fleet?.writer).toMatchObject({ state: 'held', epoch: 2 })
    expect(await resting()).toHaveLength(1)

    const exchange = new ExchangeClient({
      transport: new HttpTransport({ apiUrl: second.url, isTestnet: true }),
      wallet: privateKeyToAccount(keyOf('second') as `0x${string}`),
      // As late as a clock that is ahead could have signed it for the first.
      nonceManager: () => killedAt + 3_000,
    })
    const close = { a: 1, b: false, p: '2400', s: '0.1', r: true, t: { limit: { tif: 'Ioc' } } }
    const asked = exchange.order({ orders: [close as never], grouping: 'na' })
    await expect(asked).rejects.toThrow(/auth_nonce_too_old.*before this Guard took over/)
    expect(await botOf('second', second.url).marketBuy(1, '2500', '0.05')).toMatch(/^accepted/)
    expect(await sentTwice()).toEqual([])
    await until(async () => (await statusOf(second.url)).fleet?.outbox_lag === 0)
    const numbers = 'select count(*) = count(distinct (writer_epoch, seq)) from guard.events'
    expect(await fleet.server.psql(numbers)).toBe('t')
    const chains = "select string_agg(distinct writer_epoch::text, ',') from guard.events"
    expect(await fleet.server.psql(chains)).toBe('0,2')
    expect(await fleet.server.psql('select count(*) from guard.forks')).toBe('0')
  }, 60_000)

  test('a latch is carried over, and the one that was frozen ends when it comes back', async () => {
    // By now the second home acted last; the first one stands by for it.
    const second = await start('second')
    await opens(second.url)
    await handedOver()
    const first = await start('first', '--standby')
    await until(async () => (await statusOf(first.url)).fleet?.store === 'up')
    const kill = ['kill', '--home', bench.path('second'), '--reason', 'the feed is wrong']
    expect(await guard(kill, { env: envOf('second') })).toMatchObject({ code: 0 })
    const told = "select word -> 'latch' ->> 'reason' from guard.writers"
    await until(async () => (await fleet.server.psql(told)).includes('the feed is wrong'))
    second.run.signal('SIGSTOP')
    await skip('17 seconds')
    await acts(first.url)
    const latched = await statusOf(first.url)
    expect(latched.kill).toMatchObject({ latched: true, durable: true })
    expect(latched.kill.reason).toContain('the feed is wrong')
    expect(latched.risk.day_start_equity).toBe('10000')
    second.run.signal('SIGCONT')
    expect(await second.run.ended).toBe(1)
    expect(second.run.err).toContain('another Guard acts for this account (at ')
  }, 60_000)

  test('with looser rules, or the wallet of the first, none stands by', async () => {
    edit('second', '[rules] ', '[rules]\ndaily_loss_stop = "0.12"\n')
    const args = ['run', '--home', bench.path('second'), '--listen', '127.0.0.1:0', '--standby']
    const told = await guard(args, { env: envOf('second') })
    expect(told.code).toBe(2)
    expect(told.err).toContain('cannot stand in for the one that acts for the account')
    expect(told.err).toContain('[rules] is looser here: daily_loss_stop')
  }, 60_000)
})
