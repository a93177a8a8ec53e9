import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accountKey, Bench, canaryKey, passphrase } from '../../src/cli/cli.fixture.ts'
import { binary, built, buildTimeoutMs, guard } from './program.fixture.ts'
import { atTerminal, hasTerminal } from './terminal.fixture.ts'
import type { Shown, Steps } from './terminal.fixture.ts'

let bench: Bench

beforeAll(async () => {
  await built()
  bench = await Bench.open()
}, buildTimeoutMs)
afterAll(async () => {
  await bench.close()
})

const atGuard = (args: readonly string[], steps: Steps): Promise<Shown> =>
  atTerminal([process.execPath, binary, ...args], steps)

const enter = '\r'
const backspace = '\u007f'
const down = '\u001b[B'

describe.skipIf(!hasTerminal)(
  'the dialogue (skipped without python3: it makes the terminal)',
  () => {
    test('sets up a testnet Guard: rules in money, a key the venue knows, a client key shown once', async () => {
      const home = bench.path('guided')
      const shown = await atGuard(
        ['init', '--home', home, '--venue-url', bench.simulator.url],
        [
          ['What may this Guard do?', `${down}${enter}`],
          ['The trading account', `${bench.account}${enter}`],
          ['Which rules?', `${down}${enter}`],
          ['Take these rules?', `n`],
          ['Which rules?', enter],
          ['Take these rules?', `y`],
          ['private key', `${accountKey}${enter}`],
          ['private key', `${canaryKey}${enter}`],
          ['A passphrase', `${passphrase}${enter}`],
          ['once more', `${passphrase}${enter}`],
          ['What do you call the bot?', enter],
        ],
      )
      expect(shown.text).not.toContain('NOT ASKED')
      expect(shown.code).toBe(0)
      expect(shown.text).toContain('The venue shows 10000 USD in this account.')
      expect(shown.text).toContain('one trade loses at most 0.5% ($50.00) at its stop')
      expect(shown.text).toContain('one trade loses at most 2% ($200.00) at its stop')
      expect(shown.text).toContain('a day that loses 6% ($600.00) closes everything')
      expect(shown.text).toContain("this is the account's own key")
      expect(shown.text).toContain('an API wallet of this account')
      const [, clientKey = ''] = /shown only now: (0x[0-9a-f]{64})/.exec(shown.text) ?? []
      expect(clientKey).not.toBe('')
      for (const secret of [canaryKey, accountKey, passphrase]) {
        expect(shown.raw).not.toContain(secret)
      }
      const toml = readFileSync(join(home, 'guard.toml'), 'utf8')
      expect(toml).toContain('mode = "testnet"')
      expect(toml).not.toContain(clientKey.slice(2))
      expect(statSync(join(home, 'api-wallet.json')).mode & 0o777).toBe(0o600)
      expect(statSync(home).mode & 0o777).toBe(0o700)
      const env = { GUARD_KEY_PASSPHRASE: passphrase }
      const doctor = await guard(['doctor', '--home', home], { env })
      expect(doctor.out).toContain(`opens; API wallet ${bench.wallet}`)
      expect(doctor.code).toBe(0)
    })

    test('a name that is too long is asked for once more, and no half of an emoji is kept', async () => {
      const home = bench.path('named')
      const shown = await atGuard(
        ['init', '--home', home, '--mode', 'paper', '--venue-url', bench.simulator.url],
        [
          ['The trading account', `${bench.account}${enter}`],
          ['Which rules?', enter],
          ['Take these rules?', `y`],
          ['What do you call the bot?', `${'\u{1f916}'.repeat(65)}${enter}`],
          ['It must be 1 to 64 printable characters', `${backspace.repeat(25)}${enter}`],
        ],
      )
      expect(shown.text).not.toContain('NOT ASKED')
      expect(shown.code).toBe(0)
      const toml = readFileSync(join(home, 'guard.toml'), 'utf8')
      expect(toml).toContain(`name = "bot${'\u{1f916}'.repeat(40)}"`)
    })

    test('mainnet says what will happen, and takes an equity cap and the account typed again', async () => {
      const home = bench.path('main')
      const shown = await atGuard(
        ['init', '--home', home, '--venue-url', bench.simulator.url],
        [
          ['What may this Guard do?', `${down}${down}${enter}`],
          ['The trading account', `${bench.account}${enter}`],
          ['The most equity', `500${enter}`],
          ['Which rules?', enter],
          ['Take these rules?', `y`],
          ['Type the account to confirm', `0x1234${enter}`],
        ],
      )
      expect(shown.code).toBe(2)
      expect(shown.text).toContain('REAL MONEY')
      expect(shown.text).toContain('sized from at most $500.00 of equity')
      expect(shown.text).toContain('that is not the account; nothing was changed')
      expect(existsSync(home)).toBe(false)
    })

    test('Ctrl-C leaves it, and nothing was written', async () => {
      const home = bench.path('left')
      const shown = await atGuard(['init', '--home', home], [['What may this Guard do?', '\u0003']])
      expect(shown.code).toBe(2)
      expect(shown.text).toContain('Nothing was written.')
      expect(existsSync(home)).toBe(false)
    })

    test('a passphrase is asked for where it is needed, and a person sees a new client key', async () => {
      const init = await guard(bench.initArgs('asked'))
      expect(init.code).toBe(0)
      const home = bench.path('asked')
      const run = await atGuard(
        ['run', '--home', home, '--listen', '127.0.0.1:0'],
        [
          ['Passphrase of the API wallet key', `${passphrase}${enter}`],
          ['bots are served', '\u0003'],
        ],
      )
      expect(run.code).toBe(0)
      expect(run.raw).not.toContain(passphrase)
      expect(run.text).toContain('in testnet mode')
      const added = await atGuard(['client', 'add', '--home', home], [])
      expect(added.text).toMatch(/shown only now: 0x[0-9a-f]{64}/)
    })
  },
)
