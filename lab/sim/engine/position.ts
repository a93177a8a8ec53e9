import { Decimal } from '../../../src/core/values/decimal.ts'
import { leverageOf } from './account.ts'
import { initialMargin } from './marginMath.ts'
import type { Account, MarketState, Position } from './world.ts'

/** What a trade did to the position it met. */
interface TradeEffect {
  readonly startPosition: Decimal
  readonly closedPnl: Decimal
  readonly dir: string
}

const shareScale = 12
const cashScale = 6

/** Books a trade: size, entry, cash and margin follow; the fee is paid from where the margin is. */
export function bookTrade(
  account: Account,
  market: MarketState,
  isBuy: boolean,
  size: Decimal,
  price: Decimal,
  fee: Decimal,
): TradeEffect {
  const position = account.positions.get(market.coin) ?? openPosition(account, market)
  const start = position.size
  const isOpening = start.isZero() || start.isPositive() === isBuy
  let closedPnl = Decimal.zero
  if (isOpening) {
    extend(account, position, isBuy, size, price, fee)
  } else {
    const closing = Decimal.min(size, start.abs())
    closedPnl = reduce(account, position, closing, price, fee)
    const rest = size.minus(closing)
    if (!rest.isZero()) {
      position.fundingSinceOpen = Decimal.zero
      position.isIsolated = !leverageOf(account, market).isCross
      extend(account, position, isBuy, rest, price, Decimal.zero)
    }
  }
  position.fundingSinceChange = Decimal.zero
  if (position.size.isZero()) account.positions.delete(market.coin)
  else account.positions.set(market.coin, position)
  return { startPosition: start, closedPnl, dir: direction(start, isBuy, position.size) }
}

function openPosition(account: Account, market: MarketState): Position {
  return {
    market,
    size: Decimal.zero,
    entryNotional: Decimal.zero,
    isIsolated: !account.isHouse && !leverageOf(account, market).isCross,
    rawUsd: Decimal.zero,
    fundingSinceOpen: Decimal.zero,
    fundingSinceChange: Decimal.zero,
  }
}

function extend(
  account: Account,
  position: Position,
  isBuy: boolean,
  size: Decimal,
  price: Decimal,
  fee: Decimal,
): void {
  const value = size.times(price)
  const signedValue = isBuy ? value : value.negated()
  position.size = isBuy ? position.size.plus(size) : position.size.minus(size)
  position.entryNotional = position.entryNotional.plus(value)
  if (!position.isIsolated) {
    account.cash = account.cash.minus(signedValue).minus(fee)
    return
  }
  const { value: leverage } = leverageOf(account, position.market)
  const margin = initialMargin(value, leverage).rounded(cashScale, 'up')
  account.cash = account.cash.minus(margin)
  position.rawUsd = position.rawUsd.plus(margin).minus(signedValue).minus(fee)
}

function reduce(
  account: Account,
  position: Position,
  closing: Decimal,
  price: Decimal,
  fee: Decimal,
): Decimal {
  const before = position.size.abs()
  const left = before.minus(closing)
  const isLong = position.size.isPositive()
  const value = closing.times(price)
  const signedValue = isLong ? value : value.negated()
  const entryLeft = position.entryNotional.times(left).over(before, shareScale, 'half-even')
  const entryClosed = position.entryNotional.minus(entryLeft)
  const equity = position.rawUsd.plus(position.size.times(price)).minus(fee)
  position.entryNotional = entryLeft
  position.size = isLong ? left : left.negated()
  if (position.isIsolated) {
    // The margin that stays is the share of the size that stays.
    const kept = equity.times(left).over(before, cashScale, 'down')
    account.cash = account.cash.plus(equity.minus(kept))
    position.rawUsd = left.isZero() ? Decimal.zero : kept.minus(position.size.times(price))
  } else {
    account.cash = account.cash.plus(signedValue).minus(fee)
  }
  return isLong ? value.minus(entryClosed) : entryClosed.minus(value)
}

function direction(start: Decimal, isBuy: boolean, end: Decimal): string {
  if (start.isZero() || start.isPositive() === isBuy) return isBuy ? 'Open Long' : 'Open Short'
  if (!end.isZero() && end.isPositive() === isBuy) {
    return isBuy ? 'Short > Long' : 'Long > Short'
  }
  return isBuy ? 'Close Short' : 'Close Long'
}
