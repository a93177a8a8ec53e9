import { expect, test } from 'vitest'
import {
  accountWith,
  botCloid,
  fixtureNow,
  inFlight,
  stopInFlight,
  stopOrder,
} from '../account/account.fixture.ts'
import type { Account } from '../account/account.ts'
import type { StopPromise } from '../account/stopPromise.ts'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { guardId } from './mint.fixture.ts'
import { plan } from './planProtect.fixture.ts'

// The mid is 2486.35: a stop of Guard's own at 2% goes to 2436.7, or to 2536 for a short position.
const eth = coin('ETH')
const dec = (text: string): Decimal => Decimal.of(text)

type Stops = readonly (readonly [size: string, trigger: string])[]

interface Case {
  readonly what: string
  readonly size?: string
  /** The bot's, that rest. */
  readonly stops?: Stops
  /** Guard's own, that are on their way. */
  readonly coming?: Stops
  /** The stop of an entry that has just left. */
  readonly left?: Stops[number]
  readonly promised?: Stops
  readonly rest?: string
  /** What has covered all of it before. */
  readonly recorded?: string
  readonly is: string
}

function accountOf({ size = '3.1', stops = [], coming = [], left }: Case): Account {
  const isBuy = size.startsWith('-')
  const orders = stops.map(([stopSize, trigger], at) =>
    stopOrder({ coin: 'ETH', oid: at + 1, size: stopSize, trigger, isBuy }),
  )
  const account = accountWith({ positions: { ETH: { size } }, orders })
  const items = coming.map(([stopSize, trigger], index) =>
    stopInFlight({ size: stopSize, trigger, cloid: guardId('stop', index), isBuy, index }),
  )
  account.reserve('1:0', items, fixtureNow)
  account.sent('1:0')
  if (left === undefined) return account
  const [leftSize, trigger] = left
  const entry = { coin: eth, isBuy: true, size: dec(leftSize), price: dec('2490'), mayRest: false }
  const ids = { cloid: botCloid(1), stopCloid: botCloid(2) }
  account.reserve('2:0', inFlight({ ...entry, ...ids, stop: dec(trigger) }), fixtureNow)
  account.sent('2:0')
  return account
}

function promiseOf({ promised = [], rest = '0' }: Case): StopPromise {
  const stops = promised.map(([size, trigger]) => ({ size: dec(size), trigger: dec(trigger) }))
  return { stops, rest: dec(rest) }
}

test.each<Case>([
  {
    what: 'a small stop that rests draws no other after it',
    stops: [['0.1', '2480']],
    promised: [['3.1', '2450']],
    is: '3.1 at 2450',
  },
  {
    what: 'nor that of another entry, promised with it',
    stops: [['0.1', '2480']],
    promised: [
      ['0.1', '2480'],
      ['3', '2450'],
    ],
    is: '3.1 at 2450',
  },
  {
    what: 'of a short position too',
    size: '-3.1',
    stops: [['0.1', '2490']],
    promised: [
      ['0.1', '2490'],
      ['3', '2520'],
    ],
    is: '3.1 at 2520',
  },
  {
    what: 'the loosest comes first where all are missing: each tighter one is for its part alone',
    promised: [
      ['0.1', '2480'],
      ['3', '2450'],
    ],
    is: '3.1 at 2450',
  },
  {
    what: 'what has covered all of it before may be tighter',
    promised: [['3.1', '2450']],
    recorded: '2460',
    is: '3.1 at 2460',
  },
  {
    what: 'of a short position too: what covered it',
    size: '-3.1',
    promised: [['3.1', '2520']],
    recorded: '2510',
    is: '3.1 at 2510',
  },
  {
    what: 'or looser',
    promised: [['3.1', '2450']],
    recorded: '2440',
    is: '3.1 at 2450',
  },
  {
    what: 'where nothing was promised it is the distance from the mid',
    rest: '3.1',
    is: '3.1 at 2436.7',
  },
  {
    what: 'also where what was promised is there',
    stops: [['0.1', '2480']],
    promised: [['0.1', '2480']],
    rest: '3',
    is: '3.1 at 2436.7',
  },
  {
    what: 'what a TWAP is still to add goes with the loosest',
    stops: [['0.1', '2480']],
    promised: [['0.1', '2480']],
    is: '3.1 at 2480',
  },
  {
    what: 'one that is on its way draws none after it either',
    coming: [
      ['0.1', '2480'],
      ['0.2', '2470'],
    ],
    promised: [
      ['0.1', '2480'],
      ['0.2', '2470'],
      ['2.8', '2450'],
    ],
    is: '3.1 at 2450',
  },
  {
    what: 'nor does that of an entry which has just left',
    coming: [['0.2', '2470']],
    left: ['0.1', '2480'],
    promised: [
      ['0.1', '2480'],
      ['0.2', '2470'],
      ['2.8', '2450'],
    ],
    is: '3.1 at 2450',
  },
  {
    what: 'where a looser one covers the rest, only the part that was promised it',
    stops: [['3', '2450']],
    promised: [
      ['0.1', '2480'],
      ['3', '2450'],
    ],
    is: '0.1 at 2480',
  },
  {
    what: 'also where the looser one covers that part too',
    stops: [['3.1', '2450']],
    promised: [
      ['0.1', '2480'],
      ['3', '2450'],
    ],
    is: '0.1 at 2480',
  },
  {
    what: 'of a short position too: only that part',
    size: '-3.1',
    stops: [['3', '2520']],
    promised: [
      ['0.1', '2490'],
      ['3', '2520'],
    ],
    is: '0.1 at 2490',
  },
  {
    what: 'and only that part is closed where the price has passed it',
    stops: [['3', '2450']],
    promised: [
      ['0.1', '2490'],
      ['3', '2450'],
    ],
    is: 'close of 0.1',
  },
  {
    what: 'but all of it where nothing covers the rest',
    promised: [['3.1', '2490']],
    is: 'close of 3.1',
  },
  { what: 'nothing is known of it at all', is: '3.1 at 2436.7' },
])('$what', (row) => {
  const { steps } = plan(accountOf(row), {
    promises: new Map([[eth, promiseOf(row)]]),
    recordedStops: new Map(row.recorded === undefined ? [] : [[eth, dec(row.recorded)]]),
  })
  const shown = steps.map((step) => {
    if (step.kind === 'stop') return `${step.order.size.toString()} at ${step.trigger.toString()}`
    return step.kind === 'close' ? `close of ${step.order.size.toString()}` : step.kind
  })
  expect(shown).toEqual([row.is])
})
