import { take } from './book.ts'
import { Exact } from './exact.ts'
import { end } from './life.ts'
import { crossValue, isolatedValue, orderMargin, withdrawable } from './margin.ts'
import { makeOrder } from './place.ts'
import { addTo, inPool } from './pools.ts'
import type { ModelAccount, ModelOrder, ModelPosition, ModelState } from './state.ts'

/** What a withdrawal does to a vault: first orders end, then positions are closed by fifths. */

export function withdraw(state: ModelState, vault: ModelAccount, amount: Exact): boolean {
  const within = inPool(vault, '')
  const free = (): Exact => withdrawable(state, vault, crossValue(vault, ''), within)
  const value = crossValue(vault, '').plus(isolatedValue(vault, within))
  if (value.isBelow(amount)) return false
  for (const order of endable(state, vault)) {
    if (!free().isBelow(amount)) break
    end(state, order, 'vaultWithdrawalCanceled')
  }
  while (free().isBelow(amount)) {
    if (vault.positions.length === 0) return false
    for (const position of [...vault.positions]) closeFifth(state, vault, position)
  }
  addTo(vault, '', amount.negated())
  return true
}

/** The orders that may end for it, that with the least margin first. */
function endable(state: ModelState, vault: ModelAccount): ModelOrder[] {
  const own = state.open.filter(({ owner }) => owner === vault)
  const used = new Map(own.map((order) => [order, marginOf(state, vault, order)]))
  return own
    .filter((order) => state.rules.withdrawalEnds === 'all' || used.get(order)?.sign() === 1)
    .sort((one, two) => (used.get(one) ?? Exact.zero).compare(used.get(two) ?? Exact.zero))
}

/** What the orders of the vault reserve less what they would without this one. */
function marginOf(state: ModelState, vault: ModelAccount, order: ModelOrder): Exact {
  const within = inPool(vault, '')
  const others = { ...state, open: state.open.filter((each) => each !== order) }
  return orderMargin(state, vault, within).minus(orderMargin(others, vault, within))
}

function closeFifth(state: ModelState, vault: ModelAccount, position: ModelPosition): void {
  const { market, size } = position
  const isBuy = size.sign() < 0
  const lots = size.abs().times(Exact.of(10 ** market.sizeDecimals))
  const fifth = lots.over(Exact.of(5))
  const up = fifth.is(fifth.cut(0)) ? fifth : fifth.cut(0).plus(Exact.one)
  const price = isBuy ? Exact.of(10 ** 12) : Exact.one.over(Exact.of(10 ** 6))
  const asked = { isBuy, price, size: up.over(Exact.of(10 ** market.sizeDecimals)) }
  const none = { asset: market.asset, isReduceOnly: true, tif: 'Ioc', trigger: null, cloid: null }
  const order = makeOrder(state, vault, market, { ...asked, ...none }, null, false)
  take(state, order)
  end(state, order, 'canceled')
}
