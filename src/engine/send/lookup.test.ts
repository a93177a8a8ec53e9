import { describe, expect, test } from 'vitest'
import { markets } from '../../core/account/account.fixture.ts'
import type { Action, Json } from '../../core/protocol/action.ts'
import { orderJson } from '../../core/protocol/venue.fixture.ts'
import { address } from '../../core/values/address.ts'
import { cloid } from '../../core/values/cloid.ts'
import { Decimal } from '../../core/values/decimal.ts'
import { millis } from '../../core/values/millis.ts'
import { ok } from '../../core/values/result.ts'
import { lookUp } from './lookup.ts'
import type { Found } from './lookup.ts'

const listed = markets()
const asset = [...listed.byAsset.keys()][0] ?? 0
const coin = listed.byAsset.get(asset)?.coin ?? ''
const at = millis(1_794_700_000_000)

/** What is found where the venue answers every question with this. */
async function found(action: Action, body: Json, status = 200): Promise<Found['kind']> {
  const venue = { info: () => Promise.resolve(ok({ status, body })) }
  const user = address(`0x${'a'.repeat(40)}`)
  const deps = { venue, account: user, markets: () => listed, heard: () => undefined }
  return (await lookUp(deps, action, at, 'watch')).kind
}

const placed: Action = {
  ...{ type: 'order', grouping: 'na', builder: null },
  orders: [
    {
      ...{ asset, isBuy: true, price: Decimal.one, size: Decimal.one, isReduceOnly: false },
      ...{ type: { kind: 'limit', tif: 'Gtc' }, cloid: cloid(`0x${'1'.repeat(32)}`) },
    },
  ],
}
const cancel: Action = { type: 'cancel', cancels: [{ asset, oid: 7 }] }
const leverage: Action = { type: 'updateLeverage', asset, isCross: false, leverage: 3 }

const shown = (status: Json, more: object = {}): Json => ({
  status: 'order',
  order: { order: { ...orderJson, timestamp: at, ...more }, status, statusTimestamp: at },
})
const unknown: Json = { status: 'unknownOid' }
const set = (type: string, value: Json, of = coin): Json => ({
  coin: of,
  leverage: { type, value },
})

describe('what the venue says became of it', () => {
  test.each<[string, Action, Json, Found['kind']]>([
    ['an order that is there', placed, shown('open'), 'happened'],
    ['an order that ended', placed, shown('canceled'), 'happened'],
    [
      'an order of that id from long before',
      placed,
      shown('open', { timestamp: at - 60_000 }),
      'absent',
    ],
    ['an order that nobody knows', placed, unknown, 'absent'],
    ['a cancel of what is open', cancel, shown('open'), 'absent'],
    ['a cancel of what has triggered and not filled', cancel, shown('triggered'), 'absent'],
    ['a cancel of what ended', cancel, shown('filled'), 'happened'],
    ['a cancel of what nobody knows', cancel, unknown, 'happened'],
    ['the leverage that was asked for', leverage, set('isolated', 3), 'happened'],
    ['another leverage', leverage, set('isolated', 5), 'absent'],
    ['another kind of leverage', leverage, set('cross', 3), 'absent'],
  ])('%s', async (_, action, body, expected) => {
    expect(await found(action, body)).toBe(expected)
  })
})

describe('an answer that is none settles nothing', () => {
  const strange: readonly (readonly [string, Action, Json])[] = [
    ['null', placed, null],
    ['a status of another kind', placed, { status: 'found' }],
    ['an order without its time', placed, shown('open', { timestamp: null })],
    ['an order whose status is no text', cancel, shown(1)],
    ['an order beside no status', cancel, { order: { order: orderJson, status: 'canceled' } }],
    ['a leverage that is no number', leverage, set('isolated', '3')],
    ['a kind of leverage that nobody knows', leverage, set('portfolio', 3)],
    ["another coin's leverage", leverage, set('isolated', 3, 'DOGE')],
    ['a leverage without a coin', leverage, { leverage: { type: 'isolated', value: 3 } }],
  ]
  test.each(strange)('%s', async (_, action, body) => {
    expect(await found(action, body)).toBe('unreadable')
  })

  test.each<[Action, Json]>([
    [placed, shown('open')],
    [placed, unknown],
    [cancel, unknown],
    [leverage, set('isolated', 3)],
  ])('whatever it says, with HTTP 500', async (action, body) => {
    expect(await found(action, body, 500)).toBe('unreachable')
  })
})
