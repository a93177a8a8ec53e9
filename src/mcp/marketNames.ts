import { decodeAllMids } from '../core/protocol/decodeInfoOrders.ts'
import type { Market } from '../core/protocol/market.ts'
import { parseCoin } from '../core/values/coin.ts'
import type { Decimal } from '../core/values/decimal.ts'
import { AgentError } from './agentError.ts'
import { isPlainName } from './plainNames.ts'
import type { ReadShare } from './readShare.ts'

/** The market that an agent names. A name that the venue does not list is answered with a near one. */
export async function marketNamed(reads: ReadShare, name: string): Promise<Market> {
  const markets = await reads.marketsWith([name])
  const coin = parseCoin(name)
  const market = coin.ok ? markets.byCoin.get(coin.value) : undefined
  if (market !== undefined) return market
  const meant = [...markets.byCoin.keys()].find((each) => each.toLowerCase() === name.toLowerCase())
  throw new AgentError(
    'The venue lists no perp of that name',
    meant === undefined || !isPlainName(meant)
      ? 'Names are as the venue writes them, such as BTC, or xyz:TSLA on the builder dex xyz.'
      : `Did you mean ${meant}?`,
  )
}

/** The middle between bid and ask; null while there is none. */
export async function midOf(reads: ReadShare, market: Market): Promise<Decimal | null> {
  const dex = market.builder === undefined ? {} : { dex: market.builder.dex }
  const mids = decodeAllMids(await reads.infoToAct({ type: 'allMids', ...dex }))
  return mids.ok ? (mids.value.get(market.coin) ?? null) : null
}
