import type { Json } from '../../../../src/core/protocol/action.ts'
import type { Address } from '../../../../src/core/values/address.ts'
import type { Coin } from '../../../../src/core/values/coin.ts'
import { spotPairs } from '../../engine/spotPairs.ts'
import type { VenueReads } from '../../engine/venueReads.ts'
import type { CandleInterval } from '../../engine/views.ts'
import { spotContext, spotContexts } from '../info/spotInfo.ts'
import { netDeposits, webData2 } from '../info/webData2.ts'
import { bookDepth, fastBookDepth, groupBook } from '../render/groupBook.ts'
import {
  aggregateFills,
  renderActiveAsset,
  renderFill,
  renderFunding,
  renderLedger,
  renderPerpState,
  renderSpotState,
} from '../render/renderAccount.ts'
import {
  renderBook,
  renderCandle,
  renderContext,
  renderLevel,
  renderAllMids,
  renderTrade,
} from '../render/renderMarket.ts'
import { cappedOn } from '../render/renderDex.ts'
import { renderFrontendOrder, renderOrderRow, renderOrderUpdate } from '../render/renderOrder.ts'
import { renderSliceFill, renderTwapRow, renderTwapStates } from '../render/renderTwap.ts'
import { allFastContexts } from './fastContexts.ts'
import { wireNumber } from '../render/wireNumber.ts'
import type { StreamType, Subscription } from './subscription.ts'

/** The channel's name is the type's, with two exceptions: an account's events, and spot contexts. */
export function channelOf({ type, coin }: Pick<Subscription, 'type' | 'coin'>): string {
  if (type === 'userEvents') return 'user'
  return type === 'activeAssetCtx' && isPair(coin) ? 'activeSpotAssetCtx' : type
}

function isPair(coin: Coin | null): boolean {
  return spotPairs.some(({ name }) => name === coin)
}

/** The state a snapshot stream shows now; null when there is nothing to show. */
export function streamData(subscription: Subscription, venue: VenueReads): Json {
  const build = snapshots[subscription.type]
  if (build === undefined || isGone(subscription, venue)) return null
  return build(subscription, venue)
}

/** Of a dex that has vanished nothing is told any more; an account is told to have nothing there. */
function isGone(subscription: Subscription, venue: VenueReads): boolean {
  return subscription.user === null && !venue.hasDex(dexOf(subscription))
}

/** The first frame after a subscription: a snapshot, or for events what came before. */
export function firstData(
  subscription: Subscription,
  venue: VenueReads,
  isReplayed: boolean,
): Json {
  if (subscription.type === 'orderUpdates') {
    const orders = isReplayed ? venue.openOrders(subscription.user as Address) : []
    if (orders.length === 0) return null
    return orders.map((order) => renderOrderUpdate(order, 'open', order.timestamp))
  }
  const build = firsts[subscription.type] ?? snapshots[subscription.type]
  if (build === undefined || isGone(subscription, venue)) return null
  return build(subscription, venue)
}

type Build = (subscription: Subscription, venue: VenueReads) => Json

const userOf = (subscription: Subscription): Address => subscription.user as Address
const coinOf = (subscription: Subscription): Coin => subscription.coin as Coin
const dexOf = ({ normalised }: Subscription): string =>
  typeof normalised['dex'] === 'string' ? normalised['dex'] : ''

/** The main dex and then all others by name, as lists of all dexes have them. */
function everyDex(venue: VenueReads): string[] {
  return venue.dexNames().toSorted()
}

/** Whether a dex is told of: not where none of its markets is. */
function isTold(venue: VenueReads, dex: string): boolean {
  const markets = venue.markets(dex)
  return markets.length === 0 || markets.some(({ coin }) => venue.isTold(coin))
}

const snapshots: { readonly [Type in StreamType]?: Build } = {
  allMids: (subscription, venue) => ({
    ...(dexOf(subscription) === '' ? {} : { dex: dexOf(subscription) }),
    mids: renderAllMids(venue, dexOf(subscription)),
  }),
  l2Book: bookData,
  bbo: bboData,
  candle: candleData,
  activeAssetCtx: (subscription, venue) => {
    const pair = venue.spotPairs().find((each) => each.pair.name === subscription.coin)
    if (pair !== undefined) return { coin: pair.pair.name, ctx: spotContext(pair) }
    const context = venue.isTold(coinOf(subscription)) ? venue.context(coinOf(subscription)) : null
    return context === null ? null : { coin: context.coin, ctx: renderContext(context) }
  },
  activeAssetData: (subscription, venue) => {
    const active = venue.activeAsset(userOf(subscription), coinOf(subscription))
    return active === null ? null : renderActiveAsset(userOf(subscription), active)
  },
  spotAssetCtxs: (_, venue) => spotContexts(venue),
  assetCtxs: (subscription, venue) => {
    const dex = dexOf(subscription)
    return isTold(venue, dex) ? { dex, ctxs: venue.contexts(dex).map(renderContext) } : null
  },
  allDexsAssetCtxs: (_, venue) => ({
    ctxs: everyDex(venue)
      .filter((dex) => isTold(venue, dex))
      .map((dex): Json => [dex, venue.contexts(dex).map(renderContext)]),
  }),
  clearinghouseState: (subscription, venue) => ({
    dex: dexOf(subscription),
    user: subscription.user,
    clearinghouseState: renderPerpState(venue.perpState(userOf(subscription), dexOf(subscription))),
  }),
  allDexsClearinghouseState: (subscription, venue) => ({
    user: subscription.user,
    clearinghouseStates: everyDex(venue).map((dex): Json => [
      dex,
      renderPerpState(venue.perpState(userOf(subscription), dex)),
    ]),
  }),
  openOrders: (subscription, venue) => ({
    dex: dexOf(subscription),
    user: subscription.user,
    orders: venue.openOrders(userOf(subscription), dexOf(subscription)).map(renderFrontendOrder),
  }),
  spotState: (subscription, venue) => ({
    user: subscription.user,
    spotState: renderSpotState(venue.spotState(userOf(subscription))),
  }),
  twapStates: (subscription, venue) => ({
    dex: dexOf(subscription),
    user: subscription.user,
    states: renderTwapStates(venue.listedTwaps(userOf(subscription), dexOf(subscription))),
  }),
  webData2: (subscription, venue) => webData2(venue, userOf(subscription)),
  webData3: webData3,
}

const firsts: { readonly [Type in StreamType]?: Build } = {
  fastAssetCtxs: (_, venue) => allFastContexts(venue),
  trades: (subscription, venue) =>
    venue.recentTrades(coinOf(subscription)).slice(0, tradesReplayed).map(renderTrade),
  userFills: (subscription, venue) => {
    const fills = venue.fills(userOf(subscription)).slice(0, newestReplayed)
    const shown = subscription.isAggregated ? aggregateFills(fills) : fills
    return { user: subscription.user, fills: shown.map(renderFill), isSnapshot: true }
  },
  userFundings: (subscription, venue) => ({
    user: subscription.user,
    isSnapshot: true,
    fundings: venue.fundings(userOf(subscription)).slice(-rowsReplayed).map(renderFunding),
  }),
  userNonFundingLedgerUpdates: (subscription, venue) => ({
    user: subscription.user,
    isSnapshot: true,
    nonFundingLedgerUpdates: venue
      .ledger(userOf(subscription))
      .slice(-ledgerReplayed)
      .map(renderLedger),
  }),
  userHistoricalOrders: (subscription, venue) => ({
    user: subscription.user,
    isSnapshot: true,
    orderHistory: venue
      .historicalOrders(userOf(subscription))
      .slice(0, newestReplayed)
      .map(renderOrderRow),
  }),
  userTwapHistory: (subscription, venue) => ({
    user: subscription.user,
    isSnapshot: true,
    history: venue.twapHistory(userOf(subscription)).slice(0, rowsReplayed).map(renderTwapRow),
  }),
  userTwapSliceFills: (subscription, venue) => ({
    user: subscription.user,
    isSnapshot: true,
    twapSliceFills: venue
      .sliceFills(userOf(subscription))
      .slice(0, slicesReplayed)
      .map(renderSliceFill),
  }),
}

const tradesReplayed = 30
/** Of fills and of orders: a busy account's last seconds, so that a longer gap has to be read. */
const newestReplayed = 30
const ledgerReplayed = 100
const slicesReplayed = 2_000
const rowsReplayed = 500

function bookData(subscription: Subscription, venue: VenueReads): Json {
  const book = venue.book(coinOf(subscription))
  if (book === null) return null
  const depth = subscription.isFast ? fastBookDepth : bookDepth
  const rendered = renderBook(groupBook(book, subscription.grouping, depth))
  return subscription.isFast ? { ...rendered, fast: true } : rendered
}

function bboData(subscription: Subscription, venue: VenueReads): Json {
  const best = venue.bestBidAsk(coinOf(subscription))
  if (best === null) return null
  return {
    coin: subscription.coin,
    time: venue.nowMs,
    bbo: [
      best.bid === null ? null : renderLevel(best.bid),
      best.ask === null ? null : renderLevel(best.ask),
    ],
  }
}

function candleData(subscription: Subscription, venue: VenueReads): Json {
  const newest = venue.newestCandle(coinOf(subscription), subscription.interval as CandleInterval)
  return newest === null ? null : renderCandle(newest)
}

function webData3(subscription: Subscription, venue: VenueReads): Json {
  const user = userOf(subscription)
  const abstraction = venue.abstraction(user)
  const isSet = abstraction !== null && abstraction !== 'default'
  const unnamed = venue.agents(user).find((agent) => agent.name === '')
  return {
    userState: {
      agentAddress: unnamed?.address ?? null,
      agentValidUntil: unnamed?.validUntil ?? null,
      cumLedger: wireNumber(netDeposits(venue, user)),
      serverTime: venue.nowMs,
      isVault: venue.role(user).role === 'vault',
      user,
      ...(venue.keepsDust(user) ? { optOutOfSpotDusting: true } : {}),
      ...(isSet ? { abstraction } : {}),
    },
    perpDexStates: [
      { totalVaultEquity: '0.0', perpsAtOpenInterestCap: [], leadingVaults: [] },
      // By index, and without names; a dex that has gone keeps its place.
      ...venue.dexes().map((dex): Json => {
        const capped = cappedOn(venue, dex?.name ?? '')
        const isAny = capped.length > 0
        return { totalVaultEquity: '0.0', ...(isAny ? { perpsAtOpenInterestCap: capped } : {}) }
      }),
    ],
  }
}
