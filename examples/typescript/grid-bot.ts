// A grid bot: several entries in one action, moved with the price, cancelled at the end.
// Guard sends each entry on with a stop of its own; the statuses come back in this bot's order.
import { ExchangeClient, HttpTransport, InfoClient } from '@nktkas/hyperliquid'
import { privateKeyToAccount } from 'viem/accounts'

const guard = process.env['GUARD_URL'] ?? 'http://127.0.0.1:8547'
const wallet = privateKeyToAccount(process.env['GUARD_CLIENT_KEY'] as `0x${string}`)
const rounds = Number(process.env['ROUNDS'] ?? '2')

const transport = new HttpTransport({ apiUrl: guard })
const info = new InfoClient({ transport })
const exchange = new ExchangeClient({ transport, wallet })

const { universe } = await info.meta()
const asset = universe.findIndex(({ name }) => name === 'ETH')
const steps = [0.99, 0.985, 0.98]

const rung = (mid: number, step: number) => ({
  a: asset,
  b: true,
  p: (mid * step).toPrecision(5),
  s: '0.02',
  r: false,
  t: { limit: { tif: 'Alo' as const } },
})

const readMid = async (): Promise<number> => Number((await info.allMids())['ETH'])

const mid = await readMid()
const placed = await exchange.order({
  orders: steps.map((step) => rung(mid, step)),
  grouping: 'na',
})
let oids = placed.response.data.statuses.map((status) => oidOf(status))
console.log('placed', JSON.stringify(oids))

for (let round = 1; round <= rounds; round += 1) {
  // A grid that stays with the price: each rung is moved to its place below the mid.
  const now = (await readMid()) * (1 - 0.001 * round)
  const moved = await exchange.batchModify({
    modifies: oids.map((oid, place) => ({ oid, order: rung(now, steps[place] ?? 0.98) })),
  })
  // A modified entry is a new order with a new id.
  oids = moved.response.data.statuses.map((status) => oidOf(status))
  console.log('moved', JSON.stringify(oids))
}

await exchange.cancel({ cancels: oids.map((o) => ({ a: asset, o })) })
console.log('cancelled')

function oidOf(status: unknown): number {
  const { resting } = status as { resting?: { oid: number } }
  if (resting === undefined) throw new Error(`a rung does not rest: ${JSON.stringify(status)}`)
  return resting.oid
}
