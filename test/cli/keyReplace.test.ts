import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { Bench, markets, passphrase } from '../../src/cli/cli.fixture.ts'
import { createDemoBot } from '../../lab/demo/demoBot.ts'
import { initOutput, keyReplaceOutput } from './outputSchemas.fixture.ts'
import { guardEvent } from '../../src/gateway/schema/events.ts'
import { loadCrypto } from '../../src/crypto/loadCrypto.ts'
import { built, buildTimeoutMs, guard, Started } from './program.fixture.ts'

const nextKey = `0x${'5b'.repeat(32)}`
let nextWallet = ''
let bench: Bench
let running: Started | null = null

beforeAll(async () => {
  await built()
  bench = await Bench.open()
  const { secp256k1 } = await loadCrypto()
  nextWallet = secp256k1.addressOf(Buffer.from(nextKey.slice(2), 'hex'))
  bench.secret('next.key', `${nextKey}\n`)
  bench.secret('hook.secret', `${'x'.repeat(40)}\n`)
}, buildTimeoutMs + 60_000)
afterEach(async () => {
  await running?.stop()
})
afterAll(async () => {
  await bench.close()
})

/** The account with the given API wallets, and nothing open. */
async function approve(...agents: string[]): Promise<void> {
  const accounts = [{ address: bench.account, equity: '10000', agents }]
  await bench.control.reset({ frozen: true, markets, accounts })
}

/** A home with rules, two clients, alerts and comments of its owner; returns its guard.toml. */
async function ownersHome(home: string): Promise<string> {
  await approve(bench.wallet, nextWallet)
  expect(await guard(bench.initArgs(home))).toMatchObject({ code: 0, err: '' })
  const file = bench.path(home, 'guard.toml')
  const text = readFileSync(file, 'utf8')
    .replace('[venue]', '[venue]\nweight_per_minute = 1000000')
    .replace('[key]', `[key] # mine\npassphrase_file = "${bench.path('pass')}"`)
    .replace(
      '[rules]',
      '# never more than this\n[rules]\nrisk_per_trade = "0.1%"\nmarkets = ["ETH"]',
    )
  const more = [
    '[market.ETH]',
    'max_order_value = "100" # small',
    '[journal]',
    'keep_days = 90',
    '[alerts.webhook]',
    'url = "http://127.0.0.1:9/x"',
    `secret_file = "${bench.path('hook.secret')}"`,
  ]
  writeFileSync(file, `${text}\n${more.join('\n')}\n`)
  const add = ['client', 'add', '--name', 'second', '--out', bench.path(`${home}.second`)]
  expect(await guard([...add, '--home', bench.path(home)])).toMatchObject({ code: 0 })
  return readFileSync(file, 'utf8')
}

async function start(home: string): Promise<string> {
  const args = ['run', '--home', bench.path(home), '--listen', '127.0.0.1:0', '--json']
  running = new Started(args)
  const [, url = ''] = await running.until(/"url":"(http:[^"]+)"/)
  await running.until(/bots are served/)
  return url
}

/** What two bots are told by the Guard of a home, and how it judged an order of the first. */
async function judged(home: string): Promise<{ bots: string[]; verdict: string; text: string }> {
  const url = await start(home)
  const bots: string[] = []
  for (const file of [`${home}.client`, `${home}.second`]) {
    const bot = createDemoBot(url, readFileSync(bench.path(file), 'utf8').trim())
    bots.push(await bot.marketBuy(0, '85000', '0.1'))
  }
  // Below the market, so that nothing of it is filled and the next one finds the same account.
  const bot = createDemoBot(url, readFileSync(bench.path(`${home}.client`), 'utf8').trim())
  await bot.marketBuy(1, '2480', '5')
  const events = await guard(['events', '--kind', 'decision', '--home', bench.path(home), '--json'])
  const last = guardEvent.parse(JSON.parse(events.out.trim().split('\n').at(-1) ?? ''))
  await running?.stop()
  if (last.kind !== 'decision') throw new Error(`no decision: ${last.kind}`)
  return { bots, verdict: last.verdict, text: last.text }
}

const replaceArgs = (home: string): string[] => [
  ...['key', 'replace', '--home', bench.path(home), '--confirm', bench.account],
  ...['--key-file', bench.path('next.key')],
]

test('another API wallet: rules, clients, alerts and comments stay, and orders are judged the same', async () => {
  const before = await ownersHome('home')
  const judgedBefore = await judged('home')
  expect(judgedBefore).toMatchObject({
    verdict: 'resize',
    text: expect.stringContaining('max_order_value 100 USD'),
  })
  for (const told of judgedBefore.bots) expect(told).toContain('market_not_allowed')

  const done = await guard([...replaceArgs('home'), '--json'])
  expect(done).toMatchObject({ code: 0, err: '' })
  expect(keyReplaceOutput.parse(done.json()).replaced).toMatchObject({
    api_wallet: nextWallet,
    api_wallet_before: bench.wallet,
    key_file: bench.path('home', 'api-wallet.json'),
    rekeyed_seq: expect.any(Number),
  })
  const after = readFileSync(bench.path('home', 'guard.toml'), 'utf8')
  expect(after).toBe(before.replace(bench.wallet, nextWallet))
  expect(after).not.toBe(before)
  expect(readdirSync(bench.path('home')).sort()).toEqual(['api-wallet.json', 'guard.toml', 'state'])

  // The old wallet is gone from the venue: what is sent now can only be the new one's.
  await approve(nextWallet)
  expect(await judged('home')).toEqual(judgedBefore)
  const url = await start('home')
  const bot = createDemoBot(url, readFileSync(bench.path('home.client'), 'utf8').trim())
  expect(await bot.marketBuy(1, '2500', '5')).toMatch(/^accepted/)
})

test('a change that was interrupted: Guard does not start, and the same command ends it', async () => {
  const before = await ownersHome('torn')
  await judged('torn')
  expect(await guard(replaceArgs('torn'))).toMatchObject({ code: 0 })
  const file = bench.path('torn', 'guard.toml')
  const after = readFileSync(file, 'utf8')
  // As a crash leaves it between the two files.
  writeFileSync(file, before)
  const refused = await guard(['run', '--home', bench.path('torn')])
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('holds the key of') })
  expect(refused.err).toContain('guard key replace')
  expect(await guard(replaceArgs('torn'))).toMatchObject({ code: 0, err: '' })
  expect(readFileSync(file, 'utf8')).toBe(after)
  await start('torn')
})

test('nothing changes while Guard runs, without the venue’s yes, or with a passphrase that no start would find', async () => {
  const before = await ownersHome('kept')
  const keystore = readFileSync(bench.path('kept', 'api-wallet.json'), 'utf8')
  await start('kept')
  expect(await guard(replaceArgs('kept'))).toMatchObject({
    code: 2,
    err: expect.stringContaining('stop it first'),
  })
  await running?.stop()
  await approve(bench.wallet)
  expect(await guard(replaceArgs('kept'))).toMatchObject({
    code: 2,
    err: expect.stringContaining('is not an API wallet of'),
  })
  await approve(bench.wallet, nextWallet)
  const other = ['--passphrase-file', bench.secret('other.pass', 'another passphrase\n')]
  expect(await guard([...replaceArgs('kept'), ...other])).toMatchObject({
    code: 2,
    err: expect.stringContaining('key.passphrase_file'),
  })
  expect(readFileSync(bench.path('kept', 'guard.toml'), 'utf8')).toBe(before)
  expect(readFileSync(bench.path('kept', 'api-wallet.json'), 'utf8')).toBe(keystore)
})

test('guard init --force keeps the old guard.toml beside the new one, and says what is not taken over', async () => {
  const before = await ownersHome('anew')
  rmSync(bench.path('anew.client'))
  const done = await guard(bench.initArgs('anew', '--force', '--json'))
  const { replaced } = initOutput.parse(done.json())
  expect(replaced?.copy).toMatch(/guard\.toml\.\d{4}-\d\d-\d\dT[\d-]+Z$/)
  expect(readFileSync(replaced?.copy ?? '', 'utf8')).toBe(before)
  expect(replaced?.not_taken_over).toEqual(
    expect.arrayContaining(['rules', 'markets', 'clients', 'alerts']),
  )
  rmSync(bench.path('anew.client'))
  const told = await guard(bench.initArgs('anew', '--force'))
  expect(told.out).toContain('Nothing of it was taken over:')
  expect(told.out).toContain(`${bench.path('anew', 'guard.toml')}.2`)
  const copies = readdirSync(bench.path('anew')).filter((name) => /^guard\.toml\.\d/.test(name))
  expect(copies).toHaveLength(2)

  rmSync(bench.path('anew.client'))
  // A set-up that fails leaves the old one, and no copy of it.
  const wrong = bench.initArgs('anew', '--force').map((each) => each.replace(/\.client$/, '.no/x'))
  expect(await guard(wrong)).toMatchObject({ code: 2 })
  expect(readdirSync(bench.path('anew')).filter((name) => /^guard\.toml\./.test(name))).toEqual(
    copies,
  )
})

test('no key and no passphrase is written in the clear', () => {
  for (const { file, text } of bench.written()) {
    if (['next.key', 'other.pass'].includes(file)) continue
    expect(text.includes(nextKey.slice(2)), file).toBe(false)
    expect(text.includes(passphrase), file).toBe(false)
  }
})
