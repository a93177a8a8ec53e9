import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  chmodSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { Bench, canaryKey, passphrase } from '../../src/cli/cli.fixture.ts'
import type { Said } from '../../src/cli/cli.fixture.ts'
import { createDemoBot } from '../../lab/demo/demoBot.ts'
import {
  clientAddOutput,
  clientListOutput,
  clientRevokeOutput,
  doctorOutput,
  errorOutput,
  initOutput,
  journalStatsOutput,
  journalVerifyOutput,
  killOutput,
  releaseOutput,
  resumeOutput,
} from './outputSchemas.fixture.ts'
import { guardEvent } from '../../src/gateway/schema/events.ts'
import { decisionReply, previewReply } from '../../src/gateway/schema/replies.ts'
import { status as statusSchema } from '../../src/gateway/schema/status.ts'
import { built, buildTimeoutMs, guard, Started, untilStopped } from './program.fixture.ts'

let bench: Bench
const env = { GUARD_KEY_PASSPHRASE: passphrase }
const everything: string[] = []
const running: Started[] = []

beforeAll(async () => {
  await built()
  bench = await Bench.open()
  const done = await run(bench.initArgs('home', '--json'))
  expect(initOutput.parse(done.json())).toMatchObject({
    mode: 'testnet',
    account: bench.account,
    api_wallet: bench.wallet,
    api_wallet_valid_until_ms: expect.any(Number),
  })
  bench.grantWeight('home')
}, buildTimeoutMs + 60_000)
afterEach(async () => {
  for (const each of running.splice(0)) {
    await each.stop()
    everything.push(each.out, each.err)
  }
})
afterAll(async () => {
  await bench.close()
})

/** Runs a command and keeps what it printed for the search at the end. */
async function run(args: readonly string[], more: Record<string, string> = {}): Promise<Said> {
  const done = await guard(args, { env: { ...env, ...more } })
  everything.push(done.out, done.err)
  return done
}

/** A command on the home of this file. */
const on = (...args: string[]): Promise<Said> => run([...args, '--home', bench.path('home')])

async function start(home = 'home', ...args: string[]): Promise<{ guard: Started; url: string }> {
  const listen = args.includes('--listen') ? [] : ['--listen', '127.0.0.1:0']
  const started = new Started(['run', '--home', bench.path(home), ...listen, ...args], { env })
  running.push(started)
  const [, url = ''] = await started.until(/"url":"(http:[^"]+)"/)
  await started.until(/bots are served/)
  return { guard: started, url }
}

const key = (file: string): string => readFileSync(bench.path(file), 'utf8').trim()

describe('a running Guard', () => {
  test('is read, asked and watched by the commands', async () => {
    const { url } = await start()
    const bot = createDemoBot(url, key('home.client'))
    expect(await bot.marketBuy(1, '2500', '1')).toMatch(/^accepted/)
    expect(await bot.withdraw('10')).toContain('Guard veto [funds_or_permissions]')

    const status = statusSchema.parse((await on('status', '--json')).json())
    expect(status).toMatchObject({ mode: 'testnet', account: bench.account })
    const screen = await on('status')
    expect(screen.code).toBe(0)
    expect(screen.out).toContain('active: entries within the rules pass')
    expect(screen.out).toMatch(/daily loss .* closes everything at \$9,[34]\d\d\./)
    expect(screen.out).toMatch(/ETH +long/)
    expect(screen.out).toMatch(/covered\s+stop/)

    const lines = (await on('events', '--json')).out.trim().split('\n')
    const events = lines.map((line) => guardEvent.parse(JSON.parse(line)))
    expect(events.map(({ kind }) => kind)).toContain('sent')
    const decision = events.find((event) => event.kind === 'decision')
    const nonce = String(decision?.kind === 'decision' ? decision.nonce : '')
    const found = decisionReply.parse((await on('decision', nonce, '--json')).json())
    expect(found.sent.length).toBeGreaterThan(0)
    expect((await on('decision', nonce)).out).toContain('asked:')
    const [forwarded] = (found.decision.forward as unknown as { orders: { c: string }[] }).orders
    expect((await on('decision', '--cloid', forwarded?.c ?? '', '--json')).json()).toEqual(found)
    const vetoes = await on('events', '--kind', 'decision', '--since', String(decision?.seq))
    expect(vetoes.out.trim().split('\n')).toHaveLength(1)
    expect(vetoes.out).toContain('veto   [funds_or_permissions]')
    expect(await on('decision', '5')).toMatchObject({
      code: 1,
      err: expect.stringContaining('nonce 5'),
    })

    const order = ['preview', '--coin', 'BTC', '--side', 'buy', '--size', '0.001']
    const preview = previewReply.parse((await on(...order, '--json')).json())
    expect(preview).toMatchObject({ verdict: 'resize', entries: [{ coin: 'BTC' }] })
    expect((await on(...order, '--price', '84000', '--stop', '83000')).out).toContain('allow')
    expect((await on(...order, '--minutes', '30')).out).toContain('twap = "refuse"')
    const odd = await on('preview', '--coin', 'NOPE', '--side', 'buy', '--size', '1')
    expect(odd).toMatchObject({ code: 2, err: expect.stringContaining('no such perp') })
    expect((await on('events', '--json')).out.trim().split('\n')).toHaveLength(lines.length)

    const doctor = doctorOutput.parse((await on('doctor', '--json')).json())
    expect(doctor.findings.filter(({ state }) => state === 'bad')).toEqual([])
  })

  test('goes on when nobody reads its log any more, and ends when it is told to', async () => {
    const { guard: started, url } = await start()
    started.child.stderr?.destroy()
    started.child.stdout?.destroy()
    const bot = createDemoBot(url, key('home.client'))
    // Each request is a line of the log.
    for (let asked = 0; asked < 3; asked += 1) {
      expect(await bot.withdraw('10')).toContain('Guard veto [funds_or_permissions]')
    }
    expect(await started.stop()).toBe(0)
  })

  test('follows clients added and revoked, at once', async () => {
    const { guard: program, url } = await start()
    const args = ['client', 'add', '--name', 'grid "bot"', '--out', bench.path('grid.key')]
    const added = clientAddOutput.parse((await on(...args, '--json')).json()).client
    await program.until(/clients taken over/)
    const bot = createDemoBot(url, key('grid.key'))
    expect(await bot.marketBuy(99, '1', '1')).toContain('unknown_market')
    const list = clientListOutput.parse((await on('client', 'list', '--json')).json()).clients
    expect(list).toContainEqual({ address: added.address, name: 'grid "bot"' })
    expect((await on(...args)).err).toContain('exists already')

    const revoked = await on('client', 'revoke', added.address, '--json')
    expect(clientRevokeOutput.parse(revoked.json()).revoked).toBe(added.address)
    await program.until(/clients taken over[^]*clients taken over/)
    expect(await bot.marketBuy(99, '1', '1')).toContain('auth_unknown_signer')
    expect(await on('client', 'revoke', added.address)).toMatchObject({ code: 1 })
  })

  test('a configuration that no longer validates changes nothing; SIGHUP reads it again', async () => {
    const { guard: program } = await start()
    const file = bench.path('home', 'guard.toml')
    const text = readFileSync(file, 'utf8')
    writeFileSync(file, `${text}\nnonsense = 1\n`)
    await program.until(/nothing was taken over/)
    writeFileSync(file, text)
    program.signal('SIGHUP')
    expect(await on('status')).toMatchObject({ code: 0 })
  })

  test('keeps its home to itself', async () => {
    await start()
    const second = await on('run', '--listen', '127.0.0.1:0')
    expect(second).toMatchObject({ code: 2, err: expect.stringContaining('another Guard runs') })
    const confirm = ['--reason', 'x', '--confirm', bench.account]
    for (const args of [
      ['kill', 'release', ...confirm],
      ['resume', ...confirm],
    ]) {
      expect(await on(...args)).toMatchObject({ code: 2, err: expect.stringContaining('stop it') })
    }
    const again = await run(bench.initArgs('home', '--force'))
    expect(again).toMatchObject({ code: 2 })
  })

  test('lets no other Guard trade its account on this machine, and names itself', async () => {
    expect((await run(bench.initArgs('twin'))).code).toBe(0)
    const { guard: first } = await start()
    const args = ['run', '--home', bench.path('twin'), '--listen', '127.0.0.1:0']
    const second = await run(args)
    expect(second).toMatchObject({ code: 2 })
    expect(second.err).toContain(`trades for the account ${bench.account}`)
    expect(second.err).toContain(`process ${first.child.pid}, with the home ${bench.path('home')}`)
    await first.stop()
    await start('twin')
  })

  test('whose lock file is removed writes nothing more, ends, and starts again', async () => {
    const { guard: first } = await start()
    rmSync(bench.path('home', 'state', 'journal', 'lock.sqlite'))
    expect(await first.ended).toBe(1)
    expect(first.err).toContain('Guard stopped by itself')
    expect(first.err).toContain('was removed or replaced while Guard ran')
    expect(await on('journal', 'verify')).toMatchObject({ code: 0 })
    await start()
  })

  test('latches at guard kill, over a restart, until a person releases it', async () => {
    const first = await start()
    const pulled = killOutput.parse((await on('kill', '--reason', 'enough', '--json')).json())
    expect(pulled.killed).toMatchObject({ already: false, seen_by_guard: true })
    expect((await on('status')).out).toContain('KILL SWITCH LATCHED: enough (command line)')
    expect(await first.guard.stop()).toBe(0)
    const doctor = doctorOutput.parse((await on('doctor', '--json')).json())
    expect(doctor.findings).toContainEqual(
      expect.objectContaining({ name: 'kill switch', state: 'warn' }),
    )
    const { guard: second } = await start()
    const bot = createDemoBot(
      (await on('status', '--json')).code === 0 ? urlOf(second) : '',
      key('home.client'),
    )
    expect(await bot.marketBuy(1, '2500', '0.1')).toContain('kill_switch')
    await second.stop()

    const confirm = ['--confirm', bench.account]
    expect(await on('kill', 'release', '--reason', 'checked')).toMatchObject({ code: 2 })
    const wrong = ['kill', 'release', '--reason', 'x', '--confirm', bench.wallet]
    expect(await on(...wrong)).toMatchObject({
      code: 2,
      err: expect.stringContaining('trades for'),
    })
    const released = await on('kill', 'release', '--reason', 'checked', ...confirm, '--json')
    expect(releaseOutput.parse(released.json()).released.reason).toBe('checked')
    expect(existsSync(bench.path('home', 'state', 'kill'))).toBe(false)
    const twice = await on('kill', 'release', '--reason', 'checked', ...confirm)
    expect(twice).toMatchObject({ code: 2, err: expect.stringContaining('not latched') })
  })

  test('an active one needs no review, and a halted one gets it', async () => {
    const args = ['resume', '--reason', 'reviewed', '--confirm', bench.account]
    const active = await on(...args)
    expect(active).toMatchObject({ code: 2, err: expect.stringContaining('not stopped') })

    await bench.reset('10000')
    expect(await run(bench.initArgs('halted'))).toMatchObject({ code: 0 })
    bench.grantWeight('halted')
    const { guard: program, url } = await start('halted')
    await bench.reset('5000')
    await untilStopped(url)
    const said = await run(['status', '--home', bench.path('halted'), '--json'])
    expect(statusSchema.parse(said.json()).risk.state).toBe('stopped')
    await program.stop()
    const done = await run([...args, '--json', '--home', bench.path('halted')])
    expect(resumeOutput.parse(done.json()).resumed).toMatchObject({
      equity: '5000',
      open_positions: [],
    })
    await bench.reset('10000')
  })
})

describe('guard run', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)('ends in order at %s', async (signal) => {
    const { guard: program } = await start()
    program.signal(signal)
    // A launcher passes it on, so that it comes twice.
    program.signal(signal)
    expect(await program.ended).toBe(0)
    const last = (await on('journal', 'export')).out.trim().split('\n').at(-1) ?? ''
    expect(JSON.parse(last)).toMatchObject({ kind: 'stopped', reason: signal })
    expect(existsSync(bench.path('home', 'state', 'address'))).toBe(false)
    expect(await on('status')).toMatchObject({ code: 3, err: expect.stringContaining('guard run') })
  })

  test('ends in order at a signal during its start', async () => {
    const early = new Started(['run', '--home', bench.path('home'), '--listen', '127.0.0.1:0'], {
      env,
    })
    running.push(early)
    await early.until(/secp256k1/)
    early.signal('SIGTERM')
    expect(await early.ended).toBe(0)
    expect(await on('journal', 'verify')).toMatchObject({ code: 0 })
  })

  test('refuses a taken port and says the way out', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await new Promise((resolved) => server.once('listening', resolved))
    const { port } = server.address() as AddressInfo
    const taken = await on('run', '--listen', `127.0.0.1:${port}`)
    server.close()
    expect(taken).toMatchObject({ code: 1 })
    expect(taken.err).toContain(`127.0.0.1:${port} is taken`)
    expect(taken.err).toContain('--listen 127.0.0.1:PORT')
  })

  test('refuses to be reached from other machines by a flag alone', async () => {
    const open = await on('run', '--listen', '0.0.0.0:0')
    expect(open).toMatchObject({ code: 2, err: expect.stringContaining('other machines') })
  })

  test('refuses a wrong, missing or unreachable passphrase, and a key open to others', async () => {
    const args = ['run', '--home', bench.path('home'), '--listen', '127.0.0.1:0']
    const wrong = await run(args, { GUARD_KEY_PASSPHRASE: 'not it at all' })
    expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining('passphrase is wrong') })
    const none = await guard(args)
    expect(none).toMatchObject({ code: 2, err: expect.stringContaining('GUARD_KEY_PASSPHRASE') })
    const file = bench.path('home', 'api-wallet.json')
    chmodSync(file, 0o644)
    const open = await run(args)
    expect(open).toMatchObject({ code: 2, err: expect.stringContaining(`chmod 600 ${file}`) })
    chmodSync(file, 0o600)
  })

  test('refuses the journal of another account, and a damaged one', async () => {
    cpSync(bench.path('home'), bench.path('other'), { recursive: true })
    const file = bench.path('other', 'guard.toml')
    const another = bench.account.replace('0xe5', '0xf6')
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(bench.account, another))
    const args = ['run', '--home', bench.path('other'), '--listen', '127.0.0.1:0']
    const other = await run(args)
    expect(other).toMatchObject({ code: 2, err: expect.stringContaining('another account') })

    cpSync(bench.path('home'), bench.path('torn'), { recursive: true })
    const folder = bench.path('torn', 'state', 'journal')
    const segment = join(
      folder,
      readdirSync(folder)
        .filter((name) => /^\d/.test(name))
        .sort()[0] ?? '',
    )
    const text = readFileSync(segment, 'latin1')
    writeFileSync(segment, text.replace('"started"', '"sTarted"'), 'latin1')
    const torn = await run([...args.slice(0, 2), bench.path('torn'), ...args.slice(3)])
    expect(torn).toMatchObject({ code: 2, err: expect.stringContaining('damaged') })
    const verify = await run(['journal', 'verify', '--home', bench.path('torn'), '--json'])
    expect(verify.code).toBe(1)
    expect(verify.out).toContain('"ok": false')
  })
})

test('the journal verifies, and says what it holds', async () => {
  const verified = journalVerifyOutput.parse((await on('journal', 'verify', '--json')).json())
  expect(verified).toMatchObject({ ok: true, problem: null })
  const stats = journalStatsOutput.parse((await on('journal', 'stats', '--json')).json())
  expect(stats).toMatchObject({ account: bench.account, network: 'testnet' })
  const exported = await on('journal', 'export', '--since', '2', '--until', '3')
  const lines = exported.out
    .trim()
    .split('\n')
    .map((line) => guardEvent.parse(JSON.parse(line)))
  expect(lines.map(({ seq }) => seq)).toEqual([2, 3])
})

test('the key and the passphrase are nowhere but encrypted, in nothing written or printed', () => {
  const printed = everything.join('\n')
  const places = [...bench.written(), { file: 'what was printed', text: printed }]
  expect(places.length).toBeGreaterThan(8)
  expect(printed.length).toBeGreaterThan(5_000)
  const clientKey = key('home.client').slice(2)
  for (const { file, text } of places) {
    const low = text.toLowerCase()
    expect(low.includes(canaryKey.slice(2)), `the key in ${file}`).toBe(false)
    expect(low.includes(canaryKey.slice(10, 40)), `a part of the key in ${file}`).toBe(false)
    expect(text.includes(Buffer.from(canaryKey.slice(2), 'hex').toString('base64'))).toBe(false)
    expect(text.includes(passphrase), `the passphrase in ${file}`).toBe(false)
    if (!file.endsWith('.client'))
      expect(low.includes(clientKey), `client key in ${file}`).toBe(false)
  }
})

test('errors as JSON are of one form', async () => {
  const { json } = await on('decision', '5', '--json')
  expect(errorOutput.parse(json()).error.code).toBe(3)
})

function urlOf(program: Started): string {
  return /"url":"(http:[^"]+)"/.exec(program.err)?.[1] ?? ''
}
