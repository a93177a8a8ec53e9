import { describe, expect, test } from 'vitest'
import {
  accountWith,
  botCloid,
  fixtureNow,
  restingEntry,
  stopInFlight,
  stopOrder,
} from '../account/account.fixture.ts'
import type { Account } from '../account/account.ts'
import type { StopPromise } from '../account/stopPromise.ts'
import { coin } from '../values/coin.ts'
import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { millis } from '../values/millis.ts'
import { guardId } from './mint.fixture.ts'
import { plan } from './planProtect.fixture.ts'

const eth = coin('ETH')

/** What was promised for a position in ETH, as trigger and size. */
function promised(...stops: readonly (readonly [string, string])[]): {
  readonly promises: ReadonlyMap<Coin, StopPromise>
} {
  const promise = {
    stops: stops.map(([trigger, size]) => ({
      trigger: Decimal.of(trigger),
      size: Decimal.of(size),
    })),
    rest: Decimal.zero,
  }
  return { promises: new Map([[eth, promise]]) }
}

const bots = (oid: number, size: string, trigger: string, isBuy = false) =>
  stopOrder({ coin: 'ETH', oid, size, trigger, isBuy })
const guards = (oid: number, size: string, trigger: string, isBuy = false) =>
  stopOrder({ coin: 'ETH', oid, size, trigger, isBuy, cloid: guardId('stop', oid) })
type Orders = readonly ReturnType<typeof bots>[]
const held = (size: string, orders: Orders, liquidation: string | null = null): Account =>
  accountWith({ positions: { ETH: { size, liquidation } }, orders })

/** What a plan does, in short. */
function shown(account: Account, input: Parameters<typeof plan>[1] = {}): readonly string[] {
  return plan(account, input).steps.map((step) => {
    if (step.kind === 'stop') {
      return `stop ${step.order.size.toString()} at ${step.trigger.toString()}: ${step.why}`
    }
    if (step.kind === 'close') return `close ${step.order.size.toString()}: ${step.why}`
    return `${step.kind} ${'oids' in step ? step.oids.join() : step.twapId}`
  })
}

describe('a promise that is broken is put back, though the position is covered', () => {
  const comesBack = (size: string, trigger: string): string =>
    `stop ${size} at ${trigger}: without the stop it was promised`

  test.each<[string, Account, ReturnType<typeof promised>, readonly string[]]>([
    ['kept to the tick', held('1', [bots(1, '1', '2450')]), promised(['2450', '1']), []],
    ['kept by a tighter one', held('1', [bots(1, '1', '2460')]), promised(['2450', '1']), []],
    [
      'looser by a tick',
      held('1', [bots(1, '1', '2449.9')]),
      promised(['2450', '1']),
      [comesBack('1', '2450')],
    ],
    [
      'of a short, looser by a tick',
      held('-1', [bots(1, '1', '2520.1', true)], null),
      promised(['2520', '1']),
      [comesBack('1', '2520')],
    ],
    [
      'off the grid: toward the price',
      held('1', [bots(1, '1', '2440')]),
      promised(['2450.01', '1']),
      [comesBack('1', '2450.1')],
    ],
    [
      'the tighter half of it',
      held('1', [bots(1, '1', '2400')]),
      promised(['2450', '0.5'], ['2400', '0.5']),
      [comesBack('0.5', '2450')],
    ],
    [
      'kept by parts',
      held('1', [bots(1, '0.5', '2450'), bots(2, '0.5', '2400')]),
      promised(['2450', '0.5'], ['2400', '0.5']),
      [],
    ],
    [
      'more than is held any more',
      held('1', [bots(1, '1', '2450')]),
      promised(['2450', '1'], ['2445', '1']),
      [],
    ],
    [
      'crossed already',
      held('1', [bots(1, '1', '2400')]),
      promised(['2486.35', '1']),
      ['close 1: its stop 2486.35 is already crossed'],
    ],
  ])('%s', (_, account, input, steps) => {
    expect(account.cover(eth)?.isFull).toBe(true)
    expect(shown(account, input)).toEqual(steps)
  })

  test('not while a stop is on its way', () => {
    const account = held('1', [bots(1, '1', '2400')])
    const flying = stopInFlight({ size: '1', trigger: '2450', cloid: guardId('stop', 9) })
    account.reserve('g', [flying], fixtureNow)
    expect(shown(account, promised(['2450', '1']))).toEqual([])
  })

  test('also without a price', () => {
    const orders = [bots(1, '1', '2400')]
    const account = accountWith({ positions: { ETH: { size: '1' } }, orders, mids: { BTC: '1' } })
    expect(shown(account, promised(['2450', '1']))).toEqual([comesBack('1', '2450')])
  })

  test.each([
    ['placed again', '2450'],
    ['closed in its place', '2486.35'],
  ])(
    'while a fill is awaited, or what became of a stop, nothing is %s: it may have fired',
    (_, trigger) => {
      const lost = (ms: number) => () => millis(fixtureNow - ms)
      const waits = [
        { isFillAwaited: () => true },
        { stopLostAt: lost(0) },
        { stopLostAt: lost(9_999) },
      ]
      for (const wait of waits) {
        const input = { ...promised([trigger, '1']), ...wait }
        expect(shown(held('1', [bots(1, '1', '2400')]), input)).toEqual([])
        // What nothing covers is not left bare meanwhile.
        expect(shown(held('1', []), input)).toHaveLength(1)
        expect(shown(held('1', [bots(1, '0.4', '2400')]), input)).toHaveLength(1)
      }
      const input = { ...promised([trigger, '1']), stopLostAt: lost(10_000) }
      expect(shown(held('1', [bots(1, '1', '2400')]), input)).toHaveLength(1)
    },
  )

  test('and needs no other once it rests', () => {
    const account = held('1', [bots(1, '1', '2400'), guards(2, '1', '2450')])
    expect(shown(account, promised(['2450', '1']))).toEqual([])
  })
})

describe('a stop goes before the liquidation', () => {
  // ETH at 2486.35, 2% away: 2436.7 and 2536. Halfway to 2450: 2468.175, to 2520: 2503.175.
  test.each([
    ['long, at it', '1', '2436.623', '2461.5'],
    ['long, before it', '1', '2436.6', '2436.7'],
    ['long, beyond it', '1', '2450', '2468.2'],
    ['short, before it', '-1', '2536.1', '2536'],
    ['short, beyond it', '-1', '2520', '2503.1'],
  ])('%s', (_, size, liquidation, trigger) => {
    expect(shown(held(size, [], liquidation))).toEqual([
      `stop 1 at ${trigger}: not covered in full`,
    ])
  })

  test('a stop beyond it covers nothing: another goes, and the first stays for it is the bot’s', () => {
    const account = held('1', [bots(1, '1', '2450')], '2450')
    expect(account.cover(eth)?.isFull).toBe(false)
    expect(shown(account)).toEqual(['stop 1 at 2468.2: not covered in full'])
  })

  test('also the recorded one', () => {
    const recordedStops = new Map([[eth, Decimal.of('2440')]])
    expect(shown(held('1', [], '2450'), { recordedStops })).toEqual([
      'stop 1 at 2468.2: not covered in full',
    ])
  })

  test('and once it rests nothing more is needed', () => {
    const account = held('1', [guards(1, '1', '2468.2')], '2450')
    expect(shown(account, promised(['2440', '1']))).toEqual([])
  })
})

describe('of Guard’s own stops go', () => {
  test.each<[string, string, Orders, ReturnType<typeof promised> | undefined, readonly number[]]>([
    [
      'all, where the bot’s keep the promise',
      '1',
      [guards(1, '1', '2460'), guards(2, '0.5', '2440'), bots(3, '1', '2450')],
      promised(['2450', '1']),
      [1, 2],
    ],
    [
      'all but the tightest that covers everything, where the bot’s do not keep it',
      '1',
      [guards(1, '1', '2455'), guards(2, '1', '2460'), bots(3, '1', '2400')],
      promised(['2450', '1']),
      [1],
    ],
    [
      'of a short likewise',
      '-1',
      [guards(1, '1', '2510', true), guards(2, '1', '2505', true), bots(3, '1', '2600', true)],
      promised(['2515', '1']),
      [1],
    ],
    [
      'only those beyond the last that is needed, where none covers everything',
      '1',
      [
        guards(1, '0.5', '2450'),
        guards(2, '0.5', '2440'),
        guards(3, '0.5', '2430'),
        guards(4, '0.5', '2420'),
      ],
      undefined,
      [3, 4],
    ],
    [
      'none, where all are needed',
      '1',
      [guards(1, '0.5', '2450'), guards(2, '0.5', '2440')],
      undefined,
      [],
    ],
    [
      'those beyond, where one covers everything and is too loose for the promise',
      '1',
      [guards(1, '0.5', '2450'), guards(2, '0.5', '2445'), guards(3, '1', '2440')],
      promised(['2450', '0.5'], ['2445', '0.5']),
      [3],
    ],
  ])('%s', (_, size, orders, input, removed) => {
    const account = held(size, orders)
    const { steps } = plan(account, input)
    expect(steps.flatMap((step) => ('oids' in step ? step.oids : [-1]))).toEqual(removed)
    // What is left still covers, and keeps the promise.
    const left = held(
      size,
      orders.filter(({ oid }) => !removed.includes(oid)),
    )
    expect(left.cover(eth)?.isFull).toBe(true)
    expect(plan(left, input).steps).toEqual([])
  })
})

test('a stop that waits for its entry does not stand in for one that is being replaced', () => {
  const orders = restingEntry({
    ...{ coin: 'ETH', oid: 10, isBuy: true, price: '2400', size: '1', stop: '2350' },
  })
  const account = held('1', orders)
  const flying = stopInFlight({ size: '1', trigger: '2450', cloid: botCloid(3) })
  account.reserve('b', [flying], fixtureNow)
  expect(shown(account)).toEqual(['stop 1 at 2436.7: not covered in full'])
})
