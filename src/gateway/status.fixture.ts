import type { StatusView } from '../engine/statusView.ts'

export const account = '0x1111111111111111111111111111111111111111'
export const clientKey = '0x2222222222222222222222222222222222222222'

/** A status with something in every field, for tests of what is made of it. */
export const fakeStatus: StatusView = {
  schema: 1,
  version: '0.1.0',
  mode: 'testnet',
  network: 'testnet',
  account,
  via: null,
  account_mode: 'unifiedAccount',
  started_at_ms: 1_794_700_000_000,
  now_ms: 1_794_700_060_000,
  last_seq: 7,
  kill: { latched: false, reason: null, at_ms: null, durable: true },
  risk: {
    state: 'active',
    detail: null,
    equity: '10000.5',
    day_start_equity: '10100',
    peak_equity: '11000',
    day: '2026-11-15',
    daily_loss: '0.00985',
    daily_loss_limit: '0.06',
    drawdown: '0.0909',
    drawdown_limit: '0.25',
    open_risk: '120.5',
    open_risk_limit: '600.03',
  },
  rules: 'gr1_e30',
  rules_decoded: { risk_per_trade: '0.02' },
  clients: [clientKey],
  entries: { pass: true, reason: null },
  assumptions: { fee: '0.00045', slippage: '0.0001', stop_slippage: '0.1', funding: null },
  positions: [
    {
      coin: 'BTC',
      side: 'long',
      size: '0.1',
      entry_price: '60000',
      mark_price: '60100',
      value: '6010',
      unrealised_pnl: '10',
      leverage: 3,
      margin: 'isolated',
      liquidation_price: '41000',
      stops: [{ oid: 7, price: '58800', size: '0.1', owner: 'guard' }],
      covered: true,
      risk: '120.5',
    },
  ],
  cross: { dex: '', collateral: '9000', value: '4000', maintenance: '80', distance: '2.27551' },
  cross_pools: [
    { dex: '', collateral: '9000', value: '4000', maintenance: '80', distance: '2.27551' },
  ],
  twaps: [],
  open_orders: 1,
  in_flight: 0,
  alerts: [{ code: 'stream_stale', text: 'the stream is silent', since_ms: 1, coin: 'BTC' }],
  venue: {
    url: 'http://127.0.0.1:3001',
    stream: 'live',
    last_message_ms: 1_794_700_059_500,
    last_reconcile_ms: null,
    weight_used_1m: 100,
    weight_limit_1m: 1_200,
  },
  fleet: {
    ...{ name: 'desk-1', group: 'desk', store: 'up', epoch: null, outbox_lag: 0 },
    writer: { state: 'held', at_host: null, held: true, epoch: 3, until_ms: 1_700_000_010_000 },
    lease: {
      spare_until_ms: 1_700_000_300_000,
      ended: null,
      parts: [
        { scope: 'fleet', kind: 'open_risk', held: '300', used: '87.5', budget: '1000' },
        { scope: 'group:desk', kind: 'coin_value:ETH', held: '5000', used: null, budget: '9000' },
      ],
    },
  },
  host: {
    guards: 2,
    weight_share: 600,
    floor: 120,
    others: [
      {
        account: '0x00000000000000000000000000000000000000bb',
        network: 'testnet',
        url: 'http://127.0.0.1:8548',
      },
    ],
  },
  journal: {
    path: '/state/journal',
    events: 7,
    bytes: 900,
    last_sync_ms: 1_794_700_059_900,
    error: null,
  },
}
