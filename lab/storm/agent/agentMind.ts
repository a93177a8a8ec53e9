import type { Chance } from '../chance.ts'

/** A tool of the MCP server by its name, and the arguments that the agent gives it. */
export interface Call {
  readonly tool: string
  readonly given: { readonly [name: string]: unknown }
  readonly afterMs: number
}

/** What the agent remembers of the account and the markets. */
export interface Seen {
  readonly oids: readonly number[]
  readonly coins: readonly string[]
  /** The last prices that it was told, by coin. */
  readonly mids: Readonly<Record<string, number>>
  /** Names that it has given to orders, the last ones. */
  readonly keys: readonly string[]
}

const coins = ['BTC', 'ETH', 'SOL', 'DOGE']

/** What it believes before it has looked: the prices with which a world begins. */
export const seenAtFirst: Seen = {
  ...{ oids: [], coins: [], keys: [] },
  mids: { BTC: 100_000, ETH: 4_000, SOL: 200, DOGE: 0.21 },
}

/** How long after the first time it says the same again; one that takes its time, also much later. */
const apartMs = {
  hasty: [0, 5, 900, 6_000],
  slow: [0, 900, 6_000, 60_000, 1_200_000],
} as const

/** One that lives for days must not lose everything on the first of them. */
const sizes = { hasty: [500, 5_000, 40_000], slow: [60, 60, 300, 300, 300, 2_000, 40_000] } as const

export type Temper = keyof typeof apartMs

/** What an agent does next: it looks, or it acts, and then often says the same again. */
export function nextCalls(chance: Chance, seen: Seen, temper: Temper): readonly Call[] {
  const isLooking = chance.is(0.4)
  const [tool, given] = isLooking ? look(chance, seen) : act(chance, seen, temper)
  const times = isLooking || chance.is(0.4) ? 1 : chance.whole(2, 3)
  const apart = chance.pick(apartMs[temper])
  return Array.from({ length: times }, (_, nth) => ({ tool, given, afterMs: nth * apart }))
}

type Wish = readonly [tool: string, given: Call['given']]

function look(chance: Chance, { keys }: Seen): Wish {
  const coin = chance.pick(coins)
  return chance.pick<Wish>([
    ['guard_status', {}],
    ['guard_limits', { coin }],
    ['guard_preview', { coin, side: 'buy', size_usd: '900' }],
    ['guard_events', { limit: 5 }],
    ['guard_rules', {}],
    ['guard_explain', { idempotency_key: keys.at(-1) ?? 'k' }],
    ['market', { coin }],
    ['book', { coin }],
    ['candles', { coin, interval: '1h', count: 6 }],
    ['funding', { coin }],
    ['open_orders', {}],
    ['fills', { limit: 5 }],
  ])
}

function act(chance: Chance, seen: Seen, temper: Temper): Wish {
  const key = { idempotency_key: `k${chance.whole(0, 10 ** 9)}` }
  const coin = chance.pick(seen.coins.length > 0 ? seen.coins : coins)
  const [oid] = seen.oids.length > 0 ? [chance.pick(seen.oids)] : [1]
  const roll = chance.next()
  if (temper === 'slow' && roll > 0.9992) {
    return ['guard_kill', { reason: 'I do not trust myself', confirm: true }]
  }
  if (roll < 0.6) return ['place_order', { ...order(chance, seen, temper), ...key }]
  if (roll < 0.75) return ['close_position', { coin, ...key }]
  if (roll < 0.82) return ['cancel_order', { oid }]
  if (roll < 0.85) return ['cancel_all', {}]
  if (roll < 0.93) {
    const price = near(chance, seen, chance.pick(coins))
    return ['modify_order', { oid, price, ...key }]
  }
  return ['set_leverage', { coin, leverage: chance.whole(1, 12) }]
}

function order(chance: Chance, seen: Seen, temper: Temper): Call['given'] {
  const coin = chance.pick(coins)
  const side = chance.pick(['buy', 'sell'])
  const size = {
    size_usd: String(chance.whole(temper === 'slow' ? 15 : 5, chance.pick(sizes[temper]))),
  }
  const own =
    temper === 'slow' && chance.is(0.4) ? { stop: stopOf(seen, coin, side === 'buy') } : {}
  if (chance.is(0.5)) return { coin, side, ...size, ...own }
  const price = near(chance, seen, coin)
  return { coin, side, ...size, ...own, price, tif: chance.pick(['gtc', 'alo', 'ioc']) }
}

/** Three percent behind the last price that it was told. */
function stopOf({ mids }: Seen, coin: string, isBuy: boolean): string {
  return priceText((mids[coin] ?? 1) * (isBuy ? 0.97 : 1.03))
}

/** A price within two percent of the last one that it was told. */
function near(chance: Chance, { mids }: Seen, coin: string): string {
  return priceText((mids[coin] ?? 1) * (0.98 + 0.04 * chance.next()))
}

function priceText(price: number): string {
  return String(Number(price.toPrecision(5)))
}
