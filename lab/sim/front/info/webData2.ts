import type { Json } from '../../../../src/core/protocol/action.ts'
import type { Address } from '../../../../src/core/values/address.ts'
import type { VenueReads } from '../../engine/venueReads.ts'
import { Decimal } from '../../../../src/core/values/decimal.ts'
import { renderPerpState, renderSpotState } from '../render/renderAccount.ts'
import { renderContext, renderMeta } from '../render/renderMarket.ts'
import { renderFrontendOrder } from '../render/renderOrder.ts'
import { renderTwapStates } from '../render/renderTwap.ts'
import { spotContexts } from './spotInfo.ts'
import { wireNumber } from '../render/wireNumber.ts'

/** Everything the venue's own page once asked for in one answer. */
export function webData2(venue: VenueReads, user: Address): Json {
  const unnamed = venue.agents(user).find((agent) => agent.name === '')
  return {
    clearinghouseState: renderPerpState(venue.perpState(user)),
    leadingVaults: [],
    totalVaultEquity: '0.0',
    openOrders: venue.openOrders(user).map(renderFrontendOrder),
    agentAddress: unnamed?.address ?? null,
    agentValidUntil: unnamed?.validUntil ?? null,
    cumLedger: wireNumber(netDeposits(venue, user)),
    meta: renderMeta(venue.markets()),
    assetCtxs: venue.contexts().map(renderContext),
    serverTime: venue.nowMs,
    isVault: venue.role(user).role === 'vault',
    user,
    twapStates: renderTwapStates(venue.webDataTwaps(user)),
    spotState: renderSpotState(venue.spotState(user)),
    spotAssetCtxs: spotContexts(venue),
    perpsAtOpenInterestCap: [],
  }
}

/** What went in less what went out over the account's life. */
export function netDeposits(venue: VenueReads, user: Address): Decimal {
  return venue.ledger(user).reduce((sum, { delta }) => {
    switch (delta.type) {
      case 'deposit':
        return sum.plus(delta.usdc)
      case 'withdraw':
        return sum.minus(delta.usdc)
      case 'send':
      case 'spotTransfer': {
        if (delta.destination === delta.user) return sum
        return delta.destination === user ? sum.plus(delta.usdcValue) : sum.minus(delta.usdcValue)
      }
      case 'internalTransfer':
      case 'subAccountTransfer':
        return delta.destination === user ? sum.plus(delta.usdc) : sum.minus(delta.usdc)
      case 'accountClassTransfer':
      case 'liquidation':
        return sum
      default:
        return sum
    }
  }, Decimal.zero)
}
