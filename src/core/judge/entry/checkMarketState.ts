import type { AccountView } from '../../account/accountView.ts'
import type { BookDepth, BuilderMarketView } from '../../account/builderMarkets.ts'
import type { Market } from '../../protocol/market.ts'
import type { Rules } from '../../rules/rules.ts'
import type { Coin } from '../../values/coin.ts'
import { Decimal } from '../../values/decimal.ts'
import { limits } from '../../values/limits.ts'
import { ok } from '../../values/result.ts'
import type { Result } from '../../values/result.ts'
import { isBelowMinimum } from '../../venueLimits/minimumValue.ts'
import type { AccountWithRequest, RequestedEntry } from '../accountWithRequest.ts'
import type { JudgeInput } from '../decision.ts'
import { refuse } from '../refusal.ts'
import type { Refusal } from '../refusal.ts'
import { percent, seconds } from '../text.ts'
import type { SizeLimit } from './sizeLimit.ts'

const code = 'market_state'

/** Why nothing opens on a perp of a builder dex as it is now; null on the main dex. */
export function checkMarketState(
  input: JudgeInput,
  rules: Rules,
  { coin, builder }: Market,
): Refusal | null {
  if (builder === undefined) return null
  const told = input.account.builderMarket(coin)
  if (told === null || told.at === null) {
    return { code, text: `nothing was told yet of the mark and oracle of ${coin}; send it again` }
  }
  if (told.isIdDoubted === true) {
    const text = `a builder dex is gone from the venue, and the id of ${coin} may have become another market's: nothing opens there until the list of the dexes was read`
    return { code, text }
  }
  const age = input.now - told.at
  if (age > limits.builderPriceAgeMsMax) {
    const text = `nothing was told of the mark and oracle of ${coin} for ${seconds(age)}; entries need them within ${seconds(limits.builderPriceAgeMsMax)}`
    return { code, text }
  }
  const stillMs = input.now - (told.stillSince ?? input.now)
  if (stillMs > limits.builderPriceAgeMsMax) {
    const text = `no oracle price of the dex ${builder.dex} has moved for ${seconds(stillMs)}, and before that they moved all the time: its builder seems to post none; entries need one that moves within ${seconds(limits.builderPriceAgeMsMax)}`
    return { code, text }
  }
  if (told.isHalted) {
    return {
      code,
      text: `${coin} is halted: the venue settled it or refused an order there, and shows no price since`,
    }
  }
  if (!told.hasMid) {
    return {
      code,
      text: `the book of ${coin} has no price on both sides, as where a market is halted`,
    }
  }
  if (told.isAtCap) {
    const cap = builder.openInterestCap
    // Its builder may have changed it since the markets were read.
    const figure = cap === undefined ? '' : ` (last listed as ${cap.toString()} USD)`
    return {
      code,
      text: `what all traders hold of ${coin} is at the venue's cap${figure}, so it admits no more`,
    }
  }
  return checkOracle(rules, coin, told)
}

/** The mark, by which stops are triggered, must be near the oracle price that it is to follow. */
function checkOracle(
  { maxDistanceFromMid }: Rules,
  coin: string,
  { mark, oracle }: BuilderMarketView,
): Refusal | null {
  const apart = mark.minus(oracle).abs()
  if (apart.lte(oracle.times(maxDistanceFromMid))) return null
  const share = oracle.isPositive() ? ` (${percent(apart.over(oracle, 6, 'ceil'))})` : ''
  const text = `the mark of ${coin}, ${mark.toString()}, is ${apart.toString()}${share} from its oracle price ${oracle.toString()}; entries need ${percent(maxDistanceFromMid)} or less (max_distance_from_mid)`
  return { code, text }
}

interface Measured {
  readonly isBuy: boolean
  readonly mid: Decimal
  /** USD that a unit of the entry counts as. */
  readonly worth: Decimal
}

/**
 * How much may be added on a builder dex so that what is held and rests on that side is no more than a
 * share of what the book shows near its mid, on the thinner side: the stop has to find the other side.
 */
export function bookLimits(
  { account, now }: JudgeInput,
  draft: AccountWithRequest,
  { coin, builder, sizeDecimals }: Market,
  rules: Rules,
  { isBuy, mid, worth }: Measured,
): Result<readonly SizeLimit[], Refusal> {
  const { maxBookShare } = rules
  if (builder === undefined || maxBookShare === null) return ok([])
  const book = bookNear(account, coin, mid, rules)
  if (book === null || now - book.at > limits.bookAgeMsMax) {
    const text = `the book of ${coin} was not seen within the last ${seconds(limits.bookAgeMsMax)}, and max_book_share needs it; send it again`
    return refuse(code, text)
  }
  const shown = Decimal.min(book.bids, book.asks)
  const used = draft.sideSize(coin, isBuy)
  const size = shown.times(maxBookShare).minus(used).rounded(sizeDecimals, 'floor')
  const name = (): string => shareName(rules, maxBookShare, coin, shown)
  if (!size.isPositive() || isBelowMinimum(size, worth)) {
    return refuse(
      code,
      `${used.toString()} ${coin} held and resting on that side leaves too little of ${name()}`,
    )
  }
  return ok([{ size, rule: 'max_book_share', text: name }])
}

/**
 * Just before an entry leaves, where the order that it replaces has filled, or may have: what is held,
 * rests and leaves on its side may still be no more than that share of the book that was read for it.
 */
export function checkBookShare(
  draft: AccountWithRequest,
  rules: Rules,
  { coin, isBuy }: Pick<RequestedEntry, 'coin' | 'isBuy'>,
): Refusal | null {
  const { account } = draft
  const { maxBookShare } = rules
  if (maxBookShare === null || account.market(coin)?.builder === undefined) return null
  const mid = account.mid(coin)
  const book = mid === null ? null : bookNear(account, coin, mid.price, rules)
  if (book === null) return null
  const shown = Decimal.min(book.bids, book.asks)
  const size = draft.sideSize(coin, isBuy)
  if (size.lte(shown.times(maxBookShare))) return null
  const name = shareName(rules, maxBookShare, coin, shown)
  const text = `${size.toString()} ${coin} held, resting and leaving on that side would be more than ${name} by now, so it was not sent; place it as a new order to have it sized anew`
  return { code, text }
}

function bookNear(
  account: AccountView,
  coin: Coin,
  mid: Decimal,
  { maxDistanceFromMid }: Rules,
): BookDepth | null {
  const distance = mid.times(maxDistanceFromMid)
  return account.bookWithin(coin, mid.minus(distance), mid.plus(distance))
}

function shareName(
  { maxDistanceFromMid }: Rules,
  share: Decimal,
  coin: Coin,
  shown: Decimal,
): string {
  return `${percent(share)} (max_book_share) of the ${shown.toString()} ${coin} that the thinner side of its book shows within ${percent(maxDistanceFromMid)} of the mid`
}
