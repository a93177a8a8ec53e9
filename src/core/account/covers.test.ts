import { describe, expect, test } from 'vitest'
import { guardCloidPrefix } from '../protocol/guardCloid.ts'
import { coin } from '../values/coin.ts'
import { accountWith, botCloid, later, restingEntry, stopOrder } from './account.fixture.ts'
import type { Stop } from './stop.ts'
import { stopOf } from './orderLife.ts'

const eth = coin('ETH')
const guardCloid = `${guardCloidPrefix}01${'0'.repeat(22)}`

function added(trigger: string, isBuy: boolean): Stop {
  const stop = stopOf(stopOrder({ coin: 'ETH', oid: 99, size: '2', trigger, isBuy }))
  if (stop === null) throw new Error('no stop')
  return stop
}

describe('what a change leaves of the cover', () => {
  // Of a long position of 2: 10 covers it; 11 is of the other side; 12 waits for its parent 20; a cancel of 13 is in flight.
  const long = {
    positions: { ETH: { size: '2' } },
    orders: [
      stopOrder({ coin: 'ETH', oid: 10, size: '2', trigger: '2400' }),
      stopOrder({ coin: 'ETH', oid: 11, size: '2', trigger: '2600', isBuy: true }),
      ...restingEntry({
        ...{ coin: 'ETH', oid: 20, isBuy: true, price: '2400', size: '2', stop: '2350' },
      }),
      stopOrder({ coin: 'ETH', oid: 13, size: '2', trigger: '2450' }),
    ],
  }
  const short = {
    positions: { ETH: { size: '-2' } },
    orders: [
      stopOrder({ coin: 'ETH', oid: 10, size: '2', trigger: '2600', isBuy: true }),
      stopOrder({ coin: 'ETH', oid: 11, size: '2', trigger: '2400' }),
    ],
  }
  const bared = { kind: 'bared', size: '2' }
  const kept = { kind: 'kept', raised: '0', counted: '0' }
  const rows = [
    { what: 'none', spec: long, removed: [], more: [], is: kept },
    { what: 'its stop goes', spec: long, removed: [10], more: [], is: bared },
    {
      what: 'another comes for it that is tighter',
      ...{ spec: long, removed: [10], more: [added('2410', false)], is: kept },
    },
    {
      what: 'another comes for it that is looser',
      ...{ spec: long, removed: [10], more: [added('2390', false)] },
      is: { kind: 'weakened', at: '2400' },
    },
    {
      what: 'one of the other side comes for it',
      ...{ spec: long, removed: [10], more: [added('2610', true)], is: bared },
    },
    { what: 'the other side’s', spec: long, removed: [11], more: [], is: kept },
    { what: 'one that waits', spec: long, removed: [21], more: [], is: kept },
    { what: 'an entry', spec: long, removed: [20], more: [], is: kept },
    { what: 'one that goes', spec: long, removed: [13], more: [], is: kept },
    { what: 'one nobody knows', spec: long, removed: [7], more: [], is: kept },
    { what: 'short: its stop goes', spec: short, removed: [10], more: [], is: bared },
    { what: 'short: the other side’s', spec: short, removed: [11], more: [], is: kept },
    {
      what: 'short: another comes for it that is tighter',
      ...{ spec: short, removed: [10], more: [added('2590', true)], is: kept },
    },
  ]
  test.each(rows)('$what', ({ spec, removed, more, is }) => {
    const account = accountWith(spec)
    account.reserve('c', [{ kind: 'cancel', coin: eth, oid: 13, cloid: null }], later(1))
    const change = account.coverAfter(eth, { removed, added: more, kind: 'modify' })
    expect(JSON.parse(JSON.stringify(change))).toEqual(is)
  })

  test('of no position there is none', () => {
    const account = accountWith()
    expect([true, false].map((isLong) => account.stopRow(eth, isLong).isLong)).toEqual([
      true,
      false,
    ])
    expect(account.coverAfter(eth, { removed: [], added: [], kind: 'cancel' })).toBeNull()
    expect(account.cover(eth)).toBeNull()
    expect(account.covered(eth)).toBeNull()
    expect(account.promise(eth)).toBeNull()
    expect(account.recordedStop(eth)).toBeNull()
    expect(account.guardStopsBeyond(eth, added('2400', false).trigger)).toEqual([])
  })
})

test.each([
  { size: '2', isBuy: false, trigger: '2400', beyond: '2410' },
  { size: '-2', isBuy: true, trigger: '2600', beyond: '2590' },
])('Guard’s own stop of a position of $size is followed, and found', (row) => {
  const { size, isBuy, trigger, beyond } = row
  const spec = { coin: 'ETH', oid: 10, size: '2', trigger, isBuy, cloid: guardCloid }
  const account = accountWith({ positions: { ETH: { size } }, orders: [stopOrder(spec)] })
  expect(account.recordedStop(eth)).toBeNull()
  account.followCover()
  expect(account.recordedStop(eth)?.toString()).toBe(trigger)
  expect(account.promise(eth)?.stops.map((stop) => stop.trigger.toString())).toEqual([trigger])
  const found = account.guardStopsBeyond(eth, added(beyond, isBuy).trigger)
  expect(found.map(({ oid }) => oid)).toEqual([10])
})

test('a stop of the bot’s over all of a short position is recorded, and promises nothing', () => {
  const stop = stopOrder({
    ...{ coin: 'ETH', oid: 10, size: '2', trigger: '2600', isBuy: true, cloid: botCloid(1) },
  })
  const account = accountWith({ positions: { ETH: { size: '-2' } }, orders: [stop] })
  account.followCover()
  expect(account.recordedStop(eth)?.toString()).toBe('2600')
  expect(account.promise(eth)?.stops).toEqual([])
})
