import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { ask } from './cli.fixture.ts'
import { errorOutput } from '../../test/cli/outputSchemas.fixture.ts'
import { labCommands } from '../../lab/commands/labCommands.ts'
import { createProgram } from './program.ts'
import { processTerminal } from './terminal.ts'

const nowhere = '/nonexistent/guard-home'

interface Leaf {
  readonly path: string
  readonly command: Command
}

function leavesOf(command: Command, path: readonly string[] = []): Leaf[] {
  const own = command.commands.flatMap((child) => leavesOf(child, [...path, child.name()]))
  const isLeaf = command.commands.length === 0 || command.name() === 'kill'
  return isLeaf ? [{ path: path.join(' '), command }, ...own] : own
}

const leaves = leavesOf(createProgram(processTerminal, labCommands)).filter(
  ({ path }) => path !== '',
)

test('the version is the package’s', async () => {
  const text = readFileSync(resolve(import.meta.dirname, '../../package.json'), 'utf8')
  const { version } = JSON.parse(text) as { version: string }
  expect(await ask(['--version'])).toMatchObject({ code: 0, out: `${version}\n` })
})

test('without a command it says how to begin', async () => {
  const { code, out } = await ask([])
  expect(code).toBe(0)
  expect(out).toContain('guard demo')
  expect(out).toContain('Exit codes: 0 done, 1 failed, 2 refused')
})

test.each(leaves)('guard $path teaches: what, an example, what next', async ({ path }) => {
  const { code, out } = await ask([...path.split(' '), '--help'])
  expect(code).toBe(0)
  expect(out).toContain(`Usage: guard ${path}`)
  expect(out).toMatch(/Examples:\n {2}guard /)
  expect(out).toMatch(/\nNext: \S/)
})

test.each(leaves)('guard $path takes --home, and --json where it prints', ({ path, command }) => {
  const flags = command.options.map((option) => option.long)
  expect(flags).toContain('--home')
  expect(flags, path).toContain('--json')
})

const refusals: readonly [string, readonly string[], string][] = [
  ['an unknown command', ['nonsense'], "unknown command 'nonsense'"],
  ['a misspelt command', ['kil'], 'Did you mean kill?'],
  ['an unknown flag', ['status', '--frobnicate'], "unknown option '--frobnicate'"],
  ['a port out of range', ['demo', '--port', '70000'], 'a whole number from 0 to 65535'],
  ['a speed out of range', ['demo', '--speed', '0'], 'from 0.1 to 100'],
  ['a seed that is no number', ['sim', '--seed', 'x'], 'a whole number from 0'],
  ['a scenario nobody knows', ['sim', '--port', '0', '--scenario', 'nope'], 'calm, trend, crash'],
  ['a shell nobody knows', ['completion', 'tcsh'], 'Allowed choices are bash, zsh, fish'],
  [
    'a name that steers a terminal',
    ['client', 'add', '--out', 'new.key', '--name', '\u001b]0;pwned\u0007\u202e'],
    '--name must be 1 to 64 printable characters, not only spaces; not "\\u{1b}]0;pwned\\u{7}\\u{202e}"',
  ],
  [
    'a name of more than 64 characters',
    ['client', 'add', '--out', 'new.key', '--name', '\u{1f916}'.repeat(65)],
    '--name must be 1 to 64 printable characters',
  ],
  [
    'such a name of the first client',
    ['init', '--client-name', '\u{1f916}'.repeat(65)],
    'It must be 1 to 64 printable characters, not only spaces.',
  ],
  [
    'a first client without a name',
    ['init', '--client-name', ''],
    'It must be 1 to 64 printable characters, not only spaces.',
  ],
  [
    'a name of two lines',
    ['client', 'add', '--out', 'new.key', '--name', 'a\nb = {}'],
    'not "a\\nb = {}"',
  ],
  ['no address', ['client', 'revoke', 'bob'], "address 'bob' is invalid. It must be an address"],
  ['no nonce', ['decision', '-5'], "nonce '-5' is invalid. It must be a whole number"],
  ['a kind nobody knows', ['events', '--kind', 'foo'], 'started, decision, sent'],
  ['no size', ['preview', '--coin', 'ETH', '--side', 'buy'], "'--size <size>' not specified"],
  [
    'a TWAP with a price',
    'preview --coin ETH --side buy --size 1 --minutes 30 --price 2000'.split(' '),
    'neither --price nor --stop',
  ],
  ['a size of nothing', ['preview', '--size', '0'], 'above zero'],
  ['no side', ['preview', '--side', 'up'], 'Allowed choices are buy, sell'],
  ['no reason', ['kill'], 'a reason is needed: --reason "..."'],
  [
    'an empty reason',
    ['kill', '--reason', ' '],
    '--reason must have 1 to 200 printable characters',
  ],
  ['no home', ['kill', '--reason', 'x', '--home', ''], 'It must name a directory'],
  ['a flag before its command', ['--home', nowhere, 'status'], 'flags come after the command'],
  [
    'a faucet that gives nothing',
    ['sim', '--faucet', 'x'],
    "option '--faucet <usdc>' argument 'x'",
  ],
  ['a reason of two lines', ['kill', '--reason', 'a\nb'], 'printable characters'],
  ['a reason too long', ['kill', '--reason', 'x'.repeat(201)], '1 to 200'],
  [
    'a mode nobody knows',
    ['init', '--mode', 'live'],
    'Allowed choices are paper, testnet, mainnet',
  ],
  ['no set-up', ['status'], 'there is no Guard set up in /nonexistent/guard-home'],
  ['no set-up to run', ['run'], 'set one up with: guard init'],
  ['no set-up to release', ['kill', 'release', '--reason', 'x'], 'there is no Guard set up'],
  ['no set-up to resume', ['resume', '--reason', 'x'], 'there is no Guard set up'],
]

describe.each(refusals)('%s', (_name, args, text) => {
  // A refused kill must not have made a home: these never get that far.
  const env = { GUARD_HOME: nowhere }

  test('is refused with exit code 2 and a reason on standard error', async () => {
    const { code, out, err } = await ask(args, { env })
    expect(code).toBe(2)
    expect(out).toBe('')
    expect(err).toMatch(/^guard: /)
    expect(err).toContain(text)
  })

  test('is JSON where JSON was asked for', async () => {
    const { code, json } = await ask([...args, '--json'], { env })
    expect(code).toBe(2)
    expect(errorOutput.parse(json()).error.code).toBe(2)
  })
})

const typedKey = `0x${'ab'.repeat(32)}`

test.each([
  ['in place of a command', [typedKey]],
  ['in place of a file', ['init', '--mode', 'testnet', '--key-file', typedKey]],
  ['in place of an account', ['init', '--account', typedKey]],
  ['in place of a client', ['client', 'revoke', typedKey]],
  ['in place of a nonce', ['decision', typedKey]],
  ['in place of a rules file', ['rules', 'encode', typedKey]],
  ['in place of a home', ['status', '--home', typedKey]],
  ['behind a flag nobody knows', ['run', `--key=${typedKey}`]],
])('a private key typed %s is refused and not repeated', async (_where, args) => {
  for (const more of [[], ['--json']]) {
    const { code, out, err } = await ask([...args, ...more], { env: { GUARD_HOME: nowhere } })
    expect(code).toBe(2)
    expect(out + err).not.toContain('abab')
  }
})

test('what the system refuses is told in its words, not as a bug', async () => {
  const { code, err, json } = await ask([
    ...['init', '--mode', 'paper', '--account', `0x${'12'.repeat(20)}`, '--json'],
    ...['--client-key-out', '/nonexistent/key', '--home', '/dev/null/guard'],
  ])
  expect(code).toBe(1)
  expect(err).toMatch(/^guard: ENOTDIR: not a directory/)
  expect(errorOutput.parse(json()).error.code).toBe(1)
})

test('what init lacks is named all at once', async () => {
  const { code, err } = await ask(['init', '--mode', 'mainnet'], { env: { GUARD_HOME: nowhere } })
  expect(code).toBe(2)
  for (const flag of ['--account', '--key-file', '--equity-cap', '--confirm-mainnet']) {
    expect(err).toContain(flag)
  }
})

test.each(['bash', 'zsh', 'fish'])(
  'completion for %s names every command and its flags',
  async (shell) => {
    const { code, out } = await ask(['completion', shell])
    expect(code).toBe(0)
    for (const { path } of leaves) expect(out).toContain(path)
    expect(out).toContain('confirm-mainnet')
  },
)
