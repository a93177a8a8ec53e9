import fc from 'fast-check'
import type { Address } from '../values/address.ts'
import type { Cloid } from '../values/cloid.ts'
import { Decimal } from '../values/decimal.ts'
import type { Action, Modify, Order, OrderType } from './action.ts'

/** Arbitrary actions of every kind that Guard forwards, in the venue's bounds. */

const hex = (length: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length })

export const anyAddress = hex(40).map((digits) => `0x${digits}` as Address)
export const anyCloid = hex(32).map((digits) => `0x${digits}` as Cloid)

/** In its shortest form, so that equal values are equal objects. */
export const anyDecimal = fc
  .tuple(fc.bigInt({ min: 0n, max: 10n ** 15n }), fc.integer({ min: 0, max: 8 }))
  .map(([units, scale]) => new Decimal(units, scale).normalised())

const anyAsset = fc.oneof(
  fc.integer({ min: 0, max: 300 }),
  fc.integer({ min: 0, max: 0xffff_ffff }),
)
const anyOid = fc.oneof(
  fc.integer({ min: 0, max: 1_000_000 }),
  fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
)

const anyType: fc.Arbitrary<OrderType> = fc.oneof(
  fc.record({
    kind: fc.constant('limit' as const),
    tif: fc.constantFrom('Gtc', 'Ioc', 'Alo', 'FrontendMarket'),
  }),
  fc.record({
    kind: fc.constant('trigger' as const),
    isMarket: fc.boolean(),
    triggerPrice: anyDecimal,
    tpsl: fc.constantFrom('tp', 'sl'),
  }),
)

const anyOrder: fc.Arbitrary<Order> = fc.record({
  asset: anyAsset,
  isBuy: fc.boolean(),
  price: anyDecimal,
  size: anyDecimal,
  isReduceOnly: fc.boolean(),
  type: anyType,
  cloid: fc.option(anyCloid),
})

const anyModify: fc.Arbitrary<Modify> = fc.record({
  ref: fc.oneof(
    anyOid.map((oid) => ({ oid })),
    anyCloid.map((cloid) => ({ cloid })),
  ),
  order: anyOrder,
})

const few = { minLength: 1, maxLength: 4 }

export const anyAction: fc.Arbitrary<Action> = fc.oneof(
  fc.record({
    type: fc.constant('order' as const),
    orders: fc.array(anyOrder, { minLength: 1, maxLength: 20 }),
    grouping: fc.constantFrom('na', 'normalTpsl', 'positionTpsl'),
    builder: fc.option(fc.record({ address: anyAddress, fee: fc.integer({ min: 0, max: 1000 }) })),
  }),
  fc.record({
    type: fc.constant('cancel' as const),
    cancels: fc.array(fc.record({ asset: anyAsset, oid: anyOid }), few),
  }),
  fc.record({
    type: fc.constant('cancelByCloid' as const),
    cancels: fc.array(fc.record({ asset: anyAsset, cloid: anyCloid }), few),
  }),
  fc.record({ type: fc.constant('modify' as const), modify: anyModify }),
  fc.record({ type: fc.constant('batchModify' as const), modifies: fc.array(anyModify, few) }),
  fc.record({
    type: fc.constant('updateLeverage' as const),
    asset: anyAsset,
    isCross: fc.boolean(),
    leverage: fc.integer({ min: 1, max: 50 }),
  }),
  fc.record({
    type: fc.constant('updateIsolatedMargin' as const),
    asset: anyAsset,
    isBuy: fc.boolean(),
    ntli: fc.oneof(fc.maxSafeInteger(), fc.integer({ min: -200, max: 200 })),
  }),
  fc.record({
    type: fc.constant('scheduleCancel' as const),
    time: fc.option(fc.integer({ min: 0, max: 2_000_000_000_000 })),
  }),
  fc.record({
    type: fc.constant('twapOrder' as const),
    asset: anyAsset,
    isBuy: fc.boolean(),
    size: anyDecimal,
    isReduceOnly: fc.boolean(),
    minutes: fc.integer({ min: 0, max: 10_080 }),
    isRandomized: fc.boolean(),
    details: fc.option(
      fc.record({
        trigger: fc.option(fc.record({ price: anyDecimal, isAbove: fc.boolean() })),
        endPrice: fc.option(anyDecimal),
      }),
    ),
  }),
  fc.record({ type: fc.constant('twapCancel' as const), asset: anyAsset, twapId: anyOid }),
)
