import type { Account } from '../../../core/account/account.ts'
import { sizeInWords } from '../../../core/account/ownRecord.ts'
import { isUncounted } from '../../../core/account/poolOf.ts'
import { dexOf } from '../../../core/protocol/coinKind.ts'
import { allowsMarket } from '../../../core/rules/marketNames.ts'
import type { Rules } from '../../../core/rules/rules.ts'
import type { Coin } from '../../../core/values/coin.ts'

const uncounted =
  '; its profit and loss are in another token than USDC, and in no equity, daily loss or drawdown of a unified account'

type Watched = Pick<
  Account,
  'positions' | 'coinsWithOrders' | 'ordersOf' | 'twaps' | 'mode' | 'market'
>

/** What is held, rests or runs on builder dexes that `markets` does not name, for people; each by its coin. */
export function strangeDexes(account: Watched, rules: Rules): readonly string[] {
  const isStrange = (coin: Coin): boolean => dexOf(coin) !== '' && !allowsMarket(rules, coin)
  const found = new Map<Coin, string[]>()
  const add = (coin: Coin, what: string): void => {
    found.set(coin, [...(found.get(coin) ?? []), what])
  }
  for (const [coin, { size }] of account.positions) {
    if (isStrange(coin)) add(coin, `a position of ${sizeInWords(size)}`)
  }
  for (const coin of account.coinsWithOrders()) {
    const count = isStrange(coin) ? account.ordersOf(coin).length : 0
    if (count > 0) add(coin, count === 1 ? 'an order' : `${count} orders`)
  }
  for (const { coin, id, isOver } of account.twaps.views()) {
    if (!isOver && isStrange(coin)) add(coin, `TWAP ${id ?? 'without a number yet'}`)
  }
  return [...found].map(([coin, what]) => {
    const rest = isUncounted(account, coin) ? uncounted : ''
    return `${coin}: ${what.join(', ')} on the dex ${dexOf(coin)}, which \`markets\` does not name${rest}`
  })
}
