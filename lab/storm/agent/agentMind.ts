import type { Chance } from '../chance.ts'

/** A tool of the MCP server by its name, and the arguments that the agent gives it. */
export interface Call {
  readonly tool: string
  readonly given: { readonly [name: string]: unknown }
  readonly afterMs: number
}

/** What the agent remembers of the account. */
export interface Seen {
  readonly oids: readonly number[]
  readonly coins: readonly string[]
}

const coins = ['BTC', 'ETH', 'SOL', 'DOGE']
const mids: Readonly<Record<string, number>> = { BTC: 100_000, ETH: 4_000, SOL: 200, DOGE: 0.21 }

/** What an agent does next: it looks, or it acts, and then often says the same again. */
export function nextCalls(chance: Chance, seen: Seen): readonly Call[] {
  const isLooking = chance.is(0.4)
  const [tool, given] = isLooking ? look(chance) : act(chance, seen)
  const times = isLooking || chance.is(0.4) ? 1 : chance.whole(2, 3)
  const apart = chance.pick([0, 5, 900, 6_000])
  return Array.from({ length: times }, (_, nth) => ({ tool, given, afterMs: nth * apart }))
}

type Wish = readonly [tool: string, given: Call['given']]

function look(chance: Chance): Wish {
  const coin = chance.pick(coins)
  return chance.pick<Wish>([
    ['guard_status', {}],
    ['guard_limits', { coin }],
    ['guard_preview', { coin, side: 'buy', size_usd: '900' }],
    ['guard_events', { limit: 5 }],
    ['guard_rules', {}],
    ['market', { coin }],
    ['book', { coin }],
    ['open_orders', {}],
    ['fills', { limit: 5 }],
  ])
}

function act(chance: Chance, seen: Seen): Wish {
  const key = { idempotency_key: `k${chance.whole(0, 10 ** 9)}` }
  const coin = chance.pick(seen.coins.length > 0 ? seen.coins : coins)
  const [oid] = seen.oids.length > 0 ? [chance.pick(seen.oids)] : [1]
  const roll = chance.next()
  if (roll < 0.6) return ['place_order', { ...order(chance), ...key }]
  if (roll < 0.75) return ['close_position', { coin, ...key }]
  if (roll < 0.82) return ['cancel_order', { oid }]
  if (roll < 0.85) return ['cancel_all', {}]
  if (roll < 0.93) return ['modify_order', { oid, price: near(chance, chance.pick(coins)), ...key }]
  return ['set_leverage', { coin, leverage: chance.whole(1, 12) }]
}

function order(chance: Chance): Call['given'] {
  const coin = chance.pick(coins)
  const side = chance.pick(['buy', 'sell'])
  const size = { size_usd: String(chance.whole(5, chance.pick([500, 5_000, 40_000]))) }
  if (chance.is(0.5)) return { coin, side, ...size }
  return { coin, side, ...size, price: near(chance, coin), tif: chance.pick(['gtc', 'alo', 'ioc']) }
}

/** A price within two percent of where the market began. */
function near(chance: Chance, coin: string): string {
  const price = (mids[coin] ?? 1) * (0.98 + 0.04 * chance.next())
  return String(Number(price.toPrecision(5)))
}
