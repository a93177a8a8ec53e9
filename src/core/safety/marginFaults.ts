import type { PositionView, WatchedAccount } from '../account/accountView.ts'
import { isUncounted } from '../account/poolOf.ts'
import { dexOf } from '../protocol/coinKind.ts'
import { worstFill } from '../protocol/marketStop.ts'
import type { Leverage } from '../protocol/venueState.ts'
import type { Rules } from '../rules/rules.ts'
import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'

/** A setting at the venue that makes a rule untrue; `liquidation` where the stop may come too late. */
export interface MarginFault {
  readonly code: 'margin' | 'liquidation'
  readonly coin: Coin
  readonly text: string
}

/**
 * What somebody has set at the venue against the rules: cross margin where they admit only isolated,
 * an isolated leverage above the cap, or margin so thin that a position is liquidated before its stop has filled at its worst.
 */
export function marginFaults(
  account: WatchedAccount,
  rulesFor: (coin: Coin) => Rules,
): readonly MarginFault[] {
  const held = [...account.positions.values()].flatMap((position) => {
    const { coin, leverage } = position
    const what = `the position of ${position.size.toString()}`
    const text = settingText(what, leverage, rulesFor(coin), behind(account, coin))
    const late = lateStop(account, position)
    return [
      ...(text === null ? [] : [{ code: 'margin', coin, text: `${coin}: ${text}` } as const]),
      ...(late === null ? [] : [{ code: 'liquidation', coin, text: `${coin}: ${late}` } as const]),
    ]
  })
  return [...held, ...entryFaults(account, rulesFor)]
}

/** Entries that rest on a coin without a position are filled at what is set for it. */
function entryFaults(
  account: WatchedAccount,
  rulesFor: (coin: Coin) => Rules,
): readonly MarginFault[] {
  return [...account.coinsWithOrders()].flatMap((coin) => {
    const setting = account.leverage(coin)?.leverage
    if (setting === undefined || account.positions.has(coin)) return []
    if (account.restingEntries(coin).length === 0) return []
    const what = 'what its resting entries open'
    const text = settingText(what, setting, rulesFor(coin), behind(account, coin))
    return text === null ? [] : [{ code: 'margin', coin, text: `${coin}: ${text}` }]
  })
}

interface Behind {
  readonly isBuilder: boolean
  /** What stands behind a cross position, in words. */
  readonly money: string
}

/** A builder dex has a balance of its own, unless all of the account is one balance. */
function behind(account: WatchedAccount, coin: Coin): Behind {
  const dex = dexOf(coin)
  const isOwn = dex !== '' && account.mode !== 'unifiedAccount'
  const money = isOwn ? `all that the account has on the dex ${dex}` : 'the whole account'
  const token = `what the account has of the token of the dex ${dex}`
  return { isBuilder: dex !== '', money: isUncounted(account, coin) ? token : money }
}

function settingText(
  what: string,
  { type, value }: Leverage,
  rules: Rules,
  { isBuilder, money }: Behind,
): string | null {
  if (type === 'cross') {
    // The rules admit it on the main dex alone.
    if (rules.margin === 'cross' && !isBuilder) return null
    return `${what} is on cross margin (${value}x), set at the venue: ${money} stands behind it`
  }
  const cap = Decimal.max(Decimal.one, rules.maxLeverage)
  if (Decimal.whole(value).lte(cap)) return null
  return `${what} has leverage ${value}, set at the venue: max_leverage is ${rules.maxLeverage.toString()}`
}

function lateStop(account: WatchedAccount, position: PositionView): string | null {
  const { coin, size, liquidationPrice: end } = position
  const stop = account.cover(coin)?.loosest ?? null
  if (stop === null || end === null) return null
  const isLong = size.isPositive()
  const fill = worstFill(stop, isLong)
  if (isLong ? end.lt(fill) : end.gt(fill)) return null
  return `the position would be liquidated at ${end.toString()}, before its stop at ${stop.toString()} has filled at its worst (${fill.toString()}); more margin or a smaller position would mend it`
}
