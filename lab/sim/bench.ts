import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { address } from '../../src/core/values/address.ts'
import { Decimal } from '../../src/core/values/decimal.ts'
import type { Order } from '../../src/core/protocol/action.ts'
import { defaultMarkets } from './defaultMarkets.ts'
import { defaultOptions } from './engine/options.ts'
import { Random } from './engine/random.ts'
import { Venue } from './engine/venue.ts'

interface BenchResult {
  readonly orders: number
  readonly seconds: number
  readonly ordersPerSecond: number
  /** How many of them filled or came to rest; the others were refused. */
  readonly accepted: number
  /** Heap after a tenth of the orders, and after all of them, both after a collection. */
  readonly heapEarlyMb: number
  readonly heapLateMb: number
}

const startMs = Date.UTC(2026, 0, 1)
const traderCount = 8
const equity = Decimal.of('100000000')
const sizeScale = 4
const priceScale = 1
const asset = 1
const middle = 24_863

/** One order in four takes, the others rest near the best prices. */
function anyOrder(random: Random): Order {
  const isBuy = random.below(2) === 0
  const isTaker = random.below(4) === 0
  const away = random.between(1, 40)
  const tenths = middle + (isBuy === isTaker ? away : -away)
  return {
    asset,
    isBuy,
    price: new Decimal(BigInt(tenths), priceScale),
    size: new Decimal(BigInt(random.between(50, 5000)), sizeScale),
    isReduceOnly: false,
    type: { kind: 'limit', tif: isTaker ? 'Ioc' : 'Gtc' },
    cloid: null,
  }
}

/** Sends orders into an engine in this process and measures speed and memory. */
export function benchSimulator(orders = 1_000_000): BenchResult {
  const random = new Random(11)
  const traders = Array.from({ length: traderCount }, (_, index) =>
    address(`0x${(index + 1).toString(16).padStart(40, '0')}`),
  )
  const venue = new Venue({
    seed: 1,
    startMs,
    frozen: true,
    scenario: 'calm',
    markets: defaultMarkets,
    accounts: traders.map((each) => ({ address: each, equity })),
    options: defaultOptions,
  })
  let heapEarlyMb = 0
  let accepted = 0
  const started = performance.now()
  for (let sent = 1; sent <= orders; sent++) {
    const who = traders[sent % traderCount] ?? address('')
    const made = [anyOrder(random)]
    const reply = venue.apply(who, { type: 'order', orders: made, grouping: 'na', builder: null })
    if (!JSON.stringify(reply).includes('error')) accepted += 1
    if (sent % 64 === 0) {
      venue.advanceTo(startMs + sent)
      tidy(venue, traders[(sent / 64) % traderCount] ?? who)
    }
    if (sent === Math.ceil(orders / 10)) heapEarlyMb = heapMb()
  }
  const seconds = (performance.now() - started) / 1000
  const ordersPerSecond = Math.round(orders / seconds)
  const heapLateMb = heapMb()
  // Asking it something keeps the venue alive until its memory was measured.
  const held = venue.audit().held
  if (!held.isPositive()) throw new Error('the bench lost its accounts')
  return { orders, seconds, ordersPerSecond, accepted, heapEarlyMb, heapLateMb }
}

/** Cancels what rests, so that the cap on open orders does not end the run. */
function tidy(venue: Venue, who: ReturnType<typeof address>): void {
  const open = venue.openOrders(who).slice(0, 200)
  if (open.length === 0) return
  venue.apply(who, { type: 'cancel', cancels: open.map(({ oid }) => ({ asset, oid })) })
}

function heapMb(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  return Math.round((process.memoryUsage().heapUsed / 1_048_576) * 10) / 10
}

/** The two figures as a line each. */
export function benchText(result: BenchResult): string {
  const { orders, seconds, ordersPerSecond, accepted, heapEarlyMb, heapLateMb } = result
  return [
    `simulator engine: ${ordersPerSecond} orders/s (${orders} orders in ${seconds.toFixed(1)} s, ${accepted} accepted)`,
    `heap after ${Math.ceil(orders / 10)} orders ${heapEarlyMb} MB, after ${orders} orders ${heapLateMb} MB`,
  ].join('\n')
}
