// A minimal bot: buys a little ETH, reads what Guard made of it, closes again.
// GUARD_CLIENT_KEY is the client key Guard gave you, GUARD_ACCOUNT the trading account.
import { ExchangeClient, HttpTransport, InfoClient } from '@nktkas/hyperliquid'
import { privateKeyToAccount } from 'viem/accounts'

const guard = process.env['GUARD_URL'] ?? 'http://127.0.0.1:8547'
const wallet = privateKeyToAccount(process.env['GUARD_CLIENT_KEY'] as `0x${string}`)
const user = process.env['GUARD_ACCOUNT'] as `0x${string}`

const transport = new HttpTransport({ apiUrl: guard })
const info = new InfoClient({ transport })
const exchange = new ExchangeClient({ transport, wallet })

const { universe } = await info.meta()
const asset = universe.findIndex(({ name }) => name === 'ETH')
const mid = Number((await info.allMids())['ETH'])

/** An order that fills now or not at all, at most 0.4% from the mid. */
const ioc = (isBuy: boolean, isExit: boolean) => ({
  a: asset,
  b: isBuy,
  p: (mid * (isBuy ? 1.004 : 0.996)).toPrecision(5),
  s: '0.05',
  r: isExit,
  t: { limit: { tif: 'Ioc' as const } },
})

try {
  const bought = await exchange.order({ orders: [ioc(true, false)], grouping: 'na' })
  console.log('bought', JSON.stringify(bought.response.data.statuses))
} catch (error) {
  // A veto comes as an error with Guard's words: the code in brackets, then the reason.
  console.log('refused', (error as Error).message)
  process.exit(1)
}

// No stop was sent, so Guard attached one: it rests beside the position.
const stops = (await info.frontendOpenOrders({ user })).filter(({ isTrigger }) => isTrigger)
console.log('stops', JSON.stringify(stops.map(({ triggerPx, sz }) => [triggerPx, sz])))

const sold = await exchange.order({ orders: [ioc(false, true)], grouping: 'na' })
console.log('sold', JSON.stringify(sold.response.data.statuses))
