import { expect, test } from 'vitest'
import { Decimal } from '../values/decimal.ts'
import type { Json } from './action.ts'
import { decodeFrame } from './decodeFrame.ts'
import {
  account,
  contextJson,
  fillJson,
  ledgerJson,
  orderJson,
  stateJson,
  updateJson,
} from './venue.fixture.ts'

const d = (text: string): Decimal => Decimal.of(text)
const user = account

test.each<[string, Json, unknown]>([
  ['pong', { channel: 'pong' }, { channel: 'pong' }],
  [
    'mids',
    { channel: 'allMids', data: { mids: { BTC: '84143.5' } } },
    { channel: 'allMids', dex: '', mids: new Map([['BTC', d('84143.5')]]) },
  ],
  [
    'the state',
    { channel: 'clearinghouseState', data: { dex: '', user, clearinghouseState: stateJson } },
    { channel: 'clearinghouseState', user, dex: '', state: { accountValue: d('13109.482328') } },
  ],
  [
    "another dex's state",
    { channel: 'clearinghouseState', data: { dex: 'xyz', user, clearinghouseState: stateJson } },
    { channel: 'clearinghouseState', dex: 'xyz' },
  ],
  [
    'open orders',
    { channel: 'openOrders', data: { dex: '', user, orders: [orderJson] } },
    { channel: 'openOrders', user, orders: [{ oid: 62_014_449_551 }] },
  ],
  [
    'order updates',
    { channel: 'orderUpdates', data: [updateJson] },
    {
      channel: 'orderUpdates',
      updates: [
        {
          coin: 'ETH',
          isBuy: true,
          price: d('2986.3'),
          size: d('0.0'),
          originalSize: d('0.0335'),
          oid: 62_014_449_552,
          cloid: null,
          isReduceOnly: null,
          status: 'filled',
          at: 1_791_318_606_001,
        },
      ],
    },
  ],
  [
    'an update that says it reduces',
    {
      channel: 'orderUpdates',
      data: [
        {
          ...updateJson,
          order: { ...updateJson.order, reduceOnly: true, cloid: `0x${'1'.repeat(32)}` },
        },
      ],
    },
    { updates: [{ isReduceOnly: true, cloid: `0x${'1'.repeat(32)}` }] },
  ],
  [
    "a user's fills",
    { channel: 'user', data: { fills: [fillJson] } },
    { channel: 'user', event: { kind: 'fills', fills: [{ tid: 118_906_512_037_719 }] } },
  ],
  [
    "a user's funding",
    {
      channel: 'user',
      data: {
        funding: {
          time: 5,
          coin: 'ETH',
          usdc: '-0.1',
          szi: '1.0',
          fundingRate: '0.0',
          nSamples: null,
        },
      },
    },
    {
      channel: 'user',
      event: { kind: 'funding', payment: { coin: 'ETH', usdc: d('-0.1'), at: 5 } },
    },
  ],
  [
    'a liquidation',
    {
      channel: 'user',
      data: {
        liquidation: {
          lid: 1,
          liquidator: user,
          liquidated_user: user,
          liquidated_ntl_pos: '1.0',
          liquidated_account_value: '1.0',
        },
      },
    },
    { event: { kind: 'liquidation', liquidatedUser: user } },
  ],
  [
    "the venue's own cancels",
    { channel: 'user', data: { nonUserCancel: [{ coin: 'ETH', oid: 7 }] } },
    { event: { kind: 'nonUserCancel', cancels: [{ coin: 'ETH', oid: 7 }] } },
  ],
  ['a TWAP history', { channel: 'user', data: { twapHistory: [] } }, { event: { kind: 'other' } }],
  [
    'a snapshot of fills',
    { channel: 'userFills', data: { user, fills: [fillJson], isSnapshot: true } },
    { channel: 'userFills', user, isSnapshot: true, fills: [{ oid: 62_014_449_552 }] },
  ],
  [
    'later fills',
    { channel: 'userFills', data: { user, fills: [] } },
    { channel: 'userFills', isSnapshot: false, fills: [] },
  ],
  [
    'funding',
    {
      channel: 'userFundings',
      data: {
        user,
        isSnapshot: true,
        fundings: [
          { time: 5, coin: 'ETH', usdc: '0.1', szi: '1.0', fundingRate: '0.0', nSamples: 1 },
        ],
      },
    },
    { channel: 'userFundings', isSnapshot: true, payments: [{ usdc: d('0.1'), at: 5 }] },
  ],
  [
    'ledger updates',
    {
      channel: 'userNonFundingLedgerUpdates',
      data: { user, nonFundingLedgerUpdates: [ledgerJson({ type: 'deposit', usdc: '5.0' })] },
    },
    {
      channel: 'userNonFundingLedgerUpdates',
      user,
      isSnapshot: false,
      entries: [{ type: 'deposit', usdc: d('5.0') }],
    },
  ],
  [
    'the spot state',
    { channel: 'spotState', data: { user, spotState: { balances: [] } } },
    { channel: 'spotState', user, spot: { usdcTotal: Decimal.zero } },
  ],
  [
    "a coin's setting",
    {
      channel: 'activeAssetData',
      data: {
        user,
        coin: 'ETH',
        leverage: { type: 'isolated', value: 3, rawUsd: '0.0' },
        maxTradeSzs: [],
        availableToTrade: [],
        markPx: '3000.0',
      },
    },
    {
      channel: 'activeAssetData',
      user,
      data: { coin: 'ETH', leverage: { type: 'isolated', value: 3 } },
    },
  ],
  [
    "a coin's context",
    { channel: 'activeAssetCtx', data: { coin: 'ETH', ctx: contextJson } },
    { channel: 'activeAssetCtx', coin: 'ETH', context: { mark: d('14.3161'), mid: d('14.314') } },
  ],
  [
    'an acknowledgement',
    {
      channel: 'subscriptionResponse',
      data: { method: 'subscribe', subscription: { type: 'allMids', dex: null } },
    },
    { channel: 'subscriptionResponse', method: 'subscribe', subscription: { type: 'allMids' } },
  ],
  [
    'an error',
    { channel: 'error', data: 'Already subscribed' },
    { channel: 'error', text: 'Already subscribed' },
  ],
  [
    'an error that is no text',
    { channel: 'error', data: { a: 1 } },
    { channel: 'error', text: '{"a":1}' },
  ],
  [
    'a post',
    {
      channel: 'post',
      data: { id: 1_794_700_777_136, response: { type: 'action', payload: { status: 'ok' } } },
    },
    { channel: 'post', id: 1_794_700_777_136, type: 'action', payload: { status: 'ok' } },
  ],
  ['a removed channel', { channel: 'webData2', data: {} }, { channel: 'other', name: 'webData2' }],
  ['an unknown channel', { channel: 'toString' }, { channel: 'other', name: 'toString' }],
])('%s is read', (_what, json, frame) => {
  const decoded = decodeFrame(json)
  if (!decoded.ok) throw new Error(decoded.error)
  expect(decoded.value).toMatchObject(frame as object)
})

test('a ledger update counts where the equity is', () => {
  const json = {
    channel: 'userNonFundingLedgerUpdates',
    data: {
      user,
      nonFundingLedgerUpdates: [
        ledgerJson({ type: 'accountClassTransfer', usdc: '5.0', toPerp: true }),
      ],
    },
  }
  expect(decodeFrame(json, 'unified')).toMatchObject({
    value: { entries: [{ usdc: Decimal.zero }] },
  })
})

test.each<[Json, string]>([
  [null, 'stream: the message must be an object, not null'],
  [{}, 'stream: channel must be a text, not missing'],
  [{ channel: 'allMids' }, 'stream: data must be an object, not missing'],
  [{ channel: 'allMids', data: {} }, 'stream: mids must be an object, not missing'],
  [{ channel: 'userFills', data: { fills: [] } }, 'stream: user must be an address, not missing'],
  [
    { channel: 'post', data: { id: '1', response: { type: 'x' } } },
    'stream: id must be a whole number, not "1"',
  ],
])('%j is refused', (json, error) => {
  expect(decodeFrame(json)).toEqual({ ok: false, error })
})
