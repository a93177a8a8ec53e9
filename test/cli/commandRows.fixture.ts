import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { ZodType } from 'zod'
import { ask, said } from '../../src/cli/cli.fixture.ts'
import type { Said } from '../../src/cli/cli.fixture.ts'
import * as output from './outputSchemas.fixture.ts'
import { guardEvent } from '../../src/gateway/schema/events.ts'
import { decisionReply, previewReply } from '../../src/gateway/schema/replies.ts'
import { status } from '../../src/gateway/schema/status.ts'
import { ChainKey } from '../../src/journal/chainKey.ts'
import { MemoryIndex } from '../../src/journal/memoryIndex.ts'
import { nodeIo } from '../../src/journal/nodeIo.ts'
import { openJournal } from '../../src/journal/openJournal.ts'
import { systemClock } from '../../src/system/systemClock.ts'
import { systemTimers } from '../../src/system/systemTimers.ts'
import { isPostgresThere } from '../../src/fleet/postgres.fixture.ts'
import { guard, untilStopped } from './program.fixture.ts'
import { takenPort, untilSeen } from './stage.fixture.ts'
import type { Stage } from './stage.fixture.ts'

/** An id that no order has. */
const noOrder = `0x${'0'.repeat(32)}`

/** One way a command is refused: what is given, its exit code, and words of the reason. */
export type Refusal = readonly [
  why: string,
  args: (stage: Stage) => readonly string[],
  code: 1 | 2 | 3,
  text: string,
]

/** One command: how it succeeds, what it prints then, and each way it is refused. */
interface Row {
  readonly success: (stage: Stage) => Promise<Said>
  readonly schema: ZodType
  /** One JSON document, or one in each line. */
  readonly isLines?: true
  /** What it needs to succeed is not installed here. */
  readonly isSkipped?: boolean
  /** What it cannot do without, so that another refusal shows. */
  readonly needs?: readonly string[]
  readonly refusals: readonly Refusal[]
}

const nowhere = ['--home', '/nonexistent/guard-home']
const notSetUp: Refusal = ['no set-up', () => nowhere, 2, 'there is no Guard set up in']
const needsRunning = (...args: string[]): readonly Refusal[] => [
  ['no set-up', () => [...args, ...nowhere], 2, 'there is no Guard set up in'],
  ['no Guard that runs', (stage) => [...args, ...stage.on('still')], 3, 'start it with: guard run'],
]
const reviews = (...args: string[]): readonly Refusal[] => [
  ['no reason', () => [], 2, 'a reason is needed: --reason "..."'],
  ['no set-up', () => [...args, ...nowhere], 2, 'there is no Guard set up in'],
  ['nobody to ask', () => args, 2, 'is needed where nobody can be asked'],
  ['another account', ({ bench }) => [...args, '--confirm', bench.wallet], 2, 'trades for'],
  ['a Guard that runs', ({ bench }) => [...args, '--confirm', bench.account], 2, 'stop it first'],
]
const confirmed = ({ bench }: Stage): string[] => ['--reason', 'x', '--confirm', bench.account]

function alertsHome(stage: Stage, url: string): string[] {
  const file = stage.bench.path('still', 'guard.toml')
  const home = stage.bench.path(`alerts-${url.slice(-5)}`)
  mkdirSync(home, { recursive: true })
  const text = readFileSync(file, 'utf8')
  writeFileSync(
    `${home}/guard.toml`,
    `${text}\n[alerts.ntfy]\ntopic = "guard"\nbase_url = "${url}"\n`,
  )
  return ['--home', home]
}

/** A journal as the Guard of another API wallet of the same account left it. */
async function writtenWithAnotherKey({ bench }: Stage, home: string): Promise<void> {
  const identity = { account: bench.account, network: 'testnet' }
  const { journal } = await openJournal({
    ...{ directory: bench.path(home, 'state', 'journal'), identity, io: nodeIo },
    ...{ clock: systemClock, timers: systemTimers, log: { log: () => undefined } },
    key: ChainKey.of(Buffer.alloc(32, 5), identity),
    openIndex: () => new MemoryIndex(),
  })
  await journal.append({ kind: 'error', text: 'of another key' }, 'now').durable
  await journal.close()
}

/** Everything a change of the key is told by flags. */
function keyArgs({ bench }: Stage, ...before: string[]): string[] {
  return [
    ...[...before, '--confirm', bench.account, '--key-file', bench.path('wallet.key')],
    ...['--passphrase-file', bench.path('pass')],
  ]
}

function withToml(stage: Stage, name: string, text: string): string[] {
  const home = stage.bench.path(name)
  mkdirSync(home, { recursive: true })
  writeFileSync(`${home}/guard.toml`, text)
  return ['--home', home]
}
function brokenLedger(stage: Stage): string[] {
  const args = withToml(stage, 'odd-host', '[host]\ndir = "."\n')
  stage.bench.secret(
    'odd-host/ledger.db',
    'no database at all, only words that somebody wrote here',
  )
  return args
}
const broken = (stage: Stage): string[] => withToml(stage, 'broken', 'mode = "live"\n')

const order = ['--coin', 'ETH', '--side', 'buy', '--size', '0.1']
const attacked = (stage: Stage, url: string): string[] => [
  ...['--url', url, '--client-key-file', stage.bench.path('home.client')],
]

const fleetName = `0x${'f1'.repeat(20)}`
const unreached = (...args: string[]): Refusal => [
  'a store that is not there',
  ({ bench }) => [
    ...[...args, '--url-file'],
    bench.secret('nobody.url', 'postgresql://me@127.0.0.1:1/x\n'),
  ],
  3,
  'the store was not reached',
]
const noUrl = (...args: string[]): Refusal => [
  'no URL',
  () => [...args, '--url-file', '/nonexistent/x.url'],
  2,
  'cannot be read (ENOENT)',
]
const fleetAdd = ['--name', 'desk-1', '--account', fleetName, '--network', 'testnet']
const fleetLimit = ['--scope', 'fleet', '--kind', 'open_risk', '--usd', '1000']
const fleetKill = ['--scope', 'fleet', '--reason', 'drill']
/** A `guard fleet` command on a store of this test; they build on each other, in this order. */
async function onFleet(stage: Stage, ...args: string[]): Promise<Said> {
  const file = stage.bench.secret('owner.url', (await stage.postgres()).url())
  return await stage.run(['fleet', ...args, '--url-file', file])
}

const mcpToken = 'a-token-for-the-agents-host\n'
const agentHttp = ({ bench }: Stage): string[] => [
  ...['--http', '127.0.0.1:0', '--token-file', bench.secret('mcp.token', mcpToken)],
]

/** Every command of contract and tree; the test compares the names with the tree itself. */
export const rows: Record<string, Row> = {
  demo: {
    success: () =>
      untilSeen(
        ['demo', '--json', '--port', '0', '--sim-port', '0', '--speed', '100'],
        /"over":true/,
      ),
    schema: output.demoLine,
    isLines: true,
    refusals: [
      ['a port out of range', () => ['--port', '65536'], 2, 'a whole number from 0 to 65535'],
      ['a speed out of range', () => ['--speed', '101'], 2, 'from 0.1 to 100'],
    ],
  },
  init: {
    success: ({ bench }) => ask(bench.initArgs('new', '--json')),
    schema: output.initOutput,
    refusals: [
      ['nothing told', () => nowhere, 2, 'more is needed to set up a Guard'],
      [
        'a home that is set up',
        ({ bench }) => bench.initArgs('home').slice(1),
        2,
        'is set up already',
      ],
      ['a mode nobody knows', () => ['--mode', 'live'], 2, 'paper, testnet, mainnet'],
      ['no address', () => [...nowhere, '--listen', 'here'], 2, '--listen must be HOST:PORT'],
      [
        'an open address',
        () => [...nowhere, '--listen', '0.0.0.0:1'],
        2,
        'other machines could reach it',
      ],
    ],
  },
  run: {
    success: ({ running }) => Promise.resolve(said(0, running.err, '')),
    schema: output.logLine,
    isLines: true,
    refusals: [
      notSetUp,
      ['no address', () => ['--listen', 'here'], 2, '--listen must be HOST:PORT'],
      ['an open address', () => ['--listen', '0.0.0.0:0'], 2, 'other machines could reach it'],
      ['a configuration that is not valid', broken, 2, 'is not valid'],
    ],
  },
  status: { success: (stage) => stage.run(['status']), schema: status, refusals: needsRunning() },
  events: {
    success: (stage) => stage.run(['events']),
    schema: guardEvent,
    isLines: true,
    refusals: [
      ...needsRunning(),
      ['a kind nobody knows', () => ['--kind', 'x'], 2, 'It must name some of started, decision'],
      ['no number', () => ['--since', '-1'], 2, 'a whole number from 0'],
    ],
  },
  decision: {
    success: async (stage) => stage.run(['decision', await stage.nonce()]),
    schema: decisionReply,
    refusals: [
      ...needsRunning('5'),
      ['a nonce nobody signed', () => ['5'], 1, 'no decision for nonce 5 is in the journal'],
      ['no nonce', () => [], 2, 'a decision is asked for by its nonce or by --cloid'],
      ['both', () => ['5', '--cloid', noOrder], 2, 'by its nonce or by --cloid, not by both'],
      ['an id nobody used', () => ['--cloid', noOrder], 1, `no decision for cloid ${noOrder}`],
      ['no id', () => ['--cloid', '0x12'], 2, 'It must be a client order id'],
    ],
  },
  preview: {
    success: (stage) => stage.run(['preview', ...order]),
    schema: previewReply,
    needs: order,
    refusals: [
      ...needsRunning(...order),
      ['no such market', () => ['--coin', 'eth', ...order.slice(2)], 2, 'did you mean ETH?'],
      ['a size of nothing', () => [...order.slice(0, 5), '0'], 2, 'above zero'],
      ['no order at all', () => [], 2, "required option '--coin <name>' not specified"],
    ],
  },
  kill: {
    success: (stage) => stage.run(['kill', '--reason', 'drill', ...stage.on('still')]),
    schema: output.killOutput,
    refusals: [
      ['no reason', () => [], 2, 'a reason is needed: --reason "..."'],
      ['an empty reason', () => ['--reason', ' '], 2, '1 to 200 printable characters'],
      [
        'a home that cannot be written',
        () => ['--reason', 'x', '--home', '/dev/null'],
        1,
        'the kill file could not be written',
      ],
      [
        'every Guard of a host without one',
        (stage) => [
          '--all',
          '--reason',
          'x',
          ...withToml(stage, 'no-host', '[host]\ndir = "none"\n'),
        ],
        3,
        'no Guard has run on this host',
      ],
    ],
  },
  accounts: {
    success: (stage) => stage.run(['accounts']),
    schema: output.accountsOutput,
    refusals: [['a ledger that is none', brokenLedger, 1, 'cannot be read']],
  },
  'fleet init': {
    isSkipped: !isPostgresThere,
    success: (stage) => onFleet(stage, 'init'),
    schema: output.fleetInitOutput,
    needs: ['--url-file', 'x'],
    refusals: [noUrl(), unreached()],
  },
  'fleet add': {
    isSkipped: !isPostgresThere,
    success: (stage) => onFleet(stage, 'add', ...fleetAdd, '--out', stage.bench.path('desk-1.url')),
    schema: output.fleetAddOutput,
    needs: [...fleetAdd, '--out', 'x'],
    refusals: [
      noUrl(...fleetAdd, '--out', '/nonexistent/new.url'),
      unreached(...fleetAdd, '--out', '/nonexistent/new.url'),
      ['a name that is none', () => ['--name', ' '], 2, '1 to 64 letters, digits'],
    ],
  },
  'fleet kill': {
    isSkipped: !isPostgresThere,
    success: (stage) => onFleet(stage, 'kill', ...fleetKill, '--wait', '1s'),
    schema: output.fleetKillOutput,
    needs: fleetKill,
    refusals: [
      noUrl(...fleetKill),
      unreached(...fleetKill),
      ['no reason', () => ['--scope', 'fleet'], 2, 'a reason is needed'],
      ['no scope', () => ['--scope', 'all'], 2, 'It must be fleet, group:NAME'],
    ],
  },
  'fleet clear': {
    isSkipped: !isPostgresThere,
    success: (stage) => onFleet(stage, 'clear', '--scope', 'fleet'),
    schema: output.fleetClearOutput,
    needs: ['--scope', 'fleet'],
    refusals: [noUrl('--scope', 'fleet'), unreached('--scope', 'fleet')],
  },
  'fleet limit': {
    isSkipped: !isPostgresThere,
    success: (stage) => onFleet(stage, 'limit', ...fleetLimit),
    schema: output.fleetLimitOutput,
    needs: fleetLimit,
    refusals: [
      noUrl(...fleetLimit),
      unreached(...fleetLimit),
      ['no scope', () => ['--usd', '1'], 2, '--scope and --kind say which'],
      ['no kind', () => ['--kind', 'money'], 2, 'open_risk, gross_value'],
    ],
  },
  'fleet retire': {
    isSkipped: !isPostgresThere,
    success: (stage) => onFleet(stage, 'retire', '--name', 'desk-1'),
    schema: output.fleetRetireOutput,
    needs: ['--name', 'desk-1'],
    refusals: [noUrl('--name', 'desk-1'), unreached('--name', 'desk-1')],
  },
  'fleet verify': {
    isSkipped: !isPostgresThere,
    success: (stage) => onFleet(stage, 'verify'),
    schema: output.fleetVerifyOutput,
    refusals: [
      noUrl(),
      unreached(),
      ['no month', () => ['--kept-from', 'x'], 2, 'such as 2026-02'],
    ],
  },
  'fleet watch': {
    isSkipped: !isPostgresThere,
    success: async (stage) => {
      const file = stage.bench.secret('owner.url', (await stage.postgres()).url())
      const where = ['--url-file', file, '--listen', '127.0.0.1:0']
      return await untilSeen(['fleet', 'watch', '--json', ...where], /^\{.*\}$/m)
    },
    schema: output.fleetWatchOutput,
    isLines: true,
    refusals: [
      noUrl(),
      ['an open address', () => ['--listen', '0.0.0.0:1'], 2, 'other machines could reach it'],
      ['a loss of nothing', () => ['--loss-stop', 'fleet=0'], 2, 'It must be SCOPE=USD'],
      [
        'a loss stop that may not kill',
        ({ bench }) => [
          ...['--loss-stop', 'fleet=10', '--url-file'],
          bench.secret('nobody.url', 'postgresql://me@127.0.0.1:1/x\n'),
        ],
        2,
        'it needs an operator’s URL',
      ],
      [
        'no token where others may reach it',
        () => ['--expose', 'other machines may reach Guard'],
        2,
        '--expose needs a token',
      ],
    ],
  },
  'fleet demo': {
    isSkipped: !isPostgresThere,
    success: () => guard(['fleet', 'demo', '--json', '--once', '--port', '0']),
    schema: output.fleetDemoLine,
    isLines: true,
    refusals: [['no port', () => ['--port', 'x'], 2, 'It must be a whole number from 0 to 65535']],
  },
  'kill release': {
    success: (stage) => stage.run(['kill', 'release', ...confirmed(stage), ...stage.on('still')]),
    schema: output.releaseOutput,
    refusals: [
      ...reviews('--reason', 'x'),
      [
        'a switch that is not latched',
        (stage) => [...confirmed(stage), ...stage.on('new')],
        2,
        'there is nothing to release',
      ],
    ],
  },
  'actions buy': {
    success: (stage) => {
      const args = ['actions', 'buy', '2000', '--confirm', stage.bench.account]
      return stage.run([...args, ...stage.on('still')])
    },
    schema: output.actionsBuyOutput,
    needs: ['2000'],
    refusals: [
      ['no count', () => [], 2, "missing required argument 'count'"],
      ['none', () => ['0'], 2, 'It must be a whole number from 1 to 100000.'],
      ['no set-up', () => ['2000', ...nowhere], 2, 'there is no Guard set up in'],
      ['nobody to ask', () => ['2000'], 2, 'is needed where nobody can be asked'],
      ['another account', ({ bench }) => ['2000', '--confirm', bench.wallet], 2, 'trades for'],
      [
        'a Guard that runs',
        ({ bench }) => ['2000', '--confirm', bench.account],
        2,
        'stop it first',
      ],
    ],
  },
  'client add': {
    success: (stage) => stage.run(['client', 'add', '--out', stage.bench.path('add.key')]),
    schema: output.clientAddOutput,
    refusals: [
      [
        'no set-up',
        () => ['--out', '/nonexistent/key', ...nowhere],
        2,
        'there is no Guard set up in',
      ],
      ['nowhere to write it', () => [], 2, '--out FILE is needed'],
      ['a file that is there', (stage) => ['--out', stage.bench.path('pass')], 2, 'exists already'],
      [
        'a folder that is not',
        () => ['--out', '/nonexistent/key'],
        2,
        'cannot be written (ENOENT)',
      ],
      ['no name', () => ['--out', '/nonexistent/key', '--name', ''], 2, '1 to 64 printable'],
      ['a blank name', () => ['--out', '/nonexistent/key', '--name', '  '], 2, 'not only spaces'],
      [
        'a name that steers a terminal',
        () => ['--out', '/nonexistent/key', '--name', '\u001b]0;pwned\u0007'],
        2,
        '--name must be 1 to 64 printable characters, not only spaces; not "\\u{1b}]0;pwned\\u{7}"',
      ],
      [
        'a name of two lines',
        () => ['--out', '/nonexistent/key', '--name', 'a\nb = {}'],
        2,
        'not "a\\nb = {}"',
      ],
      [
        'a name that turns the direction',
        () => ['--out', '/nonexistent/key', '--name', 'a\u202eb'],
        2,
        'not "a\\u{202e}b"',
      ],
    ],
  },
  'client list': {
    success: (stage) => stage.run(['client', 'list']),
    schema: output.clientListOutput,
    refusals: [notSetUp, ['a configuration that is not valid', broken, 2, 'line 1: mode']],
  },
  'client revoke': {
    success: async (stage) => {
      const { clients } = output.clientListOutput.parse(
        (await stage.run(['client', 'list'])).json(),
      )
      return await stage.run(['client', 'revoke', clients.at(-1)?.address ?? ''])
    },
    schema: output.clientRevokeOutput,
    refusals: [
      ['no address', () => ['bob'], 2, "address 'bob' is invalid. It must be an address"],
      ['no client', (stage) => [stage.bench.wallet], 1, 'is not a client'],
      ['no set-up', (stage) => [stage.bench.wallet, ...nowhere], 2, 'there is no Guard set up in'],
    ],
  },
  'key replace': {
    success: async (stage) => {
      await ask(stage.bench.initArgs('replaced'))
      await writtenWithAnotherKey(stage, 'replaced')
      return await stage.run([...keyArgs(stage, 'key', 'replace'), ...stage.on('replaced')])
    },
    schema: output.keyReplaceOutput,
    refusals: [
      notSetUp,
      ['a Guard that runs', (stage) => keyArgs(stage), 2, 'stop it first'],
      ['nobody to ask', (stage) => stage.on('still'), 2, 'is needed where nobody can be asked'],
      [
        'no key',
        (stage) => ['--confirm', stage.bench.account, ...stage.on('still')],
        2,
        '--key-file FILE or --key-stdin',
      ],
      [
        "the account's own key",
        (stage) => [
          ...['--confirm', stage.bench.account, '--key-file', stage.bench.path('own.key')],
          ...['--passphrase-file', stage.bench.path('pass'), ...stage.on('still')],
        ],
        2,
        "this is the account's own key",
      ],
      [
        'paper mode',
        (stage) =>
          withToml(stage, 'on-paper', `mode = "paper"\naccount = "${stage.bench.account}"\n`),
        2,
        'paper mode has no key',
      ],
    ],
  },
  'rules show': {
    success: (stage) => stage.run(['rules', 'show']),
    schema: output.rulesShowOutput,
    refusals: [notSetUp, ['a configuration that is not valid', broken, 2, 'is not valid']],
  },
  'rules check': {
    success: (stage) => stage.run(['rules', 'check']),
    schema: output.rulesCheckOutput,
    refusals: [notSetUp, ['a configuration that is not valid', broken, 2, 'line 1: mode']],
  },
  'rules encode': {
    success: (stage) => stage.run(['rules', 'encode'], '[rules]\nrisk_per_trade = "1%"\n'),
    schema: output.rulesEncodeOutput,
    refusals: [
      ['no such file', () => ['/nonexistent'], 2, '/nonexistent cannot be read (ENOENT)'],
      ['a folder', () => ['/'], 2, 'cannot be read (it is no regular file)'],
    ],
  },
  'rules decode': {
    success: (stage) => stage.run(['rules', 'decode', 'gr1_e30']),
    schema: output.rulesDecodeOutput,
    refusals: [
      ['no code', () => ['hello'], 2, 'must start with gr1_'],
      [
        'a code that is not canonical',
        () => ['gr1_eyJyaXNrX3Blcl90cmFkZSI6IjAuMDIifQ'],
        2,
        'this is not a rules code Guard takes',
      ],
      ['nothing', () => [], 2, "missing required argument 'code'"],
    ],
  },
  'rules diff': {
    success: (stage) => stage.run(['rules', 'diff', 'default', 'gr1_e30']),
    schema: output.rulesDiffOutput,
    refusals: [
      ['neither code nor file', () => ['default', 'b'], 2, 'a rules code (gr1_..), a file'],
      ['one of two', () => ['default'], 2, "missing required argument 'to'"],
    ],
  },
  backup: {
    success: (stage) => stage.run(['backup', stage.bench.path('backup-of-row')]),
    schema: output.backupOutput,
    needs: ['x'],
    refusals: [
      [
        'no set-up',
        ({ bench }) => [bench.path('none'), ...nowhere],
        2,
        'there is no Guard set up in',
      ],
      ['no target', () => [], 2, "missing required argument 'to'"],
      ['a target that is not empty', ({ bench }) => [bench.path('still')], 2, 'is not empty'],
      ['a file', ({ bench }) => [bench.path('pass')], 2, 'is a file'],
      ["Guard's own state", ({ bench }) => [bench.path('home', 'state', 'x')], 2, 'own state'],
    ],
  },
  restore: {
    success: async (stage) => {
      const from = stage.bench.path('backup-to-restore')
      await stage.run(['backup', from, ...stage.on('still')])
      return await stage.run(['restore', from, ...stage.on('restored-by-row')])
    },
    schema: output.restoreOutput,
    needs: ['x'],
    refusals: [
      ['no backup', ({ bench }) => [bench.path('nowhere')], 2, 'there is no backup at'],
      ['a copy by other means', ({ bench }) => [bench.path('still')], 2, 'is no whole backup'],
      ['no source', () => [], 2, "missing required argument 'from'"],
    ],
  },
  'journal rekey': {
    success: async (stage) => {
      await ask(stage.bench.initArgs('rekeyed'))
      await writtenWithAnotherKey(stage, 'rekeyed')
      const confirm = ['--confirm', stage.bench.account]
      return await stage.run(['journal', 'rekey', ...confirm, ...stage.on('rekeyed')])
    },
    schema: output.journalRekeyOutput,
    refusals: [
      notSetUp,
      ['nobody to ask', () => [], 2, 'is needed where nobody can be asked'],
      ['a Guard that runs', ({ bench }) => ['--confirm', bench.account], 2, 'stop it first'],
      [
        'no other key',
        (stage) => ['--confirm', stage.bench.account, ...stage.on('still')],
        2,
        'nothing was changed',
      ],
    ],
  },
  'journal verify': {
    success: (stage) => stage.run(['journal', 'verify']),
    schema: output.journalVerifyOutput,
    refusals: [['no journal', () => nowhere, 2, 'there is no journal at']],
  },
  'journal stats': {
    success: (stage) => stage.run(['journal', 'stats']),
    schema: output.journalStatsOutput,
    refusals: [['no journal', () => nowhere, 2, 'guard run writes it']],
  },
  'journal export': {
    success: (stage) => stage.run(['journal', 'export', '--since', '0']),
    schema: guardEvent,
    isLines: true,
    refusals: [
      ['no journal', () => nowhere, 2, 'there is no journal at'],
      [
        'an end before its beginning',
        () => ['--since', '5', '--until', '2'],
        2,
        'is after --until',
      ],
    ],
  },
  'alerts test': {
    success: async (stage) => {
      const port = await takenPort()
      return await stage.run(['alerts', 'test', ...alertsHome(stage, `http://127.0.0.1:${port}`)])
    },
    schema: output.alertsTestOutput,
    refusals: [notSetUp, ['nobody to tell', () => [], 2, 'no alert channel is set up']],
  },
  doctor: {
    success: (stage) => stage.run(['doctor']),
    schema: output.doctorOutput,
    refusals: [],
  },
  sim: {
    success: () => untilSeen(['sim', '--json', '--port', '0'], /^\}/m),
    schema: output.simOutput,
    refusals: [
      ['no scenario', () => ['--port', '0', '--scenario', 'x'], 2, 'calm, trend, crash'],
      ['no account', () => ['--account', 'x'], 2, 'must be an address'],
      ['no dexes', () => ['--port', '0', '--dexes', '/nonexistent'], 2, 'cannot be read (ENOENT)'],
      ['a faucet of nothing', () => ['--faucet', '0'], 2, 'It must be above zero'],
    ],
  },
  redteam: {
    success: (stage) =>
      stage.run(['redteam', ...attacked(stage, stage.url), '--only', 'funds and rights']),
    schema: output.redteamOutput,
    refusals: [
      ['no key', () => [], 2, '--client-key-file names a file with a client key'],
      ['no such file', () => ['--client-key-file', '/nonexistent'], 2, 'cannot be read (ENOENT)'],
      [
        'a key others can read',
        ({ bench }) => ['--client-key-file', bench.secret('open.client', 'x', 0o644)],
        2,
        'others may read it',
      ],
      ['nobody there', (stage) => attacked(stage, 'http://127.0.0.1:9'), 3, 'no Guard answers at'],
      ['no address', (stage) => attacked(stage, 'ftp://x'), 2, 'must be an address such as'],
      [
        'no such attack',
        (stage) => [...attacked(stage, stage.url), '--only', 'frobnicate'],
        2,
        'no attack is called frobnicate',
      ],
    ],
  },
  mcp: {
    success: (stage) =>
      untilSeen(['mcp', '--json', ...stage.on('home'), ...agentHttp(stage)], /^\}/m),
    schema: output.mcpOutput,
    refusals: [
      ['no Guard that runs', (stage) => stage.on('still'), 3, 'no Guard runs on'],
      ['no address', () => ['--url', 'x'], 2, 'must be an address such as'],
      ['--trade without a key', () => ['--trade'], 2, '--trade needs the client key'],
      ['no such file', () => ['--client-key-file', '/nonexistent'], 2, 'cannot be read (ENOENT)'],
      ['no key', ({ bench }) => ['--client-key-file', bench.path('pass')], 2, 'one private key'],
      ['--http without a token', () => ['--http', '127.0.0.1:0'], 2, '--http needs a token'],
      [
        'a token for nothing',
        ({ bench }) => ['--token-file', bench.path('pass')],
        2,
        'is for --http',
      ],
      [
        'an open address',
        ({ bench }) => ['--http', '0.0.0.0:1', '--token-file', bench.secret('mcp.token', mcpToken)],
        2,
        'other machines could reach it',
      ],
      [
        'a token that is too short',
        ({ bench }) => ['--http', '127.0.0.1:0', '--token-file', bench.secret('short', 'x')],
        2,
        'at least 16 visible characters',
      ],
    ],
  },
  bench: {
    // In a process of its own, as it starts more of its kind; it tells its progress meanwhile.
    success: async () => {
      const { code, out } = await guard(['bench', '--quick', '--only', 'judge', '--json'])
      return said(code, out, '')
    },
    schema: output.benchOutput,
    refusals: [['no such part', () => ['--only', 'x'], 2, 'Allowed choices are latency']],
  },
  completion: {
    success: (stage) => stage.run(['completion', 'bash']),
    schema: output.completionOutput,
    refusals: [['no such shell', () => ['tcsh'], 2, 'Allowed choices are bash, zsh, fish']],
  },
  resume: {
    // Last: the account falls, the running Guard halts, and is stopped for its review.
    success: async (stage) => {
      await stage.bench.reset('5000')
      await untilStopped(stage.url)
      await stage.running.stop()
      return await stage.run(['resume', ...confirmed(stage)])
    },
    schema: output.resumeOutput,
    refusals: [
      ...reviews('--reason', 'x'),
      [
        'a Guard that is not halted',
        (stage) => [...confirmed(stage), ...stage.on('still')],
        2,
        'Guard is not stopped by a drawdown halt',
      ],
    ],
  },
}
