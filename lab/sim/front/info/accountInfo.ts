import type { Json } from '../../../../src/core/protocol/action.ts'
import { parseCloid } from '../../../../src/core/values/cloid.ts'
import type { Address } from '../../../../src/core/values/address.ts'
import { parseAddress } from '../../../../src/core/values/address.ts'
import type { FillView, RoleView } from '../../engine/views.ts'
import { unreachable } from '../../../../src/core/values/unreachable.ts'
import {
  aggregateFills,
  renderActiveAsset,
  renderFill,
  renderFundingDelta,
  renderLedger,
  renderPerpState,
  renderSpotState,
} from '../render/renderAccount.ts'
import { renderFrontendOrder, renderOrder, renderOrderRow } from '../render/renderOrder.ts'
import { renderSliceFill, renderTwapRow } from '../render/renderTwap.ts'
import { wireNumber } from '../render/wireNumber.ts'
import { ofUser, onDexOf, readCoin, readRange, told } from './ask.ts'
import type { Ask, InfoAnswer, Told } from './ask.ts'
import { portfolio } from './portfolio.ts'
import { leadingVaults, subAccounts, subAccounts2, vaultEquities } from './ownedInfo.ts'
import { userFees } from './userFees.ts'
import { webData2 } from './webData2.ts'

const rowsMax = 500
const fillsMax = 2_000
const ordersMax = 2_000

function orderStatus(ask: Ask, user: Address): Told {
  const oid = ask.request['oid']
  const isNumber = typeof oid === 'number' && Number.isSafeInteger(oid) && oid >= 0
  const cloid = parseCloid(oid)
  if (!isNumber && !cloid.ok) return 'unfit'
  const row = ask.venue.orderStatus(user, cloid.ok ? cloid.value : (oid as number))
  return told(
    row === null ? { status: 'unknownOid' } : { status: 'order', order: renderOrderRow(row) },
  )
}

function rendered(ask: Ask, fills: readonly FillView[]): Json {
  const joined = ask.request['aggregateByTime'] === true ? aggregateFills(fills) : fills
  return joined.slice(0, fillsMax).map(renderFill)
}

/** Newest first like all fills; `reversed` lets a reader page forward. */
function userFillsByTime(ask: Ask, user: Address): Told {
  const range = readRange(ask.request, true)
  if (range === 'unfit') return 'unfit'
  const inside = ask.venue
    .fills(user)
    .filter((fill) => fill.time >= range.start && fill.time <= range.end)
  const joined = ask.request['aggregateByTime'] === true ? aggregateFills(inside) : inside
  const page =
    ask.request['reversed'] === true
      ? joined.toReversed().slice(0, fillsMax)
      : joined.slice(0, fillsMax)
  return told(page.map(renderFill))
}

function userTwapSliceFillsByTime(ask: Ask, user: Address): Told {
  const range = readRange(ask.request, true)
  if (range === 'unfit') return 'unfit'
  const inside = ask.venue
    .sliceFills(user)
    .filter(({ fill }) => fill.time >= range.start && fill.time <= range.end)
  return told(inside.slice(0, fillsMax).map(renderSliceFill))
}

function userFunding(ask: Ask, user: Address): Told {
  const range = readRange(ask.request, false)
  if (range === 'unfit') return 'unfit'
  const rows = ask.venue
    .fundings(user)
    .filter((row) => row.time >= range.start && row.time <= range.end)
  return told(rows.slice(0, rowsMax).map(renderFundingDelta))
}

function userNonFundingLedgerUpdates(ask: Ask, user: Address): Told {
  const range = readRange(ask.request, false)
  if (range === 'unfit') return 'unfit'
  const rows = ask.venue
    .ledger(user)
    .filter((row) => row.time >= range.start && row.time <= range.end)
  return told(rows.slice(0, rowsMax).map(renderLedger))
}

function renderRole(role: RoleView): Json {
  switch (role.role) {
    case 'user':
    case 'vault':
    case 'missing':
      return { role: role.role }
    case 'agent':
      return { role: 'agent', data: { user: role.user } }
    case 'subAccount':
      return { role: 'subAccount', data: { master: role.master } }
    default:
      return unreachable(role)
  }
}

function activeAssetData(ask: Ask, user: Address): Told {
  const coin = readCoin(ask)
  if (coin === null) return 'unfit'
  const active = ask.venue.activeAsset(user, coin)
  return active === null ? 'failed' : told(renderActiveAsset(user, active))
}

function maxBuilderFee(ask: Ask, user: Address): Told {
  const builder = parseAddress(ask.request['builder'])
  return builder.ok ? told(ask.venue.maxBuilderFee(user, builder.value)) : 'unfit'
}

function referral(ask: Ask, user: Address): Told {
  const code = ask.venue.referrer(user)
  return told({
    referredBy: code === null ? null : { referrer: zeroAddress, code },
    cumVlm: wireNumber(ask.venue.cumulativeVolume(user)),
    unclaimedRewards: '0.0',
    claimedRewards: '0.0',
    builderRewards: '0.0',
    tokenToState: [],
    referrerState: { stage: 'needToTrade', data: { required: '10000.0' } },
    rewardHistory: [],
  })
}
/** An address that has no account yet pays for it with its first transfer. */
function preTransferCheck(ask: Ask, user: Address): Told {
  if (!parseAddress(ask.request['source']).ok) return 'unfit'
  const userExists = ask.venue.role(user).role !== 'missing'
  return told({
    fee: userExists ? '0.0' : '1.0',
    isSanctioned: false,
    userExists,
    userHasSentTx: ask.venue.historicalOrders(user).length > 0,
  })
}
const zeroAddress = '0x0000000000000000000000000000000000000000'

export const accountInfo: { readonly [type: string]: InfoAnswer } = {
  clearinghouseState: onDexOf((ask, user, dex) =>
    told(renderPerpState(ask.venue.perpState(user, dex))),
  ),
  spotClearinghouseState: ofUser((ask, user) => told(renderSpotState(ask.venue.spotState(user)))),
  openOrders: onDexOf((ask, user, dex) => told(ask.venue.openOrders(user, dex).map(renderOrder))),
  frontendOpenOrders: onDexOf((ask, user, dex) =>
    told(
      ask.venue
        .openOrders(user, dex)
        .slice(0, ask.options.frontendRowsMax ?? undefined)
        .map(renderFrontendOrder),
    ),
  ),
  orderStatus: ofUser(orderStatus),
  historicalOrders: ofUser((ask, user) =>
    told(ask.venue.historicalOrders(user).slice(0, ordersMax).map(renderOrderRow)),
  ),
  userFills: ofUser((ask, user) => told(rendered(ask, ask.venue.fills(user)))),
  userFillsByTime: ofUser(userFillsByTime),
  userFunding: ofUser(userFunding),
  userNonFundingLedgerUpdates: ofUser(userNonFundingLedgerUpdates),
  userRole: ofUser((ask, user) => told(renderRole(ask.venue.role(user)))),
  extraAgents: ofUser((ask, user) =>
    told(
      ask.venue
        .agents(user)
        .filter((agent) => agent.name !== '')
        .map(({ name, address, validUntil }) => ({ name, address, validUntil })),
    ),
  ),
  userRateLimit: ofUser((ask, user) => told(ask.budget.render(ask.venue, user))),
  userAbstraction: ofUser((ask, user) => told(ask.venue.abstraction(user))),
  userDexAbstraction: ofUser(() => told(null)),
  activeAssetData: ofUser(activeAssetData),
  maxBuilderFee: ofUser(maxBuilderFee),
  approvedBuilders: ofUser((ask, user) => told(ask.venue.approvedBuilders(user))),
  userFees: ofUser((ask, user) => told(userFees(ask.venue, user))),
  portfolio: ofUser((ask, user) => told(portfolio(ask.venue, user))),
  subAccounts: ofUser((ask, user) => told(subAccounts(ask.venue, user))),
  subAccounts2: ofUser((ask, user) => told(subAccounts2(ask.venue, user))),
  webData2: ofUser((ask, user) => told(webData2(ask.venue, user))),
  referral: ofUser(referral),
  twapHistory: ofUser((ask, user) => told(ask.venue.twapHistory(user).map(renderTwapRow))),
  userTwapSliceFills: ofUser((ask, user) =>
    told(ask.venue.sliceFills(user).slice(0, fillsMax).map(renderSliceFill)),
  ),
  userTwapSliceFillsByTime: ofUser(userTwapSliceFillsByTime),
  userVaultEquities: ofUser((ask, user) => told(vaultEquities(ask.venue, user))),
  leadingVaults: ofUser((ask, user) => told(leadingVaults(ask.venue, user))),
  userToMultiSigSigners: ofUser((ask, user) => {
    const shared = ask.venue.multiSig(user)
    return told(shared && { authorizedUsers: [...shared.users], threshold: shared.threshold })
  }),
  preTransferCheck: ofUser(preTransferCheck),
  legalCheck: ofUser(() => told({ acceptedTerms: true, userAllowed: true, restrictions: 'n' })),
  isVip: ofUser(() => told(false)),
}
