import { expect, test } from 'vitest'
import { accountWith, restingEntry, stopOrder } from '../account/account.fixture.ts'
import { Decimal } from '../values/decimal.ts'
import { guardId } from './mint.fixture.ts'
import { plan } from './planProtect.fixture.ts'

const own = (oid: number, size: string, trigger: string) =>
  stopOrder({ coin: 'ETH', oid, size, trigger, cloid: guardId('stop', oid) })

test.each([
  ['the looser of two, whichever is older', [own(1, '1', '2450'), own(2, '1', '2400')], [2]],
  ['the looser of two, whichever is newer', [own(1, '1', '2400'), own(2, '1', '2450')], [1]],
  ['the smaller, though it is tighter', [own(1, '0.5', '2450'), own(2, '1', '2400')], [1]],
  ['none that is needed', [own(1, '0.5', '2450'), own(2, '0.5', '2400')], []],
])('of Guard’s own stops over one position goes %s', (_, orders, removed) => {
  const { steps } = plan(accountWith({ positions: { ETH: { size: '1' } }, orders }))
  expect(steps.map((step) => ('oids' in step ? step.oids : []))).toEqual(
    removed.length === 0 ? [] : [removed],
  )
  for (const { why } of steps) expect(why).toBe('covered without it')
})

const bots = (coinName: string, oid: number, trigger: string) =>
  stopOrder({ coin: coinName, oid, size: '1', trigger })
const guards = (coinName: string, oid: number, trigger: string) =>
  stopOrder({ coin: coinName, oid, size: '1', trigger, cloid: guardId('stop', oid) })

test.each([
  ['as long as what it raises fits', '2450', '50', [1]],
  ['not where that is more than is left', '2450', '49.99', []],
  ['not where too much is at risk already', '2450', '-1', []],
  ['where it raises nothing, however much is at risk', '2400', '-1', [1]],
])(
  'a stop of Guard’s own beside a looser one of the bot’s goes %s',
  (_, trigger, left, removed) => {
    const orders = [guards('ETH', 1, trigger), bots('ETH', 2, '2400')]
    for (const mids of [{ ETH: '2500' }, {}]) {
      const account = accountWith({ positions: { ETH: { size: '1' } }, orders, mids })
      const { steps } = plan(account, { riskLeft: () => Decimal.of(left) })
      expect(steps.flatMap((step) => ('oids' in step ? step.oids : []))).toEqual(removed)
    }
  },
)

test.each([
  ['as long as what is counted then fits', '50', [1]],
  ['not where that is more than is left', '49.99', []],
])('a stop of Guard’s own that an entry may take goes %s', (_, left, removed) => {
  // The entry may take the bot’s at 2460: then Guard’s at 2450 holds the position, or the one at 2400.
  const account = accountWith({
    positions: { ETH: { size: '1' } },
    mids: { ETH: '2500' },
    orders: [
      ...[guards('ETH', 1, '2450'), bots('ETH', 2, '2400'), bots('ETH', 3, '2460')],
      ...restingEntry({ coin: 'ETH', oid: 7, isBuy: true, price: '2400', size: '1', stop: '2380' }),
    ],
  })
  const { steps } = plan(account, { riskLeft: () => Decimal.of(left) })
  expect(steps.flatMap((step) => ('oids' in step ? step.oids : []))).toEqual(removed)
})

test.each([
  ['2500', [1]],
  ['2460', []],
  ['2459', []],
])('none goes while the price has passed another: at %s', (mid, removed) => {
  const account = accountWith({
    positions: { ETH: { size: '1' } },
    mids: { ETH: mid },
    orders: [guards('ETH', 1, '2400'), bots('ETH', 2, '2460')],
  })
  const { steps } = plan(account)
  expect(steps.flatMap((step) => ('oids' in step ? step.oids : []))).toEqual(removed)
})

test('what is left of the open risk is left once, for all positions together', () => {
  const account = accountWith({
    positions: { ETH: { size: '1' }, SOL: { size: '1' } },
    mids: { ETH: '2500', SOL: '150' },
    orders: [
      ...[guards('ETH', 1, '2450'), bots('ETH', 2, '2400')],
      ...[guards('SOL', 3, '148'), bots('SOL', 4, '147')],
    ],
  })
  const removedWith = (left: string) =>
    plan(account, { riskLeft: () => Decimal.of(left) }).steps.map(({ coin }) => coin)
  expect(removedWith('51')).toEqual(['ETH', 'SOL'])
  expect(removedWith('50.99')).toEqual(['ETH'])
  expect(removedWith('49')).toEqual(['SOL'])
})
