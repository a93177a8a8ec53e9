import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  accountWith,
  entryInFlight,
  fixtureNow,
  inFlight,
  later,
  markets,
  openOrder,
  reductionInFlight,
  restingEntry,
  stopOrder,
  vectorMids,
} from '../account/account.fixture.ts'
import type { Account } from '../account/account.ts'
import type { ReservedOrder } from '../account/reservation.ts'
import type { OpenOrder } from '../protocol/venueState.ts'
import { coin } from '../values/coin.ts'
import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { millis } from '../values/millis.ts'
import { countingMint, guardId } from './mint.fixture.ts'
import { planFlatten } from './planFlatten.ts'
import type { FlattenInput, FlattenPlan } from './planFlatten.ts'
import { rational } from './rational.fixture.ts'
import { RefusedTries } from './refusedTries.ts'

function plan(account: Account, after = 0, input: Partial<FlattenInput> = {}): FlattenPlan {
  return planFlatten({
    account,
    now: millis(fixtureNow + after),
    mint: countingMint(),
    tries: new RefusedTries(),
    isHeld: () => false,
    isTwapHeld: () => false,
    isCancelLost: () => false,
    cancelsMax: Infinity,
    room: { isWanted: false, isBeingMade: false, cleared: 0 },
    ...input,
  })
}

test('a flat account needs nothing', () => {
  const nothing = { steps: [], actions: [], coins: [], unnumbered: [], problems: [], isFlat: true }
  expect(plan(accountWith())).toEqual(nothing)
})

test('an order that could open is not flat, though nothing is held', () => {
  const orders = restingEntry({ coin: 'ETH', oid: 10, isBuy: true, price: '2400', size: '1' })
  expect(plan(accountWith({ orders }))).toMatchObject({ coins: ['ETH'], isFlat: false })
  const stop = stopOrder({ coin: 'ETH', oid: 11, size: '1', trigger: '2400' })
  expect(plan(accountWith({ orders: [stop] }))).toMatchObject({ actions: [], isFlat: true })
})

describe('an entry that the venue has taken, and of which nothing but its answer was told', () => {
  const plans = inFlight(
    entryInFlight({
      ...{ price: '2400', stop: '2350' },
      ...{ cloid: guardId('close', 1), stopCloid: guardId('stop', 2) },
    }),
  )
  const taken = (filled = '0', entry: Partial<ReservedOrder> = {}): Account => {
    const account = accountWith()
    account.reserve('1', [{ ...plans[0]!, ...entry } as ReservedOrder, plans[1]!], fixtureNow)
    account.sent('1')
    account.settle('1', { outcome: 'accepted' }, fixtureNow)
    account.numbered('1', 0, 77, Decimal.of(filled))
    return account
  }
  const cancel = { type: 'cancel', cancels: [{ asset: 1, oid: 77 }] }

  test('goes by the number in that answer, and until then the account is not flat', () => {
    expect(plan(taken())).toMatchObject({ actions: [cancel], coins: ['ETH'], isFlat: false })
    expect(plan(taken('1.9')).actions).toEqual([cancel])
    const isHeld = (what: Coin | number) => what === 77
    expect(plan(taken(), 0, { isHeld })).toMatchObject({ actions: [], isFlat: false })
  })

  test('is left alone once nothing of it can rest', () => {
    expect(plan(taken('2')).actions).toEqual([])
    expect(plan(taken('0', { mayRest: false })).actions).toEqual([])
    const gone = taken()
    const list = { kind: 'orders', orders: [], source: 'read', askedAt: later(1) } as const
    gone.apply({ ...list, at: later(1) })
    expect(plan(gone).actions).toEqual([])
  })

  test('is cancelled once where the venue shows it, too', () => {
    const account = taken()
    const orders = restingEntry({ coin: 'ETH', oid: 77, isBuy: true, price: '2400', size: '2' })
    account.apply({ kind: 'orders', orders, source: 'stream', at: later(1) })
    expect(plan(account).actions).toEqual([cancel])
  })
})

describe('a TWAP that the venue runs', () => {
  const twap = (id: number, name: string, isReduceOnly = false) => ({
    ...{ id, coin: coin(name), isBuy: true, isReduceOnly },
    ...{ size: Decimal.of('2'), executedSize: Decimal.of('0.1'), minutes: 30 },
    ...{ isRandomized: false, triggerPrice: null, endPrice: null, at: fixtureNow },
  })
  const running = (...twaps: readonly ReturnType<typeof twap>[]): Account => {
    const account = accountWith({ positions: { ETH: { size: '1.5' } } })
    account.apply({ kind: 'twaps', twaps, source: 'stream', at: fixtureNow })
    return account
  }

  test('goes before the closes, if it could open a position of the main dex', () => {
    const account = running(twap(7, 'ETH'), twap(8, 'SOL', true), twap(9, '@107'))
    const { actions, isFlat } = plan(account)
    const asset = account.market(coin('ETH'))?.asset
    expect(actions[0]).toEqual({ type: 'twapCancel', asset, twapId: 7 })
    expect(actions.map(({ type }) => type)).toEqual(['twapCancel', 'order'])
    expect(isFlat).toBe(false)
    expect(account.discrepancies()).toContain(
      'ETH: a TWAP that was started elsewhere (7) buys 2, 0.1 of it done',
    )
  })

  test('whose cancel is on its way is not cancelled twice, and the account is not flat', () => {
    const account = accountWith()
    account.apply({ kind: 'twaps', twaps: [twap(7, 'ETH')], source: 'read', at: fixtureNow })
    const isTwapHeld = (id: number) => id === 7
    expect(plan(account, 0, { isTwapHeld })).toMatchObject({ actions: [], isFlat: false })
  })

  test('on a market that is not listed is a problem', () => {
    const { problems } = plan(running(twap(7, 'GONE')))
    expect(problems).toEqual(['GONE: TWAP 7 cannot be cancelled, the market is not listed'])
  })
})

test('every order that could open goes, then every position; stops stay', () => {
  const account = accountWith({
    positions: { ETH: { size: '1.5' }, SOL: { size: '-20' } },
    orders: [
      ...restingEntry({
        coin: 'ETH',
        oid: 10,
        isBuy: true,
        price: '2400',
        size: '1',
        stop: '2350',
      }),
      stopOrder({ coin: 'ETH', oid: 1, size: '1.5', trigger: '2440' }),
      openOrder({
        coin: 'ETH',
        oid: 2,
        isBuy: false,
        price: '2600',
        size: '1',
        isReduceOnly: true,
      }),
      openOrder({
        coin: 'BTC',
        oid: 3,
        isBuy: false,
        price: '90000',
        size: '0.1',
        trigger: { price: '90000' },
      }),
    ],
  })
  const { steps: _, ...planned } = plan(account)
  expect(JSON.parse(JSON.stringify(planned))).toEqual({
    unnumbered: [],
    actions: [
      {
        type: 'cancel',
        cancels: [
          { asset: 0, oid: 3 },
          { asset: 1, oid: 10 },
        ],
      },
      {
        type: 'order',
        grouping: 'na',
        builder: null,
        orders: [
          // 2486.35 x 0.95 = 2362.0325, down; 137.42 x 1.05 = 144.291, up.
          {
            asset: 1,
            isBuy: false,
            price: '2362',
            size: '1.5',
            isReduceOnly: true,
            type: { kind: 'limit', tif: 'Ioc' },
            cloid: guardId('close', 1),
          },
          {
            asset: 2,
            isBuy: true,
            price: '144.3',
            size: '20',
            isReduceOnly: true,
            type: { kind: 'limit', tif: 'Ioc' },
            cloid: guardId('close', 2),
          },
        ],
      },
    ],
    coins: ['BTC', 'ETH', 'SOL'],
    problems: [],
    isFlat: false,
  })
})

test('what cannot be priced is a problem, and the others go on', () => {
  const account = accountWith({
    positions: { ETH: { size: '1' }, SOL: { size: '1' }, GONE: { size: '-2' } },
    mids: { ETH: '2486.35', GONE: '3' },
    orders: [openOrder({ coin: 'LOST', oid: 9, isBuy: true, price: '1', size: '1' })],
  })
  const { actions, problems, coins } = plan(account)
  expect(actions).toHaveLength(1)
  expect(coins).toEqual(['ETH'])
  expect(problems).toEqual([
    'LOST: order 9 cannot be cancelled, the market is not listed',
    'GONE: the position of -2 cannot be closed, the market is not listed',
    'SOL: the position of 1 cannot be closed, there is no price for it',
  ])
  account.apply({ kind: 'mark', coin: coin('SOL'), mark: Decimal.of('137.42'), at: fixtureNow })
  expect(plan(account).coins).toEqual(['ETH', 'SOL'])
})

describe('what is in flight', () => {
  const account = accountWith({
    positions: { ETH: { size: '1' } },
    orders: [openOrder({ coin: 'ETH', oid: 9, isBuy: true, price: '2400', size: '1' })],
  })
  const eth = coin('ETH')
  account.reserve(
    'f',
    [
      { kind: 'cancel', coin: eth, oid: 9, cloid: null },
      reductionInFlight('ETH', '1', guardId('close', 7)),
    ],
    fixtureNow,
  )
  test('is left alone for three seconds, and the account is not flat', () => {
    const nothing = {
      steps: [],
      actions: [],
      coins: [],
      unnumbered: [],
      problems: [],
      isFlat: false,
    }
    expect(plan(account, 2_999)).toEqual(nothing)
  })
  test('a cancel whose answer was lost goes again at once', () => {
    const isCancelLost = (oid: number): boolean => oid === 9
    expect(plan(account, 300, { isCancelLost }).actions).toEqual([
      { type: 'cancel', cancels: [{ asset: 1, oid: 9 }] },
    ])
  })
  test('is done again after that', () => {
    expect(plan(account, 3_000).actions).toHaveLength(2)
  })
})

test('any account becomes flat: at most 40 an action, closes reduce, fit and reach 5% beyond', () => {
  const many = Array.from({ length: 90 }, (_, asset) => ({
    coin: `C${asset}`,
    asset,
    sizeDecimals: asset % 4,
    maxLeverage: 10,
  }))
  const listed = markets(many)
  const each = fc.record({
    size: fc.integer({ min: -9_999, max: 9_999 }),
    mid: fc.integer({ min: 100, max: 99_999_999 }),
    orders: fc.nat(2),
  })
  fc.assert(
    fc.property(fc.array(each, { maxLength: 90 }), (coins) => {
      const mids: Record<string, string> = {}
      const positions: Record<string, { size: string }> = {}
      const orders = coins.flatMap(({ size, mid, orders: count }, index) => {
        mids[`C${index}`] = Decimal.whole(mid).times(Decimal.of('0.001')).toString()
        if (size !== 0) positions[`C${index}`] = { size: `${size}` }
        return Array.from({ length: count }, (_, at) =>
          openOrder({
            coin: `C${index}`,
            oid: 1 + index * 3 + at,
            isBuy: true,
            price: '1',
            size: '1',
            isReduceOnly: at === 1,
          }),
        )
      })
      const account = accountWith({ markets: listed, mids, positions, orders })
      const { actions, problems } = plan(account)
      const closed = new Map<string, Decimal[]>()
      const open = new Set(orders.filter((order) => !order.isReduceOnly).map((order) => order.oid))
      for (const action of actions) {
        if (action.type === 'cancel') {
          expect(action.cancels.length).toBeLessThanOrEqual(40)
          for (const { oid } of action.cancels) expect(open.delete(oid)).toBe(true)
        }
        if (action.type !== 'order') continue
        expect(action.orders.length).toBeLessThanOrEqual(40)
        for (const order of action.orders) {
          const name = `C${order.asset}`
          const size = positions[name]?.size ?? '0'
          expect(order.isReduceOnly && order.isBuy === size.startsWith('-')).toBe(true)
          const bound = rational(mids[name] ?? '0').times(rational(order.isBuy ? '1.05' : '0.95'))
          const price = rational(order.price.toString())
          expect(order.isBuy ? price.lt(bound) : bound.lt(price)).toBe(false)
          // Two million USD is the largest market order at a leverage of ten.
          const dearest = Decimal.max(order.price, Decimal.of(mids[name] ?? '0'))
          const isOneLot = order.size.eq(new Decimal(1n, order.asset % 4))
          expect(isOneLot || order.size.times(dearest).lte(Decimal.of('2000000'))).toBe(true)
          closed.set(name, [...(closed.get(name) ?? []), order.size])
        }
      }
      for (const [name, { size }] of Object.entries(positions)) {
        const pieces = closed.get(name) ?? []
        const left = Decimal.of(size)
          .abs()
          .minus(pieces.reduce((sum, piece) => sum.plus(piece), Decimal.zero))
        expect(pieces.length).toBeLessThanOrEqual(10)
        const told = problems.includes(
          `${name}: ${left.toString()} of it does not fit into this round`,
        )
        expect(left.isZero() || (pieces.length === 10 && told)).toBe(true)
      }
      expect([...open]).toEqual([])
    }),
    { numRuns: 500 },
  )
})

test('the markets of the worked vectors all close', () => {
  const positions = Object.fromEntries(Object.keys(vectorMids).map((name) => [name, { size: '1' }]))
  expect(plan(accountWith({ positions })).coins).toHaveLength(6)
})

describe('what the venue would refuse is asked for in another way', () => {
  const names = ['BTC', 'ETH', 'SOL'].map(coin)
  const [btc, eth, sol] = names as [Coin, Coin, Coin]
  const three = { BTC: { size: '0.1' }, ETH: { size: '1' }, SOL: { size: '-20' } }
  const coinsOf = (planned: FlattenPlan): (readonly Coin[])[] =>
    planned.steps.flatMap((step) => (step.kind === 'close' ? [step.coins] : []))

  test('after a batch was refused whole each coin goes by itself, and those taken together again', () => {
    const account = accountWith({ positions: three })
    const tries = new RefusedTries()
    expect(coinsOf(plan(account, 0, { tries }))).toEqual([[btc, eth, sol]])
    tries.refusedTogether(names, 'Something about one of them')
    expect(coinsOf(plan(account, 0, { tries }))).toEqual([[btc], [eth], [sol]])
    tries.taken(btc)
    tries.taken(sol)
    expect(coinsOf(plan(account, 0, { tries }))).toEqual([[btc, sol], [eth]])
  })

  test('after a batch without an answer each coin goes by itself, and those taken together again', () => {
    const account = accountWith({ positions: three })
    const tries = new RefusedTries()
    tries.unansweredTogether(names)
    expect(coinsOf(plan(account, 0, { tries }))).toEqual([[btc], [eth], [sol]])
    tries.taken(btc)
    tries.taken(sol)
    expect(coinsOf(plan(account, 0, { tries }))).toEqual([[btc, sol], [eth]])
  })

  test('a close that still has no answer after three seconds goes again by itself', () => {
    const account = accountWith({ positions: three })
    account.reserve('f', [reductionInFlight('ETH', '1', guardId('close', 7))], fixtureNow)
    expect(coinsOf(plan(account, 2_999))).toEqual([[btc, sol]])
    expect(coinsOf(plan(account, 3_000))).toEqual([[btc, sol], [eth]])
  })

  describe('cancels without an answer go apart from the others', () => {
    const entries = (count: number): OpenOrder[] =>
      ['BTC', 'ETH'].flatMap((name, first) =>
        Array.from({ length: count }, (_, at) =>
          openOrder({ coin: name, oid: 100 * first + at, isBuy: true, price: '99', size: '1' }),
        ),
      )
    const oidsOf = ({ actions }: FlattenPlan): number[][] =>
      actions.flatMap((action) =>
        action.type === 'cancel' ? [action.cancels.map(({ oid }) => oid)] : [],
      )
    const range = (from: number, count: number): number[] =>
      Array.from({ length: count }, (_, at) => from + at)

    test('each by itself where they are few', () => {
      const account = accountWith({ orders: entries(3) })
      const isCancelLost = (oid: number): boolean => [2, 100, 101].includes(oid)
      expect(oidsOf(plan(account, 0, { isCancelLost }))).toEqual([[0, 1, 102], [2], [100], [101]])
      expect(oidsOf(plan(account))).toEqual([[0, 1, 2, 100, 101, 102]])
    })

    test.each([
      [
        'twenty',
        10,
        Infinity,
        range(0, 10)
          .concat(range(100, 10))
          .map((oid) => [oid]),
      ],
      ['more: coin by coin', 11, Infinity, [range(0, 11), range(100, 11)]],
      ['very many: in batches', 41, Infinity, [range(0, 40), [40], range(100, 40), [140]]],
      [
        'while cancels are refused: one action of each coin',
        41,
        40,
        [range(0, 40), range(100, 40)],
      ],
    ])('%s', (_, count, cancelsMax, batches) => {
      const account = accountWith({ orders: entries(count) })
      const isCancelLost = (): boolean => true
      expect(oidsOf(plan(account, 0, { isCancelLost, cancelsMax }))).toEqual(batches)
    })

    test('also one that was sent three seconds ago and has none yet', () => {
      const account = accountWith({ orders: entries(2) })
      account.reserve('f', [{ kind: 'cancel', coin: eth, oid: 100, cloid: null }], fixtureNow)
      expect(oidsOf(plan(account, 2_999))).toEqual([[0, 1, 101]])
      expect(oidsOf(plan(account, 3_000))).toEqual([[0, 1, 101], [100]])
    })
  })

  test('a coin that waits keeps no other', () => {
    const account = accountWith({ positions: three })
    const planned = plan(account, 0, { isHeld: (what) => what === eth })
    expect(coinsOf(planned)).toEqual([[btc, sol]])
    expect(planned).toMatchObject({ coins: [btc, sol], isFlat: false })
  })

  test('a cancel that waits keeps no other', () => {
    const orders = [7, 8].map((oid) =>
      openOrder({ coin: 'ETH', oid, isBuy: true, price: '2400', size: '1' }),
    )
    const planned = plan(accountWith({ orders }), 0, { isHeld: (what) => what === 7 })
    expect(planned.actions).toEqual([{ type: 'cancel', cancels: [{ asset: 1, oid: 8 }] }])
  })

  test('cancels that the venue refuses for their number go one action at a time', () => {
    const orders = Array.from({ length: 90 }, (_, at) =>
      restingEntry({ coin: 'ETH', oid: 100 + at, isBuy: true, price: '2400', size: '1' }),
    ).flat()
    const counts = (cancelsMax: number): readonly number[] =>
      plan(accountWith({ orders }), 0, { cancelsMax }).actions.map((action) =>
        action.type === 'cancel' ? action.cancels.length : 0,
      )
    expect(counts(Infinity)).toEqual([40, 40, 10])
    expect(counts(40)).toEqual([40])
  })

  test('a rest too small to close is told and not asked for again until it changes', () => {
    const tries = new RefusedTries()
    const text = 'Order must have minimum value of $10. asset=1'
    const size = Decimal.of('0.001')
    const account = accountWith({ positions: { ETH: { size: '0.001' } } })
    tries.refused(eth, text, size, 1)
    // A reduce-only order larger than the position may be worth less; this one is worth enough.
    expect(plan(account, 0, { tries }).actions).toMatchObject([
      { type: 'order', orders: [{ size: Decimal.of('0.0043') }] },
    ])
    tries.refused(eth, text, size, 1)
    expect(plan(account, 0, { tries })).toMatchObject({
      actions: [],
      problems: [`ETH: the rest of 0.001 is too small to be closed, the venue says: ${text}`],
      isFlat: false,
    })
    const changed = accountWith({ positions: { ETH: { size: '0.002' } } })
    expect(plan(changed, 0, { tries }).actions).toHaveLength(1)
  })
})

describe('an account with so many orders that the venue takes no close', () => {
  const takeProfit = (oid: number): OpenOrder =>
    openOrder({
      ...{ coin: 'ETH', oid, isBuy: false, price: '2600', size: '0.01', isReduceOnly: true },
      at: fixtureNow - 100_000 + oid,
    })
  const crowd = (count: number, more: readonly OpenOrder[] = []): Account =>
    accountWith({
      positions: { ETH: { size: '1' } },
      orders: [
        stopOrder({ coin: 'ETH', oid: 9_000, size: '1', trigger: '2440' }),
        ...Array.from({ length: count - 1 - more.length }, (_, at) => takeProfit(1 + at)),
        ...more,
      ],
    })
  const cancelled = ({ actions }: FlattenPlan): number[] =>
    actions.flatMap((action) =>
      action.type === 'cancel' ? action.cancels.map(({ oid }) => oid) : [],
    )
  const closes = ({ actions }: FlattenPlan): number =>
    actions.filter(({ type }) => type === 'order').length

  test('beside 999 it closes and cancels nothing', () => {
    const planned = plan(crowd(999))
    expect([cancelled(planned), closes(planned)]).toEqual([[], 1])
  })

  test('beside 1,000 the youngest that cover nothing go first, and the close waits for them', () => {
    const planned = plan(crowd(1_000))
    // 21 make room for one close, with 20 to spare; the stop has the highest number and stays.
    expect(cancelled(planned)).toEqual(Array.from({ length: 21 }, (_, at) => 999 - at))
    expect(closes(planned)).toBe(0)
  })

  test('while the cancels are on their way it waits, and then it closes', () => {
    const account = crowd(1_000)
    const isWanted = false
    const coming = plan(account, 0, { room: { isWanted, isBeingMade: true, cleared: 0 } })
    expect([cancelled(coming), closes(coming)]).toEqual([[], 0])
    const made = plan(account, 0, { room: { isWanted, isBeingMade: false, cleared: 21 } })
    expect([cancelled(made), closes(made)]).toEqual([[], 1])
  })

  test('entries go in any case, and no take profit where they do', () => {
    const entries = Array.from({ length: 50 }, (_, at) =>
      openOrder({ coin: 'SOL', oid: 2_000 + at, isBuy: true, price: '100', size: '1' }),
    )
    const planned = plan(crowd(1_000, entries))
    expect(cancelled(planned).sort()).toEqual(entries.map(({ oid }) => oid))
    expect(closes(planned)).toBe(0)
  })

  test('a refusal makes room too, where Guard sees fewer orders than the venue counts', () => {
    const room = { isWanted: true, isBeingMade: false, cleared: 0 }
    const planned = plan(crowd(100), 0, { room })
    expect(cancelled(planned)).toEqual(Array.from({ length: 21 }, (_, at) => 99 - at))
    expect(closes(planned)).toBe(0)
  })

  test('where nothing may go it says so and closes all the same', () => {
    const stops = Array.from({ length: 1_000 }, (_, at) =>
      stopOrder({ coin: 'ETH', oid: 1 + at, size: '0.001', trigger: '2440' }),
    )
    const account = accountWith({ positions: { ETH: { size: '1' } }, orders: stops })
    const planned = plan(account)
    expect([cancelled(planned), closes(planned)]).toEqual([[], 1])
    expect(planned.problems).toEqual([
      '1000 orders are open, the venue takes no close beside so many, and none of them may be cancelled',
    ])
  })

  test('thousands go in rounds', () => {
    expect(cancelled(plan(crowd(3_000)))).toHaveLength(120)
  })
})
