import type { AccountMode } from '../../protocol/venueState.ts'
import type { Rules } from '../../rules/rules.ts'
import type { Coin } from '../../values/coin.ts'
import type { Decimal } from '../../values/decimal.ts'
import { limits } from '../../values/limits.ts'
import { ok } from '../../values/result.ts'
import type { Result } from '../../values/result.ts'
import { freshMid, isAccountFresh, sizingEquity } from '../context.ts'
import type { JudgeInput } from '../decision.ts'
import { refuse } from '../refusal.ts'
import type { Refusal } from '../refusal.ts'
import { seconds, usd } from '../text.ts'

/** What an entry is sized by. */
export interface Basis {
  readonly equity: Decimal
  readonly mid: Decimal
}

const sizeable: ReadonlySet<AccountMode> = new Set(['default', 'disabled', 'unifiedAccount'])

/** Why nothing opens in this mode of the account, for people; null where Guard can size for it. */
export function modeProblem(mode: AccountMode): string | null {
  return sizeable.has(mode) ? null : unsizedMode(mode)
}

function unsizedMode(mode: AccountMode): string {
  return `the account is in mode ${mode}, which Guard cannot size for; default, disabled and unifiedAccount can be sized`
}

/** The account must be one Guard can size for, its price and its state seen recently enough. */
export function checkAccount(input: JudgeInput, rules: Rules, coin: Coin): Result<Basis, Refusal> {
  const { account } = input
  if (account.confirmedAt === null) {
    return refuse('account_stale', 'the account has not been seen yet, so nothing opens')
  }
  const equity = sizingEquity(input, rules)
  if (!sizeable.has(account.mode) || equity === null) {
    return refuse('account_unknown', unsizedMode(account.mode))
  }
  if (!equity.isPositive()) {
    return refuse('account_unknown', `the equity is ${usd(equity)}; it must be above 0`)
  }
  if (input.risk.doubt != null) {
    return refuse('account_unknown', `nothing opens until this is explained: ${input.risk.doubt}`)
  }
  const mid = freshMid(input, coin)
  if (mid === null) {
    return refuse(
      'no_price',
      `no mid of ${coin} was seen within the last ${seconds(limits.priceAgeMsMax)}`,
    )
  }
  if (!isAccountFresh(input)) {
    return refuse(
      'account_stale',
      `the account was last confirmed ${seconds(input.now - account.confirmedAt)} ago; entries need it within ${seconds(limits.accountAgeMsMax)}`,
    )
  }
  if (input.risk.unseen != null) {
    return refuse('account_stale', `${input.risk.unseen}, so nothing opens`)
  }
  if (input.risk.holding) {
    return refuse(
      'account_stale',
      'a drop of the equity is being explained: nothing opens for up to 10 s',
    )
  }
  return ok({ equity, mid })
}
