// An agent that asks before it trades: Guard's preview says what would become of an order, with
// the numbers, and changes nothing. It takes the size that Guard would allow, or gives up.
import { ExchangeClient, HttpTransport, InfoClient } from '@nktkas/hyperliquid'
import { createClient } from 'guard/client'
import { privateKeyToAccount } from 'viem/accounts'

const url = process.env['GUARD_URL'] ?? 'http://127.0.0.1:8547'
const wallet = privateKeyToAccount(process.env['GUARD_CLIENT_KEY'] as `0x${string}`)
const guard = createClient({ baseUrl: url })
const transport = new HttpTransport({ apiUrl: url })
const info = new InfoClient({ transport })
const exchange = new ExchangeClient({ transport, wallet })

const { universe } = await info.meta()
const asset = universe.findIndex(({ name }) => name === 'ETH')
const mid = Number((await info.allMids())['ETH'])

const wish = (size: string) => ({
  type: 'order' as const,
  orders: [
    {
      a: asset,
      b: true,
      p: (mid * 1.004).toPrecision(5),
      s: size,
      r: false,
      t: { limit: { tif: 'Ioc' as const } },
    },
  ],
  grouping: 'na' as const,
})

const answer = await guard.preview(wish('25'), wallet.address)
const [entry] = answer.entries
console.log('preview', answer.verdict, answer.code, answer.text)
if (answer.verdict === 'veto' || entry === undefined) process.exit(1)
console.log('allowed', entry.size, 'with a stop at', entry.stop, 'risking', entry.risk)

// Half of what would pass, so that there is room for another idea.
const half = (Math.floor((Number(entry.size) / 2) * 100) / 100).toString()
const { orders, grouping } = wish(half)
const done = await exchange.order({ orders, grouping })
console.log('traded', JSON.stringify(done.response.data.statuses))
