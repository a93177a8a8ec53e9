import { randomBytes } from 'node:crypto'
import type { JsonObject } from '../../src/core/protocol/action.ts'

/** Markets that are used once each: the first entry in one sets its leverage first. */
export const freshMarkets = 60
const firstFresh = 3

/** The markets of the benchmark's venue; their prices stand still. */
export const benchMarkets: readonly JsonObject[] = [
  { name: 'BTC', szDecimals: 5, maxLeverage: 40, mid: '100000' },
  { name: 'ETH', szDecimals: 4, maxLeverage: 25, mid: '4000' },
  { name: 'SOL', szDecimals: 2, maxLeverage: 20, mid: '200' },
  ...Array.from({ length: freshMarkets }, (_, index) => ({
    ...{ name: `F${index}`, szDecimals: 2, maxLeverage: 20, mid: '100' },
  })),
]

/** What the benchmark's Guards allow: much, so that nothing but their work is measured. */
export function benchRules(anyMarket: boolean): string[] {
  const names = benchMarkets.flatMap(({ name }) => (name === 'SOL' ? [] : [name]))
  return [
    `markets = ${JSON.stringify(anyMarket ? ['*'] : names)}`,
    'max_orders_per_minute = 100000',
    'max_open_orders = 900',
  ]
}

/** An order of the benchmark, and what takes it away again; null when nothing of it rests. */
export interface BenchOrder {
  readonly action: JsonObject
  readonly undo: JsonObject | null
}

/** A small buy of BTC with a stop of its own, within every rule; it rests below the market. */
export function allowedOrder(asset = 0): BenchOrder {
  const cloid = newCloid()
  return { action: bracket('Gtc', cloid, asset), undo: cancelOf(asset, cloid) }
}

/** The same, but it finds no match and is gone: what it leaves cannot pile up at full speed. */
export function passingOrder(): JsonObject {
  return bracket('Ioc', newCloid())
}

/** Without a stop: Guard attaches one. */
export function resizedOrder(): BenchOrder {
  return bare(1, '3985', '0.1')
}

/** Without a stop, in a market nobody traded yet: Guard sets the leverage first. */
export function leverageFirstOrder(index: number): BenchOrder {
  return bare(firstFresh + (index % freshMarkets), '99.7', '1')
}

/** Too small to be taken, so that Guard follows the market and nothing else happens. */
export function tinyOrder(index: number): JsonObject {
  return bare(firstFresh + (index % freshMarkets), '99.7', '0.01').action
}

/** A market the rules do not admit. */
export function vetoedOrder(): BenchOrder {
  return { ...bare(2, '199', '1'), undo: null }
}

function bracket(tif: 'Ioc' | 'Gtc', cloid: string, a = 0): JsonObject {
  const stop = { isMarket: true, triggerPx: '98500', tpsl: 'sl' }
  return {
    type: 'order',
    orders: [
      { a, b: true, p: '99500', s: '0.001', r: false, t: { limit: { tif } }, c: cloid },
      { a, b: false, p: '88650', s: '0.001', r: true, t: { trigger: stop } },
    ],
    grouping: 'normalTpsl',
  }
}

function bare(asset: number, price: string, size: string): BenchOrder {
  const c = newCloid()
  const order = { a: asset, b: true, p: price, s: size, r: false, t: { limit: { tif: 'Gtc' } }, c }
  return {
    action: { type: 'order', orders: [order], grouping: 'na' },
    undo: cancelOf(asset, c),
  }
}

function cancelOf(asset: number, cloid: string): JsonObject {
  return { type: 'cancelByCloid', cancels: [{ asset, cloid }] }
}

function newCloid(): string {
  return `0x${randomBytes(16).toString('hex')}`
}
