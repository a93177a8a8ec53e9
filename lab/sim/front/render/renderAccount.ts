import type { Json } from '../../../../src/core/protocol/action.ts'
import type { Address } from '../../../../src/core/values/address.ts'
import { Decimal } from '../../../../src/core/values/decimal.ts'
import { unreachable } from '../../../../src/core/values/unreachable.ts'
import { spotTokens } from '../../engine/spotPairs.ts'
import type { SpotToken } from '../../engine/spotPairs.ts'
import type {
  ActiveAssetView,
  FillView,
  FundingPaymentView,
  LedgerDelta,
  LedgerRow,
  LeverageView,
  PerpStateView,
  PositionView,
  SummaryView,
} from '../../engine/views.ts'
import type { SpotStateView } from '../../engine/spot/spotViews.ts'
import { wireNumber, wireNumberOrNull } from './wireNumber.ts'

export function renderLeverage(leverage: LeverageView): Json {
  return {
    type: leverage.type,
    value: leverage.value,
    ...(leverage.rawUsd === null ? {} : { rawUsd: wireNumber(leverage.rawUsd) }),
  }
}

function renderSummary(summary: SummaryView): Json {
  return {
    accountValue: wireNumber(summary.accountValue),
    totalNtlPos: wireNumber(summary.totalNotional),
    totalRawUsd: wireNumber(summary.totalRawUsd),
    totalMarginUsed: wireNumber(summary.totalMarginUsed),
  }
}

function renderPosition(position: PositionView): Json {
  return {
    type: 'oneWay',
    position: {
      coin: position.coin,
      szi: wireNumber(position.size),
      leverage: renderLeverage(position.leverage),
      entryPx: wireNumber(position.entryPrice),
      positionValue: wireNumber(position.positionValue),
      unrealizedPnl: wireNumber(position.unrealisedPnl),
      returnOnEquity: wireNumber(position.returnOnEquity),
      liquidationPx: wireNumberOrNull(position.liquidationPrice),
      marginUsed: wireNumber(position.marginUsed),
      maxLeverage: position.maxLeverage,
      cumFunding: {
        allTime: wireNumber(position.cumFunding.allTime),
        sinceOpen: wireNumber(position.cumFunding.sinceOpen),
        sinceChange: wireNumber(position.cumFunding.sinceChange),
      },
    },
  }
}

export function renderPerpState(state: PerpStateView): Json {
  return {
    marginSummary: renderSummary(state.margin),
    crossMarginSummary: renderSummary(state.cross),
    crossMaintenanceMarginUsed: wireNumber(state.crossMaintenance),
    withdrawable: wireNumber(state.withdrawable),
    assetPositions: state.positions.map(renderPosition),
    time: state.time,
  }
}

export function renderSpotState(state: SpotStateView): Json {
  const isEmpty = state.usdcTotal.isZero() && state.usdcHold.isZero()
  const usdc = {
    coin: 'USDC',
    token: 0,
    total: wireNumber(state.usdcTotal),
    hold: wireNumber(state.usdcHold),
    entryNtl: '0.0',
    ...(state.portfolioRatio === null ? {} : { ltv: '0.0' }),
    ...(state.borrowed.isZero() ? {} : { borrowed: wireNumber(state.borrowed) }),
  }
  const available = state.usdcAvailableAfterMaintenance
  const others = [...state.available].map(([token, amount]): Json => [
    spotTokens.indexOf(token),
    wireNumber(amount),
  ])
  const ratio = state.portfolioRatio
  return {
    ...(ratio === null
      ? {}
      : { portfolioMarginEnabled: true, portfolioMarginRatio: wireNumber(ratio) }),
    balances: [
      ...(isEmpty ? [] : [usdc]),
      ...[...state.tokens.keys()].flatMap((token) => renderToken(state, token)),
    ],
    ...(available === null
      ? {}
      : { tokenToAvailableAfterMaintenance: [[0, wireNumber(available)], ...others] }),
  }
}

function renderToken({ tokens, holds, costs }: SpotStateView, coin: SpotToken): Json[] {
  const of = (amounts: ReadonlyMap<SpotToken, Decimal>): Decimal =>
    amounts.get(coin) ?? Decimal.zero
  const total = of(tokens)
  if (total.isZero()) return []
  const [hold, entryNtl] = [wireNumber(of(holds)), wireNumber(of(costs))]
  return [{ coin, token: spotTokens.indexOf(coin), total: wireNumber(total), hold, entryNtl }]
}

export function renderFill(fill: FillView): Json {
  return {
    coin: fill.coin,
    px: wireNumber(fill.price),
    sz: wireNumber(fill.size),
    side: fill.isBuy ? 'B' : 'A',
    time: fill.time,
    startPosition: wireNumber(fill.startPosition),
    dir: fill.dir,
    closedPnl: wireNumber(fill.closedPnl),
    hash: fill.hash,
    oid: fill.oid,
    crossed: fill.crossed,
    fee: wireNumber(fill.fee),
    tid: fill.tid,
    ...(fill.cloid === null ? {} : { cloid: fill.cloid }),
    ...(fill.liquidation === null
      ? {}
      : {
          liquidation: {
            liquidatedUser: fill.liquidation.liquidatedUser,
            markPx: wireNumber(fill.liquidation.markPrice),
            method: fill.liquidation.method,
          },
        }),
    feeToken: fill.feeToken,
    ...(fill.builderFee === null ? {} : { builderFee: wireNumber(fill.builderFee) }),
    twapId: null,
  }
}

/** Joins the fills of one order at one time and price level, as `aggregateByTime` asks. */
export function aggregateFills(fills: readonly FillView[]): FillView[] {
  const joined = new Map<string, FillView>()
  for (const fill of fills) {
    const key = `${String(fill.oid)}/${String(fill.time)}/${String(fill.crossed)}`
    const before = joined.get(key)
    joined.set(key, before === undefined ? fill : joinFills(before, fill))
  }
  return [...joined.values()]
}

/** `later` comes first in a newest-first list, so `earlier` holds where the position began. */
function joinFills(later: FillView, earlier: FillView): FillView {
  const size = later.size.plus(earlier.size)
  const value = later.price.times(later.size).plus(earlier.price.times(earlier.size))
  return {
    ...later,
    size,
    price: value.over(size, decimalsOfAverage, 'half-even'),
    startPosition: earlier.startPosition,
    closedPnl: later.closedPnl.plus(earlier.closedPnl),
    fee: later.fee.plus(earlier.fee),
    builderFee:
      later.builderFee === null
        ? earlier.builderFee
        : later.builderFee.plus(earlier.builderFee ?? Decimal.zero),
  }
}
const decimalsOfAverage = 8

export function renderFundingDelta(row: FundingPaymentView): Json {
  return {
    time: row.time,
    hash: row.hash,
    delta: {
      type: 'funding',
      coin: row.coin,
      usdc: wireNumber(row.usdc),
      szi: wireNumber(row.size),
      fundingRate: wireNumber(row.fundingRate),
      nSamples: null,
    },
  }
}

/** The flat form the streams use. */
export function renderFunding(row: FundingPaymentView): Json {
  return {
    time: row.time,
    coin: row.coin,
    usdc: wireNumber(row.usdc),
    szi: wireNumber(row.size),
    fundingRate: wireNumber(row.fundingRate),
    nSamples: null,
  }
}

function renderDelta(delta: LedgerDelta): Json {
  switch (delta.type) {
    case 'deposit':
      return { type: 'deposit', usdc: wireNumber(delta.usdc) }
    case 'withdraw':
      return {
        type: 'withdraw',
        usdc: wireNumber(delta.usdc),
        nonce: delta.nonce,
        fee: wireNumber(delta.fee),
      }
    case 'accountClassTransfer':
      return { type: delta.type, usdc: wireNumber(delta.usdc), toPerp: delta.toPerp }
    case 'internalTransfer':
      return {
        type: delta.type,
        usdc: wireNumber(delta.usdc),
        user: delta.user,
        destination: delta.destination,
        fee: wireNumber(delta.fee),
      }
    case 'subAccountTransfer': {
      const { type, usdc, user, destination } = delta
      return { type, usdc: wireNumber(usdc), user, destination }
    }
    case 'vaultDeposit':
    case 'vaultDistribution':
    case 'vaultCreate':
    case 'vaultWithdraw':
    case 'vaultLeaderCommission':
      return renderVaultDelta(delta)
    case 'spotTransfer':
    case 'send':
    case 'cStakingTransfer':
    case 'borrowLend':
      return renderTokenDelta(delta)
    case 'liquidation':
      return {
        type: delta.type,
        liquidatedNtlPos: wireNumber(delta.liquidatedNotional),
        accountValue: wireNumber(delta.accountValue),
        leverageType: delta.leverageType,
        liquidatedPositions: delta.positions.map((each) => ({
          coin: each.coin,
          szi: wireNumber(each.size),
        })),
      }
    default:
      return unreachable(delta)
  }
}

type VaultDelta = Extract<
  LedgerDelta,
  {
    readonly type:
      | ('vaultDeposit' | 'vaultDistribution' | 'vaultCreate' | 'vaultWithdraw')
      | 'vaultLeaderCommission'
  }
>

/** What closing costs for a withdrawal is the whole vault's. */
function renderVaultDelta(delta: VaultDelta): Json {
  const { type } = delta
  if (type === 'vaultLeaderCommission') {
    return { type, user: delta.user, usdc: wireNumber(delta.usdc) }
  }
  const { vault } = delta
  if (type === 'vaultCreate') {
    return { type, vault, usdc: wireNumber(delta.usdc), fee: wireNumber(delta.fee) }
  }
  if (type !== 'vaultWithdraw') return { type, vault, usdc: wireNumber(delta.usdc) }
  const { user, requested, commission, basis, net } = delta
  return {
    ...{ type, vault, user, requestedUsd: wireNumber(requested) },
    ...{ commission: wireNumber(commission), closingCost: '0.0', basis: wireNumber(basis) },
    netWithdrawnUsd: wireNumber(net),
  }
}

type TokenDelta = Extract<
  LedgerDelta,
  { readonly type: 'spotTransfer' | 'send' | 'cStakingTransfer' | 'borrowLend' }
>

function renderTokenDelta(delta: TokenDelta): Json {
  const amount = wireNumber(delta.amount)
  switch (delta.type) {
    case 'cStakingTransfer':
      return { type: delta.type, token: 'HYPE', amount, isDeposit: delta.isDeposit }
    case 'borrowLend': {
      const { type, token, operation } = delta
      return { type, token, operation, amount, interestAmount: '0.0' }
    }
    default: {
      const { type, token, user, destination, nonce } = delta
      const value = { token, amount, usdcValue: wireNumber(delta.usdcValue), user, destination }
      const fees = { fee: '0.0', nativeTokenFee: '0.0', nonce, feeToken: '' }
      if (type === 'spotTransfer') return { type, ...value, ...fees }
      const { sourceDex, destinationDex } = delta
      const dexs = { user, destination, sourceDex, destinationDex }
      return { type, ...dexs, token, amount, usdcValue: value.usdcValue, ...fees }
    }
  }
}

export function renderLedger(row: LedgerRow): Json {
  return { time: row.time, hash: row.hash, delta: renderDelta(row.delta) }
}

export function renderActiveAsset(user: Address, active: ActiveAssetView): Json {
  return {
    user,
    coin: active.coin,
    leverage: renderLeverage(active.leverage),
    maxTradeSzs: active.maxTradeSizes.map(wireNumber),
    availableToTrade: active.availableToTrade.map(wireNumber),
    markPx: wireNumber(active.markPrice),
  }
}
