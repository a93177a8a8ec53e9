import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask, Bench, canaryKey, passphrase } from './cli.fixture.ts'
import * as output from '../../test/cli/outputSchemas.fixture.ts'

let bench: Bench

beforeAll(async () => {
  bench = await Bench.open()
  expect((await ask(bench.initArgs('home'))).code).toBe(0)
})
afterAll(async () => {
  await bench.close()
})

const on = (...args: string[]) => ask([...args, '--home', bench.path('home')])

describe('guard init, by flags', () => {
  test('writes what belongs to it, for its owner only', () => {
    expect(statSync(bench.path('home')).mode & 0o777).toBe(0o700)
    for (const file of ['home/guard.toml', 'home/api-wallet.json', 'home.client']) {
      expect(statSync(bench.path(file)).mode & 0o777, file).toBe(0o600)
    }
    expect(readFileSync(bench.path('home.client'), 'utf8')).toMatch(/^0x[0-9a-f]{64}\n$/)
    expect(JSON.parse(readFileSync(bench.path('home/api-wallet.json'), 'utf8'))).toMatchObject({
      version: 3,
      crypto: { kdf: 'scrypt', kdfparams: { n: 131_072 } },
    })
  })

  test('paper needs no key and writes none', async () => {
    const args = ['init', '--home', bench.path('paper'), '--mode', 'paper', '--json']
    const more = ['--account', bench.account, '--client-key-out', bench.path('paper.client')]
    const done = output.initOutput.parse((await ask([...args, ...more])).json())
    expect(done).toMatchObject({ mode: 'paper', api_wallet: null })
    expect(existsSync(bench.path('paper', 'api-wallet.json'))).toBe(false)
  })

  test('the key also comes from standard input', async () => {
    const args = bench.initArgs('stdin').filter((each) => !/key-file|wallet\.key/.test(each))
    const done = await ask([...args, '--key-stdin'], { stdin: `${canaryKey}\n` })
    expect(done.code).toBe(0)
    expect(done.out).toContain('The API wallet is valid until ')
  })

  const refused: readonly [string, () => string[], string, AskEnv?][] = [
    ['a home that is set up', () => bench.initArgs('home'), 'is set up already'],
    ['the account’s own key', () => swap('wallet.key', 'own.key'), "the account's own key"],
    ['a key that is no agent', () => withKey('stranger', '11'), 'is not an API wallet of'],
    ['a key others can read', () => withKey('open', 'c0', 0o644), 'others may read it (mode 644)'],
    ['a file that is no key', () => withText('bad', 'hello'), 'must hold one private key'],
    ['a missing key file', () => swap('wallet.key', 'none.key'), 'cannot be read (ENOENT)'],
    ['a short passphrase', () => withPass('short'), '8 characters or more'],
    ['an empty passphrase', () => withPass(''), 'the passphrase is empty'],
    ['no passphrase', () => noPass(), '--passphrase-file'],
    ['two keys', () => bench.initArgs('new', '--key-stdin'), 'give one of them'],
    ['a venue beyond this machine in plain text', () => venue('http://example.org'), 'https://'],
    ['the other network’s venue', () => venue('https://api.hyperliquid.xyz'), 'mode is testnet'],
    ['a rules code that is none', () => bench.initArgs('new', '--rules', 'gr1_x'), '--rules'],
    ['an existing client key file', () => clientOut('home.client'), 'exists already'],
    ['mainnet without the account again', () => mainnet('1000'), '--confirm-mainnet'],
    [
      'mainnet with another account',
      () => mainnet('1000', '--confirm-mainnet', bench.wallet),
      'trades for',
    ],
    ['mainnet without an equity cap', () => mainnet(null), '--equity-cap USD'],
    ['an equity cap of nothing', () => bench.initArgs('new', '--equity-cap', '0'), 'above zero'],
  ]
  type AskEnv = Record<string, string>

  const change = (from: string, to: string, args = bench.initArgs('new')): string[] =>
    args.map((each) => (each === from ? to : each))
  const swap = (from: string, to: string): string[] => change(bench.path(from), bench.path(to))
  const venue = (url: string): string[] => change(bench.simulator.url, url)
  const clientOut = (file: string): string[] => swap('new.client', file)
  const noPass = (): string[] =>
    bench
      .initArgs('new')
      .filter((each) => each !== '--passphrase-file' && each !== bench.path('pass'))
  const mainnet = (cap: string | null, ...more: string[]): string[] => [
    ...change('testnet', 'mainnet'),
    ...(cap === null ? [] : ['--equity-cap', cap]),
    ...more,
  ]
  function withText(name: string, text: string, mode = 0o600): string[] {
    bench.secret(`${name}.key`, text, mode)
    return swap('wallet.key', `${name}.key`)
  }
  const withKey = (name: string, byte: string, mode?: number): string[] =>
    withText(name, `0x${byte.repeat(32)}`, mode)
  function withPass(text: string): string[] {
    bench.secret('other-pass', text)
    return swap('pass', 'other-pass')
  }

  test.each(refused)('%s is refused, and nothing is written', async (_name, args, text) => {
    const { code, out, err } = await ask(args())
    expect(err).toContain(text)
    expect(code).toBe(2)
    expect(out + err).not.toContain(canaryKey.slice(2))
    expect(existsSync(bench.path('new', 'guard.toml'))).toBe(false)
    expect(existsSync(bench.path('new.client'))).toBe(false)
  })

  test('a venue that does not answer is a failure, and nothing is written', async () => {
    const { code, err } = await ask(venue('http://127.0.0.1:9'))
    expect(err).toContain('could not be asked')
    expect(code).toBe(1)
    expect(existsSync(bench.path('new'))).toBe(false)
  })

  test('without a file for its key no client is made, and a script is told so', async () => {
    const args = ['init', '--home', bench.path('alone'), '--mode', 'paper']
    const done = await ask([...args, '--account', bench.account])
    expect(done.code).toBe(0)
    expect(done.out).toContain('No client yet: guard client add')
    expect(readFileSync(bench.path('alone', 'guard.toml'), 'utf8')).not.toContain('name =')
    const again = await ask([...args, '--account', bench.account, '--force', '--json'])
    expect(output.initOutput.parse(again.json()).client).toBeNull()
    expect((await ask(['rules', 'check', '--home', bench.path('alone')])).code).toBe(0)
  })

  test('--force replaces key and configuration, and keeps to the journal’s account', async () => {
    const args = bench
      .initArgs('home', '--force')
      .map((each) => (each === bench.path('home.client') ? bench.path('forced.client') : each))
    expect((await ask(args)).code).toBe(0)
  })
})

describe('guard kill', () => {
  test.each([
    ['no configuration', null],
    ['a configuration that does not validate', 'mode = "live"\nstate_dir = "elsewhere"\n'],
    ['one that is not even TOML', 'mode = = \nstate_dir = "elsewhere"\n'],
  ])('latches with %s', async (_name, text) => {
    const home = bench.path(`kill-${String(text?.length)}`)
    if (text !== null) {
      mkdirSync(home)
      writeFileSync(`${home}/guard.toml`, text)
    }
    const done = await ask(['kill', '--reason', 'now', '--home', home, '--json'])
    expect(done.code).toBe(0)
    const { killed } = output.killOutput.parse(done.json())
    expect(killed.state_dir).toBe(`${home}/${text === null ? 'state' : 'elsewhere'}`)
    expect(readFileSync(`${killed.state_dir}/kill`, 'utf8')).toBe('now (command line)\n')
    if (text === null) expect(done.err).toContain('is this the home of your Guard?')
    const again = await ask(['kill', '--reason', 'again', '--home', home, '--json'])
    expect(output.killOutput.parse(again.json()).killed.already).toBe(true)
    expect((await ask(['kill', '--reason', 'x', '--home', home])).out).toContain('No running Guard')
  })
})

describe('guard rules', () => {
  test('shows and checks what is in force', async () => {
    const shown = output.rulesShowOutput.parse((await on('rules', 'show', '--json')).json())
    expect(shown).toMatchObject({ code: 'gr1_e30', rules: { risk_per_trade: '0.02' } })
    const text = (await on('rules', 'show')).out
    expect(text).toContain('risk_per_trade')
    expect(text).toContain('rules code: gr1_e30')
    expect(text).toContain('what the limits are worth, in percent of the equity')
    expect(text).toContain('- one trade loses at most 2% at its stop')
    expect(output.rulesCheckOutput.parse((await on('rules', 'check', '--json')).json()).ok).toBe(
      true,
    )
    expect((await on('rules', 'check')).out).toContain('The configuration is valid')
  })

  test('encodes, decodes and compares', async () => {
    const stdin = '[rules]\nrisk_per_trade = "1%"\nmarkets = ["BTC"]\n'
    const encoded = (await ask(['rules', 'encode', '--json'], { stdin })).json()
    const { rules: code } = output.rulesEncodeOutput.parse(encoded)
    expect((await ask(['rules', 'encode'], { stdin })).out).toBe(`${code}\n`)
    const decoded = output.rulesDecodeOutput.parse(
      (await ask(['rules', 'decode', code, '--json'])).json(),
    )
    expect(decoded).toMatchObject({ risk_per_trade: '0.01', markets: ['BTC'] })
    const toml = (await ask(['rules', 'decode', code])).out
    expect((await ask(['rules', 'encode'], { stdin: toml })).out).toBe(`${code}\n`)
    const diff = (await ask(['rules', 'diff', 'default', code, '--json'])).json()
    expect(output.rulesDiffOutput.parse(diff).differences).toHaveLength(2)
    expect((await ask(['rules', 'diff', 'default', code])).out).toContain(
      'risk_per_trade: 2% -> 1% tighter',
    )
    expect((await ask(['rules', 'diff', code, code])).out).toBe('No difference.\n')
  })

  test.each([
    [
      'a code that is not canonical',
      ['rules', 'decode', 'gr1_eyJyaXNrX3Blcl90cmFkZSI6IjAuMDIifQ'],
      '',
    ],
    ['a code out of bounds', ['rules', 'decode', 'gr1_eyJyaXNrX3Blcl90cmFkZSI6IjAuOSJ9'], '5%'],
    ['no code at all', ['rules', 'decode', 'hello'], 'not a rules code'],
    ['an unknown rule', ['rules', 'encode'], 'frobnicate'],
    ['a missing file', ['rules', 'encode', '/nonexistent'], 'cannot be read'],
  ])('%s is refused', async (_name, args, text) => {
    const { code, err } = await ask(args, { stdin: 'frobnicate = 1\n' })
    expect(code).toBe(2)
    expect(err).toContain(text)
  })

  test('every violation of a configuration is told at once, each with its line', async () => {
    const file = bench.path('home', 'guard.toml')
    const text = readFileSync(file, 'utf8')
    writeFileSync(file, `${text.replace(bench.listen, '0.0.0.0:8547')}risk_per_trade = "9%"\n`)
    const { code, err } = await on('rules', 'check')
    writeFileSync(file, text)
    expect(code).toBe(2)
    expect(err).toMatch(/line \d+: .*risk_per_trade.*5%/)
    expect(err).toMatch(/line \d+: .*other machines/)
  })
})

describe('without a running Guard', () => {
  test.each([
    [['status']],
    [['events']],
    [['decision', '1']],
    [['preview', '--coin', 'ETH', '--side', 'buy', '--size', '1']],
  ])('%j has exit code 3 and says how to start one', async (args) => {
    const { code, err } = await on(...args)
    expect(code).toBe(3)
    expect(err).toContain(`no Guard answers at http://${bench.listen}`)
    expect(err).toContain('start it with: guard run')
    const asJson = output.errorOutput.parse((await on(...args, '--json')).json())
    expect(asJson.error.code).toBe(3)
  })

  test('there is no journal to look at yet', async () => {
    for (const what of ['verify', 'stats', 'export']) {
      expect(await on('journal', what)).toMatchObject({ code: 1 })
    }
  })

  test('the doctor says what is wrong and what to do', async () => {
    const fine = await ask(['doctor', '--home', bench.path('home'), '--json'], {
      env: { GUARD_KEY_PASSPHRASE: passphrase },
    })
    const { ok, findings } = output.doctorOutput.parse(fine.json())
    expect(findings.filter(({ state }) => state === 'bad')).toEqual([])
    expect(ok).toBe(true)
    const names = findings.map(({ name }) => name)
    for (const name of [
      'node',
      'disk sync',
      'clock',
      'home',
      'key',
      'venue',
      'account mode',
      'API wallet',
    ]) {
      expect(names).toContain(name)
    }
    expect(names).not.toContain('emergency_dir')
    chmodSync(bench.path('home'), 0o755)
    const open = await on('doctor')
    chmodSync(bench.path('home'), 0o700)
    expect(open.code).toBe(1)
    expect(open.out).toContain(`chmod 700 ${bench.path('home')}`)
    expect(open.out).toMatch(/BAD {2}key .*passphrase/)
  })

  test('the doctor looks at the second place for emergency records too', async () => {
    const file = bench.path('home/guard.toml')
    const before = readFileSync(file, 'utf8')
    const found = async (place: string) => {
      writeFileSync(file, `emergency_dir = "${place}"\n${before}`)
      const { findings } = output.doctorOutput.parse((await on('doctor', '--json')).json())
      return findings.find(({ name }) => name === 'emergency_dir')
    }
    try {
      const same = await found(bench.path('second'))
      expect(same).toMatchObject({ state: 'warn' })
      expect(same?.text).toContain('is on the same disk as the journal')
      writeFileSync(bench.path('no-directory'), '')
      const none = await found(bench.path('no-directory'))
      expect(none).toMatchObject({ state: 'bad' })
      expect(none?.text).toContain('cannot be written')
    } finally {
      writeFileSync(file, before)
    }
  })
})
