import { expect, test } from 'vitest'
import { fill, later } from '../account/account.fixture.ts'
import type { AccountEvent } from '../account/accountEvent.ts'
import type { Fill } from '../protocol/venueState.ts'
import { address } from '../values/address.ts'
import { Decimal } from '../values/decimal.ts'
import { LiquidationSigns } from './liquidationSigns.ts'

const own = address('0x00000000000000000000000000000000000000aa')
const other = address('0x00000000000000000000000000000000000000bb')
const made = (tid: number, more: Partial<Fill> = {}): Fill => ({
  ...fill({
    coin: 'ETH',
    isBuy: false,
    size: '2',
    price: '4000',
    start: '2',
    oid: 7,
    tid,
    at: later(0),
  }),
  ...more,
})
const fills = (...list: readonly Fill[]) =>
  ({ kind: 'fills', fills: list, isSnapshot: false, at: later(1_000) }) as const
const ledger = (type: string, at = later(0)): AccountEvent => ({
  ...{ kind: 'ledger', isSnapshot: true, at: later(1_000) },
  entries: [{ id: `${at}:${type}`, type, usdc: Decimal.zero, at }],
})
const textsOf = (signs: LiquidationSigns, event: AccountEvent) =>
  signs.told(event).map(({ coin, text }) => [coin, text])

const liquidated = ['ETH', 'ETH: the venue liquidated 4 of the position']

test.each([
  [
    'fills of its own liquidation',
    fills(made(1, { liquidated: own }), made(2, { liquidated: own })),
    [liquidated],
  ],
  ["a fill against another account's", fills(made(1, { liquidated: other })), []],
  ['an ordinary fill', fills(made(1)), []],
  ['one of long ago', fills(made(1, { liquidated: own, at: later(-600_000) })), []],
  [
    'auto-deleveraging',
    fills(made(1, { isDeleveraging: true })),
    [['ETH', expect.stringMatching(/closed 2 .* \(auto-deleveraging\)$/)]],
  ],
  [
    'a row of the ledger',
    ledger('liquidation'),
    [[null, expect.stringMatching(/ledger tells of a liq/)]],
  ],
  ['another row', ledger('deposit'), []],
  ['a row of long ago', ledger('liquidation', later(-600_000)), []],
  ['anything else', { kind: 'stream', state: 'live', at: later(0) } as const, []],
])('%s', (_, event, expected) => {
  expect(textsOf(new LiquidationSigns(own), event)).toEqual(expected)
})

test('each sign is given once, however often it is told', () => {
  const signs = new LiquidationSigns(own)
  const first = made(1, { liquidated: own })
  expect(signs.told(fills(first))).toHaveLength(1)
  expect(signs.told(fills(first))).toEqual([])
  expect(textsOf(signs, fills(first, made(2, { liquidated: own })))).toEqual([
    ['ETH', 'ETH: the venue liquidated 2 of the position'],
  ])
  expect(signs.told(ledger('liquidation'))).toHaveLength(1)
  expect(signs.told(ledger('liquidation'))).toEqual([])
})
