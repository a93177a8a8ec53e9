import { expect, test } from 'vitest'
import fc from 'fast-check'
import type { Address } from '../../../src/core/values/address.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import type { Order } from '../../../src/core/protocol/action.ts'
import { defaultOptions } from './options.ts'
import { Venue } from './venue.ts'
import type { VenueEvent } from './venueEvent.ts'
import {
  account,
  alice,
  bob,
  carol,
  d,
  eth,
  limit,
  price,
  sizeOf,
  startMs,
  testConfig,
  trigger,
} from './venue.fixture.ts'

type Step =
  | { readonly kind: 'order'; readonly who: Address; readonly order: Order; readonly stop: boolean }
  | { readonly kind: 'cancel'; readonly who: Address; readonly pick: number }
  | {
      readonly kind: 'leverage'
      readonly who: Address
      readonly cross: boolean
      readonly x: number
    }
  | { readonly kind: 'price'; readonly mid: string }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'flow'; readonly who: Address; readonly amount: string }

const who = fc.constantFrom(alice, bob, carol)
const side = fc.constantFrom('buy' as const, 'sell' as const)
const near = fc
  .integer({ min: 19_000, max: 21_000 })
  .map((tenths) => new Decimal(BigInt(tenths), 1))
const size = fc.integer({ min: 60, max: 40_000 }).map((units) => new Decimal(BigInt(units), 4))

const anyLimit = fc
  .record({
    side,
    size,
    near,
    tif: fc.constantFrom('Gtc' as const, 'Gtc' as const, 'Ioc' as const, 'Alo' as const),
    isReduceOnly: fc.nat(3).map((n) => n === 0),
  })
  .map((one) =>
    limit(one.side, one.size.toString(), one.near.toString(), {
      tif: one.tif,
      isReduceOnly: one.isReduceOnly,
    }),
  )
const anyTrigger = fc
  .record({
    side,
    size,
    near,
    tpsl: fc.constantFrom('tp' as const, 'sl' as const),
    ro: fc.boolean(),
  })
  .map((one) =>
    trigger(
      one.side,
      one.size.toString(),
      one.near.toString(),
      one.side === 'buy' ? '2200' : '1800',
      one.tpsl,
      {
        isReduceOnly: one.ro,
      },
    ),
  )

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('order' as const),
      who,
      order: fc.oneof({ weight: 3, arbitrary: anyLimit }, { weight: 1, arbitrary: anyTrigger }),
      stop: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('cancel' as const), who, pick: fc.nat(20) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('leverage' as const),
      who,
      cross: fc.boolean(),
      x: fc.integer({ min: 1, max: 25 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('price' as const),
      mid: near.map((value) => value.toString()),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(5_000_000) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('flow' as const),
      who,
      amount: fc.integer({ min: -500, max: 500 }).map(String),
    }),
  },
)

/** Long enough to meet positions, triggers and margin that earlier steps left. */
const stepsOf = (count: number) =>
  fc.array(step, { minLength: count / 2, maxLength: count, size: 'max' })

function run(venue: Venue, one: Step): void {
  switch (one.kind) {
    case 'order': {
      const child = trigger(
        one.order.isBuy ? 'sell' : 'buy',
        one.order.size.toString(),
        one.order.isBuy ? '1890' : '2110',
        one.order.isBuy ? '1700' : '2300',
        'sl',
      )
      const isGroup = one.stop && one.order.type.kind === 'limit' && !one.order.isReduceOnly
      const orders = isGroup ? [one.order, child] : [one.order]
      venue.apply(one.who, {
        type: 'order',
        orders,
        grouping: isGroup ? 'normalTpsl' : 'na',
        builder: null,
      })
      return
    }
    case 'cancel': {
      const found = venue.openOrders(one.who)[one.pick]
      if (found === undefined) return
      venue.apply(one.who, { type: 'cancel', cancels: [{ asset: 1, oid: found.oid }] })
      return
    }
    case 'leverage':
      venue.apply(one.who, {
        type: 'updateLeverage',
        asset: 1,
        isCross: one.cross,
        leverage: one.x,
      })
      return
    case 'price':
      price(venue, one.mid)
      return
    case 'wait':
      venue.advanceTo(venue.nowMs + one.ms)
      return
    case 'flow':
      venue.flow(one.who, d(one.amount))
      return
  }
}

function started(frozen = true, seed = 7): Venue {
  const accounts = [account(alice, '20000'), account(bob, '5000'), account(carol, '1500')]
  return new Venue(testConfig({ accounts, frozen, seed, options: defaultOptions }))
}

function expectSound(venue: Venue): void {
  const { deposited, held, feesCollected, netSizes } = venue.audit()
  expect(held.plus(feesCollected).toString()).toBe(deposited.toString())
  for (const net of netSizes.values()) expect(net.isZero()).toBe(true)
  const { bid, ask } = venue.bestBidAsk(eth) ?? { bid: null, ask: null }
  if (bid !== null && ask !== null) expect(bid.price.lt(ask.price)).toBe(true)
}

test('the book never crosses; size and cash are conserved', () => {
  let fills = 0
  fc.assert(
    fc.property(stepsOf(60), (steps) => {
      const venue = started()
      for (const one of steps) {
        run(venue, one)
        expectSound(venue)
      }
      const book = venue.book(eth)
      const levels = [...(book?.bids ?? []), ...(book?.asks ?? [])]
      expect(levels.filter(({ size: left }) => !left.isPositive())).toEqual([])
      for (const each of [alice, bob, carol]) fills += venue.fills(each).length
    }),
    { numRuns: 25 },
  )
  expect(fills).toBeGreaterThan(100)
})

test('a reduce-only order never opens, grows or flips a position', () => {
  let closes = 0
  fc.assert(
    fc.property(stepsOf(60), (steps) => {
      const venue = started()
      const reduceOnly = new Set<number>()
      const wrong: string[] = []
      venue.onEvent((events) => {
        for (const event of events) {
          if (event.kind === 'order' && event.order.isReduceOnly) reduceOnly.add(event.order.oid)
        }
        for (const event of events) {
          if (event.kind !== 'fill' || !reduceOnly.has(event.fill.oid)) continue
          if (event.fill.dir.startsWith('Close')) closes += 1
          else wrong.push(event.fill.dir)
        }
      })
      for (const one of steps) run(venue, one)
      expect(wrong).toEqual([])
    }),
    { numRuns: 25 },
  )
  expect(closes).toBeGreaterThan(0)
})

test('a stop fires once', () => {
  let fires = 0
  fc.assert(
    fc.property(stepsOf(60), (steps) => {
      const venue = started()
      const fired = new Map<number, number>()
      venue.onEvent((events) => {
        for (const event of events) {
          if (event.kind !== 'order' || event.status !== 'triggered') continue
          fired.set(event.order.oid, (fired.get(event.order.oid) ?? 0) + 1)
        }
      })
      for (const one of steps) run(venue, one)
      expect([...fired.values()].filter((count) => count > 1)).toEqual([])
      fires += fired.size
    }),
    { numRuns: 25 },
  )
  expect(fires).toBeGreaterThan(0)
})

test('trades, fees, funding and flows explain every change of a cross account to the last digit', () => {
  fc.assert(
    fc.property(stepsOf(30), (steps) => {
      const venue = started()
      let cash = d('20000')
      let isLiquidated = false
      venue.onEvent((events) => {
        for (const event of events) {
          if (!('user' in event) || event.user !== alice) continue
          if (event.kind === 'fill') {
            const { isBuy, price: at, size: traded, fee } = event.fill
            const value = at.times(traded)
            cash = (isBuy ? cash.minus(value) : cash.plus(value)).minus(fee)
          }
          if (event.kind === 'funding') cash = cash.plus(event.payment.usdc)
          if (event.kind === 'liquidation') isLiquidated = true
          if (event.kind === 'ledger') cash = cash.plus(signed(event))
        }
      })
      for (const one of steps) run(venue, one)
      if (isLiquidated) return
      const { margin, positions } = venue.perpState(alice)
      const held = positions.reduce(
        (sum, one) =>
          one.size.isPositive() ? sum.plus(one.positionValue) : sum.minus(one.positionValue),
        Decimal.zero,
      )
      expect(margin.accountValue.toString()).toBe(
        cash.plus(held).rounded(6, 'half-even').toString(),
      )
    }),
    { numRuns: 25 },
  )
})

function signed(event: Extract<VenueEvent, { kind: 'ledger' }>): Decimal {
  const { delta } = event.row
  if (delta.type === 'deposit') return delta.usdc
  return delta.type === 'withdraw' ? delta.usdc.negated() : Decimal.zero
}

test.each([true, false])(
  'the same seed and requests give the same events (frozen: %s)',
  (frozen) => {
    fc.assert(
      fc.property(stepsOf(16), fc.nat(1000), (steps, seed) => {
        const short = steps.map((one) =>
          one.kind === 'wait' ? { ...one, ms: one.ms % 20_000 } : one,
        )
        const told = [0, 1].map(() => {
          const venue = started(frozen, seed)
          const events: unknown[] = []
          venue.onEvent((batch) => events.push(batch))
          for (const one of short) run(venue, one)
          expectSound(venue)
          return JSON.stringify(events)
        })
        expect(told[0]).toBe(told[1])
      }),
      { numRuns: 12 },
    )
  },
)

test('another seed gives another market', () => {
  const mids = [1, 2].map((seed) => {
    const venue = started(false, seed)
    venue.advanceTo(startMs + 30_000)
    return String(venue.mids().get(eth))
  })
  expect(mids[0]).not.toBe(mids[1])
})

test('a position is what its fills add up to', () => {
  fc.assert(
    fc.property(stepsOf(60), (steps) => {
      const venue = started()
      for (const one of steps) run(venue, one)
      for (const each of [alice, bob, carol]) {
        const total = venue
          .fills(each)
          .reduce(
            (sum, fill) => (fill.isBuy ? sum.plus(fill.size) : sum.minus(fill.size)),
            Decimal.zero,
          )
        expect(sizeOf(venue, each)).toBe(total.toString())
      }
    }),
    { numRuns: 25 },
  )
})
