import { homedir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readConfig } from './readConfig.ts'

const account = `0x${'a'.repeat(40)}`
const client = `0x${'1'.repeat(40)}`

function problemsOf(text: string): string[] {
  const read = readConfig(text, '/home/guard')
  return read.ok ? [] : read.error
}

const least = `mode = "testnet"\naccount = "${account}"\n`

describe('guard.toml', () => {
  test('the least is enough, and the rest has defaults', () => {
    const read = readConfig(least, '/home/guard')
    if (!read.ok) throw new Error(read.error.join())
    const { rules, ...rest } = read.value
    expect(rest).toEqual({
      mode: 'testnet',
      account,
      listen: { host: '127.0.0.1', port: 8547 },
      exposedHosts: null,
      readTokenFile: null,
      stateDir: '/home/guard/state',
      emergencyDir: null,
      fleetUrlFile: null,
      hostDir: join(homedir(), '.guard-host'),
      keepDays: null,
      venue: {
        url: 'https://api.hyperliquid-testnet.xyz',
        wsUrl: 'wss://api.hyperliquid-testnet.xyz/ws',
        network: 'testnet',
        apiWallet: null,
        builders: [],
        via: null,
        weightPerMinute: 1_200,
        timeoutMs: 5_000,
      },
      keyFile: '/home/guard/api-wallet.json',
      passphraseFile: null,
      clients: new Map(),
      alerts: {},
    })
    expect(rules.rules.riskPerTrade.toString()).toBe('0.02')
  })

  test('every violation is told at once, each with its line', () => {
    const text = `mode = "live"
account = "0x12"
liste = "x"
[venue]
timeout_ms = 1
[rules]
risk_per_trade = "9%"
opn_risk = "1%"
`
    const problems = problemsOf(text)
    expect(problems.map((line) => line.split(':').slice(0, 2).join(':'))).toEqual([
      'line 1: mode',
      'line 2: account',
      'line 3: liste',
      'line 5: venue.timeout_ms',
      'line 7: rules.risk_per_trade',
      'line 8: rules.opn_risk',
    ])
    expect(problems[4]).toContain('5%')
  })

  test('what its shape refuses hides nothing else that is wrong', () => {
    const text = `mode = "mainnet"
account = "${account}"
listen = "x"
liste = "x"
[venue]
ws_url = "http://example.org"
timeout_ms = 1
[clients]
"${client}" = { nme = "x" }
[rules]
risk_per_trade = "9%"
[market.BTC]
risk_per_trade = "4%"
max_leverage = "7"
[client."0x12"]
[client."${client}"]
max_leverage = "6"
[fleet]
[alerts.sms]
`
    const read = readConfig(text, '/home/guard', () => [{ path: ['alerts', 'sms'], text: 'no' }])
    const problems = read.ok ? [] : read.error
    expect(problems.map((line) => line.split(':').slice(0, 2).join(':'))).toEqual([
      'line 3: listen',
      'line 4: liste',
      'line 6: venue.ws_url',
      'line 7: venue.timeout_ms',
      `line 9: clients.${client}.name`,
      `line 9: clients.${client}.nme`,
      'line 11: rules.risk_per_trade',
      'line 14: market.BTC.max_leverage',
      'line 15: client.0x12',
      `line 17: client.${client}.max_leverage`,
      'line 18: fleet.url_file',
      'line 19: alerts.sms',
    ])
  })

  test('with a mode and an account that cannot be read the rest is looked at', () => {
    const problems = problemsOf(`mode = "live"\naccount = 5\nlisten = "0.0.0.0:1"\n`)
    expect(problems.map((line) => line.split(':')[0])).toEqual(['line 1', 'line 2', 'line 3'])
  })

  test.each([
    ['not TOML', 'mode = ', /^line 1: /],
    ['listening beyond this machine', `${least}listen = "0.0.0.0:8547"\n`, /other machines/],
    [
      'exposed without a token',
      `${least}listen = "0.0.0.0:1"\nexpose = "other machines may reach Guard"\n`,
      /read_token_file/,
    ],
    ['a port out of range', `${least}listen = "127.0.0.1:99999"\n`, /65535/],
    ['plain http to another machine', `${least}[venue]\nurl = "http://example.org"\n`, /https:/],
    ['a ftp venue', `${least}[venue]\nurl = "ftp://x"\n`, /https:/],
    ['no URL', `${least}[venue]\nurl = "x"\n`, /URL/],
    ['the wrong network for the mode', `${least}[venue]\nnetwork = "mainnet"\n`, /testnet/],
    [
      'mainnet’s address in testnet mode',
      `${least}[venue]\nurl = "https://api.hyperliquid.xyz"\n`,
      /mainnet address/,
    ],
    [
      'the same, written in another way',
      `${least}[venue]\nurl = "HTTPS://API.Hyperliquid.XYZ:443/"\n`,
      /mainnet address/,
    ],
    ['mainnet without a cap', `mode = "mainnet"\naccount = "${account}"\n`, /equity_cap/],
    [
      'a client section for nobody',
      `${least}[client."${client}"]\nmarkets = ["BTC"]\n`,
      /not in \[clients\]/,
    ],
    [
      'the account as a client',
      `${least}[clients]\n"${account}" = { name = "x" }\n`,
      /trading account/,
    ],
    ['the account as its own owner', `${least}[venue]\nvia = "${account}"\n`, /account itself/],
    [
      'the API wallet as the owner',
      `${least}[venue]\napi_wallet = "${client}"\nvia = "${client}"\n`,
      /is the API wallet/,
    ],
    [
      'the owner as a client',
      `${least}[venue]\nvia = "${client}"\n[clients]\n"${client}" = { name = "x" }\n`,
      /the owner of the trading account/,
    ],
    ['a client without a name', `${least}[clients]\n"${client}" = {}\n`, /name/],
    ['a client that is no address', `${least}[clients]\nbot = { name = "x" }\n`, /address/],
    ['a looser market', `${least}[market.BTC]\nrisk_per_trade = "3%"\n`, /looser/],
  ])('%s is refused', (_name, text, why) => {
    expect(problemsOf(text).join('\n')).toMatch(why)
  })

  test.each([
    ['paper', '', 'mainnet', 'https://api.hyperliquid.xyz'],
    ['paper', 'network = "testnet"', 'testnet', 'https://api.hyperliquid-testnet.xyz'],
    ['paper', 'url = "http://127.0.0.1:3001/"', 'testnet', 'http://127.0.0.1:3001'],
    ['testnet', 'url = "http://[::1]:3001"', 'testnet', 'http://[::1]:3001'],
  ])('%s mode with %s reads %s', (mode, line, network, url) => {
    const text = `mode = "${mode}"\naccount = "${account}"\n[venue]\n${line}\n`
    const read = readConfig(text, '/home/guard')
    expect(read.ok && read.value.venue).toMatchObject({ network, url })
  })
})
