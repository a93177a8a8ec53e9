import { expect, test } from 'vitest'
import { accountWith } from '../account/account.fixture.ts'
import type { StopPromise } from '../account/stopPromise.ts'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { sizeToStop } from './promisedPart.ts'

const dec = (text: string): Decimal => Decimal.of(text)
// Four decimals of size; the venue takes no order below 10 USD.
const market = accountWith().market(coin('ETH'))

interface Row {
  readonly what: string
  readonly whole?: string
  readonly uncovered?: string
  readonly bare?: string
  readonly there?: string
  readonly rest?: string
  /** Trigger and size, tightest first; null where nothing is known of a promise. */
  readonly stops?: readonly (readonly [string, string])[] | null
  readonly recorded: string | null
  readonly is: string
}

const two = [
  ['2500', '1'],
  ['2400', '6'],
] as const

test.each<Row>([
  { what: 'nothing recorded', recorded: null, is: '7' },
  { what: 'nothing promised', stops: null, recorded: '2500', is: '7' },
  { what: 'the part of the tight one', recorded: '2500', is: '1' },
  { what: 'the loose one, which the tight one keeps too', recorded: '2400', is: '7' },
  { what: 'a stop that nobody was promised', recorded: '2510', is: '7' },
  { what: 'just as much lacks cover', uncovered: '1', bare: '1', recorded: '2500', is: '1' },
  { what: 'more lacks cover', uncovered: '2', bare: '1.0001', recorded: '2500', is: '7' },
  {
    what: 'a part of it is there, and the rest of that part lacks cover',
    ...{ there: '0.4', uncovered: '0.6', bare: '0.6', recorded: '2500', is: '0.6' },
  },
  {
    what: 'more lacks cover than is missing there',
    ...{ there: '0.5', uncovered: '0.6', bare: '0.6', recorded: '2500', is: '7' },
  },
  {
    what: 'a TWAP is still to add more',
    ...{ whole: '9', uncovered: '2.5', bare: '0.5', recorded: '2500', is: '2.5' },
  },
  {
    what: 'all that was promised, beside a rest that somebody else covers',
    ...{ stops: [two[0]], rest: '6', uncovered: '1', bare: '1', recorded: '2500', is: '1' },
  },
  {
    what: 'a short position',
    ...{ whole: '-7', stops: [two[1], two[0]], recorded: '2400', is: '-6' },
  },
  {
    what: 'less than the venue takes, which is 10 USD in whole lots',
    ...{ stops: [['2500', '0.0001'], two[1]], recorded: '2500', is: '0.004' },
  },
  {
    what: 'less than it takes of a position that is less itself',
    ...{ whole: '0.003', stops: [['2500', '0.0001']], rest: '0.0029' },
    ...{ recorded: '2500', is: '0.003' },
  },
])(
  '$what: $is',
  ({
    whole = '7',
    uncovered = '0',
    bare = '0',
    there = '0',
    rest = '0',
    stops = two,
    recorded,
    is,
  }) => {
    const promise: StopPromise | undefined =
      stops === null
        ? undefined
        : {
            stops: stops.map(([trigger, size]) => ({ trigger: dec(trigger), size: dec(size) })),
            rest: dec(rest),
          }
    if (market === null) throw new Error('no market')
    const size = sizeToStop(market, {
      ...{
        whole: dec(whole),
        uncovered: dec(uncovered),
        bare: dec(bare),
        there: dec(there),
        promise,
      },
      recorded: recorded === null ? null : dec(recorded),
    })
    expect(size.toString()).toBe(is)
  },
)
