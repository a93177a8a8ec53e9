import { Decimal } from '../../../src/core/values/decimal.ts'
import { leverageOf } from './account.ts'
import { initialMargin, quotientScale } from './marginMath.ts'
import { addCash, poolOf } from './pools.ts'
import type { Account, MarketState, Position } from './world.ts'

/** What a trade did to the position it met. */
interface TradeEffect {
  readonly startPosition: Decimal
  readonly closedPnl: Decimal
  readonly dir: string
}

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
    opened: Decimal.zero,
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
  const pool = poolOf(account, position.market)
  const value = size.times(price)
  const signedValue = isBuy ? value : value.negated()
  position.size = isBuy ? position.size.plus(size) : position.size.minus(size)
  position.entryNotional = position.entryNotional.plus(value)
  const { value: leverage } = leverageOf(account, position.market)
  position.opened = position.opened.plus(initialMargin(size, leverage))
  if (!position.isIsolated) {
    addCash(account, pool, signedValue.plus(fee).negated())
    return
  }
  const margin = initialMargin(value, leverage).rounded(cashScale, 'down')
  addCash(account, pool, margin.negated())
  position.rawUsd = position.rawUsd.plus(margin).minus(signedValue).minus(fee)
}

function reduce(
  account: Account,
  position: Position,
  closing: Decimal,
  price: Decimal,
  fee: Decimal,
): Decimal {
  const pool = poolOf(account, position.market)
  const before = position.size.abs()
  const left = before.minus(closing)
  const isLong = position.size.isPositive()
  const value = closing.times(price)
  const signedValue = isLong ? value : value.negated()
  const shownEntry = entryPrice(position)
  const entryLeft = position.entryNotional.times(left).over(before, quotientScale, 'half-even')
  const equity = position.rawUsd.plus(position.size.times(price)).minus(fee)
  position.entryNotional = entryLeft
  position.opened = position.opened.times(left).over(before, quotientScale, 'half-even')
  position.size = isLong ? left : left.negated()
  if (position.isIsolated) {
    // The margin that stays is the share of the size that stays.
    const kept = equity.times(left).over(before, cashScale, 'down')
    addCash(account, pool, equity.minus(kept))
    position.rawUsd = left.isZero() ? Decimal.zero : kept.minus(position.size.times(price))
  } else {
    addCash(account, pool, signedValue.minus(fee))
  }
  const profit = value.minus(shownEntry.times(closing))
  return isLong ? profit : profit.negated()
}

/**
 * The average entry as the venue shows it: cut to the decimals of a price. The profit of a fill that
 * closes is told from this price, so it may be a little off what the account gains.
 */
export function entryPrice({ entryNotional, size, market }: Position): Decimal {
  return entryNotional.over(size.abs(), market.priceScale, 'down')
}

function direction(start: Decimal, isBuy: boolean, end: Decimal): string {
  if (start.isZero() || start.isPositive() === isBuy) return isBuy ? 'Open Long' : 'Open Short'
  if (!end.isZero() && end.isPositive() === isBuy) {
    return isBuy ? 'Short > Long' : 'Long > Short'
  }
  return isBuy ? 'Close Short' : 'Close Long'
}
