import { Exact } from './exact.ts'
import { addTo, inPool, poolOf } from './pools.ts'
import { crossInitial, crossValue, leverageOf, positionIn } from './margin.ts'
import type {
  ModelAccount,
  ModelLiquidation,
  ModelMarket,
  ModelOrder,
  ModelPosition,
  ModelState,
} from './state.ts'

/** What a trade does to an account: position, money, fee. */

const takerRate = Exact.of('0.00045')
const makerRate = Exact.of('0.00015')
const builderUnit = Exact.of('0.00001')

export function recordFill(
  state: ModelState,
  order: ModelOrder,
  size: Exact,
  price: Exact,
  crossed: boolean,
  liquidation: ModelLiquidation | null = null,
): void {
  const { owner: account, market, isBuy } = order
  const value = size.times(price)
  const builderFee =
    order.builderFee === null
      ? null
      : value.times(builderUnit).times(Exact.of(order.builderFee)).cut(6)
  const isFree = liquidation?.user === account.address && state.rules.liquidationIsFree
  const fee = value
    .times(isFree ? Exact.zero : crossed ? takerRate : makerRate)
    .times(market.feeFactor)
    .cut(6)
    .plus(builderFee ?? Exact.zero)
  const start = positionIn(account, market)?.size ?? Exact.zero
  const closedPnl = bookTrade(account, market, isBuy, size, price, fee)
  const end = positionIn(account, market)?.size ?? Exact.zero
  account.volume = account.volume.plus(value.times(market.volumeFactor))
  const fill = {
    coin: market.coin,
    price,
    size,
    isBuy,
    time: state.now,
    start,
    dir: directionText(start, end, isBuy),
    closedPnl,
    id: order.id,
    crossed,
    fee,
    cloid: order.cloid,
    builderFee,
    liquidation,
  }
  if (order.twap === null) account.fills.push(fill)
  else account.sliceFills.push({ fill, twap: order.twap.id })
}

function directionText(start: Exact, end: Exact, isBuy: boolean): string {
  const names = ['Short', '', 'Long']
  const [before = '', after = ''] = [names[start.sign() + 1], names[end.sign() + 1]]
  if (start.sign() === 0) return `Open ${after}`
  if (start.sign() === (isBuy ? 1 : -1)) return `Open ${before}`
  if (end.sign() === 0 || before === after) return `Close ${before}`
  return `${before} > ${after}`
}

/**
 * Changes the position and the balance; returns the profit that was closed, without the fee, as the
 * venue tells it: from the entry price that it shows.
 */
export function bookTrade(
  account: ModelAccount,
  market: ModelMarket,
  isBuy: boolean,
  size: Exact,
  price: Exact,
  fee: Exact,
): Exact {
  const position = positionIn(account, market)
  const way = Exact.of(isBuy ? 1 : -1)
  if (position === null || position.size.sign() === way.sign()) {
    open(account, market, size.times(way), price, fee)
    return Exact.zero
  }
  const place = account.positions.indexOf(position)
  const closing = Exact.least(size, position.size.abs())
  const { entry } = position
  const profit = price.minus(entry).times(closing).times(way.negated())
  close(account, position, closing, price, profit, fee)
  const rest = size.minus(closing)
  if (rest.sign() > 0) {
    open(account, market, rest.times(way), price, Exact.zero)
    // The coin keeps its place among the account's positions.
    const turned = account.positions.pop()
    if (turned !== undefined) account.positions.splice(place, 0, turned)
  }
  const shownEntry = entry.cut(6 - market.sizeDecimals)
  return price.minus(shownEntry).times(closing).times(way.negated())
}

/** `size` is signed. */
function open(
  account: ModelAccount,
  market: ModelMarket,
  size: Exact,
  price: Exact,
  fee: Exact,
): void {
  const setting = leverageOf(account, market)
  const pool = poolOf(account, market)
  let position = positionIn(account, market)
  if (position === null) {
    position = {
      market,
      size: Exact.zero,
      entry: Exact.zero,
      isIsolated: !setting.isCross,
      put: Exact.zero,
      opened: Exact.zero,
      funding: Exact.zero,
    }
    account.positions.push(position)
  }
  const cost = position.entry.times(position.size.abs()).plus(price.times(size.abs()))
  position.size = position.size.plus(size)
  position.opened = position.opened.plus(size.abs().over(Exact.of(setting.value)))
  position.entry = cost.over(position.size.abs())
  if (!position.isIsolated) {
    addTo(account, pool, fee.negated())
    return
  }
  const margin = size.abs().times(price).over(Exact.of(setting.value)).cut(6)
  addTo(account, pool, margin.negated())
  position.put = position.put.plus(margin).minus(fee)
}

function close(
  account: ModelAccount,
  position: ModelPosition,
  closing: Exact,
  price: Exact,
  profit: Exact,
  fee: Exact,
): void {
  const pool = poolOf(account, position.market)
  const before = position.size.abs()
  const left = before.minus(closing)
  position.opened = position.opened.times(left).over(before)
  if (position.isIsolated) {
    const equity = position.put.plus(position.size.times(price.minus(position.entry))).minus(fee)
    const stays = equity.times(left).over(before).cut(6)
    addTo(account, pool, equity.minus(stays))
    position.size = position.size.sign() > 0 ? left : left.negated()
    position.put = stays.minus(position.size.times(price.minus(position.entry)))
  } else {
    position.size = position.size.sign() > 0 ? left : left.negated()
    addTo(account, pool, profit.minus(fee))
  }
  if (left.sign() === 0) {
    account.positions = account.positions.filter((each) => each !== position)
  }
}

/** Whether the account would still have its initial margin after this trade, at the mark. */
export function couldHold(order: ModelOrder, size: Exact, price: Exact): boolean {
  const { owner, market, isBuy } = order
  const held = positionIn(owner, market)?.size ?? Exact.zero
  const isClosing = held.sign() === (isBuy ? -1 : 1) && !size.isAbove(held.abs())
  if (isClosing) return true
  const copy: ModelAccount = {
    ...owner,
    balances: new Map(owner.balances),
    positions: owner.positions.map((position) => ({ ...position })),
  }
  bookTrade(copy, market, isBuy, size, price, Exact.zero)
  const pool = poolOf(owner, market)
  return !crossInitial(copy, inPool(copy, pool)).isAbove(crossValue(copy, pool))
}
