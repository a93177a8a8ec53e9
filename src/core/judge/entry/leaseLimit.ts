import type { Market } from '../../protocol/market.ts'
import type { Decimal } from '../../values/decimal.ts'
import { err, ok } from '../../values/result.ts'
import type { Result } from '../../values/result.ts'
import type { AccountWithRequest } from '../accountWithRequest.ts'
import type { JudgeInput } from '../decision.ts'
import { coinOfKind, isRiskKind } from '../lease.ts'
import type { LeasePart } from '../lease.ts'
import { refuse } from '../refusal.ts'
import type { Refusal } from '../refusal.ts'
import { usd } from '../text.ts'
import { checkMinimum } from './checkMinimum.ts'
import type { EntrySize } from './entrySize.ts'

interface LeasedEntry {
  readonly isBuy: boolean
  readonly worst: Decimal
  /** USD that a unit of it counts as. */
  readonly worth: Decimal
  /** The limit of its stop. */
  readonly stopLimit: Decimal
}

/**
 * Cuts an entry to what is leased here of the budgets that the fleet shares. Nothing opens once the
 * lease has ended without contact. Without a fleet nothing changes.
 */
export function fitLease(
  input: JudgeInput,
  draft: AccountWithRequest,
  market: Market,
  sized: EntrySize,
  { isBuy, worst, worth, stopLimit }: LeasedEntry,
): Result<EntrySize, Refusal> {
  const lease = input.lease?.(market.coin)
  if (lease === undefined) return ok(sized)
  if (lease.ended !== null) return refuse('fleet_unreachable', lease.ended)
  let fitted = sized
  for (const part of lease.parts) {
    const used = usedOf(draft, market, isBuy, part)
    const left = part.held.minus(used)
    if (!left.isPositive()) return refuse('fleet_limit', nothingLeft(part, used))
    const each = isRiskKind(part.kind) ? sized.lossPerUnit : worth
    const size = left.over(each, market.sizeDecimals, 'floor')
    if (size.gte(fitted.size)) continue
    const bound = { rule: 'fleet_limit', text: () => `the ${usd(left)} left of ${named(part)}` }
    fitted = { ...fitted, size, bound }
    const short = checkMinimum(market, fitted, worst, stopLimit)
    if (short !== null) return err({ code: 'fleet_limit', text: short.text })
  }
  return ok(fitted)
}

/** What of a part is used: what is open, in flight or resting, with this request's own entries. */
function usedOf(
  draft: AccountWithRequest,
  { coin }: Market,
  isBuy: boolean,
  { kind }: LeasePart,
): Decimal {
  if (isRiskKind(kind)) return draft.openRiskFor(coin, isBuy)
  if (coinOfKind(kind) === null) return draft.openValue
  return draft.sideValue(coin, true).plus(draft.sideValue(coin, false))
}

function nothingLeft(part: LeasePart, used: Decimal): string {
  return `${usd(used)} are used of ${named(part)}; nothing is left for another entry`
}

function named({ scope, kind, held, budget }: LeasePart): string {
  return `the ${usd(held)} leased here of the budget ${kind} of ${scope}, ${usd(budget)}`
}
