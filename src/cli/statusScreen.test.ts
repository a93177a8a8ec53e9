import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import type { StatusView } from '../engine/statusView.ts'
import { statusScreen } from './statusScreen.ts'

const now = 1_794_700_000_000

const status: StatusView = {
  schema: 1,
  version: '0.1.0',
  mode: 'mainnet',
  network: 'mainnet',
  account: '0xe57e649e59fbed533f165ea135261236c39c2797',
  via: null,
  account_mode: 'unifiedAccount',
  started_at_ms: now - 90_000,
  now_ms: now,
  last_seq: 1_234_567,
  kill: { latched: false, reason: null, at_ms: null, durable: true },
  risk: {
    state: 'active',
    detail: null,
    equity: '123456.789',
    day_start_equity: '125000',
    peak_equity: '130000.5',
    day: '2026-11-15',
    daily_loss: '0.0123',
    daily_loss_limit: '0.06',
    drawdown: '0.0503',
    drawdown_limit: '0.25',
    open_risk: '6543.21',
    open_risk_limit: '7407.4',
  },
  entries: { pass: true, reason: null },
  rules: 'gr1_eyJyaXNrX3Blcl90cmFkZSI6IjAuMDEifQ',
  rules_decoded: {},
  clients: [],
  assumptions: { fee: '0.00045', slippage: '0.0001', stop_slippage: '0.1', funding: null },
  twaps: [
    {
      ...{ id: 7, coin: 'ETH', side: 'buy', size: '0.61', executed: '0.1', minutes: 30 },
      ...{ reduce_only: false, worst_price: '4120', stop: '3920', owner: 'bot' },
    },
  ],
  positions: [
    {
      coin: 'kPEPE',
      side: 'short',
      size: '12345678',
      entry_price: '0.0123456',
      mark_price: '0.0123456',
      risk: '1',
      value: '152415.48',
      unrealised_pnl: '-1234.5',
      leverage: 10,
      margin: 'isolated',
      liquidation_price: '569436.0854814815',
      covered: true,
      stops: [
        { oid: 1, price: '0.013', size: '12000000', owner: 'guard' },
        { oid: null, price: '0.0131', size: '345678', owner: 'bot' },
      ],
    },
    {
      coin: 'ETH',
      side: 'long',
      size: '3',
      entry_price: '2486.2',
      mark_price: null,
      risk: null,
      value: '7458.45',
      unrealised_pnl: '0.15',
      leverage: 20,
      margin: 'cross',
      liquidation_price: null,
      covered: false,
      stops: [],
    },
  ],
  cross: {
    ...{ dex: '', collateral: '9000', value: '40000', maintenance: '800', distance: '0.209183' },
  },
  cross_pools: [
    { dex: '', collateral: '9000', value: '40000', maintenance: '800', distance: '0.209183' },
  ],
  open_orders: 999,
  in_flight: 12,
  alerts: [],
  venue: {
    url: 'https://api.hyperliquid.xyz',
    stream: 'live',
    last_message_ms: now,
    last_reconcile_ms: now,
    weight_used_1m: 1_133,
    weight_limit_1m: 1_200,
  },
  host: null,
  fleet: null,
  journal: { path: '/x', events: 1_234_567, bytes: 1, last_sync_ms: now, error: null },
}

const linesAt = (view: StatusView, columns: number): string[] =>
  stripVTControlCharacters(statusScreen(view, columns)).split('\n')

test('a fleet is a line of its own, with every lease', () => {
  const parts = [
    { scope: 'fleet', kind: 'open_risk', held: '300', used: '87.5', budget: '1000' },
    { scope: 'group:desk', kind: 'coin_value:ETH', held: '5000', used: null, budget: '9000' },
  ]
  const fleet = {
    ...({ name: 'desk-1', group: 'desk', store: 'up' } as const),
    ...{ epoch: null, outbox_lag: 0 },
    writer: { state: 'held', at_host: null, held: true, epoch: 3, until_ms: now },
    lease: { spare_until_ms: now, ended: null, parts },
  } as const
  const shown = linesAt({ ...status, fleet }, 250).find((line) => line.includes('fleet desk-1'))
  expect(shown).toBe(
    '  fleet desk-1 of desk   store up   writer   open_risk of fleet: $87.50 of $300.00 leased, budget $1,000.00   coin_value:ETH of group:desk: - of $5,000.00 leased, budget $9,000.00',
  )
  const writer = { ...fleet.writer, state: 'standby', held: false, at_host: 'one' } as const
  expect(linesAt({ ...status, fleet: { ...fleet, lease: null, writer } }, 250)).toContain(
    '  fleet desk-1 of desk   store up   STANDBY of the Guard at one',
  )
  const alone = {
    ...fleet,
    name: null,
    group: null,
    store: 'down',
    lease: null,
    writer: null,
  } as const
  expect(linesAt({ ...status, fleet: alone }, 80)).toContain('  fleet not joined yet   store down')
})

test('each collateral that cross positions lean on is a line of its own', () => {
  const [main] = status.cross_pools
  const pools = main === undefined ? [] : [{ ...main, dex: 'xyz', collateral: '500' }, main]
  const lines = linesAt({ ...status, cross: null, cross_pools: pools }, 250)
  const shown = lines.filter((line) => line.includes(' behind '))
  expect(shown.map((line) => line.trim().slice(0, 40))).toEqual([
    'cross    $500.00 on xyz behind $40,000.0',
    'cross    $9,000.00 behind $40,000.00   m',
  ])
  // A Guard of an earlier version tells of one, and not whose it is.
  const { cross_pools: _, cross, ...before } = { ...status, cross: main ?? null }
  const old = linesAt({ ...before, cross } as unknown as StatusView, 250)
  expect(old.filter((line) => line.includes(' behind '))).toHaveLength(1)
})

test('at 80 columns', () => {
  expect(`\n${linesAt(status, 80).join('\n')}`).toMatchInlineSnapshot(`
    "
    Guard 0.1.0   MAINNET, real money
    account 0xe57e649e59fbed533f165ea135261236c39c2797 (unifiedAccount)
    active: entries within the rules pass

      equity      $123,456.79   day start $125,000.00   peak $130,000.50
      daily loss  ████░░░░░░░░░░░ 1.23% of 6%, closes everything at $117,500.00
      drawdown    ████░░░░░░░░░░░ 5.03% of 25%, closes everything at $97,500.38
      open risk   ██████████████░ $6,543.21 of $7,407.40

      positions
        kPEPE    short 12345678 at 0.0123456   worth $152,415.48   profit -$1,234.50
                 10x isolated   covered   stop 0.013 x 12000000 (guard)
                 stop 0.0131 x 345678 (bot)   liquidation 569436
        ETH      long 3 at 2486.2   worth $7,458.45   profit $0.15   20x cross
                 NOT COVERED   no stop   no liquidation price
        cross    $9,000.00 behind $40,000.00   maintenance $800.00
                 liquidated when all moves 20.92% against it
      TWAPs
        ETH      buy 0.1 of 0.61 in 30 minutes   at worst 4120   stop 3920

      no alerts

      stream live   weight 1133 of 1200 a minute   999 open orders, 12 in flight
      journal 1234567 events   up 1 min
      rules gr1_eyJyaXNrX3Blcl90cmFkZSI6IjAuMDEifQ
    "
  `)
})

test('at 120 columns', () => {
  expect(`\n${linesAt(status, 120).join('\n')}`).toMatchInlineSnapshot(`
    "
    Guard 0.1.0   MAINNET, real money   account 0xe57e649e59fbed533f165ea135261236c39c2797 (unifiedAccount)
    active: entries within the rules pass

      equity      $123,456.79   day start $125,000.00   peak $130,000.50
      daily loss  █████████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░ 1.23% of 6%, closes everything at $117,500.00
      drawdown    █████████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░ 5.03% of 25%, closes everything at $97,500.38
      open risk   ████████████████████████████████████░░░░ $6,543.21 of $7,407.40

      positions
        kPEPE    short 12345678 at 0.0123456   worth $152,415.48   profit -$1,234.50   10x isolated   covered
                 stop 0.013 x 12000000 (guard)   stop 0.0131 x 345678 (bot)   liquidation 569436
        ETH      long 3 at 2486.2   worth $7,458.45   profit $0.15   20x cross   NOT COVERED   no stop
                 no liquidation price
        cross    $9,000.00 behind $40,000.00   maintenance $800.00   liquidated when all moves 20.92% against it
      TWAPs
        ETH      buy 0.1 of 0.61 in 30 minutes   at worst 4120   stop 3920

      no alerts

      stream live   weight 1133 of 1200 a minute   999 open orders, 12 in flight   journal 1234567 events   up 1 min
      rules gr1_eyJyaXNrX3Blcl90cmFkZSI6IjAuMDEifQ
    "
  `)
})

const large: StatusView = {
  ...status,
  risk: {
    ...status.risk,
    equity: '98765432.1',
    day_start_equity: '98765432.1',
    peak_equity: '98765432.1',
    daily_loss: '0.1499',
    daily_loss_limit: '0.15',
    drawdown: '0.4999',
    drawdown_limit: '0.5',
    open_risk: '19753086.42',
    open_risk_limit: '19753086.42',
  },
}

test.each([80, 100, 120, 200])('no line is longer than %i columns', (columns) => {
  for (const view of [status, large]) {
    expect(linesAt(view, columns).filter((line) => line.length > columns)).toEqual([])
  }
})

test.each([
  [{ state: 'halted_for_day' }, 'nothing opens until 00:00 UTC'],
  [{ state: 'stopped' }, 'until a person runs guard resume'],
  [{ equity: null, daily_loss: null, drawdown: null }, '  equity      -'],
] as const)('a risk of %j is told', (risk, text) => {
  const view = { ...status, risk: { ...status.risk, ...risk } }
  expect(linesAt(view, 80).join('\n')).toContain(text)
})

test('a latched switch, an alert and a broken journal are told', () => {
  const text = linesAt(
    {
      ...status,
      kill: { latched: true, reason: 'drill (command line)', at_ms: now, durable: true },
      alerts: [{ code: 'stream', text: 'the stream is silent', since_ms: now - 61_000 }],
      journal: { ...status.journal, error: 'ENOSPC' },
    },
    80,
  ).join('\n')
  expect(text).toContain('KILL SWITCH LATCHED: drill (command line); nothing opens')
  expect(text).toContain('stream: the stream is silent (for 1 min)')
  expect(text).toContain('broken: ENOSPC')
})

test('the first line says that nothing opens, and why, while the risk state alone would let it', () => {
  const entries = { pass: false, reason: 'the journal is broken: ENOSPC' }
  expect(linesAt({ ...status, entries }, 120)).toContain(
    'active, but nothing opens: the journal is broken: ENOSPC',
  )
  const { entries: _, ...earlier } = status
  expect(linesAt(earlier as StatusView, 120)).toContain('active: entries within the rules pass')
})
